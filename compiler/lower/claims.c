/*
 * Decides which of several claims on one key counts (claims.h).  Within a level, a file
 * overrides the files that it uses, any file the standard library, and a chosen role its level; the
 * claims that are left must agree.
 */
#include "compiler/lower/claims.h"

struct claim *claim_new(struct lower *l, const struct claim_kind *kind,
			const struct sema_stmt *t, struct str key, void *value)
{
	struct claim *x = ARENA_NEW(l->a, struct claim);

	*x = (struct claim){ .kind = kind, .key = key, .name = key, .t = t, .at = t->at,
			     .locked = lower_is_locked(t), .value = value };
	return x;
}

static struct str key_of(struct lower *l, const struct claim_kind *kind, struct str key)
{
	return str_printf(l->a, "%s %.*s", kind->name, STR_ARG(key));
}

struct claims *claims_find(struct lower *l, const struct claim_kind *kind,
			   struct str key)
{
	return map_get(&l->claims, key_of(l, kind, key));
}

void claim_add(struct lower *l, struct claim *x)
{
	struct claims *c = claims_find(l, x->kind, x->key);

	if (x->t->off || x->t->cut)
		return;
	if (!c) {
		c = ARENA_NEW(l->a, struct claims);
		c->l = l;
		map_put(&l->claims, key_of(l, x->kind, x->key), c);
	}
	VEC_PUSH(l->a, &c->v, x);
}

void claims_each(struct lower *l, const struct claim_kind *kind,
		 void (*f)(struct claims *c))
{
	for (size_t i = 0; i < l->claims.n; i++) {
		struct claims *c = l->claims.e[i].value;

		if (c->v.v[0]->kind == kind)
			f(c);
	}
}

void claims_conflict(struct lower *l, const struct claim *x, const struct claim *y)
{
	struct diag *d = diag_add(l->sink, DIAG_SCALAR_CONFLICT, y->at.span,
				  "level '%s' gives '%.*s' two values",
				  ir_level_name(y->t->unit->level), STR_ARG(y->name));

	diag_note(l->sink, d, x->at.span, "the other one is here");
	if (y->plus)
		diag_help(l->sink, d, "write '%s' to add to a list", y->plus);
}

/* Level 5 is exempt: it may set what a higher level has locked. */
void claims_check_locks(const struct claims *c)
{
	struct diag_sink *sink = c->l->sink;

	for (size_t i = 0; i < c->v.n; i++)
		for (size_t k = i + 1; c->v.v[i]->locked && k < c->v.n; k++) {
			const struct claim *lock = c->v.v[i], *x = c->v.v[k];
			enum ir_level level = x->t->unit->level;
			struct diag *d;

			/* an author cannot remove a line of the standard library: the lock wins there without an error */
			if (level <= lock->t->unit->level || level == IR_DEFAULT || x->t->unit->std)
				continue;
			d = diag_add(sink, DIAG_SCALAR_LOCKED, x->at.span,
				     "'%.*s' is locked by level '%s'", STR_ARG(x->name),
				     ir_level_name(lock->t->unit->level));
			diag_note(sink, d, lock->at.span, "it is locked here");
			diag_help(sink, d, "drop this line");
		}
}

static bool is_of(const struct claim *x, enum ir_level level, bool narrow)
{
	return x->t->unit->level == level && x->t->unit->narrow == narrow;
}

static bool overrides(const struct claim *x, const struct claim *y)
{
	const struct sema_unit *by = x->t->unit;

	if (x->append || !is_of(y, by->level, by->narrow))
		return false;
	if ((x->t->role.n > 0) != (y->t->role.n > 0))
		return x->t->role.n > 0;
	/* within one level, a statement of the author's own file wins over one of the standard library */
	return sema_imports(by, y->t->unit) || (y->t->unit->std && !by->std);
}

static bool is_overridden(const struct claims *c, const struct claim *x)
{
	for (size_t i = 0; i < c->v.n; i++)
		if (overrides(c->v.v[i], x))
			return true;
	return false;
}

const struct claim *claims_plain(const struct claims *c, enum ir_level level, bool narrow)
{
	const struct claim *ret = NULL;

	for (size_t i = 0; i < c->v.n; i++) {
		const struct claim *x = c->v.v[i];

		if (!is_of(x, level, narrow) || x->append || is_overridden(c, x))
			continue;
		if (ret && !x->kind->same(ret, x))
			claims_conflict(c->l, ret, x);
		else if (!ret || x->locked)
			ret = x;
	}
	return ret;
}

void claims_take(struct claims *c, const struct claim *x, const void *value)
{
	c->won = x;
	c->value = value;
}

void claims_full(struct claims *c, enum ir_level level)
{
	const struct claim *x = claims_plain(c, level, false);

	if (x)
		claims_take(c, x, x->value);
	for (size_t i = 0; i < c->v.n; i++) {
		const void *sum;

		x = c->v.v[i];
		if (!x->append || !is_of(x, level, false) || is_overridden(c, x))
			continue;
		sum = x->kind->add(c, x);
		if (sum)
			claims_take(c, x, sum);
	}
}

void claims_narrow(struct claims *c, enum ir_level level)
{
	const struct claim *x = claims_plain(c, level, true);

	if (x)
		x->kind->tighten(c, x, NULL);
	for (size_t i = 0; i < c->v.n; i++) {
		x = c->v.v[i];
		if (x->append && is_of(x, level, true))
			x->kind->tighten(c, x, NULL);
	}
}

/* Compares claims below the lock with the value that was decided without them.  Only if
 * no locking level gave a value, the default takes part. */
static void tighten_below(struct claims *c, const struct ir_lock *lock)
{
	enum ir_level from = c->won ? IR_USER : IR_DEFAULT;

	for (enum ir_level level = from; level > lock->level; level--)
		for (int narrow = 0; narrow < 2; narrow++) {
			const struct claim *x = claims_plain(c, level, narrow == 1);

			if (x)
				x->kind->tighten(c, x, lock);
		}
}

void claims_decide(struct claims *c, const struct ir_lock *lock)
{
	bool is_locked = lock && lock->level;

	claims_check_locks(c);
	for (int level = is_locked ? (int)lock->level : IR_DEFAULT; level >= IR_MANAGED;
	     level--) {
		claims_full(c, (enum ir_level)level);
		claims_narrow(c, (enum ir_level)level);
	}
	if (is_locked)
		tighten_below(c, lock);
}

void claims_decide_highest(struct claims *c)
{
	claims_check_locks(c);
	for (int level = IR_MANAGED; level <= IR_DEFAULT && !c->won; level++) {
		const struct claim *x = claims_plain(c, (enum ir_level)level, false);

		if (x)
			claims_take(c, x, x->value);
	}
}
