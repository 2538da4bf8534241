/* The action of each call.  Internal to broker/. */
#ifndef RUNTIME_BROKER_ACTIONS_H
#define RUNTIME_BROKER_ACTIONS_H

#include "runtime/broker/task.h"

/* Each returns 0, an -errno for the run (ret->reason says whose), or BROKER_NOT_OURS;
 * broker_exec() also BROKER_LATER. */
int broker_open(struct broker_act *a);
int broker_mkdir(struct broker_act *a);
int broker_mknod(struct broker_act *a);
int broker_symlink(struct broker_act *a);
int broker_remove(struct broker_act *a); /* unlink, rmdir */
int broker_link(struct broker_act *a);
int broker_rename(struct broker_act *a);
/* A rename whose new name no run may write, and whose content may be there all the same; else
 * BROKER_NOT_OURS: it is an ordinary one. */
int broker_replace(struct broker_act *a);
/* A rename over a file that is mounted alone, or a second name for it, of one whose paths are not the broker's;
 * else BROKER_NOT_OURS: the kernel says that something is mounted there. */
int broker_save(struct broker_act *a);
int broker_truncate(struct broker_act *a);
int broker_chmod(struct broker_act *a);
int broker_chown(struct broker_act *a);
int broker_utimens(struct broker_act *a);
int broker_xattr(struct broker_act *a); /* set, remove */
int broker_access(struct broker_act *a);
int broker_bind(struct broker_act *a);
int broker_exec(struct broker_act *a);

/* What is refused of a new name before any rule is asked, as the kernel does, and by
 * the rules. */
int broker_may_make(struct broker_act *a, bool is_dir);

/* May a link that says `text` lie at this path?  0 or what broker_refuse() returns. */
int broker_may_lead(struct broker_act *a, const char *path, const char *text);
/* The same of the link that is `name` in a directory, or the object itself (""). */
int broker_may_lead_as(struct broker_act *a, const char *path, int fd, const char *name);

/* What the kernel says of the arguments before it looks at a path: 0, -errno or
 * BROKER_NOT_OURS. */
int broker_check_open(const struct broker_call *c);
int broker_check_mknod(const struct broker_call *c);
int broker_check_symlink(const struct broker_call *c);
int broker_check_rename(const struct broker_call *c);
int broker_check_truncate(const struct broker_call *c);
int broker_check_utimens(const struct broker_call *c);
int broker_check_xattr(const struct broker_call *c);
int broker_check_access(const struct broker_call *c);

#endif
