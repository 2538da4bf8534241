/*
 * libpol against itself: `same BUNDLE` asks every kind of request, and
 *   - eight threads on one bundle get what one gets, decisions and texts;
 *   - from the first decision on nothing is allocated;
 *   - each misuse is an error and a deny.
 * Prints the number of questions, or what differs.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/libpol/pol.h"

enum { THREADS = 8, ROUNDS = 40, TEXT = 16384 };

/* --- what is allocated ------------------------------------------------------------ */

static _Thread_local volatile int watching;
static _Thread_local unsigned long allocated;

#ifdef POL_SAN
/* the sanitizers have their own allocator, and tell of it */
int __sanitizer_install_malloc_and_free_hooks(
	void (*malloc_hook)(const volatile void *, size_t),
	void (*free_hook)(const volatile void *));

static void on_malloc(const volatile void *p, size_t n)
{
	(void)p;
	(void)n;
	allocated += (unsigned long)watching;
}

static void on_free(const volatile void *p)
{
	(void)p;
}

static void watch_start(void)
{
	if (!__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free))
		exit(3);
}
#else
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
	allocated += (unsigned long)watching;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	allocated += (unsigned long)watching;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	allocated += (unsigned long)watching;
	return __libc_realloc(p, n);
}

static void watch_start(void)
{
}
#endif

/* --- the questions ------------------------------------------------------------------- */

static const char *const lines[] = {
	"npm run test -- --watch", "git push origin main", "curl http://a.example",
	"echo x > notes; cat notes", "true; (", "sh -c 'curl x'", "a=1 b", "", "$(x) | y",
	"echo aa bb", "for i in *; do wget $i; done", "cat < /etc/shadow",
	"git -C x push", "find . -exec curl {} +", "env A=1 sudo -u x npm run test",
};
static const char *const words[] = { "curl", "http://a.example" };
static const char *const paths[] = { "/home/dev/app/src/a.c", "/home/dev/.ssh/id",
				     "/etc/passwd", "/" };
static const char *const tools[] = { "read_file", "web_search", "x" };
static const char *const calls[] = { "ptrace", "getpid", "socket" };
enum { NLINES = sizeof(lines) / sizeof(lines[0]) };

static struct pol_request base(uint32_t kind, uint32_t scope)
{
	return (struct pol_request){ .size = sizeof(struct pol_request), .kind = kind,
				     .scope = scope, .cwd = "/home/dev/app",
				     .home = "/home/dev", .project = "/home/dev/app",
				     .tmpdir = "/tmp" };
}

/* The k-th question; 0: no more. */
static int question(size_t k, struct pol_request *q)
{
	uint32_t scope = k % 2 ? POL_HOST : POL_SANDBOX;

	k /= 2;
	*q = base(POL_COMMAND, scope);
	if (k < NLINES) {
		q->line = lines[k];
		q->line_n = strlen(lines[k]);
		return 1;
	}
	k -= NLINES;
	if (k == 0) {
		q->kind = POL_ARGV;
		q->argv = words;
		q->argc = 2;
		return 1;
	}
	k -= 1;
	if (k < 12) {
		q->kind = POL_FILE;
		q->op = 1u << k % 3;
		q->path = paths[k / 3];
		return 1;
	}
	k -= 12;
	if (k < 4) {
		q->kind = k < 2 ? POL_UNIX : POL_NET;
		q->path = k ? "pol" : "/run/x.sock";
		q->flags = k == 1 ? POL_ABSTRACT : 0;
		q->host = k == 2 ? "10.0.0.1" : "github.com";
		q->proto = POL_TCP;
		q->port = 443;
		return 1;
	}
	k -= 4;
	if (k < 3) {
		q->kind = POL_TOOL;
		q->name = tools[k];
		return 1;
	}
	k -= 3;
	if (k < 3) {
		q->kind = POL_SYSCALL;
		q->scope = POL_SANDBOX;
		q->name = calls[k];
		return 1;
	}
	return 0;
}

struct answer {
	int r;
	struct pol_decision d;
	size_t json_n, text_n;
	char json[TEXT], text[TEXT];
};

