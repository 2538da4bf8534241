/*
 * The rows for the whole IR: rules, scalars, variables, settings, tests; and the
 * conditions between their members.  An error found here is a bug in the compiler,
 * which then ends with status 70, or the bytes are not a valid ir.json.
 */
#include "compiler/ir/rows.h"

static WORDS(scopes, "sandbox", "host");

/* --- rules ----------------------------------------------------------------- */

/* By level; within a file by line; the floor last.  This is the order of "first" in
 * 3.1.  A file that both full and narrow-only files of one level use appears twice. */
static bool in_order(const struct ir_rule *x, const struct ir_rule *y)
{
	if (x->floor != y->floor)
		return y->floor;
	if (x->level != y->level)
		return x->level < y->level;
	return !str_eq(x->at.file, y->at.file) || x->full != y->full ||
	       x->at.line <= y->at.line;
}

static const char *check_flags(const struct ir *ir, const struct ir_rule *r)
{
	bool syscall_deny = r->kind == IR_SYSCALL && r->effect == IR_DENY;

	if (r->effect == IR_HIDE && r->kind != IR_FILE)
		return "hides what is no file";
	if (r->final && (r->level > IR_MANAGED_FILE || r->effect == IR_ASK))
		return "final at a level that cannot, or an ask";
	if (r->floor && (r->level != IR_DEFAULT || r->effect == IR_ALLOW))
		return "of the floor, and no default deny";
	if (r->scratch && (r->kind != IR_FILE || r->effect != IR_ALLOW ||
			   (r->scopes & IR_HOST)))
		return "scratch that is no allow in the sandbox";
	if (r->soft && (r->effect != IR_ASK || r->level == IR_MANAGED))
		return "soft, and no ask that can be";
	if (r->effect == IR_ALLOW && !r->full && r->level != IR_DEFAULT)
		return "an allow of a narrow-only level";
	if (r->may_yes && r->effect != IR_ASK)
		return "may yes, and asks nothing";
	if (r->until.n && r->until.n != strlen("YYYY-MM-DD"))
		return "until is no date";
	if (r->role.n && !str_eq(r->role, ir->role))
		return "of a role that was not chosen";
	return (syscall_deny ? r->err < 1 || r->err > 4095 : r->err != 0) ?
		       "an errno that it cannot have" : NULL;
}

static bool has_grant(const struct ir_set *s)
{
	const struct ir_grant *g = &s->u.net.grant;

	return s->u.net.nwithin || g->via.n || g->header.n || g->bytes || g->connections || g->peek;
}

/* Only a rule that lets something through says what the gateway does with it. */
static const char *check_grant(const struct ir_rule *r)
{
	if (r->kind != IR_NET)
		return NULL;
	for (size_t i = 0; i < r->nexcept; i++)
		if (has_grant(&r->except[i]))
			return "an exception that says what the gateway does";
	return (r->effect == IR_DENY || r->soft) && has_grant(&r->set) ?
		       "a deny or a soft ask that says what the gateway does" : NULL;
}

static const char *check_lifted(const struct ir *ir, const struct ir_rule *r)
{
	if (!r->nlifted_by)
		return NULL;
	if (!ir->lifted || r->level != IR_DEFAULT || r->effect == IR_ALLOW)
		return "lifted, but no default deny or ask";
	for (size_t i = 0; i < r->nlifted_by; i++) {
		uint32_t by = r->lifted_by[i];
		const struct ir_rule *l;

		if (by >= ir->rules.n || (i > 0 && by <= r->lifted_by[i - 1]))
			return "lifted by no rule, or out of order";
		l = ir->rules.v[by];
		if (l->effect != IR_ALLOW || l->kind != r->kind || l->level == IR_DEFAULT)
			return "lifted by a rule that cannot";
		if (r->floor && !(l->final && l->level <= IR_MANAGED_FILE) &&
		    !(r->kind == IR_FILE && l->full))
			return "of the floor, and lifted by a rule that cannot";
	}
	return NULL;
}

