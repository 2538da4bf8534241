/*
 * Decides who may say what (semantics 3).  Only managed levels may use `final` and
 * `locked`.  A narrow-only level, and a level below a lock, lose statements that would
 * widen.  This file handles rules and facts; lower/claims.c handles scalars.
 */
#include "compiler/sema/internal.h"

/*
 * The span of the word that begins a statement; errors about that word are shown there.
 */
static struct span word_at(struct sema *s, struct span at, const char *word)
{
	struct str text = source_text(s->map, at);
	size_t n = strlen(word);

	if (text.n >= n && memcmp(text.p, word, n) == 0)
		at.len = (uint32_t)n;
	return at;
}

static void note_level(struct sema *s, struct diag *d, const struct sema_unit *u)
{
	diag_note(s->sink, d, SPAN_NONE, "this file speaks at level '%s'%s",
		  ir_level_name(u->level), u->narrow ? ", as a discovered file" : "");
	for (; u && u->from; u = u->from)
		diag_note(s->sink, d, u->from_at, "'%.*s' is used here",
			  STR_ARG(u->name));
}

static void check_final(struct sema *s, const struct sema_stmt *t)
{
	struct diag *d;

	if (!t->orig->final)
		return;
	if (t->orig->effect == AST_ASK) {
		d = diag_add(
			s->sink, DIAG_FINAL_ASK, word_at(s, t->orig->at, "final"),
			"'final ask' would only forbid lower levels to be stricter");
		diag_help(s->sink, d,
			  "drop 'final': no lower level can loosen a "
			  "managed 'ask'");
		return;
	}
	if (t->unit->level <= IR_MANAGED_FILE)
		return;
	d = diag_add(s->sink, DIAG_FINAL_LEVEL, word_at(s, t->orig->at, "final"),
		     "'final' is reserved for managed levels");
	note_level(s, d, t->unit);
	diag_help(s->sink, d,
		  t->orig->effect == AST_ALLOW ? "drop 'final'; only a managed 'allow' "
						 "can hold against a 'deny'"
					       : "drop 'final'; a deny from any level "
						 "already wins over every allow");
}

static void check_locked(struct sema *s, const struct sema_unit *u,
			 const struct ast_stmt *stmt)
{
	struct diag *d;

	if (!stmt->locked || u->level <= IR_MANAGED_FILE)
		return;
	d = diag_add(s->sink, DIAG_LOCKED_LEVEL, word_at(s, stmt->at, "locked"),
		     "'locked' is reserved for managed levels");
	note_level(s, d, u);
}

static void take_lock(struct sema *s, struct ir_lock *lock, const struct sema_unit *u,
		      struct span at)
{
	if (u->level > IR_MANAGED_FILE || (lock->level && lock->level <= u->level))
		return;
	lock->level = u->level;
	lock->at = sema_place(s, at);
}

/* The span of `locked command`, without the braces and their contents. */
static struct span head_at(const struct ast_stmt *section)
{
	struct span at = section->at;

	at.len = section->name_at.off + section->name_at.len - at.off;
	return at;
}

/*
 * The lock that a final rule or a locked section of this kind puts on facts of lower
 * levels.
 */
static struct ir_lock *facts_lock(struct sema *s, int kind)
{
	if (kind == IR_COMMAND)
		return &s->facts_lock;
	return kind == IR_TOOL ? &s->tools_lock : NULL;
}

static void check_section(struct sema *s, const struct sema_unit *u,
			  const struct ast_stmt *t, bool off)
{
	int kind = sema_section_kind(t->section);

	check_locked(s, u, t);
	if (!t->locked || kind < 0 || off)
		return;
	take_lock(s, &s->locked[kind], u, head_at(t));
	if (facts_lock(s, kind))
		take_lock(s, facts_lock(s, kind), u, head_at(t));
}

static void check_list(struct sema *s, const struct sema_unit *u,
		       const struct ast_stmt *list, bool off)
{
	for (const struct ast_stmt *t = list; t; t = t->next) {
		if (t->kind == AST_SECTION)
			check_section(s, u, t, off);
		else if (t->kind == AST_ROLE)
			check_list(s, u, t->body, !str_eq(t->name, s->role));
	}
}

