/* Reads a traced caller's memory, directories and paths.  All of it is racy:
 * what was read is the caller's only if it still waits for its answer afterwards. */
#ifndef RUNTIME_BROKER_TRACEE_H
#define RUNTIME_BROKER_TRACEE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * Limits what one call may cost the supervisor, which also serves all other callers,
 * the signals and the clock.  A path of 4,095 bytes has 2,048 names: a binary search
 * takes 11 resolutions, and the path itself one more, for each of the two paths of
 * rename(2).  One resolution follows at most 40 links (path_resolution(7)), with up to
 * 80,000 names in them.
 */
#define TRACE_MAX_RESOLUTIONS 28
#define TRACE_MAX_MS 1000

/* Resolves the paths of one call after the other. */
struct tracee_paths {
	int proc_fd; /* O_PATH of /proc; -1: nothing can be traced */
	int root_fd; /* O_PATH of the sandbox's root */
	/* number of paths resolved for the current call */
	unsigned resolutions;
	struct timespec begun; /* time of the first resolution */
	bool given_up;         /* the call has used up its share: its denials count as
				  lost */
};

/* Returns the number of bytes read, at most len; 0 if the memory is not mapped. */
size_t tracee_read(pid_t pid, uint64_t addr, void *buf, size_t len);
/* Reads a NUL-terminated string; false if there is none or it is longer than cap. */
bool tracee_string(pid_t pid, uint64_t addr, char *buf, size_t cap);
/* The directory, as the caller's mounts name it now, from which a relative path starts:
 * its working directory (AT_FDCWD), or a descriptor.  proc_fd: of /proc.  0, or what the kernel says of
 * such a path: -ENOENT, -EBADF; -ENAMETOOLONG: its name is longer (deep_name.h). */
int tracee_base(int proc_fd, pid_t pid, int dirfd, char out[PATH_MAX]);
/* This directory, O_PATH; or -errno. */
int tracee_open_base(int proc_fd, pid_t pid, int dirfd);
/* What a link of /proc leads to; false: to no absolute path, or (errno is ENAMETOOLONG) to one that is
 * too long for it. */
bool tracee_link(int dir, const char *name, char out[PATH_MAX]);
/*
 * What is gone has no name: /proc tells the last one with " (deleted)" behind it, which
 * may meanwhile be that of another object.  One that really is called so looks the same: it is
 * found there.
 */
bool tracee_is_gone(const char *path);
#define TRACEE_NUMBER 16
void tracee_number_text(unsigned n, char out[TRACEE_NUMBER]);
/* The number behind "FIELD:" in a file of /proc; in the thread's status. */
bool tracee_number(int proc_fd, const char *file, const char *field, int base,
		   unsigned long *ret);
bool tracee_status(int proc_fd, pid_t pid, const char *field, int base,
		   unsigned long *ret);
/*
 * A signal that a thread waits for in vain, because polrun has its call: only what kills it ends its wait then.
 * TRACEE_SIGNAL_OWN: it is for this thread, so that the kernel looks at it as soon as the call returns.
 * TRACEE_SIGNAL_ANY: any thread of the process may take it.
 */
enum tracee_signal { TRACEE_SIGNAL_NONE, TRACEE_SIGNAL_ANY, TRACEE_SIGNAL_OWN };
enum tracee_signal tracee_signal(int proc_fd, pid_t pid);
/* Could the thread get one more descriptor (RLIMIT_NOFILE)?  True if it is not known. */
bool tracee_has_room(int proc_fd, pid_t pid);
/* A pidfd of the thread, or (*ret_of_process) before Linux 6.9 of its process; -1. */
int tracee_pidfd(int proc_fd, pid_t pid, bool *ret_of_process);
/*
 * Resolves `raw` as the caller means it: absolute, inside the sandbox, with links
 * resolved as far as the path exists there.  *ret_exists: all of it exists inside.
 * False if it cannot be resolved, or if this call has used up its share (p->given_up).
 */
bool tracee_path(struct tracee_paths *p, pid_t pid, int dirfd, const char *raw,
		 bool follow, char out[PATH_MAX], bool *ret_exists);

#endif
