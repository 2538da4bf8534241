/*
 * Random work in a tree, with searches for repositories between.  Laws: a search that knows what the last one
 * has seen finds what one finds that knows nothing, whatever has changed and however lately; and where nothing has
 * changed for a while it reads no folder again.  SEED= and RUNS= in the environment.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/repo.h"
#include "runtime/base/repo_known.h"
#include "tests/prop/runs.h"

#define ENOUGH 12
#define STEPS 14
#define WORDS 10
#define EXCHANGE 2u /* RENAME_EXCHANGE */

static char top[] = "/var/tmp/pol-repo.XXXXXX";
static struct {
	unsigned long searches, found, known, still, moved;
} seen;

static const char *const words[WORDS] = { "a", "b", "c", ".git", ".pol", "HEAD", "objects", "refs", "modules", "worktrees" };

/* A path of up to four names. */
static void draw(struct rnd *r, char *ret, size_t cap)
{
	size_t at = 0;

	for (uint32_t n = 1 + rnd_below(r, 3); n; n--)
		at += (size_t)snprintf(ret + at, cap - at, "%s%s", at ? "/" : "",
				       words[rnd_one_in(r, 2) ? rnd_below(r, 3) : rnd_below(r, WORDS)]);
}

static void work(struct rnd *r, int fd)
{
	char a[64], b[64];
	int file;

	draw(r, a, sizeof(a));
	draw(r, b, sizeof(b));
	switch (rnd_below(r, 8)) {
	case 0:
	case 1:
	case 2:
	case 3:
		(void)mkdirat(fd, a, 0755);
		break;
	case 4:
		file = openat(fd, a, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (file >= 0)
			(void)close(file);
		break;
	case 5:
		seen.moved += renameat(fd, a, fd, b) == 0;
		break;
	case 6:
		seen.moved += syscall(SYS_renameat2, fd, a, fd, b, EXCHANGE) == 0;
		break;
	default:
		if (unlinkat(fd, a, AT_REMOVEDIR) != 0)
			(void)unlinkat(fd, a, 0);
	}
}

static void rest(struct rnd *r, unsigned most)
{
	const struct timespec t = { 0, (long)rnd_below(r, most + 1) * 1000000L };

	(void)nanosleep(&t, NULL);
}

static bool is_same(const struct repo_list *x, const struct repo_list *y)
{
	bool same = x->n == y->n && x->cut == y->cut && x->closed == y->closed && x->failed == y->failed;

	for (size_t i = 0; i < x->n && same; i++)
		same = repo_has(y, x->v[i].kind, x->v[i].path);
	return same;
}

static void show(const char *who, const struct repo_list *l)
{
	printf("  %s:", who);
	for (size_t i = 0; i < l->n; i++)
		printf(" %d %s", (int)l->v[i].kind, l->v[i].path);
	printf("\n");
}

/* Through the bytes of a file, as from run to run. */
static bool pass_on(struct repo_known *k)
{
	void *bytes;
	size_t n;
	bool ok;

	if (!repo_known_write(k, &bytes, &n))
		return false;
	repo_known_release(k);
	ok = repo_known_read(bytes, n, k);
	free(bytes);
	return ok;
}

static bool look(int fd, struct repo_known *k, bool *ret_changed)
{
	struct repo_list with = { .v = NULL }, without = { .v = NULL };
	bool ok = repo_find_from(fd, REPO_TOP_TREE, 100000, k, ret_changed, &with) == 0 &&
		  repo_find_from(fd, REPO_TOP_TREE, 100000, NULL, NULL, &without) == 0 && is_same(&with, &without);

	if (!ok) {
		show("known", &with);
		show("read ", &without);
	}
	seen.searches++;
	seen.found += with.n;
	seen.known += k->n;
	repo_release(&with);
	repo_release(&without);
	return ok;
}

static bool one_tree(struct rnd *r)
{
	struct repo_known k = { 0 };
	bool ok = true, changed;
	char line[128];
	int fd;

	(void)snprintf(line, sizeof(line), "rm -rf %s/t && mkdir %s/t", top, top);
	if (system(line) != 0)
		return false;
	(void)snprintf(line, sizeof(line), "%s/t", top);
	fd = open(line, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int step = 0; step < STEPS && ok; step++) {
		for (uint32_t n = rnd_below(r, 16) + (step ? 0 : 60); n; n--)
			work(r, fd);
		rest(r, 40);
		changed = false;
		ok = look(fd, &k, &changed);
		if (ok && rnd_one_in(r, 3) && k.n)
			ok = pass_on(&k);
	}
	/* nothing has changed for a while */
	rest(r, 0);
	(void)nanosleep(&(const struct timespec){ 0, 50000000 }, NULL);
	for (int i = 0; i < 2 && ok; i++)
		ok = look(fd, &k, &changed);
	if (ok && changed) {
		printf("  folders were read again though nothing has changed\n");
		ok = false;
	}
	seen.still += ok;
	repo_known_release(&k);
	(void)close(fd);
	return ok;
}

int main(void)
{
	unsigned long n;
	char line[128];
	bool ok;

	if (!mkdtemp(top))
		return 1;
	ok = prop_runs(ENOUGH, one_tree, &n);
	(void)snprintf(line, sizeof(line), "rm -rf %s", top);
	ok = system(line) == 0 && ok;
	printf("searches: %lu, found: %lu, folders known: %lu, moves: %lu\n", seen.searches, seen.found, seen.known, seen.moved);
	if (ok && n >= ENOUGH && (seen.found < seen.searches || seen.known < seen.searches || seen.moved < n)) {
		printf("FAIL: too few of a kind\n");
		ok = false;
	}
	printf("%d passed, %d failed, 0 skipped\n", ok, !ok);
	return ok ? 0 : 1;
}
