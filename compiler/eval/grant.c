/* Collects from the rules that let a connection pass what they say about it. */
#include "compiler/eval/grant.h"

#include <inttypes.h>

#include "compiler/eval/levels.h"
#include "compiler/ir/words.h"
#include "runtime/base/address_guard.h"

static bool lets_pass(const struct ir *ir, const struct eval_decision *d,
		      const struct ir_rule *r)
{
	if (r->effect > IR_ASK || r->soft)
		return false;
	/* an allow of level 5 counts in step 4 alone */
	if (r->level == IR_DEFAULT)
		return !ir->locked[IR_NET].level && d->rule && d->rule->level == IR_DEFAULT;
	return eval_is_taken(ir, d, r);
}

/* Fills in what is still unsaid. */
static void take(struct eval_grant *ret, const struct ir_rule *r)
{
	const struct ir_grant *from = &r->set.u.net.grant;
	struct ir_grant *to = &ret->more;

	if (!to->via.n) {
		to->via = from->via;
		to->via_secret = from->via_secret;
	}
	if (!to->header.n) {
		to->header = from->header;
		to->prefix = from->prefix;
		to->secret = from->secret;
		to->dial = from->dial;
	}
	if (to->peek == IR_PEEK_PORT)
		to->peek = from->peek;
	if (!to->bytes && from->bytes) {
		to->bytes = from->bytes;
		ret->bytes_by = r;
	}
	if (!to->connections && from->connections) {
		to->connections = from->connections;
		ret->connections_by = r;
	}
}

void eval_grant(const struct ir *ir, const struct ir_request *req,
		const struct eval_decision *d, struct arena *a, struct eval_grant *ret)
{
	size_t most = 0;

	*ret = (struct eval_grant){ .named = false };
	if (d->effect > IR_ASK)
		return;
	for (size_t i = 0; i < d->nmatched; i++)
		most += d->matched[i]->set.u.net.nwithin;
	ret->within = arena_array(a, most + 1, sizeof(*ret->within));
	ret->blocks = arena_array(a, d->nmatched + 1, sizeof(*ret->blocks));
	for (size_t i = 0; i < d->nmatched; i++) {
		const struct ir_net *n = &d->matched[i]->set.u.net;

		if (!lets_pass(ir, d, d->matched[i]))
			continue;
		take(ret, d->matched[i]);
		for (size_t k = 0; k < n->nwithin; k++)
			ret->within[ret->nwithin++] = &n->within[k];
		if (!req->is_addr || n->host != IR_HOST_CIDR)
			continue;
		ret->blocks[ret->nblocks++] = &n->cidr;
		ret->named = ret->named ||
			     guard_is_named(n->cidr.addr, n->cidr.bits, req->addr);
	}
	if (str_eqz(ret->more.via, "none"))
		ret->more.via = STR("");
}

/*
 * The guarded address that the request names, or NULL: a public one, the run's own loopback, or a
 * name of which nothing is known.
 */
static const uint8_t *guarded_address(const struct ir_request *req)
{
	const uint8_t *addr = req->addr;

	if (!req->is_addr)
		addr = req->scope == IR_SANDBOX ? NULL : guard_name_address(req->host.p, req->host.n);
	return addr && !eval_is_own_loopback(req) && guard_kind(addr) != GUARD_PUBLIC ? addr : NULL;
}

bool eval_is_guarded(const struct ir *ir, const struct ir_request *req,
		     const struct eval_decision *d, struct arena *a)
{
	const uint8_t *addr = guarded_address(req);
	struct eval_grant g;

	if (!addr || req->before_guard || d->effect > IR_ASK ||
	    ir->scalars[IR_S_NET_MODE].num != IR_NET_LIMITED)
		return false;
	eval_grant(ir, req, d, a, &g);
	for (size_t i = 0; i < g.nwithin && !g.named; i++)
		g.named = guard_is_named(g.within[i]->addr, g.within[i]->bits, addr);
	return !g.named;
}

/* --- words --------------------------------------------------------------------- */

static void put(struct buf *b, const char *word, struct str s)
{
	if (s.n)
		buf_printf(b, "%s%s %.*s", b->n ? " " : "", word, STR_ARG(s));
}

static void put_number(struct buf *b, const char *word, uint64_t n)
{
	if (n)
		buf_printf(b, "%s%s %" PRIu64, b->n ? " " : "", word, n);
}

struct str eval_grant_words(struct arena *a, const struct eval_grant *x)
{
	const struct ir_grant *g = &x->more;
	struct buf b;

	buf_init(&b, a);
	if (g->peek)
		put(&b, "peek", str_from(ir_word(&ir_words_peek, g->peek)));
	put(&b, "via", g->via);
	put(&b, "user from secret", g->via_secret);
	put(&b, "inject header", g->header);
	if (g->prefix.n)
		buf_printf(&b, " \"%.*s\"", STR_ARG(g->prefix));
	put(&b, "from secret", g->secret);
	put_number(&b, "port", g->dial);
	put_number(&b, "connections", g->connections);
	put_number(&b, "bytes", g->bytes);
	put_number(&b, "ranges of within:", x->nwithin);
	if (x->named)
		put(&b, "without", STR("the guard"));
	return b.n ? str_dup(a, buf_view(&b)) : STR("");
}
