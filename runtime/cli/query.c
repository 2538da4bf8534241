/*
 * Decides requests and writes the answers.  The decisions are the library's;
 * here is said which of its functions answers which kind, and what it has no
 * answer for.
 */
#include "runtime/cli/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/supervise/explain.h"

/* One question on its way. */
struct asked {
	struct query *q;
	struct query_request req;
	struct decide_ctx ctx;
	struct decision d;
	struct query_line line; /* command, argv */
	struct rt_err err;
};

static bool fail(struct asked *a, const char *text)
{
	(void)rt_fail(&a->err, EINVAL, "%s", text);
	return false;
}

/* --- which function answers --------------------------------------------------------
 */

static bool ask_command(struct asked *a)
{
	const struct query_request *r = &a->req;

	if (!query_where_find(&a->q->where, r, &a->ctx, &a->err))
		return false;
	if ((r->kind == QUERY_ARGV ?
		     query_argv_decide(&a->ctx, &a->q->block, r->argv, r->argc, &a->line,
				       &a->err) :
		     query_line_decide(&a->ctx, &a->q->block, r->line, r->line_n, &a->line,
				       &a->err)) < 0)
		return false;
	a->d = a->line.d;
	return true;
}

static bool ask_path(struct asked *a)
{
	const struct query_request *r = &a->req;
	const char *path;

	if (!query_where_find(&a->q->where, r, &a->ctx, &a->err))
		return false;
	path = query_where_path(&a->q->where, r, &a->err);
	if (!path)
		return false;
	if (r->kind == QUERY_FILE)
		decide_file(&a->ctx, r->op, path, &a->d);
	else
		decide_unix(&a->ctx, path, r->abstract, &a->d);
	return true;
}

static bool ask_net(struct asked *a)
{
	const struct query_request *r = &a->req;

	if (!decide_net_known(&a->ctx))
		return fail(a, "'scope': some rule of this network is not for every "
			       "scope, and "
			       "the bundle has them for 'sandbox' only");
	if (r->is_addr)
		decide_net(&a->ctx, r->udp, r->addr, r->port, &a->d);
	else if (!decide_net_name(&a->ctx, r->udp, r->port, &a->d))
		return fail(a,
			    "'host': the answer depends on the address that this name "
			    "has: ask for the address");
	return true;
}

static bool ask_syscall(struct asked *a)
{
	if (a->req.scope == PB_HOST)
		return fail(a,
			    "'scope': system calls are decided for the scope 'sandbox' "
			    "only");
	return decide_syscall(a->q->b, a->req.nr, a->req.args, &a->d, &a->err) == 0;
}

static bool ask_tool(struct asked *a)
{
	decide_tool(&a->ctx, a->req.name, &a->d);
	return true;
}

/* A bundle is the policy of one role, or of none. */
static bool check_role(struct asked *a)
{
	struct pb_str has = a->q->b->rules->role;
	const char *want = a->req.role, *name = pb_strp(a->q->b->rules, has);
	char is[80];

	if (!want || (strlen(want) == has.len && memcmp(want, name, has.len) == 0))
		return true;
	io_escape(is, sizeof(is), name, has.len);
	(void)rt_fail(&a->err, EINVAL, "'role': the bundle was compiled for %s%s%s",
		      has.len ? "the role '" : "no role", is, has.len ? "'" : "");
	return false;
}

static bool decide(struct asked *a)
{
	a->ctx = (struct decide_ctx){ .b = a->q->b, .scope = a->q->scope };
	if (a->req.scope)
		a->ctx.scope = a->req.scope;
	if (!check_role(a))
		return false;
	switch (a->req.kind) {
	case QUERY_COMMAND:
	case QUERY_ARGV:
		return ask_command(a);
	case QUERY_FILE:
	case QUERY_UNIX:
		return ask_path(a);
	case QUERY_NET:
		return ask_net(a);
	case QUERY_SYSCALL:
		return ask_syscall(a);
	case QUERY_TOOL:
		return ask_tool(a);
	case QUERY_SETTING: /* it has a value, and no decision */
	case QUERY_KIND_COUNT:
	default:
		return fail(a, "'kind': it cannot be decided");
	}
}

/* --- the decision as JSON -----------------------------------------------------------
 */

/* Askers know three effects: what is hidden is denied. */
static const char *effect_word(uint8_t effect)
{
	switch ((enum pb_effect)effect) {
	case PB_ALLOW:
		return "allow";
	case PB_ASK:
		return "ask";
	case PB_DENY:
	case PB_HIDE:
	case PB_EFFECT_COUNT:
	default:
		return "deny";
	}
}

static void put_str(struct json *j, const char *key, const struct bundle *b,
		    struct pb_str s)
{
	json_str(j, key, pb_strp(b->rules, s), s.len);
}

