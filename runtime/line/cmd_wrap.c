/*
 * Wrappers: programs that run a command named by their own words. cmd_options.c has found
 * where that command begins; here it is run.
 */
#include "runtime/line/cmd_change.h"
#include "runtime/line/cmd_clear.h"
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_run.h"
#include "runtime/line/cmd_split.h"
#include "runtime/line/cmd_text.h"

static const char lost_why[] = "the command that it runs is not known";
static const char not_literal[] = "code that is not literal";
static const char entry_why[] = "the image's own entry point runs, which is not known";
static const char remote_why[] = "a command in another file system";

/*
 * May the command run in another directory, or below another root? If the table says that
 * it stays (`stays`, `transparent`), only two kinds of options move it: those that the
 * table says do (`env -C`, `sudo -i`), and unknown ones. Otherwise any word of the
 * wrapper may move it (chroot's operand, `find -execdir`).
 */
static bool may_move(const struct cmd_an *a, const struct cmd_part *p)
{
	const struct line_program *t = p->program;
	bool only_runs = t->flags & LINE_PF_TRANSPARENT;
	const struct cmd_option *o;

	if (t->flags & LINE_PF_ELSEWHERE)
		return true;
	for (o = p->options; o; o = o->next) {
		/* what stands before a command is looked at with that command */
		if (cmd_in_words(a->facts, t->after, o->name, o->name_n))
			continue;
		if (o->known ? (o->known->flags & LINE_OF_MOVES) != 0 : !only_runs)
			return true;
	}
	/* such a wrapper may have options after the command word as well, and p->options
	 * lacks them */
	if (t->after.count)
		return !only_runs && !(t->flags & LINE_PF_STAYS);
	return !only_runs && !(t->flags & LINE_PF_STAYS) && (p->options || t->skip || t->base);
}

/* Nobody knows what it runs. If it runs elsewhere, an allow rule covers it all the
 * same. */
static void is_lost(struct cmd_part *p)
{
	if (!(p->program->flags & LINE_PF_AWAY))
		cmd_opaque(p, lost_why);
	p->flags |= CMD_LOST;
}

/* The context in which the inner command runs. */
static struct cmd_ctx inner_ctx(const struct cmd_an *a, const struct cmd_ctx *c,
				struct cmd_part *p)
{
	struct cmd_ctx in = *c;
	bool appends = p->program->flags & LINE_PF_APPENDS;

	in.outer = p;
	in.depth++;
	in.moved |= may_move(a, p);
	if (p->program->flags & LINE_PF_AWAY)
		in.remote = p;
	in.appends |= appends;
	in.handed_on |= appends;
	in.stdin_taken |= appends;
	in.stood_in = false;
	return in;
}

/* --- words that stand for others (xargs -I, find's {}) ----------------------------------- */

struct holes {
	const char *p; /* NULL: none */
	uint32_t n;
	bool unknown;
};

static struct holes find_holes(const struct cmd_part *p)
{
	struct holes h = { NULL, 0, false };
	const struct cmd_option *o;
	bool unsure = false;

	if (p->program->after.count)
		return (struct holes){ "{}", 2, false };
	if (!(p->program->flags & LINE_PF_APPENDS))
		return h;
	for (o = p->options; o; o = o->next) {
		bool own = cmd_is_named(o, "-I") || cmd_is_named(o, "-J");

		if (!own && !cmd_is_named(o, "-i") && !cmd_is_named(o, "--replace"))
			continue;
		/* another reading has another placeholder, or none */
		unsure |= !o->sure;
		if (o->value) {
			h = (struct holes){ o->value, o->value_n, false };
		} else if (o->value_open) {
			h.unknown = true;
		} else if (own && o->value_word) {
			const struct sh_word *w = p->words[o->value_word].w;

			h = (struct holes){ w->seg.p, w->seg.n, !sh_is_literal(w) };
		} else {
			h = (struct holes){ "{}", 2, false };
		}
	}
	h.unknown |= unsure;
	return h;
}

