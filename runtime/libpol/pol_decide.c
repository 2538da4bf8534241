/*
 * Decides what a valid request is, and which function of the decision library answers it.
 * This is the one way by which polrun, polquery, polc and other programs ask. Allocates
 * nothing.
 */
#include <errno.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sysname.h"
#include "runtime/decide/rule_text.h"
#include "runtime/libpol/pol_own.h"

/* The values in pol.h never change; they must equal those of the format. */
_Static_assert((int)POL_SANDBOX == (int)PB_SANDBOX && (int)POL_HOST == (int)PB_HOST &&
		       (int)POL_READ == (int)PB_READ && (int)POL_WRITE == (int)PB_WRITE &&
		       (int)POL_EXEC == (int)PB_EXEC && (int)POL_ALLOW == (int)PB_ALLOW &&
		       (int)POL_ASK == (int)PB_ASK && (int)POL_DENY == (int)PB_DENY,
	       "one meaning for each number");

struct asked {
	struct pol_ctx *c;
	const struct pol_request *q;
	struct decide_ctx ctx;
	struct rt_err *err;
};

static int bad(const struct asked *a, const char *text)
{
	return rt_fail(a->err, EINVAL, "%s", text);
}

/* --- what every request has -------------------------------------------------------- */

int pol_check_role(const struct bundle *b, const char *role, struct rt_err *err)
{
	struct pb_str has = b->rules->role;
	const char *name = pb_strp(b->rules, has);
	char is[80];

	if (!role || (strlen(role) == has.len && memcmp(role, name, has.len) == 0))
		return 0;
	io_escape(is, sizeof(is), name, has.len);
	return rt_fail(err, EINVAL, "'role': the bundle was compiled for %s%s%s",
		       has.len ? "the role '" : "no role", is, has.len ? "'" : "");
}

static int check_head(struct asked *a)
{
	const struct pol_request *q = a->q;

	if (q->flags & ~(uint32_t)(POL_ABSTRACT | POL_NO_ROOT))
		return bad(a, "'flags': one of them has no meaning");
	if (q->unused)
		return bad(a, "'unused' is not 0");
	if (q->scope != POL_HOST && q->scope != POL_SANDBOX)
		return bad(a, "'scope' is neither POL_HOST nor POL_SANDBOX");
	a->ctx.scope = (uint8_t)q->scope;
	return pol_check_role(a->c->b, q->role, a->err);
}

/* --- where ------------------------------------------------------------------------- */

static int take_root(struct asked *a, unsigned root, const char *name, const char *path,
		     bool optional)
{
	if (!path && !optional && !(a->q->flags & POL_NO_ROOT))
		return rt_fail(a->err, EINVAL, "'%s' is missing", name);
	if (path && !place_is_plain(path))
		return rt_fail(a->err, EINVAL,
			       "'%s': must be an absolute path without '.', '..', '//' and "
			       "a last '/'",
			       name);
	a->ctx.roots.dir[root] = path;
	return 0;
}

static int take_roots(struct asked *a)
{
	const struct pol_request *q = a->q;
	int r;

	a->ctx.roots.dir[PB_ROOT_FS] = "/";
	r = take_root(a, PB_ROOT_HOME, "home", q->home, false);
	if (r == 0)
		r = take_root(a, PB_ROOT_PROJECT, "project", q->project, false);
	if (r == 0)
		r = take_root(a, PB_ROOT_TMP, "tmpdir", q->tmpdir, false);
	if (r == 0)
		r = take_root(a, PB_ROOT_SESSION, "session_dir", q->session_dir, true);
	if (r == 0)
		r = take_root(a, PB_ROOT_AGENT, "ssh_auth_sock", q->ssh_auth_sock, true);
	if (r == 0)
		r = take_root(a, PB_ROOT_GIT, "git_common_dir", q->git_common_dir, true);
	return r;
}

/* --- one function a kind ------------------------------------------------------------- */

/* A line that is longer than the room cannot be judged. */
static int check_room(struct asked *a, size_t n)
{
	if (n < SIZE_MAX / 4096 && decide_block_size(&a->ctx, n) <= a->c->size)
		return 0;
	return rt_fail(a->err, E2BIG, "the line is longer than the context has room for");
}

static int start_command(struct asked *a, size_t n)
{
	int r;

	if (a->q->cwd && !place_is_plain(a->q->cwd))
		return bad(a, "'cwd': must be an absolute path without '.', '..', '//' and a "
			      "last '/'");
	a->ctx.cwd = a->q->cwd;
	if (a->ctx.scope == PB_HOST) {
		a->ctx.look = a->c->look;
		a->ctx.links = a->c->links;
		a->ctx.kept = a->c->kept;
	}
	r = take_roots(a);
	return r == 0 ? check_room(a, n) : r;
}

