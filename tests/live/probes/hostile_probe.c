/*
 * hostile_probe SEED CALLS OWN [SECONDS]: makes CALLS calls of
 * runtime/bundle/broker_calls.def (or as many as it can in SECONDS, 120) with random
 * arguments: pointers to nothing, texts that end where the memory does, paths and names
 * of 4,096 bytes, chains of 40 links, FIFOs, devices and sockets, odd flags, modes,
 * sizes and descriptors, a text that changes meanwhile.  WORKERS processes of THREADS
 * threads each make them; all of them get signals, and are stopped, continued and
 * killed at random moments.  To each descriptor that a call gives it writes. Beside
 * them one process makes ordinary calls in the directory OWN, and measures each. SEED
 * draws all of it, but not what becomes of it: threads and signals have a clock of
 * their own.
 *
 * Prints "calls N done N refused N fault N late N" (late: EIO), "signals N stops N
 * kills N slow N" and "normal N failed N late N slowest MS".  0, 1 if the ordinary process
 * failed, 2 for a fault of its own.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/hostile_args.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#define WORKERS 4
#define THREADS 3

/* Shared by all processes. */
static struct shared {
	char flip[64]; /* a text that changes all the time */
	uint64_t calls, most, done, refused, fault, late;
	uint64_t signals, stops, kills;
	uint64_t normal, failed, eio, slowest;
	uint64_t over;
} * all;

static const char *own;
static uint64_t seed;
static unsigned slow = 1;