static const char *check_rule(struct ir_check *c)
{
	const struct ir_rule *r = c->of, *before = c->before;
	unsigned ops = r->kind == IR_FILE ? r->set.u.file.ops : 0;
	const char *why;

	c->broad = r->effect != IR_ALLOW;
	if (before && !in_order(before, r))
		return "out of order";
	if (r->kind == IR_FILE && (r->effect == IR_HIDE ? ops != IR_ALL_OPS :
				   ops != IR_READ && ops != IR_WRITE && ops != IR_EXEC))
		return "operations that it cannot have";
	why = check_flags(c->ir, r);
	if (!why)
		why = check_grant(r);
	return why ? why : check_lifted(c->ir, r);
}

static const struct ir_record *rule_set(const void *of, size_t at)
{
	(void)at;
	return ir_record_set(((const struct ir_rule *)of)->kind);
}

static TABLE(rule, check_rule, NULL,
	VALUE(ir_rule, NULL, index, IR_FT_INDEX),
	TEXT(ir_rule, "id", id, .is = ir_is_some),
	LEVEL(ir_rule),
	AT(ir_rule),
	WORD(ir_rule, "kind", kind, ir_words_kind),
	WORD(ir_rule, "effect", effect, ir_words_effect),
	/* all rules of a statement have the same text, which may be long */
	TEXT(ir_rule, "text", text, .flags = IR_FF_REPEATED, .is = ir_is_some),
	OPT_TEXT(ir_rule, "because", because),
	BITS(ir_rule, scopes, scopes),
	FLAG(ir_rule, "final", final),
	FLAG(ir_rule, "floor", floor),
	FLAG(ir_rule, "scratch", scratch),
	FLAG(ir_rule, "soft", soft),
	FLAG(ir_rule, "full", full),
	FLAG(ir_rule, "may_yes", may_yes),
	OPT_NUMBER(ir_rule, "errno", err, UINT16_MAX),
	OPT_TEXT(ir_rule, "role", role),
	OPT_TEXT(ir_rule, "until", until),
	SETS(ir_rule, .pick = rule_set),
	OPT_LIST(ir_rule, "lifted_by", lifted_by, nlifted_by, IR_FT_NUMBER, .max = UINT32_MAX));

/* A mount: its tree can have a second name, and a name can be at its place. */
static const char *check_mount(struct ir_check *c)
{
	const struct ir_mount *m = c->of;
	const struct ir_rule *r = m->rule < c->ir->rules.n ? c->ir->rules.v[m->rule] : NULL;
	const struct ir_glob *g;

	if (!r || r->kind != IR_FILE || r->effect != IR_ALLOW || r->scratch ||
	    !r->set.u.file.path.below)
		return "names no allow rule of a tree";
	g = &r->set.u.file.path.glob;
	if (g->n == 0 && r->set.u.file.path.root == IR_ROOT_FS)
		return "of everything";
	for (size_t k = 0; k < g->n; k++)
		if (g->v[k].op != IR_G_BYTE)
			return "of a pattern";
	if (m->place.n < 2 || m->place.p[m->place.n - 1] == '/')
		return "no place";
	return ir_mount_at(c->ir, m->place) != m ? "lies in another" : NULL;
}

static TABLE(mount, check_mount, NULL,
	TEXT(ir_mount, "place", place, .is = ir_is_path, .flags = IR_FF_SORTED),
	NUMBER(ir_mount, "rule", rule, 0, UINT32_MAX));

static TABLE(dropped, NULL, NULL,
	TEXT(ir_dropped, "text", text),
	TEXT(ir_dropped, "why", why, .is = ir_is_some),
	LEVEL(ir_dropped),
	AT(ir_dropped),
	PLACE(ir_dropped, "by", by));

/* --- scalars --------------------------------------------------------------- */

static WORDS(mild, [IR_ALLOW] = "allow", [IR_ASK] = "ask", [IR_DENY] = "deny");

