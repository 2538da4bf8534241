/*
 * Collects the entries of each section from the IR.  A statement that became many
 * rules is one entry.
 */
#include "compiler/cli/effective.h"

#include <stdlib.h>

#include "compiler/cli/show.h"

/* The parts of the IR that make up a section. */
static const struct source {
	const char *name;
	enum ir_kind kind;   /* IR_KIND_COUNT: no rules */
	const char *scalars; /* NULL: none */
	enum ir_part part;   /* IR_PART_COUNT: none */
} sources[] = {
	{ "policy", IR_KIND_COUNT, "policy", IR_PART_COUNT },
	{ "command", IR_COMMAND, "command", IR_PART_COUNT },
	{ "file", IR_FILE, "file", IR_PART_COUNT },
	{ "network", IR_NET, "network", IR_PART_COUNT },
	{ "unix", IR_UNIX, "unix", IR_PART_COUNT },
	{ "syscall", IR_SYSCALL, "syscall", IR_PART_COUNT },
	{ "tools", IR_TOOL, "tools", IR_P_TOOL },
	{ "limits", IR_KIND_COUNT, "limits", IR_PART_COUNT },
	{ "env", IR_KIND_COUNT, NULL, IR_PART_COUNT },
	{ "settings", IR_KIND_COUNT, "permissions", IR_P_SETTING },
	{ "runner", IR_KIND_COUNT, NULL, IR_P_RUNNER },
	{ "session", IR_KIND_COUNT, NULL, IR_P_SESSION },
	{ "audit", IR_KIND_COUNT, NULL, IR_P_AUDIT },
	{ "alerts", IR_KIND_COUNT, NULL, IR_P_ALERT },
	{ "roles", IR_KIND_COUNT, NULL, IR_PART_COUNT },
	{ "tests", IR_KIND_COUNT, NULL, IR_PART_COUNT },
	{ "assertions", IR_KIND_COUNT, NULL, IR_PART_COUNT },
};

const char *const effective_sections[] = {
	"policy", "command", "file",  "network",  "unix",   "syscall",
	"tools",  "limits",  "env",   "settings", "runner", "session",
	"audit",  "alerts",  "roles", "tests",
	"assertions", NULL};

const char *effective_what_name(enum effective_what w)
{
	static const char *const names[] = {
		[EFFECTIVE_VALUE] = "value",       [EFFECTIVE_RULE] = "rule",
		[EFFECTIVE_VARIABLE] = "variable", [EFFECTIVE_FACT] = "fact",
		[EFFECTIVE_MOUNT] = "mount", [EFFECTIVE_PUBLISH] = "publish",
		[EFFECTIVE_ROLE] = "role",         [EFFECTIVE_TEST] = "test",
		[EFFECTIVE_ASSERTION] = "assertion",
	};

	return names[w];
}

struct collector {
	const struct ir *ir;
	struct arena *a;
	struct effective_section *to;
};

static void add(struct collector *c, struct effective_entry e)
{
	VEC_PUSH(c->a, &c->to->entries, e);
}

/* --- values -------------------------------------------------------------- */

static void add_scalar(struct collector *c, enum ir_scalar_id id)
{
	const struct ir_scalar *s = &c->ir->scalars[id];
	struct effective_entry e = {
		.what = EFFECTIVE_VALUE,
		.name = str_from(ir_scalar_key(id)),
		.value = show_scalar(c->a, id, s),
		.id = s->id,
		.text = s->source,
		.level = s->level,
		.at = s->at,
		.locked = s->locked,
		.role = s->role,
	};
	size_t i;

	if (!s->set && ir_is_of_sandbox(id))
		return;
	for (i = 0; i < s->nover; i++) {
		const struct ir_scalar *v = &s->over[i];
		struct effective_other o = { show_scalar(c->a, id, v), v->id, v->source,
					    v->level, v->at};

		VEC_PUSH(c->a, &e.over, o);
	}
	add(c, e);
}

static void add_scalars(struct collector *c, const char *section)
{
	int i;

	for (i = 0; i < IR_SCALAR_COUNT; i++)
		if (strcmp(ir_scalar_section((enum ir_scalar_id)i), section) == 0)
			add_scalar(c, (enum ir_scalar_id)i);
}

static void add_settings(struct collector *c, enum ir_part part)
{
	size_t i, k;

	for (i = 0; i < c->ir->settings.n; i++) {
		const struct ir_setting *s = &c->ir->settings.v[i];
		struct effective_entry e = {
			.what = EFFECTIVE_VALUE,
			.name = s->key,
			.value = show_value(c->a, &s->value),
			.id = s->id,
			.text = s->source,
			.level = s->level,
			.at = s->at,
			.locked = s->locked,
			.carried = !s->acts,
			.role = s->role,
		};

		if (s->part != part)
			continue;
		for (k = 0; k < s->nover; k++) {
			const struct ir_setting *v = &s->over[k];
			struct effective_other o = { show_value(c->a, &v->value), v->id,
						    v->source, v->level, v->at};

			VEC_PUSH(c->a, &e.over, o);
		}
		add(c, e);
	}
}

