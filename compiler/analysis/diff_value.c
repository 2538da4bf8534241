/*
 * Compares what is not a decision about a request: locks, settings, variables,
 * mounts, roles, days.  If we cannot show that the new value permits less, it counts as
 * widening.
 */
#include "compiler/analysis/diff_value.h"

#include "compiler/analysis/diff_fact.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/ir/value.h"

static void add(struct diff *d, const char *kind, enum diff_change change,
		bool widening, struct diff_said old, struct diff_said new)
{
	struct diff_finding f = { .kind = kind,
				 .change = change,
				 .widening = widening,
				 .side = { old, new } };

	VEC_PUSH(d->a, &d->ret->findings, f);
}

static struct diff_said nothing(void)
{
	return (struct diff_said){ .there = false };
}

static struct diff_said said(struct str id, struct str value, enum ir_level level,
			     struct ir_place at)
{
	return (struct diff_said){
		.there = true, .id = id, .value = value, .level = level, .at = at};
}

/* --- what is there or not ------------------------------------------------ */

/* One list for each policy, with a key that contains everything that matters. */
struct listed {
	struct str key;
	struct diff_said said;
};

struct list {
	VEC(struct listed) v;
};

static void push(struct diff *d, struct list *l, struct str key, struct diff_said s)
{
	struct listed x = { key, s };

	VEC_PUSH(d->a, &l->v, x);
}

static void only_in(struct diff *d, const char *kind, const struct list l[2], int side,
		    bool widening)
{
	struct map other;
	size_t i;

	map_init(&other, d->a);
	for (i = 0; i < l[!side].v.n; i++)
		map_put(&other, l[!side].v.v[i].key, d);
	for (i = 0; i < l[side].v.n; i++) {
		if (map_get(&other, l[side].v.v[i].key))
			continue;
		map_put(&other, l[side].v.v[i].key, d); /* report it once */
		if (side == DIFF_NEW)
			add(d, kind, DIFF_ADDED, widening, nothing(),
			    l[side].v.v[i].said);
		else
			add(d, kind, DIFF_REMOVED, widening, l[side].v.v[i].said,
			    nothing());
	}
}

static void compare_lists(struct diff *d, const char *kind, const struct list l[2],
			  bool added_widens, bool removed_widens)
{
	only_in(d, kind, l, DIFF_OLD, removed_widens);
	only_in(d, kind, l, DIFF_NEW, added_widens);
}

/* Nothing comes between the user's level and the library's. */
static bool is_other_level(enum ir_level x, enum ir_level y)
{
	return x != y && (x < IR_USER || y < IR_USER);
}

/*
 * The same value of another level, as for scalars: a level that is not compared here may
 * override it, or no longer be overridden.
 */
static void compare_list_levels(struct diff *d, const char *kind, const struct list l[2])
{
	struct map old;
	size_t i;

	map_init(&old, d->a);
	for (i = 0; i < l[DIFF_OLD].v.n; i++)
		map_put(&old, l[DIFF_OLD].v.v[i].key, &l[DIFF_OLD].v.v[i]);
	for (i = 0; i < l[DIFF_NEW].v.n; i++) {
		const struct diff_said *n = &l[DIFF_NEW].v.v[i].said;
		const struct listed *o = map_get(&old, l[DIFF_NEW].v.v[i].key);

		if (o && is_other_level(o->said.level, n->level))
			add(d, kind, DIFF_LEVEL, true, o->said, *n);
	}
}