static uint64_t now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static void count(uint64_t *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static uint64_t seen(const uint64_t *what)
{
	return __atomic_load_n(what, __ATOMIC_RELAXED);
}

/* --- calls
 * ------------------------------------------------------------------------------ */

static const struct {
	const char *name, *arguments;
	int number;
} rows[] = {
#define ROW(name, arguments)                 \
	{                                    \
#name, arguments, SYS_##name \
	}
	ROW(open, "pfm"),        ROW(creat, "pm"),        ROW(openat, "dpfm"),
	ROW(openat2, "dphz"),    ROW(mkdir, "pm"),        ROW(mkdirat, "dpm"),
	ROW(rmdir, "p"),         ROW(unlink, "p"),        ROW(unlinkat, "dpa"),
	ROW(mknod, "pml"),       ROW(mknodat, "dpml"),    ROW(symlink, "qp"),
	ROW(symlinkat, "qdp"),   ROW(link, "pq"),         ROW(linkat, "dpdqa"),
	ROW(rename, "pq"),       ROW(renameat, "dpdq"),   ROW(renameat2, "dpdqr"),
	ROW(truncate, "pl"),     ROW(chmod, "pm"),        ROW(fchmodat, "dpm"),
	ROW(fchmodat2, "dpma"),  ROW(chown, "puu"),       ROW(lchown, "puu"),
	ROW(fchownat, "dpuua"),  ROW(utime, "pt"),        ROW(utimes, "pt"),
	ROW(futimesat, "dpt"),   ROW(utimensat, "dpta"),  ROW(setxattr, "pxvsr"),
	ROW(lsetxattr, "pxvsr"), ROW(removexattr, "px"),  ROW(lremovexattr, "px"),
	ROW(access, "pw"),       ROW(faccessat, "dpw"),   ROW(faccessat2, "dpwa"),
	ROW(bind, "dbn"),        ROW(fchmod, "dm"),       ROW(fchown, "duu"),
	ROW(fsetxattr, "dxvsr"), ROW(fremovexattr, "dx"),
	ROW(execve, "ptt"),      ROW(execveat, "dptta"),
#undef ROW
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool has_row(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return true;
	fprintf(stderr, "hostile_probe: it does not make %s\n", name);
	return false;
}

static bool makes_all(void)
{
	bool all_there = true;

/* After landlock_restrict_self the broker makes no call for the process. */
#define BROKER_CALL(NAME, ARG, MASK) \
	all_there = (!strcmp(#NAME, "landlock_restrict_self") || has_row(#NAME)) && all_there;
#include "runtime/bundle/broker_calls.def"
	return all_there;
}

/* What a call gave is used: a descriptor that writes does. */
static void use(struct mind *m, int fd)
{
	(void)!write(fd, "EVIL", 4);
	if (once_in(m, 4))
		(void)ftruncate(fd, below(m, 100));
	if (fd > 30 || !once_in(m, 4))
		(void)close(fd);
}

static void call(struct mind *m)
{
	size_t i = below(m, ROWS);
	uint64_t a[6] = { 0 };
	long r;

	for (size_t k = 0; rows[i].arguments[k]; k++)
		a[k] = argument(m, rows[i].arguments[k]);
	r = syscall(rows[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
	count(&all->calls);
	if (r >= 0) {
		count(&all->done);
		if (strncmp(rows[i].name, "open", 4) == 0 ||
		    rows[i].number == SYS_creat)
			use(m, (int)r);
		return;
	}
	if (errno == EACCES || errno == EROFS || errno == EPERM)
		count(&all->refused);
	else if (errno == EFAULT)
		count(&all->fault);
	else if (errno == EIO)
		count(&all->late);
}

/* --- the hostile processes
 * ---------------------------------------------------------------- */

static void on_signal(int nr)
{
	(void)nr;
	count(&all->signals);
}

/* Two clocks for each thread: one interrupts what it does, the other lets it begin
 * anew. */
static void set_clocks(struct mind *m)
{
	for (int i = 0; i < 2; i++) {
		struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID,
				       .sigev_signo = i ? SIGUSR1 : SIGUSR2 };
		struct itimerspec t = { { 0, slow * (1000000 + below(m, 9000000)) },
					{ 0, slow * 1000000 } };
		timer_t timer;

		ev._sigev_un._tid = (pid_t)syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &ev, &timer) == 0)
			(void)timer_settime(timer, 0, &t, NULL);
	}
}

/* What is a thread's own, and differs: its directory, how many files it may have. */
static void make_odd(struct mind *m)
{
	struct rlimit files = { 24, 24 }, size = { 3000, 3000 };
	char dir[80];

	if (once_in(m, 6))
		(void)setrlimit(RLIMIT_NOFILE, &files);
	if (once_in(m, 6))
		(void)setrlimit(RLIMIT_FSIZE, &size);
	if (syscall(SYS_unshare, CLONE_FS) != 0)
		return;
	if (once_in(m, 3))
		(void)!chdir(once_in(m, 2) ? "src/a" : "/");
	if (once_in(m, 4)) { /* one that is gone */
		(void)snprintf(dir, sizeof(dir), "src/gone%u.ts", below(m, 9));
		if (mkdir(dir, 0700) == 0 && chdir(dir) == 0)
			(void)rmdir(once_in(m, 2) ? here : ".");
	}
	(void)umask((mode_t)below(m, 512));
}

static void *think(void *arg)
{
	struct mind *m = arg;

	if (!begin_mind(m, m->state))
		_exit(2);
	make_odd(m);
	set_clocks(m);
	while (!seen(&all->over)) {
		call(m);
		if (once_in(m, 300))
			(void)syscall(SYS_close_range, 12, ~0u, 0);
		if (once_in(m, 20000)) /* ends the other threads in their calls */
			(void)execl("/proc/self/exe", "hostile_probe", "again", NULL);
	}
	return NULL;
}

static void be_hostile(uint64_t which)
{
	static struct mind minds[THREADS];
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t threads[THREADS];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigaction(SIGUSR2, &action, NULL);
	action.sa_flags = SA_RESTART;
	(void)sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		minds[i].state = seed ^ (which * THREADS + i + 1) * 0xd1342543de82ef95u;
	for (unsigned i = 1; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, think, &minds[i]) != 0)
			_exit(2);
	(void)think(&minds[0]);
	_exit(0);
}

/* --- and others
 * --------------------------------------------------------------------------- */

/* The same memory is an allowed name, and a denied one, and something in between. */
static void keep_flipping(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!seen(&all->over)) {
		memcpy(flip, "src/x.ts\0\0", 10);
		(void)sched_yield();
		memcpy(flip, "src/x.py\0\0", 10);
		(void)sched_yield();
		memcpy(flip, ".env\0\0\0\0\0\0", 10);
		(void)sched_yield();
	}
	_exit(0);
}

/* One ordinary call: it has to work, and soon. */
static int timed(uint64_t from, int r, const char *what)
{
	uint64_t took = now_us() - from;

	count(&all->normal);
	if (r < 0 && errno == EIO)
		count(&all->eio);
	if (r < 0) {
		count(&all->failed);
		fprintf(stderr, "hostile_probe: %s: %s\n", what, strerror(errno));
	}
	if (took > all->slowest) /* one process measures */
		all->slowest = took;
	return r;
}

static void be_ordinary(unsigned n)
{
	char a[1100], b[1100];
	uint64_t from;
	int fd;

	(void)snprintf(a, sizeof(a), "%s/a%u.ts", own, n % 7);
	(void)snprintf(b, sizeof(b), "%s/b%u.js", own, n % 5);
	from = now_us();
	fd = timed(from, open(a, O_WRONLY | O_CREAT | O_TRUNC, 0600), "open");
	if (fd >= 0) {
		(void)!write(fd, "ordinary\n", 9);
		(void)close(fd);
	}
	from = now_us();
	(void)timed(from, chmod(a, 0640), "chmod");
	from = now_us();
	(void)timed(from, rename(a, b), "rename");
	from = now_us();
	if (n % 3 == 0)
		(void)timed(from, unlink(b), "unlink");
}

static void go_on_ordinarily(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned n = 0, after = 0; after < 200; n++) {
		be_ordinary(n);
		after += seen(&all->over) != 0;
		(void)usleep(1000); /* it measures, and leaves the time to the others */
	}
	_exit(0);
}

