/*
 * Writes statements as canonical text.  Ids of rules depend on the order of words that
 * this file fixes: changing this file changes ids.
 */
#include "compiler/ast/print.h"

#include "compiler/ast/build.h"
#include "compiler/ast/print_value.h"

/* A `depth` of the indentation; INLINE: everything on one line. */
#define INLINE (-1)

static void print_stmt(struct buf *b, const struct ast_stmt *s, int depth);

/* --- blocks ------------------------------------------------------------------ */

static void open_block(struct buf *b, int depth)
{
	buf_z(b, depth == INLINE ? " {" : " {\n");
}

/* Begins a line of a block: with the indentation, or one blank if INLINE. */
static void begin_line(struct buf *b, int depth)
{
	if (depth == INLINE) {
		buf_ch(b, ' ');
		return;
	}
	for (int i = 0; i <= depth; i++)
		buf_z(b, "    ");
}

static void end_line(struct buf *b, int depth)
{
	if (depth != INLINE)
		buf_ch(b, '\n');
}

static void close_block(struct buf *b, int depth)
{
	if (depth == INLINE)
		buf_ch(b, ' ');
	for (int i = 0; i < depth; i++)
		buf_z(b, "    ");
	buf_ch(b, '}');
}

static void print_body(struct buf *b, const struct ast_stmt *body, int depth)
{
	const struct ast_stmt *before = NULL;

	open_block(b, depth);
	for (const struct ast_stmt *s = body; s; s = s->next) {
		begin_line(b, depth);
		if (ast_needs_separator(before, s))
			buf_z(b, "; ");
		print_stmt(b, s, depth == INLINE ? INLINE : depth + 1);
		end_line(b, depth);
		before = s;
	}
	close_block(b, depth);
}

bool ast_needs_separator(const struct ast_stmt *before, const struct ast_stmt *s)
{
	return before && before->kind == AST_RULE && s->kind == AST_VIA;
}

/* --- parts of statements ------------------------------------------------------- */

static void print_ops(struct buf *b, unsigned ops)
{
	static const struct {
		unsigned op;
		const char *name;
	} names[] = {
		{AST_OP_READ, "read"},
		{AST_OP_WRITE, "write"},
		{AST_OP_EXEC, "exec"},
	};
	bool any = false;

	for (size_t i = 0; i < POL_LEN(names); i++) {
		if (!(ops & names[i].op))
			continue;
		buf_z(b, any ? ", " : " ");
		buf_z(b, names[i].name);
		any = true;
	}
}

static void print_values(struct buf *b, const struct ast_value *list)
{
	buf_ch(b, ' ');
	ast_print_list(b, list, ", ");
}

/* Prints the first value of a statement and returns the others.  It prints nothing if
 * there is no value, which happens after an error. */
static const struct ast_value *print_first(struct buf *b, const struct ast_value *list)
{
	if (!list)
		return NULL;
	ast_print_value(b, list);
	return list->next;
}

static void print_net(struct buf *b, const struct ast_net *net)
{
	if (net->proto)
		print_values(b, net->proto);
	if (net->hosts)
		print_values(b, net->hosts);
	if (net->ports) {
		buf_z(b, " port");
		print_values(b, net->ports);
	}
}

static void print_options(struct buf *b, const struct ast_option *list)
{
	for (const struct ast_option *o = list; o; o = o->next) {
		buf_printf(b, " %s", ast_option_rows[o->kind].words);
		if (o->expr) {
			buf_ch(b, ' ');
			ast_print_expr(b, o->expr);
		}
		if (o->kind == AST_O_INJECT) { /* a header, and a prefix */
			buf_ch(b, ' ');
			ast_print_list(b, o->values, " ");
		} else if (o->values) {
			print_values(b, o->values);
		}
	}
}

