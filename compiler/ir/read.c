/*
 * Reads ir.json: bounds first, then the records, then what ir.h promises,
 * then the comparison of bytes that makes the reader strict.
 */
#include "compiler/ir/read.h"

#include "compiler/ir/read_set.h"

/* --- words --------------------------------------------------------------- */

#define WORDS(fn, type, count, name_of)                                             \
	static type fn(struct ir_reader *r, struct json_object *o, const char *key) \
	{                                                                           \
		const char *words[count];                                           \
		unsigned i;                                                         \
                                                                                    \
		for (i = 0; i < (count); i++)                                       \
			words[i] = name_of((type)i);                                \
		return (type)ir_rd_word(r, o, key, words, count);                   \
	}

WORDS(read_kind, enum ir_kind, IR_KIND_COUNT, ir_kind_name)
WORDS(read_effect, enum ir_effect, IR_EFFECT_COUNT, ir_effect_name)
WORDS(read_mode, enum ir_mode, IR_NET_FULL + 1, ir_mode_name)

static unsigned read_scopes(struct ir_reader *r, struct json_object *o)
{
	return (ir_rd_flag(r, o, "sandbox") ? IR_SANDBOX : 0u) |
	       (ir_rd_flag(r, o, "host") ? IR_HOST : 0u);
}

/* --- records ------------------------------------------------------------- */

static void read_lifted(struct ir_reader *r, struct json_object *o,
			struct ir_rule *rule)
{
	size_t i;
	struct json_object *list = ir_rd_opt_list(r, o, "lifted_by", &rule->nlifted_by);

	rule->lifted_by = arena_array(r->a, rule->nlifted_by + 1, sizeof(uint32_t));
	for (i = 0; i < rule->nlifted_by; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		uint64_t n = json_object_is_type(v, json_type_int)
				     ? json_object_get_uint64(v)
				     : UINT64_MAX;

		/* ir_verify() compares it with the number of rules */
		rule->lifted_by[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	}
}

static void read_rule(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_rule *rule = ARENA_NEW(r->a, struct ir_rule);

	rule->index = (uint32_t)ir->rules.n;
	ir_rd_said(r, o, &rule->level, &rule->id, &rule->at);
	rule->kind = read_kind(r, o, "kind");
	rule->effect = read_effect(r, o, "effect");
	rule->text = ir_rd_opt_str(r, o, "text");
	if (!rule->text.n && ir->rules.n)
		rule->text = VEC_LAST(&ir->rules)[0]->text;
	rule->because = ir_rd_opt_str(r, o, "because");
	rule->scopes = read_scopes(r, o);
	rule->final = ir_rd_flag(r, o, "final");
	rule->floor = ir_rd_flag(r, o, "floor");
	rule->scratch = ir_rd_flag(r, o, "scratch");
	rule->soft = ir_rd_flag(r, o, "soft");
	rule->full = ir_rd_flag(r, o, "full");
	rule->may_yes = ir_rd_flag(r, o, "may_yes");
	rule->err = (uint16_t)ir_rd_opt_num(r, o, "errno", UINT16_MAX);
	rule->role = ir_rd_opt_str(r, o, "role");
	rule->until = ir_rd_opt_str(r, o, "until");
	if (!r->why)
		ir_rd_sets(r, o, rule->kind, &rule->set, &rule->except, &rule->nexcept);
	read_lifted(r, o, rule);
	VEC_PUSH(r->a, &ir->rules, rule);
}

static void read_by_risk(struct ir_reader *r, struct json_object *o,
			 struct ir_scalar *ret)
{
	int i;

	ret->by_risk = true;
	for (i = 0; i < IR_RISK_COUNT; i++)
		ret->effects[i] = read_effect(r, o, ir_risk_name((enum ir_risk)i));
}

static void read_value(struct ir_reader *r, struct json_object *o,
		       enum ir_scalar_type t, struct ir_scalar *ret)
{
	struct json_object *risks = NULL;

