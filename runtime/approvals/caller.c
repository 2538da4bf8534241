/* From a port to a socket's inode (/proc/PID/net/tcp), and from there to a process that
 * has the socket open (/proc/PID/fd). */
#include "runtime/approvals/caller.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"

enum { TABLE_MAX = 4 * 1024 * 1024, SHOWN = 80, MANY = 4096 };

/* The socket that is searched. */
struct wanted {
	uint16_t source, port; /* its own port, and that of its destination */
	uint64_t inode;        /* 0: not found yet */
	bool several;          /* others have the same two ports */
};

/* Looks through one of the two tables.  The address is not known here, and a program can
 * bind the same port of its own at many addresses: what is not the only one is not shown. */
static void search(pid_t init, const char *table, struct wanted *w)
{
	AUTO_FREE char *text = NULL;
	char path[64];
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)init, table);
	if (io_read_file(path, TABLE_MAX, &text, &n) != 0)
		return;
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		unsigned local, remote;
		uint64_t inode;

		if (sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x "
				 "%*d %*d %" SCNu64, &local, &remote, &inode) != 3 ||
		    local != w->source || remote != w->port || !inode)
			continue;
		w->several = w->several || (w->inode && w->inode != inode);
		w->inode = inode;
	}
}

static bool has_socket(const char *pid, uint64_t inode)
{
	char path[300], want[40], got[40];
	struct dirent *e;
	bool found = false;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	(void)snprintf(want, sizeof(want), "socket:[%" PRIu64 "]", inode);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, got, sizeof(got) - 1);

		got[n > 0 ? n : 0] = '\0';
		found = strcmp(got, want) == 0;
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

/* The words of the command line, with blanks between them. */
static void words_of(const char *pid, char out[SHOWN])
{
	AUTO_FREE char *text = NULL;
	char path[64];
	size_t n = 0;

	out[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%.16s/cmdline", pid);
	if (io_read_file(path, 1024 * 1024, &text, &n) != 0)
		return;
	while (n > 0 && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	(void)snprintf(out, SHOWN, "%s", text);
}

static void name_of(const char *pid, char *out, size_t cap)
{
	char path[64], exe[4096], words[SHOWN];
	const char *base;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%.16s/exe", pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	base = strrchr(exe, '/');
	words_of(pid, words);
	(void)snprintf(out, cap, "%.100s (%s), pid %s", base ? base + 1 : "?", words, pid);
}

void caller_find(pid_t init, uint16_t source, uint16_t port, char *out, size_t cap)
{
	struct wanted w = { .source = source, .port = port };
	struct dirent *e;
	unsigned looked = 0;
	DIR *dir;

	out[0] = '\0';
	search(init, "tcp", &w);
	search(init, "tcp6", &w);
	if (!w.inode || w.several)
		return;
	dir = opendir("/proc");
	while (dir && (e = readdir(dir)) && looked < MANY) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		looked++;
		if (has_socket(e->d_name, w.inode)) {
			name_of(e->d_name, out, cap);
			break;
		}
	}
	if (dir)
		(void)closedir(dir);
}
