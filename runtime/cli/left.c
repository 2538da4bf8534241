/* Decides what a run has left that somebody should look at, and who has seen it. */
#include "runtime/cli/left.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/repo.h"
#include "runtime/base/sys.h"
#include "runtime/cli/approvals.h"

/*
 * The record: lines of a word and a text, in which no byte is a control.
 *   pol-left 1
 *   project PATH
 *   running TIME         the run has not looked yet
 *   was KIND PATH        a repository that was there before it
 *   may PATH             a name of the floor that was not, and can be made
 *   left TEXT            what nobody has seen yet
 */
#define FIRST "pol-left 1\n"
enum { MAX_RECORD = 4 << 20, MAX_NEWS = 1000, SHOWN = 1200 };

static void add_news(struct left *l, const char *text)
{
	char **grown = l->nnews < MAX_NEWS ?
			       reallocarray(l->news, l->nnews + 1, sizeof(*grown)) : NULL;
	char *copy = grown ? strdup(text) : NULL;

	if (grown)
		l->news = grown;
	if (copy)
		l->news[l->nnews++] = copy;
}

static void say(struct left *l, FILE *out, const char *text)
{
	fprintf(out, "polrun: %s\n", text);
	if (!l->seen)
		add_news(l, text);
}

/* A path below the project, as it is shown and written. */
static void shown_path(const struct left *l, const char *rel, char *out, size_t cap)
{
	char full[2 * PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s%s", l->project, rel[0] ? "/" : "", rel);
	io_escape(out, cap, full, strlen(full));
}

static void say_repo(struct left *l, FILE *out, const struct repo_item *r, const char *when)
{
	char path[SHOWN], text[SHOWN + 300];

	shown_path(l, r->path, path, sizeof(path));
	(void)snprintf(text, sizeof(text), "%s has appeared%s: %s, whose configuration git "
		       "believes: look at it before you work there", path, when,
		       repo_word(r->kind));
	say(l, out, text);
}

/* --- the records of runs that are over ------------------------------------------ */

static void record_name(const struct left *l, char *out, size_t cap)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a; the record itself says whose it is */

	for (const char *s = l->project; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	(void)snprintf(out, cap, "left-%016" PRIx64 "-", h);
}

/* The text behind `word` at the beginning of a line, or NULL. */
static const char *after(const char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

static bool was_there(char *const *line, size_t n, const struct repo_item *r)
{
	char want[SHOWN + 20], path[SHOWN];

	io_escape(path, sizeof(path), r->path, strlen(r->path));
	(void)snprintf(want, sizeof(want), "was %d %s", (int)r->kind, path);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(line[i], want))
			return true;
	return false;
}

/* A name of the floor that was absent when a run began which never looked. */
static void say_may(struct left *l, FILE *out, const char *path, const char *when)
{
	char text[SHOWN + 200];
	struct stat st;

	if (strchr(path, '\\') || fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	(void)snprintf(text, sizeof(text), "%s has appeared%s: look at it before you use it",
		       path, when);
	say(l, out, text);
}

/* Is what the line speaks of gone?  Nobody needs to look at it then. */
static bool is_gone(const char *text)
{
	const char *end = strstr(text, " has appeared");
	char path[SHOWN];
	struct stat st;

	if (!end || (size_t)(end - text) >= sizeof(path))
		return false;
	memcpy(path, text, (size_t)(end - text));
	path[end - text] = '\0';
	return !strchr(path, '\\') && fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

/* What one earlier run left; false where the record is of another project. */
static bool take_lines(struct left *l, char **line, size_t n,
		       const struct sandbox_view *view, FILE *out)
{
	char project[SHOWN], when[200] = "";
	const char *text;
	bool running = false;

	io_escape(project, sizeof(project), l->project, strlen(l->project));
	if (n < 2 || !(text = after(line[1], "project")) || strcmp(text, project) != 0)
		return false;
	for (size_t i = 2; i < n; i++) {
		if ((text = after(line[i], "running"))) {
			running = true;
			(void)snprintf(when, sizeof(when), " since a run of %.60s that was "
				       "killed", text);
		} else if ((text = after(line[i], "left"))) {
			if (!is_gone(text))
				say(l, out, text);
		} else if (running && (text = after(line[i], "may"))) {
			say_may(l, out, text, when);
		}
	}
	for (size_t i = 0; running && i < view->repos.n; i++)
		if (!was_there(line, n, &view->repos.v[i]))
			say_repo(l, out, &view->repos.v[i], when);
	return true;
}

static bool take_record(struct left *l, int dir, const char *name,
			const struct sandbox_view *view, FILE *out)
{
	AUTO_CLOSE int fd = sys_openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	AUTO_FREE char *text = NULL;
	AUTO_FREE char **line = NULL;
	struct stat st;
	size_t n = 0;
	ssize_t got;
	bool taken;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > MAX_RECORD || flock(fd, LOCK_EX | LOCK_NB) != 0)
		return false; /* of a run that lives, or none of ours */
	text = calloc(1, (size_t)st.st_size + 1);
	line = calloc((size_t)st.st_size + 1, sizeof(*line));
	got = text && line ? SYS_RETRY(pread(fd, text, (size_t)st.st_size, 0)) : -1;
	if (got < 0)
		return false;
	if (!got)
		return true; /* it had nothing to say */
	for (char *save = NULL, *p = strtok_r(text, "\n", &save); p;
	     p = strtok_r(NULL, "\n", &save))
		line[n++] = p;
	taken = take_lines(l, line, n, view, out);
	return taken;
}

/* The names of the records that are taken over, for their removal. */
static size_t take_all(struct left *l, const char *dir, int dirfd, char *names[], size_t cap,
		       const struct sandbox_view *view, FILE *out)
{
	char begin[40];
	struct dirent *d;
	DIR *list = opendir(dir);
	size_t n = 0;

	record_name(l, begin, sizeof(begin));
	while (list && n < cap && (d = readdir(list)))
		if (!strncmp(d->d_name, begin, strlen(begin)) &&
		    take_record(l, dirfd, d->d_name, view, out)) {
			names[n] = strdup(d->d_name);
			n += names[n] != NULL;
		}
	if (list)
		(void)closedir(list);
	return n;
}

/* --- this run's own ------------------------------------------------------------- */

static void print_lines(FILE *f, const struct left *l, const struct sandbox_view *before)
{
	char path[SHOWN], stamp[64] = "an unknown time";
	time_t now = time(NULL);
	struct tm tm;

	io_escape(path, sizeof(path), l->project, strlen(l->project));
	fprintf(f, FIRST "project %s\n", path);
	for (size_t i = 0; i < l->nnews; i++)
		fprintf(f, "left %s\n", l->news[i]);
	if (!before)
		return;
	if (gmtime_r(&now, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &tm);
	fprintf(f, "running %s\n", stamp);
	for (size_t i = 0; i < before->repos.n; i++) {
		const struct repo_item *r = &before->repos.v[i];

		io_escape(path, sizeof(path), r->path, strlen(r->path));
		fprintf(f, "was %d %s\n", (int)r->kind, path);
	}
	for (size_t i = 0; i < before->ncreatable; i++) {
		const char *p = before->creatable[i].path;

		io_escape(path, sizeof(path), p, strlen(p));
		fprintf(f, "may %s\n", path);
	}
}

/* `before`: the run has yet to begin.  0 or -errno. */
static int write_record(const struct left *l, const struct sandbox_view *before)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	FILE *f;
	int r;

	if (!before && !l->nnews)
		return SYS_RETRY(ftruncate(l->fd, 0)) != 0 ? -errno : 0;
	f = open_memstream(&text, &n);
	if (!f)
		return -ENOMEM;
	print_lines(f, l, before);
	if (fclose(f) != 0)
		return -ENOMEM;
	if (lseek(l->fd, 0, SEEK_SET) != 0)
		return -errno;
	/* longer than what stands there, or cut to its length: never half of both */
	r = io_write_all(l->fd, text, n);
	if (r == 0 && SYS_RETRY(ftruncate(l->fd, (off_t)n)) != 0)
		r = -errno;
	return r;
}

static int make_record(struct left *l, int dir, const struct sandbox_view *view)
{
	char begin[40], name[100];
	struct timespec now = { 0, 0 };
	int r;

	record_name(l, begin, sizeof(begin));
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)snprintf(name, sizeof(name), "%s%d-%lld%09ld", begin, (int)getpid(),
		       (long long)now.tv_sec, now.tv_nsec);
	l->fd = sys_openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (l->fd < 0)
		return -errno;
	if (flock(l->fd, LOCK_EX | LOCK_NB) != 0)
		r = -errno;
	else
		r = write_record(l, view);
	if (r < 0) {
		(void)unlinkat(dir, name, 0);
		(void)close(l->fd);
		l->fd = -1;
	}
	return r;
}

/* Could the run write anything below the project? */
static bool can_leave(const struct sandbox_view *v, const char *project)
{
	size_t n = strlen(project);
	const struct sandbox_node *top = sandbox_view_find(v, project);

	if (top && (top->ops & PB_WRITE) && !top->scratch)
		return true;
	for (size_t i = 0; i < v->n; i++)
		if (!strncmp(v->nodes[i].path, project, n) && v->nodes[i].path[n] == '/' &&
		    (v->nodes[i].ops & PB_WRITE) && !v->nodes[i].scratch)
			return true;
	return false;
}

void left_begin(struct left *l, const char *dir, const char *project,
		const struct sandbox_view *view, FILE *out)
{
	AUTO_CLOSE int dirfd = -1;
	struct rt_err err = { 0 };
	char *names[64];
	size_t n = 0;
	int r;

	*l = (struct left){ .project = project, .top = -1, .fd = -1,
			    .seen = isatty(STDERR_FILENO) == 1 };
	if (!can_leave(view, project))
		return;
	if (view->repos.cut || view->repos.failed) {
		char path[SHOWN];

		shown_path(l, "", path, sizeof(path));
		fprintf(out, "polrun: not all of %s was searched for repositories (%s): "
			     "those below that were not found are not kept as they are\n",
			path, view->repos.cut ? "it is too large" : 
			"a folder cannot be looked at");
	}
	l->top = sys_open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	r = approvals_make_dir(dir, &err);
	if (r == 0)
		dirfd = sys_open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (r == 0 && dirfd < 0)
		r = rt_fail_errno(&err, errno, "'%s'", dir);
	if (r == 0) {
		n = take_all(l, dir, dirfd, names, sizeof(names) / sizeof(names[0]), view, out);
		r = make_record(l, dirfd, view);
		if (r < 0)
			(void)rt_fail_errno(&err, -r, "'%s'", dir);
	}
	if (r < 0)
		fprintf(out, "polrun: what this run leaves will not be remembered: %s\n",
			err.text);
	for (size_t i = 0; i < n; i++) {
		/* their lines stand in the new record, or were seen */
		if (r == 0 || l->seen)
			(void)unlinkat(dirfd, names[i], 0);
		free(names[i]);
	}
}

void left_end(struct left *l, const struct sandbox_view *view, const size_t *which,
	      size_t n, FILE *out)
{
	struct repo_list now = { .v = NULL };
	char path[SHOWN], text[SHOWN + 300];
	int r;

	if (l->top < 0 && l->fd < 0)
		return;
	for (size_t i = 0; i < n && !l->seen; i++) {
		const char *p = view->creatable[which[i]].path;

		io_escape(path, sizeof(path), p, strlen(p));
		(void)snprintf(text, sizeof(text), "%s has appeared: look at it before you "
			       "use it", path);
		add_news(l, text);
	}
	r = l->top < 0 ? -EBADF : repo_find(l->top, &now);
	for (size_t i = 0; i < now.n; i++)
		if (!repo_has(&view->repos, now.v[i].kind, now.v[i].path))
			say_repo(l, out, &now.v[i], "");
	shown_path(l, "", path, sizeof(path));
	if (r < 0 || now.cut || now.failed || now.closed > view->repos.closed) {
		(void)snprintf(text, sizeof(text), "not all of %s was searched for "
			       "repositories that this run may have made (%s)", path,
			       r < 0 ? "it failed" : now.cut ? "it is too large" :
			       "a folder cannot be looked at");
		say(l, out, text);
	}
	repo_release(&now);
	if (l->fd >= 0 && (r = write_record(l, NULL)) < 0)
		fprintf(out, "polrun: what this run has left is not remembered: %s\n",
			strerror(-r));
}

void left_release(struct left *l)
{
	for (size_t i = 0; i < l->nnews; i++)
		free(l->news[i]);
	free(l->news);
	if (l->top >= 0)
		(void)close(l->top);
	if (l->fd >= 0)
		(void)close(l->fd);
	*l = (struct left){ .top = -1, .fd = -1 };
}
