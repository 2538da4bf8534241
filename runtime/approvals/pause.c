/*
 * Stops a run and proves that it stands still.
 *
 * The run's pid 1 stops the others with one kill(-1) (SANDBOX_STOP_ALL): the kernel holds the lock that fork() needs,
 * so a process that forks all the time cannot slip through, as it could through a walk over /proc.
 * Afterwards no new process can appear, so one walk finds all of them: the descendants of pid 1.
 * The walk reads only files that every user may read (stat, status), because a process of the run
 * can make itself unreadable otherwise, by executing a file without the right to read it.
 *
 * The first thread of a process can have ended while others go on; then the process looks like a
 * zombie.  So each thread is looked at.  What a thread has run shows in its count of context
 * switches: if all counts are the same when the answer is there, no thread has run since.
 */
#include "runtime/approvals/pause.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/sandbox.h"

/* A thread that waits in the kernel for a stopped child of vfork() does not stop: the run is
 * continued for a moment, and stopped again. */
enum { TRIES = 10, STOP_MS = 300, ONE_MS = 20, BETWEEN_MS = 10, STATUS_MAX = 16384 };

struct process {
	pid_t pid, parent, pgrp;
	char state;
	bool inside; /* a descendant of pid 1 */
};

struct pause_task {
	pid_t pid, tid;
	char state;
	uint64_t switches;
};

struct processes {
	struct process *v;
	size_t n;
};

static void wait_ms(int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	(void)nanosleep(&t, NULL);
}

/* --- one process ------------------------------------------------------------------------ */

static bool read_process(pid_t pid, struct process *ret)
{
	AUTO_FREE char *text = NULL;
	int parent = 0, pgrp = 0;
	char path[64], *p;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_file(path, STATUS_MAX, &text, &n) != 0)
		return false;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	if (!p || sscanf(p, ") %c %d %d", &ret->state, &parent, &pgrp) != 3)
		return false;
	ret->pid = pid;
	ret->parent = parent;
	ret->pgrp = pgrp;
	ret->inside = false;
	return true;
}

/* The number in the line `name` of a status file; the name of the process is its first line, in
 * which a newline is escaped. */
static bool status_number(const char *text, const char *name, int base, uint64_t *ret)
{
	char *end;
	const char *p = strstr(text, name);

	if (!p)
		return false;
	p += strlen(name);
	*ret = strtoull(p, &end, base);
	return end != p;
}

static bool read_task(pid_t pid, pid_t tid, struct pause_task *ret)
{
	AUTO_FREE char *text = NULL;
	uint64_t gave_up, lost;
	char path[96];
	const char *p;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (io_read_file(path, STATUS_MAX, &text, &n) != 0)
		return false;
	p = strstr(text, "\nState:\t");
	if (!p || !status_number(text, "\nvoluntary_ctxt_switches:\t", 10, &gave_up) ||
	    !status_number(text, "\nnonvoluntary_ctxt_switches:\t", 10, &lost))
		return false;
	*ret = (struct pause_task){ pid, tid, p[strlen("\nState:\t")], gave_up + lost };
	return true;
}

static bool is_pending(pid_t pid, int sig)
{
	AUTO_FREE char *text = NULL;
	uint64_t shared;
	char path[64];
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return io_read_file(path, STATUS_MAX, &text, &n) != 0 ||
	       !status_number(text, "\nShdPnd:\t", 16, &shared) || (shared >> (sig - 1) & 1);
}

/* --- the run ---------------------------------------------------------------------------- */

/* Calls f with each number that names an entry of `path`.  False if f was, or there is no memory. */
static bool each_number(const char *path, bool (*f)(pid_t number, void *arg), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool ok = dir != NULL;

	while (ok && (e = readdir(dir))) {
		char *end;
		long number = strtol(e->d_name, &end, 10);

		if (!*end && number > 0)
			ok = f((pid_t)number, arg);
	}
	if (dir)
		(void)closedir(dir);
	return ok;
}

static bool add_process(pid_t pid, void *arg)
{
	struct processes *l = arg;
	struct process p, *v;

	if (!read_process(pid, &p))
		return true; /* it has ended, or another user's on a host that hides them */
	v = reallocarray(l->v, l->n + 1, sizeof(*v));
	if (!v)
		return false;
	l->v = v;
	v[l->n++] = p;
	return true;
}

/* Moves the descendants of pid 1 to the front, parents first, and drops the rest. */
static void keep_inside(struct processes *l, pid_t init)
{
	size_t kept = 0, from = 0;
	pid_t parent = init;

	for (;;) {
		for (size_t i = kept; i < l->n; i++) {
			const struct process p = l->v[i];

			if (p.parent != parent || p.pid == init)
				continue;
			l->v[i] = l->v[kept];
			l->v[kept++] = p;
		}
		if (from == kept)
			break;
		parent = l->v[from++].pid;
	}
	l->n = kept;
}

static bool list_run(pid_t init, struct processes *ret)
{
	*ret = (struct processes){ NULL, 0 };
	if (!each_number("/proc", add_process, ret)) {
		free(ret->v);
		*ret = (struct processes){ NULL, 0 };
		return false;
	}
	keep_inside(ret, init);
	return true;
}

bool pause_owns_group(pid_t init, pid_t pgrp)
{
	struct processes l;
	bool found = false;

	(void)list_run(init, &l);
	for (size_t i = 0; i < l.n && !found; i++)
		found = l.v[i].pgrp == pgrp;
	free(l.v);
	return found;
}

struct listing {
	struct pause *to;
	pid_t pid;
};

