/* What the files of lower/ share; nobody else includes this. */
#ifndef COMPILER_LOWER_INTERNAL_H
#define COMPILER_LOWER_INTERNAL_H

#include "compiler/lower/lower.h"

/* One file's word on a scalar. */
struct lower_claim {
	enum ir_scalar_id id;
	struct ir_scalar value; /* with level, place, source, locked */
	const struct sema_unit *unit;
	bool section_locked;
};

/* `mount HOST at PLACE`, before rules are lowered. */
struct lower_alias {
	const struct sema_stmt *t;
	struct str place;
	struct ir_path tree;
	enum ir_level level;
	bool cut;  /* by a lock or a narrow-only level */
	bool lost; /* its place has another tree: `lost_to` */
	struct ir_place lost_to;
};

/* `pin` and `shell` as statements; the last word is lower_pins_done()'s. */
struct lower_pinned {
	const struct sema_stmt *t;
	struct ir_pin pin;
};

struct lower_shelled {
	const struct sema_stmt *t;
	struct ir_shell shell;
};

/* A mount that counts; the number of its rule is known at the end. */
struct lower_mounted {
	struct str place;
	const struct ir_rule *rule;
};

struct lower {
	struct sema *s;
	struct arena *a;
	struct diag_sink *sink;
	struct ir *ir;
	VEC(struct lower_claim *) claims; /* in order */
	VEC(uint64_t) keys; /* of ir.rules: unit order and offset, for sorting */
	VEC(struct lower_alias) aliases;
	VEC(struct lower_mounted) mounted; /* by place */
	VEC(struct lower_pinned) pins;
	VEC(struct lower_shelled) shells;
	const struct sema_stmt *stmt; /* that is being lowered */
	VEC(struct ir_rule *) made;   /* its rules */
	const struct sema_unit *mode_unit; /* who said the network's mode */
};

/* As deny and ask match (broadly), or as allow does. */
enum lower_side { LOWER_BROAD, LOWER_NARROW };

static inline enum lower_side lower_other(enum lower_side side)
{
	return side == LOWER_BROAD ? LOWER_NARROW : LOWER_BROAD;
}

enum lower_side lower_side_of(enum ast_effect e);
enum ir_effect lower_effect(enum ast_effect e);

/* --- lower.c: rules -------------------------------------------------------- */

/* What all rules of one statement share; `scopes` 0 after an error. */
struct lower_head {
	struct ir_rule rule; /* without its set */
	const struct sema_stmt *t;
};

bool lower_head(struct lower *l, const struct sema_stmt *t, enum ir_kind kind,
		struct lower_head *ret);
