/*
 * Facts (semantics 4.2): what commands mean.  Facts allow nothing.  Part of ir.h, which
 * includes this file.
 */
#ifndef COMPILER_IR_FACTS_H
#define COMPILER_IR_FACTS_H

#include "compiler/ir/set.h"
#include "runtime/line/facts.h"

/* The risk class of a command, or of a tool (`tool NAME { risk CLASS }`). */
struct ir_risk_fact {
	enum ir_risk risk;
	enum ir_kind kind;      /* IR_COMMAND or IR_TOOL */
	struct ir_set set;
	struct ir_set *except;
	size_t nexcept;
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* A statement program, wrapper, interpreter, taint, safe, inert, pin or shell as it was
 * written; what it means is in ir.programs, ir.vars and ir.inert. */
struct ir_fact {
	struct str kind; /* the keyword */
	struct str text; /* canonical DSL text of the statement */
	enum ir_level level;
	struct ir_place at;
};

/* A regex of `when`: a regular language, searched in the literal text. */
struct ir_when {
	bool is;
	bool i, x; /* its flags */
	struct str text;
};

struct ir_optspec {
	struct str name;    /* dashes included; may end in '*' */
	enum line_option_takes takes;
	bool says_takes;    /* false: the line only names the option, as `code` may */
	unsigned flags;     /* enum line_option_flag */
	uint32_t same;      /* names of one specification have the same number */
	struct ir_when when;/* for an option that is code */
};

/*
 * May it be in ir_program.defaults: no '/', no NUL, at most one '*', and at least one
 * other byte?
 */
bool ir_is_file_name(struct str s);

/* A place of code that is not an option. */
struct ir_code_place {
	enum line_place_kind kind;
	uint32_t operand; /* from 1 on, or one of the above; for code a number or any
	                     (standard input is a flag) */
	struct ir_when when;
};

/* What one statement says about one program. */
struct ir_program {
	struct str name;    /* a subcommand's name has blanks: "git rebase" */
	unsigned kind;      /* one value of enum line_program_kind */
	unsigned flags;     /* enum line_program_flag */
	uint32_t skip;
	struct ir_optspec *options;
	size_t noptions;
	struct ir_code_place *codes;
	size_t ncodes;
	struct str *after, *ends, *also;
	struct str *defaults; /* names of files whose text it runs unasked; '*' matches
	                         any text */
	size_t nafter, nends, nalso, ndefaults;
	enum ir_level level;
	struct ir_place at;
};

struct ir_var {
	struct str name; /* may end in '*' */
	bool taint;      /* false: it is safe; if statements disagree, it is a taint */
	enum ir_level level;
	struct ir_place at;
};

struct ir_inert {
	struct ir_set set; /* matches narrowly */
	struct ir_set *except;
	size_t nexcept;
	enum ir_level level;
	struct ir_place at;
};

struct ir_pin {
	struct str name, path;
	struct str sha256; /* 64 hex digits, or empty */
	enum ir_level level;
	struct str id;
	struct ir_place at;
};

/* `shell NAME [= PATH]`: the shell that runs lines.  If it is not bash, posix, sh or
 * dash, every line is denied. */
struct ir_shell {
	struct str name, path; /* path may be empty */
	enum ir_level level;   /* 0: nobody set it (bash) */
	struct ir_place at;
};

#endif
