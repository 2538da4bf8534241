/*
 * Turns the text of patterns into globs: what `*`, `?`, `**`, braces and backslashes
 * mean in a word and in a path, and which root a path belongs to.  A pattern that could
 * never match a resolved path is an error: as a deny, it would be a hole.
 */
#include "compiler/lower/glob.h"

#define MAX_NESTING 16u
#define MAX_PATTERN 65536u

static bool bad(const struct lower_glob_in *in, const char *what, const char *help)
{
	struct diag *d = diag_add(in->l->sink, in->code, in->at, "%s in '%.*s'", what,
				  STR_ARG(in->shown));

	if (help)
		diag_help(in->l->sink, d, "%s", help);
	return false;
}

struct items {
	VEC(struct ir_glob_item) v;
};

static void push(struct lower_glob_in *in, struct items *to, enum ir_glob_op op,
		 uint8_t byte)
{
	struct ir_glob_item it = { .op = op, .byte = byte };

	VEC_PUSH(in->l->a, &to->v, it);
}

static bool at_end(const struct lower_glob_in *in)
{
	return in->i >= in->text.n;
}

static char peek(const struct lower_glob_in *in, size_t ahead)
{
	return in->i + ahead < in->text.n ? in->text.p[in->i + ahead] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Does the next item begin a path component? */
static bool component_starts(const struct items *to)
{
	const struct ir_glob_item *last = to->v.n ? VEC_LAST(&to->v) : NULL;

	return last &&
	       (last->op == IR_G_DIRS || (last->op == IR_G_BYTE && last->byte == '/'));
}

static bool read_stars(struct lower_glob_in *in, struct items *to)
{
	size_t n = 0;

	while (peek(in, n) == '*')
		n++;
	if (n == 1) {
		in->i++;
		push(in, to, IR_G_STAR, 0);
		return true;
	}
	if (n > 2)
		return bad(in, "more than two '*' in a row", "write '*' or '**'");
	if (!in->path)
		return bad(in, "'**' inside of a word",
			   "'**' is a whole word and stands for any number of words; "
			   "inside of a word write '*'");
	if (in->depth)
		return bad(in, "'**' inside of braces",
			   "write one pattern for each alternative");
	in->i += 2;
	if (component_starts(to) && peek(in, 0) == '/') {
		in->i++;
		if (VEC_LAST(&to->v)->op != IR_G_DIRS)
			push(in, to, IR_G_DIRS, 0);
		return true;
	}
	push(in, to, IR_G_DEEP, 0);
	return true;
}

static bool read_items(struct lower_glob_in *in, struct items *to);

static bool read_braces(struct lower_glob_in *in, struct items *to)
{
	struct {
		VEC(struct ir_glob) v;
	} alts = { .v = { NULL, 0, 0 } };
	struct ir_glob_item it = { .op = IR_G_ALT };

	if (in->depth >= MAX_NESTING)
		return bad(in, "braces nested too deeply", NULL);
	in->depth++;
	do {
		struct items one = { .v = { NULL, 0, 0 } };
		struct ir_glob g;

		in->i++; /* skip the brace or the separator */
		if (!read_items(in, &one))
			return false;
		if (at_end(in))
			return bad(in, "'{' without its '}'",
				   "write '\\\\{' for the character");
		g = (struct ir_glob){ .v = one.v.v, .n = one.v.n };
		VEC_PUSH(in->l->a, &alts.v, g);
	} while (peek(in, 0) == in->separator);
	if (alts.v.n == 1)
		return bad(in, "braces around one alternative",
			   in->path ? "alternatives of a path have a ',' between them: "
				      "{a,b}; write '\\\\{' for the character" :
				      "alternatives of a word have a '|' between them: "
				      "{a|b}; write '\\\\{' for the character");
	in->i++;
	in->depth--;
	it.alts = alts.v.v;
	it.nalts = alts.v.n;
	VEC_PUSH(in->l->a, &to->v, it);
	return true;
}

static bool read_escape(struct lower_glob_in *in, struct items *to)
{
	char c = peek(in, 1);

	if (!c)
		return bad(in, "a backslash at the end", "write two for the character");
	if (c == '/' && in->path)
		return bad(in, "a backslash before '/'",
			   "a '/' always separates names");
	push(in, to, IR_G_BYTE, (uint8_t)c);
	in->i += 2;
	return true;
}

/* Does the text end here, at a blank between words or at the end of an alternative? */
static bool ends_here(const struct lower_glob_in *in, char c)
{
	if (in->depth)
		return c == in->separator || c == '}';
	return !in->path && is_blank(c);
}

static bool read_items(struct lower_glob_in *in, struct items *to)
{
	while (!at_end(in)) {
		char c = peek(in, 0);
		bool ok = true;

		if (ends_here(in, c))
			return true;
		if (c == '*') {
			ok = read_stars(in, to);
		} else if (c == '?') {
			push(in, to, IR_G_ONE, 0);
			in->i++;
		} else if (c == '{') {
			ok = read_braces(in, to);
		} else if (c == '\\') {
			ok = read_escape(in, to);
		} else if (c == '}') {
			ok = bad(in, "'}' without its '{'",
				 "write '\\\\}' for the character");
		} else if (c == '[' && !in->sets) {
			ok = bad(in, "a set of characters",
				 "only command patterns have them; write '\\\\[' for "
				 "the character");
		} else if (c == '[') {
			struct ir_glob_item set;

			ok = lower_set(in, &set);
			if (ok)
				VEC_PUSH(in->l->a, &to->v, set);
		} else if (!in->path && is_blank(c)) {
			ok = bad(
				in, "a blank inside of braces",
				"an alternative is part of one word; write '\\\\ ' for "
				"a blank in it");
		} else if (c == '\0') {
			ok = bad(in, "a NUL byte", NULL);
		} else {
			push(in, to, IR_G_BYTE, (uint8_t)c);
			in->i++;
		}
		if (!ok)
			return false;
	}
	return true;
}

bool lower_glob(struct lower_glob_in *in, struct ir_glob *ret)
{
	struct items to = { .v = { NULL, 0, 0 } };

	if (in->text.n > MAX_PATTERN) {
		diag_add(in->l->sink, in->code, in->at,
			 "a pattern of %zu bytes; at most %u are allowed", in->text.n,
			 MAX_PATTERN);
		return false;
	}
	if (!read_items(in, &to))
		return false;
	*ret = (struct ir_glob){ .v = to.v.v, .n = to.v.n };
	return true;
}

/* --- paths ----------------------------------------------------------------- */

/* What the path component that is being read may be so far. */
enum { C_EMPTY = 1, C_DOT = 2, C_DOTDOT = 4, C_OTHER = 8, C_BAD = 16 };

static unsigned component_after(const struct ir_glob *g, unsigned mask)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];
		unsigned next = mask & C_BAD;

		switch (it->op) {
		case IR_G_BYTE:
			if (it->byte == '/')
				next |= C_EMPTY |
					(mask & ~(unsigned)C_OTHER ? C_BAD : 0);
			else if (it->byte == '.')
				next |= (mask & C_EMPTY ? C_DOT : 0) |
					(mask & C_DOT ? C_DOTDOT : 0) |
					(mask & (C_DOTDOT | C_OTHER) ? C_OTHER : 0);
			else
				next |= C_OTHER;
			break;
		case IR_G_ONE:
		case IR_G_STAR:
		case IR_G_DEEP:
			next |= C_OTHER;
			break;
		case IR_G_DIRS:
			next |= mask;
			break;
		case IR_G_ALT:
			for (size_t k = 0; k < it->nalts; k++)
				next |= component_after(&it->alts[k], mask);
			break;
		}
		mask = next;
	}
	return mask;
}

