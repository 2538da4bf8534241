/*
 * Runs ssh-keygen over a manifest and puts the signature into its place in the
 * archive: after manifest.b2, sorted by the names of the keys.
 */
#include "compiler/bundle/sign.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/base/buf.h"
#include "compiler/bundle/writer.h"
#include "runtime/base/place.h"
#include "runtime/bundle/sshsig.h"
#include "runtime/bundle/tar.h"
#include "runtime/state/state_dir.h"

extern char **environ;

static bool fail(struct diag_sink *sink, const char *key, const char *why)
{
	diag_add(sink, DIAG_SIGN, SPAN_NONE, "the bundle is not signed with '%s': %s",
		 key, why);
	return false;
}

/*
 * A private directory with the manifest, where ssh-keygen leaves the signature.  It lies in the
 * user's state, which no run can write: a run that could write it would have its own manifest
 * signed.
 */
struct place {
	const char *dir, *manifest, *signature;
};

static bool make_place(struct arena *a, struct str manifest, struct place *ret,
		       struct rt_err *err)
{
	char dir[PATH_MAX];
	FILE *f;
	bool ok;

	*ret = (struct place){ .dir = NULL };
	if (state_dir_temp("sign", dir, err) < 0)
		return false;
	*ret = (struct place){ arena_printf(a, "%s", dir), arena_printf(a, "%s/manifest.json", dir),
			       arena_printf(a, "%s/manifest.json.sig", dir) };
	f = fopen(ret->manifest, "wex");
	ok = f && fwrite(manifest.p, 1, manifest.n, f) == manifest.n;
	if (f && fclose(f) != 0)
		ok = false;
	return ok || rt_fail_errno(err, errno, "the manifest") == 0;
}

static void remove_place(const struct place *p)
{
	if (!p->dir)
		return;
	(void)unlink(p->manifest);
	(void)unlink(p->signature);
	(void)rmdir(p->dir);
}

/*
 * 0 if ssh-keygen succeeded, an errno if it could not be run, else -1.  It gets our
 * standard streams, since it may ask for a passphrase or a touch on the terminal; it
 * would not ask if its input were the manifest.
 */
static int run_keygen(const char *key, const char *manifest)
{
	char program[PATH_MAX];
	const char *const argv[] = { "ssh-keygen", "-q", "-Y", "sign",
				     "-f",         key,  "-n", SSHSIG_NAMESPACE,
				     manifest,     NULL };
	int r, status;
	pid_t pid;

	/* not one that a run has made, which would get the passphrase */
	r = -place_program(argv[0], program);
	if (r != 0)
		return r;
	r = posix_spawn(&pid, program, NULL, NULL, (char *const *)(uintptr_t)argv,
			 environ);
	if (r != 0)
		return r;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool read_signature(struct arena *a, const char *path, struct str *ret)
{
	char *p = arena_array(a, SSHSIG_MAX_ARMOUR + 1, 1);
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	/* read one byte more than allowed, so that a longer one is refused */
	*ret = (struct str){ p, fread(p, 1, SSHSIG_MAX_ARMOUR + 1, f) };
	ok = !ferror(f);
	fclose(f);
	return ok;
}

static bool ask_keygen(struct arena *a, struct str manifest, const char *key,
		       struct str *ret, struct diag_sink *sink)
{
	struct place p;
	struct rt_err err = { .err = 0 };
	bool ok = make_place(a, manifest, &p, &err);
	int r;

	if (!ok) {
		fail(sink, key, err.text);
	} else {
		r = run_keygen(key, p.manifest);
		ok = r == 0;
		if (r > 0)
			fail(sink, key,
			     arena_printf(a, "ssh-keygen cannot be run: %s",
					  strerror(r)));
		else if (r < 0)
			fail(sink, key, "ssh-keygen did not sign");
		else if (!read_signature(a, p.signature, ret))
			ok = fail(sink, key, strerror(errno));
	}
	remove_place(&p);
	return ok;
}

static bool check(const struct bundle *b, struct str text, struct sshkey *ret,
		  struct rt_err *err)
{
	return sshsig_check((const uint8_t *)text.p, text.n, b->manifest,
			    b->manifest_size, ret, err) == 0;
}

bool bundle_sign(struct arena *a, const struct bundle *b, const char *key,
		 struct str *ret_text, struct diag_sink *sink)
{
	struct str manifest = { (const char *)b->manifest, b->manifest_size };
	struct rt_err err = { .err = 0 };
	struct sshkey who;
	struct str text;

	if (access(key, R_OK) != 0)
		return fail(sink, key, strerror(errno));
	if (!ask_keygen(a, manifest, key, &text, sink))
		return false;
	if (!check(b, text, &who, &err))
		return fail(sink, key,
			    arena_printf(a, "polrun would refuse the signature: %s",
					 err.text));
	*ret_text = text;
	return true;
}

/* --- the archive ---------------------------------------- */

/* Bytes of the beginning of the archive: manifest.json and manifest.b2. */
static size_t head_size(const struct bundle *b)
{
	static const char sum[] = "  " PB_MANIFEST "\n";

	return TAR_BLOCK + tar_padded(b->manifest_size) + TAR_BLOCK +
	       tar_padded(64 + sizeof(sum) - 1);
}

bool bundle_add_signature(struct arena *a, const struct bundle *b, struct str text,
			  struct str *ret_bytes, struct diag_sink *sink)
{
	size_t head = head_size(b), rest = head;
	char name[SSHKEY_NAME_CAP];
	struct rt_err err = { .err = 0 };
	struct sshkey who;
	struct str path;
	struct buf out;
	bool done = false;

	if (!check(b, text, &who, &err))
		return fail(sink, "the key", err.text);
	sshkey_name(&who, name);
	path = str_printf(a, PB_SIGNATURES "%s" PB_SIGNATURE_END, name);
	buf_init(&out, a);
	buf_add(&out, b->bytes, head);
	for (size_t i = 0; i < b->nsignatures; i++) {
		const struct bundle_signature *s = &b->signatures[i];
		int cmp = str_cmp(path, str_from(s->path));

		rest += TAR_BLOCK + tar_padded(s->size);
		if (cmp <= 0 && !done)
			bundle_put(&out, path, text);
		done |= cmp <= 0;
		if (cmp != 0)
			bundle_put(&out, str_from(s->path),
				   (struct str){ (const char *)s->data, s->size });
	}
	if (!done)
		bundle_put(&out, path, text);
	buf_add(&out, b->bytes + rest, b->size - rest);
	if (out.n > PB_MAX_BUNDLE) {
		diag_add(sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
			 "the bundle has %zu bytes with its signature, the limit is %u",
			 out.n, PB_MAX_BUNDLE);
		return false;
	}
	*ret_bytes = buf_view(&out);
	return true;
}
