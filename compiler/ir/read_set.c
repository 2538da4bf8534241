/*
 * Reads the values and the sets of ir.json.  Decides nothing about policies:
 * ranges that only ir_verify() knows are left to it, and spellings to the
 * comparison of bytes in read.c.
 */
#include "compiler/ir/read_set.h"

#include "compiler/ir/facts_words.h"
#include "compiler/ir/read.h"

bool ir_rd_fail(struct ir_reader *r, const char *key, const char *what)
{
	if (r->why)
		return false;
	r->why = r->list ? arena_printf(r->a, "%s[%zu]: '%s' %s", r->list, r->at, key,
					what)
			 : arena_printf(r->a, "'%s' %s", key, what);
	return false;
}

/* --- values -------------------------------------------------------------- */

struct json_object *ir_rd_get(struct ir_reader *r, struct json_object *o,
			      const char *key, enum json_type type)
{
	struct json_object *v = NULL;

	if (!json_object_is_type(o, json_type_object)) {
		(void)ir_rd_fail(r, key, "stands in what is no record");
		return NULL;
	}
	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, type)) {
		(void)ir_rd_fail(r, key, "is missing or of another type");
		return NULL;
	}
	return v;
}

struct str ir_rd_text(struct ir_reader *r, struct json_object *v)
{
	struct str s;

	if (!json_object_is_type(v, json_type_string)) {
		(void)ir_rd_fail(r, "text", "is no string");
		return STR("");
	}
	s = (struct str){ json_object_get_string(v),
			 (size_t)json_object_get_string_len(v)};
	return str_dup(r->a, s);
}

struct str ir_rd_str(struct ir_reader *r, struct json_object *o, const char *key)
{
	struct json_object *v = ir_rd_get(r, o, key, json_type_string);

	return v ? ir_rd_text(r, v) : STR("");
}

uint64_t ir_rd_num(struct ir_reader *r, struct json_object *o, const char *key,
		   uint64_t max)
{
	struct json_object *v = ir_rd_get(r, o, key, json_type_int);
	uint64_t n = v ? json_object_get_uint64(v) : 0;

	if (n > max) {
		(void)ir_rd_fail(r, key, "is too large");
		return 0;
	}
	return n;
}

static bool is_there(struct json_object *o, const char *key)
{
	return json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, key, NULL);
}

struct str ir_rd_opt_str(struct ir_reader *r, struct json_object *o, const char *key)
{
	return is_there(o, key) ? ir_rd_str(r, o, key) : STR("");
}

uint64_t ir_rd_opt_num(struct ir_reader *r, struct json_object *o, const char *key,
		       uint64_t max)
{
	return is_there(o, key) ? ir_rd_num(r, o, key, max) : 0;
}

struct json_object *ir_rd_opt_list(struct ir_reader *r, struct json_object *o,
				   const char *key, size_t *ret_n)
{
	*ret_n = 0;
	return is_there(o, key) ? ir_rd_list(r, o, key, ret_n) : NULL;
}

bool ir_rd_flag(struct ir_reader *r, struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &v))
		return false;
	if (!json_object_is_type(v, json_type_boolean))
		return ir_rd_fail(r, key, "is no flag");
	return json_object_get_boolean(v);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

uint64_t ir_rd_hex(struct ir_reader *r, struct json_object *o, const char *key)
{
	struct str s = ir_rd_str(r, o, key);
	uint64_t v = 0;

	if (!str_starts(s, STR("0x")) || !num_u64(s, &v))
		(void)ir_rd_fail(r, key, "is no hexadecimal number");
	return v;
}

void ir_rd_addr(struct ir_reader *r, struct str s, uint8_t addr[16], uint8_t *ret_bits)
{
	uint64_t bits = 0;
	size_t i;

	for (i = 0; s.n >= 32 && i < 32; i++) {
		int d = hex_digit(s.p[i]);

		if (d < 0)
			break;
		addr[i / 2] = (uint8_t)((unsigned)addr[i / 2] << 4 | (unsigned)d);
	}
	if (i < 32 || (!ret_bits && s.n != 32) ||
	    (ret_bits && (s.n < 34 || s.p[32] != '/' ||
			  !num_u64(str_sub(s, 33, s.n - 33), &bits) || bits > 128))) {
		(void)ir_rd_fail(r, "addr", "is no address");
		return;
	}
	if (ret_bits)
		*ret_bits = (uint8_t)bits;
}

