/*
 * Reads the kernel's tables of TCP sockets.  A line is
 * "   0: 0100007F:1435 00000000:0000 0A ...": the local address in the order of memory, four
 * bytes a group, the port, the remote end, the state.
 */
#include "runtime/egress/listening.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/sys.h"

#define LISTEN " 0A " /* TCP_LISTEN */
#define REST 256      /* a line is shorter */

static int open_table(pid_t pid, const char *name)
{
	char path[64];

	if (pid)
		(void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, name);
	else
		(void)snprintf(path, sizeof(path), "/proc/self/net/%s", name);
	return sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

void listening_open(struct listening *l, pid_t pid)
{
	l->fd4 = open_table(pid, "tcp");
	l->fd6 = open_table(pid, "tcp6");
}

void listening_close(struct listening *l)
{
	if (l->fd4 >= 0)
		(void)close(l->fd4);
	if (l->fd6 >= 0)
		(void)close(l->fd6);
	*l = (struct listening)LISTENING_NONE;
}

static bool is_loopback(const char *addr, size_t n)
{
	static const char any[] = "00000000000000000000000000000000";
	/* 127.0.0.0/8 in the order of memory, also as v4-mapped; ::1 */
	static const char mapped[] = "0000000000000000FFFF0000", one[] = "00000000000000000000000001000000";

	if (n == 32 && memcmp(addr, mapped, 24) == 0) {
		addr += 24;
		n = 8;
	}
	if ((n != 8 && n != 32) || memcmp(addr, any, n) == 0)
		return n == 8 || n == 32;
	return n == 32 ? memcmp(addr, one, n) == 0 : strncmp(addr, "0100007F", n) == 0;
}

/* False at the first socket that does not listen: no further one does. */
static bool take_line(const char *line, struct ports *ret)
{
	const char *addr = strchr(line, ':'), *colon, *state;
	unsigned long port;

	if (!addr || strncmp(addr, ": ", 2) != 0)
		return true; /* the head */
	addr += 2;
	colon = strchr(addr, ':');
	state = colon ? strchr(colon + 1, ' ') : NULL;
	state = state ? strchr(state + 1, ' ') : NULL;
	if (!state || strncmp(state, LISTEN, sizeof(LISTEN) - 1) != 0)
		return false;
	port = strtoul(colon + 1, NULL, 16);
	if (port && port <= UINT16_MAX && is_loopback(addr, (size_t)(colon - addr)))
		ports_add(ret, (uint16_t)port);
	return true;
}

static void read_table(int fd, struct ports *ret)
{
	char buf[4096 + REST];
	size_t kept = 0;

	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
		return;
	for (;;) {
		ssize_t n = SYS_RETRY(read(fd, buf + kept, sizeof(buf) - 1 - kept));
		char *line = buf, *end;

		if (n <= 0)
			return;
		buf[kept + (size_t)n] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			if (!take_line(line, ret))
				return;
			line = end + 1;
		}
		kept = strlen(line);
		if (kept >= REST)
			return;
		memmove(buf, line, kept);
	}
}

void listening_look(const struct listening *l, struct ports *ret)
{
	read_table(l->fd4, ret);
	read_table(l->fd6, ret);
}
