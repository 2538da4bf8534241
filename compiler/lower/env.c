/*
 * The environment: `keep` is one list (a plain value replaces, `+=` adds),
 * `set` and `secret` one scalar for each name.  A narrow-only level can only
 * keep fewer.
 */
#include "compiler/lower/internal.h"

#define MAX_NAMES 4096

struct keep_list {
	VEC(struct ir_env_keep) v;
};

static bool is_name(struct str s, bool star)
{
	size_t n = s.n;

	if (star && n && s.p[n - 1] == '*')
		n--;
	for (size_t i = 0; i < n; i++) {
		char c = s.p[i];
		bool letter =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return s.n > 0;
}

static bool is_written(const struct sema_stmt *t, enum ast_stmt_kind kind)
{
	return t->in_section && t->section == AST_SEC_ENV && t->stmt->kind == kind;
}

/* … and counts: of no role that was not chosen. */
static bool is_env(const struct sema_stmt *t, enum ast_stmt_kind kind)
{
	return is_written(t, kind) && !t->off;
}

static bool is_locked(const struct sema_stmt *t)
{
	return (t->orig->locked || t->section_locked) &&
	       t->unit->level <= IR_MANAGED_FILE;
}

/* What a managed level has locked; few, and found once. */
struct locks {
	VEC(const struct sema_stmt *) v;
};

static void find_locks(struct lower *l, struct locks *ret)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if ((is_env(t, AST_KEEP) || is_env(t, AST_SET) ||
		     is_env(t, AST_SECRET)) && is_locked(t))
			VEC_PUSH(l->a, &ret->v, t);
	}
}

/* A lower level that speaks of what a higher one has locked. */
static void check_lock(struct lower *l, const struct locks *locks,
		       const struct sema_stmt *t)
{
	bool keep = t->stmt->kind == AST_KEEP;

	for (size_t i = 0; i < locks->v.n; i++) {
		const struct sema_stmt *lock = locks->v.v[i];
		struct diag *d;

		if ((lock->stmt->kind == AST_KEEP) != keep ||
		    lock->unit->level >= t->unit->level ||
		    t->unit->level == IR_DEFAULT ||
		    (!keep && !str_eq(lock->stmt->name, t->stmt->name)))
			continue;
		d = diag_add(l->sink, DIAG_SCALAR_LOCKED, t->stmt->at,
			     "'%s' is locked by level '%s'",
			     keep ? "env keep" : "this variable",
			     ir_level_name(lock->unit->level));
		diag_note(l->sink, d, lock->stmt->at, "it is locked here");
		diag_help(l->sink, d, "drop this line");
		return;
	}
}

/* --- keep ------------------------------------------------------------------ */

static bool covers(struct str pattern, struct str name)
{
	if (pattern.n && pattern.p[pattern.n - 1] == '*')
		return str_starts(name, str_sub(pattern, 0, pattern.n - 1));
	return str_eq(pattern, name);
}

static bool is_kept(const struct keep_list *k, struct str name)
{
	for (size_t i = 0; i < k->v.n; i++)
		if (covers(k->v.v[i].name, name))
			return true;
	return false;
}

/* Adds the statement's names; in `only` (may be NULL) those that it has. */
static void add_names(struct lower *l, struct keep_list *to, const struct sema_stmt *t,
		      const struct keep_list *only)
{
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct ir_env_keep k = { .name = v->text,
					 .level = t->unit->level,
					 .id = STR("env-keep"),
					 .at = t->at };

		if (only && !is_kept(only, v->text)) {
			lower_drop(l, str_cat(l->a, STR("keep "), v->text),
				   "a narrow-only level only tightens", t->at,
				   (struct ir_place){ .span = SPAN_NONE },
				   t->unit->level);
			continue;
		}
		if (!is_kept(to, v->text))
			VEC_PUSH(l->a, &to->v, k);
	}
}

static bool same_names(const struct ast_value *x, const struct ast_value *y)
{
	for (; x && y; x = x->next, y = y->next)
		if (!str_eq(x->text, y->text))
			return false;
	return !x && !y;
}

