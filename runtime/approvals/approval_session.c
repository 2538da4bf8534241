/* Decides which session this is, and whether a session has ended. */
#include "runtime/approvals/approval_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"

#define ID_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-"

/* Clock ticks from boot to the start of the process; 0: unknown. */
static unsigned long long started(pid_t pid)
{
	AUTO_FREE char *text = NULL;
	char path[40], *p, *end;
	unsigned long long ticks;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_file(path, 4096, &text, &n) != 0)
		return 0;
	/* the name, in parentheses, may contain any byte; the start time is field 22 */
	p = strrchr(text, ')');
	/* a zombie is not a leader any more */
	if (p && strncmp(p, ") Z", 3) == 0)
		return 0;
	for (int field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return 0;
	ticks = strtoull(p, &end, 10);
	return end > p ? ticks : 0;
}

static bool boot_id(char out[48])
{
	AUTO_FREE char *text = NULL;
	size_t n;

	if (io_read_file("/proc/sys/kernel/random/boot_id", 64, &text, &n) != 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	n = strlen(text);
	if (n != 36 || strspn(text, "0123456789abcdef-") != n)
		return false;
	memcpy(out, text, n + 1);
	return true;
}

bool approval_session_id(const char *id)
{
	size_t n = strlen(id);

	return n >= 1 && n <= 128 && strspn(id, ID_BYTES) == n;
}

bool approval_session(const char *id, char out[APPROVAL_SESSION])
{
	unsigned long long ticks;
	char boot[48];
	pid_t sid;

	if (id) {
		(void)snprintf(out, APPROVAL_SESSION, "id:%.128s", id);
		return approval_session_id(id);
	}
	/* 0: the leader is outside of this pid namespace */
	sid = getsid(0);
	ticks = sid > 0 ? started(sid) : 0;
	if (!ticks || !boot_id(boot))
		return false;
	(void)snprintf(out, APPROVAL_SESSION, "tty:%s:%d:%llu", boot, (int)sid, ticks);
	return true;
}

bool approval_session_named(const char *session)
{
	return strncmp(session, "id:", 3) == 0;
}

static bool read_terminal(const char *session, char boot[48], int *ret_sid,
			  unsigned long long *ret_ticks)
{
	char again[APPROVAL_SESSION];

	if (sscanf(session, "tty:%36[0-9a-f-]:%9d:%19llu", boot, ret_sid, ret_ticks) != 3)
		return false;
	(void)snprintf(again, sizeof(again), "tty:%s:%d:%llu", boot, *ret_sid,
		       *ret_ticks);
	return strcmp(again, session) == 0;
}

bool approval_session_is(const char *session)
{
	unsigned long long ticks;
	char boot[48];
	int sid;

	return approval_session_named(session) ? approval_session_id(session + 3) :
						 read_terminal(session, boot, &sid, &ticks);
}

bool approval_session_lives(const char *session)
{
	unsigned long long ticks;
	char boot[48], now[48];
	int sid;

	return read_terminal(session, boot, &sid, &ticks) && boot_id(now) &&
	       strcmp(boot, now) == 0 && ticks && started(sid) == ticks;
}
