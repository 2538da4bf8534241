/*
 * The files that ssh reads for the whole system.
 *
 * ssh refuses a file that /etc/ssh/ssh_config includes unless root or the caller owns it, and
 * in a run root's files belong to nobody.  So a run gets copies of these, which are its own.
 */
#ifndef RUNTIME_SANDBOX_SSH_CONFIG_H
#define RUNTIME_SANDBOX_SSH_CONFIG_H

#include <stddef.h>

#define SSH_CONFIG_MOST 16u

/*
 * Finds the files that ssh_config(5) of `etc` ("/etc/ssh") includes, also those that these include, in
 * whatever block they stand; at most SSH_CONFIG_MOST.  Only files that ssh would take: root's, which nobody else may write.
 * Writes their paths, which are malloc'ed and may be links, and returns their number.
 */
size_t ssh_config_find(const char *etc, char *ret[SSH_CONFIG_MOST]);

#endif
