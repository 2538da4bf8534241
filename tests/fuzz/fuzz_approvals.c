/*
 * The file of remembered answers.  One that is not read has no answers, and a reason.
 * One that is read has what stands in it, a line an answer behind the header, and is
 * written again as the same bytes: no answer counts that was not written so.
 */
#include "tests/fuzz/law.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/approvals/approvals.h"
#include "runtime/base/io.h"

static char folder[64];

static void drop_folder(void)
{
	static const char *const names[] = { "approvals", "approvals.lock", "approvals.new", "" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (unlink(path) != 0)
			(void)rmdir(path);
	}
}

static void put(struct approvals *a, const uint8_t *data, size_t n)
{
	struct rt_err err = { 0 };
	int fd;

	if (!folder[0]) {
		(void)snprintf(folder, sizeof(folder), "/dev/shm/pol-fuzz-XXXXXX");
		LAW(mkdtemp(folder));
		(void)atexit(drop_folder);
	}
	LAW(approvals_open(folder, a, &err) == 0);
	fd = openat(a->dirfd, "approvals", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	LAW(fd >= 0 && write(fd, data, n) == (ssize_t)n && close(fd) == 0);
}

/* The lines as the module writes them. */
static char *written(const struct approvals *a, size_t *ret_n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_n);

	LAW(f);
	fputs(APPROVALS_HEADER "\n", f);
	for (size_t i = 0; i < a->n; i++)
		fprintf(f, "%s\t%s\t%lld\t%s\t%s\t%s\n", a->v[i].key, a->v[i].session,
			(long long)a->v[i].when, a->v[i].digest, a->v[i].rule, a->v[i].what);
	LAW(fclose(f) == 0);
	return text;
}

static void law_entry(const struct approvals *a, const struct approval *p)
{
	struct approval other = *p;

	/* of two lines of one answer the first counts */
	for (const struct approval *q = a->v; q < p; q++)
		if (!strcmp(q->key, p->key) && !strcmp(q->session, p->session))
			return;
	LAW(strlen(p->key) == APPROVALS_KEY && approval_session_is(p->session));
	/* what ended, and what is of the future, is no answer */
	LAW(!approvals_has(a, p->key, p->session, p->when - 1));
	if (approval_session_named(p->session)) {
		LAW(approvals_has(a, p->key, p->session, p->when));
		LAW(!approvals_counts(p, p->when + APPROVALS_NAMED_SECONDS));
	}
	/* nor is that of another session, or to another question */
	other.key[0] = p->key[0] == '0' ? '1' : '0';
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].key, other.key) == 0)
			return;
	LAW(!approvals_has(a, other.key, p->session, p->when));
	LAW(!approvals_has(a, p->key, "id:nobody-else", p->when) ||
	    memmem(a->v, a->n * sizeof(*a->v), "id:nobody-else", 15));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct approvals a;
	struct rt_err err = { 0 };
	size_t len = 0;
	char *text;
	int r;

	put(&a, data, n);
	r = approvals_load(&a, &err);
	LAW(r == 0 || (r == -EBADMSG && a.n == 0 && err.text[0]));
	if (r == 0) {
		text = written(&a, &len);
		LAW(len == n && memcmp(text, data, n) == 0);
		free(text);
		for (size_t i = 0; i < a.n; i++)
			law_entry(&a, &a.v[i]);
	}
	approvals_release(&a);
	return 0;
}
