/*
 * The IR's own services: names, the verifier (every invariant broken once),
 * the text dump and the canonical JSON.
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "compiler/ir/ir.h"
#include "tests/unit/fixture.h"

/* --- a small whole IR ----------------------------------------------------- */

static struct ir_glob glob(const char *text)
{
	struct ir_glob g = { .n = strlen(text) };

	g.v = arena_array(&arena, g.n + 1, sizeof(*g.v));
	for (size_t i = 0; i < g.n; i++) {
		g.v[i].op = text[i] == '*' ? IR_G_STAR :
			    text[i] == '?' ? IR_G_ONE : IR_G_BYTE;
		g.v[i].byte = text[i] == '*' || text[i] == '?' ? 0 : (uint8_t)text[i];
	}
	return g;
}

static struct ir_set command(const char *a, const char *b, bool tail)
{
	struct ir_set s = { 0 };
	struct ir_command *c = &s.u.command;

	c->words = arena_array(&arena, 2, sizeof(*c->words));
	c->words[0].glob = glob(a);
	c->words[1].glob = b ? glob(b) : (struct ir_glob){ NULL, 0 };
	c->nwords = b ? 2 : 1;
	c->tail = tail;
	c->text = STR("text");
	return s;
}

static struct ir_place at(uint32_t line)
{
	return (struct ir_place){ STR("p.pol"), line, 1, SPAN_NONE };
}

static struct ir_rule *add(struct ir *ir, enum ir_level l, enum ir_effect e,
			   enum ir_kind k, struct ir_set s)
{
	struct ir_rule *r = ARENA_NEW(ir->a, struct ir_rule);

	r->index = (uint32_t)ir->rules.n;
	r->id = str_printf(ir->a, "id-%u", r->index);
	r->at = at(r->index + 1);
	r->text = STR("the statement");
	r->level = l;
	r->effect = e;
	r->kind = k;
	r->set = s;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	VEC_PUSH(ir->a, &ir->rules, r);
	return r;
}

enum { R_ALLOW, R_ASK, R_DENY, R_CALL, R_NET, R_HIDE, R_FLOOR, R_COUNT };

static struct ir_set path(enum ir_root root, const char *rest, unsigned ops)
{
	struct ir_set s = { 0 };

	s.u.file.ops = ops;
	s.u.file.path = (struct ir_path){ .root = root, .glob = glob(rest),
					  .below = true, .text = str_from(rest) };
	return s;
}

static struct ir_cond *bit(void)
{
	struct ir_cond *c = ARENA_NEW(&arena, struct ir_cond);

	*c = (struct ir_cond){ .op = IR_C_CMP, .arg = 1, .width = 32, .cmp = IR_NE,
			       .mask = 0x10, .value = 0 };
	return c;
}

static struct ir *whole(void)
{
	struct ir *ir = ir_new(&arena);
	struct ir_set call = { .u.syscall = { .nr = 56, .name = STR("clone"),
					      .cond = bit() } };
	struct ir_set net = { .u.net = { .protos = IR_TCP, .host = IR_HOST_BELOW,
					 .name = STR("b.example"), .port_lo = 1,
					 .port_hi = 65535 } };
	struct ir_set *except = ARENA_NEW(&arena, struct ir_set);
	struct ir_rule *r;
	struct ir_risk_fact risk = { .risk = IR_RISK_HIGH, .level = IR_DEFAULT,
				     .set = command("rm", "*", false),
				     .id = STR("risk"), .at = at(20) };
	struct ir_fact fact = { STR("program"), STR("program git { }"), IR_DEFAULT,
				at(21) };
	struct ir_dropped drop = { STR("allow \"x\""), STR("section locked"), at(22),
				   at(1), IR_USER };
	struct ir_env_keep keep = { STR("LC_*"), IR_DEFAULT, STR("env"), at(23) };
	struct ir_publish publish = { false, 3000, 3999, STR("publish tcp port 3000-3999"), IR_USER, STR("publish"), at(25) };
	struct ir_env_set set = { STR("CI"), STR("1"), IR_PROJECT, STR("env"), at(24) };
	struct ir_level_file file = { IR_PROJECT, false, STR("p.pol"), STR("") };
	struct ir_scalar *time = &ir->scalars[IR_S_LIMIT_TIME];

