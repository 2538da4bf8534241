/*
 * The one table form of all programs' options: --help, the readers, the manual
 * pages and the shells' completions (doc/man) are made from it.
 */
#ifndef RUNTIME_BASE_OPTSPEC_H
#define RUNTIME_BASE_OPTSPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum optspec_arg {
	OPTSPEC_NONE,
	OPTSPEC_ONE,   /* --name VALUE, --name=VALUE */
	OPTSPEC_MAYBE, /* --name, --name=VALUE */
};

struct optspec {
	int id;            /* the program's own */
	const char *name;  /* without "--"; "": it has a letter only */
	char letter;       /* 0: none */
	enum optspec_arg arg;
	unsigned verbs;    /* bit n: of verb n; 0: of the program */
	/* Of an argument: FILE, DIR and what ends in .polb are completed as such,
	 * of "a|b" the words in small letters. */
	const char *value;
	const char *help;  /* NULL: it is known and not shown */
};

struct optspec_verb {
	const char *name, *form, *help;
};

/* A word that may stand behind the options, and what comes next (as the value of an
 * option, or "": nothing that is known). */
struct optspec_word {
	const char *name, *value, *help;
};

struct optspec_program {
	const char *name;  /* "polrun" */
	const char *usage; /* what --help begins with */
	const char *end;   /* what it ends with, or NULL */
	const struct optspec *options;
	size_t n;
	const struct optspec_verb *verbs;
	size_t nverbs;
	/* of a program without verbs, or NULL */
	const struct optspec_word *words;
	size_t nwords;
	/* verbs with verbs and options of their own; none of `verbs` */
	const struct optspec_program *const *subs;
	size_t nsubs;
};

/* Is it shown, as one of the verb's (-1: of any)? */
bool optspec_is_of(const struct optspec *o, int verb);
/* The lines of --help for the options of a verb (-1: all). */
void optspec_print(FILE *out, const struct optspec *table, size_t n, int verb);
/* All of --help: usage, options, end. */
void optspec_help(FILE *out, const struct optspec_program *p);

#endif
