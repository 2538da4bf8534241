/* The decision at entry: may the command run, and by which rule? */
#ifndef RUNTIME_ENTRY_ENTRY_H
#define RUNTIME_ENTRY_ENTRY_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"

struct entry {
	const char *line;        /* of -c, or NULL */
	const char *const *argv; /* what is executed; NULL-terminated */
	size_t argc;
	struct decision d;
	struct cmd_line parts;   /* in the block */
	void *block;             /* malloc'ed */
	char *shell;             /* the program that reads the line; malloc'ed */
	const char *shell_argv[5];
};

/*
 * `line` or argv.  Decides, and says what is executed: the argv, or for a line
 * exactly the shell of the policy's dialect.  *ret points into itself.
 */
int entry_decide(const struct decide_ctx *ctx, const char *line, char **argv, int argc,
		 struct entry *ret, struct rt_err *err);
#define ENTRY_WHY 460
/* "git push origin ...", cut and escaped, for a message: of the part of a line
 * that decided, or of one part. */
void entry_show(const struct entry *e, char *out, size_t cap);
void entry_show_part(const struct entry *e, const struct cmd_part *p, char *out,
		     size_t cap);
/* "rule ID at FILE:LINE: REASON" of a part; NULL: of the whole. */
void entry_show_why(const struct decide_ctx *ctx, const struct entry *e,
		    const struct cmd_part *part, char out[ENTRY_WHY]);
/* "rule ID at FILE:LINE: REASON" of any rule. */
void entry_show_rule(const struct bundle *b, uint32_t rule, char *out, size_t cap);
/* The same of the rule that forbids to read `path`.  False: it may be read, or the
 * policy has no rule about it. */
bool entry_show_unreadable(const struct decide_ctx *ctx, const char *path, char *out,
			   size_t cap);
void entry_release(struct entry *e);
/* permissions.mode: what an ask becomes that a person need not answer. */
enum pb_effect entry_ask_answer(const struct decide_ctx *ctx);

enum { ENTRY_ASKS = -1 };
/*
 * 0 where the run may go on; ENTRY_ASKS where somebody has to answer (ask.h);
 * else polrun's exit status (126) with the reason in err: who denied it.
 */
int entry_verdict(const struct decide_ctx *ctx, const struct entry *e,
		  struct rt_err *err);
#endif
