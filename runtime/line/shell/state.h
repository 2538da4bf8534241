/*
 * What is known while shell text is read: the text, its place in the line, the block of
 * memory, messages and limits. For the files of this folder only.
 */
#ifndef RUNTIME_LINE_SHELL_STATE_H
#define RUNTIME_LINE_SHELL_STATE_H

#include <string.h>

#include "runtime/line/shell/shell.h"

/* The text that is being read: the copy of the line, or an unescaped part of it. */
struct shell_src {
	char *text;
	char *out;        /* as long as text; holds unquoted bytes, at the offset where
	                     they came from */
	uint32_t n;
	uint32_t from, to; /* its place in the line, unless it is the line */
	bool line;
	const char *open;  /* after the innermost quote that was never closed */
};

struct shell_heredoc {
	struct sh_redir *redir;
	struct shell_heredoc *next;
	struct sh_cmd *cmd;
	bool tabs; /* <<- */
};

struct shell {
	struct sh *ret;
	const char *p;
	struct shell_src src;
	char *mem, *mem_end;
	struct sh_cmd **tail;
	struct sh_flow **flow, *last; /* last: the one that was added last */
	struct sh_cmd *cmd;  /* the command whose words hold the substitutions */
	struct sh_cmd *func;
	struct shell_heredoc *pending, **pending_tail;
	uint32_t marks;
	uint32_t depth;
	uint32_t rereads;    /* how often text may still be read a second time */
	uint32_t brace_work; /* steps and bytes that braces may still use */
	uint32_t parens;     /* subshells and arrays that are not closed yet */
	uint32_t semicolons; /* in the arithmetic that was read; 9 and more: too many */
	bool posix;
	bool extglob;        /* an earlier line had shopt -s extglob */
	bool extglob_next;
	uint32_t patterns;   /* patterns of ${x#…} and the like around this, within one
	                        substitution */
	bool inner_quotes;   /* the next double quotes are inside bash's "${x-…}" */
	bool arrays;         /* a word of the next command may be NAME=(…) */
	const char *number;  /* where the $((…)) began that was read last */
	bool high;           /* the line has bytes that are not ASCII */
	bool quiet;          /* this text is read again: list no commands */
};

/* The memory is zeroed. NULL if the block is exhausted; this is reported. */
void *shell_alloc(struct shell *s, size_t n);
/* The same, but not zeroed. */
char *shell_bytes(struct shell *s, size_t n);
/* Keeps the first message. Always returns false. */
bool shell_fail(struct shell *s, const char *at, const char *why);
bool shell_limit(struct shell *s, const char *why);
/* Counts one more reading of the same text. false: the limit is exceeded. */
bool shell_again(struct shell *s);
uint32_t shell_offset(const struct shell *s, const char *p);
bool shell_deeper(struct shell *s);
/* Adds a new command at the end of the list. */
struct sh_cmd *shell_cmd(struct shell *s, enum sh_kind kind, const char *from);

/* Adds a place of this kind to the flow, at the end or at `at`. */
bool shell_flow(struct shell *s, enum sh_flow_kind kind, struct sh_cmd *c);
bool shell_flow_at(struct shell *s, struct sh_flow **at, enum sh_flow_kind kind,
		   struct sh_cmd *c);
/* The number of the variable with this name; 0: there are too many. */
uint32_t shell_var(struct shell *s, const char *name, size_t n);

static inline bool shell_is_limit(const struct shell *s)
{
	return s->ret->status == SH_LIMIT;
}

/* Sets SH_EVALUATES, because of `what`. Only the first reason of a command is kept. */
static inline void shell_evaluates(struct sh_cmd *c, const char *what)
{
	if (!c)
		return;
	if (!c->evaluates)
		c->evaluates = what;
	c->marks |= SH_EVALUATES;
	c->evaluates_more = true;
}

#endif
