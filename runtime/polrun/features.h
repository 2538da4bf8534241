/* What this kernel, user and place can enforce; and if the sandbox could not be made,
 * which of the known reasons it was. */
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
	int take;          /* 0, or the errno of taking a child's listener (pidfd_getfd) */
	int mount_api;     /* 0, or the errno of open_tree and mount_setattr */
	int landlock_abi;
	int nft;           /* 0, or the errno of making the rules of a limited network in
	                      a network namespace of its own */
	const char *nft_module; /* what is missing then */
	bool outer_filter; /* seccomp filters are loaded already */
	bool chrooted;
	bool ram_disk;     /* "/" is the file system that the kernel unpacked at boot */
	bool root;         /* capabilities in the initial user namespace */
	long max_userns;   /* sysctls; -1: absent */
	long debian_clone, apparmor, yama;
	int ngroups;       /* number of supplementary groups that cannot be dropped */
	char profile[120]; /* AppArmor profile that confines polrun, or "" */
	char cgroup[200];  /* polrun's cgroup v2 directory if it is writable, or "" */
};

/* True for uid 0 of the host, with or without capabilities: it is never mapped into a
 * run. */
bool features_is_host_uid0(void);
/* Root means: having capabilities in the initial user namespace. */
int features_is_root(void);
void features_probe(struct features *ret);
/* Says what Landlock of this ABI lacks as a second wall; "" for nothing. */
void features_landlock_lacks(int abi, char *out, size_t cap);
/* Writes one line with the reason and what to do about it.  False if nothing is known
 * to be missing. */
bool features_reason(const struct features *f, char *out, size_t cap);
/* The same for a start whose step "nft" or "gate" failed.  False if nothing is missing. */
bool features_nft_reason(const struct features *f, char *out, size_t cap);
/* "rules a, b, c and 12 more": the rules that would not hold without a sandbox. */
void features_rules(const struct bundle *b, char *out, size_t cap);
/* For --doctor: prints each feature.  True if a bundle can run here. */
bool features_print(FILE *out, const struct features *f);

/* Says why a sandbox could not be started: what is missing, the rules that need it, and what to
 * do about it. */
void features_refuse(FILE *out, const struct bundle *b, const struct rt_err *err);

/* Can a run have a listener here?  Tries it. */
bool features_has_listener(void);

/* Was it only that no listener could be had?  A second one in one chain of filters fails with
 * EBUSY, and a security module (Yama at ptrace_scope 3) may forbid taking it.  Says so. */
bool features_no_listener(FILE *out, const struct rt_err *err);

#endif
