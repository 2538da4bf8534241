/* A program is about to be started where that is decided by name.  The kernel starts it: here
 * the rules are asked about its name, and it is seen to that the kernel can open it. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"
#include "runtime/broker/below.h"
#include "runtime/broker/program_head.h"

#define MOST_HEADS 5 /* a script's interpreter may be a script: as the kernel */

/* Is it one that could be started, but for Landlock?  The kernel says what is wrong with others. */
static bool is_program(const struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	struct statfs fs;

	return s->object >= 0 && s->place && s->place->kind == BROKER_OPEN_HERE &&
	       S_ISREG(s->mode) &&
	       faccessat(s->object, "", X_OK, AT_EACCESS | AT_EMPTY_PATH) == 0 &&
	       SYS_RETRY(fstatfs(s->object, &fs)) == 0 && !(fs.f_flags & ST_NOEXEC) &&
	       (s->dev == s->place->dev || broker_holds_files(s->object));
}

/* *ret_head: what else the kernel opens. */
static int start(struct broker_act *a, char *ret_head)
{
	const struct broker_rules *rules = &a->b->rules;
	struct broker_spot *s = a->at;
	AUTO_CLOSE int fd = -1;
	int r = broker_may_start(a, s);

	ret_head[0] = '\0';
	if (r < 0)
		return r;
	r = rules->start ? rules->start(rules->arg, s->object, s->dev, s->ino) : 0;
	if (r != 0)
		return r < 0 ? broker_refuse(a, -r, BROKER_BY_COPY, s->path) : r;
	fd = broker_reopen(a->b, s->object, O_RDONLY);
	if (fd >= 0)
		program_head(fd, ret_head);
	return 0;
}

int broker_exec(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	unsigned how = c->follow ? BROKER_WALK_FOLLOW : BROKER_WALK_NOFOLLOW;
	char *head = a->b->work->text;
	const char *path = c->path.raw;
	struct broker_caller by = broker_starter(a);

	a->ret->starts = true;
	for (unsigned i = 0; i < MOST_HEADS && a->b->starts.n; i++) {
		int r = broker_resolve(&a->b->starts, &by, i ? "" : c->path.base, path,
				       how | BROKER_WALK_ALONE, a->at);
		int64_t before = sys_now_ms();

		if (r == BROKER_TOO_LATE || r == BROKER_UNDECIDED || r == BROKER_REFUSED)
			return r;
		if (r != 0 || !is_program(a))
			return BROKER_NOT_OURS;
		r = start(a, head);
		if (r != 0 || !head[0])
			return r != 0 ? r : BROKER_NOT_OURS;
		/* a program may be copied for longer than a path may take */
		by.until += by.until ? sys_now_ms() - before : 0;
		broker_spot_release(a->at);
		how = BROKER_WALK_FOLLOW;
		path = head;
	}
	return BROKER_NOT_OURS;
}
