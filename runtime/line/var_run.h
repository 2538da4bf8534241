/* What the files behind var.h share; nobody else includes it. */
#ifndef RUNTIME_LINE_VAR_RUN_H
#define RUNTIME_LINE_VAR_RUN_H

#include <string.h>

#include "runtime/line/var.h"

/* What a variable may be: bits for literal values, and these. */
#define VAR_LITERALS ((uint16_t)((1u << VAR_MAX_VALUES) - 1))
#define VAR_NUMBER ((uint16_t)(1u << VAR_MAX_VALUES))
#define VAR_UNKNOWN ((uint16_t)(1u << (VAR_MAX_VALUES + 1)))

/* What the variables may be at one place. */
struct var_state {
	uint16_t may[SH_MAX_VARS];
	bool lost; /* something ran that may do anything: all are unknown from here on
		    */
};

/* What is around the place: a process, a branch, a loop, a function. */
struct var_frame {
	struct var_frame *next;
	struct var_loop *loop;
	struct var_state was, other;
	enum sh_flow_kind kind; /* of the event that began it */
	enum sh_flow_kind op;   /* LIST: how the current pipeline is joined */
	bool otherwise;         /* IF: it has an `else`; CASE: a clause matches any word */
	bool clause;            /* CASE: it is not the first one */
};

struct var_loop {
	uint64_t sets; /* the variables that are set in it */
	bool lost;
};

struct var_run {
	struct sh *sh;
	char *mem, *end;
	struct var_frame *frame, *unused;
	struct var_loop *loop; /* the innermost one */
	struct var_state now;
	uint16_t all[SH_MAX_VARS]; /* all that is assigned to it anywhere in the line */
	uint16_t began[SH_MAX_VARS]; /* at the beginning */
	uint16_t plain[SH_MAX_VARS]; /* those of its values that are never split, and no
				      * pattern */
	uint16_t globs[SH_MAX_VARS]; /* those that are patterns: the variable is a name that they
				      * match */
	uint64_t dead;      /* variables that are set in a way that is not followed */
	uint64_t any_time;  /* variables that functions set */
	uint64_t moved;     /* variables of which this walk found new values */
	uint64_t bytes;     /* that may still be copied */
	uint32_t functions; /* around the place */
	uint32_t walk;
	bool lost;     /* nothing is known anywhere */
	bool splits;   /* IFS is set somewhere */
	bool strange;  /* something makes all unknown somewhere */
	bool exported; /* another process may run the functions */
	bool arrays;
	bool code;    /* the words are those of an eval */
	bool changed; /* this walk found something new: walk again */
	bool apply;   /* the last walk: the words are changed */
};

static inline uint64_t var_bit(uint32_t var)
{
	return 1ULL << (var - 1);
}

/* --- names (var_state.c) --------------------------------------------------- */

/* Does the shell itself set this variable, or read it, or not let it be set? */
bool var_is_special(const struct sh_var *v);
/* Everything is unknown from here on. */
void var_lost(struct var_run *r);
/* This name is set in a way that is not followed. */
void var_kill(struct var_run *r, const char *name, size_t n);
/* The positional parameters are not what they were at the beginning. */
void var_kill_positional(struct var_run *r);
/* What follows from it that this name is set at all. */
void var_name_set(struct var_run *r, const char *name, size_t n);
/* This name surely becomes one of these. `maybe`: or stays what it is. */
void var_assign(struct var_run *r, const char *name, size_t n, uint16_t may,
		bool maybe);
/* What the variable may be here. */
uint16_t var_read(const struct var_run *r, uint32_t var);

/* --- words (var_value.c) --------------------------------------------------- */

/* The only text that the word can be here; false: there may be others. */
bool var_text(struct var_run *r, const struct sh_word *w, const char **ret_p,
	      size_t *ret_n);
/* What the variable `name` may be after it got the value of the word, from byte `from`
 * on. */
uint16_t var_value(struct var_run *r, const char *name, size_t n,
		   const struct sh_word *w, size_t from);
/* What the variable may be as a name that the word, a pattern of file names, matches; 0: the word
 * is another one. */
uint16_t var_pattern(struct var_run *r, uint32_t var, const struct sh_word *w);
/* The variable has this value at the beginning. */
void var_given(struct var_run *r, uint32_t var, const struct sh_text *t);
/* Is the variable a number here, whatever value it has? */
bool var_is_number(const struct var_run *r, uint32_t var);
/* Is all of the word known, and surely no option? */
bool var_is_operand(const struct var_run *r, const struct sh_word *w);
/* Changes the words of a command into what is known of them. */
void var_words(struct var_run *r, struct sh_word *w, uint32_t n);
/* The words that the shell makes of an unquoted variable with blanks in its value. At most
 * `cap`; 0: the word is another one, or not all of it is known. */
#define VAR_MAX_FIELDS 32
uint32_t var_fields(struct var_run *r, const struct sh_word *w, struct sh_text *ret,
		    uint32_t cap);
/* Puts these words in place of the first of n words that may be split. Returns how many
 * more words there are. */
uint32_t var_split(struct var_run *r, struct sh_word *w, uint32_t n);
/* The bit of this text as a value of the variable; UNKNOWN: there is no room. */
uint16_t var_bit_of(struct var_run *r, uint32_t var, const char *p, size_t n);

/* --- commands (var_command.c) ---------------------------------------------- */

/* Reads all commands once, for what holds in the whole line. */
void var_scan(struct var_run *r);
/* May its words be split without a change of what it does to variables? */
bool var_may_split(const struct sh_cmd *c);
/* A command runs. */
void var_command(struct var_run *r, const struct sh_cmd *c);

/* A piece of the block, or NULL. */
static inline void *var_take(struct var_run *r, size_t n)
{
	char *p = r->mem;

	n = (n + 7) & ~(size_t)7;
	if ((size_t)(r->end - p) < n) {
		r->lost = true;
		return NULL;
	}
	r->mem += n;
	return p;
}

#endif