static void print_prog_item(struct buf *b, const struct ast_prog_item *i)
{
	static const char *const words[] = {
		[AST_P_GLOBAL] = "global ",
		[AST_P_OPTIONS] = "options ",
		[AST_P_SKIP] = "skip ",
		[AST_P_CODE] = "code ",
		[AST_P_CODE_OPERAND] = "code operand ",
		[AST_P_CODE_STDIN] = "code stdin",
		[AST_P_QUERY] = "query ",
		[AST_P_MOVES] = "moves ",
		[AST_P_RUNS] = "runs ",
		[AST_P_LEADS] = "leads ",
		[AST_P_READS] = "reads ",
		[AST_P_READS_OPERAND] = "reads operand ",
		[AST_P_WRITES] = "writes ",
		[AST_P_WRITES_OPERAND] = "writes operand ",
		[AST_P_SCRIPT] = "script-file ",
		[AST_P_SCRIPT_OPERAND] = "script-file operand ",
		[AST_P_SCRIPT_DEFAULT] = "script-file default ",
		[AST_P_TREES] = "recursive ",
		[AST_P_TREES_OPERAND] = "recursive operand ",
		[AST_P_BEGINS] = "begins-names ",
		[AST_P_BEGINS_OPERAND] = "begins-names operand ",
		[AST_P_BELOW] = "writes-below ",
		[AST_P_BELOW_OPERAND] = "writes-below operand ",
		[AST_P_UNPACKS] = "unpacks ",
		[AST_P_UNPACKS_OPERAND] = "unpacks operand ",
		[AST_P_NAMES_FROM] = "names-from ",
		[AST_P_NAMES_FROM_OPERAND] = "names-from operand ",
		[AST_P_INSTEAD] = "instead ",
		[AST_P_EDITS] = "edits ",
		[AST_P_AFTER] = "after ",
		[AST_P_ENDS_AT] = "ends-at ",
		[AST_P_ALSO] = "also ",
		[AST_P_SHELL] = "shell",
		[AST_P_FLAG] = "",
	};
	bool strings = i->values && (i->values->kind == AST_V_STRING ||
				     i->values->kind == AST_V_RAW);

	buf_z(b, words[i->kind]);
	ast_print_list(b, i->values, strings ? ", " : " ");
	if (i->when) {
		buf_z(b, " when ");
		ast_print_value(b, i->when);
	}
}

static void print_program(struct buf *b, const struct ast_stmt *s, int depth)
{
	open_block(b, depth);
	for (const struct ast_prog_item *i = s->items; i; i = i->next) {
		begin_line(b, depth);
		print_prog_item(b, i);
		end_line(b, depth);
	}
	close_block(b, depth);
}

static void print_risk_map(struct buf *b, const struct ast_value *pairs)
{
	buf_z(b, " {");
	for (const struct ast_value *v = pairs; v; v = v->next) {
		buf_ch(b, ' ');
		ast_print_name(b, v->key);
		buf_ch(b, ' ');
		buf_str(b, v->text);
	}
	buf_z(b, " }");
}

/* --- requests ----------------------------------------------------------------------
 */

static void print_request(struct buf *b, const struct ast_request *r)
{
	static const char *const words[] = {
		[AST_R_COMMAND] = "command", [AST_R_ARGV] = "argv",
		[AST_R_FILE] = "file",       [AST_R_NET] = "net",
		[AST_R_UNIX] = "unix",       [AST_R_SYSCALL] = "syscall",
		[AST_R_TOOL] = "tool",       [AST_R_SETTING] = "setting",
	};

	buf_z(b, words[r->kind]);
	print_ops(b, r->ops);
	print_net(b, &r->net);
	if (r->values)
		print_values(b, r->values);
}

static void print_test(struct buf *b, const struct ast_stmt *s, int depth)
{
	buf_z(b, "test ");
	ast_print_plain(b, s->name);
	if (s->expr) {
		buf_z(b, " when ");
		ast_print_expr(b, s->expr);
	}
	open_block(b, depth);
	for (const struct ast_test_case *c = s->cases; c; c = c->next) {
		begin_line(b, depth);
		print_request(b, &c->request);
		buf_printf(b, " => %s", ast_effect_name(c->want));
		if (c->by) {
			buf_z(b, " by");
			print_values(b, c->by);
		}
		end_line(b, depth);
	}
	close_block(b, depth);
}

