/*
 * Whether the view and the policy refuse what a call does at a path inside, and by which
 * rule.  Each function records the denial, if there is one, and what was asked for.  `exists`: the path exists
 * inside.  Used only for messages.
 */
#ifndef RUNTIME_SUPERVISE_JUDGE_H
#define RUNTIME_SUPERVISE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sandbox/sandbox.h"
#include "runtime/supervise/denials.h"
#include "runtime/supervise/touched.h"

struct judge {
	const struct sandbox_run *run;
	const struct sandbox_view *view;
	struct denials *denials;
	struct touched *touched; /* or NULL */
};

/* `op` (a pb_op bit) at the path.  With must_exist a path that exists nowhere is no
 * denial. */
void judge_file(const struct judge *j, uint8_t op, const char *path, bool must_exist,
		bool exists);
/* A directory that holds something protected is a mount itself (its pin), so moving it
 * fails with EBUSY. */
void judge_move(const struct judge *j, const char *path, bool exists);
/* Looking at the name: denied only if the view hides it. */
void judge_stat(const struct judge *j, const char *path, bool exists);
/* `flags` of open(2). */
void judge_open(const struct judge *j, uint64_t flags, const char *path, bool exists);
/* Is there a mask instead of what the host has? */
bool judge_is_masked(const struct judge *j, const char *path);
/* A connection to a socket file; refused: it does not exist inside, or is masked. */
void judge_socket(const struct judge *j, const char *path, bool refused);

#endif
