/*
 * Names, files and levels: turns policy files into the one list of statements that
 * lowering reads.  sema_load() reads every file and the files that it uses.
 * sema_resolve() replaces names by their values, refuses what this version does not
 * support, gives every rule its id, and removes what a lock or a narrow-only level does
 * not allow a file to say (semantics 3).
 *
 * The order everywhere: by level, then by file as they were named (a file before those
 * that it imports), then by line; the floor comes last.
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

/* Files that do not lie in the file system: those of a git revision. */
struct sema_store {
	struct str name; /* printed before each path: "HEAD~1:" */
	/*
	 * The text of a file, whose path is normal and from the top of the store.  NULL,
	 * or why it cannot be read.
	 */
	const char *(*read)(struct sema_store *store, const char *path, struct str *ret);
};

/* A policy file that the command line names or that was discovered. */
struct sema_input {
	const char *path;
	struct str text;      /* not NULL: the text itself, from a stream that can be read
	                         only once; `path` then only names it */
	struct str name;      /* the name to print; empty: path */
	enum ir_level level;  /* 0: the level that the file declares, else project */
	bool discovered;      /* a project file that was discovered: narrow-only */
	bool cmdline_level;   /* an option set the level: a declared one must agree */
	struct str folder;    /* not empty: --discover found it there, which set the level */
	bool std;             /* a file of the standard library */
	struct sema_store *store; /* not NULL: it lies there, at `path` */
};

struct sema_unit;
struct sema_stmt;

/* One file uses another one. */
struct sema_use {
	struct sema_unit *to;
	struct span at;
};

/* One file at one level. */
struct sema_unit {
	struct str name;         /* the name to print */
	const char *path;        /* the path to open */
	const char *real;        /* the canonical path: identifies the file */
	struct sema_store *store; /* where it lies; NULL: in the file system */
	uint32_t file;           /* its number in the source map */
	struct ast_file *tree;   /* shared by all levels of the file */
	enum ir_level level;
	bool narrow;             /* narrow-only */
	bool found;              /* a project's file that nobody named, or one that such a
	                            file uses: full only if the user has trusted its text */
	bool floor;
	bool std;                /* it is part of the standard library */
	bool named;              /* it is an input, not only used or built in */
	uint32_t order;          /* position in the order of all units */
	struct sema_unit *from;  /* the first unit that imports it, for chains */
	struct span from_at;
	unsigned depth;
	VEC(struct sema_use) uses;
	struct span uses_base;   /* where it has `use std/base`; SPAN_NONE: nowhere */
	const struct ast_stmt *policy; /* its `policy` statement, or NULL */
	struct map scope;        /* the names that it sees; sema/scope.c */
	bool *reach;             /* indexed by order: the units that it uses, directly
	                            or through others */
	bool resolved;
	bool quiet;              /* its text was read without any message */
	VEC(struct sema_stmt *) stmts; /* in the order of the text */
};

/* A role that a file declares, with `role` or in agents.allowedRoles. */
struct sema_role {
	struct str name;
	struct span at;
};

/*
 * One statement that has an effect: of a section, a test, a setting, an alert, a tool.
 * `tool NAME { ask … }` becomes two: a rule of the section `tools` whose pattern is the
 * name, and an AST_TOOL with the rest of its body.
 */
struct sema_stmt {
	const struct ast_stmt *orig; /* as written */
	struct ast_stmt *stmt;       /* with names resolved; ${ROOT} stays in strings */
	struct sema_unit *unit;
	bool in_section;
	enum ast_section_kind section; /* valid if in_section */
	bool section_locked;         /* its section was opened with `locked` */
	struct str role;             /* the role that contains it, or empty */
	bool off;                    /* it belongs to a role that was not chosen, or is
	                                inside of a runner: read only to find its
	                                errors */
	bool inner;                  /* it is inside of a runner */
	bool soft;                   /* see ir_rule.soft */
	const char *cut;             /* why it does not count; NULL if it counts */
	struct ir_place cut_by;      /* the place of the lock; line 0 if there is none */
	struct str id;               /* for rules and risk classes; else empty */
	struct str text;             /* its canonical text, on one line */
	struct ir_place at;
};

