/* Translates requests for the library and writes the answers.  libpol makes the
 * decisions. */
#include "runtime/query/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/json.h"
#include "runtime/base/place.h"
#include "runtime/decide/links.h"

/* One question while it is being answered. */
struct asked {
	struct query *q;
	struct query_request req;
	struct pol_request to; /* the same request in the library's form */
	struct rt_err err;
	char **name; /* of a path: as given, after each link, and as rules name it; malloc'ed */
	size_t nnames;
	struct place_links links; /* of the policy's places */
};

/* --- the question ------------------------------------------------------------------ */

static bool has_name(const struct query_request *r)
{
	return r->kind == QUERY_FILE || (r->kind == QUERY_UNIX && !r->abstract);
}

/* Finds directories and paths without symbolic links, and makes room for the line. */
static bool prepare(struct asked *a)
{
	const struct query_request *r = &a->req;
	struct query *q = a->q;
	struct decide_ctx ctx = { .b = q->b, .scope = (uint8_t)a->to.scope };
	size_t n = r->line_n;

	if (!query_where_find(&q->where, r, &ctx, &a->err))
		return false;
	a->to.cwd = ctx.cwd;
	a->to.home = ctx.roots.dir[PB_ROOT_HOME];
	a->to.project = ctx.roots.dir[PB_ROOT_PROJECT];
	a->to.tmpdir = ctx.roots.dir[PB_ROOT_TMP];
	a->to.session_dir = ctx.roots.dir[PB_ROOT_SESSION];
	a->to.ssh_auth_sock = ctx.roots.dir[PB_ROOT_AGENT];
	a->to.git_common_dir = ctx.roots.dir[PB_ROOT_GIT];
	/* in a sandbox the kernel judges the paths of a line */
	if ((has_name(r) || a->to.scope == POL_HOST) && decide_links(&ctx, &a->links) < 0)
		return rt_fail_errno(&a->err, ENOMEM, "the names of the policy's places") == 0;
	if (r->kind == QUERY_FILE || r->kind == QUERY_UNIX) {
		a->to.path = query_where_path(&q->where, r, &a->err);
		return a->to.path != NULL;
	}
	for (size_t i = 0; i < r->argc; i++)
		n += strlen(r->argv[i]) + 1;
	q->ctx.look = &place_look;
	q->ctx.links = &a->links;
	return pol_ctx_grow(&q->ctx, n, &a->err) == 0;
}

static bool has_place(enum query_kind kind)
{
	return kind == QUERY_COMMAND || kind == QUERY_ARGV || kind == QUERY_FILE ||
	       kind == QUERY_UNIX;
}

static void release(struct asked *a)
{
	for (size_t i = 0; i < a->nnames; i++)
		free(a->name[i]);
	free(a->name);
	place_links_release(&a->links);
	a->q->ctx.links = NULL;
}