/* The lock of a variable, or of the list `keep` if `name` is empty. */
static const struct ir_env_lock *env_lock(const struct ir *ir, struct str name)
{
	size_t i;

	for (i = 0; i < ir->env_locks.n; i++)
		if (ir->env_locks.v[i].keep == !name.n &&
		    str_eq(ir->env_locks.v[i].name, name))
			return &ir->env_locks.v[i];
	return NULL;
}

static void add_variables(struct collector *c)
{
	const struct ir *ir = c->ir;
	const struct ir_env_lock *keep = env_lock(ir, STR_NULL);
	size_t i;

	for (i = 0; i < ir->keep.n; i++)
		add(c, (struct effective_entry){ .what = EFFECTIVE_VARIABLE,
						.name = STR("keep"),
						.value = ir->keep.v[i].name,
						.id = ir->keep.v[i].id,
						.level = ir->keep.v[i].level,
						.at = ir->keep.v[i].at,
						.locked = keep != NULL});
	/* a list that is empty and locked */
	if (keep && !ir->keep.n)
		add(c, (struct effective_entry){ .what = EFFECTIVE_VARIABLE,
						.name = STR("keep"),
						.value = STR("nothing"),
						.id = keep->id,
						.level = keep->level,
						.at = keep->at,
						.locked = true});
	for (i = 0; i < ir->env.n; i++)
		add(c, (struct effective_entry){ .what = EFFECTIVE_VARIABLE,
						.name = STR("set"),
						.value = ir->env.v[i].name,
						.text = ir->env.v[i].value,
						.id = ir->env.v[i].id,
						.level = ir->env.v[i].level,
						.at = ir->env.v[i].at,
						.locked = env_lock(ir, ir->env.v[i].name) != NULL});
	for (i = 0; i < ir->secrets.n; i++)
		add(c,
		    (struct effective_entry){
			    .what = EFFECTIVE_VARIABLE,
			    .name = STR("secret"),
			    .value = ir->secrets.v[i].name,
			    .text = str_printf(c->a, "from %s %.*s",
					       ir->secrets.v[i].file ? "file" : "store",
					       STR_ARG(ir->secrets.v[i].from)),
			    .id = ir->secrets.v[i].id,
			    .level = ir->secrets.v[i].level,
			    .at = ir->secrets.v[i].at,
			    .locked = env_lock(ir, ir->secrets.v[i].name) != NULL,
			    .carried = !ir_secret_is_used(ir, ir->secrets.v[i].name)});
}

/* --- rules --------------------------------------------------------------- */

static struct str pattern_of(const struct ir_rule *r)
{
	switch (r->kind) {
	case IR_COMMAND:
		return r->set.u.command.text;
	case IR_FILE:
		return r->set.u.file.path.text;
	case IR_UNIX:
		return r->set.u.unix_path.text;
	case IR_SYSCALL:
		return r->set.u.syscall.name;
	case IR_TOOL:
		return r->set.u.tool.text;
	case IR_NET:
	case IR_KIND_COUNT:
		break;
	}
	return STR("");
}

/* The proxy of the rule's connections: its own, or its section's. */
static struct str via_of(struct arena *a, const struct ir_rule *r)
{
	const struct ir_grant *g = &r->set.u.net.grant;

	if (r->kind != IR_NET || !g->via.n || str_eqz(g->via, "none"))
		return STR("");
	return g->via_secret.n ? str_printf(a, "%.*s user from secret %.*s",
					    STR_ARG(g->via), STR_ARG(g->via_secret)) :
				 g->via;
}

static void add_lifts(struct collector *c, struct effective_entry *e,
		      const struct ir_rule *r)
{
	size_t i;

	for (i = 0; i < r->nlifted_by; i++) {
		const struct ir_rule *by = c->ir->rules.v[r->lifted_by[i]];
		struct effective_other o = { pattern_of(r), by->id, by->text, by->level,
					    by->at};

		VEC_PUSH(c->a, &e->lifted, o);
	}
}

static bool is_same_statement(const struct effective_entry *e, const struct ir_rule *r)
{
	return e->what == EFFECTIVE_RULE && e->rule->full == r->full &&
	       e->rule->effect == r->effect && e->level == r->level &&
	       str_eq(e->id, r->id) && str_eq(e->at.file, r->at.file) &&
	       e->at.line == r->at.line && e->at.col == r->at.col;
}

