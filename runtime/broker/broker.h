/*
 * The write broker: makes a writing call for the run, in trees that the run itself sees
 * read-only.  It finds by descriptors what the call names, asks the rules about that
 * name, and acts on the same descriptors.
 *
 * Who uses it sees to the following:
 *
 * - It acts with the credentials, groups and root of the calling process: they must be
 * those of the run, also those of the file system (setfsuid).  Root acts for root only.
 * - It is called by one thread.  While it acts, no other call of the run can change a
 * name in a brokered tree: they all come here, one after the other.
 * - Nothing of it depends on its working directory while the broker acts.
 * - SIGXFSZ is ignored: truncating meets the limit of the calling process, beside that of the
 * process whose call it is.
 * - The descriptor of a tree is as tree.h says.
 *
 * It opens nothing but regular files, FIFOs, and directories that it reads itself.  No
 * descriptor of a directory is handed out, which would lead out of the view by "..".
 * One that was opened only for reading in a tree of `trees` is not either: it could be
 * opened again for writing in /proc/self/fd, past the mount that the run sees.  Those of
 * `reads` lie on that mount.
 *
 * Time: one request makes at most about BROKER_MOST_STEPS short calls of the kernel for
 * each of its paths, and for a directory that is moved looks at BROKER_MOST_MOVED names
 * in at most BROKER_MOST_MS.  It looks at the clock between these calls: a request
 * that is too late (broker_caller.until) is refused (EIO), and nothing was done.  One
 * call to a file system that does not answer (NFS, FUSE) holds it up all the same.  It
 * never waits for the caller.  Who lets a call wait (`later`) sees to it that it is asked again.
 *
 * It needs less than 64 KiB of stack.
 */
#ifndef RUNTIME_BROKER_BROKER_H
#define RUNTIME_BROKER_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "runtime/broker/resolve.h"
#include "runtime/broker/tracee.h"
#include "runtime/broker/tree.h"

#define BROKER_MOST_MOVED 20000
#define BROKER_MOST_DEEP 64
#define BROKER_MOST_MS 100
#define BROKER_PAUSE_MS 2
#define BROKER_TEMPORARY "config.polrun" /* of such a file, for a moment: no run may write this name anywhere */
#define BROKER_MOST_REPLACED 65536u /* bytes of a file that is replaced: broker_rules.may_replace */

enum broker_op { BROKER_READ, BROKER_WRITE, BROKER_START };

#define BROKER_NO_RULE UINT32_MAX

enum broker_lock { BROKER_LOCK_NONE, BROKER_LOCK_SHARED, BROKER_LOCK_ALONE };

