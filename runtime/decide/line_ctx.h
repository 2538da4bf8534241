/*
 * One line while it is decided: what each part of it needs, and the steps that it may
 * still take. Internal to decide/.
 */
#ifndef RUNTIME_DECIDE_LINE_CTX_H
#define RUNTIME_DECIDE_LINE_CTX_H

#include "runtime/base/automaton.h"
#include "runtime/decide/decide.h"
#include "runtime/decide/pool.h"

/* For one directory: the states of the automata that hide something, at the point where
 * the names in that directory begin (part_hidden.c). */
#define HIDDEN_STATES_MAX 16 /* if there are more, each word is decided in full */
struct hidden_at {
	const char *dir; /* NULL: none */
	uint32_t n;
	bool usable;
	struct dfa_walk at[HIDDEN_STATES_MAX];
	bool ends_differ[HIDDEN_STATES_MAX]; /* '/' and NUL have classes of their own */
};

/* All that is needed to decide one line. */
struct line_ctx {
	const struct decide_ctx *c;
	struct cmd_world world;
	struct pool pool;
	uint64_t work;     /* remaining steps of automata; 0: the limit is exceeded */
	uint64_t trial_work; /* the same for what is only tried; 0: nothing more is */
	struct bits may, must; /* clauses that match the current command */
	struct bits seen;  /* rules that may match some part */
	bool is_tail;      /* the words being matched are not a part, but the end of
	                      one */
	uint8_t asks_reading; /* a rule asks about reading: 0: not known yet, 1: none, 2: some */
	bool is_trial;     /* nothing of what is found now is reported */
	struct hidden_at hidden_at; /* for the directory that was asked about last */
	struct place_memory places;
	uint32_t looked; /* names of what is on the disk that were looked at */
};

/* The absolute path that literal text names in the directory. Where links are followed, a ".."
 * stays in it. `named`: see cmd_resolve_named(). */
static inline bool part_path(const struct line_ctx *l, const char *dir, const char *text, size_t n,
			     bool home, bool named, char path[CMD_GIVEN_MAX])
{
	if (l->c->look)
		return cmd_resolve_given(&l->world, dir, text, n, home, named, path);
	return named ? cmd_resolve_named(&l->world, dir, text, n, home, path, PATH_MAX) :
		       cmd_resolve_loosely(&l->world, dir, text, n, home, path, PATH_MAX);
}

static inline bool part_spend(struct line_ctx *l, uint64_t n)
{
	l->work = l->work > n ? l->work - n : 0;
	return l->work != 0;
}

/* Spends the steps of a decision about a file: all automata may read its path. */
static inline bool part_spend_file(struct line_ctx *l, const char *path)
{
	return part_spend(l, 64 + strlen(path) * l->c->b->matcher->automata.count / 2);
}

static inline void part_see(struct line_ctx *l, uint32_t rule)
{
	if (!l->is_trial)
		bits_add(&l->seen, rule);
}

#endif
