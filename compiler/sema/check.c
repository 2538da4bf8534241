/*
 * Finds what the language can express but this version does not support.  Every such
 * statement, option and form of pattern is reported at its place, so that nothing is
 * accepted and then ignored.
 */
#include "compiler/sema/internal.h"

#include "compiler/ast/build.h"

/* The section whose rules have the set of this request. */
int sema_section_of(enum ast_request_kind kind)
{
	static const enum ast_section_kind sections[] = {
		[AST_R_COMMAND] = AST_SEC_COMMAND, [AST_R_ARGV] = AST_SEC_COMMAND,
		[AST_R_FILE] = AST_SEC_FILE,       [AST_R_NET] = AST_SEC_NETWORK,
		[AST_R_UNIX] = AST_SEC_UNIX,       [AST_R_SYSCALL] = AST_SEC_SYSCALL,
		[AST_R_TOOL] = AST_SEC_TOOLS,
	};

	return (unsigned)kind < POL_LEN(sections) ? (int)sections[kind] : -1;
}

/* May the option follow this statement? */
static bool is_allowed(const struct ast_stmt *stmt, int section, enum ast_opt_kind kind)
{
	unsigned where = ast_option_rows[kind].where;

	if (stmt->kind == AST_RISK)
		return where & AST_WHERE_RISK;
	if (stmt->kind == AST_INERT)
		return where & AST_WHERE_INERT;
	if (stmt->kind == AST_ASSERT)
		return (where & AST_WHERE_ASSERT) ||
		       (section == AST_SEC_COMMAND && (where & AST_WHERE_ASSERT_COMMAND));
	return (where & AST_WHERE_RULE) ||
	       (section == AST_SEC_COMMAND && (where & AST_WHERE_COMMAND)) ||
	       (section == AST_SEC_SYSCALL && (where & AST_WHERE_SYSCALL)) ||
	       (section == AST_SEC_NETWORK && (where & AST_WHERE_NETWORK));
}

/*
 * May the option be given several times?  In `syscall`, `with` names one error, so it
 * may not.
 */
static bool adds_up(int section, enum ast_opt_kind kind)
{
	return ast_option_rows[kind].adds && !(section == AST_SEC_SYSCALL && kind == AST_O_WITH);
}

static struct diag *unsupported(struct sema *s, struct span at, const char *what)
{
	return diag_add(s->sink, DIAG_UNSUPPORTED, at,
			"%s is not supported by this version", what);
}

/* Reports the option; says what it will mean if leaving it out would be harmful. */
static void unsupported_option(struct sema *s, const struct ast_option *o, const char *word,
			       int section)
{
	struct diag *d = unsupported(s, o->at, arena_printf(s->a, "'%s'", word));

	if (o->kind == AST_O_STRICT && section == AST_SEC_COMMAND)
		diag_help(s->sink, d, "it binds a rule at every exec of a run, and this version "
			  "decides commands when the run starts");
}

/* Only commands may have a regex as a pattern. */
static void check_values(struct sema *s, const struct ast_value *v)
{
	for (; v; v = v->next)
		if (v->kind == AST_V_REGEX)
			diag_add(s->sink, DIAG_KIND_OF_VALUE, v->at,
				 "a regular expression is a pattern of commands only");
}

/*
 * Checks `may yes`: the only word is `yes`, and only a statement that asks may have it.
 */
static void check_may(struct sema *s, const struct ast_stmt *stmt,
		      const struct ast_option *o)
{
	struct diag *d;

	if (!o->values || !str_eqz(o->values->text, "yes")) {
		d = diag_add(s->sink, DIAG_OPTION, o->at, "a rule may only 'yes'");
		diag_help(s->sink, d, "write 'may yes': then -y answers a managed ask");
	} else if (stmt->effect != AST_ASK) {
		diag_add(s->sink, DIAG_OPTION, o->at,
			 "'may yes' says who answers an 'ask', and '%s' asks nobody",
			 ast_effect_name(stmt->effect));
	}
}