static bool has_wildcard(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->v[i].op == IR_G_ALT) {
			for (size_t k = 0; k < g->v[i].nalts; k++)
				if (has_wildcard(&g->v[i].alts[k]))
					return true;
		} else if (g->v[i].op != IR_G_BYTE) {
			return true;
		}
	}
	return false;
}

/*
 * Does the last component have a wildcard?  Braces may contain a '/': then the whole of
 * them counts as last.
 */
static bool last_has_wildcard(const struct ir_glob *g)
{
	size_t from = g->n;

	while (from > 0 && g->v[from - 1].op != IR_G_DIRS &&
	       !(g->v[from - 1].op == IR_G_BYTE && g->v[from - 1].byte == '/'))
		from--;
	return has_wildcard(&(struct ir_glob){ .v = g->v + from, .n = g->n - from });
}

static bool path_error(struct lower *l, const struct ast_value *v, const char *what,
		       const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_PATH_PATTERN, v->at, "%s in '%.*s'",
				  what, STR_ARG(v->text));

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

bool lower_agent_misplaced(struct lower *l, struct span at)
{
	struct diag *d = diag_add(l->sink, DIAG_ROOT_PLACE, at,
				  "'${SSH_AUTH_SOCK}' is a socket: only a unix rule names it, "
				  "with nothing behind it");

	diag_help(l->sink, d, "unix { allow \"${SSH_AUTH_SOCK}\" } env { keep += "
			      "SSH_AUTH_SOCK }");
	return false;
}

/*
 * Finds the root, and sets *text to the rest: "" or a text that begins with '/'.  A
 * pattern without a root matches at any depth if it restricts, and below the project if
 * it allows.
 */
static bool path_root(struct lower *l, const struct ast_value *v, enum lower_side side,
		      enum ir_root *root, struct str *text)
{
	size_t len;

