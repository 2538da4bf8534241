/*
 * include paths|egress OLD NEW: beside `polc diff`, what others do for one part of its answer.
 *
 * paths: is what OLD lets be read also read under NEW, and the other way round?  Asked of the
 * unions of both policies' patterns (and not of the denials): by libfa, and by our inclusion.
 * egress: do the rules about blocks decide alike?  By all pairs of rules: where two of them meet,
 * both policies are asked by going through all of their rules.
 *
 * Milliseconds of processor time from the resolved policies, and the answer.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<fa.h>)
#include <fa.h>
#define HAVE_FA 1
#endif

#include "compiler/cli/options_read.h"
#include "compiler/cli/passes.h"
#include "compiler/sets/lang.h"

#define MAX_SECONDS 20u /* of processor time: then a peer is ended */

static double cpu_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const struct ir *resolved(char *path)
{
	char option[] = "-o", nowhere[] = "none.polb"; /* nothing is written */
	char *args[] = { path, option, nowhere, NULL };
	struct options *o = calloc(1, sizeof(*o));
	struct compilation *c = calloc(1, sizeof(*c));
	struct arena *a = calloc(1, sizeof(*a));

	if (!o || !c || !a)
		exit(2);
	arena_init(a, ARENA_DEFAULT_BUDGET);
	if (!options_read(o, a, CLI_COMPILE, 3, args, stderr))
		exit(2);
	compilation_init(c, o, a);
	if (passes_run(c, "lift") != CLI_CLEAN)
		exit(1);
	return c->ir;
}

/* --- paths ------------------------------------------------------------------------ */

static bool may_read(const struct ir_rule *r)
{
	return r->kind == IR_FILE && r->effect == IR_ALLOW && (r->set.u.file.ops & IR_READ) &&
	       r->set.u.file.path.root == IR_ROOT_FS;
}

static struct set_re *union_of(struct arena *a, const struct ir *ir)
{
	struct set_re **v = arena_array(a, ir->rules.n + 1, sizeof(struct set_re *));
	size_t n = 0;

	for (size_t i = 0; i < ir->rules.n; i++)
		if (may_read(ir->rules.v[i]))
			v[n++] = set_from_path(a, &ir->rules.v[i]->set.u.file.path);
	return set_or_all(a, v, n);
}

static const char *answer(bool holds)
{
	return holds ? "inside" : "not inside";
}

static void ask_ours(const struct ir *const ir[2])
{
	enum set_answer got[2];
	struct arena a;
	double from = cpu_ms();

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (int s = 0; s < 2; s++) {
		struct set_tagged y = { .re = union_of(&a, ir[!s]) };

		got[s] = set_included(&a, union_of(&a, ir[s]), NULL, &y, 1, SET_DEFAULT_BUDGET,
				      NULL);
	}
	if (got[0] == SET_UNDECIDED || got[1] == SET_UNDECIDED)
		printf("our inclusion\t%.1f\tundecided\n", cpu_ms() - from);
	else
		printf("our inclusion\t%.1f\told %s new, new %s old\n", cpu_ms() - from,
		       answer(got[0] == SET_HOLDS), answer(got[1] == SET_HOLDS));
	arena_release(&a);
}

#ifdef HAVE_FA
static void put_glob(struct buf *b, const struct ir_glob *g);

static void put_item(struct buf *b, const struct ir_glob_item *it)
{
	static const char *const words[] = { [IR_G_ONE] = "[^/]", [IR_G_STAR] = "[^/]*",
					     [IR_G_DEEP] = "(.|\n)*", [IR_G_DIRS] = "([^/]+/)*" };

	if (it->op == IR_G_BYTE) {
		if (strchr("\\.[]()*+?{}|^$", it->byte))
			buf_ch(b, '\\');
		buf_ch(b, (char)it->byte);
	} else if (it->op == IR_G_ALT) {
		for (size_t i = 0; i < it->nalts; i++) {
			buf_ch(b, i ? '|' : '(');
			put_glob(b, &it->alts[i]);
		}
		buf_ch(b, ')');
	} else {
		buf_z(b, words[it->op]);
	}
}

static void put_glob(struct buf *b, const struct ir_glob *g)
{
	if (!g->n)
		buf_z(b, "()");
	for (size_t i = 0; i < g->n; i++)
		put_item(b, &g->v[i]);
}

static struct fa *fa_of(struct arena *a, const struct ir *ir)
{
	struct fa *fa = NULL;
	struct buf b;
	size_t n = 0;

	buf_init(&b, a);
	for (size_t i = 0; i < ir->rules.n; i++) {
		if (!may_read(ir->rules.v[i]))
			continue;
		buf_z(&b, n++ ? "|(" : "(");
		put_glob(&b, &ir->rules.v[i]->set.u.file.path.glob);
		buf_z(&b, ir->rules.v[i]->set.u.file.path.below ? "(/(.|\n)*)?)" : ")");
	}
	if (fa_compile((const char *)b.p, b.n, &fa) != 0) {
		printf("libfa\t-\tdoes not read the patterns\n");
		exit(0);
	}
	return fa;
}

