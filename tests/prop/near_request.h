/*
 * Requests that stand at the edge of a policy's own rules: a member of a
 * pattern, a neighbour of one, something below it, the numbers beside the
 * numbers of a condition.
 */
#ifndef TESTS_PROP_NEAR_REQUEST_H
#define TESTS_PROP_NEAR_REQUEST_H

#include "compiler/target/target.h"
#include "tests/prop/random_net.h"

static inline struct str near_glob(struct rnd *r, const struct ir_glob *g, bool path)
{
	static const char *const ones[] = { "a", "b", "!", "x" };
	static const char *const stars[] = { "", "a", "ab", "x", "!" };
	static const char *const deep[] = { "", "a", "a/b", "/x" };
	static const char *const dirs[] = { "", "a/", "b/a/" };
	struct str s = STR("");
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];
		struct str more = STR("");

		switch (it->op) {
		case IR_G_BYTE:
			more = str_printf(r->a, "%c", it->byte);
			break;
		case IR_G_ONE:
			more = str_from(RND_PICK(r, ones));
			break;
		case IR_G_STAR:
			more = str_from(RND_PICK(r, stars));
			break;
		case IR_G_DEEP:
			more = str_from(RND_PICK(r, deep));
			break;
		case IR_G_DIRS:
			more = str_from(RND_PICK(r, dirs));
			break;
		case IR_G_ALT:
			more = near_glob(r, &it->alts[rnd_below(r, (uint32_t)it->nalts)],
					 path);
			break;
		}
		s = str_cat(r->a, s, more);
	}
	return s;
}

static inline void near_command(struct rnd *r, const struct ir_command *c,
				struct ir_request *q)
{
	static const char *const before[] = { "", "", "", "/bin/", "/opt/", "./", "x/" };
	struct str *v = arena_array(r->a, c->nwords + 4, sizeof(*v));
	size_t n = 0, i;

	for (i = 0; i < c->nwords; i++) {
		if (!c->words[i].any_words)
			v[n++] = near_glob(r, &c->words[i].glob, false);
		else if (rnd_one_in(r, 2))
			v[n++] = str_from(RND_PICK(r, rnd_args));
	}
	if (n && c->tail && rnd_one_in(r, 3))
		v[n - 1] = str_cat(r->a, v[n - 1], rnd_one_in(r, 2) ? STR(":b") : STR(":!"));
	if ((c->tail || rnd_one_in(r, 8)) && rnd_one_in(r, 2))
		v[n++] = str_from(RND_PICK(r, rnd_args));
	if (n > 1 && rnd_one_in(r, 8))
		n--;
	if (!n)
		v[n++] = STR("a");
	if (!memchr(v[0].p, '/', v[0].n))
		v[0] = str_cat(r->a, str_from(RND_PICK(r, before)), v[0]);
	q->argv = v;
	q->nargv = n;
	q->unparsed = rnd_one_in(r, 30);
}

static inline void near_path(struct rnd *r, const struct ir_path *p, struct ir_request *q)
{
	struct str dir = q->roots.dir[p->root], s = near_glob(r, &p->glob, true);

	q->abstract = p->abstract;
	if (!p->abstract && dir.p && !str_eqz(dir, "/"))
		s = str_cat(r->a, dir, s);
	if (rnd_one_in(r, 6))
		s = str_cat(r->a, s, STR("b"));
	if (!p->abstract && rnd_one_in(r, 4))
		s = str_cat(r->a, s, STR("/x"));
	if (!p->abstract && rnd_one_in(r, 8))
		while (s.n > 1 && s.p[--s.n] != '/')
			;
	q->path = s.n ? s : STR("/");
}

/* At, below or beside the name of a rule; or one of those that any rule might mean.  Drawn
 * from a stream that is split off: what old seeds ask is otherwise what it was. */
static inline struct str near_name(const struct rnd *r, const struct ir_net *n, struct str old)
{
	static const char *const before[] = { "", "", "x.", "b.", "y.x.", "x" };
	struct rnd own = rnd_split(r, 6);

	if (rnd_one_in(&own, 3))
		return old;
	if ((n->host != IR_HOST_NAME && n->host != IR_HOST_BELOW) || rnd_one_in(&own, 4))
		return str_from(RND_PICK(&own, net_asked));
	return str_cat(own.a, str_from(RND_PICK(&own, before)), n->name);
}

/* The last bits of an address, and the port, one less, equal, one more. */
static inline void near_net(struct rnd *r, const struct ir_net *n, struct ir_request *q)
{
	static const char *const names[] = { "a.example", "b.a.example", "example", "c.example",
					     "xa.example" };
	int i, bit;

	q->proto = rnd_one_in(r, 2) ? IR_TCP : IR_UDP;
	q->port = (uint16_t)(rnd_one_in(r, 2) ? n->port_lo : n->port_hi);
	q->port = (uint16_t)(q->port + rnd_below(r, 3) - 1);
	q->is_addr = n->host == IR_HOST_CIDR || rnd_one_in(r, 6);
	q->host = str_from(RND_PICK(r, names));
	if (n->host == IR_HOST_NAME && rnd_one_in(r, 2))
		q->host = n->name;
	q->host = near_name(r, n, q->host);
	memcpy(q->addr, n->cidr.addr, sizeof(q->addr));
	for (i = n->cidr.bits; i < 128; i++)
		if (rnd_one_in(r, 3))
			q->addr[i / 8] |= (uint8_t)(0x80u >> (i % 8));
	bit = (int)n->cidr.bits - 1;
	if (bit >= 0 && rnd_one_in(r, 6))
		q->addr[bit / 8] ^= (uint8_t)(0x80u >> (bit % 8));
}