#define OF_CLASS(word, class) WORD(ir_scalar, word, effects[class], mild)
static TABLE(by_risk, NULL, NULL,
	OF_CLASS("low", IR_RISK_LOW),
	OF_CLASS("medium", IR_RISK_MEDIUM),
	OF_CLASS("high", IR_RISK_HIGH),
	OF_CLASS("critical", IR_RISK_CRITICAL));

/* What a scalar of each type holds. */
static TABLE(effect, NULL, NULL,
	{ .key = "by_risk", .type = IR_FT_RECORD, .of = &by_risk, .size = sizeof(struct ir_scalar),
	  SAYS(ir_scalar, by_risk, SOME) },
	WORD(ir_scalar, "effect", effect, mild, WHEN(ir_scalar, by_risk, NONE)));
static TABLE(name, NULL, NULL,
	TEXT(ir_scalar, "text", text));
static TABLE(mode, NULL, NULL,
	WORD(ir_scalar, "mode", num, ir_words_mode));
static TABLE(number, NULL, NULL,
	NUMBER(ir_scalar, "value", num, 0, UINT64_MAX));

static const struct ir_record *scalar_value(const void *of, size_t at)
{
	(void)of;
	switch (ir_scalar_type((enum ir_scalar_id)at)) {
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
		return &effect;
	case IR_T_NAME:
		return &name;
	case IR_T_MODE:
		return &mode;
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT:
		break;
	}
	return &number;
}

static const char *check_scalar(struct ir_check *c)
{
	const struct ir_scalar *s = c->of;

	if (s->locked && s->level > IR_MANAGED_FILE)
		return "locked by a level that cannot";
	if (s->set && !ir_is_placed(&s->at))
		return "set nowhere";
	if (s->by_risk && ir_scalar_type((enum ir_scalar_id)c->at) != IR_T_OTHERWISE)
		return "by risk, and cannot be";
	for (int i = 1; s->by_risk && i < IR_RISK_COUNT; i++)
		if (s->effects[i] < s->effects[i - 1])
			return "milder than for the class below";
	for (size_t i = 0; i < s->nover; i++)
		if (s->over[i].nover || (i > 0 && s->over[i].level < s->over[i - 1].level))
			return "overrides out of order, or what was overridden";
	return NULL;
}

static const struct ir_scalar no_scalar = { .effect = IR_DENY };
static const struct ir_record scalar;
static TABLE(scalar, check_scalar, &no_scalar,
	TEXT(ir_scalar, "id", id, .is = ir_is_some),
	LEVEL(ir_scalar),
	PLACE(ir_scalar, "at", at),
	FLAG(ir_scalar, "set", set),
	FLAG(ir_scalar, "locked", locked),
	{ .type = IR_FT_RECORD, .size = sizeof(struct ir_scalar), .pick = scalar_value },
	TEXT(ir_scalar, "text_of", source),
	TEXT(ir_scalar, "role", role),
	RECORDS(ir_scalar, "over", over, nover, scalar));

/* --- variables of the environment ------------------------------------------ */

static bool is_variable(struct str s)
{
	return ir_is_text(s) && !memchr(s.p, '=', s.n);
}

static TABLE(env_keep, NULL, NULL,
	TEXT(ir_env_keep, "name", name, .is = is_variable),
	SAID(ir_env_keep));

static TABLE(env_set, NULL, NULL,
	TEXT(ir_env_set, "name", name, .is = is_variable),
	TEXT(ir_env_set, "value", value, .is = ir_has_no_nul),
	SAID(ir_env_set));

static WORDS(sources, "store", "file");
static TABLE(env_secret, NULL, NULL,
	TEXT(ir_env_secret, "name", name, .is = is_variable),
	WORD(ir_env_secret, "source", file, sources),
	TEXT(ir_env_secret, "from", from, .is = ir_is_text),
	SAID(ir_env_secret));

