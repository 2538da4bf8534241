/* What the files of lower/ share; nobody else includes this. */
#ifndef COMPILER_LOWER_INTERNAL_H
#define COMPILER_LOWER_INTERNAL_H

#include "compiler/sema/sema.h"

struct lower_alias;

struct lower {
	struct sema *s;
	struct arena *a;
	struct diag_sink *sink;
	struct ir *ir;
	struct map claims; /* by kind and key; claims.h */
	VEC(uint64_t) keys; /* of ir.rules: unit order and offset, for sorting */
	VEC(struct lower_alias *) aliases; /* mounts; mount.c */
	const struct sema_stmt *stmt; /* that is being lowered */
	struct ir made;               /* its rules, facts and examples */
	const struct sema_stmt *mode; /* who said the network's mode, or NULL */
};

/* As deny and ask match (broadly), or as allow does. */
enum lower_side { LOWER_BROAD, LOWER_NARROW };

static inline enum lower_side lower_other(enum lower_side side)
{
	return side == LOWER_BROAD ? LOWER_NARROW : LOWER_BROAD;
}

/* --- rule.c -------------------------------------------------------- */

enum lower_side lower_side_of(enum ast_effect e);
enum ir_effect lower_effect(enum ast_effect e);
/* The class of risk of this name; false: there is none. */
bool lower_risk(struct str name, enum ir_risk *ret);
/* Small letters for large ones. */
struct str lower_letters(struct arena *a, struct str s);
/* What all rules of one statement share, without a set; `scopes` 0 after an error. */
bool lower_head(struct lower *l, const struct sema_stmt *t, enum ir_kind kind,
		struct ir_rule *ret);
/* Adds one rule; `except` is shared by the rules of a statement. */
struct ir_rule *lower_add(struct lower *l, const struct ir_rule *head,
			  const struct ir_set *set);
const struct ast_option *lower_option(const struct ast_stmt *stmt,
				      enum ast_opt_kind kind);
/* What one value after `except` denotes goes to `into`; false after an error. */
struct lower_sets {
	VEC(struct ir_set) v;
};
typedef bool lower_read_set(struct lower *l, const struct ast_value *v,
			    enum lower_side side, struct lower_sets *into);
/*
 * All exceptions of a statement; what can be read of them is given even after
 * an error (false), so that each one is reported.  They match as the opposite
 * of `side` does.
 */
bool lower_except(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  lower_read_set *read, struct ir_set **ret, size_t *ret_n);
/* Has a managed level locked the statement, or all of its section? */
bool lower_is_locked(const struct sema_stmt *t);
/* Why a statement no longer counts today, or NULL. */
const char *lower_past_until(const struct lower *l, const struct sema_stmt *t);
void lower_drop(struct lower *l, struct str text, const char *why,
		struct ir_place at, struct ir_place by, enum ir_level level);

/* --- one file a section ---------------------------------------------------- */

/* The scopes in which `when` holds (NULL: there is none); 0 after an error, or where it
 * speaks of another role than the chosen one. */
unsigned lower_scopes(struct lower *l, const struct ast_expr *when);
/* Before the first rule: every mount, and which of them count. */
void lower_mounts(struct lower *l);
void lower_mount(struct lower *l, const struct sema_stmt *t);
/* After the last rule has its number. */
void lower_mounts_done(struct lower *l);
void lower_command(struct lower *l, const struct sema_stmt *t);
void lower_file(struct lower *l, const struct sema_stmt *t);
void lower_scratch(struct lower *l, const struct sema_stmt *t);
/* After the last rule: whose ${HOME} it is. */
void lower_home(struct lower *l);
void lower_net(struct lower *l, const struct sema_stmt *t);
bool lower_host(struct lower *l, const struct ast_value *v, struct ir_net *ret);
bool lower_port(struct lower *l, const struct ast_value *v, uint16_t *ret_lo,
		uint16_t *ret_hi);
void lower_unix(struct lower *l, const struct sema_stmt *t);
void lower_syscall(struct lower *l, const struct sema_stmt *t);
/* The socket families that the network's mode leaves. */
void lower_families(struct lower *l);
void lower_tool(struct lower *l, const struct sema_stmt *t);
/* The class of a tool; its other keys are carried (carried.c). */
void lower_tool_facts(struct lower *l, const struct sema_stmt *t);
void lower_env(struct lower *l);
/* "\$" means '$'; false after an error where a root would come of it. */
bool lower_text(struct lower *l, const struct ast_value *v, struct str *ret);
/* A name of a variable; with `star` one '*' may stand at its end. */
bool lower_is_variable(struct str s, bool star);
void lower_facts(struct lower *l, const struct sema_stmt *t);
void lower_pin(struct lower *l, const struct sema_stmt *t);
void lower_shell(struct lower *l, const struct sema_stmt *t);
/* After the last statement: which pins and which shell count. */
void lower_pins_done(struct lower *l);
void lower_tests(struct lower *l);
/* A request as a test asks it; false after an error. */
bool lower_request(struct lower *l, const struct ast_request *r, struct ir_request *q);
/* The examples of a rule statement whose rules are `made`. */
void lower_examples(struct lower *l, const struct sema_stmt *t);

/* Fills ir.roles. */
void lower_roles(struct lower *l);
/* What a statement says of a setting, or of what runner, session, audit, alert, tool
 * and via carry. */
void lower_carried(struct lower *l, const struct sema_stmt *t);
/* Decides which of it counts; permissions.mode becomes a scalar, agents.allowedRoles
 * is held against the chosen role. */
void lower_settings(struct lower *l);
/* Reads every `otherwise`, `opaque`, mode, limit and `base`, and decides which counts. */
void lower_scalars(struct lower *l);
/* A number with the unit of its type, SIZE to COUNT; and how one is written. */
bool lower_number(enum ir_scalar_type type, struct str text, uint64_t *ret);
const char *lower_number_help(enum ir_scalar_type type);

#endif
