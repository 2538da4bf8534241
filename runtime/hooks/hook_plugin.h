/* The programs that ask polquery in opencode and pi, which run no commands as hooks. */
#ifndef RUNTIME_HOOKS_HOOK_PLUGIN_H
#define RUNTIME_HOOKS_HOOK_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/hooks/hook_say.h"

/* The whole file, with the line that it gives to /bin/sh; malloc'ed, or NULL. */
char *hook_plugin_text(enum hook_agent agent, const char *line);
/* Was the file written by `install`, of this version or another? */
bool hook_plugin_is_ours(enum hook_agent agent, const char *text);
/* Makes the folders in which the file is to stand, mode 0700. */
int hook_plugin_make_folders(const char *path, struct rt_err *err);
/* For the doctor: the file of `n` bytes and a NUL.  Only what `install` writes is known to ask. */
void hook_plugin_look(struct hook_look *l, const char *text, size_t n);
/* … and what else, here and above, may keep it from asking or change what was decided. */
void hook_plugin_look_around(struct hook_look *l);

#endif