/* Adds one rule; `except` is shared by the rules of a statement. */
struct ir_rule *lower_add(struct lower *l, const struct lower_head *h,
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
void lower_drop(struct lower *l, struct str text, const char *why,
		struct ir_place at, struct ir_place by, enum ir_level level);

/* --- glob.c ---------------------------------------------------------------- */

/* A word or path pattern being read. */
struct lower_glob_in {
	struct lower *l;
	struct str text;  /* what is read */
	struct str shown; /* as written, for messages */
	size_t i;
	struct span at;
	enum diag_code code;
	char separator; /* of alternatives: ',' in paths, '|' in words */
	bool path;
	bool sets;      /* "[abc]" is a set of characters, else an error */
	bool narrow;    /* as allow matches: a set has the bytes of '?' only */
	unsigned depth;
};

/*
 * set.c: the '[' at in->i and what belongs to it, as alternatives of one byte.
 * False after an error.
 */
bool lower_set(struct lower_glob_in *in, struct ir_glob_item *ret);
/* Reads up to the end, or in words up to a blank; false after an error. */
bool lower_glob(struct lower_glob_in *in, struct ir_glob *ret);
/* A path pattern of `file`, `unix` or a test. */
bool lower_path(struct lower *l, const struct ast_value *v, enum lower_side side,
		struct ir_path *ret);

/* --- mount.c --------------------------------------------------------------- */

struct lower_paths {
	VEC(struct ir_path) v;
};

/*
 * What a path pattern of the statement at hand names: itself, or below the
 * place of a mount what it means below its tree; both where a wildcard
 * reaches over the place.
 */
bool lower_paths(struct lower *l, const struct ast_value *v, enum lower_side side,
		 struct lower_paths *ret);
bool lower_paths_of(struct lower *l, const struct ir_path *p, enum lower_side side,
		    enum ir_level level, struct span at, struct lower_paths *ret);
/* Before the first rule: every mount, and which of them count. */
void lower_mounts(struct lower *l);
void lower_mount(struct lower *l, const struct sema_stmt *t);
/* After the last rule has its number. */
void lower_mounts_done(struct lower *l);

/* --- cond.c ---------------------------------------------------------------- */

struct target_call;
/*
 * What `when` says in one scope; NULL after an error.  `call` is NULL where
 * there are no arguments to speak of.
 */
struct ir_cond *lower_when(struct lower *l, const struct ast_expr *x,
			   const struct target_call *call, enum ir_scope scope);
/* What the arguments in parentheses say. */
struct ir_cond *lower_args(struct lower *l, const struct ast_expr *args,
			   const struct target_call *call, struct span at);
struct ir_cond *lower_and(struct lower *l, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *lower_or(struct lower *l, struct ir_cond *x, struct ir_cond *y);
struct ir_cond *lower_not(struct lower *l, struct ir_cond *x);
struct ir_cond *lower_compare(struct lower *l, unsigned arg, unsigned width,
			      uint64_t mask, enum ir_cmp cmp, uint64_t value);
/* A number, a constant or several joined by '|'; negative ones sign-extended. */
bool lower_constant(struct lower *l, const struct ast_expr *x, uint64_t *ret);
/* The scopes in which `when` holds; 0 after an error, or where it speaks of
 * another role than the chosen one. */
unsigned lower_scopes(struct lower *l, const struct ast_stmt *stmt);
bool lower_mentions_scope(const struct ast_expr *x);
/* Is it a word on `role` that may hold for another role? */
bool lower_mentions_role(const struct ast_expr *x);

/* --- one file a section ---------------------------------------------------- */

/* Guards of a statement, which all of its patterns have. */
struct lower_guards {
	VEC(struct ir_guard) v;
};

/* False after an error. */
bool lower_guards(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  struct lower_guards *ret);
/*
 * A broad pattern whose option words become guards; several patterns where a
 * word is an option or not.  False where there are too many.
 */
bool lower_option_words(struct lower *l, const struct ir_command *c,
			struct lower_sets *into);
/* What one pattern denotes goes to `into`; false after an error. */
bool lower_command_pattern(struct lower *l, const struct ast_value *v,
			   enum lower_side side, const struct lower_guards *guards,
			   struct lower_sets *into);
/* The exceptions of a statement as sets; false after an error. */
bool lower_command_except(struct lower *l, const struct ast_stmt *stmt,
			  enum lower_side side, struct ir_set **ret, size_t *ret_n);
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
/* The class of a tool; the other keys are carried (carried.c). */
void lower_tool_facts(struct lower *l, const struct sema_stmt *t);
void lower_env(struct lower *l);
/* How many ${ROOT} stand in a text with its "\$" as written. */
size_t lower_roots_in(struct str text);
/* "\$" means '$'; false after an error where a root would come of it. */
bool lower_text(struct lower *l, const struct ast_value *v, struct str *ret);
void lower_facts(struct lower *l, const struct sema_stmt *t);
/* A table of `program`, `wrapper` or `interpreter` whose form is checked. */
void lower_program(struct lower *l, const struct sema_stmt *t);
/* Reports what is no name of a program. */
bool lower_program_name(struct lower *l, struct str name, struct span at);
/* Is it a line of operands that name files (`reads operand 2`)?  ret may be NULL. */
bool lower_place_of(enum ast_prog_kind kind, enum ir_place_kind *ret);
/* Which operands it speaks of (ir_code_place.operand); false: none. */
bool lower_operands(const struct ast_value *v, uint32_t *ret);
/*
 * Reports a regex that PCRE2 refuses or that is too large.  One that is no
 * regular language is `opaque`; NULL: an error.  `flags`: more set_regex_flag.
 */
bool lower_regex(struct lower *l, const struct ast_value *v, unsigned flags,
		 bool *ret_opaque);
bool lower_regex_flag(const struct ast_value *v, char flag);
/* `when /…/` of a code place; NULL: there is none. */
void lower_when_regex(struct lower *l, const struct ast_value *v, struct ir_when *ret);
void lower_pin(struct lower *l, const struct sema_stmt *t);
void lower_shell(struct lower *l, const struct sema_stmt *t);
/* After the last statement: which pins and which shell count. */
void lower_pins_done(struct lower *l);
void lower_tests(struct lower *l);
/* A request as a test asks it; false after an error. */
bool lower_request(struct lower *l, const struct ast_request *r, struct ir_request *q);
/*
 * The examples of a rule statement whose rules are `made`; those of one that
 * does not count are read for their faults.
 */
void lower_examples(struct lower *l, const struct sema_stmt *t, bool counts);

/* --- roles.c, settings.c, value.c, carried.c ------------------------------- */

/* Fills ir.roles. */
void lower_roles(struct lower *l);

enum lower_type {
	LOWER_T_ANY, LOWER_T_TEXT, LOWER_T_PATH, LOWER_T_BOOL, LOWER_T_COUNT,
	LOWER_T_SIZE, LOWER_T_DURATION, LOWER_T_WORD, LOWER_T_NAMES,
	LOWER_T_REGEXES, LOWER_T_LIST, LOWER_T_FRACTIONS
};

/* What is tighter: where nothing is, a narrow-only level has no say. */
enum lower_order { LOWER_O_NONE, LOWER_O_SMALLER, LOWER_O_SUBSET, LOWER_O_LATER };

/* A row of settings.def. */
struct lower_spec {
	enum ir_part part;
	const char *key;
	enum lower_type type;
	enum lower_order order;
	bool acts;
	const char *words; /* WORD: a|b|c, for LATER from loose to tight */
};

/* One file's word on a setting or on what is carried. */
struct lower_say {
	const struct lower_spec *spec;
	struct ir_setting value; /* with level, place, source, locked, role */
	const struct sema_stmt *t;
	bool append;
};

/* The row of a key, or NULL. */
const struct lower_spec *lower_spec(enum ir_part part, struct str key);
/* Error: no such key; with suggestions from the rows of the part whose keys
 * begin with `prefix`. */
void lower_no_key(struct lower *l, enum ir_part part, const char *prefix,
		  struct str key, struct span at);
/* The place of a word in "a|b|c", or -1. */
int lower_word(const char *words, struct str word);
/* What the syntax says, by itself; false after an error. */
bool lower_any_value(struct lower *l, const struct ast_value *v, struct ir_value *ret);
/* As the row wants it; false after an error. */
bool lower_value(struct lower *l, const struct lower_spec *spec, struct str key,
		 const struct ast_value *v, struct ir_value *ret);
/* A map's items by key; false after an error about a key that stands twice. */
bool lower_sort_map(struct lower *l, struct ir_value *map, struct span at);
/* Is `x` tighter than `y`, or the same? */
bool lower_is_tighter(const struct lower_spec *spec, const struct ir_value *x,
		      const struct ir_value *y);

struct lower_says {
	VEC(struct lower_say *) v;
};

/* A new say with level, place and source of the statement; `part`'s name and
 * the key are its id. */
struct lower_say *lower_say(struct lower *l, struct lower_says *says,
			    const struct sema_stmt *t, const struct lower_spec *spec,
			    struct str key, struct span at);
/* What runner, session, audit, alert, tool and via say. */
void lower_carried(struct lower *l, const struct sema_stmt *t, struct lower_says *says);
/* Reads all says and decides which counts; permissions.mode becomes a scalar,
 * agents.allowedRoles is held against the chosen role. */
void lower_settings(struct lower *l);

/* --- claims.c, scalars.c, limits.c ----------------------------------------- */

/* A claim with level, place and source of the statement. */
struct lower_claim *lower_claim(struct lower *l, const struct sema_stmt *t,
				enum ir_scalar_id id);
/* Every `otherwise`, `opaque`, mode, limit and `base`, as claims. */
void lower_read_claims(struct lower *l);
/* Reads them and decides which counts. */
void lower_scalars(struct lower *l);
void lower_limit(struct lower *l, const struct sema_stmt *t);

#endif
