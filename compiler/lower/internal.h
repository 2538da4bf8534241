/* What the files of lower/ share; no other folder includes this. */
#ifndef COMPILER_LOWER_INTERNAL_H
#define COMPILER_LOWER_INTERNAL_H

#include "compiler/sema/sema.h"

struct lower_alias;
struct lower_via;

struct claim;

struct lower {
	struct sema *s;
	struct arena *a;
	struct diag_sink *sink;
	struct ir *ir;
	struct map claims; /* by kind and key; claims.h */
	struct map whens;  /* the regexes of `when` that were found to be regular; regex.c */
	VEC(uint64_t) keys; /* one for each of ir.rules: order of its unit, and offset;
	                       for sorting */
	VEC(struct lower_alias *) aliases; /* the mounts; see mount.c */
	const struct sema_stmt *stmt; /* the statement that is being lowered */
	struct ir made;               /* the rules, facts and examples that it makes */
	bool sockets;                 /* its paths are of sockets */
	struct lower_via *via[IR_LEVEL_COUNT]; /* the proxy of a level's rules that name
	                                          none, or NULL; see grant.c */
	const struct claim *mode;     /* which network mode closes sockets, or NULL */
	bool scoped_defaults;         /* `otherwise` or `opaque` of commands has a `when` */
};

/* Broadly: as deny and ask match.  Narrowly: as allow does. */
enum lower_side { LOWER_BROAD, LOWER_NARROW };

static inline enum lower_side lower_other(enum lower_side side)
{
	return side == LOWER_BROAD ? LOWER_NARROW : LOWER_BROAD;
}

/* --- rule.c -------------------------------------------------------- */

/* Reports the root of ssh-agent's socket where it means nothing; false. */
bool lower_agent_misplaced(struct lower *l, struct span at);
enum lower_side lower_side_of(enum ast_effect e);
enum ir_effect lower_effect(enum ast_effect e);
/* Finds the risk class of this name; false if there is none. */
bool lower_risk(struct str name, enum ir_risk *ret);
/* The text in lower case. */
struct str lower_letters(struct arena *a, struct str s);
/*
 * A statement's text as its rules show it.  A statement with 10,000 hosts becomes that
 * many rules, and each carries the text: past a limit we cut it.  Ids are made of the
 * whole text.
 */
struct str lower_shown(struct lower *l, struct str text);
/*
 * Fills in what all rules of one statement share, all but the set; `scopes` is 0 after
 * an error.
 */
bool lower_head(struct lower *l, const struct sema_stmt *t, enum ir_kind kind,
		struct ir_rule *ret);
/* Adds one rule; the rules of a statement share `except`. */
struct ir_rule *lower_add(struct lower *l, const struct ir_rule *head,
			  const struct ir_set *set);
const struct ast_option *lower_option(const struct ast_stmt *stmt,
				      enum ast_opt_kind kind);
/*
 * Reads one value after `except` and adds what it means to `into`; false after an
 * error.
 */
struct lower_sets {
	VEC(struct ir_set) v;
};
typedef bool lower_read_set(struct lower *l, const struct ast_value *v,
			    enum lower_side side, struct lower_sets *into);
/*
 * Reads all exceptions of a statement.  After an error it returns false, but still
 * gives those that could be read, so that every error is reported.  Exceptions match as
 * the opposite of `side` does.
 */
bool lower_except(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  lower_read_set *read, struct ir_set **ret, size_t *ret_n);
/* Has a managed level locked the statement, or its whole section? */
bool lower_is_locked(const struct sema_stmt *t);
/* The reason why a statement no longer counts today, or NULL. */
const char *lower_past_until(const struct lower *l, const struct sema_stmt *t);
void lower_drop(struct lower *l, struct str text, const char *why,
		struct ir_place at, struct ir_place by, enum ir_level level);

/* --- one file a section ---------------------------------------------------- */

/* The scopes in which `when` (may be NULL) holds; 0 after an error, or if it asks for a
 * role other than the chosen one. */
unsigned lower_scopes(struct lower *l, const struct ast_expr *when);
/* Call this before the first rule: reads all mounts and decides which of them count. */
void lower_mounts(struct lower *l);
void lower_mount(struct lower *l, const struct sema_stmt *t);
/* Call this after the last rule has its number. */
void lower_mounts_done(struct lower *l);
void lower_command(struct lower *l, const struct sema_stmt *t);
void lower_file(struct lower *l, const struct sema_stmt *t);
void lower_scratch(struct lower *l, const struct sema_stmt *t);
/* Call this after the last rule: decides whose home ${HOME} is. */
void lower_home(struct lower *l);
void lower_net(struct lower *l, const struct sema_stmt *t);
/* --- host.c ---------------------------------------------------------------- */