static int ask_line(struct asked *a)
{
	const struct pol_request *q = a->q;
	struct pol_ctx *c = a->c;
	int r;

	if (!q->line)
		return bad(a, "'line' is missing");
	r = start_command(a, q->line_n);
	if (r < 0)
		return r;
	decide_line(&a->ctx, q->line, q->line_n, c->block, c->size, &c->parts, &c->d);
	c->text = q->line;
	c->text_n = q->line_n;
	return 0;
}

static int ask_argv(struct asked *a)
{
	const struct pol_request *q = a->q;
	struct pol_ctx *c = a->c;
	size_t n = 0, i;
	int r;

	if (!q->argv || !q->argc)
		return bad(a, "'argv' is empty: a command has a program");
	for (i = 0; i < q->argc; i++) {
		if (!q->argv[i])
			return bad(a, "'argv': a word is NULL");
		n += strlen(q->argv[i]) + 1;
	}
	r = start_command(a, n);
	if (r < 0)
		return r;
	decide_words(&a->ctx, q->argv, q->argc, c->block, c->size, &c->parts, &c->d);
	return 0;
}

static int ask_path(struct asked *a)
{
	const struct pol_request *q = a->q;
	bool abstract = q->kind == POL_UNIX && (q->flags & POL_ABSTRACT);
	int r = take_roots(a);

	if (r < 0)
		return r;
	if (!q->path || (abstract && !q->path[0]))
		return bad(a, "'path' is missing");
	if (q->kind == POL_UNIX) {
		decide_unix(&a->ctx, q->path, abstract, &a->c->d);
		return 0;
	}
	if (q->op != POL_READ && q->op != POL_WRITE && q->op != POL_EXEC)
		return bad(a, "'op' is none of POL_READ, POL_WRITE, POL_EXEC");
	decide_file(&a->ctx, (uint8_t)q->op, q->path, &a->c->d);
	return 0;
}

/* The names are the caller's, and may be gone when somebody asks for the hint. */
static void keep_target(struct pol_ctx *c, const struct pol_request *q, const uint8_t *addr)
{
	size_t n = addr ? 0 : strlen(q->host);

	c->to.is_addr = addr;
	c->to.udp = q->proto == POL_UDP;
	c->to.port = (uint16_t)q->port;
	if (addr)
		(void)host_text(addr, c->to.host);
	else if (n < sizeof(c->to.host))
		memcpy(c->to.host, q->host, n + 1);
}

static int ask_net(struct asked *a)
{
	const struct pol_request *q = a->q;
	uint8_t addr[16];
	bool udp = q->proto == POL_UDP, is_addr = true;

	if (q->proto != POL_TCP && q->proto != POL_UDP)
		return bad(a, "'proto' is neither POL_TCP nor POL_UDP");
	if (q->port > 65535)
		return bad(a, "'port' is none");
	if (q->addr)
		memcpy(addr, q->addr, sizeof(addr));
	else if (!q->host)
		return bad(a, "'host' is missing");
	else
		is_addr = host_address(q->host, addr);
	if (!is_addr && !host_is_name(q->host))
		return bad(a, "'host' is neither an address nor a host name in its ASCII "
			      "form");
	keep_target(a->c, q, is_addr ? addr : NULL);
	if (!decide_net_known(&a->ctx))
		return rt_fail(a->err, ENOTSUP,
			       "'scope': some rule of this network is not for every scope, "
			       "and the bundle has them for 'sandbox' only");
	if (is_addr)
		decide_net(&a->ctx, udp, addr, (uint16_t)q->port, &a->c->d);
	else
		decide_net_name(&a->ctx, udp, q->host, strlen(q->host), (uint16_t)q->port,
				&a->c->d);
	return 0;
}

static int ask_syscall(struct asked *a)
{
	const struct pol_request *q = a->q;
	uint32_t nr = q->nr;

	if (a->ctx.scope != PB_SANDBOX)
		return rt_fail(a->err, ENOTSUP,
			       "'scope': system calls are decided for the scope 'sandbox' "
			       "only");
	if (q->name) {
		int known = sysname_number(q->name);

		if (known < 0)
			return bad(a, "'name': no system call of x86_64 is named so");
		nr = (uint32_t)known;
	}
	return decide_syscall(a->c->b, nr, q->args, &a->c->d, a->err);
}

static int ask_tool(struct asked *a)
{
	if (!a->q->name)
		return bad(a, "'name' is missing");
	decide_tool(&a->ctx, a->q->name, &a->c->d);
	return 0;
}

