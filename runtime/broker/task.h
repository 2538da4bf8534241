/* One call that is being made, and what all actions need of it.  Internal to
 * broker/. */
#ifndef RUNTIME_BROKER_TASK_H
#define RUNTIME_BROKER_TASK_H

#include <errno.h>

#include "runtime/broker/broker.h"
#include "runtime/broker/decode.h"

#define BROKER_READ_SIZE 4096

/* What is too large for the stack. */
struct broker_work {
	struct broker_decoded decoded;
	/* of a directory that is moved, and of those below it */
	_Alignas(8) char read[BROKER_MOST_DEEP + 1][BROKER_READ_SIZE];
	/* of a link */
	char text[PATH_MAX];
};

struct broker_act {
	struct broker *b;
	const struct broker_call *c;
	struct broker_result *ret;
	struct broker_spot *at; /* what c->path leads to */
	struct broker_spot *to; /* link, rename: what c->to leads to */
};

/* Refuses for this reason, about this path.  Returns -err. */
int broker_refuse(struct broker_act *a, int err, enum broker_reason reason,
		  const char *subject);
/* Refuses because `rule` keeps the object from being read by one name, and it could be read by
 * another one.  Returns -EACCES. */
int broker_refuse_unread(struct broker_act *a, uint32_t rule, const char *subject);
/* What is there under this name is about to change: see broker_rules.touches. */
void broker_touch(const struct broker_act *a, const char *path, int dir, const char *name);
/* 0 if the rules allow writing (and reading) the name of the spot, else -EACCES.  Only
 * broker_may_write() takes it for about to change. */
int broker_may_write(struct broker_act *a, const struct broker_spot *s, bool is_dir);
int broker_might_write(struct broker_act *a, const struct broker_spot *s, bool is_dir);
int broker_may_read(struct broker_act *a, const struct broker_spot *s, bool is_dir);
/* The caller, for a walk to what is read, or started: a link is not followed if a rule denies that
 * at a name that leads through the link.  Where reading, or starting, is not decided by name no rule
 * is asked. */
struct broker_caller broker_reader(struct broker_act *a);
struct broker_caller broker_starter(struct broker_act *a);
/* The same of being executed, which reads it as well. */
int broker_may_start(struct broker_act *a, const struct broker_spot *s);
/* 0, or what is refused (EBUSY) if the name must not go away. */
int broker_may_go(struct broker_act *a, const char *path);
/* May the name become the other one?  Both are written, and what must not be read must
 * not become readable.  `reason` is that of a denial by a rule. */
int broker_may_move(struct broker_act *a, const char *from, const char *to, bool is_dir,
		    enum broker_reason reason);
/* What was there under this name before the call is there no more. */
void broker_removed(const struct broker_act *a, const struct broker_spot *s);
/* May what the file holds be written, by each name that it has? */
int broker_may_write_names(struct broker_act *a, const struct broker_spot *s);
/* 0, or -ETXTBSY: it is a program that runs, and could be written else. */
int broker_may_change_program(struct broker_act *a, const struct broker_spot *s);
/* Takes on the calling thread's umask.  0, and *ret_own is to be set again afterwards, or
 * -EIO: it is not known. */
int broker_take_umask(const struct broker_act *a, mode_t *ret_own);
/* 0, or what the call has set. */
static inline int broker_done(int r)
{
	return r == 0 ? 0 : -errno;
}

#endif
