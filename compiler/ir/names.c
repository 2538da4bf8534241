/*
 * The words for the IR's enumerations, and a fresh IR.  Decides the value of every
 * scalar that nobody sets (doc/semantics.md 3.1 step 5).
 */
#include <assert.h>

#include "compiler/ir/ir.h"
#include "compiler/ir/words.h"

WORDS(ir_words_kind, [IR_COMMAND] = "command", [IR_FILE] = "file", [IR_NET] = "net",
      [IR_UNIX] = "unix", [IR_SYSCALL] = "syscall", [IR_TOOL] = "tool");
WORDS(ir_words_effect, [IR_ALLOW] = "allow", [IR_ASK] = "ask", [IR_DENY] = "deny",
      [IR_HIDE] = "hide");
WORDS(ir_words_level, [IR_MANAGED] = "managed", [IR_MANAGED_FILE] = "managed-file",
      [IR_PROJECT] = "project", [IR_USER] = "user", [IR_DEFAULT] = "default");
WORDS(ir_words_root, [IR_ROOT_FS] = "/", [IR_ROOT_HOME] = "HOME",
      [IR_ROOT_PROJECT] = "PROJECT_DIR", [IR_ROOT_SESSION] = "SESSION_DIR",
      [IR_ROOT_TMP] = "TMPDIR", [IR_ROOT_AGENT] = "SSH_AUTH_SOCK",
      [IR_ROOT_GIT] = "GIT_COMMON_DIR");
WORDS(ir_words_risk, [IR_RISK_LOW] = "low", [IR_RISK_MEDIUM] = "medium", [IR_RISK_HIGH] = "high",
      [IR_RISK_CRITICAL] = "critical");
WORDS(ir_words_mode, [IR_NET_DISABLED] = "disabled", [IR_NET_LIMITED] = "limited",
      [IR_NET_FULL] = "full");
WORDS(ir_words_part, [IR_P_SETTING] = "setting", [IR_P_RUNNER] = "runner",
      [IR_P_SESSION] = "session", [IR_P_AUDIT] = "audit", [IR_P_ALERT] = "alert",
      [IR_P_TOOL] = "tool");
WORDS(ir_words_peek, [IR_PEEK_PORT] = "port", [IR_PEEK_NONE] = "none", [IR_PEEK_TLS] = "tls",
      [IR_PEEK_HTTP] = "http");
WORDS(ir_words_glob, [IR_G_ONE] = "one", [IR_G_STAR] = "star", [IR_G_DEEP] = "deep",
      [IR_G_DIRS] = "dirs", [IR_G_ALT] = "alt");
WORDS(ir_words_cmp, [IR_EQ] = "==", [IR_NE] = "!=", [IR_LT] = "<", [IR_LE] = "<=",
      [IR_GT] = ">", [IR_GE] = ">=");
WORDS(ir_words_guard, [IR_GD_WITH] = "with", [IR_GD_WITHOUT] = "without",
      [IR_GD_WITH_ONLY] = "with only", [IR_GD_WITHIN] = "within");
WORDS(ir_words_program, [LINE_PK_PROGRAM] = "program", [LINE_PK_WRAPPER] = "wrapper",
      [LINE_PK_INTERPRETER] = "interpreter");
WORDS(ir_words_program_flag, "transparent", "abbreviate", "no-cluster", "posix", "assignments",
      "joined", "appends", "shell", "code-stdin", "dashed", "versions",
      "abbreviate-commands", "stays", "elsewhere", "no-end", "booleans", "one-dash", "away",
      "whole-trees", "makes-nothing", "writes-unnamed", "sed-script", "awk-script");
WORDS(ir_words_option_flag, "global", "code", "query", "moves", "runs", "leads", "reads", "writes",
      "script", "trees", "instead", "edits", "begins", "below", "unpacks",
      "names-from");
WORDS(ir_words_place, "code", "reads", "writes", "script", "trees", "begins", "below", "unpacks",
      "names-from");
WORDS(ir_words_takes, [LINE_TAKES_NOTHING] = "nothing", [LINE_TAKES_VALUE] = "value",
      [LINE_TAKES_ATTACHED] = "attached", [LINE_TAKES_EITHER] = "either");

