/*
 * Lowers guards of command patterns (semantics 4.3): `with`, `without`, `with only`,
 * `within`, and option words in broad patterns, which may stand anywhere among a
 * command's words.  Braces are expanded, so that a name has no more than wildcards.
 */
#include "compiler/lower/guard.h"

#include "compiler/lower/glob.h"
#include "compiler/lower/mount.h"

#define MAX_SPELLINGS 256u /* limit for the spellings of one word with braces */
#define MAX_CHOICES 256u  /* limit for the patterns that one pattern turns into */

struct globs {
	VEC(struct ir_glob) v;
};

/* --- braces written out ------------------------------------------------------- */

static void append(struct arena *a, struct ir_glob *g, const struct ir_glob_item *v,
		   size_t n)
{
	struct ir_glob_item *all = arena_array(a, g->n + n + 1, sizeof(*all));

	if (g->n)
		memcpy(all, g->v, g->n * sizeof(*all));
	if (n)
		memcpy(all + g->n, v, n * sizeof(*all));
	g->v = all;
	g->n += n;
}

/* Expands the braces of the glob into all spellings; false if there are too many. */
static bool spell_out(struct arena *a, const struct ir_glob *g, struct globs *ret)
{
	struct globs all = { .v = { NULL, 0, 0 } };
	struct ir_glob none = { NULL, 0 };

	VEC_PUSH(a, &all.v, none);
	for (size_t i = 0; i < g->n; i++) {
		struct globs next = { .v = { NULL, 0, 0 } }, one;

		if (g->v[i].op != IR_G_ALT) {
			for (size_t k = 0; k < all.v.n; k++)
				append(a, &all.v.v[k], &g->v[i], 1);
			continue;
		}
		for (size_t alt = 0; alt < g->v[i].nalts; alt++) {
			if (!spell_out(a, &g->v[i].alts[alt], &one) ||
			    next.v.n + one.v.n * all.v.n > MAX_SPELLINGS)
				return false;
			for (size_t k = 0; k < all.v.n * one.v.n; k++) {
				struct ir_glob s = all.v.v[k / one.v.n];
				const struct ir_glob *end = &one.v.v[k % one.v.n];

				append(a, &s, end->v, end->n);
				VEC_PUSH(a, &next.v, s);
			}
		}
		all = next;
	}
	*ret = all;
	return true;
}

static bool is_byte(const struct ir_glob *g, size_t i, char c)
{
	return i < g->n && g->v[i].op == IR_G_BYTE && g->v[i].byte == (uint8_t)c;
}

/* Does it begin like an option, without being "-" or "--"? */
static bool is_option(const struct ir_glob *g)
{
	if (is_byte(g, 0, '+'))
		return g->n > 1;
	return is_byte(g, 0, '-') && g->n > 1 && !(g->n == 2 && is_byte(g, 1, '-'));
}

/* May some spelling begin with a dash? */
static bool may_be_option(const struct ir_glob *g)
{
	if (!g->n)
		return false;
	if (g->v[0].op != IR_G_ALT)
		return is_byte(g, 0, '-');
	for (size_t i = 0; i < g->v[0].nalts; i++)
		if (!g->v[0].alts[i].n || may_be_option(&g->v[0].alts[i]))
			return true;
	return false;
}

/* --- options ------------------------------------------------------------------- */

struct options {
	VEC(struct ir_option) v;
};

/* Adds an option; "--output=GLOB" is the option "--output" with a value. */
static void add_option(struct lower *l, struct options *to, const struct ir_glob *g,
		       struct str text)
{
	struct ir_option o = { .name = *g, .text = text };

	for (size_t i = 1; i < g->n; i++) {
		if (!is_byte(g, i, '='))
			continue;
		o.name.n = i;
		o.value = ARENA_NEW(l->a, struct ir_glob);
		*o.value = (struct ir_glob){ g->v + i + 1, g->n - i - 1 };
		break;
	}
	VEC_PUSH(l->a, &to->v, o);
}

static bool bad_option(struct lower *l, const struct ast_value *v, const char *what,
		       const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_COMMAND_PATTERN, v->at, "%s: '%.*s'",
				  what, STR_ARG(v->text));

	diag_help(l->sink, d, "%s", help);
	return false;
}

static bool read_name(struct lower *l, const struct ast_value *v, struct str name,
		      enum lower_side side, struct options *to)
{
	struct lower_glob_in in = { .l = l,
				    .text = name,
				    .shown = v->text,
				    .at = v->at,
				    .code = DIAG_COMMAND_PATTERN,
				    .separator = '|',
				    .sets = true,
				    .narrow = side == LOWER_NARROW };
	struct globs all;
	struct ir_glob g;