	ir->name = STR("t");
	*except = command("git", "push", false);
	add(ir, IR_MANAGED, IR_ALLOW, IR_COMMAND, command("git", "pu?h", true))->final = true;
	r = add(ir, IR_PROJECT, IR_ASK, IR_COMMAND, command("git", "*", false));
	r->set.u.command.more = true;
	r->except = except;
	r->nexcept = 1;
	r->soft = true;
	add(ir, IR_PROJECT, IR_DENY, IR_FILE, path(IR_ROOT_HOME, "/a", IR_WRITE))->because =
		STR("why");
	add(ir, IR_USER, IR_DENY, IR_SYSCALL, call)->err = 38;
	add(ir, IR_USER, IR_ALLOW, IR_NET, net);
	r = add(ir, IR_DEFAULT, IR_HIDE, IR_FILE, path(IR_ROOT_FS, "/s", IR_ALL_OPS));
	r = add(ir, IR_DEFAULT, IR_DENY, IR_COMMAND, command("polc", "trust", true));
	r->floor = true;
	r->lifted_by = ARENA_NEW(&arena, uint32_t);
	r->nlifted_by = 1;
	ir->lifted = true;
	ir->locked[IR_COMMAND] = (struct ir_lock){ IR_MANAGED, at(1) };
	*time = (struct ir_scalar){ .set = true, .num = 60000, .level = IR_PROJECT,
				    .id = STR("limits-time"), .at = at(9) };
	VEC_PUSH(&arena, &ir->risks, risk);
	VEC_PUSH(&arena, &ir->facts, fact);
	VEC_PUSH(&arena, &ir->dropped, drop);
	VEC_PUSH(&arena, &ir->keep, keep);
	VEC_PUSH(&arena, &ir->publish, publish);
	VEC_PUSH(&arena, &ir->env, set);
	VEC_PUSH(&arena, &ir->files, file);
	return ir;
}

/* --- the verifier ------------------------------------------------------------- */

static void test_whole_ir_is_sound(void **state)
{
	const char *why;

	(void)state;
	why = ir_verify(ir_new(&arena), &arena);
	if (why)
		fail_msg("fresh: %s", why);
	why = ir_verify(whole(), &arena);
	if (why)
		fail_msg("whole: %s", why);
}

#define RULE(n) (ir->rules.v[n])
#define GRANT RULE(R_NET)->set.u.net.grant
/* What an allow may say; a break of it breaks nothing else. */
#define INJECT                                                                 \
	(RULE(R_NET)->set.u.net.protos = IR_TCP,                               \
	 RULE(R_NET)->set.u.net.host = IR_HOST_NAME,                           \
	 RULE(R_NET)->set.u.net.port_lo = RULE(R_NET)->set.u.net.port_hi = 80, \
	 GRANT.header = STR("X"), GRANT.secret = STR("S"), GRANT.dial = 443)
#define WITHIN                                                                 \
	(RULE(R_NET)->set.u.net.within = &RULE(R_NET)->set.u.net.cidr,         \
	 RULE(R_NET)->set.u.net.nwithin = 1)
