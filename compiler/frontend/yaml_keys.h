/*
 * grammar/yaml_keys.def as data: the keys that a mapping may have, their spellings,
 * the types of their values, and the functions that read them.
 */
#ifndef COMPILER_FRONTEND_YAML_KEYS_H
#define COMPILER_FRONTEND_YAML_KEYS_H

#include "compiler/ast/ast.h"
#include "compiler/base/arena.h"
#include "compiler/base/map.h"
#include "compiler/base/str.h"

enum yml_scope {
	YML_S_NONE,
#define SCOPE(name, doc) YML_S_##name,
#define KEY(scope, name, type, sub, flags, fn, arg, doc)
#define WORD(set, word, meaning)
#include "grammar/yaml_keys.def"
#undef SCOPE
#undef KEY
#undef WORD
	YML_SCOPES
};

/* Words of configuration files for which the language has other words. */
enum yml_word_set {
	YML_W_NONE, YML_W_MODE, YML_W_SANDBOX_TYPE, YML_W_EXECUTION_MODE,
	YML_W_NETWORK, YML_W_PERMISSION, YML_W_SCOPE, YML_W_EFFECT, YML_W_CLASS,
	YML_W_ACTION, YML_W_TOOL_RISK, YML_W_RUNNER, YML_W_PROTO,
	YML_W_NEEDS
};

/* Numbers whose unit is part of the name of their key. */
enum yml_quantity {
	YML_Q_CPU, YML_Q_CPU_PERCENT, YML_Q_MEMORY, YML_Q_MEMORY_MB, YML_Q_DISK,
	YML_Q_DISK_MB, YML_Q_PROCESSES, YML_Q_FILES, YML_Q_SECONDS, YML_Q_STDOUT_KB,
	YML_Q_STDERR_KB, YML_Q_WRITTEN_MB
};

/* What the rules made from a list of paths do. */
enum yml_paths {
	YML_P_READ, YML_P_WRITE, YML_P_READ_WRITE, YML_P_DENY_WRITE, YML_P_HIDE,
	YML_P_SCRATCH
};

/* Types of values.  A type in the plural accepts a list or a single value. */
enum yml_type {
	YML_T_TEXT, YML_T_TEXTS, YML_T_PATTERNS, YML_T_PATHS, YML_T_HOSTS, YML_T_PORTS,
	YML_T_NAMES, YML_T_OPTIONS, YML_T_CALLS, YML_T_IMPORTS, YML_T_ELEMENTS,
	YML_T_REGEXES, YML_T_WORD, YML_T_WORDS, YML_T_NUMBER, YML_T_DATE,
	YML_T_ANY,          /* see doc/yaml.md */
	YML_T_BOOL, YML_T_EFFECT, YML_T_OPS,
	YML_T_EXPR,         /* one text of the language */
	YML_T_DSL,          /* texts of the language */
	YML_T_DEFAULT_RISK, /* an effect, or CLASS: EFFECT */
	YML_T_MAP,          /* a mapping of SUB */
	YML_T_ITEMS,        /* a list of statements of SUB */
	YML_T_PAIRS,        /* a mapping of SUB, or a list of such mappings */
	YML_T_BODY,         /* the same, with sections inside */
	YML_T_NAMED,        /* NAME: …; the function reads the rest */
	YML_T_CHOICE,       /* a word of the set ARG */
	YML_T_CHOICES,
	YML_T_MAPS,         /* a list of mappings of SUB */
	YML_T_RISKS,        /* a mapping of SUB */
	YML_T_SETTINGS,     /* a mapping with any keys */
	YML_T_NETWORK, YML_T_ENV, YML_T_SESSION, YML_T_RUNNER, YML_T_TOOLS,
	YML_TYPES
};

enum {
	YML_LOCKABLE = 1 << 0,
	YML_APPEND = 1 << 1,
	YML_REPEATS = 1 << 2,
	YML_NEEDED = 1 << 3,
	YML_HEAD = 1 << 4,
	YML_OWN = 1 << 5
};