static bool add_task(pid_t tid, void *arg)
{
	const struct listing *l = arg;
	struct pause_task t, *v;

	if (!read_task(l->pid, tid, &t))
		return false; /* it ran until now */
	v = reallocarray(l->to->v, l->to->n + 1, sizeof(*v));
	if (!v)
		return false;
	l->to->v = v;
	v[l->to->n++] = t;
	return true;
}

/* Fills p->v.  False if a thread has ended meanwhile. */
static bool list_tasks(struct pause *p, const struct processes *run)
{
	p->n = 0;
	for (size_t i = 0; i < run->n; i++) {
		struct listing l = { p, run->v[i].pid };
		char path[64];

		(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)l.pid);
		if (!each_number(path, add_task, &l))
			return false;
	}
	return true;
}

static bool all_stand(const struct pause *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strchr("TtZX", p->v[i].state))
			return false;
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct pause_task *x = a, *y = b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) :
				  (x->tid > y->tid) - (x->tid < y->tid);
}

static bool take_snapshot(pid_t init, struct pause *ret)
{
	struct processes run;
	bool ok;

	*ret = (struct pause){ .init = init };
	ok = list_run(init, &run) && list_tasks(ret, &run) && all_stand(ret);
	free(run.v);
	if (ok && ret->n > 0)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_number);
	return ok;
}

static bool is_same(const struct pause *a, const struct pause *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].pid != b->v[i].pid || a->v[i].tid != b->v[i].tid ||
		    a->v[i].state != b->v[i].state || a->v[i].switches != b->v[i].switches)
			return false;
	return true;
}

/* --- holding and letting go ------------------------------------------------------------- */

/* What is stopped already is left to the shell or the tracer that stopped it. */
static bool note_stopped(struct pause *p, const struct processes *run)
{
	for (size_t i = 0; i < run->n; i++) {
		pid_t *v;

		if (!strchr("Tt", run->v[i].state))
			continue;
		v = reallocarray(p->stopped, p->nstopped + 1, sizeof(*v));
		if (!v)
			return false;
		p->stopped = v;
		v[p->nstopped++] = run->v[i].pid;
	}
	return true;
}

static bool was_stopped(const struct pause *p, pid_t pid)
{
	for (size_t i = 0; i < p->nstopped; i++)
		if (p->stopped[i] == pid)
			return true;
	return false;
}

/* Has pid 1 taken the signal? */
static bool is_taken(pid_t init, int sig)
{
	for (int ms = 0; ms < STOP_MS; ms++) {
		if (!is_pending(init, sig))
			return true;
		wait_ms(1);
	}
	return false;
}

/* Stops parents before their children: a shell that still runs would see that its job has
 * stopped, and say so. */
static void stop_in_order(const struct pause *p, const struct processes *run)
{
	struct process now;

	for (size_t i = 0; i < run->n; i++) {
		if (was_stopped(p, run->v[i].pid) || kill(run->v[i].pid, SIGSTOP) != 0)
			continue;
		for (int ms = 0; ms < ONE_MS && read_process(run->v[i].pid, &now) &&
				 !strchr("TtZX", now.state);
		     ms++)
			wait_ms(1);
	}
}

static bool stop_all(struct pause *p, const struct processes *run)
{
	if (kill(p->init, SANDBOX_HOLD) != 0 || !is_taken(p->init, SANDBOX_HOLD))
		return false;
	stop_in_order(p, run);
	return kill(p->init, SANDBOX_STOP_ALL) == 0 &&
	       kill(p->init, SANDBOX_STOPPED_ALL) == 0 && is_taken(p->init, SANDBOX_STOPPED_ALL);
}

/* A thread counts its last switch just after it says that it has stopped, so two snapshots in a
 * row have to agree. */
static bool wait_still(struct pause *p)
{
	const int64_t until = sys_now_ms() + STOP_MS;
	struct pause last = { 0 }, now;
	bool have = false, still = false;

	while (!still && sys_now_ms() < until) {
		bool ok = take_snapshot(p->init, &now);

		still = ok && have && is_same(&last, &now);
		free(last.v);
		last = now;
		have = ok;
		if (!still)
			wait_ms(2);
	}
	p->v = last.v;
	p->n = last.n;
	return still;
}

static bool try_begin(struct pause *p, pid_t init)
{
	struct processes run;
	bool ok;

	*p = (struct pause){ .init = init };
	ok = list_run(init, &run) && note_stopped(p, &run) && stop_all(p, &run) && wait_still(p);
	free(run.v);
	if (!ok)
		(void)pause_end(p);
	return ok;
}

bool pause_begin(struct pause *p, pid_t init)
{
	for (int i = 0; i < TRIES; i++) {
		if (try_begin(p, init))
			return true;
		wait_ms(BETWEEN_MS);
	}
	return false;
}

bool pause_stands(const struct pause *p)
{
	struct pause now = { 0 };
	bool same = p->init > 0 && take_snapshot(p->init, &now) && is_same(p, &now);

	free(now.v);
	return same;
}

bool pause_end(struct pause *p)
{
	struct processes run = { NULL, 0 };
	bool ok = p->init <= 0 || list_run(p->init, &run);

	for (size_t i = run.n; i-- > 0;)
		if (!was_stopped(p, run.v[i].pid))
			(void)kill(run.v[i].pid, SIGCONT);
	if (p->init > 0)
		(void)kill(p->init, SANDBOX_RELEASE);
	free(run.v);
	free(p->stopped);
	free(p->v);
	*p = (struct pause){ .init = 0 };
	return ok;
}