static bool speaks(const struct sema_stmt *t, enum ir_level level, bool narrow,
		   bool append)
{
	return is_env(t, AST_KEEP) && t->unit->level == level &&
	       t->unit->narrow == narrow && t->stmt->append == append;
}

/* The plain `keep` of a level: a file overrides what it uses. */
static const struct sema_stmt *plain_keep(struct lower *l, enum ir_level level,
					  bool narrow)
{
	const struct sema_stmt *ret = NULL;

	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];
		struct diag *d;

		if (!speaks(t, level, narrow, false))
			continue;
		/* a chosen role stands before its level */
		if (!ret || (t->role.n && !ret->role.n)) {
			ret = t;
			continue;
		}
		/* an importer stands before what it uses */
		if ((ret->role.n && !t->role.n) || sema_imports(ret->unit, t->unit) ||
		    same_names(ret->stmt->values, t->stmt->values))
			continue;
		d = diag_add(l->sink, DIAG_SCALAR_CONFLICT, t->stmt->at,
			     "level '%s' gives 'env keep' two values",
			     ir_level_name(level));
		diag_note(l->sink, d, ret->stmt->at, "the other one is here");
		diag_help(l->sink, d, "write 'keep +=' to add to a list");
	}
	return ret;
}

static void keep_full(struct lower *l, enum ir_level level, struct keep_list *cur)
{
	const struct sema_stmt *plain = plain_keep(l, level, false);

	if (plain) {
		*cur = (struct keep_list){ .v = { NULL, 0, 0 } };
		add_names(l, cur, plain, NULL);
	}
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (speaks(t, level, false, true) &&
		    !(plain && (sema_imports(plain->unit, t->unit) ||
				(plain->role.n && !t->role.n))))
			add_names(l, cur, t, NULL);
	}
}

static void keep_narrow(struct lower *l, enum ir_level level, struct keep_list *cur)
{
	const struct sema_stmt *plain = plain_keep(l, level, true);
	static const struct keep_list nothing = { .v = { NULL, 0, 0 } };

	if (plain) {
		struct keep_list next = { .v = { NULL, 0, 0 } };

		add_names(l, &next, plain, cur);
		*cur = next;
	}
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		struct keep_list none = nothing;

		if (speaks(l->s->stmts.v[i], level, true, true))
			add_names(l, &none, l->s->stmts.v[i], &nothing);
	}
}

static bool is_set(const struct lower *l, struct str name)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (is_env(t, AST_SET) && str_eq(t->stmt->name, name))
			return true;
	}
	return false;
}

/*
 * Who leaves PATH out of a list most likely meant to add to it; few programs
 * work without one, and none of them says why.
 */
static void say_lost_path(struct lower *l, enum ir_level level,
			  const struct keep_list *before, const struct keep_list *after)
{
	struct str path = STR("PATH");
	const struct sema_stmt *plain;
	struct diag *d;

	if (!is_kept(before, path) || is_kept(after, path) || is_set(l, path))
		return;
	plain = plain_keep(l, level, false);
	if (!plain)
		return;
	d = diag_add(l->sink, DIAG_KEEP_LOST, plain->stmt->at,
		     "'keep' replaces the list of the levels below, and this one has "
		     "no PATH");
	diag_help(l->sink, d, "write 'keep +=' to add to that list");
}

static void lower_keep(struct lower *l, const struct locks *locks)
{
	struct keep_list cur = { .v = { NULL, 0, 0 } }, below;
	int names = 0;

	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (!is_written(t, AST_KEEP))
			continue;
		for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
			if (++names == MAX_NAMES + 1)
				diag_add(l->sink, DIAG_VALUE, v->at,
					 "more than %d names of variables are kept",
					 MAX_NAMES);
			if (!is_name(v->text, true))
				diag_add(l->sink, DIAG_VALUE, v->at,
					 "'%.*s' is no name of a variable; a '*' may "
					 "stand at its end",
					 STR_ARG(v->text));
		}
		if (!t->off)
			check_lock(l, locks, t);
	}
	if (names > MAX_NAMES)
		return;
	for (int level = IR_DEFAULT; level >= IR_MANAGED; level--) {
		below = cur;
		keep_full(l, (enum ir_level)level, &cur);
		say_lost_path(l, (enum ir_level)level, &below, &cur);
		keep_narrow(l, (enum ir_level)level, &cur);
	}
	for (size_t i = 0; i < cur.v.n; i++)
		VEC_PUSH(l->a, &l->ir->keep, cur.v.v[i]);
}

