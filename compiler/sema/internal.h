/* What the files of sema/ share; nobody else includes this. */
#ifndef COMPILER_SEMA_INTERNAL_H
#define COMPILER_SEMA_INTERNAL_H

#include "compiler/sema/sema.h"

/* --- text.c: strings ------------------------------------------------------- */

/* Where `path` stands: its folder with the last '/', or "". */
struct str sema_dirname(struct str path);
struct ast_value *sema_append(struct ast_value ***tail, struct ast_value *v);

/* --- policy.c: what `policy` says ------------------------------------------ */

/* The canonical path, or NULL with errno set. */
const char *sema_canonical(struct sema *s, const char *path);
/* Sets u->policy; these return false after an error. */
bool sema_find_policy(struct sema *s, struct sema_unit *u);
bool sema_check_policy_keys(struct sema *s, const struct sema_unit *u);
/* Sets level and narrow of an input: the option's, the declared one, project. */
bool sema_input_level(struct sema *s, struct sema_unit *u,
		      const struct sema_input *in);
/* Is this canonical path std/base's or the floor's, which are always there? */
bool sema_is_built_in(struct sema *s, const char *real);
/* Is std/base loaded? */
bool sema_base_wanted(struct sema *s, bool *ret_wanted);

/* --- scope.c: what names stand for ----------------------------------------- */

/* One `let` or `group`, with its names resolved. */
struct sema_name {
	struct str name;
	const struct ast_stmt *stmt;
	const struct ast_value *value; /* let: one value; group: a list of NAMEs */
	const char *real;              /* the file that defines it */
	bool group;
	bool calls;                    /* a group of system calls */
};

/* What is visible in a unit: the names of what it uses and of std/base; its
 * own join when their statement has been reached. */
void sema_scope_open(struct sema *s, struct sema_unit *u);
void sema_scope_define(struct sema *s, struct sema_unit *u,
		       const struct ast_stmt *stmt);

enum sema_values {
	SEMA_V_PATTERNS, /* names are lets, lists are spliced */
	SEMA_V_HOSTS,    /* as PATTERNS; addresses and `any` too */
	SEMA_V_CALLS,    /* names are system calls, groups are spliced */
	SEMA_V_TEXTS,    /* strings only; names stay as they are */
	SEMA_V_VALUES,   /* as TEXTS, but a name that is a let is its value */
	SEMA_V_ITEMS     /* … in a list, where a let that is a list is spliced */
};
/* A copy of the list with names resolved. */
struct ast_value *sema_values(struct sema *s, struct sema_unit *u,
			      const struct ast_value *list, enum sema_values how);

/* --- check.c: what this version has no meaning for ------------------------- */

/* Queues an error for everything of the statement that means nothing here. */
void sema_check_stmt(struct sema *s, const struct sema_unit *u,
		     const struct ast_stmt *stmt, int section);

/* --- roles.c --------------------------------------------------------------- */

/* Finds what all files declare; an error where the chosen role is none. */
void sema_roles(struct sema *s);
/* What a role may hold; an error for anything else. */
bool sema_in_role(struct sema *s, const struct ast_stmt *stmt);

/* --- levels.c -------------------------------------------------------------- */

/* final and locked where they may stand; finds the locks. */
void sema_levels_check(struct sema *s);
/* Cuts what narrow-only levels and locks take away; marks soft asks. */
void sema_levels_cut(struct sema *s);

/* --- ids.c ----------------------------------------------------------------- */

void sema_ids(struct sema *s);

#endif
