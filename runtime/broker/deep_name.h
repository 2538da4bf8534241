/*
 * What an object is called whose name is longer than a page.  The kernel does not tell it: reading
 * the link in /proc fails with ENAMETOOLONG, as getcwd(2) does.
 *
 * Of a directory the directories above it are searched for it, one after the other, up to one
 * whose name the kernel tells: as getcwd(3) does it.  They have to be readable.  Of a file it is
 * /proc/PID/maps that tells the whole name, while a page of it is mapped; the file has to be readable.
 *
 * It is racy, as all that is read of a process: the path counts, by which the object is then found.
 */
#ifndef RUNTIME_BROKER_DEEP_NAME_H
#define RUNTIME_BROKER_DEEP_NAME_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/broker/name_text.h"

/* The supervisor has other work: one search goes up so many directories, and reads one piece of each
 * and so many more. */
#define DEEP_NAME_LEVELS 4096u
#define DEEP_NAME_READS 256u

/* The directory that was named last: whoever makes directories one in the other, or removes them, asks
 * about the next one.  It is found again from a directory above it whose name the kernel tells. */
struct deep_last {
	int top; /* O_PATH of that one; -1: nothing is remembered */
	size_t top_len; /* of its name in `text` */
	char *text; /* malloc'ed */
	dev_t dev; /* of the directory, as ino */
	ino_t ino;
};

#define DEEP_LAST_NONE { .top = -1 }
void deep_last_release(struct deep_last *l);

/* `proc_fd`: O_PATH of /proc.  `fd`: a directory (O_PATH), or a file that is open for reading; neither
 * is closed.  `last` may be NULL.  0 and *ret is absolute, as the links of /proc are, with " (deleted)" behind what is gone;
 * or -errno: -ENOENT: it has no name; -ENAMETOOLONG: it is not to be found out. */
int deep_name_of_dir(int proc_fd, int fd, struct deep_last *last, struct name_text *ret);
int deep_name_of_file(int proc_fd, int fd, struct name_text *ret);
/* tracee_base(), whatever length the name has. */
int deep_name_of_base(int proc_fd, pid_t pid, int dirfd, struct deep_last *last, struct name_text *ret);

#endif