static void put_rule(struct json *j, const struct bundle *b, uint32_t n, uint8_t effect)
{
	const struct pb_rule *r = bundle_rule(b, n);
	char at[600];
	int len;

	if (!r)
		return;
	json_object(j, NULL);
	put_str(j, "id", b, r->id);
	json_cstr(j, "level", explain_level(r->level));
	json_cstr(j, "effect", explain_effect(effect));
	len = snprintf(at, sizeof(at), "%.*s:%u", (int)r->file.len,
		       pb_strp(b->rules, r->file), r->line);
	if (r->line && len > 0 && (size_t)len < sizeof(at))
		json_str(j, "at", at, (size_t)len);
	else
		json_null(j, "at");
	put_str(j, "text", b, r->text);
	json_object_end(j);
}

/* The one that decided, then the others that match. */
static void put_rules(struct json *j, const struct asked *a)
{
	const struct bundle *b = a->q->b;
	const struct decision *d = &a->d;
	uint32_t i;

	json_array(j, "rules");
	put_rule(j, b, d->rule, d->effect);
	for (i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		if (d->matched[i] != d->rule && bundle_rule(b, d->matched[i]))
			put_rule(j, b, d->matched[i],
				 bundle_rule(b, d->matched[i])->effect);
	json_array_end(j);
	json_uint(j, "rules_more", d->nmatched - i);
}

static void put_reason(struct json *j, const struct asked *a)
{
	const struct bundle *b = a->q->b;
	const struct pb_rule *r = bundle_rule(b, a->d.rule);
	const char *why, *detail;
	char text[240] = "";

	if (r && r->reason.len) {
		put_str(j, "reason", b, r->reason);
		return;
	}
	if (r && r->kind == PB_SCALAR && r->by_risk && !a->d.unparsed)
		(void)snprintf(text, sizeof(text), "its risk is %s",
			       explain_risk(a->d.risk));
	why = query_line_reason(&a->line, &detail);
	if (why[0])
		(void)snprintf(text, sizeof(text), "%s%s%s", why, detail ? ": " : "",
			       detail ? detail : "");
	json_cstr(j, "reason", text);
}

/* Of what is no command nothing is listed. */
static void put_commands(struct json *j, const struct asked *a)
{
	query_line_parts(j, a->q->b, &a->line);
}

static void put_decision(struct json *j, const struct asked *a)
{
	const struct decision *d = &a->d;
	bool command = a->req.kind == QUERY_COMMAND || a->req.kind == QUERY_ARGV;
	bool risk = (command && !d->unparsed) || a->req.kind == QUERY_TOOL;

	json_cstr(j, "effect", effect_word(d->effect));
	put_reason(j, a);
	put_rules(j, a);
	json_cstr(j, "risk", risk ? explain_risk(d->risk) : NULL);
	/* the only runner that this version has */
	json_cstr(j, "runner", command && d->effect <= PB_ASK ? "native" : NULL);
	json_bool(j, "needs_person", d->needs_person);
	if (a->req.kind == QUERY_SYSCALL)
		json_cstr(j, "errno", d->err ? strerrorname_np(d->err) : NULL);
	put_commands(j, a);
}

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

const char *query_answer(struct query *q, const char *line, size_t n, size_t *ret_n)
{
	struct asked a = { .q = q };
	bool good = query_request_read(q->reader, line, n, &a.req, &a.err);
	const char *id;
	size_t id_n = 0;

	id = query_request_id(q->reader, &id_n);
	begin(q, id, id_n);
	if (good && a.req.kind == QUERY_SETTING)
		good = check_role(&a);
	else if (good)
		good = decide(&a);
	if (!good)
		json_cstr(q->out, "error", a.err.text);
	else if (a.req.kind == QUERY_SETTING)
		put_setting(q->out, &a);
	else
		put_decision(q->out, &a);
	json_object_end(q->out);
	return json_finish(q->out, ret_n);
}

const char *query_too_long(struct query *q, size_t *ret_n)
{
	char text[80];

	begin(q, NULL, 0);
	(void)snprintf(text, sizeof(text), "the line has more than %d bytes",
		       QUERY_MAX_LINE);
	json_cstr(q->out, "error", text);
	json_object_end(q->out);
	return json_finish(q->out, ret_n);
}

int query_init(struct query *q, struct bundle *b, uint8_t scope, struct rt_err *err)
{
	int r;

	memset(q, 0, sizeof(*q));
	q->b = b;
	q->scope = scope;
	query_where_init(&q->where);
	q->reader = query_reader_new();
	q->out = calloc(1, sizeof(*q->out));
	if (q->out) {
		json_init(q->out);
		q->out->one_line = true;
	}
	r = q->reader && q->out ? query_settings_init(&q->settings, b, err)
				: rt_fail(err, ENOMEM, "out of memory");
	if (r < 0)
		query_release(q);
	return r;
}

void query_release(struct query *q)
{
	query_block_release(&q->block);
	query_reader_free(q->reader);
	query_settings_release(&q->settings);
	if (q->out)
		json_release(q->out);
	free(q->out);
	memset(q, 0, sizeof(*q));
}