/* Runs the command in these words of p. */
static bool run_words(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		      uint32_t from, uint32_t to, const struct holes *h)
{
	static const char *const parts[] = { "{/}", "{//}", "{.}", "{/.}" };
	uint32_t n = to - from, i;
	struct cmd_word *words;

	if (from >= to)
		return true;
	if (c->depth > SH_MAX_DEPTH)
		return cmd_limit(a, "wrappers nest too deep");
	if (!cmd_work(a, n))
		return false;
	words = cmd_alloc(a, sizeof(*words) * n);
	if (!words)
		return false;
	for (i = 0; i < n; i++) {
		words[i] = (struct cmd_word){ .w = p->words[from + i].w };
		if (h && h->p)
			words[i].w = cmd_with_holes(a, words[i].w, h->p, h->n);
		/* fd has names without their directory or their ending, too */
		for (uint32_t k = 0; words[i].w && p->program->after.count &&
				     k < sizeof(parts) / sizeof(parts[0]); k++)
			words[i].w = cmd_with_holes(a, words[i].w, parts[k], strlen(parts[k]));
		if (!words[i].w)
			return false;
		words[i].handed_on = words[i].w != p->words[from + i].w;
	}
	return cmd_run(a, c, words, n) && cmd_versioned(a, c, p, words, n);
}

/* --- code and joined words ------------------------------------------------------------------- */

static bool is_called(const struct cmd_part *p, const char *name)
{
	const char *base;
	size_t n;

	return cmd_base(p->words[0].w, &base, &n) && n == strlen(name) &&
	       memcmp(base, name, n) == 0;
}

/* Which shell runs the code of a wrapper. */
static enum cmd_code code_kind(const struct cmd_part *p)
{
	if (is_called(p, "eval"))
		return CMD_CODE_EVAL;
	return is_called(p, "trap") ? CMD_CODE_TRAP : CMD_CODE_SHELL;
}

static unsigned code_dialects(const struct cmd_ctx *c, enum cmd_code how)
{
	return how == CMD_CODE_SHELL ? (unsigned)(CMD_IN_BASH | CMD_IN_POSIX) :
				       c->scope->dialects;
}

/* `trap - INT`, `trap 2`: resets a signal to what it was. */
static bool is_reset(const struct cmd_part *p, const struct cmd_text *t)
{
	uint32_t i;

	if ((t->n == 1 && t->p[0] == '-') || t->word + 1 == p->nwords)
		return true;
	for (i = 0; i < t->n; i++)
		if (t->p[i] < '0' || t->p[i] > '9')
			return false;
	return t->n > 0;
}

/* Some text and then words of p: a line that may not be fully known. */
static bool run_text(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		     const struct cmd_joint *j)
{
	enum cmd_code how = code_kind(p);
	struct cmd_ctx in = *c;
	bool literal;
	size_t n;
	char *s = cmd_guess(a, j, &n, &literal);

	if (!s)
		return false;
	if (!literal) {
		cmd_opaque(p, not_literal);
		p->flags |= CMD_LOST;
		in.guess = in.alternative = true;
	}
	return cmd_nested(a, &in, p, s, n, how, code_dialects(c, how));
}

/* The command is opaque. Deny rules may still match what a shell would read in the
 * text. */
static bool opaque_text(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
			const struct cmd_text *t)
{
	struct cmd_part **at = a->tail;
	struct cmd_ctx in = *c;

	in.guess = in.alternative = true;
	if (!cmd_nested(a, &in, p, t->p, t->n, CMD_CODE_SHELL, CMD_IN_BASH))
		return false;
	for (; *at; at = &(*at)->next)
		if ((*at)->kind == CMD_COMMAND)
			(*at)->flags |= CMD_TRANSPARENT;
	return true;
}

/* Analyses the same command with the words of the text. *ret_done is false if the program
 * refuses the text. */