/* --- set ------------------------------------------------------------------- */

size_t lower_roots_in(struct str text)
{
	enum ir_root root;
	size_t n = 0, len;

	for (size_t i = 0; i < text.n; i++) {
		if (sema_is_escape(text, i))
			i++;
		else if (sema_root_prefix(str_sub(text, i, text.n - i), &root, &len))
			n++;
	}
	return n;
}

/* In a text without escapes, as the back ends read it. */
static size_t plain_roots_in(struct str text)
{
	enum ir_root root;
	size_t n = 0, len;

	for (size_t i = 0; i < text.n; i++)
		n += sema_root_prefix(str_sub(text, i, text.n - i), &root, &len);
	return n;
}

/* … and then no text that looks like a root may be left over. */
bool lower_text(struct lower *l, const struct ast_value *v, struct str *ret)
{
	struct str text = v->text;

	if (v->kind == AST_V_RAW ? plain_roots_in(text) != 0
				 : plain_roots_in(sema_plain(l->a, text)) !=
					   lower_roots_in(text)) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "no value can hold the text of a root's name, '${…}'");
		return false;
	}
	if (v->kind == AST_V_STRING)
		text = sema_plain(l->a, text);
	if (text.n && memchr(text.p, 0, text.n)) {
		diag_add(l->sink, DIAG_VALUE, v->at, "no value can hold a NUL byte");
		return false;
	}
	*ret = text;
	return true;
}

/*
 * What gives a variable its value, `set` or `secret`: the first statement of
 * the highest rank wins, a chosen role's before its level's.
 */
struct given {
	const struct sema_stmt *t;
	struct str value;
};

struct givens {
	VEC(struct given) v;
	struct map by_name; /* its place in v, + 1 */
};

static bool same_given(const struct given *x, const struct given *y)
{
	return x->t->stmt->kind == y->t->stmt->kind && str_eq(x->value, y->value) &&
	       (x->t->stmt->kind == AST_SET ||
		str_eq(x->t->stmt->values->text, y->t->stmt->values->text));
}

static void check_agreement(struct lower *l, const struct given *first,
			    const struct given *g)
{
	struct diag *d;

	if (first->t->unit->level != g->t->unit->level ||
	    (first->t->role.n && !g->t->role.n) ||
	    sema_imports(first->t->unit, g->t->unit) || same_given(first, g))
		return;
	d = diag_add(l->sink, DIAG_SCALAR_CONFLICT, g->t->stmt->at,
		     "level '%s' gives '%.*s' two values",
		     ir_level_name(g->t->unit->level), STR_ARG(g->t->stmt->name));
	diag_note(l->sink, d, first->t->stmt->at, "the other one is here");
}

/* store or file, and what it is called there. */
static bool secret_source(struct lower *l, const struct ast_stmt *stmt, struct str *ret)
{
	static const char *const words[] = { "store", "file" };
	const struct ast_value *from = stmt->values;
	const struct ast_value *v = from ? from->next : NULL;
	struct diag *d;
	const char *near;

	if (!v)
		return false; /* reported when its text was resolved */
	if (!str_eqz(from->text, "store") && !str_eqz(from->text, "file")) {
		d = diag_add(l->sink, DIAG_VALUE, from->at,
			     "a secret comes from 'store' or 'file', not from '%.*s'",
			     STR_ARG(from->text));
		near = diag_suggest(from->text, words, POL_LEN(words));
		if (near)
			diag_help(l->sink, d, "did you mean '%s'?", near);
		return false;
	}
	if (!lower_text(l, v, ret))
		return false;
	if (!ret->n || (str_eqz(from->text, "file") && ret->p[0] != '/' &&
			!str_starts(*ret, STR("${")))) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 ret->n ? "the file of a secret is named by an absolute path, "
				  "or one that begins with a root"
				: "a secret has a name in its store");
		return false;
	}
	return true;
}

