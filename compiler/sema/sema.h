/*
 * Names, files and levels: from policy files to one list of statements that
 * lowering reads.  sema_load() reads every file and what it uses;
 * sema_resolve() replaces names by what they stand for, refuses what has no
 * meaning in this version, gives every rule its id, and takes away what a
 * lock or a narrow-only level does not let a file say (semantics 3).
 *
 * Order everywhere: by level, then the files of a level as they were named,
 * an importer before what it imports, then by line; the floor last.
 */
#ifndef COMPILER_SEMA_SEMA_H
#define COMPILER_SEMA_SEMA_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/base/buf.h"
#include "compiler/base/map.h"
#include "compiler/base/vec.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* One policy file that a command line names or discovery finds. */
struct sema_input {
	const char *path;
	struct str name;      /* as printed; empty: path */
	enum ir_level level;  /* 0: as its policy statement declares, else project */
	bool discovered;      /* a discovered project file: narrow-only */
	bool cmdline_level;   /* an option gave the level: a declared one must agree */
};

struct sema_unit;
struct sema_stmt;

/* `use` of one file by another. */
struct sema_use {
	struct sema_unit *to;
	struct span at;
};

/* One file speaking at one level. */
struct sema_unit {
	struct str name;         /* as printed */
	const char *path;        /* as opened */
	const char *real;        /* canonical; identity of the file */
	uint32_t file;           /* in the source map */
	struct ast_file *tree;   /* shared between the levels of one file */
	enum ir_level level;
	bool narrow;             /* narrow-only */
	bool floor;
	bool std;                /* lies in the standard library */
	bool named;              /* an input, not only used or built in */
	uint32_t order;          /* place in the whole order */
	struct sema_unit *from;  /* the first importer, for chains */
	struct span from_at;
	unsigned depth;
	VEC(struct sema_use) uses;
	struct span uses_base;   /* where it says `use std/base`; SPAN_NONE: nowhere */
	const struct ast_stmt *policy; /* its `policy` statement, or NULL */
	struct map scope;        /* of names that it sees; sema/scope.c */
	bool *reach;             /* by order: what it uses, through others too */
	bool resolved;
	VEC(struct sema_stmt *) stmts; /* in text order */
};

/* A role that a file declares, with `role` or in agents.allowedRoles. */
struct sema_role {
	struct str name;
	struct span at;
};

/*
 * One statement that means something: of a section, a test, a setting, an
 * alert, a tool.  `tool NAME { ask … }` is two: a rule of the section `tools`
 * whose pattern is the name, and the AST_TOOL with the rest of its body.
 */
struct sema_stmt {
	const struct ast_stmt *orig; /* as written */
	struct ast_stmt *stmt;       /* names resolved; ${ROOT} is left in strings */
	struct sema_unit *unit;
	bool in_section;
	enum ast_section_kind section; /* where in_section */
	bool section_locked;         /* its section was opened with `locked` */
	struct str role;             /* the role that it stands in, or empty */
	bool off;                    /* of a role that was not chosen, or inside of
	                                a runner: read for its faults only */
	bool inner;                  /* … inside of a runner */
	bool soft;                   /* see ir_rule.soft */
	const char *cut;             /* why it does not count; NULL: it counts */
	struct ir_place cut_by;      /* the lock; line 0: none */
	struct str id;               /* of rules and risk classes, else empty */
	struct str text;             /* canonical text on one line */
	struct ir_place at;
};

struct sema {
	struct arena *a;
	struct diag_sink *sink;
	struct source_map *map;
	const char *stdlib_dir;        /* NULL until sema_load(): the program's own */
	struct library *library;       /* where it is the program's own; library.h */
	struct str role;               /* the chosen one (--role), or empty */
	int64_t today;                 /* days since 1970-01-01, for `until` */
	/* filled by sema_load() */
	VEC(struct sema_unit *) units; /* in order */
	struct ir_scalar base;         /* the scalar policy-base */
	bool loaded;
	/* filled by sema_resolve() */
	VEC(struct sema_stmt *) stmts; /* in order, cut ones too */
	struct ir_lock locked[IR_KIND_COUNT];
	struct ir_lock facts_lock;     /* cuts the facts of the levels below it,
					* those of level 5 aside */
	struct ir_lock tools_lock;     /* … and what they say of tools */
	VEC(struct sema_role) roles;   /* in order, each name once */
	bool resolved;
	size_t nvalues; /* made by resolving names */
	bool full;      /* too many of them; the error is in the sink */
};

/* The caller fills a, sink, map, stdlib_dir (NULL: the program's own); then he
 * may choose a role. */
void sema_init(struct sema *s, struct arena *a, struct diag_sink *sink,
	       struct source_map *map, const char *stdlib_dir);
/*
 * Pass "parse": reads and parses every input, what they use, std/base (unless
 * a full level says `base none`) and floor.pol.  False after an error.
 */
bool sema_load(struct sema *s, const struct sema_input *inputs, size_t n);
/* Does this text state the level at which it speaks, be it a wrong one? */
bool sema_declares_level(const struct ast_file *tree);
/* Pass "resolve".  False after an error; needs sema_load(). */
bool sema_resolve(struct sema *s);
/* The trees after the last pass that ran, as text that parses again but for
 * comments that say what was cut. */
void sema_dump(struct buf *out, const struct sema *s);

/* --- for lower/ ------------------------------------------------------------ */

/* Does `a` use `b`, directly or through others? */
bool sema_imports(const struct sema_unit *a, const struct sema_unit *b);
/* A statement's canonical text on one line. */
struct str sema_text(const struct sema *s, const struct ast_stmt *stmt);
struct ir_place sema_place(const struct sema *s, struct span at);
/* Does a file declare this role? */
bool sema_has_role(const struct sema *s, struct str name);
/* Adds "did you mean", or how a role is declared. */
void sema_suggest_role(const struct sema *s, struct diag *d, struct str name);
/* The kind of request that a section's rules decide, or -1. */
int sema_section_kind(enum ast_section_kind section);
const char *sema_section_name(enum ast_section_kind section);

/*
 * Does "\$" stand at `i` of a string?  Front ends let no other backslash stand
 * before a '$': one before it is a dollar sign's, one further back is not.
 */
bool sema_is_escape(struct str text, size_t i);
/*
 * The root that a `${NAME}` at `text` names, and the length of "${NAME}";
 * false where `text` does not begin with one.  \$ is no expansion.
 */
bool sema_root_prefix(struct str text, enum ir_root *ret_root, size_t *ret_len);
/* Is there an expansion (of a root; others are resolved) anywhere in `text`? */
bool sema_has_root(struct str text);
/* A text that is no pattern: "\$" becomes "$". */
struct str sema_plain(struct arena *a, struct str text);
/* "a/./b/../c" is "a/c"; a leading "../" stays, a last '/' does not. */
struct str sema_normal(struct arena *a, struct str path);

#endif