static bool run_split(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_part *p,
		      const struct cmd_text *t, bool *ret_done)
{
	struct cmd_part **at = a->tail;
	struct cmd_word *words;
	uint32_t n;

	*ret_done = false;
	if (c->depth > SH_MAX_DEPTH)
		return cmd_limit(a, "wrappers nest too deep");
	if (!cmd_split(a, p, t, &words, &n))
		return false;
	*ret_done = words != NULL;
	if (!words)
		return true;
	if (!cmd_run(a, c, words, n))
		return false;
	/* it is the same env, and needs no second permission */
	if (*at)
		(*at)->flags |= CMD_TRANSPARENT;
	return true;
}

static bool texts(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		  const struct cmd_read *r)
{
	enum cmd_code how = code_kind(p);
	const struct cmd_text *t;

	for (t = r->texts; t; t = t->next) {
		struct cmd_shape s;

		if (t->opaque) {
			if (!opaque_text(a, c, p, t))
				return false;
			continue;
		}
		cmd_shape(p->words[t->word].w, &s);
		if (t->p && cmd_splits(a, p)) {
			bool done;

			if (!run_split(a, c, p, t, &done))
				return false;
			if (done)
				continue;
			/* this env refuses it, but another one may not */
			cmd_opaque(p, not_literal);
			p->flags |= CMD_LOST;
		}
		if (!t->p && s.n && s.p[0] == '-') {
			cmd_opaque(p, not_literal);
			p->flags |= CMD_LOST;
		} else if (!t->p) {
			if (!run_text(a, c, p, &(struct cmd_joint){
					.words = p->words + t->word, .count = 1 }))
				return false;
		} else if (how != CMD_CODE_TRAP || !is_reset(p, t)) {
			if (!cmd_nested(a, c, p, t->p, t->n, how, code_dialects(c, how)))
				return false;
		}
		/* nodemon --exec: the words after the text belong to it */
		if (t->p && (p->program->flags & LINE_PF_ASSIGNMENTS) &&
		    t->word + 1 < p->nwords &&
		    !run_text(a, c, p, &(struct cmd_joint){
				.text = t->p, .n = t->n, .words = p->words + t->word + 1,
				.count = p->nwords - t->word - 1, .quoted = true }))
			return false;
	}
	return true;
}

/* Is one of the words after the first not a plain word to a shell? */
static bool many_words(const struct cmd_part *p, uint32_t begin)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:=@%+,";

	for (uint32_t i = begin + 1; i < p->nwords; i++) {
		const struct sh_seg *g = &p->words[i].w->seg;

		if (!sh_is_literal(p->words[i].w) || !g->n)
			return true;
		for (uint32_t k = 0; k < g->n; k++)
			if (!g->p[k] || !strchr(plain, g->p[k]))
				return true;
	}
	return false;
}

static bool joined(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		   uint32_t begin)
{
	struct cmd_ctx in = *c;

	/* without a command, ssh passes what it reads to a shell */
	if (!begin)
		return code_kind(p) == CMD_CODE_EVAL ||
		       cmd_stdin(a, c, p, CMD_IN_BASH | CMD_IN_POSIX);
	if (!run_text(a, c, p, &(struct cmd_joint){ .words = p->words + begin,
						   .count = p->nwords - begin }))
		return false;
	/* some options or versions run the words as they are; that makes a difference
	 * only if one of them is more than a plain word to a shell */
	in.alternative = true;
	return code_kind(p) == CMD_CODE_EVAL || !many_words(p, begin) ||
	       run_words(a, &in, p, begin, p->nwords, NULL);
}

/* --- the wrapper -------------------------------------------------------------------------------- */

/* NAME=value among the words of env and sudo. */
static void assignments(struct cmd_an *a, struct cmd_ctx *c, const struct cmd_part *p,
			uint32_t to)
{
	struct cmd_shape s;
	const char *eq;

	if (!(p->program->flags & LINE_PF_ASSIGNMENTS))
		return;
	for (uint32_t i = 1; i < to; i++) {
		if (!(p->words[i].roles & (CMD_W_OPERAND | CMD_W_OPTION)))
			continue;
		cmd_shape(p->words[i].w, &s);
		eq = s.n ? memchr(s.p, '=', s.n) : NULL;
		if (eq && s.p[0] != '-')
			cmd_before(a, c, s.p, (size_t)(eq - s.p));
	}
}