static void ask(struct pol_ctx *c, const struct pol_request *q, struct answer *ret)
{
	struct pol_error err = { .size = sizeof(err) };
	struct pol_part part = { .size = sizeof(part) };
	uint32_t k = 0;

	ret->d.size = sizeof(ret->d);
	watching = 1;
	ret->r = pol_decide(c, q, &ret->d, &err);
	if (ret->r == 0 && (pol_explain(c, POL_JSON, ret->json, TEXT, &ret->json_n) < 0 ||
			    pol_explain(c, POL_TEXT, ret->text, TEXT, &ret->text_n) < 0))
		ret->r = -EIO;
	while (pol_part_get(c, k, &part) == 0)
		k++;
	watching = 0;
	if (ret->r == 0 && k != ret->d.nparts)
		ret->r = -EIO;
}

static int same(const struct answer *a, const struct answer *b)
{
	if (a->r != b->r || memcmp(&a->d, &b->d, sizeof(a->d)) != 0)
		return 0;
	return a->r < 0 || (a->json_n == b->json_n && a->text_n == b->text_n &&
			    memcmp(a->json, b->json, a->json_n) == 0 &&
			    memcmp(a->text, b->text, a->text_n) == 0);
}

/* --- eight and one ------------------------------------------------------------------- */

static const struct pol_bundle *bundle;
static struct answer *wanted; /* of one thread */
static size_t nquestions;

struct worker {
	pthread_t thread;
	size_t from;
	size_t wrong;            /* questions with another answer */
	unsigned long allocated; /* while a decision was made */
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct answer *got = malloc(sizeof(*got));
	struct pol_ctx *c = NULL;

	if (!got || pol_ctx_new(bundle, 4096, &c, NULL) < 0) {
		free(got);
		w->wrong = 1;
		return NULL;
	}
	for (size_t i = 0; i < ROUNDS * nquestions; i++) {
		size_t k = (w->from + i) % nquestions;
		struct pol_request q;

		(void)question(k, &q);
		ask(c, &q, got);
		w->wrong += !same(got, &wanted[k]);
	}
	w->allocated = allocated;
	pol_ctx_free(c);
	free(got);
	return NULL;
}

static int run_threads(void)
{
	struct worker w[THREADS] = { { 0 } };
	int bad = 0;

	for (size_t i = 0; i < THREADS; i++) {
		w[i].from = i * 7;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			return 1;
	}
	for (size_t i = 0; i < THREADS; i++) {
		(void)pthread_join(w[i].thread, NULL);
		if (w[i].wrong || w[i].allocated) {
			printf("thread %zu: %zu other answers, %lu allocations\n", i,
			       w[i].wrong, w[i].allocated);
			bad = 1;
		}
	}
	return bad;
}

/* --- what is refused ------------------------------------------------------------------ */

static int refuse(struct pol_ctx *c, const struct pol_request *q, int want,
		  const char *what)
{
	struct pol_decision d = { .size = sizeof(d) };
	struct pol_error err = { .size = sizeof(err) };
	int r = pol_decide(c, q, &d, &err);
	char buf[8];
	size_t n;

	if (r == want && d.effect == POL_DENY && d.rule == POL_NO_RULE && err.text[0] &&
	    err.code == -want && pol_explain(c, POL_JSON, buf, sizeof(buf), &n) == -ENOENT)
		return 0;
	printf("%s: %d instead of %d, effect %d: %s\n", what, r, want, d.effect, err.text);
	return 1;
}

/* A request of a later version: the same with a field behind it. */
struct later {
	struct pol_request q;
	uint64_t more;
};

