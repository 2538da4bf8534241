/*
 * The broker answers and acts as the kernel does: random calls on random names, with links,
 * dots and trailing slashes, in two directories that begin alike, of which the broker changes
 * one and the kernel the other.  All errnos are equal, and so is what they leave.  Each run is
 * made as an ordinary user, who meets permissions, and as root if root runs it.  SEED= RUNS=.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/lib/broker_twin.h"
#include "tests/prop/runs.h"

#define CALLS 300
#define ENOUGH 20
#define NOBODY 61234
#define VERBS BROKER_BIND /* which needs a caller */

/* Shared with the children that make the calls. */
static struct seen {
	unsigned long verb[BROKER_VERB_COUNT][2]; /* failed, done */
	unsigned long err[200], native, special;
} *seen;

static const char *const names[] = { "d", "e", "f", "g", "l", ".", "..", "x" };
static const char *const text_of[BROKER_VERB_COUNT] = {
	"open", "mkdir", "rmdir", "mknod", "symlink", "link", "unlink", "rename", "truncate",
	"chmod", "chown", "utimens", "setxattr", "removexattr", "access", "bind",
};

struct drawn {
	struct broker_call c;
	char path[400], to[400], text[400];
};

static void draw_path(struct rnd *r, char *out, size_t cap)
{
	uint32_t n = 1 + rnd_below(r, 3);
	size_t at = 0;

	if (rnd_below(r, 4) != 0)
		at += (size_t)snprintf(out, cap, "@/");
	else
		out[0] = '\0';
	for (uint32_t i = 0; i < n; i++) {
		const char *name = RND_PICK(r, names);

		if (rnd_below(r, 200) == 0) { /* too long */
			memset(out + at, 'n', 256);
			at += 256;
			out[at] = '\0';
		} else {
			at += (size_t)snprintf(out + at, cap - at, "%s", name);
		}
		if (i + 1 < n)
			at += (size_t)snprintf(out + at, cap - at, rnd_below(r, 8) ? "/" : "//");
		if (at > 100)
			break;
	}
	/* of a file that is to be made, with a '/' behind it, the kernel does not look at the name */
	if (at < 100 && rnd_below(r, 8) == 0)
		(void)snprintf(out + at, cap - at, "/");
	if (rnd_below(r, 300) == 0)
		out[0] = '\0';
}

static uint64_t draw_open_flags(struct rnd *r)
{
	static const int acc[] = { O_RDONLY, O_WRONLY, O_RDWR };
	static const int bits[] = { O_CREAT, O_CREAT, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW,
				    O_DIRECTORY, O_TMPFILE, O_NOATIME, O_SYNC };
	int flags = RND_PICK(r, acc) | O_CLOEXEC;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (rnd_below(r, i < 3 ? 3 : bits[i] == O_TMPFILE ? 20 : 6) == 0)
			flags |= bits[i];
	/* one that waits for a reader of a FIFO would wait for ever */
	return (uint64_t)(flags | O_NONBLOCK);
}

/* A file of populate(): few other names have an attribute, or are what can be linked. */
static bool draw_known(struct rnd *r, struct drawn *d)
{
	if (rnd_below(r, 4) != 0)
		return false;
	(void)snprintf(d->path, sizeof(d->path), "@/%s", rnd_below(r, 2) ? "e" : "d/f");
	return true;
}