#define SOFT_ASK (RULE(R_NET)->effect = IR_ASK, RULE(R_NET)->soft = true)
#define BREAKS(X)                                                              \
	X(index, RULE(2)->index = 1)                                           \
	X(kind, RULE(2)->kind = IR_KIND_COUNT)                                 \
	X(effect, RULE(2)->effect = IR_EFFECT_COUNT)                           \
	X(level, RULE(2)->level = (enum ir_level)0)                            \
	X(id, RULE(2)->id = STR_NULL)                                          \
	X(text, RULE(2)->text = STR_NULL)                                      \
	X(place, RULE(2)->at.line = 0)                                         \
	X(order_of_levels, RULE(4)->level = IR_MANAGED)                        \
	X(order_of_lines, RULE(1)->at.line = 9)                                \
	X(floor_last, RULE(4)->floor = true)                                   \
	X(scopes, RULE(2)->scopes = 4)                                         \
	X(hide_of_a_command, RULE(1)->effect = IR_HIDE)                        \
	X(hide_of_one_operation, RULE(R_HIDE)->set.u.file.ops = IR_READ)       \
	X(two_operations, RULE(R_DENY)->set.u.file.ops = IR_READ | IR_WRITE)   \
	X(final_below, RULE(R_DENY)->final = true)                             \
	X(final_ask, (RULE(0)->effect = IR_ASK))                               \
	X(floor_that_allows, RULE(R_FLOOR)->effect = IR_ALLOW)                 \
	X(scratch_deny, RULE(R_DENY)->scratch = true)                          \
	X(soft_deny, RULE(R_DENY)->soft = true)                                \
	X(soft_managed, (RULE(0)->final = false, RULE(0)->effect = IR_ASK,     \
			 RULE(0)->soft = true))                                \
	X(narrow_allow, RULE(R_NET)->full = false)                             \
	X(errno_missing, RULE(R_CALL)->err = 0)                                \
	X(errno_elsewhere, RULE(R_DENY)->err = 1)                              \
	X(errno_range, RULE(R_CALL)->err = 4096)                               \
	X(no_words, RULE(0)->set.u.command.nwords = 0)                         \
	X(more_of_an_allow, RULE(0)->set.u.command.more = true)                \
	X(more_of_a_word, (RULE(1)->set.u.command.words[1].glob = glob("x")))  \
	X(more_and_tail, RULE(1)->set.u.command.tail = true)                   \
	X(more_in_except, RULE(1)->except->u.command.more = true)              \
	X(any_words_and_glob, RULE(0)->set.u.command.words[1].any_words = true) \
	X(deep_in_a_word, RULE(0)->set.u.command.words[0].glob.v[0].op = IR_G_DEEP) \
	X(nul_in_a_glob, RULE(0)->set.u.command.words[0].glob.v[0].byte = 0)   \
	X(no_alternative, RULE(0)->set.u.command.words[0].glob.v[0].op = IR_G_ALT) \
	X(glob_op, RULE(0)->set.u.command.words[0].glob.v[0].op = (enum ir_glob_op)99) \
	X(not_below, RULE(R_DENY)->set.u.file.path.below = false)              \
	X(root, RULE(R_DENY)->set.u.file.path.root = IR_ROOT_COUNT)            \
	X(abstract_file, RULE(R_DENY)->set.u.file.path.abstract = true)        \
	X(trailing_slash, (RULE(R_DENY)->set.u.file.path.glob = glob("/a/")))  \
	X(protocol, RULE(R_NET)->set.u.net.protos = 0)                         \
	X(ports, RULE(R_NET)->set.u.net.port_hi = 0)                           \
	X(host_case, (RULE(R_NET)->set.u.net.name = STR("B.example")))         \
	X(host_dot, (RULE(R_NET)->set.u.net.name = STR("b.example.")))         \
	X(host_bits, (RULE(R_NET)->set.u.net.host = IR_HOST_CIDR,              \
		      RULE(R_NET)->set.u.net.cidr.addr[15] = 1))               \
	X(via_secret_alone, GRANT.via_secret = STR("S"))                       \
	X(via_secret_without_proxy, (GRANT.via = STR("none"),                  \
				     GRANT.via_secret = STR("S")))             \
	X(header_alone, (INJECT, GRANT.secret = STR_NULL))                     \
	X(secret_alone, (INJECT, GRANT.header = STR_NULL))                     \
	X(prefix_alone, GRANT.prefix = STR("b "))                              \
	X(nothing_to_dial, (INJECT, GRANT.dial = 0))                           \
	X(inject_at_another_port, (INJECT, RULE(R_NET)->set.u.net.port_hi = 81)) \
	X(inject_below, (INJECT, RULE(R_NET)->set.u.net.host = IR_HOST_BELOW)) \
	X(inject_any_proto, (INJECT, RULE(R_NET)->set.u.net.protos = IR_ANY_PROTO)) \
	X(grant_of_a_deny, (RULE(R_NET)->effect = IR_DENY, GRANT.bytes = 1))   \
	X(within_of_a_deny, (RULE(R_NET)->effect = IR_DENY, WITHIN))           \
	X(grant_of_a_soft_ask, (SOFT_ASK, GRANT.via = STR("http://p:1")))      \
	X(within_of_a_soft_ask, (SOFT_ASK, WITHIN))                            \
	X(peek, GRANT.peek = (enum ir_peek)9)                                  \
	X(call_name, RULE(R_CALL)->set.u.syscall.name = STR_NULL)              \
	X(cond_arg, RULE(R_CALL)->set.u.syscall.cond->arg = 6)                 \
	X(cond_width, RULE(R_CALL)->set.u.syscall.cond->width = 16)            \
	X(cond_mask, RULE(R_CALL)->set.u.syscall.cond->mask = 1ull << 32)      \
	X(cond_value, RULE(R_CALL)->set.u.syscall.cond->value = 1ull << 32)    \
	X(cond_part, RULE(R_CALL)->set.u.syscall.cond->op = IR_C_NOT)          \
	X(lifted_before_the_pass, ir->lifted = false)                          \
	X(lifted_by_a_deny, RULE(R_FLOOR)->lifted_by[0] = R_DENY)              \
	X(lifted_by_nobody, RULE(R_FLOOR)->lifted_by[0] = R_COUNT)             \
	X(floor_lifted_by_many, RULE(0)->final = false)                        \
	X(lifted_above, (RULE(R_DENY)->lifted_by = RULE(R_FLOOR)->lifted_by,   \
			 RULE(R_DENY)->nlifted_by = 1))                        \
	X(scalar_level, ir->scalars[IR_S_UNIX_OTHERWISE].level = (enum ir_level)0) \
	X(scalar_effect, ir->scalars[IR_S_UNIX_OTHERWISE].effect = IR_HIDE)    \
	X(scalar_id, ir->scalars[IR_S_UNIX_OTHERWISE].id = STR_NULL)           \
	X(scalar_locked, (ir->scalars[IR_S_UNIX_OTHERWISE].locked = true))     \
	X(scalar_place, ir->scalars[IR_S_UNIX_OTHERWISE].set = true)           \
	X(scalar_by_risk, ir->scalars[IR_S_UNIX_OTHERWISE].by_risk = true)     \
	X(scalar_milder, (ir->scalars[IR_S_TOOL_OTHERWISE].by_risk = true,     \
			  ir->scalars[IR_S_TOOL_OTHERWISE].effects[0] = IR_DENY)) \
	X(mode, ir->scalars[IR_S_NET_MODE].num = 3)                            \
	X(base, ir->base_none = true)                                          \
	X(lock, ir->locked[IR_FILE].level = IR_PROJECT)                        \
	X(risk_class, ir->risks.v[0].risk = IR_RISK_COUNT)                     \
	X(risk_set, ir->risks.v[0].set.u.command.nwords = 0)                   \
	X(fact_kind, ir->facts.v[0].kind = STR_NULL)                           \
	X(dropped_why, ir->dropped.v[0].why = STR_NULL)                        \
	X(publish_range, ir->publish.v[0].hi = 1)                              \
	X(publish_zero, ir->publish.v[0].lo = 0)                               \
	X(keep_name, (ir->keep.v[0].name = STR("A=B")))                        \
	X(set_name, ir->env.v[0].name = STR_NULL)                              \
	X(file_name, ir->files.v[0].name = STR_NULL)

