/* Removes a folder with everything in it. */
#ifndef RUNTIME_STAGE_STAGE_REMOVE_H
#define RUNTIME_STAGE_STAGE_REMOVE_H

/* Whatever a run has made in it: modes that forbid looking, any depth.  0 or -errno. */
int stage_remove_tree(int dir, const char *name);

#endif