static void add_rules(struct collector *c, enum ir_kind kind)
{
	size_t i;

	for (i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];
		struct effective_entry e = {
			.what = EFFECTIVE_RULE,
			.name = str_from(ir_effect_name(r->effect)),
			.id = r->id,
			.text = r->text,
			.because = r->because,
			.level = r->level,
			.at = r->at,
			.rule = r,
			.role = r->role,
			.until = r->until,
			.via = via_of(c->a, r),
		};

		if (r->kind != kind)
			continue;
		if (!c->to->entries.n ||
		    !is_same_statement(VEC_LAST(&c->to->entries), r))
			add(c, e);
		VEC_LAST(&c->to->entries)->patterns++;
		add_lifts(c, VEC_LAST(&c->to->entries), r);
	}
}

/* --- pins and the shell -------------------------------------------------- */

/* Pins and the shell are values, not facts of a list: one for each name counts. */
static bool is_value(const struct ir_fact *f)
{
	return str_eqz(f->kind, "pin") || str_eqz(f->kind, "shell");
}

/* Adds other statements about the same thing; `head` is how such a statement begins. */
static void add_overridden(struct collector *c, struct effective_entry *e, struct str head)
{
	size_t i;

	for (i = 0; i < c->ir->facts.n; i++) {
		const struct ir_fact *f = &c->ir->facts.v[i];
		struct effective_other o = { f->text, e->id, f->text, f->level, f->at };

		if (!is_value(f) || !str_starts(f->text, head))
			continue;
		if (f->at.line == e->at.line && f->at.col == e->at.col &&
		    str_eq(f->at.file, e->at.file))
			e->text = f->text;
		else if (f->level >= e->level)
			VEC_PUSH(c->a, &e->over, o);
	}
}

/* The shell that runs a line; bash, if no statement names one. */
static void add_shell(struct collector *c)
{
	const struct ir_shell *s = &c->ir->shell;
	struct effective_entry e = {
		.what = EFFECTIVE_VALUE,
		.name = STR("shell"),
		.value = s->name.n ? s->name : STR("bash"),
		.id = STR("command-shell"),
		.level = s->level ? s->level : IR_DEFAULT,
		.at = s->at,
	};

	if (s->path.n)
		e.value = str_printf(c->a, "%.*s %.*s", STR_ARG(s->name), STR_ARG(s->path));
	add_overridden(c, &e, STR("shell "));
	add(c, e);
}

static void add_pins(struct collector *c)
{
	size_t i;

	for (i = 0; i < c->ir->pins.n; i++) {
		const struct ir_pin *p = &c->ir->pins.v[i];
		struct effective_entry e = {
			.what = EFFECTIVE_VALUE,
			.name = str_printf(c->a, "pin %.*s", STR_ARG(p->name)),
			.value = p->path,
			.id = p->id,
			.level = p->level,
			.at = p->at,
		};

		if (p->sha256.n)
			e.value = str_printf(c->a, "%.*s sha256 %.*s", STR_ARG(p->path),
					     STR_ARG(p->sha256));
		add_overridden(c, &e, str_cat(c->a, e.name, STR(" =")));
		add(c, e);
	}
}

/* --- facts, roles, tests ------------------------------------------------- */

/* The pattern; with guards, in the form of the dump. */
static struct str risk_text(struct collector *c, const struct ir_risk_fact *f)
{
	const struct ir_command *cmd = &f->set.u.command;
	struct str shown = STR_NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	if (f->kind != IR_COMMAND)
		return f->set.u.tool.text;
	if (!cmd->nguards && !cmd->regex)
		return cmd->text;
	out = open_memstream(&text, &n);
	if (!out)
		return cmd->text;
	ir_print_command(out, cmd);
	if (fclose(out) == 0)
		shown = str_dup(c->a, (struct str){ text, n });
	free(text);
	return shown.p ? shown : cmd->text;
}

static void add_facts(struct collector *c, enum ir_kind kind)
{
	size_t i;

	for (i = 0; i < c->ir->risks.n; i++) {
		const struct ir_risk_fact *f = &c->ir->risks.v[i];

		if (f->kind == kind)
			add(c,
			    (struct effective_entry){
				    .what = EFFECTIVE_FACT,
				    .name = STR("risk"),
				    .value = str_from(ir_risk_name(f->risk)),
				    .id = f->id,
				    .text = risk_text(c, f),
				    .level = f->level,
				    .at = f->at});
	}
	for (i = 0; kind == IR_COMMAND && i < c->ir->facts.n; i++)
		if (!is_value(&c->ir->facts.v[i]))
			add(c, (struct effective_entry){ .what = EFFECTIVE_FACT,
							 .name = c->ir->facts.v[i].kind,
							 .text = c->ir->facts.v[i].text,
							 .level = c->ir->facts.v[i].level,
							 .at = c->ir->facts.v[i].at });
}