/*
 * Nobody knows where the command begins. Try the first possible place, and then each word
 * that would itself run something.
 */
static bool lost(struct cmd_an *a, struct cmd_ctx *c, struct cmd_part *p,
		 const struct cmd_read *r, const struct holes *h)
{
	uint32_t i;

	is_lost(p);
	c->alternative = true;
	for (i = r->maybe; i && i < p->nwords; i++) {
		const struct line_program *in = NULL;
		const struct line_program *called;
		bool by_pattern;
		const char *base;
		size_t n;

		if (!sh_is_literal(p->words[i].w) && i != r->maybe)
			continue;
		if (cmd_base(p->words[i].w, &base, &n))
			in = cmd_program_called(a->facts, base, n, &called, &by_pattern);
		if (i != r->maybe &&
		    !(in && (in->kinds & (LINE_PK_WRAPPER | LINE_PK_INTERPRETER))))
			continue;
		assignments(a, c, p, i);
		/* each attempt may be lost itself, and try all following words again */
		if (!cmd_work(a, 8 * (uint64_t)(p->nwords - i)))
			return false;
		if (!run_words(a, c, p, i, p->nwords, h))
			return false;
	}
	return true;
}

/* --- another file system ---------------------------------------------------------------------- */

/* An option whose value is the first word of the command (docker's --entrypoint). */
static bool leads(const struct cmd_option *o)
{
	return o->known && (o->known->flags & LINE_OF_LEADS) &&
	       (o->value || o->value_open || o->value_word);
}

const char *cmd_remote_why(const struct cmd_an *a, const struct cmd_part *p)
{
	const struct cmd_option *o;

	for (o = p->options; o; o = o->next)
		if (leads(o) && o->sure)
			return remote_why;
	for (uint32_t i = 0; i < cmd_option_count(a->facts, p->program); i++)
		if (cmd_option_at(a->facts, p->program, i)->flags & LINE_OF_LEADS)
			return entry_why;
	return remote_why;
}

/* Turns `["sh", "-c"]` into shell text. false: it holds a backslash, which a shell would
 * read differently. */
static bool from_json(char *s, size_t n)
{
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\')
			return false;
		if (s[i] == '"')
			quoted = !quoted;
		else if (!quoted && strchr("[],", s[i]))
			s[i] = ' ';
	}
	return true;
}

/* Runs the command of which this option's value is the first word. false: a limit was
 * exceeded. *ret_is: it surely is a command, and the operands are its arguments. */
static bool led_by(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		   const struct cmd_option *o, uint32_t begin, bool *ret_is)
{
	const struct sh_word *w = o->value_word ? p->words[o->value_word].w : NULL;
	const char *value = w && sh_is_literal(w) ? w->seg.p : o->value;
	size_t n = w && sh_is_literal(w) ? w->seg.n : o->value_n;
	char *text;

	if (!value) {
		is_lost(p);
		return true;
	}
	/* an empty --entrypoint= removes the image's own one; only the operands are
	 * left */
	if (!n)
		return true;
	*ret_is = o->sure;
	text = cmd_alloc(a, n + 1);
	if (!text || !cmd_work(a, n))
		return false;
	memcpy(text, value, n);
	if (value[0] == '[' && !from_json(text, n)) {
		is_lost(p);
		return true;
	}
	return run_text(a, c, p, &(struct cmd_joint){
			.text = text, .n = n, .words = p->words + begin,
			.count = begin ? p->nwords - begin : 0, .quoted = true });
}

static bool all_led(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		    uint32_t begin, bool *ret_is)
{
	const struct cmd_option *o;

	*ret_is = false;
	for (o = p->options; o; o = o->next)
		if (leads(o) && !led_by(a, c, p, o, begin, ret_is))
			return false;
	return true;
}