static int add_name(void *arg, const char *name)
{
	struct asked *a = arg;
	char **grown = reallocarray(a->name, a->nnames + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	a->name = grown;
	grown[a->nnames] = strdup(name);
	return grown[a->nnames++] ? 0 : -ENOMEM;
}

static int find_names(struct asked *a)
{
	struct place_memory names = { .links = &a->links };

	return place_names_in(&names, a->req.path, add_name, a);
}

/*
 * A rule that matches any name of the path counts (semantics 5).  The other names can only
 * make the answer stricter: an allow is about the physical path, and what no rule mentions is
 * decided there.
 */
static bool ask_by_names(struct asked *a)
{
	const char *real = a->to.path, *strictest = NULL;
	uint8_t kind = a->req.kind == QUERY_FILE ? PB_FILE : PB_UNIX, worst = PB_ALLOW;
	int r = find_names(a);

	if (r < 0) {
		(void)rt_fail_errno(&a->err, -r, "'path': its names");
		return false;
	}
	for (size_t i = 0; i < a->nnames; i++) {
		const struct decision *d = &a->q->ctx.d;
		const struct pb_rule *rule;

		a->to.path = a->name[i];
		if (strcmp(a->name[i], real) == 0)
			continue;
		if (pol_ask(&a->q->ctx, &a->to, &a->err) < 0)
			return false;
		rule = bundle_rule(a->q->b, d->rule);
		if (!rule || rule->kind != kind || d->effect <= worst)
			continue;
		worst = d->effect;
		strictest = a->name[i];
	}
	a->to.path = real;
	if (pol_ask(&a->q->ctx, &a->to, &a->err) < 0)
		return false;
	if (!strictest || worst <= a->q->ctx.d.effect)
		return true;
	a->to.path = strictest;
	return pol_ask(&a->q->ctx, &a->to, &a->err) == 0;
}

static bool decide(struct asked *a)
{
	static const uint32_t kinds[QUERY_KIND_COUNT] = {
		[QUERY_COMMAND] = POL_COMMAND, [QUERY_ARGV] = POL_ARGV,
		[QUERY_FILE] = POL_FILE,       [QUERY_NET] = POL_NET,
		[QUERY_UNIX] = POL_UNIX,       [QUERY_SYSCALL] = POL_SYSCALL,
		[QUERY_TOOL] = POL_TOOL, /* a setting has a value, but no decision */
	};
	const struct query_request *r = &a->req;
	/* unless the request says otherwise, system calls are those in a sandbox */
	uint32_t scope = r->kind == QUERY_SYSCALL ? POL_SANDBOX : a->q->scope;

	a->to = (struct pol_request){
		.size = sizeof(a->to),
		.kind = kinds[r->kind],
		.scope = r->scope ? r->scope : scope,
		.flags = r->abstract ? POL_ABSTRACT : 0,
		.op = r->op,
		.proto = r->udp ? POL_UDP : POL_TCP,
		.port = r->port,
		.line = r->line,
		.line_n = r->line_n,
		.argv = r->argv,
		.argc = r->argc,
		.host = r->host,
		.addr = r->is_addr ? r->addr : NULL,
		.name = r->name,
		.role = r->role,
	};
	memcpy(a->to.args, r->args, sizeof(a->to.args));
	if (pol_check_role(a->q->b, r->role, &a->err) < 0)
		return false;
	if (has_place(r->kind) && !prepare(a))
		return false;
	if (has_name(r) ? !ask_by_names(a) : pol_ask(&a->q->ctx, &a->to, &a->err) < 0)
		return false;
	return !a->q->traffic || traffic_put(a->q->traffic, a->q->b, &a->to, &a->q->ctx.d,
					     &a->err) == 0;
}

int query_decide(struct query *q, const struct query_request *r, struct rt_err *err)
{
	struct asked a = { .q = q, .req = *r };
	bool good = decide(&a);

	release(&a);
	*err = a.err;
	return good ? 0 : -EINVAL;
}

static bool find_reach(struct asked *a, bool *ret)
{
	int r;

	if (!prepare(a))
		return false;
	r = find_names(a);
	if (r < 0)
		return rt_fail_errno(&a->err, -r, "'path': its names") == 0;
	*ret = false;
	for (size_t i = 0; i < a->nnames && !*ret; i++) {
		a->to.path = a->name[i];
		if (pol_ask(&a->q->ctx, &a->to, &a->err) < 0)
			return false;
		*ret = a->q->ctx.d.effect == PB_ALLOW;
	}
	return true;
}

/* A link is replaced where its own name may be written, whatever holds for what it leads to: each
 * name is asked about for itself, and one allow is enough. */
int query_may_write(struct query *q, const struct query_request *where, const char *path, bool *ret,
		    struct rt_err *err)
{
	struct asked a = { .q = q, .req = *where };
	char whole[2 * PATH_MAX];
	bool good;

	if (path[0] != '/' && !q->where.own_cwd[0])
		return rt_fail(err, ENOENT, "the directory of '%.200s' is not known", path);
	if (snprintf(whole, sizeof(whole), "%s%s%s", path[0] == '/' ? "" : q->where.own_cwd,
		     path[0] == '/' ? "" : "/", path) >= PATH_MAX)
		return rt_fail_errno(err, ENAMETOOLONG, "'%.200s'", path);
	a.req.kind = QUERY_FILE;
	a.req.op = PB_WRITE;
	a.req.path = whole;
	a.to = (struct pol_request){ .size = sizeof(a.to), .kind = POL_FILE, .op = POL_WRITE,
				     .scope = where->scope ? where->scope : q->scope };
	good = find_reach(&a, ret);
	release(&a);
	if (!good)
		*err = a.err;
	return good ? 0 : -EINVAL;
}

/* --- the answer ---------------------------------------------------------------------- */

static void put_setting(struct json *j, const struct asked *a)
{
	size_t n = 0;
	const char *value = query_setting(&a->q->settings, a->req.name, &n);

	json_cstr(j, "setting", a->req.name);
	if (value)
		json_raw(j, "value", value, n);
	else
		json_null(j, "value");
}

/* --- a line in, a line out
 * ------------------------------------------------------------ */

static void begin(struct query *q, const char *id, size_t id_n)
{
	json_reset(q->out);
	json_object(q->out, NULL);
	if (id)
		json_raw(q->out, "id", id, id_n);
	else
		json_null(q->out, "id");
}

static void begin_loaded(struct query *q)
{
	size_t n = 0;
	const char *id = query_request_id(q->reader, &n);

	begin(q, id, n);
}

const char *query_refuse(struct query *q, const struct rt_err *err, size_t *ret_n)
{
	begin_loaded(q);
	json_cstr(q->out, "error", err->text);
	json_object_end(q->out);
	return json_finish(q->out, ret_n);
}

const char *query_answer_loaded(struct query *q, size_t *ret_n)
{
	struct asked a = { .q = q };
	bool good = query_request_take(q->reader, &a.req, &a.err);

	if (good && a.req.kind == QUERY_SETTING)
		good = pol_check_role(q->b, a.req.role, &a.err) == 0;
	else if (good)
		good = decide(&a);
	release(&a);
	if (!good)
		return query_refuse(q, &a.err, ret_n);
	begin_loaded(q);
	if (a.req.kind == QUERY_SETTING)
		put_setting(q->out, &a);
	else
		pol_put_decision(q->out, &q->ctx);
	json_object_end(q->out);
	return json_finish(q->out, ret_n);
}

const char *query_answer(struct query *q, const char *line, size_t n, size_t *ret_n)
{
	struct rt_err err = { 0 };

	return query_request_load(q->reader, line, n, &err) ? query_answer_loaded(q, ret_n) :
							      query_refuse(q, &err, ret_n);
}

const char *query_too_long(struct query *q, size_t most, size_t *ret_n)
{
	char text[80];

	begin(q, NULL, 0);
	(void)snprintf(text, sizeof(text), "the line has more than %zu bytes", most);
	json_cstr(q->out, "error", text);
	json_object_end(q->out);
	return json_finish(q->out, ret_n);
}

void query_init_decide(struct query *q, struct bundle *b, uint8_t scope)
{
	memset(q, 0, sizeof(*q));
	q->b = b;
	q->scope = scope;
	pol_ctx_init(&q->ctx, b, NULL, 0);
	query_where_init(&q->where);
}

int query_init(struct query *q, struct bundle *b, uint8_t scope, struct rt_err *err)
{
	int r;

	query_init_decide(q, b, scope);
	q->reader = query_reader_new();
	q->out = calloc(1, sizeof(*q->out));
	if (q->out) {
		json_init(q->out);
		q->out->layout = JSON_TIGHT;
	}
	r = q->reader && q->out ? query_settings_init(&q->settings, b, err)
				: rt_fail(err, ENOMEM, "out of memory");
	if (r < 0)
		query_release(q);
	return r;
}

/* The links and names that matter are those that a run may make. */
static int find_here(struct query *q, struct decide_ctx *ret, struct rt_err *err)
{
	const struct query_request here = { .kind = QUERY_FILE };

	*ret = (struct decide_ctx){ .b = q->b, .scope = PB_SANDBOX };
	return query_where_find(&q->where, &here, ret, err) ? 0 : -EINVAL;
}

int query_record(struct query *q, struct traffic *t, const char *path, struct rt_err *err)
{
	struct decide_ctx ctx;
	int r = find_here(q, &ctx, err);

	if (r == 0)
		r = traffic_open(t, path, "polquery", &ctx, err);
	if (r == 0)
		q->traffic = t;
	return r;
}

int query_find_socket(struct query *q, const char *path, struct output *ret, struct rt_err *err)
{
	struct decide_ctx ctx;
	int r = find_here(q, &ctx, err);

	return r == 0 ? output_find(ret, "socket", path, &ctx, err) : r;
}

void query_release(struct query *q)
{
	free(q->ctx.block);
	query_reader_free(q->reader);
	query_settings_release(&q->settings);
	if (q->out)
		json_release(q->out);
	free(q->out);
	memset(q, 0, sizeof(*q));
}
