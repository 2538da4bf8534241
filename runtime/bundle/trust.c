/*
 * Decides whether a bundle may be opened: which lists of signers are used, in which
 * order, and what ends the search. A list that exists but cannot be read, or that others
 * could have written, is never skipped.
 */
#include "runtime/bundle/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/base/writers.h"

struct ask {
	const struct trust_options *opt;
	struct trust found;
	bool has_system;
};

struct list {
	const char *path;
	bool system; /* only root may have written it */
	char *text;
	size_t n;
};

/* --- a list's file ---------------------------------------- */

static int check_file(int fd, const struct list *l, struct rt_err *err)
{
	const char *why;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return rt_fail_errno(err, errno, "the list of signers '%s'", l->path);
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, EINVAL,
			       "the list of signers '%s' is no regular file", l->path);
	if (st.st_uid != 0 && (l->system || st.st_uid != getuid()))
		return rt_fail(err, EPERM,
			       "the list of signers '%s' belongs to uid %u: %s",
			       l->path, st.st_uid,
			       l->system ? "it must be root's"
					 : "neither root nor the caller");
	if (l->system)
		why = st.st_mode & (S_IWGRP | S_IWOTH) ? "only root may write it" : NULL;
	else
		why = writers_others(l->path, fd, &st);
	return why ? writers_refuse(err, "the list of signers", l->path, &st, why) : 0;
}

