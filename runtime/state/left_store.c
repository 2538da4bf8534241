/* Reads and writes the records of leftovers: left_store.h.  A record that another user could
 * have written is not trusted. */
#include "runtime/state/left_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/state/left_text.h"
#include "runtime/state/state_dir.h"

#define PREFIX "left-"
enum {
	MAX_ITEMS = 1000,
	MAX_BYTES = 1 << 20,
	MAX_RECORDS = 4096,
	LOCK_MS = 3000,
};

/* --- a pile ------------------------------------------------------------------------ */

/* The id is a cryptographic hash: the run chooses the path, and must not be able to make two
 * leftovers with the same id, since one of them would not be shown. */
static void make_id(const char *project, enum left_kind kind, const char *path,
		    char out[LEFT_ID + 1])
{
	unsigned char hash[LEFT_ID / 2], k = (unsigned char)kind;
	crypto_generichash_state st;

	(void)crypto_generichash_init(&st, NULL, 0, sizeof(hash));
	(void)crypto_generichash_update(&st, (const unsigned char *)project,
					strlen(project) + 1);
	(void)crypto_generichash_update(&st, &k, 1);
	(void)crypto_generichash_update(&st, (const unsigned char *)path, strlen(path));
	(void)crypto_generichash_final(&st, hash, sizeof(hash));
	(void)sodium_bin2hex(out, LEFT_ID + 1, hash, sizeof(hash));
}

void left_pile_add(struct left_pile *p, enum left_kind kind, const char *path, int64_t when,
		   bool killed)
{
	struct left_item it = { .kind = kind, .when = when, .killed = killed }, *grown = NULL;

	make_id(p->project, kind, path, it.id);
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].id, it.id))
			return;
	if (p->n < MAX_ITEMS && p->bytes + strlen(path) <= MAX_BYTES) {
		it.path = strdup(path);
		grown = it.path ? reallocarray(p->v, p->n + 1, sizeof(*grown)) : NULL;
	}
	if (!grown) {
		free(it.path);
		p->more++;
		return;
	}
	p->v = grown;
	p->v[p->n++] = it;
	p->bytes += strlen(path);
}

void left_pile_drop(struct left_pile *p, size_t i)
{
	p->bytes -= strlen(p->v[i].path);
	free(p->v[i].path);
	memmove(&p->v[i], &p->v[i + 1], (p->n - i - 1) * sizeof(*p->v));
	p->n--;
	p->changed = true;
}

void left_pile_release(struct left_pile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].path);
	for (size_t i = 0; i < p->nrecords; i++)
		free(p->record[i]);
	free(p->v);
	free(p->record);
	free(p->project);
	*p = (struct left_pile){ .v = NULL };
}

/* --- the folder -------------------------------------------------------------------- */

/* polrun as root for another user makes the record in that user's folder: the record has to
 * belong to that user, who could not read it otherwise. */
static int give_to_owner(const struct left_store *s, int fd)
{
	if (geteuid() != 0 || s->uid == 0)
		return 0;
	return fchown(fd, s->uid, (gid_t)-1) == 0 ? 0 : -errno;
}

int left_store_open(const char *dir, struct left_store *ret, struct rt_err *err)
{
	struct stat st;
	int r;

	*ret = (struct left_store){ .dirfd = -1, .lock = -1 };
	io_escape(ret->shown, sizeof(ret->shown), dir, strlen(dir));
	ret->dirfd = sys_open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (ret->dirfd < 0 && errno == ENOENT)
		return -ENOENT;
	if (ret->dirfd < 0 || fstat(ret->dirfd, &st) != 0)
		return rt_fail_errno(err, errno, "'%s'", ret->shown);
	ret->uid = st.st_uid;
	ret->lock = state_dir_lock(dir, STATE_RECORDS_LOCK, err);
	if (ret->lock < 0)
		return ret->lock;
	r = io_lock(ret->lock, LOCK_EX, LOCK_MS);
	return r < 0 ? rt_fail_errno(err, -r, "'%s/" STATE_RECORDS_LOCK "'", ret->shown) : 0;
}

void left_store_release(struct left_store *s)
{
	for (size_t i = 0; i < s->npiles; i++)
		left_pile_release(&s->pile[i]);
	for (size_t i = 0; i < s->nbad; i++)
		free(s->bad[i]);
	free(s->pile);
	free(s->bad);
	if (s->lock >= 0)
		(void)close(s->lock);
	if (s->dirfd >= 0)
		(void)close(s->dirfd);
	*s = (struct left_store){ .dirfd = -1, .lock = -1 };
}

/* The first part of the names of a project's records.  Two projects may have the same hash:
 * the `project` line of a record counts. */