	*text = v->text;
	if (v->kind == AST_V_STRING && sema_root_prefix(*text, root, &len)) {
		*text = str_sub(*text, len, text->n - len);
		if (text->n && text->p[0] != '/')
			return path_error(l, v, "a root that is no whole name",
					  "write a '/' behind the root");
		if (*root == IR_ROOT_AGENT && (!l->sockets || text->n))
			return lower_agent_misplaced(l, v->at);
		return true;
	}
	if (v->kind == AST_V_RAW && sema_root_prefix(*text, root, &len)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a raw text names no root: write it in ordinary quotes");
		return false;
	}
	*root = IR_ROOT_FS;
	if (!text->n)
		return path_error(l, v, "no path", NULL);
	if (text->p[0] == '/')
		return true;
	if (text->p[0] == '~') {
		if (text->n > 1 && text->p[1] != '/')
			return path_error(
				l, v, "another user's home",
				"'~' is the run's own HOME; write the path, or "
				"'\\\\~' for the character");
		*root = IR_ROOT_HOME;
		*text = str_sub(*text, 1, text->n - 1);
		return true;
	}
	if (str_eqz(*text, ".") || str_starts(*text, STR("./"))) {
		*root = IR_ROOT_PROJECT;
		*text = str_sub(*text, 1, text->n - 1);
		return true;
	}
	if (side == LOWER_NARROW) {
		*root = IR_ROOT_PROJECT;
		*text = str_cat(l->a, STR("/"), *text);
	} else {
		*text = str_cat(l->a, STR("/**/"), *text);
	}
	return true;
}

/* Removes a trailing '/' and a trailing '/ **'; true if there was the latter. */
static bool strip_below(struct str *t)
{
	bool below = false;

	for (;;) {
		if (str_ends(*t, STR("/**"))) {
			t->n -= 3;
			below = true;
		} else if (t->n && t->p[t->n - 1] == '/') {
			t->n--;
		} else {
			return below;
		}
	}
}

static bool has_double_slash(struct str t)
{
	for (size_t i = 1; i < t.n; i++)
		if (t.p[i] == '/' && t.p[i - 1] == '/')
			return true;
	return false;
}

/*
 * Explains that a shell's $HOME is not a root here: such a deny would silently match
 * nothing.
 */
static void say_shell_root(struct lower *l, const struct ast_value *v)
{
	struct str t = v->text;
	struct diag *d;
	size_t n = 1;

	while (n < t.n && ((t.p[n] >= 'A' && t.p[n] <= 'Z') || t.p[n] == '_'))
		n++;
	if (t.n < 2 || t.p[0] != '$' || n == 1 || (n < t.n && t.p[n] != '/'))
		return;
	d = diag_add(l->sink, DIAG_SHELL_ROOT, v->at,
		     "'%.*s' is a name like any other in a path, and no root",
		     (int)n, t.p);
	diag_help(l->sink, d,
		  "roots are ${HOME}, ${PROJECT_DIR}, ${GIT_COMMON_DIR}, ${TMPDIR}, ${SESSION_DIR} "
		  "and, of unix rules, ${SSH_AUTH_SOCK}; write "
		  "\"\\%.*s\" for the characters", (int)n, t.p);
}

bool lower_path(struct lower *l, const struct ast_value *v, enum lower_side side,
		struct ir_path *ret)
{
	struct lower_glob_in in = { .l = l,
				    .shown = v->text,
				    .at = v->at,
				    .code = DIAG_PATH_PATTERN,
				    .separator = ',',
				    .path = true };
	bool raw = v->kind == AST_V_RAW;
	struct ir_path p = { .text = v->text };
	bool below;

	if ((v->kind == AST_V_REGEX || v->kind == AST_V_GROUP) && l->sink->errors)
		return false; /* sema has reported it */
	if (v->kind != AST_V_STRING && !raw) {
		diag_add(l->sink, DIAG_KIND_OF_VALUE, v->at,
			 "a path is a text in double quotes");
		return false;
	}
	if (!path_root(l, v, side, &p.root, &in.text))
		return false;
	if (!raw && sema_has_root(in.text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a root can only begin a path, not stand inside of '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	if (has_double_slash(in.text))
		return path_error(l, v, "'//'",
				  "paths are judged resolved, without it");
	if (!raw) { /* keep the backslashes that belong to the pattern */
		say_shell_root(l, v);
		in.text = sema_plain(l->a, in.text);
	}
	below = strip_below(&in.text);
	if (!lower_glob(&in, &p.glob))
		return false;
	if (component_after(&p.glob, C_OTHER) & (C_BAD | C_EMPTY | C_DOT | C_DOTDOT))
		return path_error(l, v, "'.', '..' or an empty name",
				  "paths are judged resolved: such a pattern matches "
				  "nothing");
	p.below = side == LOWER_BROAD || below || !last_has_wildcard(&p.glob);
	*ret = p;
	return true;
}

bool lower_is_fixed(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].op != IR_G_BYTE)
			return false;
	return true;
}