static void ask_libfa(const struct ir *const ir[2])
{
	struct arena a;
	double from = cpu_ms();
	struct fa *of[2];
	bool in[2];

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (int s = 0; s < 2; s++)
		of[s] = fa_of(&a, ir[s]);
	for (int s = 0; s < 2; s++)
		in[s] = fa_contains(of[s], of[!s]) == 1;
	printf("libfa\t%.1f\told %s new, new %s old\n", cpu_ms() - from, answer(in[0]),
	       answer(in[1]));
}
#else
static void ask_libfa(const struct ir *const ir[2])
{
	(void)ir;
	printf("libfa\t-\tis not installed (libaugeas-dev)\n");
}
#endif

/* --- egress ------------------------------------------------------------------------ */

/* A block of IPv4 and its ports. */
struct box {
	uint32_t lo, hi;
	uint16_t port_lo, port_hi;
	unsigned protos;
	bool deny;
};

static size_t boxes_of(const struct ir *ir, struct box **ret)
{
	size_t n = 0;

	*ret = calloc(ir->rules.n + 1, sizeof(**ret));
	for (size_t i = 0; *ret && i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_net *t = &r->set.u.net;
		const uint8_t *p = t->cidr.addr + 12;
		struct box *b = &(*ret)[n];

		if (r->kind != IR_NET || t->host != IR_HOST_CIDR || t->cidr.bits < 96 ||
		    !(r->scopes & IR_SANDBOX))
			continue;
		b->lo = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
		b->hi = b->lo | (uint32_t)(((uint64_t)1 << (128 - t->cidr.bits)) - 1);
		b->port_lo = t->port_lo;
		b->port_hi = t->port_hi;
		b->protos = t->protos;
		b->deny = r->effect != IR_ALLOW;
		n++;
	}
	return n;
}

/* Of the rules alone, as one level has them: a deny before an allow, and else no. */
static bool allows(const struct box *v, size_t n, uint32_t at, uint16_t port, unsigned proto)
{
	bool allowed = false;

	for (size_t i = 0; i < n; i++) {
		if (at < v[i].lo || at > v[i].hi || port < v[i].port_lo || port > v[i].port_hi ||
		    !(v[i].protos & proto))
			continue;
		if (v[i].deny)
			return false;
		allowed = true;
	}
	return allowed;
}

static void ask_pairs(const struct ir *const ir[2])
{
	struct box *v[2], *all;
	double from = cpu_ms();
	size_t n[2] = { boxes_of(ir[0], &v[0]), boxes_of(ir[1], &v[1]) }, asked = 0, differ = 0;

	all = calloc(n[0] + n[1] + 1, sizeof(*all));
	if (!v[0] || !v[1] || !all)
		exit(2);
	memcpy(all, v[0], n[0] * sizeof(*all));
	memcpy(all + n[0], v[1], n[1] * sizeof(*all));
	/* where some of the boxes meet, two of them have the lowest address and the lowest port */
	for (size_t i = 0; i < n[0] + n[1]; i++)
		for (size_t k = i; k < n[0] + n[1]; k++) {
			const struct box *x = &all[i], *y = &all[k];
			uint32_t at = x->lo > y->lo ? x->lo : y->lo;
			uint16_t port = x->port_lo > y->port_lo ? x->port_lo : y->port_lo;
			unsigned protos = x->protos & y->protos;

			if (at > x->hi || at > y->hi || port > x->port_hi || port > y->port_hi)
				continue;
			for (; protos; protos &= protos - 1, asked++)
				differ += allows(v[0], n[0], at, port, protos & -protos) !=
					  allows(v[1], n[1], at, port, protos & -protos);
		}
	printf("all pairs of rules\t%.1f\t%zu of %zu points differ\n", cpu_ms() - from, differ,
	       asked);
}

/* --- all -------------------------------------------------------------------------- */

/* In a process of its own, so that a peer may take as much as it likes. */
static void ask(const char *name, void (*of)(const struct ir *const ir[2]),
		const struct ir *const ir[2])
{
	const struct rlimit most = { MAX_SECONDS, MAX_SECONDS + 1 };
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)setrlimit(RLIMIT_CPU, &most);
		of(ir);
		(void)fflush(stdout);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(2);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		printf("%s\t-\tnot within %u s\n", name, MAX_SECONDS);
	else if (status)
		printf("%s\t-\tended with %d\n", name, status);
}

int main(int argc, char **argv)
{
	const struct ir *ir[2];

	if (argc != 4)
		return 2;
	ir[0] = resolved(argv[2]);
	ir[1] = resolved(argv[3]);
	if (strcmp(argv[1], "paths") == 0) {
		ask("our inclusion", ask_ours, ir);
		ask("libfa", ask_libfa, ir);
	} else {
		ask("all pairs of rules", ask_pairs, ir);
	}
	return 0;
}
