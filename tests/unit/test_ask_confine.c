/* What the processes that ask about connections cannot do, each beside what they still can, and
 * beside the same call without the walls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/approvals/ask_confine.h"
#include "runtime/base/compat.h"
#include "runtime/base/sys.h"

enum { KILLED = -1, FINE = 0 }; /* else the errno */
enum who { FREE, ASKS, ASKS_SOCKET, LOOKS };

static char dir[PATH_MAX], other[PATH_MAX];
static int tty = -1;
static pid_t parent; /* the walls leave no getppid() */

static int failed(long r)
{
	return r < 0 ? errno : FINE;
}

static int at(const char *folder, const char *name, int flags)
{
	char path[PATH_MAX + 20];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, flags | O_CLOEXEC, 0600);
}

static int read_etc(void)
{
	return failed(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int write_other(void)
{
	return failed(at(other, "there", O_WRONLY));
}

static int make_other(void)
{
	return failed(at(other, "new", O_WRONLY | O_CREAT));
}

static int make_unnamed(void)
{
	return failed(open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
}

static int cut_other(void)
{
	return failed(at(other, "there", O_RDONLY | O_TRUNC));
}

/* As the answers are written. */
static int make_answers(void)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;

	if (fd < 0)
		return errno;
	file = openat(fd, "a.new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0 || fchmod(file, 0600) != 0 || write(file, "x", 1) != 1 || fsync(file) != 0)
		return errno;
	return failed(renameat(fd, "a.new", fd, "a"));
}

static int move_out(void)
{
	char from[PATH_MAX + 20], to[PATH_MAX + 20];

	(void)snprintf(from, sizeof(from), "%s/mine", dir);
	(void)snprintf(to, sizeof(to), "%s/there", other);
	return failed(renameat(AT_FDCWD, from, AT_FDCWD, to));
}

static int remove_other(void)
{
	char path[PATH_MAX + 20];

	(void)snprintf(path, sizeof(path), "%s/there", other);
	return failed(unlinkat(AT_FDCWD, path, 0));
}

static int make_folder(void)
{
	char path[PATH_MAX + 20];

	(void)snprintf(path, sizeof(path), "%s/folder", dir);
	return failed(mkdirat(AT_FDCWD, path, 0700));
}

static int read_proc(void)
{
	return failed(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
}

/* What a search for the program of a connection reads; Landlock would forbid it. */
static int look_at_parent(void)
{
	char path[64], to[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)parent);
	return failed(readlink(path, to, sizeof(to)));
}

static int execute(void)
{
	char *const argv[] = { (char *)(uintptr_t) "true", NULL };

	return failed(execve("/bin/true", argv, NULL));
}

static int make_process(void)
{
	return failed(syscall(SYS_fork));
}

static int unix_socket(void)
{
	return failed(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int internet_socket(void)
{
	return failed(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int bind_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	/* a name that the kernel chooses */
	return failed(bind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (const struct sockaddr *)&a,
			   sizeof(sa_family_t)));
}

static int type_into_terminal(void)
{
	struct termios now;
	char c = 'y';

	if (tcgetattr(tty, &now) != 0)
		return 200;
	return failed(ioctl(tty, TIOCSTI, &c));
}

static int set_terminal(void)
{
	struct termios now;

	if (tcgetattr(tty, &now) != 0 || tcsetattr(tty, TCSANOW, &now) != 0)
		return errno;
	return failed(tcflush(tty, TCIFLUSH));
}

/* So that a program draws its screen again. */
static int resize_terminal(void)
{
	struct winsize size;

	if (ioctl(tty, TIOCGWINSZ, &size) != 0)
		return errno;
	return failed(ioctl(tty, TIOCSWINSZ, &size));
}

static int signal_parent(void)
{
	return failed(kill(parent, 0));
}

static int stop_parent(void)
{
	/* ignored by whoever does not stop */
	return failed(kill(parent, SIGCONT));
}

static int signal_itself(void)
{
	return failed(syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), 0));
}

static int executable_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ?
		       errno : FINE;
}

static int trace_me(void)
{
	return failed(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

/* The outcome of the call in a child. */
static int try(enum who who, int (*call)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rt_err err;

		if ((who == LOOKS && look_confine(&err) != 0) ||
		    ((who == ASKS || who == ASKS_SOCKET) && ask_confine(dir, who == ASKS_SOCKET, &err) != 0))
			_exit(201);
		_exit(call());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGSYS);
		return KILLED;
	}
	assert_true(WEXITSTATUS(status) < 200);
	return WEXITSTATUS(status);
}

static void make(const char *folder, const char *name)
{
	int fd = at(folder, name, O_WRONLY | O_CREAT);

	assert_true(fd >= 0);
	(void)close(fd);
}

static void prepare(void)
{
	make(dir, "mine");
	make(other, "there");
}

static void clear(const char *folder)
{
	static const char *const names[] = { "mine", "there", "new", "a", "a.new" };
	char path[PATH_MAX + 20];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		(void)unlink(path);
	}
	(void)snprintf(path, sizeof(path), "%s/folder", folder);
	(void)rmdir(path);
}

struct row {
	const char *what;
	int (*call)(void);
	int asks, socket, looks; /* of the process that asks, without and with a socket; that looks */
};

/* With the sanitizers only the first PLAIN rows: their filters are wider than the real ones. */
#define PLAIN 2

static const struct row rows[] = {
	{ "the processes' files", read_proc, FINE, FINE, FINE },
	{ "executing", execute, KILLED, KILLED, KILLED },
	{ "reading another file", read_etc, EACCES, EACCES, FINE },
	{ "writing another file", write_other, EACCES, EACCES, KILLED },
	{ "making one", make_other, EACCES, EACCES, KILLED },
	{ "making one without a name", make_unnamed, FINE, FINE, KILLED },
	{ "cutting one", cut_other, EACCES, EACCES, KILLED },
	{ "answers", make_answers, FINE, FINE, KILLED },
	{ "moving a file out", move_out, EACCES, EACCES, EPERM },
	{ "removing another", remove_other, EACCES, EACCES, EPERM },
	{ "making a folder", make_folder, EACCES, EACCES, EPERM },
	{ "looking at another process", look_at_parent, EACCES, EACCES, FINE },
	{ "forking", make_process, KILLED, KILLED, KILLED },
	{ "an internet socket", internet_socket, KILLED, EPERM, KILLED },
	{ "the terminal's modes", set_terminal, FINE, FINE, EPERM },
	{ "the terminal's size", resize_terminal, FINE, FINE, EPERM },
	{ "a signal to another", signal_parent, EPERM, EPERM, EPERM },
	{ "going on", stop_parent, EPERM, EPERM, FINE },
	{ "a signal to itself", signal_itself, FINE, FINE, EPERM },
	{ "memory for code", executable_memory, EPERM, EPERM, EPERM },
	{ "being traced", trace_me, KILLED, KILLED, KILLED },
	{ "binding", bind_socket, KILLED, KILLED, KILLED },
	{ "a unix socket", unix_socket, KILLED, FINE, KILLED },
};

static size_t row_count(void)
{
#ifdef POL_SAN
	return PLAIN;
#else
	return sizeof(rows) / sizeof(rows[0]);
#endif
}

static void test_what_they_may_do(void **state)
{
	const int abi = sys_landlock_abi();

	(void)state;
	for (size_t i = 0; i < row_count(); i++) {
		const struct row *r = &rows[i];
		const int want[] = { FINE, r->asks, r->socket, r->looks };

		for (int who = FREE; who <= LOOKS; who++) {
			int got;

			/* the filter alone is left there: it does not know names */
			if (abi < 3 && (who == ASKS || who == ASKS_SOCKET) &&
			    (want[who] == EACCES || want[who] == ENOENT))
				continue;
			prepare();
			got = try((enum who)who, r->call);
			clear(dir);
			clear(other);
			/* Landlock says EXDEV of some moves */
			if (got == EXDEV)
				got = EACCES;
			if (got != want[who])
				fail_msg("%s, as %d: %d, not %d", r->what, who, got, want[who]);
		}
	}
}

/* Nothing is typed for the person.  Free it works only at one's own terminal. */
static void test_nothing_is_typed(void **state)
{
	(void)state;
	if (row_count() == PLAIN)
		return;
	assert_int_equal(try(ASKS, type_into_terminal), EPERM);
	assert_int_equal(try(ASKS_SOCKET, type_into_terminal), EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_they_may_do),
		cmocka_unit_test(test_nothing_is_typed),
	};
	char base[] = "/var/tmp/pol-ask-confine.XXXXXX";
	int master, r;

	parent = getpid();

	if (!mkdtemp(base) || openpty(&master, &tty, NULL, NULL, NULL) != 0)
		return 1;
	(void)snprintf(dir, sizeof(dir), "%s/dir", base);
	(void)snprintf(other, sizeof(other), "%s/other", base);
	if (mkdir(dir, 0700) != 0 || mkdir(other, 0700) != 0)
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	(void)rmdir(dir);
	(void)rmdir(other);
	(void)rmdir(base);
	return r;
}
