/*
 * Decides what names mean.  A unit sees its own `let`s and `group`s after their
 * statement, those of every file that it uses, and those of std/base.  A unit never
 * sees two definitions of a name: there is no shadowing.
 */
#include "compiler/sema/internal.h"

#include "compiler/target/target.h"

/* Limits for what `let`s can multiply. */
#define MAX_TEXT ((size_t)64 * 1024)
#define MAX_VALUES ((size_t)1024 * 1024)

/* Groups and lets have separate name spaces in one map: a group's key begins with '@',
 * as in "@mount". */
static struct str key_of(struct sema *s, struct str name, bool group)
{
	return group ? str_cat(s->a, STR("@"), name) : name;
}

static struct sema_name *lookup(struct sema *s, const struct sema_unit *u,
				struct str name, bool group)
{
	return map_get(&u->scope, key_of(s, name, group));
}

bool sema_same_definition(const struct sema_name *x, const struct sema_name *y)
{
	return x->stmt == y->stmt ||
	       (strcmp(x->real, y->real) == 0 && x->stmt->at.off == y->stmt->at.off);
}

static void twice(struct sema *s, struct span at, const struct sema_name *n,
		  const struct sema_name *other)
{
	struct diag *d = diag_add(
		s->sink, DIAG_DUPLICATE_NAME, at, "the %s '%s%.*s' is defined twice",
		n->group ? "group" : "name", n->group ? "@" : "", STR_ARG(n->name));

	diag_note(s->sink, d, other->stmt->at, "it is defined here");
	if (at.file != n->stmt->at.file || at.off != n->stmt->name_at.off)
		diag_note(s->sink, d, n->stmt->at, "and here");
}

static void merge(struct sema *s, struct sema_unit *u, const struct sema_unit *from,
		  struct span at)
{
	for (size_t i = 0; i < from->scope.n; i++) {
		struct sema_name *n = from->scope.e[i].value;
		struct sema_name *old = map_get(&u->scope, from->scope.e[i].key);

		if (old && !sema_same_definition(old, n))
			twice(s, at.file == SOURCE_NONE ? n->stmt->name_at : at, n,
			      old);
		else if (!old)
			map_put(&u->scope, from->scope.e[i].key, n);
	}
}

void sema_scope_open(struct sema *s, struct sema_unit *u)
{
	map_init(&u->scope, s->a);
	for (size_t i = 0; i < s->units.n; i++) {
		const struct sema_unit *b = s->units.v[i];

		/* every unit sees std/base, except std/base and the files that it uses */
		if (b != u && b->level == IR_DEFAULT && !b->from && !b->floor &&
		    !sema_imports(b, u))
			merge(s, u, b, SPAN_NONE);
	}
	for (size_t i = 0; i < u->uses.n; i++)
		merge(s, u, u->uses.v[i].to, u->uses.v[i].at);
}

static struct diag *suggest_from(struct sema *s, const struct sema_unit *u,
				 struct diag *d, struct str name, bool group,
				 bool roots)
{
	const char **words =
		arena_array(s->a, u->scope.n + IR_ROOT_COUNT, sizeof(*words));
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < u->scope.n; i++) {
		const struct sema_name *x = u->scope.e[i].value;

		if (x->group == group)
			words[n++] = str_z(s->a, x->name);
	}
	for (int r = IR_ROOT_HOME; roots && r < IR_ROOT_COUNT; r++)
		words[n++] = ir_root_name((enum ir_root)r);
	near = diag_suggest(name, words, n);
	if (near)
		diag_help(s->sink, d, "did you mean '%s%s'?", group ? "@" : "", near);
	return d;
}

static bool has_help(const struct diag *d)
{
	for (size_t i = 0; i < d->parts.n; i++)
		if (str_eqz(d->parts.v[i].label, "help"))
			return true;
	return false;
}

/* The statement further down in `u` that defines the name, or NULL. */
static const struct ast_stmt *defined_later(const struct sema_unit *u, struct str name,
					    bool group)
{
	for (const struct ast_stmt *t = u->tree->stmts; t; t = t->next)
		if (t->kind == (group ? AST_GROUP : AST_LET) && str_eq(t->name, name))
			return t;
	return NULL;
}

