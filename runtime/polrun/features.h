/* What this kernel, this user and this place can enforce; and, when the
 * sandbox could not be made, which of the known reasons it was. */
#ifndef RUNTIME_POLRUN_FEATURES_H
#define RUNTIME_POLRUN_FEATURES_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"

struct features {
	int userns;        /* 0, or the errno of clone3 with all namespaces */
	int maps;          /* 0, or the errno of writing the id maps */
	int mounts;        /* 0, or the errno of a mount inside */
	int proc;          /* 0, or the errno of a fresh /proc */
	int seccomp;       /* 0, or the errno of asking for RET_USER_NOTIF */
	int listener;      /* 0, or the errno of a listener (EBUSY: one exists) */
	int take;          /* 0, or the errno of taking a child's (pidfd_getfd) */
	int mount_api;     /* 0, or the errno of open_tree and mount_setattr */
	int landlock_abi;
	int nft;           /* 0, or the errno of a table in an own namespace */
	bool outer_filter; /* seccomp filters are loaded already */
	bool chrooted;
	bool ram_disk;     /* "/" is the kernel's first file system */
	bool root;         /* capabilities in the initial user namespace */
	long max_userns;   /* sysctls; -1: absent */
	long debian_clone, apparmor, yama;
	int ngroups;       /* supplementary groups that stay */
	char profile[120]; /* AppArmor's that confines polrun, or "" */
	char cgroup[200];  /* own cgroup v2 directory that is writable, or "" */
};

/* The host's uid 0, with or without capabilities: never mapped into a run. */
bool features_is_host_uid0(void);
/* Root means capabilities in the initial user namespace. */
int features_is_root(void);
void features_probe(struct features *ret);
/* What Landlock of this ABI lacks as a second wall, in words; "" for nothing. */
void features_landlock_lacks(int abi, char *out, size_t cap);
/* One line that names the reason and what to do; false where nothing is known
 * to be missing. */
bool features_reason(const struct features *f, char *out, size_t cap);
/* The same of a start whose step "nft" failed: false where tables can be made. */
bool features_nft_reason(const struct features *f, char *out, size_t cap);
/* "rules a, b, c and 12 more": those that would not hold without a sandbox. */
void features_rules(const struct bundle *b, char *out, size_t cap);
/* --doctor: feature by feature.  True when a bundle can run here. */
bool features_print(FILE *out, const struct features *f);

#endif