static void compare_env(struct diff *d)
{
	struct list keep[2], set[2], secret[2];
	size_t i;
	int s;

	memset(keep, 0, sizeof(keep));
	memset(set, 0, sizeof(set));
	memset(secret, 0, sizeof(secret));
	for (s = 0; s < 2; s++) {
		const struct ir *ir = d->ir[s];

		for (i = 0; i < ir->keep.n; i++)
			push(d, &keep[s], ir->keep.v[i].name,
			     said(ir->keep.v[i].id,
				  str_printf(d->a, "keep %.*s",
					     STR_ARG(ir->keep.v[i].name)),
				  ir->keep.v[i].level, ir->keep.v[i].at));
		for (i = 0; i < ir->env.n; i++) {
			struct str v = str_printf(d->a, "%.*s = %.*s",
						  STR_ARG(ir->env.v[i].name),
						  STR_ARG(ir->env.v[i].value));

			push(d, &set[s], v,
			     said(ir->env.v[i].id, v, ir->env.v[i].level,
				  ir->env.v[i].at));
		}
		for (i = 0; i < ir->secrets.n; i++) {
			const struct ir_env_secret *e = &ir->secrets.v[i];
			struct str v = str_printf(
				d->a, "secret %.*s from %s %.*s", STR_ARG(e->name),
				e->file ? "file" : "store", STR_ARG(e->from));

			push(d, &secret[s], v, said(e->id, v, e->level, e->at));
		}
	}
	if (DIFF_ON("env-keep"))
		compare_lists(d, "env", keep, true, false);
	if (DIFF_ON("env-set"))
		compare_lists(d, "env", set, true, true);
	if (DIFF_ON("env-secret"))
		compare_lists(d, "env", secret, true, false);
	if (!DIFF_ON("env-levels"))
		return;
	compare_list_levels(d, "env", keep);
	compare_list_levels(d, "env", set);
	compare_list_levels(d, "env", secret);
}

static void compare_mounts(struct diff *d)
{
	struct list l[2];
	size_t i, k;
	int s;

	memset(l, 0, sizeof(l));
	for (s = 0; s < 2; s++) {
		for (i = 0; i < d->ir[s]->mounts.n; i++) {
			const struct ir_mount *m = &d->ir[s]->mounts.v[i];
			const struct ir_path *tree = ir_mount_tree(d->ir[s], m);
			const struct ir_rule *r = d->ir[s]->rules.v[m->rule];
			struct buf b;

			buf_init(&b, d->a);
			buf_z(&b, ir_root_name(tree->root));
			for (k = 0; k < tree->glob.n; k++)
				buf_u8(&b, tree->glob.v[k].byte);
			buf_printf(&b, " at %.*s", STR_ARG(m->place));
			push(d, &l[s], buf_view(&b),
			     said(r->id, buf_view(&b), r->level, r->at));
		}
	}
	compare_lists(d, "mount", l, true, true);
}

/*
 * One more range that is published widens, and so does one that is denied no more: -P publishes it
 * then.
 */
static void compare_publish(struct diff *d)
{
	struct list l[2][2];

	memset(l, 0, sizeof(l));
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < d->ir[s]->publish.n; i++) {
			const struct ir_publish *p = &d->ir[s]->publish.v[i];
			const char *no = p->deny ? "deny " : "";
			struct str v = p->lo == p->hi ?
					       str_printf(d->a, "%stcp port %u", no, p->lo) :
					       str_printf(d->a, "%stcp port %u-%u", no, p->lo, p->hi);

			push(d, &l[p->deny][s], v, said(p->id, v, p->level, p->at));
		}
	compare_lists(d, "publish", l[false], true, false);
	compare_lists(d, "publish", l[true], false, true);
	compare_list_levels(d, "publish", l[false]);
	compare_list_levels(d, "publish", l[true]);
}

static void compare_roles(struct diff *d)
{
	const struct ir *o = d->ir[DIFF_OLD], *n = d->ir[DIFF_NEW];
	struct ir_place nowhere = { .span = SPAN_NONE };
	struct list l[2];
	size_t i;
	int s;

	memset(l, 0, sizeof(l));
	for (s = 0; s < 2; s++)
		for (i = 0; i < d->ir[s]->roles.n; i++)
			push(d, &l[s], d->ir[s]->roles.v[i].name,
			     said(STR("role"), d->ir[s]->roles.v[i].name,
				  (enum ir_level)0, d->ir[s]->roles.v[i].at));
	compare_lists(d, "role", l, true, false);
	if (!str_eq(o->role, n->role))
		add(d, "role", DIFF_CHANGED, true,
		    said(STR("chosen"), o->role, (enum ir_level)0, nowhere),
		    said(STR("chosen"), n->role, (enum ir_level)0, nowhere));
}

/* --- assertions ---------------------------------------------------------- */