/* `docker run -i alpine <<< 'rm x'`: the image's own command may be a shell. */
static bool fed(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p)
{
	const char *opaque = p->opaque;
	uint32_t flags = p->flags;
	bool ok = cmd_stdin(a, c, p, CMD_IN_BASH | CMD_IN_POSIX);

	p->opaque = opaque;
	p->flags = flags;
	return ok;
}

static bool has_text(const struct cmd_read *r)
{
	const struct cmd_text *t = r->texts;

	while (t && (t->opaque || t->maybe))
		t = t->next;
	return t != NULL;
}

/* `find -execdir`: the word before the command is an option that moves it. */
static bool moves_range(const struct cmd_an *a, const struct cmd_part *p, const struct cmd_range *g)
{
	for (uint32_t i = g->from; i-- > 1;) {
		const struct sh_word *w = p->words[i].w;
		const struct line_option *o;

		if (!sh_is_literal(w) ||
		    !cmd_in_words(a->facts, p->program->after, w->seg.p, w->seg.n))
			continue;
		o = cmd_table_option(a->facts, p->program, w->seg.p, w->seg.n);
		return o && (o->flags & LINE_OF_MOVES);
	}
	return true;
}

static bool run_range(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		      const struct cmd_range *g, const struct holes *h)
{
	struct cmd_ctx in = *c;

	in.moved |= moves_range(a, p, g);
	if ((p->program->flags & LINE_PF_JOINED) && g->from + 1 == g->to)
		return run_text(a, &in, p, &(struct cmd_joint){ .words = p->words + g->from,
								.count = 1 });
	return run_words(a, &in, p, g->from, g->to, h);
}

bool cmd_wrapper(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_part *p,
		 struct cmd_read *r)
{
	uint32_t flags = p->program->flags;
	struct cmd_ctx in = inner_ctx(a, c, p);
	struct holes h = find_holes(p);
	const struct cmd_range *g;
	struct cmd_part **at = a->tail;
	bool led;

	if (r->query)
		return true;
	assignments(a, &in, p, r->begin ? r->begin : p->nwords);
	if (!texts(a, &in, p, r))
		return false;
	if (h.unknown) {
		r->lost = true;
		r->maybe = r->begin;
	}
	for (g = r->ranges; g; g = g->next)
		if (!run_range(a, &in, p, g, &h))
			return false;
	/* the program takes code instead of words: the other words name files */
	if (has_text(r) || p->program->codes.count) {
		if (r->lost)
			is_lost(p);
		return true;
	}
	if (p->program->after.count) {
		/* the appended words may contain another -exec */
		if (r->lost || c->appends)
			is_lost(p);
		return true;
	}
	if (!all_led(a, &in, p, r->lost ? r->maybe : r->begin, &led))
		return false;
	if (r->lost)
		return lost(a, &in, p, r, &h);
	if (led)
		return true;
	/* what it finds elsewhere becomes part of the line */
	if ((flags & LINE_PF_JOINED) && (flags & LINE_PF_APPENDS))
		cmd_opaque(p, not_literal);
	if (flags & LINE_PF_JOINED)
		return joined(a, &in, p, r->begin);
	if (r->begin && !run_words(a, &in, p, r->begin, p->nwords, &h))
		return false;
	/* `sudo -s`, `chroot DIR`: a shell reads the input */
	if (!r->begin && (flags & LINE_PF_CODE_STDIN))
		return cmd_stdin(a, &in, p, CMD_IN_BASH | CMD_IN_POSIX);
	if (!r->begin && c->appends)
		is_lost(p);
	if (!r->begin && (flags & LINE_PF_AWAY) && !fed(a, &in, p))
		return false;
	if (*at && (flags & LINE_PF_TRANSPARENT) && cmd_is_itself(a->facts, p))
		p->flags |= CMD_TRANSPARENT;
	return true;
}
