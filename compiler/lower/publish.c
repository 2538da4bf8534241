/* Lowers `publish` and `deny publish` (semantics 6): ports of the run that this machine's loopback
 * may lead to. */
#include "compiler/lower/internal.h"

void lower_publish(struct lower *l, const struct sema_stmt *t)
{
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct ir_publish p = { .deny = t->stmt->kind == AST_NOT_PUBLISH,
					.text = lower_shown(l, t->text),
					.id = t->id,
					.level = t->unit->level,
					.at = t->at };

		if (lower_port(l, v, &p.lo, &p.hi))
			VEC_PUSH(l->a, &l->made.publish, p);
	}
}