#define X(name, what)                        \
	static void break_##name(struct ir *ir) \
	{                                    \
		what;                        \
	}
BREAKS(X)
#undef X

static const struct {
	const char *name;
	void (*change)(struct ir *ir);
} breaks[] = {
#define X(name, what) { #name, break_##name },
	BREAKS(X)
#undef X
};

static void test_every_broken_invariant_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(breaks); i++) {
		struct ir *ir = whole();

		breaks[i].change(ir);
		if (!ir_verify(ir, &arena))
			fail_msg("'%s' is not found", breaks[i].name);
	}
}

static void sound(struct ir *ir, const char *what)
{
	const char *why = ir_verify(ir, &arena);

	if (why)
		fail_msg("%s: %s", what, why);
}

/* What the breaks above change is sound as it was. */
static void test_what_the_gateway_does_is_sound(void **state)
{
	struct ir *ir = whole();

	(void)state;
	INJECT;
	sound(ir, "inject");
	GRANT.prefix = STR("Bearer ");
	GRANT.via = STR("http://p.example:1");
	GRANT.via_secret = STR("S");
	GRANT.bytes = UINT64_MAX;
	GRANT.connections = UINT32_MAX;
	WITHIN;
	sound(ir, "all");
	RULE(R_NET)->effect = IR_ASK;
	sound(ir, "an ask");
	ir = whole();
	SOFT_ASK;
	sound(ir, "a soft ask");
	ir = whole();
	RULE(R_NET)->effect = IR_DENY;
	sound(ir, "a deny");
}