static void print_assert(struct buf *b, const struct ast_stmt *s)
{
	switch (s->assert_kind) {
	case AST_NEVER:
		buf_z(b, "assert never ");
		break;
	case AST_ALWAYS:
		buf_printf(b, "assert always %s ", ast_effect_name(s->effect));
		break;
	case AST_ONLY:
		buf_z(b, "assert only ");
		break;
	}
	print_request(b, &s->request);
	print_options(b, s->options);
}

/* --- statements
 * ----------------------------------------------------------------------- */

/* Writes "word name"; statements without a name have only the word. */
static void print_named(struct buf *b, const char *word, const struct ast_stmt *s)
{
	buf_z(b, word);
	if (s->name.n) {
		buf_ch(b, ' ');
		ast_print_name(b, s->name);
	}
}

static void print_section(struct buf *b, const struct ast_stmt *s, int depth)
{
	print_named(b, ast_section_name(s->section), s);
	if (s->body || !s->name.n)
		print_body(b, s->body, depth);
}

static void print_alert(struct buf *b, const struct ast_stmt *s)
{
	print_named(b, "alert", s);
	buf_z(b, " when ");
	ast_print_expr(b, s->expr);
	if (s->per) {
		buf_z(b, " per");
		print_values(b, s->per);
	}
	buf_z(b, " do");
	print_values(b, s->values);
}

static void print_rule(struct buf *b, const struct ast_stmt *s)
{
	if (s->final)
		buf_z(b, "final ");
	buf_z(b, ast_effect_name(s->effect));
	print_ops(b, s->ops);
	print_net(b, &s->net);
	if (s->values)
		print_values(b, s->values);
	print_options(b, s->options);
}

/* Prints the statements of a file. */
static bool print_top(struct buf *b, const struct ast_stmt *s, int depth)
{
	switch ((int)s->kind) {
	case AST_POLICY:
		print_named(b, "policy", s);
		print_body(b, s->body, depth);
		return true;
	case AST_USE:
		buf_z(b, "use");
		print_values(b, s->values);
		return true;
	case AST_LET:
		print_named(b, "let", s);
		buf_z(b, " =");
		print_values(b, s->values);
		return true;
	case AST_GROUP:
		buf_z(b, "group @");
		buf_str(b, s->name);
		buf_z(b, " =");
		print_values(b, s->values);
		return true;
	case AST_SECTION:
		print_section(b, s, depth);
		return true;
	case AST_ROLE:
		print_named(b, "role", s);
		print_body(b, s->body, depth);
		return true;
	case AST_TOOL:
		buf_z(b, "tool ");
		ast_print_name(b, s->name);
		print_body(b, s->body, depth);
		return true;
	case AST_ALERT:
		print_alert(b, s);
		return true;
	case AST_SETTING:
		buf_z(b, "setting ");
		ast_print_plain(b, s->name);
		buf_z(b, s->append ? " +=" : " =");
		print_values(b, s->values);
		return true;
	case AST_ASSERT:
		print_assert(b, s);
		return true;
	case AST_TEST:
		print_test(b, s, depth);
		return true;
	default:
		return false;
	}
}

/* Prints the statements of a command section. */
static bool print_command(struct buf *b, const struct ast_stmt *s, int depth)
{
	const struct ast_value *rest;

	switch ((int)s->kind) {
	case AST_RISK:
		print_named(b, "risk", s);
		print_values(b, s->values);
		print_options(b, s->options);
		return true;
	case AST_PROGRAM:
	case AST_WRAPPER:
	case AST_INTERPRETER:
		buf_z(b, s->kind == AST_PROGRAM   ? "program"
			 : s->kind == AST_WRAPPER ? "wrapper"
						  : "interpreter");
		print_values(b, s->values);
		print_program(b, s, depth);
		return true;
	case AST_TAINT:
	case AST_SAFE:
	case AST_INERT:
		buf_z(b, s->kind == AST_TAINT  ? "taint"
			 : s->kind == AST_SAFE ? "safe"
					       : "inert");
		print_values(b, s->values);
		print_options(b, s->options);
		return true;
	case AST_PIN:
		print_named(b, "pin", s);
		buf_z(b, " = ");
		rest = print_first(b, s->values);
		if (rest) {
			buf_z(b, " sha256");
			print_values(b, rest);
		}
		return true;
	case AST_SHELL:
		print_named(b, "shell", s);
		if (s->values) {
			buf_z(b, " =");
			print_values(b, s->values);
		}
		return true;
	case AST_OPAQUE:
		buf_printf(b, "opaque %s", ast_effect_name(s->effect));
		print_options(b, s->options);
		return true;
	default:
		return false;
	}
}

