/* The bytes of single words, and what is known of them. For the files behind command.h
 * only. */
#ifndef RUNTIME_LINE_CMD_TEXT_H
#define RUNTIME_LINE_CMD_TEXT_H

#include "runtime/line/cmd.h"

/* How much of a word is known, as its reader needs it. */
struct cmd_shape {
	const char *p;  /* the bytes with which it surely begins */
	uint32_t n;
	bool literal;   /* these are all its bytes */
	bool several;   /* it may be no word, or more than one */
	bool splits;    /* it may split, and the added words may begin with anything */
	bool home;      /* it begins with an absolute path: that of HOME or of <(…) */
	bool open;      /* it may begin otherwise: p, n is "", and home is false */
};

void cmd_shape(const struct sh_word *w, struct cmd_shape *ret);

static inline bool cmd_lit(const struct sh_word *w, const char *z)
{
	return sh_is_literal(w) && strlen(z) == w->seg.n &&
	       memcmp(z, w->seg.p, w->seg.n) == 0;
}

/* The words, with what the line makes of HOME and, unless they are `untranslated`, of the
 * catalogue of messages. */
bool cmd_take_words(struct cmd_an *a, const struct cmd_proc *env,
		    const struct sh_word *w, uint32_t n, bool untranslated, struct cmd_word **ret);
/* A literal word of these bytes. They are not copied. */
struct sh_word *cmd_literal(struct cmd_an *a, const char *p, size_t n);
/* The word, with "anything" in place of each `hole` in its literal text. */
const struct sh_word *cmd_with_holes(struct cmd_an *a, const struct sh_word *w,
				     const char *hole, size_t n);
/*
 * `text` and then the words, joined by blanks. Where a word is not literal, ${_} replaces
 * the unknown part: whatever that is, the text beside it is code. `quoted`: the words
 * stay separate words after the text, whatever bytes they have. *ret_literal: nothing was
 * unknown. NULL if a limit was exceeded.
 */
struct cmd_joint {
	const char *text;
	size_t n;
	const struct cmd_word *words;
	uint32_t count;
	bool quoted;
};
char *cmd_guess(struct cmd_an *a, const struct cmd_joint *j, size_t *ret_n,
		bool *ret_literal);
/* The last component of a path, if the word's bytes tell it; false: not known. */
bool cmd_base(const struct sh_word *w, const char **ret_p, size_t *ret_n);

#endif