/* 0; -ENOENT: the list is absent; or another -errno. */
static int load(struct list *l, struct rt_err *err)
{
	AUTO_CLOSE int fd = sys_open(
		l->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	int r;

	if (fd < 0 && errno == ENOENT)
		return rt_fail(err, ENOENT, "the list of signers '%s' is not there",
			       l->path);
	if (fd < 0 && errno == ELOOP)
		return rt_fail(err, ELOOP,
			       "the list of signers '%s' is a symbolic link: name the "
			       "file itself",
			       l->path);
	if (fd < 0)
		return rt_fail_errno(
			err, errno, "the list of signers '%s' cannot be read", l->path);
	r = check_file(fd, l, err);
	if (r < 0)
		return r;
	r = io_read_all(fd, SIGNERS_MAX_BYTES, &l->text, &l->n);
	if (r == -EFBIG)
		return rt_fail(err, EFBIG,
			       "the list of signers '%s' is larger than %d KiB",
			       l->path, SIGNERS_MAX_BYTES >> 10);
	if (r < 0)
		return rt_fail_errno(err, -r, "the list of signers '%s' cannot be read",
				     l->path);
	return 0;
}

/* Does the list allow one of the bundle's keys? If not, the first reason is reported. */
static int search(const struct list *l, const struct bundle *b, const struct ask *a,
		  struct trust *ret, struct rt_err *err)
{
	struct rt_err why = { 0 }, e = { 0 };

	for (size_t i = 0; i < b->nsignatures; i++) {
		const struct signers_query q = { .key = &b->signatures[i].key,
						 .principal = a->opt->principal,
						 .now = a->opt->now };

		if (signers_find(l->text, l->n, &q, &ret->by, &e) == 0) {
			ret->trusted = true;
			ret->key = b->signatures[i].key;
			io_escape(ret->list, sizeof(ret->list), l->path,
				  strlen(l->path));
			return 0;
		}
		/* A known key that was refused is a better reason than an unknown key. */
		if (!why.err || why.err == ENOKEY)
			why = e;
	}
	return rt_fail(err, why.err, "the list of signers '%s': %s", l->path, why.text);
}

static int load_and_search(const char *path, bool system, const struct bundle *b,
			   struct ask *a, struct trust *ret, struct rt_err *err)
{
	struct list l = { .path = path, .system = system };
	int r = load(&l, err);

	if (system)
		a->has_system = r == 0;
	if (r == 0) {
		r = search(&l, b, a, ret, err);
		/* If the list does not allow a key, that is not an error of the list. */
		if (r < 0)
			r = 1;
	}
	free(l.text);
	return r;
}

/* --- which lists ---------------------------------------- */

static bool user_list(const struct ask *a, char path[PATH_MAX])
{
	const char *home = a->opt->home;

	return home && home[0] == '/' &&
	       (size_t)snprintf(path, PATH_MAX, "%s" TRUST_USER, home) < PATH_MAX;
}

/* The system's default list does not allow a key, or is absent: uses the user's list. */
static int ask_user(const struct bundle *b, struct ask *a, const struct rt_err *said,
		    struct rt_err *err)
{
	char path[PATH_MAX], finger[SSHKEY_FINGERPRINT_CAP];
	int r = -ENOENT;

	if (user_list(a, path))
		r = load_and_search(path, false, b, a, &a->found, err);
	else
		path[0] = '\0';
	if (r != -ENOENT)
		return r == 1 ? -EKEYREJECTED : r;
	if (a->has_system)
		return rt_fail(err, said->err, "%s", said->text);
	sshkey_fingerprint(&b->signatures[0].key, finger);
	return rt_fail(err, ENOENT,
		       "signed by a key that is not trusted here (%s): there is no list of "
		       "signers: neither '%s'%s%s%s",
		       finger, a->opt->system, path[0] ? " nor '" : "", path,
		       path[0] ? "'" : "");
}

/* 0: the machine's own list allows a key that signed; 1: it does not, or there is no such
 * list */
static int ask_system(const struct bundle *b, struct ask *a, struct rt_err *said)
{
	int r = load_and_search(a->opt->system, true, b, a, &a->found, said);

	a->found.by_system = r == 0;
	return r == -ENOENT ? 1 : r;
}

static int ask_lists(const struct bundle *b, struct ask *a, struct rt_err *err)
{
	struct rt_err said = { 0 };
	int r = ask_system(b, a, &said);

	if (r < 0)
		return rt_fail(err, -r, "%s", said.text);
	if (a->opt->file) {
		struct trust found = { .by_system = a->found.by_system };

		r = load_and_search(a->opt->file, false, b, a, &found, err);
		a->found = found;
		return r == 1 ? -EKEYREJECTED : r;
	}
	return r == 0 ? 0 : ask_user(b, a, &said, err);
}

/* Runs after the signatures are verified and before the manifest is parsed. */
static int gate(void *ctx, const struct bundle *b, struct rt_err *err)
{
	struct ask *a = ctx;

	if (b->nsignatures)
		return ask_lists(b, a, err);
	if (a->opt->require || a->opt->file)
		return rt_fail(err, ENOKEY, "it is not signed (polc sign)");
	return 0;
}

/* Checks what only the manifest says. */
static int check_manifest(const struct bundle *b, struct ask *a, struct rt_err *err)
{
	struct list l = { .path = a->opt->system, .system = true };
	int r;

	if (b->threshold && !b->nsignatures)
		return rt_fail(err, ENOKEY,
			       "its manifest asks for a signature, and it has none");
	if (!(b->levels & 1u << PB_MANAGED) || a->found.by_system)
		return 0;
	if (b->nsignatures == 0) {
		r = load(&l, err);
		free(l.text);
		if (r == -ENOENT)
			return 0;
		if (r < 0)
			return r;
		return rt_fail(err, ENOKEY,
			       "it speaks at level 'managed' and is not signed: '%s' "
			       "says who must",
			       a->opt->system);
	}
	if (!a->has_system)
		return 0;
	return rt_fail(err, EKEYREJECTED,
		       "it speaks at level 'managed', and '%s' allows none of its keys",
		       a->opt->system);
}

static struct trust_options with_system(const struct trust_options *opt)
{
	struct trust_options o = *opt;

	if (!o.system)
		o.system = TRUST_SYSTEM;
	return o;
}

int trust_open(const char *path, bool run, const struct trust_options *opt,
	       struct bundle *ret, struct trust *ret_trust, struct rt_err *err)
{
	struct trust_options o = with_system(opt);
	struct ask a = { .opt = &o };
	struct rt_err why = { 0 };
	struct bundle b;
	int r;

	r = bundle_open_gated(path, run, gate, &a, &b, err);
	if (r < 0)
		return r;
	r = check_manifest(&b, &a, &why);
	if (r < 0) {
		bundle_release(&b);
		return rt_fail(err, why.err, "bundle '%.150s': %.230s", path, why.text);
	}
	*ret = b;
	*ret_trust = a.found;
	return 0;
}

int trust_parse(uint8_t *bytes, size_t size, const struct trust_options *opt,
		struct bundle *ret, struct trust *ret_trust, struct rt_err *err)
{
	struct trust_options o = with_system(opt);
	struct ask a = { .opt = &o };
	struct bundle b;
	int r;

	r = bundle_parse_gated(bytes, size, false, gate, &a, &b, err);
	if (r < 0)
		return r;
	r = check_manifest(&b, &a, err);
	if (r < 0) {
		bundle_release(&b);
		return r;
	}
	*ret = b;
	*ret_trust = a.found;
	return 0;
}

void trust_describe(const struct trust *t, char *out, size_t cap)
{
	char fp[SSHKEY_FINGERPRINT_CAP];

	if (!t->trusted) {
		(void)snprintf(out, cap, "not signed, and nobody asked for it");
		return;
	}
	sshkey_fingerprint(&t->key, fp);
	(void)snprintf(out, cap, "signed by %s (%s), as %s:%u allows", t->by.who, fp,
		       t->list, t->by.line);
}