static const char *check_publish(struct ir_check *c)
{
	const struct ir_publish *p = c->of;

	return p->lo > p->hi ? "a range of ports that ends before it begins" : NULL;
}

static TABLE(publish, check_publish, NULL,
	FLAG(ir_publish, "deny", deny),
	NUMBER(ir_publish, "port_lo", lo, 1, UINT16_MAX),
	NUMBER(ir_publish, "port_hi", hi, 1, UINT16_MAX),
	TEXT(ir_publish, "text", text, .is = ir_is_some),
	SAID(ir_publish));

static WORDS(lockers, [IR_MANAGED] = "managed", [IR_MANAGED_FILE] = "managed-file");

static const char *check_env_lock(struct ir_check *c)
{
	const struct ir_env_lock *k = c->of;

	return (k->keep ? k->name.n != 0 : !is_variable(k->name)) ? "a name, or none" : NULL;
}

static TABLE(env_lock, check_env_lock, NULL,
	FLAG(ir_env_lock, "keep", keep),
	TEXT(ir_env_lock, "name", name),
	WORD(ir_env_lock, "level", level, lockers),
	TEXT(ir_env_lock, "id", id, .is = ir_is_some),
	AT(ir_env_lock));

/* --- settings, roles ------------------------------------------------------- */

static int setting_order(const struct ir_setting *x, const struct ir_setting *y)
{
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return str_cmp(x->key, y->key);
}

static const char *check_setting(struct ir_check *c)
{
	const struct ir_setting *s = c->of;

	if (s->locked && s->level > IR_MANAGED_FILE)
		return "locked by a level that cannot";
	for (size_t i = 0; i < s->nover; i++)
		if (setting_order(s, &s->over[i]) != 0 || s->over[i].nover ||
		    (i > 0 && s->over[i].level < s->over[i - 1].level))
			return "overrides another one, out of order, or what was overridden";
	return NULL;
}

static const struct ir_record setting;
static TABLE(setting, check_setting, NULL,
	WORD(ir_setting, "part", part, ir_words_part),
	TEXT(ir_setting, "key", key, .is = ir_is_text),
	TEXT(ir_setting, "id", id, .is = ir_is_some),
	LEVEL(ir_setting),
	AT(ir_setting),
	FLAG(ir_setting, "acts", acts),
	FLAG(ir_setting, "locked", locked),
	VALUE(ir_setting, "value", value, IR_FT_VALUE),
	TEXT(ir_setting, "text_of", source),
	TEXT(ir_setting, "role", role),
	RECORDS(ir_setting, "over", over, nover, setting));

static TABLE(role, NULL, NULL,
	TEXT(ir_role, "name", name, .is = ir_is_some, .flags = IR_FF_SORTED),
	AT(ir_role),
	TEXT(ir_role, "digest", digest),
	TEXT(ir_role, "all", all));

/* --- tests ----------------------------------------------------------------- */

static WORDS(ops, [IR_READ] = "read", [IR_WRITE] = "write", [IR_EXEC] = "exec");
static WORDS(protos, [IR_TCP] = "tcp", [IR_UDP] = "udp");

/* What a request of each kind holds. */
static TABLE(line, NULL, NULL,
	TEXT(ir_request, "line", line, UNLESS_EMPTY(ir_request, line.p)),
	FLAG(ir_request, "unparsed", unparsed),
	LIST(ir_request, "argv", argv, nargv, IR_FT_TEXT, .is = ir_has_no_nul,
	     WHEN(ir_request, line.p, NONE)));
static TABLE(file, NULL, NULL,
	WORD(ir_request, "op", op, ops),
	TEXT(ir_request, "path", path));
static TABLE(unix_socket, NULL, NULL,
	FLAG(ir_request, "abstract", abstract),
	TEXT(ir_request, "path", path));