static struct diag *unknown(struct sema *s, const struct sema_unit *u, struct span at,
			    struct str name, bool group, bool roots)
{
	const struct ast_stmt *later = defined_later(u, name, group);
	const char *sigil = group ? "@" : "";
	struct diag *d;

	if (later) {
		bool self = later->at.off <= at.off &&
			    at.off < later->at.off + later->at.len;

		d = diag_add(s->sink, DIAG_NAME_ORDER, at,
			     self ? "'%s%.*s' is defined by itself"
				  : "'%s%.*s' is used before it is defined",
			     sigil, STR_ARG(name));
		if (!self)
			diag_note(s->sink, d, later->at, "it is defined here");
		return d;
	}
	d = diag_add(s->sink, DIAG_UNKNOWN_NAME, at, "nothing is named '%s%.*s'", sigil,
		     STR_ARG(name));
	return suggest_from(s, u, d, name, group, roots);
}

/* The value of `name`, or of `map.key` if `map` is a let that holds a map. */
static const struct ast_value *let_value(struct sema *s, const struct sema_unit *u,
					 struct str name)
{
	struct sema_name *n = lookup(s, u, name, false);

	if (n) {
		n->used = true;
		return n->value;
	}
	for (size_t i = name.n; i-- > 1;) {
		if (name.p[i] != '.')
			continue;
		n = lookup(s, u, str_sub(name, 0, i), false);
		if (!n || !n->value || n->value->kind != AST_V_MAP)
			continue;
		n->used = true;
		for (const struct ast_value *v = n->value->items; v; v = v->next)
			if (str_eq(v->key, str_sub(name, i + 1, name.n - i - 1)))
				return v;
	}
	return NULL;
}

/* --- strings --------------------------------------------------------------- */

/*
 * Adds a raw text to an ordinary text: escapes each '$', so that it begins no
 * expansion.
 */
static void add_raw(struct buf *b, struct str t)
{
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '$')
			buf_ch(b, '\\');
		buf_ch(b, t.p[i]);
	}
}

static bool add_let(struct sema *s, const struct sema_unit *u, struct buf *b,
		    struct str name, struct span at)
{
	const struct ast_value *v = let_value(s, u, name);
	struct diag *d;

	if (!v) {
		d = unknown(s, u, at, name, false, true);
		if (has_help(d) || d->code != DIAG_UNKNOWN_NAME)
			return false;
		diag_help(s->sink, d,
			  "'${…}' takes a 'let' or one of the roots HOME, "
			  "PROJECT_DIR, GIT_COMMON_DIR, SESSION_DIR and TMPDIR; write '\\$' for a "
			  "dollar sign");
		return false;
	}
	if (v->kind == AST_V_RAW) {
		add_raw(b, v->text);
	} else if (v->kind == AST_V_STRING || v->kind == AST_V_NUMBER) {
		buf_str(b, v->text);
	} else {
		d = diag_add(s->sink, DIAG_INTERPOLATION, at,
			     "'%.*s' is no text and cannot stand inside of one",
			     STR_ARG(name));
		diag_help(s->sink, d, "a list stands by itself, without quotes: %.*s",
			  STR_ARG(name));
		return false;
	}
	return true;
}

/*
 * Reports a value that ends in a backslash before a '$': together they would be read as
 * a dollar sign.  Then it returns false.
 */
static bool is_joined(struct sema *s, const struct buf *b, size_t from, struct span at)
{
	struct diag *d;

	if (from == 0 || from >= b->n || b->p[from - 1] != '\\' || b->p[from] != '$')
		return true;
	d = diag_add(s->sink, DIAG_AMBIGUOUS_DOLLAR, at,
		     "an expansion behind a backslash could be read as a dollar sign");
	diag_help(s->sink, d, "put a text between the two, or write one text");
	return false;
}

/* Replaces ${let}, and leaves ${ROOT} and "\$" as they are; false after an error. */
static bool expand(struct sema *s, const struct sema_unit *u, struct span at,
		   struct str *text)
{
	struct str t = *text;
	struct buf b;