/* What the rules say.  Whatever they do not know is no. */
struct broker_rules {
	void *arg;
	/* May the run do `op` at this resolved path inside?  *ret_rule is set if not.
	 */
	bool (*allows)(void *arg, enum broker_op op, const char *path, bool is_dir,
		       uint32_t *ret_rule);
	/* Does a rule deny `op` at this name, by which the run reaches something through a symbolic
	 * link?  What no rule matches is not denied: an allow is asked of the physical path.
	 * *ret_rule is set if so.  NULL: names of links do not count. */
	bool (*denies)(void *arg, enum broker_op op, const char *name, uint32_t *ret_rule);
	/* Whatever lies below the directory, may the run do `op` to all of it?  NULL:
	 * not known, what is there is looked at. */
	bool (*allows_below)(void *arg, enum broker_op op, const char *dir);
	/* The run is about to get `fd`, which writes a file; or (`linked`, O_PATH) a
	 * file of this name has, or is about to have, another name by the run.  `object`, if
	 * it is not NULL, is an O_PATH descriptor of it (or -1), and -1 if it was taken.  0, or
	 * -errno: the run does not get it.  NULL: nobody wants to know. */
	int (*hold)(void *arg, int fd, int *object, bool linked);
	/* Could it hold one more?  0 or -errno.  NULL: always. */
	int (*make_room_to_hold)(void *arg);
	/* The run is about to open a FIFO: calls that have waited for its other end come first.  NULL: none waits. */
	void (*opens_fifo)(void *arg, dev_t dev, ino_t ino);
	/* Nobody has opened the other end of the FIFO.  May the call wait, as broker_result.later says?  NULL: none may. */
	bool (*may_wait)(void *arg);
	/* The run is about to start the program `object` (O_PATH).  0, or -errno: the kernel
	 * will not be able to open it.  BROKER_LATER: it will be, but not yet; the caller is to wait
	 * until the whole call is decided anew.  NULL: the kernel can open all of them. */
	int (*start)(void *arg, int object, dev_t dev, ino_t ino);
	/* If this file is a copy of a program that has changed since: *ret is the program
	 * (O_PATH, the caller's), else -1.  0 or -errno.  NULL: there are no copies. */
	int (*changed)(void *arg, dev_t dev, ino_t ino, int *ret);
	/* Has anybody this regular file (O_PATH) open, or may it be so?  NULL: nobody has. */
	bool (*in_use)(void *arg, int object);
	/* Has this regular file or FIFO (O_PATH), which has several names, one that the run must not write?  1: then ret_path
	 * (PATH_MAX) and *ret_rule say which.  0: none is known.  -E2BIG: there is too much to look at.  NULL: none
	 * has. */
	int (*denied_name)(void *arg, int object, char *ret_path, uint32_t *ret_rule);
	/* Must what has this name keep it?  *ret_rule is set if so.  NULL: nothing must. */
	bool (*stays)(void *arg, const char *path, uint32_t *ret_rule);
	/* May a symbolic link at this path lead to `target` (NULL: not known where)?  Not if what
	 * is denied below the link could be written below the target.  NULL: it may.  */
	bool (*allows_link)(void *arg, const char *path, const char *target, uint32_t *ret_rule);
	/* May the run give a socket this name?  *ret_rule is set if not.  NULL: it may. */
	bool (*allows_socket)(void *arg, const char *path, uint32_t *ret_rule);
	/* The run has made the directory `name` in `dir`.  NULL: nobody wants to know. */
	void (*makes_dir)(void *arg, int dir, const char *name);
	/* What has this name is about to be changed: it may be made, written, moved or removed.
	 * `name` in `dir` is what is there ("": dir itself); dir -1: nothing.  NULL: nobody wants
	 * to know. */
	void (*touches)(void *arg, const char *path, int dir, const char *name);
	/* A name of this regular file or FIFO (O_PATH) was removed.  NULL: nobody wants to know. */
	void (*removed)(void *arg, int object);
	/* Does a program run from a copy of this file?  The kernel, which would say ETXTBSY of the file
	 * itself, does not know.  NULL: there are no copies. */
	bool (*runs)(void *arg, int object, dev_t dev, ino_t ino);
	/* `rule` lets no run write the file of this name, which rename(2) is about to replace.  May its
	 * content become `is`?  With `is` NULL: may any content at all?  NULL: never. */
	bool (*may_replace)(void *arg, const char *path, uint32_t rule, const char *was, size_t nwas,
			    const char *is, size_t nis);
	/* Called every BROKER_PAUSE_MS while one call looks at many names: the supervisor sees
	 * whether a protected path was lost.  False: the run is over.  NULL: nothing is to be seen. */
	bool (*pause)(void *arg);
	/* Another run may act on the same directories at the same time.  A call that makes a name takes
	 * the lock shared before it looks for its paths; one that moves a directory takes it alone, so that
	 * nothing appears in it between the look at its names and the move.  0, BROKER_LATER, or -errno:
	 * it cannot be had.  BROKER_LOCK_NONE gives it back.  NULL: there is no other run. */
	int (*lock)(void *arg, enum broker_lock how);
};

enum broker_verb {
	BROKER_OPEN,  /* flags: O_*, mode.  Also creat(2) */
	BROKER_MKDIR, /* mode */
	BROKER_RMDIR,
	BROKER_MKNOD,   /* mode with its type: a regular file or a FIFO */
	BROKER_SYMLINK, /* text: where it leads */
	BROKER_LINK,    /* to; follow */
	BROKER_UNLINK,
	BROKER_RENAME,      /* to; flags: RENAME_* */
	BROKER_TRUNCATE,    /* length */
	BROKER_CHMOD,       /* mode; follow */
	BROKER_CHOWN,       /* uid, gid, as this process knows them; follow */
	BROKER_UTIMENS,     /* times; follow */
	BROKER_SETXATTR,    /* text: its name; value, size; flags: XATTR_*; follow */
	BROKER_REMOVEXATTR, /* text; follow */
	BROKER_ACCESS,      /* mode: R_OK, W_OK, X_OK; flags: AT_EACCESS; follow */
	BROKER_BIND,        /* fd: the caller's socket */
	BROKER_EXEC,        /* follow.  It is the kernel's, if it is not refused */
	BROKER_CONFINE,     /* the caller makes walls of its own (Landlock).  Always the kernel's */
	BROKER_VERB_COUNT
};

struct broker_path {
	const char *raw; /* as the run wrote it */
	const char *
		base; /* from where a relative one starts: absolute, physical, inside */
};

#define BROKER_UMASK_ASK 01000 /* it is that of the calling thread */

struct broker_call {
	struct broker_caller by;
	enum broker_verb verb;
	bool follow; /* a link at the end of `path`; open and truncate need not say it
		      */
	struct broker_path path, to;
	uint64_t flags;
	mode_t mode, umask;
	uid_t uid;
	gid_t gid;
	off_t length;
	int fd;
	struct timespec times[2];
	const char *text;
	const void *value;
	size_t size;
};

