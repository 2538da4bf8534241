/* Reads the counters of the run's network namespace, and decides when to speak of them. */
#include "runtime/supervise/unreached.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/sys.h"

#define FIRST_LOOK_MS 100
#define LONGEST_MS 2000 /* between two looks */
#define AGAIN_MS 1000   /* a request after this time is a new attempt */
#define MOST_LOOKS 150  /* some five minutes: whoever tried nothing by then is no fetcher */

static int open_counters(pid_t pid, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, name);
	return sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

void unreached_open(struct unreached *u, pid_t pid)
{
	u->fd4 = open_counters(pid, "snmp");
	u->fd6 = open_counters(pid, "snmp6");
}

/* Reads from the beginning; the file is made anew by each read at offset 0. */
static const char *text_of(int fd, char *buf, size_t cap)
{
	ssize_t n = -1;

	if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		n = SYS_RETRY(read(fd, buf, cap - 1));
	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

/* The number in the column `name` of the two lines that begin with `line`: the first has
 * the names, the second the numbers. */
static uint64_t column(const char *text, const char *line, const char *name)
{
	const char *names = strstr(text, line), *numbers = names ? strchr(names, '\n') : NULL;
	size_t len = strlen(name);

	if (!numbers || strncmp(++numbers, line, strlen(line)) != 0)
		return 0;
	for (;;) {
		names += strcspn(names, " \n");
		numbers += strcspn(numbers, " \n");
		if (*names != ' ' || *numbers != ' ')
			return 0;
		names++, numbers++;
		if (strncmp(names, name, len) == 0 && (names[len] == ' ' || names[len] == '\n'))
			return strtoull(numbers, NULL, 10);
	}
}

static uint64_t count(const struct unreached *u)
{
	static const char v6[] = "Ip6OutNoRoutes";
	char buf[4096];
	const char *text = text_of(u->fd4, buf, sizeof(buf)), *at;
	uint64_t n = column(text, "Ip: ", "OutNoRoutes") + column(text, "Udp: ", "NoPorts");

	text = text_of(u->fd6, buf, sizeof(buf));
	at = strstr(text, v6);
	return n + (at ? strtoull(at + sizeof(v6) - 1, NULL, 10) : 0);
}

static bool is_over(const struct unreached *u)
{
	return u->fd4 < 0 || !u->say || u->told || (u->looks >= MOST_LOOKS && !u->first);
}

int unreached_wait(const struct unreached *u, uint64_t now_ms, int ms)
{
	if (ms >= 0 || is_over(u))
		return ms;
	return u->next_ms > now_ms ? (int)(u->next_ms - now_ms) : 0;
}

void unreached_look(struct unreached *u, uint64_t now_ms)
{
	uint64_t step = (uint64_t)FIRST_LOOK_MS << (u->looks < 5 ? u->looks : 5);

	if (is_over(u))
		return;
	if (u->next_ms == 0) /* the run has just begun */
		u->next_ms = now_ms + FIRST_LOOK_MS;
	if (now_ms < u->next_ms)
		return;
	u->looks++;
	u->next_ms = now_ms + (step < LONGEST_MS ? step : LONGEST_MS);
	u->n = count(u);
	if (u->n && !u->first) {
		u->first = u->n;
		u->first_ms = now_ms;
	}
	if (u->first && (u->eager || (u->n > u->first && now_ms - u->first_ms >= AGAIN_MS)))
		u->told = u->say(u->arg);
}

void unreached_end(struct unreached *u, bool failed)
{
	if (failed || u->always)
		u->n = count(u);
}
