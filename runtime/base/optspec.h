/*
 * The table form of all programs' options. --help, the readers, the manual pages and the
 * shells' completions (doc/man) are made from it.
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
	int id;            /* its meaning is up to the program */
	const char *name;  /* without "--"; "": there is only a letter */
	char letter;       /* 0: none */
	enum optspec_arg arg;
	unsigned verbs;    /* bit n: an option of verb n; 0: of the program */
	/* The argument. FILE, DIR and names that end in .polb are completed as such; for
	 * "a|b" the words in small letters are. */
	const char *value;
	const char *help;  /* NULL: the option is known, but not shown */
};

struct optspec_verb {
	const char *name, *form, *help;
};

/* A word that may follow the options, and what follows it (in the form of an option's
 * value; "": unknown). */
struct optspec_word {
	const char *name, *value, *help;
};

struct optspec_program {
	const char *name;  /* "polrun" */
	const char *usage; /* the beginning of --help */
	const char *end;   /* the end of --help, or NULL */
	const struct optspec *options;
	size_t n;
	const struct optspec_verb *verbs;
	size_t nverbs;
	/* for a program without verbs, or NULL */
	const struct optspec_word *words;
	size_t nwords;
	/* verbs that have verbs and options of their own; they are not in `verbs` */
	const struct optspec_program *const *subs;
	size_t nsubs;
};

/* Is the option shown for the verb (-1: for any)? */
bool optspec_is_of(const struct optspec *o, int verb);
/* The lines of --help for the options of a verb (-1: all). */
void optspec_print(FILE *out, const struct optspec *table, size_t n, int verb);
/* All of --help: usage, options, end. */
void optspec_help(FILE *out, const struct optspec_program *p);

#endif