static void draw(struct rnd *r, struct drawn *d)
{
	static const mode_t modes[] = { 0755, 0755, 0700, 0644, 0600, 0500, 0444, 0300, 0100, 0, 04755, 02775 };
	static const char *const attrs[] = { "user.x", "user.x", "user.y", "trusted.x", "user.", "x", "" };
	static const unsigned renames[] = { 0, 0, 0, 1, 2, 3, 8 };
	struct broker_call *c = &d->c;
	uint32_t kind = rnd_below(r, 23);

	/* opening and making directories more often than the rest */
	*c = (struct broker_call){ .verb = kind < VERBS ? (enum broker_verb)kind :
					   kind < 20 ? BROKER_OPEN : kind < 22 ? BROKER_MKDIR : BROKER_SYMLINK };
	draw_path(r, d->path, sizeof(d->path));
	draw_path(r, d->to, sizeof(d->to));
	c->path = (struct broker_path){ d->path, "@" };
	c->to = (struct broker_path){ d->to, "@" };
	c->follow = rnd_below(r, 2);
	c->umask = rnd_below(r, 3) ? 022 : 077;
	c->mode = RND_PICK(r, modes);
	c->uid = rnd_below(r, 2) ? (uid_t)-1 : geteuid();
	c->gid = rnd_below(r, 2) ? (gid_t)-1 : getegid();
	c->length = (off_t)rnd_below(r, 20) - 1;
	for (int i = 0; i < 2; i++)
		c->times[i] = (struct timespec){ 1000 + rnd_below(r, 1000),
						 rnd_below(r, 4) ? 0 : rnd_below(r, 2) ? UTIME_NOW : UTIME_OMIT };
	c->text = RND_PICK(r, attrs);
	c->value = "value";
	c->size = 1 + rnd_below(r, 5);
	switch (c->verb) {
	case BROKER_OPEN:
		c->flags = draw_open_flags(r);
		break;
	case BROKER_MKNOD:
		c->mode |= rnd_below(r, 3) ? S_IFREG : rnd_below(r, 8) ? S_IFIFO : S_IFDIR;
		break;
	case BROKER_SYMLINK:
		draw_path(r, d->text, sizeof(d->text));
		c->text = d->text;
		break;
	case BROKER_RENAME:
		c->flags = RND_PICK(r, renames);
		break;
	case BROKER_SETXATTR:
		c->flags = rnd_below(r, 4);
		break;
	case BROKER_REMOVEXATTR:
		if (draw_known(r, d))
			c->text = "user.x";
		break;
	case BROKER_LINK:
		(void)draw_known(r, d);
		break;
	case BROKER_ACCESS:
		c->mode = rnd_below(r, 8) | (rnd_below(r, 20) ? 0 : 8);
		c->flags = rnd_below(r, 2) ? AT_EACCESS : 0;
		break;
	case BROKER_MKDIR: case BROKER_RMDIR: case BROKER_UNLINK:
	case BROKER_TRUNCATE: case BROKER_CHMOD: case BROKER_CHOWN: case BROKER_UTIMENS:
	case BROKER_BIND: case BROKER_EXEC: case BROKER_CONFINE: case BROKER_VERB_COUNT:
		break;
	}
}

static bool fail(const struct drawn *d, const char *what, long x, long y)
{
	printf("FAIL: %s %s (%s, %s) follow %d flags %#llx mode %o: %s: broker %ld (%s), kernel %ld (%s)\n",
	       text_of[d->c.verb], d->path, d->to, d->c.text, d->c.follow,
	       (unsigned long long)d->c.flags, d->c.mode, what, x, strerror((int)x), y,
	       strerror((int)y));
	return false;
}

static bool same_open(const struct drawn *d, const struct twin_answer a[2])
{
	const int kept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_NOATIME;
	int f0 = fcntl(a[0].fd, F_GETFL) & kept, f1 = fcntl(a[1].fd, F_GETFL) & kept;
	ssize_t n0 = write(a[0].fd, "hello", 5), n1 = write(a[1].fd, "hello", 5);

	(void)close(a[0].fd);
	(void)close(a[1].fd);
	if (f0 != f1)
		return fail(d, "flags", f0, f1);
	return n0 == n1 || fail(d, "written", n0, n1);
}

/* What the broker does not do, and says so: it opens no socket, and sets no attribute of root's or
 * of what it cannot open. */
static bool is_special(const struct broker_result *last, enum broker_verb verb)
{
	if (!last->ours)
		return false;
	return (last->reason == BROKER_BY_KIND && verb == BROKER_OPEN) ||
	       (last->reason == BROKER_BY_CLOSED && last->err == EACCES) ||
	       (last->reason == BROKER_BY_NATURE && verb >= BROKER_SETXATTR);
}

