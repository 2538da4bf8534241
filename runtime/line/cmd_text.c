/* What is known about one word; and words that are made from others. */
#include "runtime/line/cmd_text.h"

void cmd_shape(const struct sh_word *w, struct cmd_shape *ret)
{
	const struct sh_seg *g = &w->seg;

	*ret = (struct cmd_shape){ .p = "", .literal = true };
	if (g->kind == SH_HOME || ((w->flags & SH_W_PROCSUB) && !g->next)) {
		/* a value of HOME without a leading '/' was set in the line, and is
		 * SH_ANY */
		ret->home = true;
		ret->literal = false;
		g = g->next;
	} else if (g->kind == SH_LIT) {
		ret->p = g->p;
		ret->n = g->n;
		g = g->next;
	}
	ret->literal &= !g;
	ret->open = !ret->literal && !ret->home && !ret->n;
	for (; g; g = g->next) {
		ret->several |= g->kind == SH_MULTI || g->kind == SH_GLOB;
		ret->splits |= g->kind == SH_MULTI;
	}
}

struct sh_word *cmd_literal(struct cmd_an *a, const char *p, size_t n)
{
	struct sh_word *w = cmd_alloc(a, sizeof(*w));

	if (w)
		*w = (struct sh_word){ .seg = { .p = p, .n = (uint32_t)n, .kind = SH_LIT } };
	return w;
}

/* Adds a piece at the end of the word being built. Adjacent unknown pieces become one. */
static bool add_seg(struct cmd_an *a, struct sh_word *w, struct sh_seg **last,
		    const struct sh_seg *from)
{
	struct sh_seg *g = *last;

	if (!g) {
		g = &w->seg;
	} else if (g->kind == SH_ANY && from->kind == SH_ANY) {
		return true;
	} else {
		g->next = cmd_alloc(a, sizeof(*g));
		g = g->next;
	}
	if (!g)
		return false;
	*g = *from;
	g->next = NULL;
	*last = g;
	return true;
}

/* Makes unknown what is only known while HOME and the locale stay as they are. */
static const struct sh_word *with_unknowns(struct cmd_an *a, const struct sh_word *w,
					   uint32_t unknown)
{
	static const struct sh_seg any = { .kind = SH_ANY };
	struct sh_word *made = cmd_alloc(a, sizeof(*made));
	const struct sh_seg *g;
	struct sh_seg *last = NULL;

	if (!made)
		return NULL;
	*made = *w;
	made->flags |= SH_W_DYNAMIC;
	for (g = &w->seg; g; g = g->next) {
		bool known = g->kind != SH_HOME &&
			     (g->kind != SH_LIT || !(w->flags & unknown & SH_W_LOCALE));

		if (!add_seg(a, made, &last, known ? g : &any))
			return NULL;
	}
	return made;
}

bool cmd_take_words(struct cmd_an *a, const struct cmd_proc *env,
		    const struct sh_word *w, uint32_t n, bool untranslated,
		    struct cmd_word **ret)
{
	uint32_t unknown = (untranslated ? 0 : (uint32_t)SH_W_LOCALE) |
			   (env->home_changed ? (uint32_t)SH_W_HOME : 0);
	struct cmd_word *v = cmd_alloc(a, sizeof(*v) * (n ? n : 1));

	if (!v)
		return false;
	for (uint32_t i = 0; i < n && w; i++, w = w->next) {
		v[i] = (struct cmd_word){
			.w = w->flags & unknown ? with_unknowns(a, w, unknown) : w,
		};
		if (!v[i].w)
			return false;
	}
	*ret = v;
	return true;
}

const struct sh_word *cmd_with_holes(struct cmd_an *a, const struct sh_word *w,
				     const char *hole, size_t n)
{
	static const struct sh_seg any = { .kind = SH_ANY };
	struct sh_seg *last = NULL, piece;
	const struct sh_seg *g;
	struct sh_word *made;
	bool has = false;

	for (g = &w->seg; g && n; g = g->next)
		has |= g->kind == SH_LIT && memmem(g->p, g->n, hole, n);
	if (!has)
		return w;
	made = cmd_alloc(a, sizeof(*made));
	if (!made)
		return NULL;
	*made = *w;
	made->flags |= SH_W_DYNAMIC;
	for (g = &w->seg; g; g = g->next) {
		const char *p = g->p, *end = p + g->n, *at;

		if (g->kind != SH_LIT) {
			if (!add_seg(a, made, &last, g))
				return NULL;
			continue;
		}
		for (; p < end; p = at + n) {
			at = memmem(p, (size_t)(end - p), hole, n);
			piece = *g;
			piece.p = p;
			piece.n = (uint32_t)((at ? at : end) - p);
			if (piece.n && !add_seg(a, made, &last, &piece))
				return NULL;
			if (!at)
				break;
			if (!add_seg(a, made, &last, &any))
				return NULL;
		}
	}
	return made;
}

static bool add_text(struct cmd_an *a, char **at, const char *p, size_t n)
{
	char *s = *at;

	/* the text grows at the end of the block; cmd_guess() reserves it afterwards */
	if ((size_t)(a->mem_end - s) < n + 8) {
		cmd_alloc(a, (size_t)(a->mem_end - a->mem) + 8);
		return false;
	}
	if (n)
		memcpy(s, p, n);
	*at = s + n;
	return true;
}

/* Bytes in single quotes. */
static bool add_quoted(struct cmd_an *a, char **at, const char *p, size_t n)
{
	const char *end = p + n, *q;
	bool ok = add_text(a, at, "'", 1);

	for (; ok && (q = memchr(p, '\'', (size_t)(end - p))); p = q + 1)
		ok = add_text(a, at, p, (size_t)(q - p)) && add_text(a, at, "'\\''", 4);
	return ok && add_text(a, at, p, (size_t)(end - p)) && add_text(a, at, "'", 1);
}

static bool add_piece(struct cmd_an *a, char **at, const struct sh_seg *g, bool quoted)
{
	if (g->kind != SH_LIT)
		return add_text(a, at, quoted ? "\"${_}\"" : "${_}", quoted ? 6 : 4);
	return quoted ? add_quoted(a, at, g->p, g->n) : add_text(a, at, g->p, g->n);
}

char *cmd_guess(struct cmd_an *a, const struct cmd_joint *j, size_t *ret_n,
		bool *ret_literal)
{
	char *from = a->mem, *at = from;
	const struct sh_seg *g;

	*ret_literal = true;
	if (!add_text(a, &at, j->text, j->n))
		return NULL;
	for (uint32_t i = 0; i < j->count; i++) {
		if (at > from && !add_text(a, &at, " ", 1))
			return NULL;
		for (g = &j->words[i].w->seg; g; g = g->next) {
			*ret_literal &= g->kind == SH_LIT;
			if (!add_piece(a, &at, g, j->quoted))
				return NULL;
		}
	}
	*ret_n = (size_t)(at - from);
	return cmd_alloc(a, *ret_n + 1);
}

bool cmd_base(const struct sh_word *w, const char **ret_p, size_t *ret_n)
{
	const struct sh_seg *g = &w->seg, *last = g;
	const char *slash;

	for (; g; g = g->next) {
		if (g->kind == SH_MULTI || g->kind == SH_GLOB)
			return false;
		last = g;
	}
	if (last->kind != SH_LIT)
		return false;
	slash = memrchr(last->p, '/', last->n);
	if (!slash && last != &w->seg)
		return false;
	*ret_p = slash ? slash + 1 : last->p;
	*ret_n = last->n - (size_t)(*ret_p - last->p);
	return true;
}