/* A bound as the rule that would enforce it, apart from its effect. */
static struct str bound_key(struct diff *d, const struct ir_bound *b)
{
	struct ir_rule r = { .kind = b->kind, .scopes = b->scopes, .set = b->set,
			     .except = b->except, .nexcept = b->nexcept };

	return str_printf(d->a, "%d %.*s", (int)b->kind, STR_ARG(diff_rule_key(d->a, &r)));
}

/* The strictest assertion of each policy about one set. */
struct bounded {
	const struct ir_assertion *by[2];
};

static void note_bounds(struct diff *d, struct map *all, int side)
{
	const struct ir *ir = d->ir[side];
	size_t i, k;

	for (i = 0; i < ir->assertions.n; i++)
		for (k = 0; k < ir->assertions.v[i].nbounds; k++) {
			const struct ir_assertion *s = &ir->assertions.v[i];
			struct str key = bound_key(d, &s->bounds[k]);
			struct bounded *b = map_get(all, key);

			if (!b) {
				b = ARENA_NEW(d->a, struct bounded);
				map_put(all, key, b);
			}
			if (!b->by[side] || b->by[side]->least < s->least)
				b->by[side] = s;
		}
}

static struct diff_said said_assertion(const struct ir_assertion *s)
{
	return s ? said(s->id, s->text, s->level, s->at) : nothing();
}

/*
 * An assertion decides nothing: without it nothing more is permitted, but nobody learns
 * any more when something is.  Each statement is reported once.
 */
static void compare_assertions(struct diff *d)
{
	struct map all, told;
	size_t i;
	int s;

	map_init(&all, d->a);
	map_init(&told, d->a);
	for (s = 0; s < 2; s++)
		note_bounds(d, &all, s);
	for (i = 0; i < all.n; i++) {
		const struct bounded *b = all.e[i].value;
		const struct ir_assertion *o = b->by[DIFF_OLD], *n = b->by[DIFF_NEW];
		enum diff_change change = !n ? DIFF_REMOVED : !o ? DIFF_ADDED :
					  n->least < o->least ? DIFF_LOOSER : DIFF_TIGHTER;
		struct str key = str_printf(d->a, "%d %p %p", (int)change, (const void *)o,
					    (const void *)n);

		if ((o && n && o->least == n->least) || map_get(&told, key))
			continue;
		map_put(&told, key, d);
		add(d, "assertion", change, false, said_assertion(o), said_assertion(n));
	}
}

/* --- settings ------------------------------------------------------------ */

static bool is_in(const struct ir_value *v, const struct ir_value *list)
{
	size_t i;

	for (i = 0; i < list->nitems; i++)
		if (ir_value_equal(v, &list->items[i]))
			return true;
	return false;
}

/* A setting with a known order: fewer roles are allowed. */
static bool is_tighter(const struct ir_setting *o, const struct ir_setting *n)
{
	size_t i;

	if (n->part != IR_P_SETTING || !str_eqz(n->key, "agents.allowedRoles") ||
	    n->value.type != IR_V_LIST)
		return false;
	if (!o)
		return true;
	for (i = 0; i < n->value.nitems; i++)
		if (o->value.type != IR_V_LIST || !is_in(&n->value.items[i], &o->value))
			return false;
	return true;
}

static struct diff_said said_setting(const struct ir_setting *s)
{
	return (struct diff_said){ .there = true,
				  .setting = s,
				  .id = s->id,
				  .text = s->source,
				  .level = s->level,
				  .at = s->at};
}

static void compare_setting(struct diff *d, const struct ir_setting *o,
			    const struct ir_setting *n)
{
	const char *kind = ir_part_name(n->part);

	if (DIFF_ON("setting-values") && !ir_value_equal(&o->value, &n->value)) {
		bool tighter = is_tighter(o, n);

		add(d, kind, tighter ? DIFF_TIGHTER : DIFF_CHANGED, !tighter,
		    said_setting(o), said_setting(n));
	}
	if (DIFF_ON("setting-levels") && ir_value_equal(&o->value, &n->value) &&
	    is_other_level(o->level, n->level))
		add(d, kind, DIFF_LEVEL, true, said_setting(o), said_setting(n));
	if (!DIFF_ON("setting-locks"))
		return;
	if (o->locked && (!n->locked || n->level > o->level))
		add(d, kind, DIFF_LOCK_LOST, true, said_setting(o), said_setting(n));
	else if (n->locked && (!o->locked || n->level < o->level))
		add(d, kind, DIFF_LOCK_ADDED, false, said_setting(o), said_setting(n));
}