static void make_name_prefix(const char *project, char out[40])
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (const char *s = project; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	(void)snprintf(out, 40, PREFIX "%016" PRIx64 "-", h);
}

int left_store_create(struct left_store *s, const char *project)
{
	AUTO_CLOSE int fd = -1;
	char begin[40], name[100];
	struct timespec now = { 0, 0 };
	int r;

	make_name_prefix(project, begin);
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)snprintf(name, sizeof(name), "%s%d-%lld%09ld", begin, (int)getpid(),
		       (long long)now.tv_sec, now.tv_nsec);
	fd = sys_openat(s->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = give_to_owner(s, fd);
	if (r == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
		r = -errno;
	if (r == 0)
		return io_steal_fd(&fd);
	(void)unlinkat(s->dirfd, name, 0);
	return r;
}

/* --- reading ----------------------------------------------------------------------- */

static int put_name(char ***list, size_t *n, const char *name)
{
	char **grown = reallocarray(*list, *n + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[*n] = strdup(name);
	return grown[*n] ? ((*n)++, 0) : -ENOMEM;
}

static struct left_pile *find_or_add_pile(struct left_store *s, const char *project)
{
	struct left_pile *grown;

	for (size_t i = 0; i < s->npiles; i++)
		if (!strcmp(s->pile[i].project, project))
			return &s->pile[i];
	grown = reallocarray(s->pile, s->npiles + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	s->pile = grown;
	grown[s->npiles] = (struct left_pile){ .project = strdup(project) };
	return grown[s->npiles].project ? &grown[s->npiles++] : NULL;
}

/* True if the leftover does not exist any more, so that the user need not look at it. */
static bool is_gone(const struct left_item *it)
{
	struct stat st;

	return it->kind < LEFT_CUT &&
	       fstatat(AT_FDCWD, it->path, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

/* Searches for the leftovers of a run that was killed, together with its polrun, before polrun
 * could search. */
static void search_for_killed(struct left_pile *p, const struct left_text *t)
{
	AUTO_CLOSE int top = sys_open(p->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	struct repo_list now = { .v = NULL };
	char path[2 * PATH_MAX];
	struct stat st;

	if (top < 0 && (errno == ENOENT || errno == ENOTDIR))
		return;
	if (top < 0 || repo_find(top, &now) < 0)
		left_pile_add(p, LEFT_FAILED, p->project, t->running, true);
	for (size_t i = 0; i < now.n; i++) {
		if (left_text_was(t, now.v[i].kind, now.v[i].path))
			continue;
		(void)snprintf(path, sizeof(path), "%s%s%s", p->project,
			       now.v[i].path[0] ? "/" : "", now.v[i].path);
		left_pile_add(p, (enum left_kind)(LEFT_REPO + now.v[i].kind), path, t->running,
			      true);
	}
	if (now.cut || now.failed)
		left_pile_add(p, now.cut ? LEFT_CUT : LEFT_CLOSED, p->project, t->running, true);
	repo_release(&now);
	for (size_t i = 0; i < t->nmay; i++)
		if (fstatat(AT_FDCWD, t->may[i], &st, AT_SYMLINK_NOFOLLOW) == 0 ||
		    (errno != ENOENT && errno != ENOTDIR))
			left_pile_add(p, LEFT_NAME, t->may[i], t->running, true);
}

static int add_record(struct left_store *s, const char *name, const struct left_text *t,
		     bool lives)
{
	struct left_pile *p = find_or_add_pile(s, t->project);

	if (!p)
		return -ENOMEM;
	if (lives) {
		p->running++;
		return 0;
	}
	for (size_t i = 0; i < t->nleft; i++)
		left_pile_add(p, t->left[i].kind, t->left[i].path, t->left[i].when,
			      t->left[i].killed);
	if (t->is_running)
		search_for_killed(p, t);
	p->more = p->more + t->more < p->more ? UINT64_MAX : p->more + t->more;
	p->changed |= t->is_running || t->has_ended;
	return put_name(&p->record, &p->nrecords, name);
}

/* -EBADMSG: it is not a complete record that polrun has written. */
static int read_record(struct left_store *s, const char *name, const char *project)
{
	AUTO_CLOSE int fd = sys_openat(s->dirfd, name,
				       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	AUTO_FREE char *text = NULL;
	struct left_text t;
	struct stat st;
	bool lives;
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : -EBADMSG;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 022) ||
	    (st.st_uid != geteuid() && st.st_uid != s->uid) || st.st_size > LEFT_MAX_RECORD)
		return -EBADMSG;
	lives = flock(fd, LOCK_SH | LOCK_NB) != 0;
	text = calloc(1, (size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	/* the run's polrun changes the record just now: the next reader sees the change */
	if (SYS_RETRY(pread(fd, text, (size_t)st.st_size, 0)) != st.st_size)
		return lives ? 0 : -EBADMSG;
	if (!st.st_size) {
		if (!lives)
			(void)unlinkat(s->dirfd, name, 0);
		return 0;
	}
	r = left_text_read(text, (size_t)st.st_size, &t);
	if (r == 0 && (!project || !strcmp(t.project, project)))
		r = add_record(s, name, &t, lives);
	/* the run's polrun is just writing the record */
	else if (r == -EBADMSG && lives)
		r = 0;
	left_text_release(&t);
	return r;
}

static void drop_gone(struct left_pile *p)
{
	for (size_t i = p->n; i-- > 0;)
		if (is_gone(&p->v[i]))
			left_pile_drop(p, i);
}

int left_store_load(struct left_store *s, const char *project, struct rt_err *err)
{
	char begin[40] = PREFIX;
	struct dirent *d;
	size_t seen = 0;
	DIR *list;
	int fd, r = 0;

	if (project)
		make_name_prefix(project, begin);
	fd = sys_openat(s->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return rt_fail_errno(err, -r, "'%s'", s->shown);
	}
	while (r == 0 && (errno = 0, d = readdir(list))) {
		if (strncmp(d->d_name, begin, strlen(begin)) != 0)
			continue;
		if (++seen > MAX_RECORDS)
			r = -E2BIG;
		else
			r = read_record(s, d->d_name, project);
		if (r == -EBADMSG)
			r = put_name(&s->bad, &s->nbad, d->d_name);
	}
	if (r == 0 && errno)
		r = -errno;
	(void)closedir(list);
	for (size_t i = 0; i < s->npiles; i++)
		drop_gone(&s->pile[i]);
	return r < 0 ? rt_fail_errno(err, -r, "'%s'", s->shown) : 0;
}

/* --- writing ----------------------------------------------------------------------- */

/* Writes the text of a record, or an addition to one, at the descriptor's position. */
static int write_text(int fd, const char *text, size_t n)
{
	return n > LEFT_MAX_RECORD ? -EFBIG : io_write_all(fd, text, n);
}

static void print_items(FILE *f, const struct left_pile *p)
{
	for (size_t i = 0; i < p->n; i++)
		left_text_item(f, &p->v[i]);
	if (p->more)
		fprintf(f, "more %" PRIu64 "\n", p->more);
}

int left_record_begin(int fd, const char *project, const struct left_before *b)
{
	AUTO_FREE char *text = NULL;
	const char *may;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return -ENOMEM;
	left_text_head(f, project);
	fprintf(f, "running %lld\n", (long long)time(NULL));
	for (size_t i = 0; i < b->repos->n; i++)
		left_text_repo(f, &b->repos->v[i]);
	for (size_t i = 0; (may = b->may(b->arg, i)); i++)
		left_text_path(f, "may", may);
	return fclose(f) != 0 ? -ENOMEM : write_text(fd, text, n);
}

int left_record_end(int fd, const struct left_pile *found)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	FILE *f;

	if (!found->n && !found->more)
		return SYS_RETRY(ftruncate(fd, 0)) != 0 ? -errno : 0;
	f = open_memstream(&text, &n);
	if (!f)
		return -ENOMEM;
	print_items(f, found);
	fputs("ended\n", f);
	if (fclose(f) != 0)
		return -ENOMEM;
	/* append: if only a part is written, `ended` is missing and the run counts as killed */
	return lseek(fd, 0, SEEK_END) < 0 ? -errno : write_text(fd, text, n);
}

static int write_pile(struct left_store *s, const struct left_pile *p)
{
	AUTO_CLOSE int fd = left_store_create(s, p->project);
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	FILE *f = fd < 0 ? NULL : open_memstream(&text, &n);

	if (!f)
		return fd < 0 ? fd : -ENOMEM;
	left_text_head(f, p->project);
	print_items(f, p);
	return fclose(f) != 0 ? -ENOMEM : write_text(fd, text, n);
}

int left_store_remove(struct left_store *s, const char *name, struct rt_err *err)
{
	if (unlinkat(s->dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	return rt_fail_errno(err, errno, "'%s'", s->shown);
}

int left_store_save(struct left_store *s, struct left_pile *p, struct rt_err *err)
{
	int r = 0;

	if (p->nrecords == 1 && !p->changed)
		return 0;
	if (p->nrecords && (p->n || p->more))
		r = write_pile(s, p);
	/* if the new record was not written completely, the old ones stay, and nothing is lost */
	if (r < 0)
		return rt_fail_errno(err, -r, "'%s'", s->shown);
	for (size_t i = 0; i < p->nrecords && r == 0; i++)
		r = left_store_remove(s, p->record[i], err);
	return r;
}
