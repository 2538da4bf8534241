/* Reads secrets from their files, and decides what is one: a single line of a regular file that
 * the run cannot read and that nobody else may write. */
#include "runtime/polrun/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/env.h"

static const char from_file[] = "file ";

/* One secret that is looked for, for messages. */
struct wanted {
	const struct sandbox_run *run;
	char name[80];
	uint32_t rule; /* a rule that needs it; UINT32_MAX: not known */
};

static int refuse(const struct wanted *w, int e, const char *why, struct rt_err *err)
{
	char rule[EXPLAIN_RULE_CAP];

	return rt_fail(err, e, "the secret %s, which %s needs: %s", w->name,
		       explain_rule(w->run->bundle, w->rule, rule), why);
}

static int refuse_errno(const struct wanted *w, int e, const char *path, struct rt_err *err)
{
	char why[300], at[200];

	io_escape(at, sizeof(at), path, strlen(path));
	(void)snprintf(why, sizeof(why), "%s: %s", at, strerror(e));
	return refuse(w, e, why, err);
}

/* A scratch rule is about files of the run's own, never about this one. */
static bool is_scratch(const struct wanted *w, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(w->run->bundle, rule);

	return r && r->kind == PB_FILE && r->effect == PB_ALLOW && (r->flags & PB_F_SCRATCH);
}

/* Do the rules let the command read the file by this path? */
static bool is_allowed(const struct wanted *w, const char *path)
{
	struct decision d;

	decide_file(&w->run->ctx, PB_READ, path, &d);
	if (d.effect != PB_ALLOW)
		return d.effect == PB_ASK;
	/* more rules matched than are listed */
	if (!is_scratch(w, d.rule) || d.nmatched > DECIDE_MAX_MATCHED)
		return true;
	for (uint32_t i = 0; i < d.nmatched; i++) {
		const struct pb_rule *r = bundle_rule(w->run->bundle, d.matched[i]);

		if (r && r->effect == PB_ALLOW && !is_scratch(w, d.matched[i]))
			return true;
	}
	return false;
}

/* Does the view have the host's file `real` somewhere?  A rule for a link shows what the link
 * leads to, under a name that no rule mentions. */
static bool is_in_view(const struct sandbox_view *v, const char *real)
{
	char inside[2 * PATH_MAX];

	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		const char *host = n->source ? n->source : n->path;

		if (n->scratch || n->masked || n->absent || !(n->ops & PB_READ) ||
		    !place_is_below(real, host))
			continue;
		(void)snprintf(inside, sizeof(inside), "%s%s", n->path[1] ? n->path : "",
			       real + (host[1] ? strlen(host) : 0));
		if (sandbox_view_find(v, inside) == n)
			return true;
	}
	return false;
}

static const char shown[] = "the run itself could read its file: hide it";

/* Opens the file, and refuses what is no secret.  A descriptor or -errno. */
static int open_file(const struct wanted *w, const char *path, struct rt_err *err)
{
	AUTO_CLOSE int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	char real[PATH_MAX];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !realpath(path, real))
		return refuse_errno(w, errno, path, err);
	if (!S_ISREG(st.st_mode))
		return refuse(w, EINVAL, "it is no regular file", err);
	if (st.st_mode & S_IWOTH)
		return refuse(w, EPERM, "everybody may write its file", err);
	if (is_allowed(w, path) || is_allowed(w, real))
		return refuse(w, EPERM, shown, err);
	return io_steal_fd(&fd);
}

/* Takes the line end away; false if what is left is no secret. */
static bool trim(const char *text, size_t *len)
{
	if (*len && text[*len - 1] == '\n')
		--*len;
	if (*len && text[*len - 1] == '\r')
		--*len;
	return *len > 0 && *len <= GATE_SECRET_MAX && !memchr(text, '\0', *len) &&
	       !memchr(text, '\n', *len) && !memchr(text, '\r', *len);
}

static int read_from(const struct wanted *w, const char *path, char **ret, size_t *ret_n,
		     struct rt_err *err)
{
	AUTO_CLOSE int fd = open_file(w, path, err);
	int r;

	if (fd < 0)
		return fd;
	r = io_read_all(fd, GATE_SECRET_MAX + 2, ret, ret_n);
	if (r < 0)
		return refuse_errno(w, -r, path, err);
	return trim(*ret, ret_n) ? 0 : refuse(w, EINVAL, "it is not one line of text", err);
}

static const struct pb_env_entry *find(const struct pb_env *env, const char *name, size_t len)
{
	for (uint32_t i = 0; env && i < env->entries.count; i++) {
		const struct pb_env_entry *e =
			pb_at(env, env->entries, sizeof(struct pb_env_entry), i);

		if (e->set == 2 && e->name.len == len &&
		    memcmp(pb_strp(env, e->name), name, len) == 0)
			return e;
	}
	return NULL;
}

