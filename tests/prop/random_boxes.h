/*
 * Random texts of boxes: rules of the network over blocks of addresses, a few names and
 * ports, and rules of system calls over comparisons and masks of two arguments.
 */
#ifndef TESTS_PROP_RANDOM_BOXES_H
#define TESTS_PROP_RANDOM_BOXES_H

#include "tests/prop/laws.h"

static inline const char *box_block(struct rnd *r)
{
	uint8_t lead = RND_PICK(r, ((const uint8_t[]){ 10, 10, 10, 127, 192 }));
	uint32_t bits = rnd_one_in(r, 3) ? rnd_below(r, 33) : 8 * rnd_below(r, 5), addr;

	if (rnd_one_in(r, 4)) {
		static const char *const v6[] = {
			"2001:db8::/32", "2001:db8::/33", "2001:db8:8000::/33",
			"::/0",          "::1",           "2001:db8::7"
		};
		return RND_PICK(r, v6);
	}
	addr = (uint32_t)lead << 24 | rnd_below(r, 3) << 22 | rnd_below(r, 3) << 9 |
	       rnd_below(r, 4);
	addr &= bits ? ~(uint32_t)0 << (32 - bits) : 0;
	return arena_printf(r->a, "%u.%u.%u.%u/%u", addr >> 24, addr >> 16 & 255,
			    addr >> 8 & 255, addr & 255, bits);
}

static inline const char *box_host(struct rnd *r)
{
	static const char *const names[] = { "\"a.x\"", "\"*.x\"", "\"b.a.x\"", "\"y\"",
					     "\"*.a.x\"" };

	return rnd_one_in(r, 2) ? box_block(r) : RND_PICK(r, names);
}

static inline const char *box_net(struct rnd *r)
{
	static const char *const protos[] = { "tcp ", "udp ", "" };
	const char *host = rnd_one_in(r, 6) ? "any" : box_host(r), *port = "";
	uint32_t lo = rnd_one_in(r, 2) ? 1 + rnd_below(r, 5) : 1 + rnd_below(r, 65535);
	uint32_t hi = rnd_one_in(r, 3) ? 65535 : lo + rnd_below(r, 3);

	if (rnd_one_in(r, 2))
		port = hi > lo && hi <= 65535
			       ? arena_printf(r->a, " port %u-%u", lo, hi)
			       : arena_printf(r->a, " port %u", lo);
	return arena_printf(r->a, "%s%s%s", RND_PICK(r, protos), host, port);
}

static inline const char *box_comparison(struct rnd *r, const char *arg)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	static const uint32_t masks[] = { 1, 3, 6, 12, 0x80000000, 0xff00, 5 };

	if (rnd_one_in(r, 3)) {
		uint32_t m = RND_PICK(r, masks);

		return rnd_one_in(r, 2) ? arena_printf(r->a, "%s & %u", arg, m)
					: arena_printf(r->a, "%s & %u == %u", arg, m,
						       m & (m - 1));
	}
	return arena_printf(
		r->a, "%s %s %u", arg, RND_PICK(r, ops),
		1 + (rnd_one_in(r, 4) ? rnd_below(r, 70000) : rnd_below(r, 12)));
}

static inline const char *box_call(struct rnd *r, bool *ret_when)
{
	static const char *const plain[] = { "kill", "dup2", "getpid", "kill(1)",
					     "dup2(*, 3)" };
	bool kill = rnd_one_in(r, 2);
	const char *x, *y;

	*ret_when = !rnd_one_in(r, 4);
	if (!*ret_when)
		return RND_PICK(r, plain);
	x = box_comparison(r, kill ? "pid" : "oldfd");
	y = box_comparison(r, rnd_one_in(r, 3) ? (kill ? "pid" : "oldfd")
			      : kill           ? "sig"
					       : "newfd");
	if (rnd_one_in(r, 2))
		x = arena_printf(r->a, rnd_one_in(r, 2) ? "%s and %s" : "%s or %s", x,
				 y);
	return arena_printf(r->a, "%s when %s", kill ? "kill" : "dup2", x);
}

