/*
 * `env -S TEXT`: env splits the text by rules of its own, which are not a shell's, puts
 * the words in place of the option, and reads its words again.
 */
#include "runtime/line/cmd_facts.h"
#include "runtime/line/cmd_split.h"
#include "runtime/line/cmd_text.h"

struct split {
	struct cmd_an *a;
	const char *p, *end;
	char *at;                /* where the next byte of a word goes */
	struct cmd_word *words;
	uint32_t n;
	struct sh_word *word;    /* the word being built, or NULL */
	struct sh_seg *last;
	char quote;              /* the open one, or 0 */
	bool ok;                 /* false: a limit was exceeded */
};

/* Adds a piece to the current word, or begins a new word. */
static struct sh_seg *add(struct split *s, enum sh_seg_kind kind)
{
	struct sh_seg *g;

	if (!s->word) {
		s->word = cmd_literal(s->a, s->at, 0);
		if (!s->word) {
			s->ok = false;
			return NULL;
		}
		s->words[s->n++] = (struct cmd_word){ .w = s->word };
		s->last = &s->word->seg;
		s->last->kind = kind;
		return s->last;
	}
	if (s->last->kind == SH_LIT && kind == SH_LIT)
		return s->last;
	g = cmd_alloc(s->a, sizeof(*g));
	if (!g) {
		s->ok = false;
		return NULL;
	}
	*g = (struct sh_seg){ .p = s->at, .kind = kind };
	s->last->next = g;
	s->last = g;
	return g;
}

static void add_byte(struct split *s, char c)
{
	struct sh_seg *g = add(s, SH_LIT);

	if (!g)
		return;
	*s->at++ = c;
	g->n++;
}

/* ${NAME}: its value is unknown. A variable that is not set leaves no word. */
static bool variable(struct split *s)
{
	const char *close = memchr(s->p, '}', (size_t)(s->end - s->p));

	if (s->p == s->end || *s->p != '{' || !close || close == s->p + 1)
		return false;
	add(s, s->quote ? SH_ANY : SH_MULTI);
	if (s->word)
		s->word->flags |= SH_W_DYNAMIC;
	s->p = close + 1;
	return true;
}

/* Reads what follows a backslash. false: env refuses it. */
static bool escape(struct split *s)
{
	static const char names[] = "fnrtv", bytes[] = "\f\n\r\t\v";
	const char *found;
	char c;

	if (s->quote == '\'' && (s->p == s->end || !strchr("\\'", *s->p))) {
		add_byte(s, '\\');
		return true;
	}
	if (s->p == s->end || !*s->p)
		return false;
	c = *s->p++;
	if (c == '_' && !s->quote) {
		s->word = NULL;
	} else if (c == '_') {
		add_byte(s, ' ');
	} else if (c == 'c' && !s->quote) {
		s->p = s->end;
	} else if (strchr("\"#$'\\", c)) {
		add_byte(s, c);
	} else {
		found = strchr(names, c);
		if (!found)
			return false;
		add_byte(s, bytes[found - names]);
	}
	return true;
}

static bool take(struct split *s)
{
	char c = *s->p++;

	if ((c == '"' || c == '\'') && (!s->quote || s->quote == c)) {
		s->quote = s->quote ? 0 : c;
		return add(s, SH_LIT) || !s->ok;
	}
	if (c == '\\')
		return escape(s);
	if (c == '$' && s->quote != '\'')
		return variable(s);
	if (!s->quote && c && strchr(" \t\n\v\f\r", c)) {
		s->word = NULL;
		return true;
	}
	/* a comment */
	if (c == '#' && !s->quote && !s->word) {
		s->p = s->end;
		return true;
	}
	add_byte(s, c);
	return true;
}

/* The words of the text. *ret is NULL if env would refuse the text. */
static bool split(struct cmd_an *a, const char *p, size_t n, uint32_t more,
		  struct cmd_word **ret, uint32_t *ret_n)
{
	struct split s = { .a = a, .p = p, .end = p + n, .ok = true };

	*ret = NULL;
	if (!cmd_work(a, n + more))
		return false;
	/* there is at least one byte between two words */
	s.words = cmd_alloc(a, sizeof(*s.words) * (n / 2 + 1 + more));
	s.at = cmd_alloc(a, n + 1);
	if (!s.words || !s.at)
		return false;
	while (s.ok && s.p < s.end)
		if (!take(&s))
			return s.ok;
	if (s.ok && !s.quote) {
		*ret = s.words;
		*ret_n = s.n;
	}
	return s.ok;
}

/* Index of the word with the option that has this text as its value. */
static uint32_t option_word(const struct cmd_part *p, const struct cmd_text *t)
{
	const struct cmd_option *o;

	for (o = p->options; o; o = o->next)
		if (o->known && (o->known->flags & LINE_OF_CODE) && o->value_word == t->word)
			return o->word;
	return t->word;
}

bool cmd_splits(const struct cmd_an *a, const struct cmd_part *p)
{
	static const char name[] = "--split-string";

	return cmd_has_long(a->facts, p->program) &&
	       cmd_known(a->facts, p->program, name, sizeof(name) - 1);
}

bool cmd_split(struct cmd_an *a, const struct cmd_part *p, const struct cmd_text *t,
	       struct cmd_word **ret, uint32_t *ret_n)
{
	uint32_t before = option_word(p, t), after = p->nwords - t->word - 1, n = 0, i;
	struct cmd_word *words, *all;

	*ret = NULL;
	if (!split(a, t->p, t->n, p->nwords, &words, &n))
		return false;
	if (!words)
		return true;
	all = cmd_alloc(a, sizeof(*all) * (before + n + after));
	if (!all)
		return false;
	for (i = 0; i < before; i++)
		all[i] = (struct cmd_word){ .w = p->words[i].w, .as = p->words[i].as };
	for (i = 0; i < n; i++)
		all[before + i] = words[i];
	for (i = 0; i < after; i++)
		all[before + n + i] = (struct cmd_word){ .w = p->words[t->word + 1 + i].w };
	*ret = all;
	*ret_n = before + n + after;
	return true;
}