static TABLE(net, NULL, NULL,
	WORD(ir_request, "proto", proto, protos),
	VALUE(ir_request, "addr", addr, IR_FT_ADDRESS, SAYS(ir_request, is_addr, SOME)),
	TEXT(ir_request, "host", host, WHEN(ir_request, is_addr, NONE)),
	NUMBER(ir_request, "port", port, 0, UINT16_MAX));
#define ARGUMENT(key, n) VALUE(ir_request, key, args[n], IR_FT_HEX)
static TABLE(call, NULL, NULL,
	NUMBER(ir_request, "nr", nr, 0, UINT32_MAX),
	FLAG(ir_request, "known", nr_known),
	ARGUMENT("a0", 0), ARGUMENT("a1", 1), ARGUMENT("a2", 2),
	ARGUMENT("a3", 3), ARGUMENT("a4", 4), ARGUMENT("a5", 5));
static TABLE(tool, NULL, NULL,
	TEXT(ir_request, "tool", tool));

static const struct ir_record *request_of_kind(const void *of, size_t at)
{
	static const struct ir_record *const kinds[] = {
		[IR_COMMAND] = &line, [IR_FILE] = &file, [IR_NET] = &net,
		[IR_UNIX] = &unix_socket, [IR_SYSCALL] = &call, [IR_TOOL] = &tool,
	};
	unsigned kind = ((const struct ir_request *)of)->kind;

	(void)at;
	return kind < POL_LEN(kinds) ? kinds[kind] : NULL;
}

static TABLE(request, NULL, NULL,
	WORD(ir_request, "kind", kind, ir_words_kind),
	TEXT(ir_request, "text", text),
	{ .type = IR_FT_RECORD, .size = sizeof(struct ir_request), .pick = request_of_kind });

static const char *check_case(struct ir_check *c)
{
	const struct ir_request *q = &((const struct ir_test_case *)c->of)->request;

	return q->kind == IR_COMMAND && !q->line.p && !q->unparsed && q->nargv == 0 ?
		       "a command without words" : NULL;
}

static TABLE(test_case, check_case, NULL,
	PLACE(ir_test_case, "at", at),
	RECORD(ir_test_case, NULL, request, request),
	WORD(ir_test_case, "want", want, ir_words_effect),
	TEXT(ir_test_case, "by", by));

static TABLE(test, NULL, NULL,
	TEXT(ir_test, "name", name),
	PLACE(ir_test, "at", at),
	BITS(ir_test, scopes, scopes),
	RECORDS(ir_test, "cases", cases, ncases, test_case));

/* --- assertions ------------------------------------------------------------ */

static WORDS(least, [IR_ASK] = "ask", [IR_DENY] = "deny");

static const char *check_bound(struct ir_check *c)
{
	const struct ir_bound *b = c->of, *before = c->before;
	unsigned op = b->kind == IR_FILE ? b->set.u.file.ops : IR_READ;

	c->broad = true;
	if (before && before->kind != b->kind)
		return "of several kinds";
	if (op != IR_READ && op != IR_WRITE && op != IR_EXEC)
		return "operations that it cannot have";
	if (!b->scopes)
		return "in no scope";
	return b->kind == IR_NET && has_grant(&b->set) ?
		       "a bound that says what the gateway does" : NULL;
}

static const struct ir_record *bound_set(const void *of, size_t at)
{
	(void)at;
	return ir_record_set(((const struct ir_bound *)of)->kind);
}

static TABLE(bound, check_bound, NULL,
	WORD(ir_bound, "kind", kind, ir_words_kind),
	BITS(ir_bound, scopes, scopes),
	SETS(ir_bound, .pick = bound_set));

static TABLE(assertion, NULL, NULL,
	SAID(ir_assertion),
	TEXT(ir_assertion, "text", text, .is = ir_is_some),
	OPT_TEXT(ir_assertion, "because", because),
	OPT_TEXT(ir_assertion, "role", role),
	WORD(ir_assertion, "least", least, least),
	RECORDS(ir_assertion, "bounds", bounds, nbounds, bound));

/* --- the whole ------------------------------------------------------------- */