	switch (t) {
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
		if (json_object_object_get_ex(o, "by_risk", &risks))
			read_by_risk(r, risks, ret);
		else
			ret->effect = read_effect(r, o, "effect");
		break;
	case IR_T_NAME:
		ret->text = ir_rd_str(r, o, "text");
		break;
	case IR_T_MODE:
		ret->num = read_mode(r, o, "mode");
		break;
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT:
		ret->num = ir_rd_num(r, o, "value", UINT64_MAX);
		break;
	}
}

/* `over` holds values without a list of their own. */
static void read_scalar(struct ir_reader *r, struct json_object *o,
			enum ir_scalar_type t, struct ir_scalar *ret, int depth)
{
	struct json_object *list;
	size_t i;

	*ret = (struct ir_scalar){ .effect = IR_DENY };
	ir_rd_said(r, o, &ret->level, &ret->id, &ret->at);
	ret->set = ir_rd_flag(r, o, "set");
	ret->locked = ir_rd_flag(r, o, "locked");
	if (!r->why)
		read_value(r, o, t, ret);
	ret->source = ir_rd_str(r, o, "text_of");
	ret->role = ir_rd_str(r, o, "role");
	list = ir_rd_list(r, o, "over", &ret->nover);
	if (depth && ret->nover)
		(void)ir_rd_fail(r, "over", "overrides what was overridden");
	ret->over = arena_array(r->a, ret->nover + 1, sizeof(*ret->over));
	for (i = 0; i < ret->nover && !r->why; i++)
		read_scalar(r, json_object_array_get_idx(list, i), t, &ret->over[i],
			    depth + 1);
}

static void read_args(struct ir_reader *r, struct json_object *o, struct ir_request *q)
{
	static const char *const names[] = { "a0", "a1", "a2", "a3", "a4", "a5" };
	size_t i;

	q->nr = (uint32_t)ir_rd_num(r, o, "nr", UINT32_MAX);
	q->nr_known = ir_rd_flag(r, o, "known");
	for (i = 0; i < POL_LEN(names); i++)
		q->args[i] = ir_rd_hex(r, o, names[i]);
}

static void read_words(struct ir_reader *r, struct json_object *o, struct ir_request *q)
{
	struct json_object *list, *line;
	size_t i;

	if (json_object_is_type(o, json_type_object) &&
	    json_object_object_get_ex(o, "line", &line)) {
		q->line = ir_rd_text(r, line);
		if (!q->line.p)
			q->line = STR("");
		return;
	}
	list = ir_rd_list(r, o, "argv", &q->nargv);
	q->unparsed = ir_rd_flag(r, o, "unparsed");
	q->argv = arena_array(r->a, q->nargv + 1, sizeof(*q->argv));
	for (i = 0; i < q->nargv; i++)
		q->argv[i] = ir_rd_text(r, json_object_array_get_idx(list, i));
}

static void read_host(struct ir_reader *r, struct json_object *o, struct ir_request *q)
{
	static const char *const protos[] = { [IR_TCP] = "tcp", [IR_UDP] = "udp" };
	struct json_object *addr = NULL;

	q->proto = (enum ir_proto)ir_rd_word(r, o, "proto", protos, POL_LEN(protos));
	q->is_addr = json_object_is_type(o, json_type_object) &&
		     json_object_object_get_ex(o, "addr", &addr);
	if (q->is_addr)
		ir_rd_addr(r, ir_rd_text(r, addr), q->addr, NULL);
	else
		q->host = ir_rd_str(r, o, "host");
	q->port = (uint16_t)ir_rd_num(r, o, "port", UINT16_MAX);
}

static void read_request(struct ir_reader *r, struct json_object *o,
			 struct ir_request *q)
{
	static const char *const ops[] = {
		[IR_READ] = "read", [IR_WRITE] = "write", [IR_EXEC] = "exec"};

