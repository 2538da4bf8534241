/*
 * matcher.bin: rules are never left out when automata are split, a broken
 * member is seen, what cannot be built is an error, and the print is stable.
 */
#include <stdio.h>

#include "tests/unit/hand.h"

/* "*X" and so many '?': as many states as two to their number. */
static const char *wide(char c, int questions)
{
	char *z = arena_alloc(&h.a, 64);

	z[0] = '*';
	z[1] = c;
	memset(z + 2, '?', (size_t)questions);
	return z;
}

static void test_split_groups_lose_nothing(void **state)
{
	char name[16];
	struct decision d;
	int i;

	(void)state;
	for (i = 0; i < 12; i++)
		hand_rule(&h, IR_TOOL, IR_PROJECT, IR_DENY, wide((char)('a' + i), 8));
	hand_compile(&h);
	assert_true(h.b.matcher->automata.count > 1);
	for (i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "x%c12345678", 'a' + i);
		decide_tool(&h.c, name, &d);
		assert_int_equal(d.effect, PB_DENY);
		assert_int_equal(d.rule, i);
		snprintf(name, sizeof(name), "x%c1234567", 'a' + i);
		decide_tool(&h.c, name, &d);
		assert_int_equal(d.effect, PB_ASK);
	}
}

static void test_too_large_is_an_error(void **state)
{
	(void)state;
	hand_rule(&h, IR_TOOL, IR_PROJECT, IR_DENY, "plain");
	hand_rule(&h, IR_TOOL, IR_PROJECT, IR_DENY, wide('a', 19));
	assert_true(bk_rules.emit(h.ir, &h.out, &h.sink));
	assert_false(bk_matcher.emit(h.ir, &h.out, &h.sink));
	assert_int_equal(h.sink.errors, 1);
	assert_null(bk_member(&h.out, PB_MATCHER));
}

static struct bk_member *member(const char *path)
{
	size_t i;

	for (i = 0; i < h.out.members.n; i++)
		if (str_eqz(h.out.members.v[i].path, path))
			return &h.out.members.v[i];
	return NULL;
}

/* No byte of the tables may change unseen, unless it decides nothing. */
static void test_every_changed_transition_is_seen(void **state)
{
	const struct pb_automaton *a;
	struct bk_member *m;
	char *bytes;
	size_t i, seen = 0, same = 0;

	(void)state;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a/*");
	hand_except(&h, hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "/a"), "H/b");
	hand_compile(&h);
	m = member(PB_MATCHER);
	assert_int_equal(h.b.matcher->automata.count, 2);
	a = pb_at(h.b.matcher, h.b.matcher->automata, sizeof(*a), 0);
	bytes = arena_dup(&h.a, m->bytes.p, m->bytes.n);
	m->bytes.p = bytes;
	/* the states' default moves, then the others' low bytes */
	for (i = 1; i < a->nstates + (size_t)a->nmoves; i++) {
		char *p = bytes + (i < a->nstates ?
				   a->states + i * sizeof(struct pb_state) +
					   offsetof(struct pb_state, other) :
				   a->moves + 4 * (i - a->nstates));
		char was = *p;

		*p = (char)((was + 1) % (char)a->nstates);
		if (bk_matcher.verify(h.ir, &h.out, &h.a))
			seen++;
		else
			same++;
		*p = was;
	}
	assert_null(bk_matcher.verify(h.ir, &h.out, &h.a));
	assert_true(seen > 0);
	assert_int_equal(same, 0);
	assert_true(bk_matcher.verify(h.ir, &h.out, &h.a) == NULL);
	m->bytes.n = 8;
	assert_non_null(bk_matcher.verify(h.ir, &h.out, &h.a));
}

static void test_a_missing_rule_is_seen(void **state)
{
	struct ir_rule *r;

	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "a");
	r = hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "b");
	hand_compile(&h);
	/* the table says otherwise than the IR in one thing each */
	r->set.u.command = hand_command(&h, "c", false);
	assert_non_null(bk_matcher.verify(h.ir, &h.out, &h.a));
	assert_null(bk_rules.verify(h.ir, &h.out, &h.a));
	r->effect = IR_DENY;
	assert_non_null(bk_rules.verify(h.ir, &h.out, &h.a));
	r->effect = IR_ALLOW;
	r->at.line++;
	assert_non_null(bk_rules.verify(h.ir, &h.out, &h.a));
}

static void test_annotated_rules(void **state)
{
	struct bk_report report = { .a = &h.a };
	struct ir_rule *r = hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "a");
	const struct pb_rule *p;

	(void)state;
	hand_compile(&h);
	bk_note(&report, r, "one", BK_EXACT, "fine");
	bk_note(&report, r, "two", BK_OVER, "more");
	bk_note(&report, r, "three", BK_ENTRY_ONLY, "later");
	assert_true(bk_rules_annotate(h.ir, &report, &h.out, &h.sink));
	assert_null(bk_rules.verify(h.ir, &h.out, &h.a));
	h.b.rules = (const void *)bk_member(&h.out, PB_RULES)->bytes.p;
	p = bundle_rule(&h.b, 0);
	assert_int_equal(p->exactness, PB_X_ENTRY_ONLY);
	assert_true(str_eqz((struct str){ pb_strp(h.b.rules, p->note), p->note.len },
			    "two: more; three: later"));
}

static void test_print(void **state)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	hand_rule(&h, IR_TOOL, IR_PROJECT, IR_ALLOW, "a");
	hand_except(&h, hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "P/x"), "/y");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "a");
	hand_compile(&h);
	bk_matcher.print(out, &h.out);
	fclose(out);
	assert_non_null(strstr(text, "automaton 0: file under /, exceptions read, "));
	assert_non_null(strstr(text, "automaton 1: file under PROJECT_DIR, "));
	assert_non_null(strstr(text, "automaton 2: tool, "));
	assert_non_null(strstr(text, "  rule 0 r0 hand.pol:1\n"));
	assert_null(strstr(text, "automaton 3"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(hand, test_split_groups_lose_nothing),
		WITH(hand, test_too_large_is_an_error),
		WITH(hand, test_every_changed_transition_is_seen),
		WITH(hand, test_a_missing_rule_is_seen),
		WITH(hand, test_annotated_rules),
		WITH(hand, test_print),
	};

	return cmocka_run_group_tests_name("matcher", tests, NULL, NULL);
}
