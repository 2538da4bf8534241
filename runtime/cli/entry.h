/* The decision at entry, and where the command's program is. */
#ifndef RUNTIME_CLI_ENTRY_H
#define RUNTIME_CLI_ENTRY_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"
#include "runtime/sandbox/sandbox.h"

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
/* The run's working directory has to be readable in the view: 0, or -1 with what
 * makes it unreadable, or what would make it readable, in err. */
int entry_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		    const char *project, struct rt_err *err);
/*
 * Looks the program up along `path` (the command's PATH, or NULL) in the view.
 * 0 and *ret_path (malloc'ed); or 126, 127 with the reason in err.
 */
int entry_lookup(const struct sandbox_run *run, const struct sandbox_view *view,
		 const char *path, char **ret_path, struct rt_err *err);

#endif