unsigned ir_rd_word(struct ir_reader *r, struct json_object *o, const char *key,
		    const char *const *words, unsigned n)
{
	struct str s = ir_rd_str(r, o, key);
	unsigned i;

	for (i = 0; i < n; i++)
		if (words[i] && str_eqz(s, words[i]))
			return i;
	(void)ir_rd_fail(r, key, "is an unknown word");
	return 0;
}

struct json_object *ir_rd_list(struct ir_reader *r, struct json_object *o,
			       const char *key, size_t *ret_n)
{
	struct json_object *v = ir_rd_get(r, o, key, json_type_array);

	*ret_n = v ? json_object_array_length(v) : 0;
	return v;
}

/* --- sets ---------------------------------------------------------------- */

static void read_glob(struct ir_reader *r, struct json_object *list,
		      struct ir_glob *ret, unsigned depth);

static void add_bytes(struct ir_reader *r, struct ir_glob_item *v, size_t *at,
		      struct str s)
{
	size_t i;

	(void)r;
	for (i = 0; i < s.n; i++)
		v[(*at)++] =
			(struct ir_glob_item){ .op = IR_G_BYTE, .byte = (uint8_t)s.p[i] };
}

static void read_item(struct ir_reader *r, struct json_object *o,
		      struct ir_glob_item *ret, unsigned depth)
{
	static const char *const ops[] = {
		[IR_G_ONE] = "one",   [IR_G_STAR] = "star", [IR_G_DEEP] = "deep",
		[IR_G_DIRS] = "dirs", [IR_G_ALT] = "alt",
	};
	struct json_object *of;
	size_t i, n;

	ret->op = (enum ir_glob_op)ir_rd_word(r, o, "op", ops, POL_LEN(ops));
	if (r->why || ret->op != IR_G_ALT)
		return;
	of = ir_rd_list(r, o, "of", &n);
	ret->alts = arena_array(r->a, n + 1, sizeof(*ret->alts));
	ret->nalts = n;
	for (i = 0; i < n && !r->why; i++)
		read_glob(r, json_object_array_get_idx(of, i), &ret->alts[i],
			  depth + 1);
}

/* How many items the list stands for: a text stands for its bytes. */
static size_t glob_size(struct json_object *list)
{
	size_t i, n = json_object_array_length(list), sum = 0;

	for (i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		sum += json_object_is_type(v, json_type_string)
			       ? (size_t)json_object_get_string_len(v)
			       : 1;
	}
	return sum;
}

static void read_glob(struct ir_reader *r, struct json_object *list,
		      struct ir_glob *ret, unsigned depth)
{
	size_t i, n, at = 0;

	/* ir_verify() has the exact limit; this one keeps our own stack */
	if (depth > IR_READ_MAX_DEPTH || !json_object_is_type(list, json_type_array)) {
		(void)ir_rd_fail(r, "glob", "is no list, or nests too deep");
		return;
	}
	n = glob_size(list);
	r->nglob += n;
	if (r->nglob > IR_READ_MAX_GLOB) {
		(void)ir_rd_fail(r, "glob",
				 "is one too many: the patterns are too long");
		return;
	}
	ret->v = arena_array(r->a, n + 1, sizeof(*ret->v));
	for (i = 0; i < json_object_array_length(list) && !r->why; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (json_object_is_type(v, json_type_string))
			add_bytes(r, ret->v, &at, ir_rd_text(r, v));
		else
			read_item(r, v, &ret->v[at++], depth);
	}
	ret->n = at;
}

static void read_glob_of(struct ir_reader *r, struct json_object *o,
			 struct ir_glob *ret)
{
	struct json_object *v = ir_rd_get(r, o, "glob", json_type_array);

	if (v)
		read_glob(r, v, ret, 0);
}

static void read_path(struct ir_reader *r, struct json_object *o, struct ir_path *ret)
{
	const char *roots[IR_ROOT_COUNT];
	unsigned i;

	for (i = 0; i < IR_ROOT_COUNT; i++)
		roots[i] = ir_root_name((enum ir_root)i);
	ret->root = (enum ir_root)ir_rd_word(r, o, "root", roots, IR_ROOT_COUNT);
	read_glob_of(r, o, &ret->glob);
	ret->below = ir_rd_flag(r, o, "below");
	ret->abstract = ir_rd_flag(r, o, "abstract");
	ret->text = ir_rd_str(r, o, "text");
}