static inline const char *box_set(struct rnd *r, enum ir_kind kind, bool *ret_when)
{
	*ret_when = false;
	return kind == IR_NET ? box_net(r) : box_call(r, ret_when);
}

static inline const char *box_rule(struct rnd *r, enum ir_kind kind, bool managed)
{
	static const char *const effects[] = { "allow", "ask", "deny", "deny" };
	const char *effect = effects[rnd_below(r, kind == IR_NET ? 4 : 3)];
	const char *except = "", *scope = "", *set, *final = "";
	bool when;

	set = box_set(r, kind, &when);
	if (kind == IR_NET && rnd_one_in(r, 5))
		except = arena_printf(r->a, " except %s", box_host(r));
	if (!when && rnd_one_in(r, 5))
		scope = rnd_one_in(r, 2) ? " when scope == sandbox"
					 : " when scope == host";
	if (managed && strcmp(effect, "ask") != 0 && rnd_one_in(r, 5))
		final = "final ";
	return arena_printf(r->a, "%s%s %s%s%s\n", final, effect, set, except, scope);
}

static inline const char *box_section(enum ir_kind kind)
{
	return kind == IR_NET ? "network" : "syscall";
}

#define BOX_RULES 6

struct box_text {
	const char *head[2], *rule[2][BOX_RULES];
	uint32_t n[2];
};

static inline struct box_text box_texts(struct rnd *r, enum ir_kind kind)
{
	static const char *const otherwise[] = { "", "otherwise allow\n",
						 "otherwise deny\n",
						 "otherwise ask\n" };
	struct box_text t;

	for (int k = 0; k < 2; k++) {
		t.head[k] = arena_printf(r->a, "%s%s%s {\n%s",
					 !k && kind == IR_NET && rnd_one_in(r, 2)
						 ? "network limited\n"
						 : "",
					 !k && rnd_one_in(r, 8) ? "locked " : "",
					 box_section(kind), RND_PICK(r, otherwise));
		t.n[k] = rnd_below(r, BOX_RULES + 1);
		for (uint32_t i = 0; i < t.n[k]; i++)
			t.rule[k][i] = box_rule(r, kind, !k);
	}
	return t;
}

static inline struct pol box_written(struct rnd *r, enum ir_kind kind,
				     const struct box_text *t, bool full)
{
	struct pol p = { .role = NULL };
	struct buf b[2];

	for (int k = 0; k < 2; k++) {
		buf_init(&b[k], r->a);
		buf_z(&b[k], t->head[k]);
		for (uint32_t i = 0; i < t->n[k]; i++)
			buf_z(&b[k], t->rule[k][i]);
		buf_z(&b[k], "}\n");
	}
	p.text[POL_MANAGED] = str_z(r->a, buf_view(&b[0]));
	p.text[POL_PROJECT] = str_z(r->a, buf_view(&b[1]));
	p.text[POL_BASE] =
		kind == IR_NET
			? (full ? "network full\nnetwork { deny 10.0.0.0/8 }\n"
				: "network limited\nnetwork { deny 10.0.0.0/8 }\n")
			: "network limited\nsyscall { deny kill }\n";
	p.text[POL_FLOOR] = "file { }\n";
	return p;
}

/* One rule more, less or other. */
static inline void box_edit(struct rnd *r, enum ir_kind kind, struct box_text *t)
{
	int k = (int)rnd_below(r, 2);
	uint32_t at = rnd_below(r, BOX_RULES);

	if (at < t->n[k] && rnd_one_in(r, 3))
		t->rule[k][at] = t->rule[k][--t->n[k]];
	else if (at < t->n[k])
		t->rule[k][at] = box_rule(r, kind, !k);
	else if (t->n[k] < BOX_RULES)
		t->rule[k][t->n[k]++] = box_rule(r, kind, !k);
}

#endif
