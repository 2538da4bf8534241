/*
 * Prints the trees as text: after "parse" as they were written, after "resolve" with
 * names replaced.  What was cut appears as a comment.
 */
#include "compiler/sema/internal.h"

#include "compiler/ast/print.h"

static void head(struct buf *out, const struct sema_unit *u)
{
	buf_printf(out, "# %.*s: level %s%s%s\n", STR_ARG(u->name),
		   ir_level_name(u->level), u->narrow ? ", narrow-only" : "",
		   u->floor ? ", the floor" : "");
}

static void dump_tree(struct buf *out, const struct sema_unit *u)
{
	for (const struct ast_stmt *t = u->tree->stmts; t; t = t->next) {
		ast_print_stmt(out, t);
		buf_ch(out, '\n');
	}
}

static void dump_stmt(struct buf *out, const struct sema_stmt *t)
{
	if (t->cut) {
		buf_printf(out, "# cut: %s", t->cut);
		if (t->cut_by.line)
			buf_printf(out, " (%.*s:%u)", STR_ARG(t->cut_by.file),
				   t->cut_by.line);
		buf_z(out, "\n# ");
	}
	bool section = t->in_section && t->orig->kind != AST_TOOL;

	if (t->inner) /* its runner prints it */
		return;
	if (t->role.n)
		buf_printf(out, "# role %.*s%s\n%s", STR_ARG(t->role),
			   t->off ? ", which was not chosen" : "", t->off ? "# " : "");
	if (section) {
		if (t->section_locked)
			buf_z(out, "locked ");
		buf_printf(out, "%s { ", sema_section_name(t->section));
	}
	ast_print_stmt(out, t->stmt);
	buf_z(out, section ? " }" : "");
	if (t->id.n)
		buf_printf(out, " # %.*s", STR_ARG(t->id));
	if (t->soft)
		buf_z(out, ", soft");
	buf_ch(out, '\n');
}

void sema_dump(struct buf *out, const struct sema *s)
{
	for (size_t i = 0; i < s->units.n; i++) {
		const struct sema_unit *u = s->units.v[i];

		head(out, u);
		if (!s->resolved) {
			dump_tree(out, u);
			continue;
		}
		for (size_t k = 0; k < u->stmts.n; k++)
			dump_stmt(out, u->stmts.v[k]);
	}
}