static inline void near_cond(struct rnd *r, const struct ir_cond *c, uint64_t args[6])
{
	static const uint64_t masks[] = { 0, 0xffffffff00000000u, 0x100000000u, 0xf00000000u };
	uint64_t v;

	if (!c)
		return;
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT) {
		near_cond(r, c->a, args);
		if (c->op != IR_C_NOT && rnd_one_in(r, 2))
			near_cond(r, c->b, args);
		return;
	}
	if (c->op != IR_C_CMP)
		return;
	v = c->value + rnd_below(r, 3) - 1;
	if (rnd_one_in(r, 2))
		v = c->value;
	if (c->mask != UINT64_MAX && c->mask != UINT32_MAX && rnd_one_in(r, 2))
		v |= rnd_one_in(r, 2) ? c->mask : c->mask & -c->mask;
	args[c->arg] = v | RND_PICK(r, masks);
}

static inline void near_call(struct rnd *r, const struct ir_syscall *s, struct ir_request *q)
{
	size_t i;

	q->nr = s->nr;
	q->nr_known = true;
	for (i = 0; i < 6; i++)
		q->args[i] = rnd_below(r, 12);
	near_cond(r, s->cond, q->args);
}

static inline void near_set(struct rnd *r, enum ir_kind kind, const struct ir_set *set,
			    struct ir_request *q)
{
	q->kind = kind;
	switch (kind) {
	case IR_COMMAND:
		near_command(r, &set->u.command, q);
		break;
	case IR_FILE:
		near_path(r, &set->u.file.path, q);
		q->op = (enum ir_op)(1u << rnd_below(r, 3));
		if ((set->u.file.ops & (set->u.file.ops - 1)) == 0 && !rnd_one_in(r, 6))
			q->op = (enum ir_op)set->u.file.ops;
		break;
	case IR_UNIX:
		near_path(r, &set->u.unix_path, q);
		break;
	case IR_NET:
		near_net(r, &set->u.net, q);
		break;
	case IR_SYSCALL:
		near_call(r, &set->u.syscall, q);
		break;
	case IR_TOOL:
	case IR_KIND_COUNT:
		break;
	}
}

/* A request of no rule in particular. */
static inline struct ir_request near_nothing(struct rnd *r)
{
	struct ir_request q = rnd_request(r);

	q.nr = rnd_below(r, 470);
	q.nr_known = target_call_by_nr(q.nr) != NULL;
	if (q.kind == IR_UNIX || q.kind == IR_FILE)
		return q;
	if (rnd_one_in(r, 4))
		q.kind = rnd_one_in(r, 2) ? IR_SYSCALL : IR_TOOL;
	return q;
}

static inline void near_rule(struct rnd *r, const struct ir_rule *rule, struct ir_request *q)
{
	const struct ir_set *set = &rule->set;

	if (rule->nexcept && rnd_one_in(r, 3))
		set = &rule->except[rnd_below(r, (uint32_t)rule->nexcept)];
	near_set(r, rule->kind, set, q);
}

/* What lies in a mount's tree, by the name that the place gives it. */
static inline void near_place(struct rnd *r, const struct ir *ir, struct ir_request *q)
{
	for (size_t i = 0; i < ir->mounts.n; i++) {
		const struct ir_path *tree = ir_mount_tree(ir, &ir->mounts.v[i]);
		struct str dir = q->roots.dir[tree->root];
		struct buf b;

		if ((q->kind != IR_FILE && (q->kind != IR_UNIX || q->abstract)) || !dir.p ||
		    rnd_one_in(r, 2))
			continue;
		buf_init(&b, r->a);
		if (dir.n > 1)
			buf_str(&b, dir);
		for (size_t k = 0; k < tree->glob.n; k++)
			buf_ch(&b, (char)tree->glob.v[k].byte);
		dir = buf_view(&b);
		if (str_starts(q->path, dir) &&
		    (q->path.n == dir.n || q->path.p[dir.n] == '/'))
			q->path = str_cat(r->a, ir->mounts.v[i].place,
					  str_sub(q->path, dir.n, q->path.n - dir.n));
	}
}

static inline struct ir_request near_request(struct rnd *r, const struct ir *ir)
{
	struct ir_request q = near_nothing(r);

	if (!ir->rules.n || rnd_one_in(r, 5))
		return q;
	if (ir->risks.n && rnd_one_in(r, 10)) {
		const struct ir_risk_fact *f =
			&ir->risks.v[rnd_below(r, (uint32_t)ir->risks.n)];

		near_set(r, f->kind, &f->set, &q);
	} else {
		near_rule(r, ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)], &q);
	}
	near_place(r, ir, &q);
	return q;
}

/* Half of them at the edge of a rule of this file, from this line on. */
static inline struct ir_request near_file(struct rnd *r, const struct ir *ir,
					  const char *file, uint32_t line)
{
	struct ir_request q = near_request(r, ir);
	const struct ir_rule *rule = NULL;
	uint32_t n = 0;
	size_t i;

	if (rnd_one_in(r, 2))
		return q;
	for (i = 0; i < ir->rules.n; i++)
		if (str_eqz(ir->rules.v[i]->at.file, file) &&
		    ir->rules.v[i]->at.line >= line && rnd_below(r, ++n) == 0)
			rule = ir->rules.v[i];
	if (rule)
		near_rule(r, rule, &q);
	return q;
}

#endif