static int run_misuse(struct pol_ctx *c)
{
	static char longer[8192];
	struct pol_request good = base(POL_FILE, POL_HOST), q;
	struct pol_decision d = { .size = sizeof(d) };
	struct later l;
	int bad = 0;

	good.op = POL_READ;
	good.path = "/etc/passwd";
	bad |= pol_decide(c, &good, &d, NULL) != 0; /* the control */
	l = (struct later){ .q = good };
	l.q.size = sizeof(l);
	bad |= pol_decide(c, &l.q, &d, NULL) != 0; /* nothing is in the new field */
	l.more = 1;
	bad |= refuse(c, &l.q, -E2BIG, "a field of a later version");
#define BAD(what, code, ...)                                                           \
	do {                                                                           \
		q = good;                                                              \
		__VA_ARGS__;                                                           \
		bad |= refuse(c, &q, code, what);                                      \
	} while (0)
	BAD("size 0", -EINVAL, q.size = 0);
	BAD("kind", -EINVAL, q.kind = 99);
	BAD("scope", -EINVAL, q.scope = 0);
	BAD("flags", -EINVAL, q.flags = 1u << 31);
	BAD("unused", -EINVAL, q.unused = 1);
	BAD("two operations", -EINVAL, q.op = POL_READ | POL_WRITE);
	BAD("no path", -EINVAL, q.path = NULL);
	BAD("a path with ..", -EINVAL, q.path = "/etc/../etc/passwd");
	BAD("a relative path", -EINVAL, q.path = "etc");
	BAD("no home", -EINVAL, q.home = NULL);
	BAD("no project", -EINVAL, q.project = NULL);
	BAD("no tmpdir", -EINVAL, q.tmpdir = NULL);
	BAD("a relative home", -EINVAL, q.home = "home");
	BAD("a role", -EINVAL, q.role = "nobody-has-this-role");
	BAD("no line", -EINVAL, q.kind = POL_COMMAND);
	BAD("no argv", -EINVAL, q.kind = POL_ARGV);
	BAD("no port", -EINVAL, q.kind = POL_NET; q.proto = POL_TCP; q.host = "1.2.3.4");
	BAD("no host", -EINVAL, q.kind = POL_NET; q.proto = POL_TCP; q.port = 1);
	BAD("no name", -EINVAL, q.kind = POL_TOOL);
	BAD("no such call", -EINVAL, q.kind = POL_SYSCALL; q.scope = POL_SANDBOX;
	    q.name = "no_such_call");
	BAD("a call for the host", -ENOTSUP, q.kind = POL_SYSCALL; q.nr = 1);
	memset(longer, 'a', sizeof(longer));
	BAD("a line without room", -E2BIG, q.kind = POL_COMMAND; q.line = longer;
	    q.line_n = sizeof(longer));
	bad |= pol_ctx_reserve(c, sizeof(longer), NULL) != 0;
	q.size = sizeof(q);
	bad |= pol_decide(c, &q, &d, NULL) != 0; /* with room it is decided */
	return bad;
}

/* A caller that knows the first fields only, and one that knows more. */
static int run_sizes(struct pol_ctx *c)
{
	struct { struct pol_decision d; uint64_t more; } big = { .more = 7 };
	struct { size_t size; int32_t effect; int32_t behind; } small = { 0 };
	struct pol_request q;
	size_t n = 0;
	char buf[5] = "zzzz";
	int bad = 0;

	(void)question(0, &q);
	small.size = sizeof(size_t) + sizeof(int32_t);
	small.effect = 99;
	small.behind = 42;
	big.d.size = sizeof(big);
	bad |= pol_decide(c, &q, (struct pol_decision *)(void *)&small, NULL) != 0 ||
	       small.effect > POL_DENY || small.behind != 42;
	bad |= pol_decide(c, &q, &big.d, NULL) != 0 || big.more != 0 ||
	       big.d.effect != small.effect;
	bad |= pol_explain(c, POL_TEXT, buf, 4, &n) != -ENOSPC || n < 4 || buf[3] != '\0' ||
	       buf[4] != '\0';
	if (bad)
		printf("structs of other sizes\n");
	return bad;
}

int main(int argc, char **argv)
{
	struct pol_error err = { .size = sizeof(err) };
	struct pol_bundle *b;
	struct pol_request q;
	struct pol_ctx *c;
	void *volatile seen;
	int bad;

	if (argc != 2 || pol_open(argv[1], NULL, &b, &err) < 0 ||
	    pol_ctx_new(b, 4096, &c, &err) < 0) {
		printf("same: %s\n", argc == 2 ? err.text : "usage: same BUNDLE");
		return 2;
	}
	watch_start();
	bundle = b;
	while (question(nquestions, &q))
		nquestions++;
	wanted = calloc(nquestions, sizeof(*wanted));
	if (!wanted)
		return 2;
	for (size_t k = 0; k < nquestions; k++) {
		(void)question(k, &q);
		ask(c, &q, &wanted[k]);
		if (wanted[k].r < 0 && wanted[k].r != -ENOTSUP) {
			printf("question %zu: %d\n", k, wanted[k].r);
			return 1;
		}
	}
	bad = allocated != 0;
	if (bad)
		printf("one thread: %lu allocations\n", allocated);
	/* the counter counts */
	watching = 1;
	seen = malloc(1);
	watching = 0;
	free(seen);
	if (!allocated)
		bad = printf("allocations are not seen\n");
	allocated = 0;
	bad |= run_threads();
	bad |= run_misuse(c);
	bad |= run_sizes(c);
	printf("%zu questions, %d threads\n", nquestions, THREADS);
	pol_ctx_free(c);
	pol_close(b);
	free(wanted);
	return bad ? 1 : 0;
}
