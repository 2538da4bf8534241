/*
 * The reading of a command's words while it goes on (cmd_options.c), for the
 * file that reads the options of one word (cmd_option.c).
 */
#ifndef RUNTIME_LINE_CMD_READER_H
#define RUNTIME_LINE_CMD_READER_H

#include "runtime/line/cmd.h"

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
	uint32_t flags;      /* of the table, enum line_program_flag */
	uint32_t i;          /* the word at hand */
	uint32_t min, max;   /* how many operands are behind us */
	uint32_t skip;       /* operands before a wrapper's command */
	unsigned take, next; /* TAKE_: for this word, for the one behind it */
	/* the word before it may take it, for that is not known itself */
	bool take_value, next_value;
	bool ended;          /* no option follows */
	bool may_end;        /* in some reading … */
	bool end_value;      /* … and for some value of an unknown word in all */
	bool settled;        /* an unknown word is one known option and its value */
	bool maybe; /* the option whose value is looked at is one reading's only */
	bool wrapper, stop, ok;
	bool no_code[2];     /* no option at all is code: before, behind an operand */
};

/* Code of another language is among the words; `guess`: why it may be, NULL: it is. */
static inline void cmd_reader_is_code(struct cmd_reader *r, const char *guess)
{
	if (!r->ret->code || !guess)
		r->ret->guess = guess;
	r->ret->code = true;
}

/* What the table says of an option here: a global one stands before the operands. */
const struct line_option *cmd_reader_known(const struct cmd_reader *r, const char *p,
					 size_t n);
/* A global option behind the subcommand: it has no meaning there, or another. */
bool cmd_reader_blocked(const struct cmd_reader *r, const struct line_option *o);
/* One option that the word at hand is, in some reading; NULL past a limit. */
struct cmd_option *cmd_reader_emit(struct cmd_reader *r, enum cmd_how how, const char *name,
				   size_t n, const struct line_option *known, bool sure);
/* The options of "--name", "--name=value"; `open`: more follows, not known. */
void cmd_reader_long(struct cmd_reader *r, const char *p, size_t n, bool open);
/* Those of "-x", "-abc", "-ovalue", "-name", "-name=value", "+x". */
void cmd_reader_short(struct cmd_reader *r, const char *p, size_t n, bool open);
/* A value at a code place of this option of the table `of`; p NULL: not literal. */
void cmd_reader_code(struct cmd_reader *r, const struct line_program *of,
		     const struct line_option *o, const char *p, size_t n, uint32_t word);

#endif