	if (!t.n || !memchr(t.p, '$', t.n))
		return true;
	buf_init(&b, s->a);
	for (size_t i = 0; i < t.n; i++) {
		enum ir_root root;
		size_t len, from = b.n;

		if (sema_is_escape(t, i)) {
			buf_ch(&b, t.p[i++]);
			buf_ch(&b, t.p[i]);
			continue;
		}
		if (t.p[i] != '$' || i + 1 >= t.n || t.p[i + 1] != '{') {
			buf_ch(&b, t.p[i]);
			continue;
		}
		if (sema_root_prefix(str_sub(t, i, t.n - i), &root, &len)) {
			buf_add(&b, t.p + i, len);
			if (!is_joined(s, &b, from, at))
				return false;
			i += len - 1;
			continue;
		}
		if (b.n > MAX_TEXT) {
			diag_add(s->sink, DIAG_INTERPOLATION, at,
				 "a text of more than %zu bytes", MAX_TEXT);
			return false;
		}
		const char *end = memchr(t.p + i, '}', t.n - i);
		if (!end) {
			struct diag *d = diag_add(s->sink, DIAG_INTERPOLATION, at,
						  "'${' without its '}'");
			diag_help(s->sink, d, "write '\\${' for these two characters");
			return false;
		}
		struct str name = str_sub(t, i + 2, (size_t)(end - t.p) - i - 2);
		if (!add_let(s, u, &b, name, at) || !is_joined(s, &b, from, at))
			return false;
		i = (size_t)(end - t.p);
	}
	*text = str_dup(s->a, buf_view(&b));
	return true;
}

/* --- lists ----------------------------------------------------------------- */

static struct ast_value *copy_at(struct sema *s, const struct ast_value *v,
				 struct span at)
{
	struct ast_value *ret = arena_dup(s->a, v, sizeof(*v));

	ret->at = at;
	ret->next = NULL;
	s->nvalues++;
	return ret;
}

/*
 * Limits lists whose names mean lists whose names mean lists …: reports it once, then
 * adds no more values.
 */
static bool too_many(struct sema *s, struct span at)
{
	if (s->nvalues < MAX_VALUES)
		return false;
	if (!s->full)
		diag_add(s->sink, DIAG_INTERPOLATION, at,
			 "names stand for more than %zu values", MAX_VALUES);
	s->full = true;
	return true;
}

/* Adds what a `let` holds, with the place where its name is used. */
static void splice(struct sema *s, const struct ast_value *v, struct span at,
		   struct str name, struct ast_value ***tail)
{
	if (too_many(s, at))
		return;
	switch ((int)v->kind) {
	case AST_V_LIST:
		for (const struct ast_value *i = v->items; i; i = i->next)
			splice(s, i, at, name, tail);
		return;
	case AST_V_MAP: {
		struct diag *d =
			diag_add(s->sink, DIAG_KIND_OF_VALUE, at,
				 "'%.*s' is a map, which is no pattern", STR_ARG(name));
		diag_help(s->sink, d, "name one of its keys: %.*s.KEY", STR_ARG(name));
		return;
	}
	default:
		sema_append(tail, copy_at(s, v, at));
	}
}

static void splice_group(struct sema *s, struct sema_unit *u, const struct ast_value *v,
			 enum sema_values how, struct ast_value ***tail)
{
	struct sema_name *g = lookup(s, u, v->text, true);

	if (!g) {
		unknown(s, u, v->at, v->text, true, false);
		return;
	}
	g->used = true;
	if (g->calls != (how == SEMA_V_CALLS)) {
		struct diag *d = diag_add(
			s->sink, DIAG_KIND_OF_VALUE, v->at, "'@%.*s' is a group of %s",
			STR_ARG(v->text), g->calls ? "system calls" : "hosts or paths");
		diag_note(s->sink, d, g->stmt->at, "it is defined here");
		return;
	}
	for (const struct ast_value *i = g->value; i && !too_many(s, v->at);
	     i = i->next)
		sema_append(tail, copy_at(s, i, v->at));
}

static struct ast_value *resolved(struct sema *s, struct sema_unit *u,
				  const struct ast_value *v, enum sema_values how);

/*
 * Adds a let as a value: in a list, the items of a let that is a list; otherwise the
 * value itself.
 */
static void add_let_value(struct sema *s, const struct ast_value *v,
			  const struct ast_value *let, enum sema_values how,
			  struct ast_value ***tail)
{
	bool list = how == SEMA_V_ITEMS && let->kind == AST_V_LIST;