	q->kind = read_kind(r, o, "kind");
	q->text = ir_rd_str(r, o, "text");
	switch (q->kind) {
	case IR_COMMAND:
		read_words(r, o, q);
		break;
	case IR_FILE:
		q->op = (enum ir_op)ir_rd_word(r, o, "op", ops, POL_LEN(ops));
		q->path = ir_rd_str(r, o, "path");
		break;
	case IR_UNIX:
		q->abstract = ir_rd_flag(r, o, "abstract");
		q->path = ir_rd_str(r, o, "path");
		break;
	case IR_NET:
		read_host(r, o, q);
		break;
	case IR_SYSCALL:
		read_args(r, o, q);
		break;
	case IR_TOOL:
		q->tool = ir_rd_str(r, o, "tool");
		break;
	case IR_KIND_COUNT:
		break;
	}
}

static void read_test(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_test t = { .name = ir_rd_str(r, o, "name") };
	struct json_object *list;
	size_t i;

	t.at = ir_rd_place(r, o, "at");
	t.scopes = read_scopes(r, o);
	list = ir_rd_list(r, o, "cases", &t.ncases);
	t.cases = arena_array(r->a, t.ncases + 1, sizeof(*t.cases));
	for (i = 0; i < t.ncases && !r->why; i++) {
		struct json_object *k = json_object_array_get_idx(list, i);

		t.cases[i].at = ir_rd_place(r, k, "at");
		read_request(r, k, &t.cases[i].request);
		t.cases[i].want = read_effect(r, k, "want");
		t.cases[i].by = ir_rd_str(r, k, "by");
	}
	VEC_PUSH(r->a, &ir->tests, t);
}

static void read_file(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_level_file f = { .level = ir_rd_level(r, o, "level") };

	f.narrow = ir_rd_flag(r, o, "narrow");
	f.name = ir_rd_str(r, o, "name");
	VEC_PUSH(r->a, &ir->files, f);
}

static void read_keep(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_env_keep k = { .name = ir_rd_str(r, o, "name") };

	ir_rd_said(r, o, &k.level, &k.id, &k.at);
	VEC_PUSH(r->a, &ir->keep, k);
}

static void read_env(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_env_set e = { .name = ir_rd_str(r, o, "name") };

	e.value = ir_rd_str(r, o, "value");
	ir_rd_said(r, o, &e.level, &e.id, &e.at);
	VEC_PUSH(r->a, &ir->env, e);
}

static void read_secret(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	static const char *const sources[] = { "store", "file" };
	struct ir_env_secret e = { .name = ir_rd_str(r, o, "name") };

	e.file = ir_rd_word(r, o, "source", sources, POL_LEN(sources)) == 1;
	e.from = ir_rd_str(r, o, "from");
	ir_rd_said(r, o, &e.level, &e.id, &e.at);
	VEC_PUSH(r->a, &ir->secrets, e);
}

static void read_env_lock(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_env_lock k = { .keep = ir_rd_flag(r, o, "keep") };

	k.name = ir_rd_str(r, o, "name");
	ir_rd_said(r, o, &k.level, &k.id, &k.at);
	VEC_PUSH(r->a, &ir->env_locks, k);
}

static void read_setting(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_setting s;

	ir_rd_setting(r, o, &s, 0);
	VEC_PUSH(r->a, &ir->settings, s);
}

static void read_role(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_role role = { .name = ir_rd_str(r, o, "name") };

	role.at = ir_rd_place(r, o, "at");
	role.digest = ir_rd_str(r, o, "digest");
	VEC_PUSH(r->a, &ir->roles, role);
}

static void read_mount(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_mount m = { .place = ir_rd_str(r, o, "place") };

	m.rule = (uint32_t)ir_rd_num(r, o, "rule", UINT32_MAX);
	VEC_PUSH(r->a, &ir->mounts, m);
}

static void read_dropped(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct ir_dropped d = { .text = ir_rd_str(r, o, "text") };

	d.why = ir_rd_str(r, o, "why");
	d.level = ir_rd_level(r, o, "level");
	d.at = ir_rd_place(r, o, "at");
	d.by = ir_rd_place(r, o, "by");
	VEC_PUSH(r->a, &ir->dropped, d);
}

/* --- the whole ----------------------------------------------------------- */

static void read_locks(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	struct json_object *locks = ir_rd_get(r, o, "locked", json_type_object), *v;
	int i;

	for (i = 0; i < IR_KIND_COUNT && locks; i++) {
		const char *kind = ir_kind_name((enum ir_kind)i);

		if (!json_object_object_get_ex(locks, kind, &v))
			continue;
		ir->locked[i].level = ir_rd_level(r, v, "level");
		ir->locked[i].at = ir_rd_place(r, v, "at");
	}
}

static const struct {
	const char *key;
	size_t max;
	void (*read)(struct ir_reader *r, struct json_object *o, struct ir *ir);
} lists[] = {
	{ "files", IR_READ_MAX_RULES, read_file },
	{ "rules", IR_READ_MAX_RULES, read_rule },
	{ "env_keep", IR_READ_MAX_RULES, read_keep },
	{ "env_set", IR_READ_MAX_RULES, read_env },
	{ "env_secret", IR_READ_MAX_RULES, read_secret },
	{ "env_locks", IR_READ_MAX_RULES, read_env_lock },
	{ "settings", IR_READ_MAX_RULES, read_setting },
	{ "roles", IR_READ_MAX_RULES, read_role },
	{ "risks", IR_READ_MAX_RULES, ir_rd_risk },
	{ "facts", IR_READ_MAX_RULES, ir_rd_fact },
	{ "programs", IR_READ_MAX_RULES, ir_rd_program },
	{ "vars", IR_READ_MAX_RULES, ir_rd_var },
	{ "inert", IR_READ_MAX_RULES, ir_rd_inert },
	{ "pins", IR_READ_MAX_RULES, ir_rd_pin },
	{ "mounts", IR_READ_MAX_RULES, read_mount },
	{ "dropped", IR_READ_MAX_RULES, read_dropped },
	{ "tests", IR_READ_MAX_RULES, read_test },
};

static void read_lists(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	size_t i, n;

	for (i = 0; i < POL_LEN(lists) && !r->why; i++) {
		struct json_object *list = ir_rd_list(r, o, lists[i].key, &n);

		if (n > lists[i].max) {
			(void)ir_rd_fail(r, lists[i].key, "has too many records");
			return;
		}
		r->list = lists[i].key;
		for (r->at = 0; r->at < n && !r->why; r->at++)
			lists[i].read(r, json_object_array_get_idx(list, r->at), ir);
		r->list = NULL;
	}
}

static void read_scalars(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	size_t n;
	struct json_object *list = ir_rd_list(r, o, "scalars", &n);

	if (n != IR_SCALAR_COUNT) {
		(void)ir_rd_fail(r, "scalars", "are not those of this version");
		return;
	}
	r->list = "scalars";
	for (r->at = 0; r->at < n && !r->why; r->at++)
		read_scalar(r, json_object_array_get_idx(list, r->at),
			    ir_scalar_type((enum ir_scalar_id)r->at),
			    &ir->scalars[r->at], 0);
	r->list = NULL;
}

static void read_all(struct ir_reader *r, struct json_object *o, struct ir *ir)
{
	if (ir_rd_num(r, o, "format", UINT64_MAX) != 1) {
		(void)ir_rd_fail(r, "format", "is not 1");
		return;
	}
	ir->name = ir_rd_str(r, o, "name");
	ir->serial = ir_rd_num(r, o, "serial", UINT64_MAX);
	ir->expires = ir_rd_str(r, o, "expires");
	ir->role = ir_rd_str(r, o, "role");
	ir->until = ir_rd_str(r, o, "until");
	ir->base_none = ir_rd_flag(r, o, "base_none");
	ir->lifted = true; /* bundles are written after the pass "lift" */
	read_locks(r, o, ir);
	read_scalars(r, o, ir);
	read_lists(r, o, ir);
	ir_rd_shell(r, o, ir);
}

/* --- bytes --------------------------------------------------------------- */

/* Past 0xff for what is no digit of ours, so that no byte comes of it. */
static unsigned nibble(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 0x1000;
}

/*
 * The text with its \u0080 … \u00ff, which stand for bytes that are no UTF-8
 * (buf_json), as these bytes: json-c passes them through, and would make a
 * character of the escape.  False where the text is larger than the limits.
 */
static bool unescape(struct buf *out, struct str s, const char **ret_why)
{
	size_t nlists = 0, nvalues = 0, i;
	bool quoted = false;

	for (i = 0; i < s.n; i++) {
		unsigned byte;
		char c = s.p[i];

		if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '[' || c == '{'))
			nlists++;
		else if (!quoted && c == ',')
			nvalues++;
		if (c != '\\' || i + 1 == s.n) {
			buf_ch(out, c);
			continue;
		}
		byte = s.n - i >= 6 && memcmp(s.p + i, "\\u00", 4) == 0
			       ? nibble(s.p[i + 4]) << 4 | nibble(s.p[i + 5])
			       : 0;
		if (byte >= 0x80 && byte <= 0xff) {
			buf_u8(out, (uint8_t)byte);
			i += 5;
			continue;
		}
		buf_ch(out, c);
		buf_ch(out, s.p[++i]);
	}
	if (nlists > IR_READ_MAX_LISTS || nvalues > IR_READ_MAX_VALUES)
		*ret_why = "it holds too many values";
	return !*ret_why;
}