static void check_options(struct sema *s, const struct ast_stmt *stmt, int section)
{
	const struct ast_option *seen[AST_OPTION_KINDS] = { NULL };

	for (const struct ast_option *o = stmt->options; o; o = o->next) {
		const char *word = ast_option_rows[o->kind].words;

		if (!is_allowed(stmt, section, o->kind)) {
			bool fact = stmt->kind == AST_RISK || stmt->kind == AST_INERT;

			if (stmt->kind == AST_ASSERT)
				diag_add(s->sink, DIAG_OPTION, o->at,
					 "'%s' does not belong to an assertion about this kind "
					 "of request", word);
			else if (fact && (ast_option_rows[o->kind].where & AST_WHERE_RULE))
				diag_add(s->sink, DIAG_OPTION, o->at,
					 "'%s' does not belong to '%s'", word,
					 stmt->kind == AST_RISK ? "risk" : "inert");
			else
				unsupported_option(s, o, word, section);
			continue;
		}
		if (seen[o->kind] && !adds_up(section, o->kind)) {
			struct diag *d = diag_add(s->sink, DIAG_OPTION, o->at,
						  "'%s' is stated twice", word);
			diag_note(s->sink, d, seen[o->kind]->at,
				  "the first one is here");
		}
		seen[o->kind] = o;
		if (o->kind == AST_O_MAY)
			check_may(s, stmt, o);
		if (o->kind == AST_O_EXCEPT && section != AST_SEC_COMMAND)
			check_values(s, o->values);
	}
	if (stmt->kind == AST_ASSERT)
		return;
	if (section == AST_SEC_SYSCALL && seen[AST_O_WITH] && stmt->effect != AST_DENY)
		diag_add(s->sink, DIAG_OPTION, seen[AST_O_WITH]->at,
			 "'with' names the error of a denied call; '%s' denies none",
			 ast_effect_name(stmt->effect));
}

static void check_rule(struct sema *s, const struct ast_stmt *stmt, int section)
{
	struct diag *d;

	if (section == AST_SEC_FILE && stmt->effect == AST_HIDE && stmt->ops)
		diag_add(s->sink, DIAG_OPTION, stmt->at,
			 "'hide' takes no operations: it denies all of them");
	if (section != AST_SEC_FILE && stmt->effect == AST_HIDE)
		diag_add(s->sink, DIAG_OPTION, stmt->at,
			 "'hide' belongs to the section 'file'");
	if (section == AST_SEC_FILE && stmt->effect == AST_ALLOW && !stmt->ops) {
		d = diag_add(s->sink, DIAG_OPTION, stmt->at,
			     "'allow' in 'file' says which operations");
		diag_help(s->sink, d, "write 'allow read', 'allow read, write' or "
			  "'allow exec'");
	}
	if (section != AST_SEC_COMMAND) {
		check_values(s, stmt->values);
		check_values(s, stmt->net.hosts);
	}
	check_options(s, stmt, section);
}

/*
 * The set of an assertion is that of a rule.  What a rule says beside its set (who answers,
 * until when, what the gateway does) is no part of it.
 */
static void check_assert(struct sema *s, const struct ast_stmt *stmt)
{
	int section = sema_section_of(stmt->request.kind);

	if (section != AST_SEC_COMMAND) {
		check_values(s, stmt->request.values);
		check_values(s, stmt->request.net.hosts);
	}
	check_options(s, stmt, section);
}

static void check_test(struct sema *s, const struct ast_stmt *stmt)
{
	if (!stmt->cases)
		diag_add(s->sink, DIAG_TEST_EMPTY, stmt->at, "the test '%.*s' has no case, and passes whatever the policy says",
			 STR_ARG(stmt->name));
	for (const struct ast_test_case *c = stmt->cases; c; c = c->next)
		if (c->request.kind == AST_R_SETTING)
			unsupported(s, c->request.at, "a test of a setting");
}

void sema_check_stmt(struct sema *s, const struct sema_unit *u,
		     const struct ast_stmt *stmt, int section)
{
	(void)u;
	switch ((int)stmt->kind) {
	case AST_RULE:
		check_rule(s, stmt, section);
		break;
	case AST_RISK:
	case AST_INERT:
		check_options(s, stmt, section);
		break;
	case AST_ASSERT:
		check_assert(s, stmt);
		break;
	case AST_TEST:
		check_test(s, stmt);
		break;
	default:
		break;
	}
}