/* Why the answer is what it is. */
enum broker_reason {
	BROKER_BY_KERNEL, /* the call was made, or the path has no such object */
	BROKER_BY_RULE,   /* `rule` denies `subject` */
	BROKER_BY_MOVED,  /* `rule` denies `subject`, which would be moved along */
	BROKER_BY_NAME,   /* `rule` denies `subject`, another name of the file */
	BROKER_BY_SOCKET, /* `rule` lets no run connect to a socket named `subject`, so that none
			     gets this name */
	BROKER_BY_MANY,   /* too much would be moved along to look at all of it */
	BROKER_BY_UNREAD, /* what must not be read by one name could be by another one */
	BROKER_BY_LINK,   /* `rule` denies a name below `subject`, a link, which could be
			     written at another place */
	BROKER_BY_MOUNT,  /* another mount stands in the way */
	BROKER_BY_KIND,   /* not for this kind of object: a device, a socket, a FIFO on a read-only mount */
	BROKER_BY_WAITING, /* too many calls wait for the other end of a FIFO */
	BROKER_BY_CLOSED, /* polrun has to open it for the call, and cannot: its attributes */
	BROKER_BY_NATURE, /* what no run may do: a device, a whiteout, this attribute */
	BROKER_BY_CHANGE, /* what is there has changed each time that it was looked at
			   */
	BROKER_BY_COPY,   /* the program could not be copied for its start */
	BROKER_BY_UNDECIDED, /* a path through a link of a process that tells no path; `subject` is
				as the run wrote it */
	BROKER_BY_LATE,   /* the caller has waited too long; `subject` is as it wrote it
			   */
};

/* What refuses a call of which no rule says no; NULL: a rule does, or that is told otherwise. */
const char *broker_cause(enum broker_reason reason);

struct broker_result {
	bool ours; /* no: the kernel's own walls answer, nothing was done */
	bool reads; /* it was to be opened for reading only */
	bool starts; /* it was to be executed */
	bool native; /* it was opened where the run itself may make, move and remove names: no
			rule takes one away there */
	bool later; /* nothing is decided yet: it is to be asked again */
	int err;   /* 0 or an errno */
	int fd;    /* BROKER_OPEN: the caller's, close-on-exec; else -1 */
	int object; /* O_PATH, of the file to which fd leads, for rules.hold; with `later`: that of a
		       broker_fifo; the caller's; -1: none */
	enum broker_reason reason;
	uint32_t rule;
	char subject[PATH_MAX]; /* of a refusal that is not the kernel's: the resolved
				   path */
};

struct broker_work; /* internal */

struct broker {
	struct broker_trees trees;
	/* Where files are opened for reading by name, seen through the mounts that the
	 * run sees: the kernel (Landlock) lets the run itself open none there.  Empty:
	 * nowhere. */
	struct broker_trees reads;
	/* Where programs are started by name, seen in the same way.  Empty: nowhere. */
	struct broker_trees starts;
	/* Private trees in which a file of the host is mounted alone, and these files: a rename over
	 * one of them is a copy.  Empty: nowhere. */
	struct broker_trees alone_files;
	struct broker_rules rules;
	bool alone;    /* the call that is made has the lock alone */
	bool confines; /* a caller has made walls of its own: confined.h */
	int proc; /* O_PATH of /proc */
	int self; /* O_PATH of /proc/self/fd, of this process */
	int cwd;  /* O_PATH of its directory */
	int probe[2]; /* a pipe, if there are `reads`; else -1; the caller's */
	struct broker_work *work;
};

/* Opens what the broker needs itself.  0 or -errno; broker_release() is safe after
 * both. */
int broker_init(struct broker *b, const struct broker_rules *rules);
/* Closes no descriptor of a tree. */
void broker_release(struct broker *b);

/* Opens the very object of a descriptor again.  A descriptor or -errno. */
int broker_reopen(const struct broker *b, int fd, uint64_t flags);
#define BROKER_FD_NAME TRACEE_NUMBER
/* A call that waits until somebody opens the other end of the FIFO that it opens. */
struct broker_fifo {
	uint64_t id; /* of its notification */
	pid_t pid;
	uint64_t flags; /* of open(2) */
	bool reads, cloexec, native;
	int object; /* the FIFO, O_PATH; or (`reads`) open for reading */
};

/* The descriptor, or -errno: -ENXIO as long as nobody has opened its other end. */
int broker_fifo_open(const struct broker *b, struct broker_fifo *f);
/* The object's name in b->self. */
void broker_fd_name(int fd, char out[BROKER_FD_NAME]);
/* The path of a file or a directory, of any length, as the links of /proc tell it.  False: it is not
 * known. */
bool broker_name_of(const struct broker *b, int fd, struct name_text *ret);

/* Done, by the kernel, without a descriptor. */
void broker_result_init(struct broker_result *ret);
void broker_act(struct broker *b, const struct broker_call *c,
		struct broker_result *ret);

/*
 * The calls of the kernel that broker_act() makes, for the filter of the process that
 * uses it.  openat2 is called with descriptors only: of trees with RESOLVE_BENEATH, and
 * of /proc/self/fd to open again the very object that was looked at.
 */
extern const int broker_syscalls[];
extern const size_t broker_syscall_count;

#endif