static void read_option(struct ir_reader *r, struct json_object *o,
			struct ir_option *ret)
{
	struct json_object *v = ir_rd_get(r, o, "name", json_type_array);

	if (!v)
		return;
	read_glob(r, v, &ret->name, 0);
	if (json_object_object_get_ex(o, "value", &v)) {
		ret->value = ARENA_NEW(r->a, struct ir_glob);
		read_glob(r, v, ret->value, 0);
	}
	ret->text = ir_rd_str(r, o, "text");
}

static void read_guard(struct ir_reader *r, struct json_object *o, struct ir_guard *ret)
{
	struct json_object *list;
	size_t i;

	ret->kind = (enum ir_guard_kind)ir_rd_word(r, o, "kind", ir_guard_words,
						   POL_LEN(ir_guard_words));
	if (r->why)
		return;
	if (ret->kind == IR_GD_WITHIN) {
		list = ir_rd_list(r, o, "paths", &ret->npaths);
		ret->paths = arena_array(r->a, ret->npaths + 1, sizeof(*ret->paths));
		for (i = 0; i < ret->npaths && !r->why; i++)
			read_path(r, json_object_array_get_idx(list, i), &ret->paths[i]);
		return;
	}
	list = ir_rd_list(r, o, "options", &ret->noptions);
	ret->options = arena_array(r->a, ret->noptions + 1, sizeof(*ret->options));
	for (i = 0; i < ret->noptions && !r->why; i++)
		read_option(r, json_object_array_get_idx(list, i), &ret->options[i]);
}

static void read_guards(struct ir_reader *r, struct json_object *o,
			struct ir_command *ret)
{
	struct json_object *list = ir_rd_opt_list(r, o, "guards", &ret->nguards);

	ret->guards = arena_array(r->a, ret->nguards + 1, sizeof(*ret->guards));
	for (size_t i = 0; i < ret->nguards && !r->why; i++)
		read_guard(r, json_object_array_get_idx(list, i), &ret->guards[i]);
}

static void read_command(struct ir_reader *r, struct json_object *o,
			 struct ir_command *ret)
{
	size_t i, n;
	struct json_object *list = ir_rd_list(r, o, "words", &n);

	ret->words = arena_array(r->a, n + 1, sizeof(*ret->words));
	ret->nwords = n;
	for (i = 0; i < n && !r->why; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (v)
			read_glob(r, v, &ret->words[i].glob, 0);
		else
			ret->words[i].any_words = true;
	}
	ret->tail = ir_rd_flag(r, o, "tail");
	ret->more = ir_rd_flag(r, o, "more");
	ret->regex = ir_rd_flag(r, o, "regex");
	ret->regex_i = ir_rd_flag(r, o, "regex_i");
	ret->regex_x = ir_rd_flag(r, o, "regex_x");
	ret->opaque = ir_rd_flag(r, o, "opaque");
	read_guards(r, o, ret);
	ret->text = ir_rd_str(r, o, "text");
}

static void read_net(struct ir_reader *r, struct json_object *o, struct ir_net *ret)
{
	static const char *const hosts[] = {
		[IR_HOST_ANY] = "any",
		[IR_HOST_NAME] = "name",
		[IR_HOST_BELOW] = "below",
		[IR_HOST_CIDR] = "cidr",
	};
	struct json_object *list;
	size_t i;

	ret->protos = (ir_rd_flag(r, o, "tcp") ? IR_TCP : 0u) |
		      (ir_rd_flag(r, o, "udp") ? IR_UDP : 0u);
	ret->host = (enum ir_host_kind)ir_rd_word(r, o, "host", hosts, POL_LEN(hosts));
	if (ret->host == IR_HOST_CIDR)
		ir_rd_addr(r, ir_rd_str(r, o, "cidr"), ret->cidr.addr, &ret->cidr.bits);
	else if (ret->host != IR_HOST_ANY)
		ret->name = ir_rd_str(r, o, "name");
	ret->port_lo = (uint16_t)ir_rd_num(r, o, "port_lo", UINT16_MAX);
	ret->port_hi = (uint16_t)ir_rd_num(r, o, "port_hi", UINT16_MAX);
	list = ir_rd_list(r, o, "within", &ret->nwithin);
	ret->within = arena_array(r->a, ret->nwithin + 1, sizeof(*ret->within));
	for (i = 0; i < ret->nwithin && !r->why; i++)
		ir_rd_addr(r, ir_rd_text(r, json_object_array_get_idx(list, i)),
			   ret->within[i].addr, &ret->within[i].bits);
}