static TABLE(lock, NULL, NULL,
	WORD(ir_lock, "level", level, lockers),
	PLACE(ir_lock, "at", at));

#define LOCK(key, kind) \
	RECORD(ir, key, locked[kind], lock, UNLESS_EMPTY(ir, locked[kind].level))
static TABLE(locks, NULL, NULL,
	LOCK("command", IR_COMMAND), LOCK("file", IR_FILE), LOCK("net", IR_NET),
	LOCK("unix", IR_UNIX), LOCK("syscall", IR_SYSCALL), LOCK("tool", IR_TOOL));

static TABLE(level_file, NULL, NULL,
	WORD(ir_level_file, "level", level, ir_words_level, .flags = IR_FF_RISING),
	FLAG(ir_level_file, "narrow", narrow),
	TEXT(ir_level_file, "name", name, .is = ir_is_some));

static const char *check_whole(struct ir_check *c)
{
	struct str base = c->ir->scalars[IR_S_BASE].text;

	if (c->ir->base_none != str_eqz(base, "none") ||
	    (!c->ir->base_none && !str_eqz(base, "std")))
		return "a base that is none";
	for (size_t i = 1; i < c->ir->settings.n; i++)
		if (setting_order(&c->ir->settings.v[i - 1], &c->ir->settings.v[i]) >= 0)
			return "settings out of order";
	return !c->ir->shell.level && (c->ir->shell.name.n || c->ir->shell.path.n) ?
		       "a shell said by nobody" : NULL;
}

TABLE(ir_record_whole, check_whole, NULL,
	TEXT(ir, "name", name),
	NUMBER(ir, "serial", serial, 0, UINT64_MAX),
	TEXT(ir, "expires", expires),
	TEXT(ir, "role", role),
	TEXT(ir, "until", until),
	FLAG(ir, "base_none", base_none),
	{ .key = "locked", .type = IR_FT_RECORD, .size = sizeof(struct ir), .of = &locks },
	VECTOR("files", files, level_file),
	{ .key = "rules", .type = IR_FT_RECORD, .list = true, .at = offsetof(struct ir, rules.v),
	  .size = sizeof(struct ir_rule), .count = offsetof(struct ir, rules.n),
	  .flags = IR_FF_LINES | IR_FF_VECTOR | IR_FF_POINTER, .of = &rule },
	{ .key = "scalars", .type = IR_FT_RECORD, .list = true, .at = offsetof(struct ir, scalars),
	  .size = sizeof(struct ir_scalar), .fixed = IR_SCALAR_COUNT, .flags = IR_FF_LINES,
	  .of = &scalar },
	VECTOR("env_keep", keep, env_keep),
	VECTOR("env_set", env, env_set),
	VECTOR("env_secret", secrets, env_secret),
	VECTOR("env_locks", env_locks, env_lock),
	VECTOR("settings", settings, setting),
	VECTOR("roles", roles, role),
	VECTOR("risks", risks, ir_record_risk),
	VECTOR("facts", facts, ir_record_fact),
	VECTOR("programs", programs, ir_record_program),
	VECTOR("vars", vars, ir_record_var),
	VECTOR("inert", inert, ir_record_inert),
	VECTOR("pins", pins, ir_record_pin),
	RECORD(ir, "shell", shell, ir_record_shell, OR_NULL(ir, shell.level)),
	VECTOR("mounts", mounts, mount),
	VECTOR("dropped", dropped, dropped),
	VECTOR("tests", tests, test),
	/* a policy without any is written as it always was */
	RECORDS(ir, "publish", publish.v, publish.n, publish,
		.flags = IR_FF_LINES | IR_FF_VECTOR, UNLESS_EMPTY(ir, publish.n)),
	RECORDS(ir, "assertions", assertions.v, assertions.n, assertion,
		.flags = IR_FF_LINES | IR_FF_VECTOR, UNLESS_EMPTY(ir, assertions.n)));