/* How many times slower than in 100 us a call is answered that nothing disturbs. Where
 * signals come faster than answers, on a processor that is emulated, hardly a call is
 * done. */
static unsigned how_slow(void)
{
	uint64_t best = UINT64_MAX;
	char name[1100];

	(void)snprintf(name, sizeof(name), "%s/pace.ts", own);
	for (int i = 0; i < 20; i++) {
		uint64_t from = now_us();
		int fd = open(name, O_WRONLY | O_CREAT, 0600);

		if (now_us() - from < best)
			best = now_us() - from;
		if (fd >= 0)
			(void)close(fd);
	}
	best /= 100;
	return best < 1 ? 1 : best > 50 ? 50 : (unsigned)best;
}

static pid_t begin(void (*what)(uint64_t), uint64_t which)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(2);
	if (pid == 0)
		what(which);
	return pid;
}

static void other(uint64_t which)
{
	if (which)
		keep_flipping();
	go_on_ordinarily();
}

/* What has been closed, or moved away, is there again: else hardly a call would be
 * done. */
static void mend(void)
{
	static const char *const dirs[] = { ".", "src", "src/a", "src/a/b" };

	for (unsigned i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		(void)chmod(dirs[i], 0700);
		if (i)
			(void)mkdir(dirs[i], 0700);
	}
}

/* Stops, continues and kills, until there were enough calls. */
static void disturb(struct mind *m, pid_t *workers, uint64_t until)
{
	uint64_t begun = WORKERS;

	while (seen(&all->calls) < all->most && now_us() < until) {
		pid_t *at = &workers[below(m, WORKERS)];

		(void)usleep(500 + below(m, 8000));
		mend();
		(void)kill(*at, SIGSTOP);
		count(&all->stops);
		(void)usleep(below(m, 8000));
		if (once_in(m, 3)) {
			(void)kill(*at, SIGKILL);
			(void)waitpid(*at, NULL, 0);
			count(&all->kills);
			*at = begin(be_hostile, ++begun);
		}
		(void)kill(*at, SIGCONT);
	}
}

int main(int argc, char **argv)
{
	static struct mind m;
	pid_t workers[WORKERS], ordinary, flipper;
	int status;

	if (argc == 2) /* executed anew: it does nothing more */
		return 0;
	all = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		   0);
	if (argc < 4 || all == MAP_FAILED || !makes_all() || !begin_pages("src/x.py") ||
	    !getcwd(here, sizeof(here) - 1))
		return 2;
	flip = all->flip;
	(void)strcat(here, "/");
	own = argv[3];
	seed = m.state = strtoull(argv[1], NULL, 10);
	all->most = strtoull(argv[2], NULL, 10);
	slow = how_slow();
	ordinary = begin(other, 0);
	flipper = begin(other, 1);
	for (uint64_t i = 0; i < WORKERS; i++)
		workers[i] = begin(be_hostile, i);
	disturb(&m, workers,
		now_us() + 1000000u * (argc > 4 ? strtoull(argv[4], NULL, 10) : 120));
	for (int i = 0; i < WORKERS; i++)
		(void)kill(workers[i], SIGKILL);
	__atomic_store_n(&all->over, 1, __ATOMIC_RELAXED);
	(void)waitpid(flipper, NULL, 0);
	(void)waitpid(ordinary, &status, 0);
	printf("calls %lu done %lu refused %lu fault %lu late %lu\n", all->calls,
	       all->done, all->refused, all->fault, all->late);
	printf("signals %lu stops %lu kills %lu slow %u\n", all->signals, all->stops,
	       all->kills, slow);
	printf("normal %lu failed %lu late %lu slowest %lu\n", all->normal, all->failed,
	       all->eio, all->slowest / 1000);
	return all->failed || status ? 1 : 0;
}