static struct ir_cond *read_cond(struct ir_reader *r, struct json_object *o,
				 unsigned depth)
{
	static const char *const ops[] = {
		[IR_C_TRUE] = "true", [IR_C_FALSE] = "false", [IR_C_AND] = "and",
		[IR_C_OR] = "or",     [IR_C_NOT] = "not",     [IR_C_CMP] = "cmp",
	};
	static const char *const cmps[] = {
		[IR_EQ] = "==", [IR_NE] = "!=", [IR_LT] = "<",
		[IR_LE] = "<=", [IR_GT] = ">",  [IR_GE] = ">=",
	};
	struct ir_cond *c = ARENA_NEW(r->a, struct ir_cond);

	if (depth > IR_READ_MAX_DEPTH)
		(void)ir_rd_fail(r, "cond", "nests too deep");
	if (r->why)
		return c;
	c->op = (enum ir_cond_op)ir_rd_word(r, o, "op", ops, POL_LEN(ops));
	if (c->op == IR_C_CMP) {
		c->arg = (uint8_t)ir_rd_num(r, o, "arg", 5);
		c->width = (uint8_t)ir_rd_num(r, o, "width", 64);
		c->cmp = (enum ir_cmp)ir_rd_word(r, o, "cmp", cmps, POL_LEN(cmps));
		c->mask = ir_rd_hex(r, o, "mask");
		c->value = ir_rd_hex(r, o, "value");
	}
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT)
		c->a = read_cond(r, ir_rd_get(r, o, "a", json_type_object), depth + 1);
	if (c->op == IR_C_AND || c->op == IR_C_OR)
		c->b = read_cond(r, ir_rd_get(r, o, "b", json_type_object), depth + 1);
	return c;
}

static void read_syscall(struct ir_reader *r, struct json_object *o,
			 struct ir_syscall *ret)
{
	struct json_object *cond = NULL;

	ret->name = ir_rd_str(r, o, "name");
	ret->nr = (uint32_t)ir_rd_num(r, o, "nr", UINT32_MAX);
	if (!r->why && json_object_object_get_ex(o, "cond", &cond))
		ret->cond = read_cond(r, cond, 0);
}

static void read_set(struct ir_reader *r, enum ir_kind kind, struct json_object *o,
		     struct ir_set *ret)
{
	switch (kind) {
	case IR_COMMAND:
		read_command(r, o, &ret->u.command);
		break;
	case IR_FILE:
		ret->u.file.ops = (ir_rd_flag(r, o, "read") ? IR_READ : 0u) |
				  (ir_rd_flag(r, o, "write") ? IR_WRITE : 0u) |
				  (ir_rd_flag(r, o, "exec") ? IR_EXEC : 0u);
		read_path(r, o, &ret->u.file.path);
		break;
	case IR_NET:
		read_net(r, o, &ret->u.net);
		break;
	case IR_UNIX:
		read_path(r, o, &ret->u.unix_path);
		break;
	case IR_SYSCALL:
		read_syscall(r, o, &ret->u.syscall);
		break;
	case IR_TOOL:
		read_glob_of(r, o, &ret->u.tool.glob);
		ret->u.tool.text = ir_rd_str(r, o, "text");
		break;
	case IR_KIND_COUNT:
		break;
	}
}

void ir_rd_sets(struct ir_reader *r, struct json_object *o, enum ir_kind kind,
		struct ir_set *ret_set, struct ir_set **ret_except, size_t *ret_n)
{
	struct json_object *v = ir_rd_get(r, o, "set", json_type_object), *list;
	size_t i, n;

	if (!v)
		return;
	read_set(r, kind, v, ret_set);
	list = ir_rd_opt_list(r, o, "except", &n);
	*ret_except = n ? arena_array(r->a, n, sizeof(**ret_except)) : NULL;
	*ret_n = n;
	for (i = 0; i < n && !r->why; i++)
		read_set(r, kind, json_object_array_get_idx(list, i),
			 &(*ret_except)[i]);
}
