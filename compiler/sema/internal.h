/* What the files of sema/ share; no other folder includes this. */
#ifndef COMPILER_SEMA_INTERNAL_H
#define COMPILER_SEMA_INTERNAL_H

#include "compiler/sema/sema.h"

/* --- text.c: strings ------------------------------------------------------- */

/* The folder of `path`, with its last '/', or "". */
struct str sema_dirname(struct str path);
struct ast_value *sema_append(struct ast_value ***tail, struct ast_value *v);

/* --- policy.c: what `policy` says ------------------------------------------ */

/* Returns the canonical path, or NULL with errno set. */
const char *sema_canonical(struct sema *s, const char *path);
/* Sets u->policy.  This function and the next return false after an error. */
bool sema_find_policy(struct sema *s, struct sema_unit *u);
bool sema_check_policy_keys(struct sema *s, const struct sema_unit *u);
/*
 * Sets the level and `narrow` of an input: the level is the option's, else the declared
 * one, else project.
 */
bool sema_input_level(struct sema *s, struct sema_unit *u,
		      const struct sema_input *in);
/*
 * Is this canonical path that of std/base or the floor, which are part of every policy?
 */
bool sema_is_built_in(struct sema *s, const char *real);
/* Is std/base loaded? */
bool sema_base_wanted(struct sema *s, bool *ret_wanted);

/* --- scope.c: what names stand for ----------------------------------------- */

/* A `let` or `group`, with its names resolved. */
struct sema_name {
	struct str name;
	const struct ast_stmt *stmt;
	const struct ast_value *value; /* let: one value; group: a list of names */
	const char *real;              /* the file that defines it */
	bool group;
	bool calls;                    /* it is a group of system calls */
	bool used;
};

/* Names visible in a unit.  At first those of the files that it uses and of std/base;
 * the unit's own are added when their statement is reached. */
void sema_scope_open(struct sema *s, struct sema_unit *u);
void sema_scope_define(struct sema *s, struct sema_unit *u,
		       const struct ast_stmt *stmt);
/* Do both stand at the same place of the same file? */
bool sema_same_definition(const struct sema_name *x, const struct sema_name *y);
/* Warns of the unit's own names that nothing has used, once all units are resolved. */
void sema_scope_unused(struct sema *s, const struct sema_unit *u);

enum sema_values {
	SEMA_V_PATTERNS, /* names mean lets, lists are spliced in */
	SEMA_V_HOSTS,    /* like PATTERNS; also addresses and `any` */
	SEMA_V_CALLS,    /* names mean system calls, groups are spliced in */
	SEMA_V_TEXTS,    /* strings only; names are not replaced */
	SEMA_V_VALUES,   /* like TEXTS, but the name of a let means its value */
	SEMA_V_ITEMS     /* … in a list, where a let that is a list is spliced in */
};
/* Copies the list with its names resolved. */
struct ast_value *sema_values(struct sema *s, struct sema_unit *u,
			      const struct ast_value *list, enum sema_values how);

/* --- check.c: what this version has no meaning for ------------------------- */

/* The section whose rules have sets like that of the request; -1: none. */
int sema_section_of(enum ast_request_kind kind);
/* Reports every part of the statement that this version does not support. */
void sema_check_stmt(struct sema *s, const struct sema_unit *u,
		     const struct ast_stmt *stmt, int section);

/* --- roles.c --------------------------------------------------------------- */

/*
 * Finds the roles that all files declare; reports the chosen role if none of them does.
 */
void sema_roles(struct sema *s);
/* May a role contain the statement?  Reports it if not. */
bool sema_in_role(struct sema *s, const struct ast_stmt *stmt);

/* --- levels.c -------------------------------------------------------------- */

/* Checks that `final` and `locked` stand where they may, and finds the locks. */
void sema_levels_check(struct sema *s);
/* Cuts statements that narrow-only levels and locks take away; marks soft asks. */
void sema_levels_cut(struct sema *s);

/* --- ids.c ----------------------------------------------------------------- */

void sema_ids(struct sema *s);

#endif