static bool read_given(struct lower *l, const struct sema_stmt *t, struct given *ret)
{
	*ret = (struct given){ .t = t };
	if (!is_name(t->stmt->name, false)) {
		diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
			 "'%.*s' is no name of a variable", STR_ARG(t->stmt->name));
		return false;
	}
	if (t->stmt->kind == AST_SECRET)
		return secret_source(l, t->stmt, &ret->value);
	return t->stmt->values && lower_text(l, t->stmt->values, &ret->value);
}

static void add_given(struct lower *l, const struct locks *locks,
		      const struct sema_stmt *t, struct givens *all)
{
	struct given g, *first;
	size_t at = (size_t)(uintptr_t)map_get(&all->by_name, t->stmt->name);

	if (!read_given(l, t, &g) || t->off)
		return;
	check_lock(l, locks, t);
	if (t->unit->narrow) {
		lower_drop(l, t->text, "a narrow-only level sets no variables", t->at,
			   (struct ir_place){ .span = SPAN_NONE }, t->unit->level);
		return;
	}
	if (!at) {
		VEC_PUSH(l->a, &all->v, g);
		map_put(&all->by_name, t->stmt->name, (void *)(uintptr_t)all->v.n);
		return;
	}
	first = &all->v.v[at - 1];
	if (first->t->unit->level == t->unit->level && t->role.n && !first->t->role.n)
		*first = g;
	else
		check_agreement(l, first, &g);
}

static void take_given(struct lower *l, const struct given *g)
{
	struct str name = g->t->stmt->name;
	struct ir_env_set set = { .name = name,
				  .value = g->value,
				  .level = g->t->unit->level,
				  .id = str_cat(l->a, STR("env-set-"), name),
				  .at = g->t->at };
	struct ir_env_secret secret = { .name = name,
					.from = g->value,
					.level = g->t->unit->level,
					.id = str_cat(l->a, STR("env-secret-"), name),
					.at = g->t->at };

	if (g->t->stmt->kind == AST_SET) {
		VEC_PUSH(l->a, &l->ir->env, set);
		return;
	}
	secret.file = str_eqz(g->t->stmt->values->text, "file");
	VEC_PUSH(l->a, &l->ir->secrets, secret);
}

/* Statements come highest rank first: of two locks of one thing the first counts. */
static void take_locks(struct lower *l, const struct locks *locks)
{
	for (size_t i = 0; i < locks->v.n; i++) {
		const struct sema_stmt *t = locks->v.v[i];
		bool keep = t->stmt->kind == AST_KEEP, there = false;
		struct ir_env_lock k = { .keep = keep,
					 .name = keep ? STR_NULL : t->stmt->name,
					 .level = t->unit->level,
					 .id = STR("env-keep"),
					 .at = t->at };

		for (size_t n = 0; n < l->ir->env_locks.n; n++)
			there |= l->ir->env_locks.v[n].keep == keep &&
				 str_eq(l->ir->env_locks.v[n].name, k.name);
		if (!keep)
			k.id = str_cat(l->a, t->stmt->kind == AST_SET ? STR("env-set-") :
									 STR("env-secret-"),
				       k.name);
		if (!there)
			VEC_PUSH(l->a, &l->ir->env_locks, k);
	}
}

void lower_env(struct lower *l)
{
	struct locks locks = { .v = { NULL, 0, 0 } };
	struct givens all = { .v = { NULL, 0, 0 } };

	map_init(&all.by_name, l->a);
	find_locks(l, &locks);
	lower_keep(l, &locks);
	/* statements come highest rank first: the first one wins */
	for (size_t i = 0; i < l->s->stmts.n; i++)
		if (is_written(l->s->stmts.v[i], AST_SET) ||
		    is_written(l->s->stmts.v[i], AST_SECRET))
			add_given(l, &locks, l->s->stmts.v[i], &all);
	for (size_t i = 0; i < all.v.n; i++)
		take_given(l, &all.v.v[i]);
	take_locks(l, &locks);
}