	for (const struct ast_value *i = list ? let->items : let;
	     i && !too_many(s, v->at); i = list ? i->next : NULL)
		sema_append(tail, copy_at(s, i, v->at))->key = v->key;
}

static void one_value(struct sema *s, struct sema_unit *u, const struct ast_value *v,
		      enum sema_values how, struct ast_value ***tail)
{
	bool lets = how == SEMA_V_PATTERNS || how == SEMA_V_HOSTS;
	bool values = how == SEMA_V_VALUES || how == SEMA_V_ITEMS;
	const struct ast_value *let;

	if (v->kind == AST_V_NAME && lets) {
		let = let_value(s, u, v->text);
		if (let) {
			splice(s, let, v->at, v->text, tail);
			return;
		}
		struct diag *d = unknown(s, u, v->at, v->text, false, false);
		if (!has_help(d) && d->code == DIAG_UNKNOWN_NAME)
			diag_help(s->sink, d,
				  "a text stands in double quotes: \"%.*s\"",
				  STR_ARG(v->text));
	} else if (v->kind == AST_V_GROUP && (lets || how == SEMA_V_CALLS)) {
		splice_group(s, u, v, how, tail);
	} else if (v->kind == AST_V_NAME && values && (let = let_value(s, u, v->text))) {
		add_let_value(s, v, let, how, tail);
	} else {
		struct ast_value *r = resolved(s, u, v, how);

		if (r)
			sema_append(tail, r);
	}
}

/* Returns NULL after an error, so that nothing else is reported because of it. */
static struct ast_value *resolved(struct sema *s, struct sema_unit *u,
				  const struct ast_value *v, enum sema_values how)
{
	struct ast_value *ret = copy_at(s, v, v->at);

	if (v->kind == AST_V_STRING && !expand(s, u, v->at, &ret->text))
		return NULL;
	if (how == SEMA_V_VALUES || how == SEMA_V_ITEMS)
		how = v->kind == AST_V_LIST ? SEMA_V_ITEMS : SEMA_V_VALUES;
	if (v->kind == AST_V_LIST || v->kind == AST_V_MAP)
		ret->items = sema_values(s, u, v->items, how);
	return ret;
}

struct ast_value *sema_values(struct sema *s, struct sema_unit *u,
			      const struct ast_value *list, enum sema_values how)
{
	struct ast_value *head = NULL, **tail = &head;

	for (; list; list = list->next)
		one_value(s, u, list, how, &tail);
	return head;
}

/* --- definitions ----------------------------------------------------------- */

/*
 * Is it a system call?  A group of calls contains nothing else; anything else is
 * reported once, here.
 */
static bool check_call(struct sema *s, const struct ast_value *v)
{
	const char *const *names;
	const char *near;
	struct diag *d;
	size_t n;

	if (v->kind != AST_V_NAME || target_call_by_name(v->text))
		return true;
	d = diag_add(s->sink, DIAG_UNKNOWN_CALL, v->at,
		     "no system call of x86_64 is named '%.*s'", STR_ARG(v->text));
	names = target_call_names(&n);
	near = diag_suggest(v->text, names, n);
	if (near)
		diag_help(s->sink, d, "did you mean '%s'?", near);
	return false;
}

/*
 * Does the group hold system calls, and not patterns?  The first element that shows
 * which it is decides.
 */
static bool is_call_group(struct sema *s, const struct sema_unit *u,
			  const struct ast_stmt *stmt)
{
	for (const struct ast_value *v = stmt->values; v; v = v->next) {
		const struct sema_name *g =
			v->kind == AST_V_GROUP ? lookup(s, u, v->text, true) : NULL;

		if (g)
			return g->calls;
		if (v->kind == AST_V_NAME && target_call_by_name(v->text))
			return true;
		if (v->kind != AST_V_GROUP && v->kind != AST_V_NAME)
			return false;
		if (v->kind == AST_V_NAME && let_value(s, u, v->text))
			return false;
	}
	return true;
}

/* Reports a pattern in a group of calls: a group is one or the other. */
static bool check_members(struct sema *s, const struct ast_stmt *stmt)
{
	for (const struct ast_value *v = stmt->values; v; v = v->next)
		if (v->kind != AST_V_NAME && v->kind != AST_V_GROUP) {
			struct diag *d = diag_add(
				s->sink, DIAG_KIND_OF_VALUE, v->at,
				"a host or path in a group of system calls");
			diag_help(s->sink, d,
				  "a group lists system calls, or hosts and paths, "
				  "never both");
			return false;
		}
	return true;
}