static void compare_settings(struct diff *d)
{
	const struct ir *o = d->ir[DIFF_OLD], *n = d->ir[DIFF_NEW];
	const struct ir_setting *other;
	size_t i;

	for (i = 0; i < o->settings.n; i++) {
		const struct ir_setting *s = &o->settings.v[i];

		other = ir_setting_find(n, s->part, s->key);
		if (other)
			compare_setting(d, s, other);
		else
			add(d, ir_part_name(s->part), DIFF_REMOVED, true,
			    said_setting(s), nothing());
	}
	for (i = 0; i < n->settings.n; i++) {
		const struct ir_setting *s = &n->settings.v[i];

		if (!ir_setting_find(o, s->part, s->key))
			add(d, ir_part_name(s->part), DIFF_ADDED, !is_tighter(NULL, s),
			    nothing(), said_setting(s));
	}
}

/* --- locks, days --------------------------------------------------------- */

static struct diff_said said_lock(const char *section, const struct ir_lock *l)
{
	if (!l->level)
		return nothing();
	return said(str_from(section), STR("locked"), l->level, l->at);
}

static void compare_locks(struct diff *d)
{
	int i;

	for (i = 0; i < IR_KIND_COUNT; i++) {
		const struct ir_lock *o = &d->ir[DIFF_OLD]->locked[i];
		const struct ir_lock *n = &d->ir[DIFF_NEW]->locked[i];
		bool lost = o->level && (!n->level || n->level > o->level);
		const char *kind = ir_kind_name((enum ir_kind)i);

		if (o->level != n->level)
			add(d, kind, lost ? DIFF_LOCK_LOST : DIFF_LOCK_ADDED, lost,
			    said_lock(kind, o), said_lock(kind, n));
	}
}

static const struct ir_env_lock *env_lock(const struct ir *ir, const struct ir_env_lock *k)
{
	size_t i;

	for (i = 0; i < ir->env_locks.n; i++)
		if (ir->env_locks.v[i].keep == k->keep &&
		    str_eq(ir->env_locks.v[i].name, k->name))
			return &ir->env_locks.v[i];
	return NULL;
}

static struct diff_said said_env_lock(struct diff *d, const struct ir_env_lock *k)
{
	struct str value = STR("locked keep");

	if (!k)
		return nothing();
	if (!k->keep)
		value = str_cat(d->a, STR("locked "), k->name);
	return said(k->id, value, k->level, k->at);
}

/* A lock that moved to a lower level counts as lost. */
static void compare_env_locks(struct diff *d)
{
	size_t i;
	int s;

	for (s = 0; s < 2; s++)
		for (i = 0; i < d->ir[s]->env_locks.n; i++) {
			const struct ir_env_lock *k = &d->ir[s]->env_locks.v[i];
			const struct ir_env_lock *other = env_lock(d->ir[!s], k);

			if (other && other->level <= k->level)
				continue;
			if (s == DIFF_OLD)
				add(d, "env", DIFF_LOCK_LOST, true, said_env_lock(d, k),
				    said_env_lock(d, other));
			else
				add(d, "env", DIFF_LOCK_ADDED, false,
				    said_env_lock(d, other), said_env_lock(d, k));
		}
}

/* The highest level at which each policy has the rule. */
struct ranked {
	const struct ir_rule *rule[2];
};

static struct ranked *ranked_of(struct diff *d, struct map *all, int side,
				const struct ir_rule *r)
{
	struct ir_rule any = *r;
	struct ranked *ret;
	struct str key;

	any.level = IR_MANAGED;
	any.final = any.soft = any.full = false;
	key = str_printf(d->a, "%d %.*s", (int)r->kind,
			 STR_ARG(diff_rule_key_if(d, side, r, &any)));
	ret = map_get(all, key);
	if (!ret) {
		ret = ARENA_NEW(d->a, struct ranked);
		map_put(all, key, ret);
	}
	return ret;
}

