/* From a call to its action: finds what the paths lead to, asks the rules, and says
 * what became of it.  What each action does to the objects is in act_*.c. */
#include "runtime/broker/actions.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/broker/confined.h"

/* libc's renameat2() without flags is renameat(2). */
const int broker_syscalls[] = {
	SYS_openat2,      SYS_close,       SYS_newfstatat,    SYS_fstat,
	SYS_readlinkat,   SYS_fcntl,       SYS_getdents64,    SYS_umask,
	SYS_mkdirat,      SYS_mknodat,     SYS_symlinkat,     SYS_linkat,
	SYS_unlinkat,     SYS_renameat,    SYS_renameat2,     SYS_ftruncate,
	SYS_fchmodat,     SYS_fchownat,    SYS_utimensat,     SYS_fsetxattr,
	SYS_fremovexattr, SYS_faccessat2,  SYS_clock_gettime, SYS_fstatfs,
	SYS_pidfd_open,   SYS_pidfd_getfd, SYS_getsockopt,    SYS_bind,
	SYS_fchdir,       SYS_prlimit64,   SYS_pidfd_send_signal,
};
const size_t broker_syscall_count =
	sizeof(broker_syscalls) / sizeof(broker_syscalls[0]);

/* It may have been removed, or be closed to us. */
static int open_cwd(void)
{
	int fd = sys_open(".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	return fd >= 0 ? fd : sys_open("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

int broker_init(struct broker *b, const struct broker_rules *rules)
{
	*b = (struct broker){ .rules = *rules, .proc = -1, .self = -1, .cwd = -1, .probe = { -1, -1 } };
	b->trees.uid = b->reads.uid = b->starts.uid = geteuid();
	b->work = calloc(1, sizeof(*b->work));
	if (!b->work)
		return -ENOMEM;
	b->proc = sys_open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	b->self = sys_open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (b->proc < 0 || b->self < 0)
		return -errno;
	b->cwd = open_cwd();
	return b->cwd < 0 ? -errno : 0;
}

void broker_release(struct broker *b)
{
	broker_trees_release(&b->trees);
	broker_trees_release(&b->reads);
	broker_trees_release(&b->starts);
	broker_trees_release(&b->alone_files);
	if (b->work) {
		name_text_release(&b->work->decoded.base);
		name_text_release(&b->work->decoded.to_base);
	}
	free(b->work);
	b->work = NULL;
	if (b->proc >= 0)
		(void)close(b->proc);
	if (b->self >= 0)
		(void)close(b->self);
	if (b->cwd >= 0)
		(void)close(b->cwd);
	b->proc = b->self = b->cwd = -1;
}

/* What cannot be marked makes no walls, which would not hold. */
static int confine(struct broker_act *a)
{
	int r = confined_mark(a->c->by.pid);

	a->b->confines = true;
	return r < 0 ? r : BROKER_NOT_OURS;
}

/* How the paths of each call are walked. */
static const struct verb {
	int (*act)(struct broker_act *a);
	enum { FINDS_ITSELF, FINDS_NAME, FINDS_OBJECT } finds;
	bool two;
	int (*check)(const struct broker_call *c);
} verbs[BROKER_VERB_COUNT] = {
	[BROKER_OPEN] = { broker_open, FINDS_ITSELF, false, broker_check_open },
	[BROKER_MKDIR] = { broker_mkdir, FINDS_NAME, false, NULL },
	[BROKER_RMDIR] = { broker_remove, FINDS_NAME, false, NULL },
	[BROKER_MKNOD] = { broker_mknod, FINDS_NAME, false, broker_check_mknod },
	[BROKER_SYMLINK] = { broker_symlink, FINDS_NAME, false, broker_check_symlink },
	[BROKER_LINK] = { broker_link, FINDS_OBJECT, true, NULL },
	[BROKER_UNLINK] = { broker_remove, FINDS_NAME, false, NULL },
	[BROKER_RENAME] = { broker_rename, FINDS_NAME, true, broker_check_rename },
	[BROKER_TRUNCATE] = { broker_truncate, FINDS_OBJECT, false,
			      broker_check_truncate },
	[BROKER_CHMOD] = { broker_chmod, FINDS_OBJECT, false, NULL },
	[BROKER_CHOWN] = { broker_chown, FINDS_OBJECT, false, NULL },
	[BROKER_UTIMENS] = { broker_utimens, FINDS_OBJECT, false,
			     broker_check_utimens },
	[BROKER_SETXATTR] = { broker_xattr, FINDS_OBJECT, false, broker_check_xattr },
	[BROKER_REMOVEXATTR] = { broker_xattr, FINDS_OBJECT, false,
				 broker_check_xattr },
	[BROKER_BIND] = { broker_bind, FINDS_NAME, false, NULL },
	[BROKER_EXEC] = { broker_exec, FINDS_ITSELF, false, NULL },
	[BROKER_CONFINE] = { confine, FINDS_ITSELF, false, NULL },
	[BROKER_ACCESS] = { broker_access, FINDS_OBJECT, false, broker_check_access },
};

/* Where the run itself may write, all calls but open(2) and bind(2) are the kernel's. */
static int find_in_tree(struct broker_act *a, const struct broker_path *path, unsigned how,
			struct broker_spot *ret)
{
	int r = broker_resolve(&a->b->trees, &a->c->by, path->base, path->raw, how, ret);

	if (r != 0 || !ret->place || ret->place->kind != BROKER_WRITE_HERE ||
	    a->c->verb == BROKER_BIND)
		return r;
	broker_spot_release(ret);
	return BROKER_NOT_OURS;
}

static int find(struct broker_act *a, const struct verb *v)
{
	const struct broker_call *c = a->c;
	unsigned how = v->finds == FINDS_NAME			 ? BROKER_WALK_PARENT :
		       c->verb == BROKER_LINK && c->follow	 ? BROKER_WALK_LINK :
		       c->follow || c->verb == BROKER_TRUNCATE ? BROKER_WALK_FOLLOW :
								 BROKER_WALK_NOFOLLOW;
	int r;

	if (v->finds == FINDS_ITSELF)
		return 0;
	if (v->finds == FINDS_OBJECT)
		how |= BROKER_WALK_ALONE;
	r = find_in_tree(a, &c->path, how, a->at);
	if (r == 0 && v->finds == FINDS_OBJECT && a->at->object < 0)
		r = -a->at->missing;
	/* one end that is not ours lies on another mount inside, or nowhere: the kernel
	 * never moves anything there, and says why */
	if (r != 0 || !v->two)
		return r;
	return find_in_tree(a, &c->to, BROKER_WALK_PARENT, a->to);
}

void broker_result_init(struct broker_result *ret)
{
	ret->ours = true;
	ret->reads = ret->starts = ret->native = ret->later = false;
	ret->err = 0;
	ret->fd = ret->object = -1;
	ret->reason = BROKER_BY_KERNEL;
	ret->rule = BROKER_NO_RULE;
	ret->subject[0] = '\0';
}

/* BROKER_NEEDS_LOCK, or 0: *ret is set. */
static int act_once(struct broker *b, const struct broker_call *c, struct broker_result *ret, int locked)
{
	struct broker_spot at, to;
	struct broker_act a = { b, c, ret, &at, &to };
	const struct verb *v = &verbs[c->verb];
	int r;

	broker_spot_init(&at);
	broker_spot_init(&to);
	broker_result_init(ret);
	r = locked != 0					       ? locked :
	    b->confines && c->by.pid && confined_is(c->by.pid) ? BROKER_NOT_OURS :
	    v->check					       ? v->check(c) :
								 0;
	if (r == 0)
		r = find(&a, v);
	if (r == 0)
		r = broker_is_late(&c->by) ? BROKER_TOO_LATE : v->act(&a);
	if (r == BROKER_NOT_OURS && !(b->confines && c->by.pid && confined_is(c->by.pid)))
		r = broker_save(&a);
	if (r == BROKER_TOO_LATE || locked < 0)
		r = broker_refuse(&a, EIO, BROKER_BY_LATE, c->path.raw);
	if (r == BROKER_REFUSED)
		r = -EACCES;
	if (r == BROKER_UNDECIDED)
		r = broker_refuse(&a, EACCES, BROKER_BY_UNDECIDED, c->path.raw);
	broker_spot_release(&at);
	broker_spot_release(&to);
	ret->ours = r != BROKER_NOT_OURS;
	ret->later = r == BROKER_LATER;
	ret->err = r < 0 ? -r : 0;
	return r == BROKER_NEEDS_LOCK ? r : 0;
}

static bool makes_name(const struct broker_call *c)
{
	const unsigned makes = 1u << BROKER_MKDIR | 1u << BROKER_MKNOD | 1u << BROKER_SYMLINK |
			       1u << BROKER_LINK | 1u << BROKER_RENAME | 1u << BROKER_BIND;

	return (makes >> c->verb & 1) || (c->verb == BROKER_OPEN && (c->flags & O_CREAT));
}

void broker_act(struct broker *b, const struct broker_call *c, struct broker_result *ret)
{
	const struct broker_rules *rules = &b->rules;
	int r;

	if (!rules->lock || !makes_name(c)) {
		(void)act_once(b, c, ret, 0);
		return;
	}
	r = act_once(b, c, ret, rules->lock(rules->arg, BROKER_LOCK_SHARED));
	(void)rules->lock(rules->arg, BROKER_LOCK_NONE);
	if (r != BROKER_NEEDS_LOCK)
		return;
	/* from the beginning: meanwhile another run may have moved what the paths led to */
	r = rules->lock(rules->arg, BROKER_LOCK_ALONE);
	b->alone = r == 0;
	(void)act_once(b, c, ret, r);
	b->alone = false;
	(void)rules->lock(rules->arg, BROKER_LOCK_NONE);
}

const char *broker_cause(enum broker_reason reason)
{
	switch (reason) {
	case BROKER_BY_KIND:
		return "polrun opens no device, no socket, and no FIFO on a read-only mount for a run";
	case BROKER_BY_WAITING:
		return "too many calls wait for the other end of a FIFO";
	case BROKER_BY_CLOSED:
		return "polrun has to open it for that, and its permissions do not let it";
	case BROKER_BY_NATURE:
		return "no run may do this, whatever rules say";
	case BROKER_BY_MANY:
		return "too much lies below it to look at all of it";
	case BROKER_BY_MOUNT:
		return "something is mounted there";
	case BROKER_BY_CHANGE:
		return "it changed each time that polrun looked";
	case BROKER_BY_UNDECIDED:
		return "it leads through a link of a process that tells no path";
	case BROKER_BY_LATE:
		return "the call has waited too long";
	case BROKER_BY_KERNEL:
	case BROKER_BY_RULE:
	case BROKER_BY_MOVED:
	case BROKER_BY_UNREAD:
	case BROKER_BY_NAME:
	case BROKER_BY_LINK:
	case BROKER_BY_COPY:
	case BROKER_BY_SOCKET:
		break;
	}
	return NULL;
}