/* --- text and JSON ------------------------------------------------------------------ */

static char *printed(const struct ir *ir)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ir_print(f, ir);
	(void)fclose(f);
	return text;
}

static void test_dump_names_everything(void **state)
{
	static const char *const lines[] = {
		"policy \"t\" serial 0\n",
		"file project p.pol\n",
		"locked command by managed  # p.pol:1\n",
		"   0  managed allow command [git pu?h:*] final  # id-0 p.pol:1\n",
		"   1  project ask command [git * ...] soft  # id-1 p.pol:2\n"
		"        except [git push]\n",
		"   2  project deny file write ${HOME}/a (and below)  # id-2 p.pol:3\n"
		"        because \"why\"\n",
		"   3  user deny syscall clone(56) when (arg1 & 0x10):32 != 0x0 errno 38"
		"  # id-3 p.pol:4\n",
		"   4  user allow net tcp *.b.example port 1-65535  # id-4 p.pol:5\n",
		"   5  default hide file all /s (and below)  # id-5 p.pol:6\n",
		"   6  default deny command [polc trust:*] floor  # id-6 p.pol:7\n"
		"        lifted by 0\n",
		"command otherwise = ask  # default (built in)\n",
		"limits time = 60000ms  # project p.pol:9\n",
		"env keep LC_*  # default p.pol:23\n",
		"env set CI = \"1\"  # project p.pol:24\n",
		"risk high [rm *]  # default p.pol:20\n",
		"fact program \"program git { }\"  # default p.pol:21\n",
		"dropped user \"allow \\\"x\\\"\": section locked by p.pol:1  # p.pol:22\n",
	};
	char *text = printed(whole());
	const char *from = text;

	(void)state;
	for (size_t i = 0; i < POL_LEN(lines); i++) {
		const char *found = strstr(from, lines[i]);

		if (!found)
			fail_msg("not there, or out of order: %sin:\n%s", lines[i], text);
		from = found;
	}
	/* limits that nobody sets are not there */
	assert_null(strstr(text, "limits memory"));
	free(text);
}

static struct str json_of(const struct ir *ir)
{
	struct buf b;

	buf_init(&b, &arena);
	ir_json(&b, ir);
	return str_dup(&arena, buf_view(&b));
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no member '%s'", key);
	return v;
}

static void test_json_is_whole_and_parses(void **state)
{
	static const char *const keys[] = {
		"format", "name", "serial", "expires", "locked", "files", "rules",
		"scalars", "env_keep", "env_set", "risks", "facts", "mounts", "dropped", "tests",
	};
	struct str text = json_of(whole());
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o, *r;

	(void)state;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, text.p, (int)text.n);
	assert_non_null(o);
	for (size_t i = 0; i < POL_LEN(keys); i++)
		member(o, keys[i]);
	assert_int_equal(json_object_array_length(member(o, "rules")), R_COUNT);
	assert_int_equal(json_object_array_length(member(o, "scalars")), IR_SCALAR_COUNT);
	r = json_object_array_get_idx(member(o, "rules"), 1);
	assert_string_equal(json_object_get_string(member(r, "effect")), "ask");
	assert_true(json_object_get_boolean(member(r, "soft")));
	assert_int_equal(json_object_array_length(member(r, "except")), 1);
	r = json_object_array_get_idx(member(o, "rules"), R_FLOOR);
	assert_int_equal(json_object_array_length(member(r, "lifted_by")), 1);
	json_object_put(o);
	json_tokener_free(tok);
}