/* Prints the statements of the other sections. */
static void print_other(struct buf *b, const struct ast_stmt *s, int depth)
{
	const struct ast_value *rest;

	switch ((int)s->kind) {
	case AST_SCRATCH:
		buf_z(b, "scratch");
		print_values(b, s->values);
		break;
	case AST_MOUNT:
		buf_z(b, "mount ");
		rest = print_first(b, s->values);
		buf_z(b, " at ");
		(void)print_first(b, rest);
		print_ops(b, s->ops);
		break;
	case AST_MODE:
		print_named(b, "mode", s);
		break;
	case AST_VIA:
		buf_z(b, "via");
		print_values(b, s->values);
		print_options(b, s->options);
		break;
	case AST_HOLD:
		buf_z(b, "hold");
		print_values(b, s->values);
		break;
	case AST_PUBLISH:
	case AST_NOT_PUBLISH:
		buf_z(b, s->kind == AST_PUBLISH ? "publish tcp port" : "deny publish tcp port");
		print_values(b, s->values);
		break;
	case AST_PAIR:
		ast_print_name(b, s->name);
		if (s->append)
			buf_z(b, " +=");
		print_values(b, s->values);
		break;
	case AST_KEEP:
		buf_z(b, s->append ? "keep +=" : "keep");
		print_values(b, s->values);
		break;
	case AST_SET:
		print_named(b, "set", s);
		buf_z(b, " =");
		print_values(b, s->values);
		break;
	case AST_SECRET:
		print_named(b, "secret", s);
		buf_z(b, " from ");
		print_values(b, print_first(b, s->values));
		break;
	case AST_RATE:
		print_named(b, "rate", s);
		print_values(b, s->values);
		buf_z(b, " per");
		print_values(b, s->per);
		break;
	case AST_ROUTE:
		ast_print_list(b, s->values, ", ");
		print_named(b, "", s);
		if (s->has_else)
			buf_printf(b, " else %s", ast_effect_name(s->effect));
		break;
	case AST_RUNNER:
		ast_print_name(b, s->name);
		print_body(b, s->body, depth);
		break;
	default: /* AST_TOOL_EFFECT */
		buf_z(b, ast_effect_name(s->effect));
		break;
	}
}

static void print_stmt(struct buf *b, const struct ast_stmt *s, int depth)
{
	if (s->locked)
		buf_z(b, "locked ");
	switch ((int)s->kind) {
	case AST_RULE:
		print_rule(b, s);
		return;
	case AST_OTHERWISE:
		buf_z(b, "otherwise");
		print_ops(b, s->ops);
		buf_printf(b, " %s", ast_effect_name(s->effect));
		print_options(b, s->options);
		return;
	case AST_OTHERWISE_BY_RISK:
		buf_z(b, "otherwise by risk");
		print_risk_map(b, s->pairs);
		print_options(b, s->options);
		return;
	default:
		break;
	}
	if (!print_top(b, s, depth) && !print_command(b, s, depth))
		print_other(b, s, depth);
}

void ast_print_stmt(struct buf *b, const struct ast_stmt *s)
{
	print_stmt(b, s, INLINE);
}

void ast_print_file(struct buf *b, const struct ast_file *f)
{
	for (const struct ast_stmt *s = f->stmts; s; s = s->next) {
		print_stmt(b, s, 0);
		buf_ch(b, '\n');
	}
}