/*
 * A rule that both policies have, but at different levels.  The requests that we ask
 * may still be answered alike.  Levels that are not compared here can see the
 * difference, by what they declare `final`, lock or lift.  An allow at a higher level
 * and a deny at a lower one permit more.
 */
static void compare_levels(struct diff *d)
{
	struct map all;
	size_t i;
	int s;

	map_init(&all, d->a);
	for (s = 0; s < 2; s++)
		for (i = 0; i < d->ir[s]->rules.n; i++) {
			const struct ir_rule *r = d->ir[s]->rules.v[i];
			struct ranked *k = ranked_of(d, &all, s, r);

			/* rules that the network's mode makes are not statements */
			if (str_eq(r->id, d->ir[s]->scalars[IR_S_NET_MODE].id))
				continue;
			if (!k->rule[s] || r->level < k->rule[s]->level)
				k->rule[s] = r;
		}
	for (i = 0; i < all.n; i++) {
		const struct ranked *k = all.e[i].value;
		const struct ir_rule *o = k->rule[DIFF_OLD], *n = k->rule[DIFF_NEW];
		bool higher;

		if (!o || !n || o->level == n->level)
			continue;
		higher = n->level < o->level;
		add(d, ir_kind_name(n->kind), DIFF_LEVEL,
		    n->effect == IR_ALLOW ? higher : !higher,
		    said(o->id, o->text, o->level, o->at),
		    said(n->id, n->text, n->level, n->at));
	}
}

static void compare_final_rule(struct diff *d, const struct ir_rule *r, int side)
{
	struct diff_said s = said(r->id, r->text, r->level, r->at);
	bool added = side == DIFF_NEW;

	add(d, ir_kind_name(r->kind), added ? DIFF_ADDED : DIFF_REMOVED,
	    (r->effect == IR_ALLOW) == added, added ? nothing() : s, added ? s : nothing());
}

/*
 * Compares what `final` protects from levels that are not compared here: their denies
 * cannot restrict a final allow, and their facts cannot hide what a final rule is
 * about.
 */
static void compare_final(struct diff *d)
{
	int kind;

	for (kind = 0; kind < IR_KIND_COUNT; kind++)
		for (size_t i = 0; i < d->items[kind].n; i++) {
			const struct diff_item *it = d->items[kind].v[i];
			const struct ir_rule *r = diff_rule(it);
			int side = it->rule[DIFF_NEW] ? DIFF_NEW : DIFF_OLD;

			if (!r || !r->final || it->same || it->rule[!side])
				continue;
			compare_final_rule(d, r, side);
		}
}

/* A later day, or none, lasts longer. */
static void compare_day(struct diff *d, const char *what, struct str o, struct str n)
{
	struct ir_place nowhere = { .span = SPAN_NONE };
	bool looser = !n.n || (o.n && str_cmp(n, o) > 0);

	if (!str_eq(o, n))
		add(d, "policy", looser ? DIFF_LOOSER : DIFF_TIGHTER, looser,
		    said(str_from(what), o, (enum ir_level)0, nowhere),
		    said(str_from(what), n, (enum ir_level)0, nowhere));
}

void diff_values(struct diff *d)
{
	const struct ir *o = d->ir[DIFF_OLD], *n = d->ir[DIFF_NEW];

	if (DIFF_ON("locks"))
		compare_locks(d);
	if (DIFF_ON("env-locks"))
		compare_env_locks(d);
	if (DIFF_ON("levels"))
		compare_levels(d);
	if (DIFF_ON("final"))
		compare_final(d);
	if (DIFF_ON("settings"))
		compare_settings(d);
	compare_env(d);
	if (DIFF_ON("mounts"))
		compare_mounts(d);
	compare_publish(d);
	if (DIFF_ON("roles"))
		compare_roles(d);
	if (DIFF_ON("facts"))
		diff_facts(d);
	if (DIFF_ON("assertions"))
		compare_assertions(d);
	if (DIFF_ON("expires"))
		compare_day(d, "expires", o->expires, n->expires);
	if (DIFF_ON("last-day"))
		compare_day(d, "until", o->until, n->until);
}