static void add_mounts(struct collector *c)
{
	size_t i, k;

	for (i = 0; i < c->ir->mounts.n; i++) {
		const struct ir_mount *m = &c->ir->mounts.v[i];
		const struct ir_path *tree = ir_mount_tree(c->ir, m);
		const struct ir_rule *r = c->ir->rules.v[m->rule];
		struct buf b;

		buf_init(&b, c->a);
		if (tree->root != IR_ROOT_FS)
			buf_printf(&b, "${%s}", ir_root_name(tree->root));
		for (k = 0; k < tree->glob.n; k++)
			buf_u8(&b, tree->glob.v[k].byte);
		add(c, (struct effective_entry){ .what = EFFECTIVE_MOUNT,
						 .name = m->place,
						 .value = buf_view(&b),
						 .id = r->id,
						 .text = r->text,
						 .level = r->level,
						 .at = r->at });
	}
}

static void add_publish(struct collector *c)
{
	for (size_t i = 0; i < c->ir->publish.n; i++) {
		const struct ir_publish *p = &c->ir->publish.v[i];

		add(c, (struct effective_entry){
			       .what = EFFECTIVE_PUBLISH,
			       .name = p->deny ? STR("deny publish") : STR("publish"),
			       .value = p->lo == p->hi ? str_printf(c->a, "tcp port %u", p->lo) :
							 str_printf(c->a, "tcp port %u-%u", p->lo, p->hi),
			       .id = p->id,
			       .level = p->level,
			       .at = p->at });
	}
}

static void add_roles(struct collector *c)
{
	size_t i;

	for (i = 0; i < c->ir->roles.n; i++)
		add(c, (struct effective_entry){
			       .what = EFFECTIVE_ROLE,
			       .name = c->ir->roles.v[i].name,
			       .value = str_eq(c->ir->roles.v[i].name, c->ir->role)
						? STR("chosen")
						: STR("not chosen"),
			       .at = c->ir->roles.v[i].at});
}

static void add_tests(struct collector *c)
{
	size_t i;

	for (i = 0; i < c->ir->tests.n; i++)
		add(c, (struct effective_entry){
			       .what = EFFECTIVE_TEST,
			       .name = c->ir->tests.v[i].name,
			       .value = str_printf(c->a, "%zu cases",
						   c->ir->tests.v[i].ncases),
			       .at = c->ir->tests.v[i].at});
}

static void add_assertions(struct collector *c)
{
	size_t i;

	for (i = 0; i < c->ir->assertions.n; i++) {
		const struct ir_assertion *s = &c->ir->assertions.v[i];

		add(c, (struct effective_entry){ .what = EFFECTIVE_ASSERTION,
						 .name = STR("at least"),
						 .value = str_from(ir_effect_name(s->least)),
						 .id = s->id,
						 .text = s->text,
						 .because = s->because,
						 .role = s->role,
						 .level = s->level,
						 .at = s->at });
	}
}

struct effective_section effective_collect(const struct ir *ir, struct arena *a,
					   const char *name)
{
	struct effective_section to = { .name = name };
	struct collector c = { ir, a, &to };
	size_t i;

	for (i = 0; i < POL_LEN(sources); i++) {
		const struct source *s = &sources[i];

		if (strcmp(s->name, name) != 0)
			continue;
		if (s->kind != IR_KIND_COUNT && ir->locked[s->kind].level)
			to.lock = &ir->locked[s->kind];
		if (s->scalars)
			add_scalars(&c, s->scalars);
		if (s->kind == IR_COMMAND) {
			add_shell(&c);
			add_pins(&c);
		}
		if (s->part != IR_PART_COUNT)
			add_settings(&c, s->part);
		if (s->kind != IR_KIND_COUNT)
			add_rules(&c, s->kind);
		if (s->kind == IR_COMMAND || s->kind == IR_TOOL)
			add_facts(&c, s->kind);
	}
	if (strcmp(name, "file") == 0)
		add_mounts(&c);
	if (strcmp(name, "network") == 0)
		add_publish(&c);
	if (strcmp(name, "env") == 0)
		add_variables(&c);
	if (strcmp(name, "roles") == 0)
		add_roles(&c);
	if (strcmp(name, "tests") == 0)
		add_tests(&c);
	if (strcmp(name, "assertions") == 0)
		add_assertions(&c);
	return to;
}
