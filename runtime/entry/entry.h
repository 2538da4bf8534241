/* The decision at entry: may the command run, and by which rule? */
#ifndef RUNTIME_ENTRY_ENTRY_H
#define RUNTIME_ENTRY_ENTRY_H

#include "runtime/base/err.h"
#include "runtime/decide/decide.h"
#include "runtime/libpol/pol.h"

struct entry {
	const char *line;        /* of -c, or NULL */
	const char *const *argv; /* what will be executed; NULL-terminated */
	size_t argc;
	struct decision d;
	struct cmd_line parts;   /* stored in `block` */
	void *block;             /* malloc'ed */
	char *shell;             /* the program that interprets the line; malloc'ed */
	const char *shell_argv[5];
};

/*
 * Decides `line` or argv, and says what will be executed: the argv, or for a line
 * exactly the shell of the policy's dialect.  *ret points into itself.
 */
int entry_decide(const struct decide_ctx *ctx, const char *line, char **argv, int argc,
		 struct entry *ret, struct rt_err *err);
#define ENTRY_WHY 460
/* Writes "git push origin ...", cut and escaped, for a message: the part of the line
 * that decided, or one part. */
void entry_show(const struct entry *e, char *out, size_t cap);
void entry_show_part(const struct entry *e, const struct cmd_part *p, char *out,
		     size_t cap);
/* Writes "rule ID at FILE:LINE: REASON" for a part; NULL: for the whole command. */
void entry_show_why(const struct decide_ctx *ctx, const struct entry *e,
		    const struct cmd_part *part, char out[ENTRY_WHY]);
/* The same for any rule. */
void entry_show_rule(const struct bundle *b, uint32_t rule, char *out, size_t cap);
/* The same for the rule that forbids reading `path`.  False: it may be read, or no rule
 * of the policy is about it. */
bool entry_show_unreadable(const struct decide_ctx *ctx, const char *path, char *out,
			   size_t cap);
/* Adds "; to pass: …" to the message about a part (NULL: nothing), if there is room for
 * all of it. */
void entry_add_hint(const struct decide_ctx *ctx, const struct cmd_part *part,
		    struct rt_err *err);
/* The request that was decided; its texts belong to *ctx and *e. */
struct pol_request entry_request(const struct decide_ctx *ctx, const char *line,
				 const char *const *argv, size_t argc);
/* What the policy says about a connection; `host` is a name or an address, the caller's. */
int entry_decide_net(const struct decide_ctx *ctx, const char *host, uint16_t port, bool udp,
		     struct pol_request *ret, struct decision *ret_d, struct rt_err *err);
/* What it says about a file (one bit of enum pb_op), and about a socket file. */
int entry_decide_file(const struct decide_ctx *ctx, const char *path, uint8_t op,
		      struct pol_request *ret, struct decision *ret_d, struct rt_err *err);
int entry_decide_unix(const struct decide_ctx *ctx, const char *path, struct pol_request *ret,
		      struct decision *ret_d, struct rt_err *err);
void entry_release(struct entry *e);
/* permissions.mode: what happens to an ask that no person has to answer. */
enum pb_effect entry_ask_answer(const struct decide_ctx *ctx);

enum { ENTRY_ASKS = -1 };
/*
 * 0 if the run may continue; ENTRY_ASKS if somebody has to answer (ask.h); else
 * polrun's exit status (126), with the rule that denied it in err.
 */
int entry_verdict(const struct decide_ctx *ctx, const struct entry *e,
		  struct rt_err *err);
#endif