static int ask(struct asked *a)
{
	switch ((enum pol_kind)a->q->kind) {
	case POL_COMMAND:
		return ask_line(a);
	case POL_ARGV:
		return ask_argv(a);
	case POL_FILE:
	case POL_UNIX:
		return ask_path(a);
	case POL_NET:
		return ask_net(a);
	case POL_SYSCALL:
		return ask_syscall(a);
	case POL_TOOL:
		return ask_tool(a);
	default:
		return bad(a, "'kind': it cannot be decided");
	}
}

int pol_ask(struct pol_ctx *c, const struct pol_request *q, struct rt_err *err)
{
	struct asked a = { .c = c, .q = q, .ctx = { .b = c->b }, .err = err };
	int r = check_head(&a);

	c->kind = 0;
	c->parts = (struct cmd_line){ .first = NULL };
	c->text = NULL;
	c->text_n = 0;
	c->project = q->project;
	c->name = q->name;
	c->to.host[0] = '\0';
	if (r == 0)
		r = ask(&a);
	if (r < 0)
		c->d = (struct decision){ .effect = PB_DENY, .rule = UINT32_MAX };
	else
		c->kind = q->kind;
	return r;
}

/* --- for other programs ----------------------------------------------------------------- */

static int32_t effect_of(uint8_t effect)
{
	return effect == PB_ALLOW ? POL_ALLOW : effect == PB_ASK ? POL_ASK : POL_DENY;
}

static bool has_risk(const struct pol_ctx *c)
{
	return c->kind == POL_TOOL ||
	       ((c->kind == POL_COMMAND || c->kind == POL_ARGV) && !c->d.unparsed);
}

/* The automata would answer these, but nobody means them: no rule denies another path,
 * and the caller should be told why. */
static int check_more(const struct pol_request *q, struct rt_err *err)
{
	bool abstract = q->kind == POL_UNIX && (q->flags & POL_ABSTRACT);

	if (q->kind == POL_NET && q->port == 0)
		return rt_fail(err, EINVAL, "'port' is missing");
	if ((q->kind != POL_FILE && q->kind != POL_UNIX) || abstract || !q->path ||
	    (place_is_plain(q->path) && strlen(q->path) < POL_PATH_MAX))
		return 0;
	return rt_fail(err, EINVAL,
		       "'path': must be an absolute path without '.', '..', '//' and a "
		       "last '/'");
}

int pol_decide(struct pol_ctx *c, const struct pol_request *q, struct pol_decision *ret,
	       struct pol_error *err)
{
	struct pol_decision own = { .effect = POL_DENY, .risk = -1, .rule = POL_NO_RULE };
	struct pol_request req;
	struct rt_err why = { 0 };
	int r;

	c->kind = 0;
	r = pol_take(&req, sizeof(req), q, &why);
	if (r == 0)
		r = check_more(&req, &why);
	if (r == 0)
		r = pol_ask(c, &req, &why);
	if (r == 0) {
		own.effect = effect_of(c->d.effect);
		own.risk = has_risk(c) ? c->d.risk : -1;
		own.rule = bundle_rule(c->b, c->d.rule) ? explain_named(c->b, c->d.rule) :
							  POL_NO_RULE;
		own.nmatched = c->d.nmatched;
		own.nparts = c->parts.nparts;
		own.err = c->d.err;
		own.hidden = c->d.effect == PB_HIDE;
		own.needs_person = c->d.needs_person;
		own.unparsed = c->d.unparsed;
		own.past_limit = c->parts.limit;
	}
	pol_give(ret, &own, sizeof(own));
	return r < 0 ? pol_fail(err, r, &why) : 0;
}

uint32_t pol_matched(const struct pol_ctx *c, uint32_t k)
{
	if (!c->kind || k >= c->d.nmatched || k >= DECIDE_MAX_MATCHED)
		return POL_NO_RULE;
	return c->d.matched[k];
}

int pol_part_get(const struct pol_ctx *c, uint32_t k, struct pol_part *ret)
{
	const struct cmd_part *p = c->kind ? c->parts.first : NULL;
	struct pol_part own;

	while (p && k--)
		p = p->next;
	if (!p)
		return -ENOENT;
	own = (struct pol_part){ .kind = explain_part_kind(p),
				 .why = explain_part(p),
				 .rule = explain_named(c->b, p->rule),
				 .effect = effect_of(p->effect),
				 .risk = p->kind == CMD_COMMAND ? p->risk : -1 };
	if (c->text && p->from <= p->to && p->to <= c->text_n) {
		own.text = c->text + p->from;
		own.text_n = p->to - p->from;
	}
	pol_give(ret, &own, sizeof(own));
	return 0;
}