	if (!lower_glob(&in, &g))
		return false;
	if (in.i < in.text.n)
		return bad_option(l, v, "a blank in the name of an option",
				  "write one text for each option");
	if (!spell_out(l->a, &g, &all))
		return bad_option(l, v, "too many alternatives",
				  "write the options out, with a comma between them");
	for (size_t i = 0; i < all.v.n; i++) {
		if (!is_option(&all.v.v[i]))
			return bad_option(l, v, "this is no option",
					  "an option begins with '-': -f, --force, "
					  "\"--output=/etc/*\"");
		add_option(l, to, &all.v.v[i], name);
	}
	return true;
}

static bool read_option(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct options *to)
{
	struct str text = v->text;
	size_t from = 0;
	bool ok = true;

	if (v->kind == AST_V_STRING) {
		if (sema_has_root(text)) {
			diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
				 "a root has no value in the name of an option: '%.*s'",
				 STR_ARG(text));
			return false;
		}
		return read_name(l, v, sema_plain(l->a, text), side, to);
	}
	if (v->kind == AST_V_RAW)
		return read_name(l, v, text, side, to);
	if (text.n && text.p[text.n - 1] == ':')
		return bad_option(l, v, "a guard names options, not what they take",
				  "leave the ':' out; \"--output=/etc/*\" looks at the "
				  "value");
	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && text.p[i] != '|')
			continue;
		ok &= read_name(l, v, str_sub(text, from, i - from), side, to);
		from = i + 1;
	}
	return ok;
}

/* --- guards as they are written ------------------------------------------------ */

static bool kind_of(enum ast_opt_kind k, enum ir_guard_kind *ret)
{
	switch ((int)k) {
	case AST_O_WITH:
		*ret = IR_GD_WITH;
		return true;
	case AST_O_WITHOUT:
		*ret = IR_GD_WITHOUT;
		return true;
	case AST_O_WITH_ONLY:
		*ret = IR_GD_WITH_ONLY;
		return true;
	case AST_O_WITHIN:
		*ret = IR_GD_WITHIN;
		return true;
	default:
		return false;
	}
}

bool lower_guards(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  struct lower_guards *ret)
{
	bool ok = true;

	*ret = (struct lower_guards){ .v = { NULL, 0, 0 } };
	for (const struct ast_option *o = stmt->options; o; o = o->next) {
		struct ir_guard g = { .options = NULL };
		struct options options = { .v = { NULL, 0, 0 } };
		struct lower_paths paths = { .v = { NULL, 0, 0 } };

		if (!kind_of(o->kind, &g.kind))
			continue;
		for (const struct ast_value *v = o->values; v; v = v->next)
			ok &= g.kind == IR_GD_WITHIN ?
				      lower_paths(l, v, side, &paths) :
				      read_option(l, v, side, &options);
		g.options = options.v.v;
		g.noptions = options.v.n;
		g.paths = paths.v.v;
		g.npaths = paths.v.n;
		ok &= g.noptions + g.npaths > 0;
		VEC_PUSH(l->a, &ret->v, g);
	}
	return ok;
}

/* --- option words of broad patterns ----------------------------------------------- */

/* One way to read a pattern, up to the current word. */
struct choice {
	VEC(struct ir_word) words;
	VEC(struct ir_guard) guards;
	bool open; /* any words may follow: the last was an option with ":*" */
};

struct choices {
	struct lower *l;
	VEC(struct choice) v;
};

static struct choice copy_of(struct arena *a, const struct choice *c)
{
	struct choice n = { .open = c->open };

	for (size_t i = 0; i < c->words.n; i++)
		VEC_PUSH(a, &n.words, c->words.v[i]);
	for (size_t i = 0; i < c->guards.n; i++)
		VEC_PUSH(a, &n.guards, c->guards.v[i]);
	return n;
}

static void add_word(struct choices *cs, const struct ir_word *w)
{
	for (size_t i = 0; i < cs->v.n; i++)
		VEC_PUSH(cs->l->a, &cs->v.v[i].words, *w);
}

/* The name followed by ":" and anything, as a last word with ":*" allows. */
static struct ir_glob continued(struct arena *a, const struct ir_glob *g)
{
	static const struct ir_glob_item end[] = { { .op = IR_G_BYTE, .byte = ':' },
						   { .op = IR_G_STAR } };
	struct ir_glob n = *g;

	append(a, &n, end, POL_LEN(end));
	return n;
}

