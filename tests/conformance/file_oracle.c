/*
 * Answers in bulk what `polc explain` says about files: compiles the policy
 * that the options name, prints each file rule with what the back ends confess
 * about it, then a decision for each line "OP PATH" of the standard input.
 * Every decision is the evaluator's, compared with the compiled policy's.
 *   file_oracle POLC-OPTIONS… FILE…
 *     rule N LEVEL EFFECT OPS FLAG SHAPE LINE ID
 *                    (FLAG: f floor, s scratch, -; SHAPE: literal wild any)
 *     place N ROOT REST
 *     except N ROOT REST                        (its exception's)
 *     note N EXACTNESS TEXT
 *     end
 *     EFFECT RULE OWN MATCHED,…                 (RULE: -1 otherwise)
 * OWN is 1 where only scratch rules allow it.
 */
#include <string.h>

#include "compiler/backend/mounts/places.h"
#include "compiler/cli/roots.h"
#include "tests/conformance/oracle.h"

static void print_places(const char *word, const struct mounts_places *p,
			 const struct ir_rule *r, enum ir_root root)
{
	for (size_t i = 0; i < p->paths.n; i++)
		printf("%s %u %s %.*s\n", word, r->index,
		       root == IR_ROOT_FS ? "/" : ir_root_name(root),
		       STR_ARG(p->paths.v[i]));
}

static void print_rule(const struct compilation *c, const struct ir_rule *r)
{
	static const char *const shapes[] = { [MOUNTS_LITERAL] = "literal",
					      [MOUNTS_WILD] = "wild",
					      [MOUNTS_ANY] = "any" };
	struct mounts_places p;

	mounts_places(c->a, &r->set.u.file.path, &p);
	printf("rule %u %s %s %u %s %s %u %.*s\n", r->index, ir_level_name(r->level),
	       ir_effect_name(r->effect), r->set.u.file.ops,
	       r->floor ? "f" : r->scratch ? "s" : "-", shapes[p.shape], r->at.line,
	       STR_ARG(r->id));
	print_places("place", &p, r, r->set.u.file.path.root);
	for (size_t i = 0; i < r->nexcept; i++) {
		mounts_places(c->a, &r->except[i].u.file.path, &p);
		print_places("except", &p, r, r->except[i].u.file.path.root);
	}
}

static void print_rules(const struct compilation *c)
{
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];

		if (r->kind == IR_FILE)
			print_rule(c, r);
	}
	for (size_t i = 0; i < c->report.notes.n; i++) {
		const struct bk_note *n = &c->report.notes.v[i];

		if (n->rule && n->rule->kind == IR_FILE)
			printf("note %u %s %.*s\n", n->rule->index,
			       bk_exactness_name(n->exactness), STR_ARG(n->note));
	}
	puts("end");
	(void)fflush(stdout);
}

static bool is_own(const struct eval_decision *d)
{
	if (d->effect != IR_ALLOW || !d->rule)
		return false;
	for (size_t i = 0; i < d->nmatched; i++)
		if (d->matched[i]->effect == IR_ALLOW && !d->matched[i]->scratch)
			return false;
	return true;
}

static bool answer(struct compilation *c, struct bundle *b, struct ir_request *req)
{
	struct eval_decision e;

	if (!oracle_ask(c, b, req, &e))
		return false;
	printf("%s %d %d ", ir_effect_name(e.effect), e.rule ? (int)e.rule->index : -1,
	       is_own(&e));
	for (size_t i = 0; i < e.nmatched; i++)
		printf("%s%u", i ? "," : "", e.matched[i]->index);
	puts(e.nmatched ? "" : "-");
	(void)fflush(stdout);
	return true;
}

static bool read_line(char *line, struct ir_request *req)
{
	static const char *const ops[] = { "read ", "write ", "exec " };

	line[strcspn(line, "\n")] = '\0';
	for (unsigned i = 0; i < POL_LEN(ops); i++)
		if (!strncmp(line, ops[i], strlen(ops[i]))) {
			req->op = (enum ir_op)(IR_READ << i);
			req->path = str_from(line + strlen(ops[i]));
			req->text = req->path;
			return true;
		}
	return false;
}

static int run(struct options *o, struct arena *a)
{
	struct ir_request req = { .kind = IR_FILE, .scope = IR_SANDBOX };
	struct compilation c;
	struct roots roots;
	struct bundle b;
	char line[8192];
	int r;

	if (!roots_find(o, a, &roots, stderr))
		return 2;
	r = oracle_open(o, a, &c, &b);
	if (r)
		return r;
	print_rules(&c);
	req.roots = roots.dirs;
	while (fgets(line, sizeof(line), stdin))
		if (!read_line(line, &req) || !answer(&c, &b, &req)) {
			(void)fprintf(stderr, "file_oracle: no answer to '%s'\n", line);
			return 2;
		}
	bundle_release(&b);
	return 0;
}

int main(int argc, char **argv)
{
	return oracle_main(argc, argv, run);
}
