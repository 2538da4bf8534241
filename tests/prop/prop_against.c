/*
 * `polc check NEW --against OLD` and `polc diff --fail-on=widening OLD NEW` agree: a random
 * policy and one random edit of it (pair_edit.h), as two files of any level, through the
 * program itself.  The same exit status; what is beyond the ceiling is what diff calls
 * widening, in its order, with the same rules and request; the verdict is the one that the
 * findings and doubts ask for.  What is within the ceiling has no request that the evaluator
 * decides milder, and diff_policies() finds and doubts nothing there that widens.  The
 * program stands in a folder of its own, beside a standard library that says little, since
 * the real one takes most of its time.  SEED= and RUNS= repeat a run.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <json-c/json.h>

#include "compiler/analysis/diff.h"
#include "runtime/base/io.h"
#include "tests/prop/diff_says.h"
#include "tests/prop/laws.h"
#include "tests/prop/pair_ask.h"
#include "tests/prop/pair_edit.h"

#define TRIES 8
#define REQUESTS 100
#define MOST_BYTES (64u << 20)

extern char **environ;

static struct pair_edits edits;

static struct {
	unsigned long pairs, refused, no_ceiling, within, beyond, undecided, findings, narrowing, bundles, requests, roles;
} seen;

static const char *const stdlib[][2] = {
	{ "base.pol", "role r1 { }\nrole r2 { }\nnetwork disabled\n" },
	{ "floor.pol", "file { }\n" },
};

/* The levels that a policy may say it has. */
static const struct {
	enum pol_slot slot;
	const char *name;
} levels[] = {
	{ POL_MANAGED, "managed" }, { POL_PROJECT, "project" }, { POL_USER, "user" },
};

struct one {
	struct law *l;
	unsigned long run;
	const struct pair_edit *edit;
	struct rnd r;
	struct pair_policy policy[2];
	size_t level[2];
	struct pol text[2];
	bool bundle; /* the ceiling is one */
	struct pair_near near;
	struct diff_where where;
};

static void broken(const struct one *p, const struct ir_request *q, const char *why)
{
	law_show(&p->text[0]);
	law_show(&p->text[1]);
	law_show_request(q);
	printf("WHY %s\nedit %s, role %s, levels %s and %s%s\n", why, p->edit->name,
	       p->policy[0].role ? p->policy[0].role : "none", levels[p->level[0]].name, levels[p->level[1]].name,
	       p->bundle ? ", the ceiling is a bundle" : "");
	printf("SEED=%llu RUNS=1\n", (unsigned long long)p->l->seed + p->run);
	fail_msg("%s", why);
}

/* --- the program -------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	while (n) {
		ssize_t did = write(fd, text, n);

		assert_true(did > 0);
		text += did;
		n -= (size_t)did;
	}
	assert_int_equal(close(fd), 0);
}

static void make_folder(struct arena *a, const char *dir, const char *name)
{
	assert_int_equal(mkdir(arena_printf(a, "%s/%s", dir, name), 0700), 0);
}

/* The program finds its library from where it lies, so that it is a copy. */
static void install(const struct law *l, struct arena *a)
{
	const char *build = getenv("BUILD");
	char *program;
	size_t n;

	assert_non_null(build);
	make_folder(a, l->dir, "bin");
	make_folder(a, l->dir, "share");
	make_folder(a, l->dir, "share/pol");
	make_folder(a, l->dir, "share/pol/stdlib-policies");
	assert_int_equal(io_read_file(arena_printf(a, "%s/bin/polc", build), 4 * MOST_BYTES, &program, &n), 0);
	write_file(arena_printf(a, "%s/bin/polc", l->dir), program, n, 0700);
	free(program);
	for (size_t i = 0; i < POL_LEN(stdlib); i++)
		write_file(arena_printf(a, "%s/share/pol/stdlib-policies/%s", l->dir, stdlib[i][0]), stdlib[i][1],
			   strlen(stdlib[i][1]), 0600);
}

/* `polc VERB` with the roots and the role, and more words up to NULL; *ret: what it prints. */
static int polc(const struct one *p, const char *verb, const char *const more[], struct str *ret)
{
	const char *out = arena_printf(p->r.a, "%s/out", p->l->dir);
	const char *argv[32] = { arena_printf(p->r.a, "%s/bin/polc", p->l->dir), verb };
	posix_spawn_file_actions_t fa;
	size_t n = 2, len;
	char *text;
	int status;
	pid_t pid;

	if (p->policy[0].role) {
		argv[n++] = "--role";
		argv[n++] = p->policy[0].role;
	}
	while (*more)
		argv[n++] = *more++;
	assert_int_equal(posix_spawn_file_actions_init(&fa), 0);
	assert_int_equal(posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0), 0);
	assert_int_equal(posix_spawn_file_actions_addopen(&fa, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 0);
	assert_int_equal(posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0), 0);
	assert_int_equal(posix_spawn(&pid, argv[0], &fa, NULL, (char *const *)(uintptr_t)argv, environ), 0);
	posix_spawn_file_actions_destroy(&fa);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(io_read_file(out, MOST_BYTES, &text, &len), 0);
	*ret = str_dup(p->r.a, (struct str){ text, len });
	free(text);
	if (!WIFEXITED(status) || WEXITSTATUS(status) == CLI_INTERNAL)
		broken(p, NULL, arena_printf(p->r.a, "polc %s died (%d)", verb, status));
	return WEXITSTATUS(status);
}

