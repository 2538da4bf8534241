/*
 * The environment: `keep` is one list (a plain value replaces it, `+=` adds), `set` and
 * `secret` give one value per name.  A narrow-only level can only make the list
 * shorter.
 */
#include "compiler/lower/claims.h"

#include "runtime/base/env_name.h"

#define MAX_NAMES 4096

struct keep_list {
	VEC(struct ir_env_keep) v;
};

bool lower_is_variable(struct str s, bool star)
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

/*
 * Is it such a statement of `env`, and does it count?  A statement of a role that was
 * not chosen does not.
 */
static bool is_env(const struct sema_stmt *t, enum ast_stmt_kind kind)
{
	return is_written(t, kind) && !t->off;
}

/* --- keep ------------------------------------------------------------------ */

static bool is_kept(const struct keep_list *k, struct str name)
{
	for (size_t i = 0; i < k->v.n; i++)
		if (env_name_covers(k->v.v[i].name.p, k->v.v[i].name.n, name.p, name.n))
			return true;
	return false;
}

/* Adds the statement's names; if `only` is not NULL, just those that `only` contains. */
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

static bool same_names(const struct claim *x, const struct claim *y)
{
	const struct ast_value *a = x->t->stmt->values, *b = y->t->stmt->values;

	for (; a && b; a = a->next, b = b->next)
		if (!str_eq(a->text, b->text))
			return false;
	return !a && !b;
}

static const struct keep_list nothing;

static const void *keep_more(const struct claims *c, const struct claim *x)
{
	const struct keep_list *cur = c->value ? c->value : &nothing;
	struct keep_list *ret = arena_dup(c->l->a, cur, sizeof(*cur));

	add_names(c->l, ret, x->t, NULL);
	return ret;
}

static void keep_fewer(struct claims *c, const struct claim *x, const struct ir_lock *by)
{
	const struct keep_list *cur = c->value && !x->append ? c->value : &nothing;
	struct keep_list *ret = ARENA_NEW(c->l->a, struct keep_list);

	(void)by; /* the list has no lock except its own */
	add_names(c->l, ret, x->t, cur);
	if (!x->append)
		claims_take(c, x, ret);
}

static const struct claim_kind keep_kind = {
	.name = "keep", .same = same_names, .add = keep_more, .tighten = keep_fewer
};

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
 * Warns when a list loses PATH.  Whoever wrote it most likely meant to add to the list
 * below: few programs work without PATH, and none of them says that this is the reason.
 */
static void say_lost_path(const struct claims *c, enum ir_level level,
			  const struct keep_list *before)
{
	struct str path = STR("PATH");
	const struct claim *plain;
	struct diag *d;

	if (!before || !is_kept(before, path) || is_kept(c->value, path) ||
	    is_set(c->l, path))
		return;
	plain = claims_plain(c, level, false);
	if (!plain)
		return;
	d = diag_add(c->l->sink, DIAG_KEEP_LOST, plain->at.span,
		     "'keep' replaces the list of the levels below, and this one has "
		     "no PATH");
	diag_help(c->l->sink, d, "write 'keep +=' to add to that list");
}

/* Checks the names and returns their number. */
static size_t check_names(struct lower *l, const struct sema_stmt *t, size_t before)
{
	size_t n = before;

	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		if (++n == MAX_NAMES + 1)
			diag_add(l->sink, DIAG_VALUE, v->at,
				 "more than %d names of variables are kept", MAX_NAMES);
		if (!lower_is_variable(v->text, true))
			diag_add(l->sink, DIAG_VALUE, v->at,
				 "'%.*s' is no name of a variable; a '*' may "
				 "stand at its end",
				 STR_ARG(v->text));
	}
	return n - before;
}

static void read_keep(struct lower *l, const struct sema_stmt *t)
{
	struct keep_list *names = ARENA_NEW(l->a, struct keep_list);
	struct claim *x = claim_new(l, &keep_kind, t, STR("keep"), names);

	add_names(l, names, t, NULL);
	x->name = STR("env keep");
	x->append = t->stmt->append;
	x->plus = "keep +=";
	claim_add(l, x);
}

static void lower_keep(struct lower *l)
{
	const struct keep_list *kept;
	struct claims *c;
	size_t names = 0;

	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (!is_written(t, AST_KEEP))
			continue;
		names += check_names(l, t, names);
		if (names <= MAX_NAMES)
			read_keep(l, t);
	}
	c = claims_find(l, &keep_kind, STR("keep"));
	if (!c || names > MAX_NAMES)
		return;
	claims_check_locks(c);
	for (int level = IR_DEFAULT; level >= IR_MANAGED; level--) {
		const struct keep_list *below = c->value;

		claims_full(c, (enum ir_level)level);
		say_lost_path(c, (enum ir_level)level, below);
		claims_narrow(c, (enum ir_level)level);
	}
	kept = c->value;
	for (size_t i = 0; kept && i < kept->v.n; i++)
		VEC_PUSH(l->a, &l->ir->keep, kept->v.v[i]);
}

/* --- set ------------------------------------------------------------------- */

/* Counts the roots (${ROOT}) in a text that still has its escapes ("\$"). */
static size_t roots_in(struct str text)
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

/* Counts the roots in a text without escapes, as the back ends read it. */
static size_t plain_roots_in(struct str text)
{
	enum ir_root root;
	size_t n = 0, len;

	for (size_t i = 0; i < text.n; i++)
		n += sema_root_prefix(str_sub(text, i, text.n - i), &root, &len);
	return n;
}