static void change_port(struct ir *ir) { RULE(R_NET)->set.u.net.port_lo = 2; }
static void change_via(struct ir *ir) { GRANT.via = STR("none"); }
static void change_via_secret(struct ir *ir) { GRANT.via_secret = STR("S"); }
static void change_header(struct ir *ir) { GRANT.header = STR("X"); }
static void change_prefix(struct ir *ir) { GRANT.prefix = STR("b "); }
static void change_secret(struct ir *ir) { GRANT.secret = STR("S"); }
static void change_dial(struct ir *ir) { GRANT.dial = 443; }
static void change_peek(struct ir *ir) { GRANT.peek = IR_PEEK_NONE; }
static void change_bytes(struct ir *ir) { GRANT.bytes = 1; }
static void change_connections(struct ir *ir) { GRANT.connections = 1; }
static void change_hold(struct ir *ir) { ir->scalars[IR_S_NET_HOLD].num = 1; }
static void change_mask(struct ir *ir) { RULE(R_CALL)->set.u.syscall.cond->mask = 0x20; }
static void change_below(struct ir *ir) { RULE(R_DENY)->set.u.file.path.below = false; }
static void change_wild(struct ir *ir) { RULE(0)->set.u.command.words[1].glob.v[2].op = IR_G_STAR; }
static void change_lock(struct ir *ir) { ir->locked[IR_COMMAND].level = IR_MANAGED_FILE; }
static void change_time(struct ir *ir) { ir->scalars[IR_S_LIMIT_TIME].num++; }
static void change_full(struct ir *ir) { RULE(R_DENY)->full = false; }
static void change_deny(struct ir *ir) { ir->publish.v[0].deny = true; }
static void change_why(struct ir *ir) { ir->dropped.v[0].why = STR("x"); }

static void test_json_shows_every_change(void **state)
{
	static void (*const changes[])(struct ir *) = {
		change_port, change_mask, change_below, change_wild, change_lock,
		change_time, change_full, change_why, change_via, change_via_secret,
		change_header, change_prefix, change_secret, change_dial, change_peek,
		change_bytes, change_connections, change_hold, change_deny,
	};
	struct str before = json_of(whole());

	(void)state;
	assert_true(str_eq(before, json_of(whole())));
	for (size_t i = 0; i < POL_LEN(changes); i++) {
		struct ir *ir = whole();

		changes[i](ir);
		if (str_eq(before, json_of(ir)))
			fail_msg("change %zu leaves no trace", i);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(ir_level_name(IR_MANAGED_FILE), "managed-file");
	assert_string_equal(ir_level_name((enum ir_level)0), "?");
	assert_string_equal(ir_kind_name(IR_KIND_COUNT), "?");
	assert_string_equal(ir_op_name(IR_EXEC), "exec");
	assert_string_equal(ir_root_name(IR_ROOT_TMP), "TMPDIR");
	assert_string_equal(ir_scalar_section(IR_S_LIMIT_TIME), "limits");
	assert_string_equal(ir_scalar_key(IR_S_FILE_EXEC), "otherwise-exec");
	assert_int_equal(ir_scalar_type(IR_S_NET_MODE), IR_T_MODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_whole_ir_is_sound),
		WITH(arena, test_every_broken_invariant_is_found),
		WITH(arena, test_what_the_gateway_does_is_sound),
		WITH(arena, test_dump_names_everything),
		WITH(arena, test_json_is_whole_and_parses),
		WITH(arena, test_json_shows_every_change),
		WITH(arena, test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