static const struct scalar_word {
	const char *section, *key, *id;
	enum ir_scalar_type type;
} scalar_words[] = {
#define SCALAR(id, section, key, type) { section, key, section "-" key, IR_T_##type },
#include "compiler/ir/scalars.def"
#undef SCALAR
};

void ir_print_flags(FILE *out, const struct ir_words *w, uint64_t bits)
{
	for (unsigned i = 0; i < w->n; i++)
		if (bits >> i & 1)
			fprintf(out, " %s", w->v[i]);
}

static const char *named(const struct ir_words *w, uint64_t number)
{
	const char *word = ir_word(w, number);

	return word ? word : "?";
}

const char *ir_kind_name(enum ir_kind k)
{
	return named(&ir_words_kind, k);
}

const char *ir_effect_name(enum ir_effect e)
{
	return named(&ir_words_effect, e);
}

const char *ir_level_name(enum ir_level l)
{
	return named(&ir_words_level, l);
}

/* An exception may name several operations at once. */
const char *ir_op_name(enum ir_op op)
{
	static const char *const names[] = {
		[IR_READ] = "read",
		[IR_WRITE] = "write",
		[IR_READ | IR_WRITE] = "read, write",
		[IR_EXEC] = "exec",
		[IR_READ | IR_EXEC] = "read, exec",
		[IR_WRITE | IR_EXEC] = "write, exec",
		[IR_ALL_OPS] = "all",
	};
	const struct ir_words words = { names, POL_LEN(names) };

	return named(&words, op);
}

const char *ir_root_name(enum ir_root r)
{
	return named(&ir_words_root, r);
}

const char *ir_risk_name(enum ir_risk r)
{
	return named(&ir_words_risk, r);
}

const char *ir_mode_name(enum ir_mode m)
{
	return named(&ir_words_mode, m);
}

const char *ir_part_name(enum ir_part p)
{
	return named(&ir_words_part, p);
}

const char *ir_scalar_section(enum ir_scalar_id id)
{
	assert(id < IR_SCALAR_COUNT);
	return scalar_words[id].section;
}

const char *ir_scalar_key(enum ir_scalar_id id)
{
	assert(id < IR_SCALAR_COUNT);
	return scalar_words[id].key;
}

enum ir_scalar_type ir_scalar_type(enum ir_scalar_id id)
{
	assert(id < IR_SCALAR_COUNT);
	return scalar_words[id].type;
}

enum ir_scalar_id ir_scalar_of_sandbox(enum ir_scalar_id id)
{
	return id == IR_S_COMMAND_OTHERWISE ? IR_S_SANDBOX_OTHERWISE :
	       id == IR_S_COMMAND_OPAQUE    ? IR_S_SANDBOX_OPAQUE :
					      id;
}

enum ir_scalar_id ir_scalar_in(const struct ir *ir, enum ir_scalar_id id, enum ir_scope scope)
{
	enum ir_scalar_id inside = ir_scalar_of_sandbox(id);

	return scope == IR_SANDBOX && ir->scalars[inside].set ? inside : id;
}

bool ir_is_of_sandbox(enum ir_scalar_id id)
{
	return id == IR_S_SANDBOX_OTHERWISE || id == IR_S_SANDBOX_OPAQUE;
}

/* Built-in values for sections about which a policy says nothing. */
static const struct {
	enum ir_scalar_id id;
	enum ir_effect effect;
} silent[] = {
	{ IR_S_COMMAND_OTHERWISE, IR_ASK }, { IR_S_COMMAND_OPAQUE, IR_ASK },
	{ IR_S_FILE_READ, IR_DENY },        { IR_S_FILE_WRITE, IR_DENY },
	{ IR_S_FILE_EXEC, IR_DENY },        { IR_S_NET_OTHERWISE, IR_DENY },
	{ IR_S_UNIX_OTHERWISE, IR_DENY },   { IR_S_SYSCALL_OTHERWISE, IR_ALLOW },
	{ IR_S_SANDBOX_OTHERWISE, IR_ASK }, { IR_S_SANDBOX_OPAQUE, IR_ASK },
	{ IR_S_TOOL_OTHERWISE, IR_ASK },    { IR_S_ASK_ANSWER, IR_ASK },
};