bool lower_host(struct lower *l, const struct ast_value *v, struct ir_net *ret);
/* Reads a port or a range of them; false after an error. */
bool lower_port(struct lower *l, const struct ast_value *v, uint16_t *ret_lo,
		uint16_t *ret_hi);
/* Reads an address or a block of them. */
bool lower_address(struct lower *l, const struct ast_value *v, struct num_cidr *ret);
/*
 * Checks a host name and gives it in ASCII and lower case, without the last dot.  `v` is
 * where it stands; `text` may be a part of it.
 */
bool lower_name(struct lower *l, const struct ast_value *v, struct str text,
		struct str *ret);
/* --- grant.c: what the gateway does with the connections of a rule ---------- */

/* Where the run speaks plain HTTP, if the gateway adds a header. */
#define LOWER_INJECT_PORT 80
/* Reads the section statements `via`; call it before the first rule. */
void lower_vias(struct lower *l);
/* Reads what a rule's options say; false after an error. */
bool lower_grant(struct lower *l, const struct sema_stmt *t, struct ir_grant *ret);
/*
 * Empties what a soft rule says: it can ask where others allow, and may not say what
 * becomes of the connections that they let through.
 */
void lower_grant_drop(struct lower *l, const struct sema_stmt *t, struct ir_net *net);
/*
 * Makes it fit one host of the rule (`v`; NULL: the rule names none): the section's proxy
 * counts if the rule names none and is not soft.  False after an error.
 */
bool lower_grant_host(struct lower *l, const struct sema_stmt *t,
		      const struct ast_value *v, bool soft, struct ir_net *net);
/* Call this after lower_env(): every secret that a rule uses must be declared. */
void lower_grants_done(struct lower *l);

void lower_publish(struct lower *l, const struct sema_stmt *t);
void lower_unix(struct lower *l, const struct sema_stmt *t);
void lower_syscall(struct lower *l, const struct sema_stmt *t);
/* Adds rules for the sockets that the network's mode leaves; call it after lower_scalars(). */
void lower_sockets(struct lower *l);
void lower_tool(struct lower *l, const struct sema_stmt *t);
/* Reads the risk class of a tool; carried.c reads its other keys. */
void lower_tool_facts(struct lower *l, const struct sema_stmt *t);
void lower_env(struct lower *l);
/*
 * Unescapes a value ("\$" means '$'); false after an error, for example if that would
 * produce a root.
 */
bool lower_text(struct lower *l, const struct ast_value *v, struct str *ret);
/* Is it the name of a variable?  With `star`, a '*' may stand at its end. */
bool lower_is_variable(struct str s, bool star);
void lower_facts(struct lower *l, const struct sema_stmt *t);
void lower_pin(struct lower *l, const struct sema_stmt *t);
void lower_shell(struct lower *l, const struct sema_stmt *t);
/* Call this after the last statement: decides which pins and which shell count. */
void lower_pins_done(struct lower *l);
void lower_assert(struct lower *l, const struct sema_stmt *t);
void lower_tests(struct lower *l);
/* Turns a test's request into an IR request; false after an error. */
bool lower_request(struct lower *l, const struct ast_request *r, struct ir_request *q);
/* Reads the examples of the rule statement whose rules are in `made`. */
void lower_examples(struct lower *l, const struct sema_stmt *t);

/* Fills ir.roles. */
void lower_roles(struct lower *l);
/* Reads what a statement says about a setting, or about something that runner, session,
 * audit, alert, tool or via carry. */
void lower_carried(struct lower *l, const struct sema_stmt *t);
/* Decides which settings count.  permissions.mode becomes a scalar; the chosen role
 * must be in agents.allowedRoles. */
void lower_settings(struct lower *l);
/* Reads every `otherwise`, `opaque`, mode, limit and `base`, and decides which counts. */
void lower_scalars(struct lower *l);
/*
 * Turns an `opaque allow` of a level that is not managed into `opaque ask` where a managed level
 * denies or asks about commands.  All rules must be known when it is called.
 */
void lower_opaque_done(struct lower *l);
/*
 * Reads a number with the unit of its type (SIZE to COUNT); the other function
 * describes how to write one.
 */
bool lower_number(enum ir_scalar_type type, struct str text, uint64_t *ret);
const char *lower_number_help(enum ir_scalar_type type);

#endif