/* The path of the file of the secret, allocated. */
static int find_path(struct wanted *w, const char *name, size_t len, char **ret, struct rt_err *err)
{
	const struct pb_env *env = w->run->bundle->env;
	const struct pb_env_entry *e = find(env, name, len);
	const size_t head = sizeof(from_file) - 1;

	io_escape(w->name, sizeof(w->name), name, len);
	if (!e)
		return refuse(w, ENOENT, "the bundle does not say where it is", err);
	if (e->value.len <= head || memcmp(pb_strp(env, e->value), from_file, head) != 0)
		return refuse(w, ENOTSUP, "only secrets from files can be read in this version", err);
	*ret = env_expand(&w->run->ctx.roots, pb_strp(env, e->value) + head, e->value.len - head);
	return *ret ? 0 : rt_fail(err, ENOMEM, "out of memory");
}

static int read_one(struct wanted *w, const char *name, size_t len, char **ret, size_t *ret_n,
		    struct rt_err *err)
{
	AUTO_FREE char *path = NULL;
	int r = find_path(w, name, len, &path, err);

	return r < 0 ? r : read_from(w, path, ret, ret_n, err);
}

/* A rule whose pieces have the grant. */
static uint32_t rule_of(const struct pb_egress *e, uint32_t grant)
{
	for (uint32_t i = 0; i < e->pieces.count; i++) {
		const struct pb_piece *p = pb_at(e, e->pieces, sizeof(struct pb_piece), i);

		if (p->grant == grant && p->effect != PB_DENY)
			return p->rule;
	}
	return UINT32_MAX;
}

static int append(struct gateway_secrets *s, uint32_t grant, const char *value, size_t len)
{
	const struct gate_secret head = { grant, (uint32_t)len };
	size_t padded = (len + 7) & ~(size_t)7;
	char *bytes = malloc(s->size + sizeof(head) + padded);

	if (!bytes)
		return -ENOMEM;
	if (s->size)
		memcpy(bytes, s->bytes, s->size);
	memcpy(bytes + s->size, &head, sizeof(head));
	memset(bytes + s->size + sizeof(head), 0, padded);
	memcpy(bytes + s->size + sizeof(head), value, len);
	len = s->size + sizeof(head) + padded;
	if (s->bytes)
		explicit_bzero(s->bytes, s->size);
	free(s->bytes);
	s->bytes = bytes;
	s->size = len;
	s->count++;
	return 0;
}

int secrets_take(const struct sandbox_run *run, enum secret_use use, struct gateway_secrets *ret,
		 struct rt_err *err)
{
	const struct pb_egress *e = run->bundle->egress;

	*ret = (struct gateway_secrets){ NULL, 0, 0 };
	for (uint32_t i = 0; i < e->grants.count; i++) {
		const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), i);
		struct pb_str name = use == SECRET_VIA ? g->via_secret : g->secret;
		struct wanted w = { .run = run };
		char *value = NULL;
		size_t n = 0;
		int r;

		if (!name.len)
			continue;
		w.rule = rule_of(e, i);
		r = read_one(&w, pb_strp(e, name), name.len, &value, &n, err);
		if (r == 0 && append(ret, i, value, n) < 0)
			r = rt_fail(err, ENOMEM, "out of memory");
		if (value)
			explicit_bzero(value, n);
		free(value);
		if (r < 0) {
			secrets_release(ret);
			return r;
		}
	}
	return 0;
}

static int check_one(const struct sandbox_run *run, const struct sandbox_view *v, struct pb_str name,
		     uint32_t rule, struct rt_err *err)
{
	struct wanted w = { .run = run, .rule = rule };
	AUTO_FREE char *path = NULL;
	char real[PATH_MAX];
	int r = find_path(&w, pb_strp(run->bundle->egress, name), name.len, &path, err);

	if (r < 0)
		return r;
	if (!realpath(path, real))
		return refuse_errno(&w, errno, path, err);
	return is_in_view(v, real) ? refuse(&w, EPERM, shown, err) : 0;
}

int secrets_check_view(const struct sandbox_run *run, const struct sandbox_view *v,
		       struct rt_err *err)
{
	const struct pb_egress *e = run->bundle->egress;
	int r = 0;

	for (uint32_t i = 0; run->gateway && r == 0 && i < e->grants.count; i++) {
		const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), i);

		if (g->via_secret.len)
			r = check_one(run, v, g->via_secret, rule_of(e, i), err);
		if (r == 0 && g->secret.len)
			r = check_one(run, v, g->secret, rule_of(e, i), err);
	}
	return r;
}

void secrets_release(struct gateway_secrets *s)
{
	if (s->bytes)
		explicit_bzero(s->bytes, s->size);
	free(s->bytes);
	*s = (struct gateway_secrets){ NULL, 0, 0 };
}