struct ir *ir_new(struct arena *a)
{
	struct ir *ir = ARENA_NEW(a, struct ir);
	size_t i;

	ir->a = a;
	for (i = 0; i < IR_SCALAR_COUNT; i++) {
		struct ir_scalar *s = &ir->scalars[i];

		/* an effect without a value must be DENY */
		s->effect = IR_DENY;
		s->level = IR_DEFAULT;
		s->id = str_from(scalar_words[i].id);
		s->at.span = SPAN_NONE;
	}
	for (i = 0; i < POL_LEN(silent); i++)
		ir->scalars[silent[i].id].effect = silent[i].effect;
	ir->scalars[IR_S_BASE].text = STR("std");
	ir->scalars[IR_S_NET_MODE].num = IR_NET_DISABLED;
	ir->scalars[IR_S_NET_HOLD].num = IR_MAX_HOLD;
	ir->shell.at.span = SPAN_NONE;
	return ir;
}

bool ir_glob_is_literal(const struct ir_glob *g)
{
	size_t i, k;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].op == IR_G_BYTE)
			continue;
		if (g->v[i].op != IR_G_ALT)
			return false;
		for (k = 0; k < g->v[i].nalts; k++)
			if (!ir_glob_is_literal(&g->v[i].alts[k]))
				return false;
	}
	return true;
}

bool ir_grant_equal(const struct ir_grant *x, const struct ir_grant *y)
{
	return str_eq(x->via, y->via) && str_eq(x->via_secret, y->via_secret) &&
	       str_eq(x->header, y->header) && str_eq(x->prefix, y->prefix) &&
	       str_eq(x->secret, y->secret) && x->dial == y->dial && x->peek == y->peek &&
	       x->bytes == y->bytes && x->connections == y->connections;
}

const struct ir_env_secret *ir_secret_find(const struct ir *ir, struct str name)
{
	for (size_t i = 0; i < ir->secrets.n; i++)
		if (str_eq(ir->secrets.v[i].name, name))
			return &ir->secrets.v[i];
	return NULL;
}

bool ir_secret_is_used(const struct ir *ir, struct str name)
{
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_NET && (str_eq(r->set.u.net.grant.secret, name) ||
					  str_eq(r->set.u.net.grant.via_secret, name)))
			return true;
	}
	return false;
}

const struct ir_path *ir_mount_tree(const struct ir *ir, const struct ir_mount *m)
{
	return &ir->rules.v[m->rule]->set.u.file.path;
}

const struct ir_mount *ir_mount_at(const struct ir *ir, struct str path)
{
	for (size_t i = 0; i < ir->mounts.n; i++) {
		struct str place = ir->mounts.v[i].place;

		if (str_starts(path, place) &&
		    (path.n == place.n || path.p[place.n] == '/'))
			return &ir->mounts.v[i];
	}
	return NULL;
}

bool ir_rule_shows_host(const struct ir_rule *r)
{
	return r->kind == IR_FILE && r->effect == IR_ALLOW && !r->scratch &&
	       ir_glob_is_literal(&r->set.u.file.path.glob) &&
	       !ir_rule_is_everywhere(r);
}

bool ir_rule_is_everywhere(const struct ir_rule *r)
{
	const struct ir_path *p = &r->set.u.file.path;

	return r->kind == IR_FILE && r->effect == IR_ALLOW &&
	       p->root == IR_ROOT_FS && p->glob.n == 0;
}

bool ir_reads_anywhere(const struct ir *ir)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir_rule_is_everywhere(ir->rules.v[i]) &&
		    (ir->rules.v[i]->set.u.file.ops & IR_READ) &&
		    (ir->rules.v[i]->scopes & IR_SANDBOX))
			return true;
	return ir->scalars[IR_S_FILE_READ].effect == IR_ALLOW;
}

int ir_rule_by_index(const void *x, const void *y)
{
	uint32_t a = (*(const struct ir_rule *const *)x)->index;
	uint32_t b = (*(const struct ir_rule *const *)y)->index;

	return (a > b) - (a < b);
}
