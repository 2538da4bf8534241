/*
 * Decides whether a set of the IR contains a request: paths under their roots, hosts
 * and ports, conditions over arguments, names of tools (semantics 5, 6).  A request
 * that does not have the form that the set needs is not in the set.
 */
#include <assert.h>

#include "compiler/eval/match.h"

#include "compiler/eval/match_glob.h"

/* --- paths ----------------------------------------------------------------- */

/* Sets *ret_rest to what follows `dir` in `path`; false if `path` is not below `dir`. */
static bool rest_under(struct str dir, struct str path, struct str *ret_rest)
{
	if (!dir.p || !path.n || path.p[0] != '/')
		return false;
	if (str_eqz(dir, "/")) {
		*ret_rest = path.n == 1 ? str_sub(path, 1, 0) : path;
		return true;
	}
	if (!str_starts(path, dir))
		return false;
	if (path.n > dir.n && path.p[dir.n] != '/')
		return false;
	*ret_rest = str_sub(path, dir.n, path.n - dir.n);
	return true;
}

bool eval_match_path(const struct ir_path *p, const struct ir_request *req, struct str path)
{
	struct str rest;

	if (!rest_under(req->roots.dir[p->root], path, &rest))
		return false;
	return eval_match_glob(&p->glob, rest, EVAL_B_PATH,
			     p->below ? EVAL_U_BELOW : EVAL_U_END);
}

static enum eval_bytes word_bytes(enum eval_side side)
{
	return side == EVAL_BROAD ? EVAL_B_ANY : EVAL_B_PLAIN;
}

static bool match_unix(const struct ir_path *p, const struct ir_request *req,
		       enum eval_side side)
{
	if (p->abstract != req->abstract)
		return false;
	if (p->abstract)
		return eval_match_glob(&p->glob, req->path, word_bytes(side), EVAL_U_END);
	return eval_match_path(p, req, req->path);
}

/* --- network ---------------------------------------------------------------------- */

static bool match_cidr(const struct num_cidr *c, const uint8_t addr[16])
{
	unsigned bit;

	for (bit = 0; bit < c->bits; bit++) {
		unsigned mask = 0x80u >> (bit % 8);

		if ((c->addr[bit / 8] & mask) != (addr[bit / 8] & mask))
			return false;
	}
	return true;
}

static bool match_host(const struct ir_net *n, const struct ir_request *req)
{
	switch (n->host) {
	case IR_HOST_ANY:
		return true;
	case IR_HOST_NAME:
		return !req->is_addr && str_eq(n->name, req->host);
	case IR_HOST_BELOW:
		return !req->is_addr && req->host.n > n->name.n + 1 &&
		       str_ends(req->host, n->name) &&
		       req->host.p[req->host.n - n->name.n - 1] == '.';
	case IR_HOST_CIDR:
		return req->is_addr && match_cidr(&n->cidr, req->addr);
	}
	return false;
}

static bool match_net(const struct ir_net *n, const struct ir_request *req)
{
	return (n->protos & (unsigned)req->proto) && req->port >= n->port_lo &&
	       req->port <= n->port_hi && match_host(n, req);
}

/* --- system calls --------------------------------------------------------------------- */

static bool compare(const struct ir_cond *c, const uint64_t args[6])
{
	uint64_t width = c->width == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t x = args[c->arg] & c->mask & width;

	switch (c->cmp) {
	case IR_EQ:
		return x == c->value;
	case IR_NE:
		return x != c->value;
	case IR_LT:
		return x < c->value;
	case IR_LE:
		return x <= c->value;
	case IR_GT:
		return x > c->value;
	case IR_GE:
		return x >= c->value;
	}
	return false;
}

static bool holds(const struct ir_cond *c, const uint64_t args[6])
{
	switch (c->op) {
	case IR_C_TRUE:
		return true;
	case IR_C_FALSE:
		return false;
	case IR_C_AND:
		return holds(c->a, args) && holds(c->b, args);
	case IR_C_OR:
		return holds(c->a, args) || holds(c->b, args);
	case IR_C_NOT:
		return !holds(c->a, args);
	case IR_C_CMP:
		return compare(c, args);
	}
	return false;
}

static bool match_syscall(const struct ir_syscall *s, const struct ir_request *req)
{
	return req->nr_known && s->nr == req->nr &&
	       (!s->cond || holds(s->cond, req->args));
}

bool eval_match_set(enum ir_kind kind, const struct ir_set *set,
		  const struct ir_request *req, enum eval_side side)
{
	assert(kind != IR_COMMAND);
	switch (kind) {
	case IR_FILE:
		return (set->u.file.ops & (unsigned)req->op) &&
		       eval_match_path(&set->u.file.path, req, req->path);
	case IR_NET:
		return match_net(&set->u.net, req);
	case IR_UNIX:
		return match_unix(&set->u.unix_path, req, side);
	case IR_SYSCALL:
		return match_syscall(&set->u.syscall, req);
	case IR_TOOL:
		return eval_match_glob(&set->u.tool.glob, req->tool,
				     word_bytes(side), EVAL_U_END);
	case IR_COMMAND:
	case IR_KIND_COUNT:
		break;
	}
	return false;
}
