/* Takes the lock that orders the names of several runs: names_lock.h. */
#include "runtime/supervise/names_lock.h"

#include <sys/file.h>

#include "runtime/base/sys.h"

#define SPIN_MS 1

bool names_lock_take(struct names_lock *l, bool alone)
{
	const int op = (alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
	int64_t now, until;

	if (!alone && flock(l->fd, op) == 0)
		return true;
	now = sys_now_ms();
	if (alone && now < l->rest_ms)
		return false;
	until = now + SPIN_MS;
	do {
		if (flock(l->fd, op) == 0) {
			l->alone_ms = alone ? now : 0;
			return true;
		}
		now = sys_now_ms();
	} while (now <= until);
	return false;
}

void names_lock_give_back(struct names_lock *l)
{
	(void)flock(l->fd, LOCK_UN);
	if (!l->alone_ms)
		return;
	l->rest_ms = 2 * sys_now_ms() - l->alone_ms;
	l->alone_ms = 0;
}