/* --- a pair ------------------------------------------------------------------------------- */

static void set_texts(struct one *p, int side)
{
	struct pair_policy *q = &p->policy[side];
	enum pol_slot slot = levels[p->level[side]].slot;

	for (uint32_t i = 0; i < q->n; i++)
		q->rule[i].slot = slot;
	p->text[side] = (struct pol){ .role = q->role };
	p->text[side].text[slot] = pair_level_text(p->r.a, q, slot);
	p->text[side].text[POL_BASE] = stdlib[0][1];
	p->text[side].text[POL_FLOOR] = stdlib[1][1];
}

/* Draws until the edit shows in the texts and both compile. */
static bool draw(struct one *p)
{
	const struct pair_edit *e = p->edit;
	bool slot = pair_is_of_slots(e);

	for (int i = 0; i < TRIES; i++) {
		p->policy[0] = pair_random(&p->r, slot ? (enum ir_kind)rnd_below(&p->r, IR_KIND_COUNT) : e->kind);
		(void)pair_edit(&p->r, e, &p->policy[0], &p->policy[1]);
		/* what is no rule stands at the first of the levels only */
		p->level[0] = slot || rnd_one_in(&p->r, 2) ? 0 : rnd_below(&p->r, POL_LEN(levels));
		p->level[1] = e->what == EDIT_LEVEL || rnd_one_in(&p->r, 12) ? rnd_below(&p->r, POL_LEN(levels)) :
									     p->level[0];
		set_texts(p, 0);
		set_texts(p, 1);
		if (!pair_means_nothing(e) && p->level[0] == p->level[1] && pair_same_texts(&p->text[0], &p->text[1]))
			continue;
		p->near.ir[0] = law_ir(p->l, &p->text[0], p->r.a);
		p->near.ir[1] = p->near.ir[0] ? law_ir(p->l, &p->text[1], p->r.a) : NULL;
		if (p->near.ir[1])
			return true;
	}
	return false;
}

static void place(const struct one *p, int side, const char *path)
{
	const char *text = p->text[side].text[levels[p->level[side]].slot];

	/* one of the statements that are no rules names the level, too */
	if (!strstr(text, "policy p {"))
		text = arena_printf(p->r.a, "policy p { level %s }\n%s", levels[p->level[side]].name, text);
	write_file(path, text, strlen(text), 0600);
}

/* --- what the two say ---------------------------------------------------------------------- */

static struct json_object *at(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	(void)json_object_object_get_ex(o, key, &v);
	return v;
}

static bool same_of(struct json_object *x, const char *kx, struct json_object *y, const char *ky)
{
	return json_object_equal(at(x, kx), at(y, ky));
}

/* A finding or a doubt of check, and one of diff: only the names of the sides differ. */
static bool is_same(struct json_object *c, struct json_object *d)
{
	static const char *const keys[] = { "kind", "change", "widening", "role", "request", "why" };

	for (size_t i = 0; i < POL_LEN(keys); i++)
		if (!same_of(c, keys[i], d, keys[i]))
			return false;
	return same_of(c, "ceiling", d, "old") && same_of(c, "policy", d, "new");
}

static void compare_findings(const struct one *p, struct json_object *c, struct json_object *d)
{
	size_t i, k = 0, n = json_object_array_length(c);

	for (i = 0; i < json_object_array_length(d); i++) {
		struct json_object *f = json_object_array_get_idx(d, i);

		if (!json_object_get_boolean(at(f, "widening"))) {
			seen.narrowing++;
			continue;
		}
		if (k == n || !is_same(json_object_array_get_idx(c, k), f))
			broken(p, NULL, arena_printf(p->r.a, "diff calls it widening, and check does not say so: %s",
						     json_object_to_json_string(f)));
		k++;
		seen.findings++;
	}
	if (k != n)
		broken(p, NULL, "check finds something beyond the ceiling that diff does not call widening");
}

