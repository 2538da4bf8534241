/*
 * The state while a command's words are read (cmd_options.c). It is shared with the file
 * that reads the options of one word (cmd_option.c).
 */
#ifndef RUNTIME_LINE_CMD_READER_H
#define RUNTIME_LINE_CMD_READER_H

#include "runtime/line/cmd_read.h"

/* May the next word be the value of the option before it? */
enum { TAKE_NOT, TAKE_MAY, TAKE_SURE };

struct cmd_reader {
	struct cmd_an *a;
	struct cmd_part *p;
	struct cmd_read *ret;
	struct cmd_option **tail;
	struct cmd_range **ranges;
	struct cmd_text **texts;
	struct cmd_fork **forks;
	const struct line_program *prog;
	uint32_t flags;      /* the table's flags, enum line_program_flag */
	uint32_t i;          /* index of the current word */
	uint32_t min, max;   /* how many operands came before: at least, at most */
	uint32_t skip;       /* operands before a wrapper's command */
	unsigned take, next; /* TAKE_: for this word, for the next one */
	/* the word before it may take it as a value, because that word is itself
	 * unknown */
	bool take_value, next_value;
	bool ended;          /* no option follows */
	bool may_end;        /* in some reading no option follows … */
	bool end_value;      /* … and for some value of an unknown word, in every
	                        reading */
	bool settled;        /* an unknown word is one known option and its value */
	bool maybe; /* only one reading has the option whose value is looked at */
	bool wrapper, stop, ok;
	bool no_code[2];     /* no option can be code: [0] before, [1] after an operand */
};

/* Code of another language is among the words. `guess`: why it may be; NULL: it surely
 * is. */
static inline void cmd_reader_is_code(struct cmd_reader *r, const char *guess)
{
	if (!r->ret->code || !guess)
		r->ret->guess = guess;
	r->ret->code = true;
}

/* What the table says about an option at this place: a global option stands before the
 * operands. */
const struct line_option *cmd_reader_known(const struct cmd_reader *r, const char *p,
					 size_t n);
/* Is this a global option after the subcommand? It has no meaning there, or another
 * one. */
bool cmd_reader_blocked(const struct cmd_reader *r, const struct line_option *o);
/* Adds one option that the current word is in some reading. NULL if a limit was
 * exceeded. */
struct cmd_option *cmd_reader_emit(struct cmd_reader *r, enum cmd_how how, const char *name,
				   size_t n, const struct line_option *known, bool sure);
/* Reads the options of "--name", "--name=value". `open`: unknown text follows. */
void cmd_reader_long(struct cmd_reader *r, const char *p, size_t n, bool open);
/* Reads those of "-x", "-abc", "-ovalue", "-name", "-name=value", "+x". */
void cmd_reader_short(struct cmd_reader *r, const char *p, size_t n, bool open);
/* A value at a code place of this option of the table `of`. p is NULL if it is not
 * literal. */
void cmd_reader_code(struct cmd_reader *r, const struct line_program *of,
		     const struct line_option *o, const char *p, size_t n, uint32_t word);

#endif