/* A let that is a list holds patterns, but no maps of maps. */
static bool is_let_value(struct sema *s, const struct ast_value *v)
{
	struct map keys;

	map_init(&keys, s->a);
	for (const struct ast_value *i = v->items; i; i = i->next) {
		const struct ast_value *first = i->key.n ? map_get(&keys, i->key) : NULL;

		if (first) {
			struct diag *d = diag_add(s->sink, DIAG_DUPLICATE_NAME, i->at,
						  "the key '%.*s' stands twice",
						  STR_ARG(i->key));
			diag_note(s->sink, d, first->at, "the first one is here");
			return false;
		}
		if (i->key.n)
			map_put(&keys, i->key, (void *)i);
		if (!is_let_value(s, i))
			return false;
	}
	return true;
}

static const struct ast_value *group_calls(struct sema *s, struct sema_unit *u,
					   const struct ast_stmt *stmt)
{
	struct ast_value *all = sema_values(s, u, stmt->values, SEMA_V_CALLS), *next;
	struct ast_value *head = NULL, **tail = &head;

	for (; all; all = next) {
		next = all->next;
		if (check_call(s, all))
			sema_append(&tail, all);
	}
	return head;
}

/* Does `let a.b` conflict with the key `b` of a map `a`?  One name has one value. */
static bool is_map_key(struct sema *s, struct sema_unit *u, const struct ast_stmt *stmt)
{
	const struct ast_value *v = stmt->values;
	struct span at = stmt->name_at;
	struct str name = stmt->name;
	bool found = !lookup(s, u, name, false) && let_value(s, u, name);

	for (v = v && v->kind == AST_V_MAP ? v->items : NULL; v && !found; v = v->next) {
		struct str key = str_printf(s->a, "%.*s.%.*s", STR_ARG(stmt->name),
					    STR_ARG(v->key));

		if (!lookup(s, u, key, false))
			continue;
		found = true;
		at = v->at;
		name = key;
	}
	if (found)
		diag_add(s->sink, DIAG_DUPLICATE_NAME, at,
			 "'%.*s' is a name and a key of a map", STR_ARG(name));
	return found;
}

void sema_scope_define(struct sema *s, struct sema_unit *u, const struct ast_stmt *stmt)
{
	bool group = stmt->kind == AST_GROUP;
	struct str key = key_of(s, stmt->name, group);
	struct sema_name *n = ARENA_NEW(s->a, struct sema_name), *old;
	enum ir_root root;
	size_t len;

	*n = (struct sema_name){
		.name = stmt->name, .stmt = stmt, .real = u->real, .group = group
	};
	if (sema_root_prefix(str_printf(s->a, "${%.*s}", STR_ARG(stmt->name)), &root,
			     &len)) {
		diag_add(s->sink, DIAG_DUPLICATE_NAME, stmt->name_at,
			 "'%.*s' is the name of a root", STR_ARG(stmt->name));
		return;
	}
	old = map_get(&u->scope, key);
	if (old) {
		if (!sema_same_definition(old, n))
			twice(s, stmt->name_at, n, old);
		return;
	}
	if (!group && is_map_key(s, u, stmt))
		return;
	if (group) {
		n->calls = is_call_group(s, u, stmt);
		if (n->calls && !check_members(s, stmt))
			return;
		n->value = n->calls ? group_calls(s, u, stmt) :
				      sema_values(s, u, stmt->values, SEMA_V_HOSTS);
	} else {
		if (!stmt->values || !is_let_value(s, stmt->values))
			return;
		/*
		 * a bare word in a let names another let; if that is a list, it is
		 * spliced in
		 */
		const struct ast_value *v = stmt->values;
		struct ast_value *one = sema_values(s, u, v, SEMA_V_PATTERNS);
		if (one && one->next) {
			struct ast_value list = { .kind = AST_V_LIST,
						  .at = v->at,
						  .items = one };
			one = arena_dup(s->a, &list, sizeof(list));
		}
		n->value = one;
		if (!one)
			return;
	}
	map_put(&u->scope, key, n);
}