/* The doubts of check are some of diff's, in its order: not those that cannot widen. */
static void compare_doubts(const struct one *p, struct json_object *c, struct json_object *d)
{
	size_t i, k = 0, n = json_object_array_length(c);

	for (i = 0; i < json_object_array_length(d) && k < n; i++)
		k += is_same(json_object_array_get_idx(c, k), json_object_array_get_idx(d, i));
	if (k != n)
		broken(p, NULL, "check doubts something that diff does not");
}

static int status_of(const char *verdict)
{
	return strcmp(verdict, "within") == 0 ? CLI_CLEAN : strcmp(verdict, "beyond") == 0 ? CLI_FINDINGS :
	       strcmp(verdict, "undecided") == 0 ? CLI_UNDECIDED : CLI_TROUBLE;
}

/* A role that only one of them has widens by itself; the program compares what it may do instead. */
static void without_new_roles(struct diff_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->findings.n; i++)
		if (strcmp(r->findings.v[i].kind, "role") != 0 || r->findings.v[i].change != DIFF_ADDED)
			r->findings.v[n++] = r->findings.v[i];
	r->findings.n = n;
}

/* What is within the ceiling allows nothing that the ceiling does not, and leaves no doubt. */
static void ask_within(struct one *p)
{
	struct diff_result r;

	diff_policies(p->near.ir[0], p->near.ir[1], &p->where, p->r.a, &r);
	without_new_roles(&r);
	if (diff_says_widening(&r))
		broken(p, NULL, "within the ceiling, and the comparison itself finds or doubts what widens");
	pair_find_changed(&p->near, p->r.a);
	for (int i = 0; i < REQUESTS; i++) {
		struct ir_request q = pair_request(&p->r, &p->near);
		struct eval_decision d[2];
		struct arena tmp;

		arena_init(&tmp, ARENA_DEFAULT_BUDGET);
		for (int s = 0; s < 2; s++)
			eval_decide(p->near.ir[s], &q, &tmp, &d[s]);
		arena_release(&tmp);
		seen.requests++;
		if (law_strict(&d[1]) < law_strict(&d[0]) ||
		    (d[0].effect == d[1].effect && d[0].needs_person && !d[1].needs_person))
			broken(p, &q, "within the ceiling, and the evaluator is milder than it");
	}
}

static const struct ir *under(struct one *p, int side, const char *role)
{
	struct pol text = p->text[side];

	text.role = role;
	return law_ir(p->l, &text, p->r.a);
}

/* Where diff finds and doubts nothing, no role decides otherwise. */
static void ask_roles(struct one *p)
{
	static const char *const roles[] = { NULL, "r1", "r2" };

	/* who names a role does not ask about none */
	for (size_t k = p->policy[0].role ? 1 : 0; k < POL_LEN(roles); k++) {
		struct pair_near near = { .ir = { under(p, 0, roles[k]), under(p, 1, roles[k]) }, .where = &p->where };

		if (!near.ir[0] || !near.ir[1])
			continue;
		seen.roles++;
		pair_find_changed(&near, p->r.a);
		for (int i = 0; i < REQUESTS / 3; i++) {
			struct ir_request q = pair_request(&p->r, &near);
			struct eval_decision d[2];

			for (int s = 0; s < 2; s++)
				eval_decide(near.ir[s], &q, p->r.a, &d[s]);
			if (d[0].effect != d[1].effect || d[0].needs_person != d[1].needs_person)
				broken(p, &q, arena_printf(p->r.a, "called the same, and under %s it is not",
							   roles[k] ? roles[k] : "no role"));
		}
	}
}

static void compare(struct one *p, int status, struct json_object *result, struct json_object *diff)
{
	struct json_object *findings = at(result, "findings"), *doubts = at(result, "undecided");
	size_t nfindings, ndoubts;

	if (!findings || !doubts || !at(diff, "findings"))
		broken(p, NULL, "the output lacks what is to be compared");
	compare_findings(p, findings, at(diff, "findings"));
	compare_doubts(p, doubts, at(diff, "undecided"));
	nfindings = json_object_array_length(findings);
	ndoubts = json_object_array_length(doubts);
	if (status != (nfindings ? CLI_FINDINGS : ndoubts ? CLI_UNDECIDED : CLI_CLEAN) ||
	    status != status_of(json_object_get_string(at(result, "verdict"))))
		broken(p, NULL, "the exit status of check is not that of what it found");
	seen.within += status == CLI_CLEAN;
	seen.beyond += status == CLI_FINDINGS;
	seen.undecided += status == CLI_UNDECIDED;
	p->l->bites += status != CLI_CLEAN;
	seen.bundles += p->bundle;
	if (status == CLI_CLEAN)
		ask_within(p);
}

