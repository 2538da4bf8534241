/*
 * Facts (semantics 4.2): what commands mean.  They grant nothing.  Part of
 * ir.h, which includes it.
 */
#ifndef COMPILER_IR_FACTS_H
#define COMPILER_IR_FACTS_H

#include "compiler/ir/set.h"
#include "runtime/line/facts.h"

/* The class of a command, or of a tool (`tool NAME { risk CLASS }`). */
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

/* program, wrapper, interpreter, taint, safe, inert, pin, shell as written; what
 * they say is in ir.programs, ir.vars and ir.inert. */
struct ir_fact {
	struct str kind; /* the keyword */
	struct str text; /* canonical DSL text of the statement */
	enum ir_level level;
	struct ir_place at;
};

/* A regex of `when`: regular, searched in the literal text. */
struct ir_when {
	bool is;
	bool i, x; /* its flags */
	struct str text;
};

struct ir_optspec {
	struct str name;    /* dashes included; may end in '*' */
	enum line_option_takes takes;
	bool says_takes;    /* false: a line that only names it, as `code` may */
	unsigned flags;     /* enum line_option_flag */
	uint32_t same;      /* names of one option specification have one number */
	struct ir_when when;/* of code */
};

/* May it be in ir_program.defaults: no '/', no NUL, at most one '*' and some other byte? */
bool ir_is_file_name(struct str s);

/* A place that is no option. */
struct ir_code_place {
	enum line_place_kind kind;
	uint32_t operand; /* from 1, or one of the above; of code a number or any, and
	                     standard input is a flag */
	struct ir_when when;
};

/* What one statement says of one program. */
struct ir_program {
	struct str name;    /* of a subcommand: with blanks, "git rebase" */
	unsigned kind;      /* one enum line_program_kind */
	unsigned flags;     /* enum line_program_flag */
	uint32_t skip;
	struct ir_optspec *options;
	size_t noptions;
	struct ir_code_place *codes;
	size_t ncodes;
	struct str *after, *ends, *also;
	struct str *defaults; /* names of files whose text it runs unasked; a '*' is any text */
	size_t nafter, nends, nalso, ndefaults;
	enum ir_level level;
	struct ir_place at;
};

struct ir_var {
	struct str name; /* may end in '*' */
	bool taint;      /* else safe; where both name it, it is a taint */
	enum ir_level level;
	struct ir_place at;
};

struct ir_inert {
	struct ir_set set; /* narrow */
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

/* `shell NAME [= PATH]`: who runs a line.  Of any other name than bash, posix,
 * sh and dash every line is denied. */
struct ir_shell {
	struct str name, path; /* path may be empty */
	enum ir_level level;   /* 0: nobody said it (bash) */
	struct ir_place at;
};

#endif