/*
 * Unescapes a value.  It is an error if the result has text that looks like a root but
 * was escaped.
 */
bool lower_text(struct lower *l, const struct ast_value *v, struct str *ret)
{
	struct str text = v->text;
	enum ir_root root;
	size_t len;

	if (v->kind == AST_V_RAW ? plain_roots_in(text) != 0
				 : plain_roots_in(sema_plain(l->a, text)) !=
					   roots_in(text)) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "no value can hold the text of a root's name, '${…}'");
		return false;
	}
	for (size_t i = 0; i < text.n; i++)
		if (sema_root_prefix(str_sub(text, i, text.n - i), &root, &len) &&
		    root == IR_ROOT_AGENT)
			return lower_agent_misplaced(l, v->at);
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
 * What gives a variable its value, `set` or `secret`: the highest level wins, and the
 * value is the statement itself.
 */
static bool same_given(const struct claim *x, const struct claim *y)
{
	const struct ast_stmt *a = x->t->stmt, *b = y->t->stmt;

	return a->kind == b->kind &&
	       str_eq(*(const struct str *)x->value, *(const struct str *)y->value) &&
	       (a->kind == AST_SET || str_eq(a->values->text, b->values->text));
}

static const struct claim_kind given_kind = {
	.name = "variable", .same = same_given
};

/* Reads where the secret comes from (store or file) and its name there. */
static bool secret_source(struct lower *l, const struct ast_stmt *stmt, struct str *ret)
{
	static const char *const words[] = { "store", "file" };
	const struct ast_value *from = stmt->values;
	const struct ast_value *v = from ? from->next : NULL;
	struct diag *d;

	if (!v)
		return false; /* was reported when its text was resolved */
	if (!str_eqz(from->text, "store") && !str_eqz(from->text, "file")) {
		d = diag_add(l->sink, DIAG_VALUE, from->at,
			     "a secret comes from 'store' or 'file', not from '%.*s'",
			     STR_ARG(from->text));
		diag_did_you_mean(l->sink, d, from->text, words, POL_LEN(words));
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

static bool read_given(struct lower *l, const struct sema_stmt *t, struct str *ret)
{
	if (!lower_is_variable(t->stmt->name, false)) {
		diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
			 "'%.*s' is no name of a variable", STR_ARG(t->stmt->name));
		return false;
	}
	if (t->stmt->kind == AST_SECRET)
		return secret_source(l, t->stmt, ret);
	return t->stmt->values && lower_text(l, t->stmt->values, ret);
}

static void add_given(struct lower *l, const struct sema_stmt *t)
{
	struct str *value = ARENA_NEW(l->a, struct str);

	if (!read_given(l, t, value) || t->off)
		return;
	claim_add(l, claim_new(l, &given_kind, t, t->stmt->name, value));
	if (t->unit->narrow)
		lower_drop(l, t->text, "a narrow-only level sets no variables", t->at,
			   (struct ir_place){ .span = SPAN_NONE }, t->unit->level);
}

static void decide_given(struct claims *c)
{
	struct lower *l = c->l;
	const struct sema_stmt *t;
	struct str name, value;

	claims_decide_highest(c);
	if (!c->won)
		return; /* only narrow-only levels set it */
	t = c->won->t;
	name = t->stmt->name;
	value = *(const struct str *)c->value;
	if (t->stmt->kind == AST_SET) {
		struct ir_env_set set = { .name = name,
					  .value = value,
					  .level = t->unit->level,
					  .id = str_cat(l->a, STR("env-set-"), name),
					  .at = t->at };

		VEC_PUSH(l->a, &l->ir->env, set);
	} else {
		struct ir_env_secret secret = {
			.name = name,
			.file = str_eqz(t->stmt->values->text, "file"),
			.from = value,
			.level = t->unit->level,
			.id = str_cat(l->a, STR("env-secret-"), name),
			.at = t->at
		};

		VEC_PUSH(l->a, &l->ir->secrets, secret);
	}
}

/*
 * Statements come in order of rank, highest first: of two locks on one thing the first
 * counts.
 */
static void take_lock(struct lower *l, const struct sema_stmt *t)
{
	bool keep = t->stmt->kind == AST_KEEP;
	struct ir_env_lock k = { .keep = keep,
				 .name = keep ? STR_NULL : t->stmt->name,
				 .level = t->unit->level,
				 .id = STR("env-keep"),
				 .at = t->at };

	for (size_t n = 0; n < l->ir->env_locks.n; n++)
		if (l->ir->env_locks.v[n].keep == keep &&
		    str_eq(l->ir->env_locks.v[n].name, k.name))
			return;
	if (!keep)
		k.id = str_cat(l->a, t->stmt->kind == AST_SET ? STR("env-set-") :
								 STR("env-secret-"),
			       k.name);
	VEC_PUSH(l->a, &l->ir->env_locks, k);
}

void lower_env(struct lower *l)
{
	lower_keep(l);
	/* a variable's place in the list is that of the first file that may set it */
	for (int narrow = 0; narrow < 2; narrow++)
		for (size_t i = 0; i < l->s->stmts.n; i++) {
			const struct sema_stmt *t = l->s->stmts.v[i];

			if (t->unit->narrow == (narrow == 1) &&
			    (is_written(t, AST_SET) || is_written(t, AST_SECRET)))
				add_given(l, t);
		}
	claims_each(l, &given_kind, decide_given);
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if ((is_env(t, AST_KEEP) || is_env(t, AST_SET) || is_env(t, AST_SECRET)) &&
		    lower_is_locked(t))
			take_lock(l, t);
	}
}
