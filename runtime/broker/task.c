/* Asks the rules about names, and refuses; opens an object that was looked at. */
#include "runtime/broker/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/deep_name.h"

int broker_refuse(struct broker_act *a, int err, enum broker_reason reason,
		  const char *subject)
{
	a->ret->reason = reason;
	(void)snprintf(a->ret->subject, sizeof(a->ret->subject), "%s", subject);
	return -err;
}

int broker_refuse_unread(struct broker_act *a, uint32_t rule, const char *subject)
{
	a->ret->rule = rule;
	return broker_refuse(a, EACCES, BROKER_BY_UNREAD, subject);
}

static int may(struct broker_act *a, enum broker_op op, const char *path, bool is_dir,
	       enum broker_reason reason)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;

	if (rules->allows(rules->arg, op, path, is_dir, &rule))
		return 0;
	a->ret->rule = rule;
	return broker_refuse(a, EACCES, reason, path);
}

void broker_touch(const struct broker_act *a, const char *path, int dir, const char *name)
{
	const struct broker_rules *rules = &a->b->rules;

	if (rules->touches)
		rules->touches(rules->arg, path, dir, name);
}

int broker_might_write(struct broker_act *a, const struct broker_spot *s, bool is_dir)
{
	return may(a, BROKER_WRITE, s->path, is_dir, BROKER_BY_RULE);
}

int broker_may_write(struct broker_act *a, const struct broker_spot *s, bool is_dir)
{
	int r = broker_might_write(a, s, is_dir);

	if (r == 0)
		broker_touch(a, s->path, s->object, "");
	return r;
}

int broker_may_read(struct broker_act *a, const struct broker_spot *s, bool is_dir)
{
	return may(a, BROKER_READ, s->path, is_dir, BROKER_BY_RULE);
}

static bool may_pass(struct broker_act *a, enum broker_op op, const char *name)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;

	if (!rules->denies(rules->arg, op, name, &rule))
		return true;
	a->ret->rule = rule;
	(void)broker_refuse(a, EACCES, BROKER_BY_RULE, name);
	return false;
}

static bool may_read_through(void *a, const char *name)
{
	return may_pass(a, BROKER_READ, name);
}

static bool may_start_through(void *a, const char *name)
{
	return may_pass(a, BROKER_READ, name) && may_pass(a, BROKER_START, name);
}

struct broker_caller broker_reader(struct broker_act *a)
{
	struct broker_caller by = a->c->by;

	by.may_follow = a->b->rules.denies && a->b->reads.n ? may_read_through : NULL;
	by.arg = a;
	return by;
}

struct broker_caller broker_starter(struct broker_act *a)
{
	struct broker_caller by = a->c->by;

	by.may_follow = a->b->rules.denies && a->b->starts.n ? may_start_through : NULL;
	by.arg = a;
	return by;
}

int broker_may_start(struct broker_act *a, const struct broker_spot *s)
{
	int r = broker_may_read(a, s, false);

	return r == 0 ? may(a, BROKER_START, s->path, false, BROKER_BY_RULE) : r;
}

int broker_may_go(struct broker_act *a, const char *path)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;

	if (!rules->stays || !rules->stays(rules->arg, path, &rule))
		return 0;
	a->ret->rule = rule;
	return broker_refuse(a, EBUSY, BROKER_BY_MOUNT, path);
}

int broker_may_move(struct broker_act *a, const char *from, const char *to, bool is_dir,
		    enum broker_reason reason)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE, other;
	int r = may(a, BROKER_WRITE, from, is_dir, reason);

	if (r == 0)
		r = may(a, BROKER_WRITE, to, is_dir, reason);
	if (r != 0 || rules->allows(rules->arg, BROKER_READ, from, is_dir, &rule) ||
	    !rules->allows(rules->arg, BROKER_READ, to, is_dir, &other))
		return r;
	return broker_refuse_unread(a, rule, from);
}

void broker_removed(const struct broker_act *a, const struct broker_spot *s)
{
	const struct broker_rules *rules = &a->b->rules;

	if (rules->removed && s->object >= 0 && (S_ISREG(s->mode) || S_ISFIFO(s->mode)))
		rules->removed(rules->arg, s->object);
}

int broker_may_write_names(struct broker_act *a, const struct broker_spot *s)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;
	char path[PATH_MAX];
	struct stat st;
	int r;

	if (!rules->denied_name || s->object < 0 || (!S_ISREG(s->mode) && !S_ISFIFO(s->mode)))
		return 0;
	if (fstat(s->object, &st) != 0)
		return -errno;
	r = st.st_nlink > 1 ? rules->denied_name(rules->arg, s->object, path, &rule) : 0;
	if (r == -E2BIG)
		return broker_refuse(a, EACCES, BROKER_BY_MANY, s->path);
	if (r <= 0)
		return r;
	a->ret->rule = rule;
	return broker_refuse(a, EACCES, BROKER_BY_NAME, path);
}

int broker_may_change_program(struct broker_act *a, const struct broker_spot *s)
{
	const struct broker_rules *rules = &a->b->rules;
	int r;

	if (!rules->runs || !rules->runs(rules->arg, s->object, s->dev, s->ino))
		return 0;
	/* as the kernel: who may not write it is told that first */
	r = broker_might_write(a, s, false);
	return r < 0 ? r :
	       faccessat(s->object, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) != 0 ? -errno : -ETXTBSY;
}

int broker_take_umask(const struct broker_act *a, mode_t *ret_own)
{
	const struct broker_caller *by = &a->c->by;
	unsigned long mask = a->c->umask;

	/* only where something is made: reading it is slow */
	if (mask == BROKER_UMASK_ASK && !tracee_status(by->proc_fd, by->pid, "Umask", 8, &mask))
		return -EIO;
	*ret_own = umask((mode_t)mask & 0777);
	return 0;
}

void broker_fd_name(int fd, char out[BROKER_FD_NAME])
{
	tracee_number_text((unsigned)fd, out);
}

bool broker_name_of(const struct broker *b, int fd, struct name_text *ret)
{
	char name[BROKER_FD_NAME];
	struct stat st;

	if (!name_text_room(ret, PATH_MAX))
		return false;
	broker_fd_name(fd, name);
	errno = 0;
	if (tracee_link(b->self, name, ret->s))
		return true;
	if (errno != ENAMETOOLONG || fstat(fd, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return deep_name_of_dir(b->proc, fd, NULL, ret) == 0;
	AUTO_CLOSE int again = S_ISREG(st.st_mode) ? broker_reopen(b, fd, O_RDONLY) : -1;

	return again >= 0 && deep_name_of_file(b->proc, again, ret) == 0;
}

int broker_reopen(const struct broker *b, int fd, uint64_t flags)
{
	/* openat2(2) takes no flag that an O_PATH descriptor cannot have */
	uint64_t always = flags & O_PATH ? O_CLOEXEC : O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct open_how how = { .flags = flags | always };
	char name[BROKER_FD_NAME];
	int r;

	broker_fd_name(fd, name);
	r = sys_openat2(b->self, name, &how);
	return r < 0 ? -errno : r;
}