static struct json_object *parse(struct arena *a, struct str s, const char **ret_why)
{
	struct json_tokener *t = json_tokener_new_ex(IR_READ_MAX_DEPTH);
	struct json_object *o = NULL;

	if (!t) {
		*ret_why = "out of memory";
		return NULL;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(t, s.p, (int)s.n);
	if (!o)
		*ret_why = arena_printf(
			a, "it is no JSON: %s",
			json_tokener_error_desc(json_tokener_get_error(t)));
	json_tokener_free(t);
	return o;
}

/* One byte that we would not have written is one that we did not understand. */
static const char *compare(struct arena *a, const struct ir *ir, struct str s)
{
	const char *why = NULL;
	struct arena tmp;
	struct buf b;
	size_t i;

	arena_init(&tmp, a->budget);
	buf_init(&b, &tmp);
	ir_json(&b, ir);
	for (i = 0; i < b.n && i < s.n && (char)b.p[i] == s.p[i]; i++)
		;
	if (b.n != s.n || i < s.n)
		why = arena_printf(a,
				   "it is not in the canonical form of this version: "
				   "byte %zu differs",
				   i);
	arena_release(&tmp);
	return why;
}

struct ir *ir_read(struct arena *a, struct str json, const char **ret_why)
{
	struct ir_reader r = { .a = a };
	struct json_object *o;
	struct arena tmp;
	struct buf text;
	struct ir *ir = ir_new(a);

	*ret_why = json.n > IR_READ_MAX_BYTES ? "it is too large" : NULL;
	if (*ret_why)
		return NULL;
	arena_init(&tmp, a->budget);
	buf_init(&text, &tmp);
	o = unescape(&text, json, ret_why) ? parse(a, buf_view(&text), ret_why) : NULL;
	if (o) {
		read_all(&r, o, ir);
		*ret_why = r.why ? r.why : ir_verify(ir, a);
	}
	json_object_put(o);
	arena_release(&tmp);
	if (!*ret_why)
		*ret_why = compare(a, ir, json);
	return *ret_why ? NULL : ir;
}
