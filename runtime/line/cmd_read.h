/* What is found while the options of a command are read. For the files behind command.h
 * only. */
#ifndef RUNTIME_LINE_CMD_READ_H
#define RUNTIME_LINE_CMD_READ_H

#include "runtime/line/cmd.h"

/* A range of a wrapper's words that is a command (find -exec … ;). */
struct cmd_range {
	struct cmd_range *next;
	uint32_t from, to;
};

/* Shell text that is given to a wrapper; it may be literal or not. */
struct cmd_text {
	struct cmd_text *next;
	const char *p;  /* NULL: not literal */
	uint32_t n;
	uint32_t word;  /* index of the word that holds it */
	/* It is opaque whatever it says (`when`). Only deny and ask rules look at it as a
	 * shell would read it. */
	bool opaque;
	/* Only some readings have it: the words after it may also be a command. */
	bool maybe;
};

/* A word that another reading takes as the value of the option before it. */
struct cmd_fork {
	struct cmd_fork *next;
	uint32_t word;
};

/* What else was found while a command's options were read. */
struct cmd_read {
	struct cmd_range *ranges;
	struct cmd_text *texts;
	struct cmd_fork *forks; /* in the order of their words */
	uint32_t begin;     /* index of the first word of the wrapper's command; 0:
	                       none */
	uint32_t maybe;     /* with `lost`: index of a word that may be it; 0: none */
	uint32_t command;   /* index of a word that names a subcommand without a table, or
	                       0 */
	uint32_t operand;   /* index of the first word that surely is an operand, or 0 */
	bool lost;          /* it is not known where the wrapper's command begins */
	bool no_operand;    /* there surely is no operand */
	bool query;
	bool code;          /* it holds code of another language */
	const char *guess;  /* with `code`: why it may be code; NULL: it surely is */
};

static inline bool cmd_is_named(const struct cmd_option *o, const char *z)
{
	return o->name_n == strlen(z) && memcmp(o->name, z, o->name_n) == 0;
}

#endif