static bool one_call(struct twin *t, struct rnd *r)
{
	struct twin_answer a[2];
	char why[1000];
	struct drawn d;

	draw(r, &d);
	/* the directories above the tree, by which the kernel would come to it, stay */
	t->leave_alone = d.c.verb == BROKER_CHMOD || d.c.verb == BROKER_RENAME;
	twin_one(t, 0, &d.c, &a[0]);
	if (is_special(&t->last, d.c.verb)) {
		seen->special++;
		return true;
	}
	if (!t->last.ours && t->leave_alone)
		return true;
	twin_one(t, 1, &d.c, &a[1]);
	if (a[0].err != a[1].err)
		return fail(&d, "errno", a[0].err, a[1].err);
	seen->verb[d.c.verb][a[0].err == 0]++;
	seen->native += !t->last.ours;
	if (a[0].err > 0 && a[0].err < 200)
		seen->err[a[0].err]++;
	if (a[0].fd >= 0 && !same_open(&d, a))
		return false;
	if (twin_alike(t, false, why, sizeof(why)))
		return true;
	printf("%s\n", why);
	return fail(&d, "what is left", 0, 0);
}

/* Something to begin with, so that each call finds what it is for. */
static bool populate(struct twin *t)
{
	static const struct broker_call first[] = {
		{ .verb = BROKER_MKDIR, .path.raw = "@/d", .mode = 0755 },
		{ .verb = BROKER_MKDIR, .path.raw = "@/d/e", .mode = 0755 },
		{ .verb = BROKER_OPEN, .path.raw = "@/e", .flags = O_WRONLY | O_CREAT, .mode = 0644 },
		{ .verb = BROKER_OPEN, .path.raw = "@/d/f", .flags = O_WRONLY | O_CREAT, .mode = 0644 },
		{ .verb = BROKER_SETXATTR, .path.raw = "@/e", .text = "user.x", .value = "1", .size = 1 },
		{ .verb = BROKER_SETXATTR, .path.raw = "@/d/f", .text = "user.x", .value = "1", .size = 1 },
		{ .verb = BROKER_SYMLINK, .path.raw = "@/l", .text = "d" },
	};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		struct twin_answer a[2];

		twin_both(t, &first[i], a);
		for (int k = 0; k < 2; k++) {
			if (a[k].fd >= 0)
				(void)close(a[k].fd);
			if (a[k].err && a[k].err != EOPNOTSUPP)
				return false;
		}
	}
	return true;
}

static bool all_calls(struct rnd *r)
{
	struct twin t;
	bool ok = twin_init(&t, &twin_allow_all) == 0 && populate(&t);
	char why[1000];

	for (unsigned i = 0; ok && i < CALLS; i++)
		ok = one_call(&t, r);
	if (ok && !twin_alike(&t, true, why, sizeof(why))) {
		printf("FAIL: what is left above the tree: %s\n", why);
		ok = false;
	}
	twin_release(&t);
	return ok;
}

static bool as(uid_t uid, struct rnd *r)
{
	pid_t pid;
	int status;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		bool ok = uid == geteuid() || (setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0);

		ok = ok && all_calls(r);
		(void)fflush(stdout);
		_exit(!ok);
	}
	if (waitpid(pid, &status, 0) == pid && status == 0)
		return true;
	printf("as %u: status %#x\n", uid, status);
	return false;
}

static bool one_run(struct rnd *r)
{
	struct rnd again = *r;

	return as(geteuid() == 0 ? NOBODY : geteuid(), r) && (geteuid() != 0 || as(0, &again));
}

static bool is_met(void)
{
	static const int errs[] = { ENOENT, EEXIST, ENOTDIR, EISDIR, ELOOP, ENOTEMPTY, EBUSY, EINVAL,
				    EACCES, EPERM, ENAMETOOLONG };
	bool met = seen->native && seen->special;

	for (size_t i = 0; i < VERBS; i++)
		if (!seen->verb[i][0] || !seen->verb[i][1]) {
			printf("%s: %lu failed, %lu done\n", text_of[i], seen->verb[i][0], seen->verb[i][1]);
			met = false;
		}
	for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++)
		if (!seen->err[errs[i]]) {
			printf("never %s\n", strerror(errs[i]));
			met = false;
		}
	return met;
}

int main(void)
{
	unsigned long n;
	bool all;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || !prop_runs(ENOUGH, one_run, &n))
		return 1;
	all = n < ENOUGH || is_met();
	for (size_t i = 0; i < VERBS; i++)
		printf("%s %lu/%lu ", text_of[i], seen->verb[i][1], seen->verb[i][0]);
	printf("(done/failed); left to the kernel %lu, refused by kind %lu\n", seen->native, seen->special);
	printf("%d passed, %d failed, 0 skipped\n", all, !all);
	return !all;
}