/* Classes of statements, for HEAD and OF; bits of `classes`. */
enum {
	YML_C_RULE = 1 << 0, YML_C_OTHER = 1 << 1, YML_C_RISK = 1 << 2,
	YML_C_PROGRAM = 1 << 3, YML_C_PLAIN = 1 << 4, YML_C_INERT = 1 << 5,
	YML_C_PIN = 1 << 6, YML_C_SHELL = 1 << 7, YML_C_MOUNT = 1 << 8,
	YML_C_SET = 1 << 9, YML_C_SECRET = 1 << 10, YML_C_RATE = 1 << 11,
	YML_C_ROUTE = 1 << 12, YML_C_BLOCK = 1 << 13, YML_C_VIA = 1 << 14
};

/* The functions that read the value of a key (yaml_shape.h). */
#define YML_READERS(X)                                                             \
	/* yaml_top.c */                                                           \
	X(policy) X(use) X(let) X(group) X(role) X(tool) X(tool_effect) X(alert)   \
	X(setting) X(test) X(dsl) X(pair)                                          \
	/* yaml_section.c */                                                       \
	X(section) X(network) X(set) X(secret) X(rate) X(route) X(block)           \
	/* yaml_items.c */                                                         \
	X(rule) X(hostless) X(otherwise) X(risk) X(program) X(values) X(pin)       \
	X(shell) X(opaque) X(mount) X(mode)                                        \
	/* yaml_docs.c, yaml_paths.c */                                            \
	X(connections) X(quantity) X(limit) X(permissions)                         \
	X(paths) X(workspace) X(workspace_mount) X(mounts)                         \
	/* yaml_agent.c, yaml_watch.c */                                           \
	X(map) X(runner_mode) X(runner_block) X(sandbox_image) X(block_pair)       \
	X(setting_of) X(settings) X(alerts) X(command_risks) X(tool_risks) X(tools)

enum yml_reader {
	/* parts and options: read with the head of their statement, not by a function */
	YML_DO_final, YML_DO_part, YML_DO_option,
#define X(name) YML_DO_##name,
	YML_READERS(X)
#undef X
	YML_READER_COUNT
};

struct yml_key {
	enum yml_scope scope;
	const char *name; /* as written in the table */
	enum yml_type type;
	enum yml_scope sub;
	unsigned flags;
	unsigned classes; /* classes of statements of which it is the head or an option */
	unsigned must;    /* statements of these classes must have it */
	enum yml_reader read;
	int arg;
	const char *doc;
};

extern const struct yml_key yml_keys[];
extern const size_t yml_nkeys;

/* Fills the map with every spelling of every key, for yml_find. */
void yml_index(struct map *m, struct arena *a);
/* The key, or NULL if the scope has no such key. */
const struct yml_key *yml_find(const struct map *m, enum yml_scope scope, struct str name);
/* The first key of the scope that `read` reads with this argument, or NULL. */
const struct yml_key *yml_key_of(enum yml_scope scope, enum yml_reader read, int arg);
/* The spelling nearest to `name` among the keys of the scope, or NULL. */
const char *yml_suggest(struct arena *a, enum yml_scope scope, struct str name);
/* "fileSize" and "file_size", from either "file-size" or "fileSize". */
const char *yml_camel(struct arena *a, const char *name);
const char *yml_snake(struct arena *a, const char *name);
const char *yml_scope_doc(enum yml_scope scope);

struct yml_word {
	enum yml_word_set set;
	const char *word, *meaning;
};

extern const struct yml_word yml_words[];
extern const size_t yml_nwords;

/* Does the type accept a list or a single value? */
static inline bool yml_is_plural(enum yml_type t)
{
	return (t >= YML_T_TEXTS && t <= YML_T_REGEXES) || t == YML_T_WORDS;
}

/* May a statement have this option several times?  Then its key also accepts a list of
 * lists.  In `syscall` the type of `with` is a word, which may not be repeated. */
static inline bool yml_is_repeatable(enum ast_opt_kind kind, enum yml_type type)
{
	return ast_option_rows[kind].adds && type != YML_T_WORD;
}

#endif
