/* Finds the processes of a run in /proc, and stops those that could read the terminal. */
#include "runtime/approvals/pause.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/io.h"

enum { MOST = 4096, STOP_MS = 50 };

struct process {
	pid_t pid, pgrp;
	uint32_t tty;
	char state;
};

/* The pid namespace of a process: two of the same have the same number. */
static bool namespace_of(pid_t pid, ino_t *ret)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	if (stat(path, &st) != 0)
		return false;
	*ret = st.st_ino;
	return true;
}

static bool read_process(pid_t pid, struct process *ret)
{
	AUTO_FREE char *text = NULL;
	char path[64], *p;
	int pgrp = 0, tty = 0;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_file(path, 4096, &text, &n) != 0)
		return false;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	if (!p || sscanf(p, ") %c %*d %d %*d %d", &ret->state, &pgrp, &tty) != 3)
		return false;
	ret->pid = pid;
	ret->pgrp = pgrp;
	ret->tty = (uint32_t)tty;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Calls f for each process of the run but its pid 1, in the order of their pids. */
static void each(pid_t init, bool (*f)(const struct process *p, void *arg), void *arg)
{
	DIR *dir = opendir("/proc");
	pid_t *v = calloc(MOST, sizeof(*v));
	ino_t ours, ns;
	struct dirent *e;
	struct process p;
	size_t n = 0;

	while (dir && v && n < MOST && (e = readdir(dir))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);

		if (!*end && pid > 0 && pid != init)
			v[n++] = (pid_t)pid;
	}
	if (dir)
		(void)closedir(dir);
	if (v && namespace_of(init, &ours)) {
		qsort(v, n, sizeof(*v), by_pid);
		for (size_t i = 0; i < n; i++)
			if (namespace_of(v[i], &ns) && ns == ours && read_process(v[i], &p) &&
			    !f(&p, arg))
				break;
	}
	free(v);
}

static bool is_of_group(const struct process *p, void *arg)
{
	pid_t *pgrp = arg;

	if (p->pgrp != *pgrp)
		return true;
	*pgrp = 0;
	return false;
}

bool pause_owns_group(pid_t init, pid_t pgrp)
{
	each(init, is_of_group, &pgrp);
	return pgrp == 0;
}

struct stopping {
	struct pause *to;
	uint32_t device;
};

/* A shell that has not stopped yet would see that its job has. */
static void wait_stopped(pid_t pid)
{
	struct process p;

	for (int ms = 0; ms < STOP_MS && read_process(pid, &p) && p.state != 'T'; ms++) {
		const struct timespec one = { 0, 1000000 };

		(void)nanosleep(&one, NULL);
	}
}

static bool stop_one(const struct process *p, void *arg)
{
	const struct stopping *s = arg;
	pid_t *v;

	/* what is stopped already is left to whoever stopped it */
	if (p->tty != s->device || p->state == 'T' || p->state == 'Z')
		return true;
	v = reallocarray(s->to->v, s->to->n + 1, sizeof(*v));
	if (!v)
		return false;
	s->to->v = v;
	if (kill(p->pid, SIGSTOP) == 0) {
		v[s->to->n++] = p->pid;
		wait_stopped(p->pid);
	}
	return true;
}

void pause_begin(struct pause *p, pid_t init, uint32_t device)
{
	const struct process first = { .pid = init, .tty = device, .state = 'S' };
	struct stopping s = { p, device };

	*p = (struct pause){ NULL, 0 };
	/* the run's pid 1 would tell polrun that its command has stopped */
	(void)stop_one(&first, &s);
	each(init, stop_one, &s);
}

void pause_end(struct pause *p)
{
	while (p->n > 0)
		(void)kill(p->v[--p->n], SIGCONT);
	free(p->v);
	p->v = NULL;
}