struct sema {
	struct arena *a;
	struct diag_sink *sink;
	struct source_map *map;
	const char *stdlib_dir;        /* NULL until sema_load(): the program's own */
	struct library *library;       /* set if it is the program's own; library.h */
	struct str role;               /* the chosen role (--role), or empty */
	int64_t today;                 /* days since 1970-01-01, for `until` */
	/* Has the user trusted this text at this canonical path?  NULL: none. */
	bool (*trusted)(const char *real, struct str text);
	const struct sema *before;     /* sema_after(), or NULL */
	/* filled by sema_load() */
	VEC(struct sema_unit *) units; /* in order */
	struct ir_scalar base;         /* the scalar policy-base */
	bool loaded;
	/* filled by sema_resolve() */
	VEC(struct sema_stmt *) stmts; /* in order, including those that were cut */
	struct ir_lock locked[IR_KIND_COUNT];
	struct ir_lock facts_lock;     /* takes away the facts of the levels below it,
	                                  except those of level 5 */
	struct ir_lock tools_lock;     /* … and what they say about tools */
	VEC(struct sema_role) roles;   /* in order; each name once */
	bool resolved;
	size_t nvalues; /* number of values made by resolving names */
	bool full;      /* there are too many; this has been reported */
};

/* The caller gives a, sink, map and stdlib_dir (NULL: the program's own library).
 * Afterwards the caller may choose a role. */
void sema_init(struct sema *s, struct arena *a, struct diag_sink *sink,
	       struct source_map *map, const char *stdlib_dir);
/*
 * Before sema_load(): another policy was loaded, whose memory lives as long.  Files of the
 * library that it has read without a message are not read again: its trees are shared.
 */
void sema_after(struct sema *s, const struct sema *before);
/*
 * Pass "parse": reads and parses every input, the files that they use, std/base (unless
 * a full level says `base none`), and floor.pol.  False after an error.
 */
bool sema_load(struct sema *s, const struct sema_input *inputs, size_t n);
/* Puts an input's text into the map. 0 or -errno. */
int sema_input_text(struct source_map *map, const struct sema_input *in, uint32_t *ret_file);
/* Does this text state its own level, even if that is an invalid one? */
bool sema_declares_level(const struct ast_file *tree);
/* Pass "resolve".  Needs sema_load(); false after an error. */
bool sema_resolve(struct sema *s);
/* Prints the trees after the last pass that ran, as text that can be parsed again;
 * comments say what was cut. */
void sema_dump(struct buf *out, const struct sema *s);

/* --- for lower/ ------------------------------------------------------------ */

/* Does `a` use `b`, directly or through others? */
static inline bool sema_imports(const struct sema_unit *a, const struct sema_unit *b)
{
	return a->reach[b->order];
}
/* The canonical text of a statement, on one line. */
struct str sema_text(const struct sema *s, const struct ast_stmt *stmt);
struct ir_place sema_place(const struct sema *s, struct span at);
/* Does a file declare this role? */
bool sema_has_role(const struct sema *s, struct str name);
/* Adds "did you mean …", or explains how to declare a role. */
void sema_suggest_role(const struct sema *s, struct diag *d, struct str name);
/* The kind of request that a section's rules decide, or -1. */
int sema_section_kind(enum ast_section_kind section);
const char *sema_section_name(enum ast_section_kind section);

/*
 * Is there an escaped dollar sign, "\$", at `i` of a string?  Front ends allow a '$' to
 * follow a backslash only if the two are an escape: a backslash directly before it
 * belongs to it, and one further back does not.
 */
bool sema_is_escape(struct str text, size_t i);
/*
 * Finds the root that a `${NAME}` at the beginning of `text` names, and the length of
 * "${NAME}"; false if `text` does not begin with one.  \$ is no expansion.
 */
bool sema_root_prefix(struct str text, enum ir_root *ret_root, size_t *ret_len);
/* Does `text` contain the expansion of a root?  (Others have been resolved.) */
bool sema_has_root(struct str text);
/* Unescapes a text that is not a pattern: "\$" becomes "$". */
struct str sema_plain(struct arena *a, struct str text);
/*
 * Normalises a path: "a/./b/../c" becomes "a/c".  A leading "../" stays, a final '/'
 * does not.
 */
struct str sema_normal(struct arena *a, struct str path);

#endif