static void check_unit(struct sema *s, const struct sema_unit *u)
{
	for (const struct ast_stmt *p = u->policy ? u->policy->body : NULL; p;
	     p = p->next)
		check_locked(s, u, p);
	check_list(s, u, u->tree->stmts, false);
}

void sema_levels_check(struct sema *s)
{
	for (size_t i = 0; i < s->units.n; i++)
		check_unit(s, s->units.v[i]);
	for (size_t i = 0; i < s->stmts.n; i++) {
		const struct sema_stmt *t = s->stmts.v[i];

		struct ir_lock *lock = t->in_section ?
			facts_lock(s, sema_section_kind(t->section)) : NULL;

		check_final(s, t);
		check_locked(s, t->unit, t->orig);
		for (const struct ast_stmt *b = t->orig->kind == AST_RUNNER ?
			     t->orig->body : NULL; b; b = b->next)
			check_locked(s, t->unit, b);
		if (t->orig->kind == AST_RULE && t->orig->final && lock && !t->off)
			take_lock(s, lock, t->unit, t->orig->at);
	}
}

/* Can the fact hide a command from a deny?  A taint and a higher risk class cannot. */
static bool may_widen(const struct ast_stmt *stmt)
{
	switch ((int)stmt->kind) {
	case AST_PROGRAM:
	case AST_WRAPPER:
	case AST_INTERPRETER:
	case AST_SAFE:
	case AST_INERT:
	case AST_PIN:   /* a name may then mean another program */
	case AST_SHELL: /* … and lines may be read by another grammar */
		return true;
	case AST_RISK:
		return str_eqz(stmt->name, "low");
	case AST_TOOL: /* a class that is not known is medium */
		for (const struct ast_stmt *b = stmt->body; b; b = b->next)
			if (str_eqz(b->name, "risk") && b->values &&
			    str_eqz(b->values->text, "read-only"))
				return true;
		return false;
	default:
		return false;
	}
}

static void cut(struct sema_stmt *t, const char *why, const struct ir_lock *by)
{
	t->cut = why;
	if (by)
		t->cut_by = by->at;
}

static const char *const locked_by[] = {
	[IR_MANAGED] = "the section is locked by managed",
	[IR_MANAGED_FILE] = "the section is locked by managed-file",
};

static const char narrow_only[] = "a narrow-only level allows nothing";

static void cut_rule(const struct sema *s, struct sema_stmt *t)
{
	const struct ir_lock *lock = &s->locked[sema_section_kind(t->section)];
	bool below = lock->level && t->unit->level > lock->level;
	bool allows = t->orig->kind == AST_SCRATCH || t->orig->kind == AST_PUBLISH ||
		      t->orig->kind == AST_MOUNT ||
		      (t->orig->kind == AST_RULE && t->orig->effect == AST_ALLOW);

	if (allows && t->unit->narrow)
		cut(t, narrow_only, NULL);
	else if (allows && below)
		cut(t, locked_by[lock->level], lock);
	/* below a lock, a default's ask is soft like any other (L2) */
	t->soft = t->orig->kind == AST_RULE && t->orig->effect == AST_ASK &&
		  (t->unit->narrow || below);
}

void sema_levels_cut(struct sema *s)
{
	for (size_t i = 0; i < s->stmts.n; i++) {
		struct sema_stmt *t = s->stmts.v[i];
		enum ir_level l = t->unit->level;

		const struct ir_lock *lock = t->orig->kind == AST_TOOL ?
						     &s->tools_lock : &s->facts_lock;

		if (!t->in_section || t->off)
			continue;
		if (t->orig->kind == AST_RULE || t->orig->kind == AST_SCRATCH ||
		    t->orig->kind == AST_MOUNT || t->orig->kind == AST_PUBLISH) {
			if (sema_section_kind(t->section) >= 0)
				cut_rule(s, t);
		} else if (may_widen(t->orig)) {
			if (t->unit->narrow)
				cut(t, "a fact of a narrow-only level may widen", NULL);
			else if (lock->level && l > lock->level && l != IR_DEFAULT)
				cut(t, t->orig->kind == AST_TOOL ?
				    "a managed level locks tools or has a final "
				    "rule, so lower levels may not class one lower" :
				    "a managed level locks commands or has a final "
				    "rule, so lower facts may not widen", lock);
		}
	}
}