static void add_guard(struct choices *cs, const struct options *options, bool tail,
		      size_t from, size_t to)
{
	struct ir_guard g = { .kind = IR_GD_WITH,
			      .options = options->v.v,
			      .noptions = options->v.n };

	for (size_t i = from; i < to; i++) {
		VEC_PUSH(cs->l->a, &cs->v.v[i].guards, g);
		cs->v.v[i].open |= tail;
	}
}

/* Joins the spellings that are not options into one word. */
static struct ir_word word_of(struct arena *a, const struct globs *rest)
{
	struct ir_word w = { .any_words = false };
	struct ir_glob_item *it;

	if (rest->v.n == 1) {
		w.glob = rest->v.v[0];
		return w;
	}
	it = ARENA_NEW(a, struct ir_glob_item);
	*it = (struct ir_glob_item){
		.op = IR_G_ALT, .alts = rest->v.v, .nalts = rest->v.n
	};
	w.glob = (struct ir_glob){ it, 1 };
	return w;
}

/*
 * Adds a word that may be an option.  For the spellings that are options it becomes a
 * guard, for the others it stays a word.
 */
static bool add_choice(struct choices *cs, const struct ir_word *w, bool tail,
		       struct str text)
{
	struct options options = { .v = { NULL, 0, 0 } };
	struct globs all, rest = { .v = { NULL, 0, 0 } };
	struct arena *a = cs->l->a;
	size_t n = cs->v.n;

	if (!spell_out(a, &w->glob, &all))
		return false;
	for (size_t i = 0; i < all.v.n; i++) {
		struct ir_glob more;

		if (!is_option(&all.v.v[i])) {
			VEC_PUSH(a, &rest.v, all.v.v[i]);
			continue;
		}
		add_option(cs->l, &options, &all.v.v[i], text);
		if (!tail)
			continue;
		more = continued(a, &all.v.v[i]);
		add_option(cs->l, &options, &more, text);
	}
	if (rest.v.n && options.v.n) {
		if (2 * n > MAX_CHOICES)
			return false;
		for (size_t i = 0; i < n; i++) {
			struct choice c = copy_of(a, &cs->v.v[i]);

			VEC_PUSH(a, &cs->v, c);
		}
	}
	if (options.v.n)
		add_guard(cs, &options, tail, 0, n);
	if (rest.v.n) {
		struct ir_word word = word_of(a, &rest);

		for (size_t i = options.v.n ? n : 0; i < cs->v.n; i++)
			VEC_PUSH(a, &cs->v.v[i].words, word);
	}
	return true;
}

static bool is_end(const struct ir_word *w)
{
	return !w->any_words && w->glob.n == 2 && is_byte(&w->glob, 0, '-') &&
	       is_byte(&w->glob, 1, '-');
}

/* Is the last word "*", which stands for one or more words? */
static bool ends_in_star(const struct ir_word *w)
{
	return !w->any_words && w->glob.n == 1 && w->glob.v[0].op == IR_G_STAR;
}

static void add_command(struct lower *l, struct ir_command c, struct choice *choice,
			struct lower_sets *into)
{
	struct ir_set set = { 0 };

	if (choice->open) {
		struct ir_word any = { .any_words = true };

		VEC_PUSH(l->a, &choice->words, any);
		c.tail = false;
	}
	c.words = choice->words.v;
	c.nwords = choice->words.n;
	c.more = !c.tail && ends_in_star(&c.words[c.nwords - 1]);
	for (size_t i = 0; i < c.nguards; i++)
		VEC_PUSH(l->a, &choice->guards, c.guards[i]);
	c.guards = choice->guards.v;
	c.nguards = choice->guards.n;
	set.u.command = c;
	VEC_PUSH(l->a, &into->v, set);
}

bool lower_option_words(struct lower *l, const struct ir_command *c,
			struct lower_sets *into)
{
	struct choices cs = { .l = l };
	struct choice first = { .open = false };
	bool ended = false;

	VEC_PUSH(l->a, &cs.v, first);
	for (size_t i = 0; i < c->nwords; i++) {
		const struct ir_word *w = &c->words[i];
		bool tail = c->tail && i + 1 == c->nwords;

		ended |= i > 0 && is_end(w);
		if (i == 0 || ended || w->any_words || !may_be_option(&w->glob))
			add_word(&cs, w);
		else if (!add_choice(&cs, w, tail, c->text))
			return false;
	}
	for (size_t i = 0; i < cs.v.n; i++)
		add_command(l, *c, &cs.v.v[i], into);
	return true;
}