/* NEW may have errors of its own, which come before any ceiling; and OLD has none then. */
static void ask_both(struct one *p, const char *old, const char *new)
{
	static const char *const roots = "HOME=/h\0PROJECT_DIR=/h/p\0TMPDIR=/t\0SESSION_DIR=/s\0SSH_AUTH_SOCK=/g\0";
	const char *check[20], *diff[20];
	struct json_object *c, *d, *list;
	struct str said[2];
	size_t n = 0;
	int status[2];

	for (const char *r = roots; *r; r += strlen(r) + 1) {
		check[n] = diff[n] = "--root";
		check[n + 1] = diff[n + 1] = r;
		n += 2;
	}
	memcpy(&check[n], (const char *[]){ "--format=json", "--against", old, new, NULL }, 5 * sizeof(*check));
	memcpy(&diff[n], (const char *[]){ "--format=json", "--fail-on=widening", old, new, NULL }, 5 * sizeof(*diff));
	status[0] = polc(p, "check", check, &said[0]);
	status[1] = polc(p, "diff", diff, &said[1]);
	seen.pairs++;
	if (status[0] == CLI_TROUBLE) {
		seen.no_ceiling++;
		if (status[1] != CLI_TROUBLE)
			broken(p, NULL, "check cannot compare the two, and diff can");
		return;
	}
	c = json_tokener_parse(str_z(p->r.a, said[0]));
	d = json_tokener_parse(str_z(p->r.a, said[1]));
	if (!c)
		broken(p, NULL, "check printed no JSON");
	list = at(c, "against");
	if (json_object_get_int(at(c, "errors"))) {
		seen.refused++;
		if (status[0] != CLI_FINDINGS || json_object_array_length(list))
			broken(p, NULL, "a policy with errors is compared, or is none");
	} else if (!d || status[0] != status[1]) {
		broken(p, NULL, arena_printf(p->r.a, "check ends with %d, diff with %d", status[0], status[1]));
	} else if (json_object_array_length(list) != 1) {
		broken(p, NULL, "one policy and one ceiling are one comparison");
	} else {
		compare(p, status[0], at(json_object_array_get_idx(list, 0), "result"), d);
		if (strcmp(json_object_get_string(at(d, "verdict")), "same") == 0)
			ask_roles(p);
	}
	json_object_put(c);
	json_object_put(d);
}

/* The ceiling as a bundle, which holds the policy of the role; some cannot be enforced here. */
static const char *compiled(struct one *p, const char *old)
{
	const char *path = arena_printf(p->r.a, "%s/old.polb", p->l->dir);
	const char *const words[] = { "--no-nft-batch", old, "-o", path, NULL };
	struct str said;

	p->bundle = rnd_one_in(&p->r, 4) && polc(p, "compile", words, &said) == CLI_CLEAN;
	return p->bundle ? path : old;
}

static void one_pair(struct law *l, unsigned long run, struct arena *a)
{
	const char *old = arena_printf(a, "%s/old.pol", l->dir), *new = arena_printf(a, "%s/new.pol", l->dir);
	uint64_t seed = l->seed + run;
	struct one p = { .l = l, .run = run, .edit = &edits.v[seed % edits.n] };

	p.r = (struct rnd){ .s = seed * 0x9e3779b97f4a7c15u | 1, .a = a };
	for (int i = 0; i < 8; i++)
		(void)rnd_below(&p.r, 2);
	pair_set_where(&p.where);
	p.near.where = &p.where;
	if (!draw(&p))
		return;
	place(&p, 0, old);
	place(&p, 1, new);
	ask_both(&p, compiled(&p, old), new);
}

/* With the sanitizers there are too few for what is rare. */
static bool is_most_compared(void)
{
	return 2 * (seen.within + seen.beyond + seen.undecided) >= seen.pairs && seen.within && seen.beyond &&
	       seen.narrowing && (seen.pairs < 150 || (seen.undecided && seen.bundles));
}

static void test_check_against_agrees_with_diff(void **state)
{
	struct arena a;
	struct law l;

	(void)state;
	law_begin(&l, "ceilings", 200, 0);
	l.met = is_most_compared;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	install(&l, &a);
	arena_release(&a);
	law_repeat(&l, one_pair);
	printf("%lu pairs: %lu within, %lu beyond, %lu undecided, %lu with errors of their own, %lu without a ceiling; "
	       "%lu ceilings were bundles; %lu findings agree, %lu narrow; %lu requests within; %lu roles of pairs that are the same\n",
	       seen.pairs, seen.within, seen.beyond, seen.undecided, seen.refused, seen.no_ceiling, seen.bundles,
	       seen.findings, seen.narrowing, seen.requests, seen.roles);
	law_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_check_against_agrees_with_diff) };

	pair_edits_all(&edits);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
