/*
 * The grammar of the policy language.  Each action makes one node through
 * ast/build.h; nothing is resolved here.
 *
 * One file because bison reads one grammar and has no include; the code of the
 * actions is in ast/build.c and frontend/.
 *
 * Recovery: every list of statements and of items has an `error` alternative.  It
 * never calls yyerrok, since LAC would then look at the same token forever.  yyerrok
 * stands only where the parser has shifted a token since the error and is in step
 * again: after an effect, a '{', a statement, or a ';' (tokens.c hands one out where a
 * faulty statement ends).
 */
%code requires {
#include "compiler/frontend/parser.h"
}

%define api.pure full
%define api.prefix {pol_}
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%param { struct dsl_parser *p }
%expect 0

%code {
#define B (&p->b)

/* An empty symbol has no place, so the span begins at the first symbol with one. */
#define YYLLOC_DEFAULT(cur, rhs, n) ((cur) = join((rhs), (n)))
#define YYSTACK_USE_ALLOCA 0

static void pol_error(const struct span *at, struct dsl_parser *p, const char *msg);
}


%code {
static struct span join(const struct span *rhs, int n)
{
	struct span all = { rhs[0].file, rhs[0].off + rhs[0].len, 0 };

	for (int i = 1; i <= n; i++)
		if (rhs[i].len)
			all = all.len ? span_join(all, rhs[i]) : rhs[i];
	return all;
}
}

%initial-action { @$ = (struct span){ p->file, 0, 0 }; }

%union {
	struct str s;
	struct dsl_regex re;
	struct ast_value *v;
	struct ast_values vs;
	struct ast_expr *x;
	struct ast_exprs xs;
	struct ast_option *o;
	struct ast_options os;
	struct ast_prog_item *i;
	struct ast_prog_items is;
	struct ast_stmt *st;
	struct ast_stmts sts;
	struct ast_test_case *c;
	struct ast_test_cases cs;
	struct ast_net net;
	struct ast_request r;
	struct dsl_set { struct ast_request request; struct ast_option *options; } set;
	enum ast_effect e;
	unsigned ops;
	bool b;
}

%token END 0 "the end of the file"
%token <s> NAME "a name" STRING "a string" RSTRING "a raw string"
%token <s> NUMBER "a number" RANGE "a range" DATE "a date" ADDR "an address"
%token <s> OPTION "an option" OPTSPEC "an option specification"
%token <s> OPTNUM "a negative number" GROUPREF "a group" PATHNAME "an import path"
%token <re> REGEX "a regex"
%token ARROW "=>" PLUSEQ "+=" EQ "==" NE "!=" LE "<=" GE ">="

%token <s> K_POLICY "policy" K_USE "use" K_LET "let" K_LOCKED "locked"
%token <s> K_ALLOW "allow" K_ASK "ask" K_DENY "deny" K_HIDE "hide"
%token <s> K_FINAL "final" K_OTHERWISE "otherwise" K_BECAUSE "because" K_AS "as"
%token <s> K_WHEN "when" K_WITH "with" K_WITHOUT "without" K_EXCEPT "except"
%token <s> K_WITHIN "within" K_NOT "not" K_AND "and" K_OR "or" K_IN "in"
%token <s> K_ELSE "else"
%token <s> K_GROUP "group" K_ROLE "role" K_TOOL "tool" K_ALERT "alert"
%token <s> K_SETTING "setting" K_ASSERT "assert" K_TEST "test"
%token <s> K_COMMAND "command" K_FILE "file" K_NETWORK "network" K_UNIX "unix"
%token <s> K_SYSCALL "syscall" K_LIMITS "limits" K_ENV "env" K_AUDIT "audit"
%token <s> K_SESSION "session" K_RUNNER "runner" K_TOOLS "tools"
%token <s> K_RISK "risk" K_PROGRAM "program" K_WRAPPER "wrapper"
%token <s> K_INTERPRETER "interpreter" K_TAINT "taint" K_SAFE "safe"
%token <s> K_INERT "inert" K_PIN "pin" K_SHELL "shell" K_OPAQUE "opaque"
%token <s> K_SCRATCH "scratch" K_MOUNT "mount" K_VIA "via" K_MODE "mode" K_PUBLISH "publish"
%token <s> K_HOLD "hold" K_INJECT "inject" K_CONNECTIONS "connections" K_BYTES "bytes"
%token <s> K_USER "user" K_HEADER "header"
%token <s> K_KEEP "keep" K_SET "set" K_SECRET "secret" K_RATE "rate"
%token <s> K_MATCH "match" K_STRICT "strict" K_ACCEPT "accept" K_UNTIL "until"
%token <s> K_MAY "may" K_PEEK "peek" K_ADVISORY "advisory" K_BY "by"
%token <s> K_ONLY "only" K_READ "read" K_WRITE "write" K_EXEC "exec"
%token <s> K_TCP "tcp" K_UDP "udp" K_ANY "any" K_PORT "port" K_AT "at"
%token <s> K_FROM "from" K_PER "per" K_DO "do" K_NEVER "never"
%token <s> K_ALWAYS "always" K_ARGV "argv" K_NET "net" K_SHA256 "sha256"
%token <s> K_GLOBAL "global" K_OPTIONS "options" K_SKIP "skip" K_CODE "code"
%token <s> K_OPERAND "operand" K_STDIN "stdin" K_QUERY "query"
%token <s> K_MOVES "moves" K_RUNS "runs" K_LEADS "leads"
%token <s> K_READS "reads" K_WRITES "writes" K_SCRIPT "script-file" K_DEFAULT "default"
%token <s> K_TREES "recursive" K_INSTEAD "instead" K_EDITS "edits" K_BEGINS "begins-names" K_BELOW "writes-below" K_UNPACKS "unpacks" K_NAMES_FROM "names-from"
%token <s> K_AFTER "after" K_ENDSAT "ends-at" K_ALSO "also"

%type <sts> stmts policy_items tool_items cstmts fstmts nstmts ustmts sstmts lstmts
%type <sts> pairs estmts session_items rstmts runner_items
%type <st> stmt assertion policy_item tool_item cstmt fstmt nstmt ustmt sstmt lstmt pair estmt
%type <st> session_item rstmt runner_item section any_section otherwise by_risk
%type <b> locked final
%type <e> effect rule_effect
%type <ops> ops op
%type <vs> use_list elements values map_items pats paths hosts ports names strs
%type <vs> optlist optspecs sysitems risk_map routes
%type <v> use_item element value map_item str pat path host port word_or_str optitem
%type <v> operands optspec sysitem call proto when_regex route number
%type <v> name_value plain_name via
%type <s> name word map_key session_key runner_key route_name plain
%type <net> net
%type <os> copts fopts nopts sopts uopts via_user
%type <o> copt fopt nopt sopt uopt common example in_scope
%type <is> prog_items
%type <i> prog_item
%type <x> expr arg
%type <xs> exprs args
%type <set> set
%type <r> request
%type <cs> test_cases
%type <c> test_case

/* What the text is: a file, or a piece of the language in a YAML scalar. */
%token S_VALUE "begin of a value" S_PATTERN "begin of a pattern"
%token S_PATH "begin of a path" S_HOST "begin of a host" S_PORT "begin of a port"
%token S_NAME "begin of a name" S_OPTION "begin of an option"
%token S_CALL "begin of a call" S_IMPORT "begin of an import"
%token S_ELEMENT "begin of an element" S_TEXT "begin of a text"
%token S_EXPR "begin of a condition" S_ITEMS "begin of a program's items"
%token S_CASES "begin of cases" S_ASSERTION "begin of an assertion"
%token S_FILE "begin of a file" S_POLICY "begin of policy keys"
%token S_SEC_COMMAND "begin of command" S_SEC_FILE "begin of paths"
%token S_SEC_NETWORK "begin of network" S_SEC_UNIX "begin of unix"
%token S_SEC_SYSCALL "begin of syscall" S_SEC_PAIRS "begin of pairs"
%token S_SEC_ENV "begin of env" S_SEC_SESSION "begin of session"
%token S_SEC_RUNNER "begin of runner" S_SEC_TOOLS "begin of tools"
%token S_BLOCK "begin of a runner's block" S_TOOL "begin of a tool"

/* After a network rule `via` is the rule's own; a section's stands first, or after ';'. */
%precedence NET_RULE
%precedence K_VIA

%left K_OR
%left K_AND
%precedence K_NOT
%nonassoc "==" "!=" '<' "<=" '>' ">=" K_IN
%left '|'
%left '&'

%%

/* Each text begins with a token that says what it is (tokens.c). */
text:
  S_FILE stmts		{ p->piece.stmts = $2.head; }
| S_VALUE value		{ p->piece.values = $2; }
| S_PATTERN pat		{ p->piece.values = $2; }
| S_PATH path		{ p->piece.values = $2; }
| S_HOST host		{ p->piece.values = $2; }
| S_PORT port		{ p->piece.values = $2; }
| S_NAME word_or_str	{ p->piece.values = $2; }
| S_OPTION optitem	{ p->piece.values = $2; }
| S_CALL sysitem	{ p->piece.values = $2; }
| S_IMPORT use_item	{ p->piece.values = $2; }
| S_ELEMENT element	{ p->piece.values = $2; }
| S_TEXT str		{ p->piece.values = $2; }
| S_EXPR expr		{ p->piece.expr = $2; }
| S_ITEMS prog_items	{ p->piece.items = $2.head; }
| S_CASES test_cases	{ p->piece.cases = $2.head; }
| S_ASSERTION assertion	{ p->piece.stmts = $2; }
| S_POLICY policy_items	{ p->piece.stmts = $2.head; }
| S_SEC_COMMAND cstmts	{ p->piece.stmts = $2.head; }
| S_SEC_FILE fstmts	{ p->piece.stmts = $2.head; }
| S_SEC_NETWORK nstmts	{ p->piece.stmts = $2.head; }
| S_SEC_UNIX ustmts	{ p->piece.stmts = $2.head; }
| S_SEC_SYSCALL sstmts	{ p->piece.stmts = $2.head; }
| S_SEC_PAIRS pairs	{ p->piece.stmts = $2.head; }
| S_SEC_ENV estmts	{ p->piece.stmts = $2.head; }
| S_SEC_SESSION session_items	{ p->piece.stmts = $2.head; }
| S_SEC_RUNNER rstmts	{ p->piece.stmts = $2.head; }
| S_SEC_TOOLS lstmts	{ p->piece.stmts = $2.head; }
| S_BLOCK runner_items	{ p->piece.stmts = $2.head; }
| S_TOOL tool_items	{ p->piece.stmts = $2.head; }
;

/* --- the file ------------------------------------------------------------- */

stmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| stmts stmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| stmts ';'		{ $$ = $1; yyerrok; }
| stmts error
;

stmt:
  K_POLICY name open policy_items '}'
	{ $$ = AST_STMT(B, AST_POLICY, @$, .name = $2, .name_at = @2, .body = $4.head); }
| K_USE use_list
	{ $$ = AST_STMT(B, AST_USE, @$, .values = $2.head); }
| K_LET NAME '=' value
	{ $$ = AST_STMT(B, AST_LET, @$, .name = $2, .name_at = @2, .values = $4); }
| K_GROUP GROUPREF '=' elements
	{ $$ = AST_STMT(B, AST_GROUP, @$, .name = $2, .name_at = @2, .values = $4.head); }
| K_GROUP GROUPREF '=' '[' elements ']'
	{ $$ = AST_STMT(B, AST_GROUP, @$, .name = $2, .name_at = @2, .values = $5.head); }
| locked any_section
	{ $$ = ast_locked(B, $2, $1, @$); }
| K_ROLE name open stmts '}'
	{ $$ = AST_STMT(B, AST_ROLE, @$, .name = $2, .name_at = @2, .body = $4.head); }
| K_TOOL name open tool_items '}'
	{ $$ = AST_STMT(B, AST_TOOL, @$, .name = $2, .name_at = @2, .body = $4.head); }
| K_TOOL plain open tool_items '}'
	{ $$ = AST_STMT(B, AST_TOOL, @$, .name = $2, .name_at = @2, .body = $4.head); }
| K_ALERT name K_WHEN expr K_DO name_value
	{ $$ = AST_STMT(B, AST_ALERT, @$, .name = $2, .name_at = @2, .expr = $4,
			.values = $6); }
| K_ALERT name K_WHEN expr K_PER number K_DO name_value
	{ $$ = AST_STMT(B, AST_ALERT, @$, .name = $2, .name_at = @2, .expr = $4,
			.per = $6, .values = $8); }
| locked K_SETTING plain '=' value
	{ $$ = AST_STMT(B, AST_SETTING, @$, .name = $3, .name_at = @3, .values = $5,
			.locked = $1); }
| locked K_SETTING plain "+=" value
	{ $$ = AST_STMT(B, AST_SETTING, @$, .name = $3, .name_at = @3, .values = $5,
			.locked = $1, .append = true); }
| K_ASSERT assertion
	{ $$ = ast_locked(B, $2, false, @$); }
| K_TEST plain open test_cases '}'
	{ $$ = AST_STMT(B, AST_TEST, @$, .name = $2, .name_at = @2, .cases = $4.head); }
| K_TEST plain K_WHEN expr open test_cases '}'
	{ $$ = AST_STMT(B, AST_TEST, @$, .name = $2, .name_at = @2, .expr = $4,
			.cases = $6.head); }
;

assertion:
  K_NEVER set
	{ $$ = AST_STMT(B, AST_ASSERT, @$, .assert_kind = AST_NEVER,
			.request = $2.request, .options = $2.options); }
| K_ALWAYS effect set
	{ $$ = AST_STMT(B, AST_ASSERT, @$, .assert_kind = AST_ALWAYS, .effect = $2,
			.request = $3.request, .options = $3.options); }
| K_ONLY set
	{ $$ = AST_STMT(B, AST_ASSERT, @$, .assert_kind = AST_ONLY,
			.request = $2.request, .options = $2.options); }
;

locked:
  %empty		{ $$ = false; }
| K_LOCKED		{ $$ = true; }
;

policy_items:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| policy_items policy_item	{ $$ = ast_stmts_add($1, $2); yyerrok; }
| policy_items ';'		{ $$ = $1; yyerrok; }
| policy_items error
;

policy_item:
  locked name value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $3,
			.locked = $1); }
;

use_list:
  use_item		{ $$ = ast_values_one($1); }
| use_list ',' use_item	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| use_list ',' error
;

use_item:
  PATHNAME		{ $$ = AST_VALUE(B, AST_V_PATH, @$, .text = $1); }
| plain_name
| str
;

elements:
  element		{ $$ = ast_values_one($1); }
| elements ',' element	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| elements ',' error
;

element:
  name_value
| str
| ADDR			{ $$ = AST_VALUE(B, AST_V_ADDR, @$, .text = $1); }
| GROUPREF		{ $$ = AST_VALUE(B, AST_V_GROUP, @$, .text = $1); }
;

/* --- values --------------------------------------------------------------- */

value:
  str
| number
| name_value
| OPTNUM		{ $$ = AST_VALUE(B, AST_V_NUMBER, @$, .text = $1); }
| RANGE			{ $$ = AST_VALUE(B, AST_V_RANGE, @$, .text = $1); }
| DATE			{ $$ = AST_VALUE(B, AST_V_DATE, @$, .text = $1); }
| ADDR			{ $$ = AST_VALUE(B, AST_V_ADDR, @$, .text = $1); }
| REGEX			{ $$ = AST_VALUE(B, AST_V_REGEX, @$, .text = $1.text,
					 .flags = $1.flags); }
| '[' values ']'	{ $$ = AST_VALUE(B, AST_V_LIST, @$, .items = $2.head); }
| '[' ']'		{ $$ = AST_VALUE(B, AST_V_LIST, @$, .items = NULL); }
| open map_items '}'	{ $$ = AST_VALUE(B, AST_V_MAP, @$, .items = $2.head); }
;

values:
  value			{ $$ = ast_values_one($1); }
| values ',' value	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| values ',' error
;

map_items:
  %empty		{ $$ = (struct ast_values){ 0 }; }
| map_items map_item	{ $$ = ast_values_add($1, $2); yyerrok; }
| map_items ';'		{ $$ = $1; yyerrok; }
| map_items ','
| map_items error
;

map_item:
  map_key '=' value	{ $$ = ast_keyed($3, $1); }
| plain '=' value	{ $$ = ast_keyed($3, $1); }
;

str:
  STRING		{ $$ = AST_VALUE(B, AST_V_STRING, @$, .text = $1); }
| RSTRING		{ $$ = AST_VALUE(B, AST_V_RAW, @$, .text = $1); }
;

/* A string without interpolation. */
plain:
  str			{ $$ = ast_plain(B, $1); }
;

strs:
  str			{ $$ = ast_values_one($1); }
| strs ',' str		{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| strs ',' error
;

number:
  NUMBER		{ $$ = AST_VALUE(B, AST_V_NUMBER, @$, .text = $1); }
;

name_value:
  name			{ $$ = AST_VALUE(B, AST_V_NAME, @$, .text = $1); }
;

/* A reference to a `let`, which is never a word of the language. */
plain_name:
  NAME			{ $$ = AST_VALUE(B, AST_V_NAME, @$, .text = $1); }
;

names:
  word_or_str		{ $$ = ast_values_one($1); }
| names ',' word_or_str	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| names ',' error
;

word_or_str:
  name_value
| str
;

/* --- sections -------------------------------------------------------------- */

any_section:
  section
| K_COMMAND open cstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_COMMAND, .name_at = @1,
			.body = $3.head); }
| K_UNIX open ustmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_UNIX, .name_at = @1,
			.body = $3.head); }
| K_SYSCALL open sstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_SYSCALL, .name_at = @1,
			.body = $3.head); }
| K_AUDIT open pairs '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_AUDIT, .name_at = @1,
			.body = $3.head); }
| K_SESSION open session_items '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_SESSION, .name_at = @1,
			.body = $3.head); }
| K_RUNNER open rstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_RUNNER, .name_at = @1,
			.body = $3.head); }
| K_TOOLS open lstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_TOOLS, .name_at = @1,
			.body = $3.head); }
;

/* The sections that a runner may have as well. */
section:
  K_FILE open fstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_FILE, .name_at = @1,
			.body = $3.head); }
| K_NETWORK open nstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_NETWORK, .name_at = @1,
			.body = $3.head); }
| K_NETWORK name
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_NETWORK, .name = $2,
			.name_at = @2); }
| K_NETWORK name open nstmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_NETWORK, .name = $2,
			.name_at = @2, .body = $4.head); }
| K_LIMITS open pairs '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_LIMITS, .name_at = @1,
			.body = $3.head); }
| K_ENV open estmts '}'
	{ $$ = AST_STMT(B, AST_SECTION, @$, .section = AST_SEC_ENV, .name_at = @1,
			.body = $3.head); }
;

open:
  '{'			{ yyerrok; }
;

final:
  %empty		{ $$ = false; }
| K_FINAL		{ $$ = true; }
;

effect:
  K_ALLOW		{ $$ = AST_ALLOW; yyerrok; }
| K_ASK			{ $$ = AST_ASK; yyerrok; }
| K_DENY		{ $$ = AST_DENY; yyerrok; }
;

rule_effect:
  effect
| K_HIDE		{ $$ = AST_HIDE; yyerrok; }
;

otherwise:
  locked K_OTHERWISE effect
	{ $$ = AST_STMT(B, AST_OTHERWISE, @$, .name_at = @2, .effect = $3, .locked = $1); }
;

by_risk:
  locked K_OTHERWISE K_BY K_RISK open risk_map '}'
	{ $$ = AST_STMT(B, AST_OTHERWISE_BY_RISK, @$, .name_at = @2, .pairs = $6.head,
			.locked = $1); }
;

risk_map:
  route			{ $$ = ast_values_one($1); }
| risk_map route	{ $$ = ast_values_add($1, $2); yyerrok; }
| error			{ $$ = (struct ast_values){ 0 }; }
| risk_map ';'		{ $$ = $1; yyerrok; }
| risk_map error
;

route:
  name effect
	{ $$ = AST_VALUE(B, AST_V_NAME, @$, .key = $1,
			 .text = str_from(ast_effect_name($2))); }
;

/* --- options of rules -------------------------------------------------------- */

common:
  K_BECAUSE str		{ $$ = AST_OPTION(B, AST_O_BECAUSE, @$, .values = $2); }
| K_AS name_value	{ $$ = AST_OPTION(B, AST_O_AS, @$, .values = $2); }
| K_WHEN expr		{ $$ = AST_OPTION(B, AST_O_WHEN, @$, .expr = $2); }
| K_STRICT		{ $$ = AST_OPTION(B, AST_O_STRICT, @$, .values = NULL); }
| K_ACCEPT K_ADVISORY	{ $$ = AST_OPTION(B, AST_O_ACCEPT_ADVISORY, @$, .values = NULL); }
| K_UNTIL DATE
	{ $$ = AST_OPTION(B, AST_O_UNTIL, @$,
			  .values = AST_VALUE(B, AST_V_DATE, @2, .text = $2)); }
| K_MAY name_value	{ $$ = AST_OPTION(B, AST_O_MAY, @$, .values = $2); }
;

example:
  K_MATCH strs		{ $$ = AST_OPTION(B, AST_O_MATCH, @$, .values = $2.head); }
| K_NOT K_MATCH strs	{ $$ = AST_OPTION(B, AST_O_NOT_MATCH, @$, .values = $3.head); }
;

copts:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| copts copt		{ $$ = ast_options_add($1, $2); }
;

copt:
  common
| example
| K_WITH optlist	{ $$ = AST_OPTION(B, AST_O_WITH, @$, .values = $2.head); }
| K_WITH K_ONLY optlist	{ $$ = AST_OPTION(B, AST_O_WITH_ONLY, @$, .values = $3.head); }
| K_WITHOUT optlist	{ $$ = AST_OPTION(B, AST_O_WITHOUT, @$, .values = $2.head); }
| K_WITHIN paths	{ $$ = AST_OPTION(B, AST_O_WITHIN, @$, .values = $2.head); }
| K_EXCEPT pats		{ $$ = AST_OPTION(B, AST_O_EXCEPT, @$, .values = $2.head); }
;

fopts:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| fopts fopt		{ $$ = ast_options_add($1, $2); }
;

fopt:
  common
| example
| K_EXCEPT paths	{ $$ = AST_OPTION(B, AST_O_EXCEPT, @$, .values = $2.head); }
;

nopts:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| nopts nopt		{ $$ = ast_options_add($1, $2); }
;

nopt:
  common
| example
| K_EXCEPT hosts	{ $$ = AST_OPTION(B, AST_O_EXCEPT, @$, .values = $2.head); }
| K_WITHIN hosts	{ $$ = AST_OPTION(B, AST_O_WITHIN, @$, .values = $2.head); }
| K_PEEK name_value	{ $$ = AST_OPTION(B, AST_O_PEEK, @$, .values = $2); }
| K_VIA via		{ $$ = AST_OPTION(B, AST_O_VIA, @$, .values = $2); }
| K_USER K_FROM K_SECRET name_value
	{ $$ = AST_OPTION(B, AST_O_VIA_USER, @$, .values = $4); }
| K_INJECT K_HEADER str	{ $$ = AST_OPTION(B, AST_O_INJECT, @$, .values = $3); }
| K_INJECT K_HEADER str str
	{ $$ = AST_OPTION(B, AST_O_INJECT, @$,
			  .values = ast_values_add(ast_values_one($3), $4).head); }
| K_FROM K_SECRET name_value
	{ $$ = AST_OPTION(B, AST_O_FROM_SECRET, @$, .values = $3); }
| K_CONNECTIONS number	{ $$ = AST_OPTION(B, AST_O_CONNECTIONS, @$, .values = $2); }
| K_BYTES number	{ $$ = AST_OPTION(B, AST_O_BYTES, @$, .values = $2); }
;

/* The proxy, or the name `none`. */
via:
  str
| name_value
;

via_user:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| K_USER K_FROM K_SECRET name_value
	{ $$ = ast_options_add((struct ast_options){ 0 },
			       AST_OPTION(B, AST_O_VIA_USER, @$, .values = $4)); }
;

sopts:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| sopts sopt		{ $$ = ast_options_add($1, $2); }
;

sopt:
  common
| K_MATCH sysitems	{ $$ = AST_OPTION(B, AST_O_MATCH, @$, .values = $2.head); }
| K_NOT K_MATCH sysitems
	{ $$ = AST_OPTION(B, AST_O_NOT_MATCH, @$, .values = $3.head); }
| K_WITH name_value	{ $$ = AST_OPTION(B, AST_O_WITH, @$, .values = $2); }
| K_EXCEPT sysitems	{ $$ = AST_OPTION(B, AST_O_EXCEPT, @$, .values = $2.head); }
;

uopts:
  %empty		{ $$ = (struct ast_options){ 0 }; }
| uopts uopt		{ $$ = ast_options_add($1, $2); }
;

/* Tools. */
uopt:
  common
| example
| K_EXCEPT names	{ $$ = AST_OPTION(B, AST_O_EXCEPT, @$, .values = $2.head); }
;

optlist:
  optitem		{ $$ = ast_values_one($1); }
| optlist ',' optitem	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| optlist ',' error
;

optitem:
  optspec
| str
;

/* --- command ----------------------------------------------------------------- */

cstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| cstmts cstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| cstmts ';'		{ $$ = $1; yyerrok; }
| cstmts error
;

cstmt:
  final effect pats copts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.values = $3.head, .options = $4.head); }
| locked K_OTHERWISE effect in_scope
	{ $$ = AST_STMT(B, AST_OTHERWISE, @$, .name_at = @2, .effect = $3, .locked = $1,
			.options = $4); }
| locked K_OTHERWISE K_BY K_RISK open risk_map '}' in_scope
	{ $$ = AST_STMT(B, AST_OTHERWISE_BY_RISK, @$, .name_at = @2, .pairs = $6.head,
			.locked = $1, .options = $8); }
| K_RISK name pats copts
	{ $$ = AST_STMT(B, AST_RISK, @$, .name = $2, .name_at = @2, .values = $3.head,
			.options = $4.head); }
| K_PROGRAM names open prog_items '}'
	{ $$ = AST_STMT(B, AST_PROGRAM, @$, .name_at = @1, .values = $2.head,
			.items = $4.head); }
| K_WRAPPER names open prog_items '}'
	{ $$ = AST_STMT(B, AST_WRAPPER, @$, .name_at = @1, .values = $2.head,
			.items = $4.head); }
| K_INTERPRETER names open prog_items '}'
	{ $$ = AST_STMT(B, AST_INTERPRETER, @$, .name_at = @1, .values = $2.head,
			.items = $4.head); }
| K_TAINT names
	{ $$ = AST_STMT(B, AST_TAINT, @$, .name_at = @1, .values = $2.head); }
| K_SAFE names
	{ $$ = AST_STMT(B, AST_SAFE, @$, .name_at = @1, .values = $2.head); }
| K_INERT pats copts
	{ $$ = AST_STMT(B, AST_INERT, @$, .name_at = @1, .values = $2.head,
			.options = $3.head); }
| K_PIN name '=' str
	{ $$ = AST_STMT(B, AST_PIN, @$, .name = $2, .name_at = @2, .values = $4); }
| K_PIN name '=' str K_SHA256 str
	{ $$ = AST_STMT(B, AST_PIN, @$, .name = $2, .name_at = @2,
			.values = ast_values_add(ast_values_one($4), $6).head); }
| K_SHELL name
	{ $$ = AST_STMT(B, AST_SHELL, @$, .name = $2, .name_at = @2); }
| K_SHELL name '=' str
	{ $$ = AST_STMT(B, AST_SHELL, @$, .name = $2, .name_at = @2, .values = $4); }
| locked K_OPAQUE effect in_scope
	{ $$ = AST_STMT(B, AST_OPAQUE, @$, .name_at = @2, .effect = $3, .locked = $1,
			.options = $4); }
;

in_scope:
  %empty		{ $$ = NULL; }
| K_WHEN expr		{ $$ = AST_OPTION(B, AST_O_WHEN, @$, .expr = $2); }
;

pats:
  pat			{ $$ = ast_values_one($1); }
| pats ',' pat		{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| pats ',' error
;

pat:
  str
| REGEX			{ $$ = AST_VALUE(B, AST_V_REGEX, @$, .text = $1.text,
					 .flags = $1.flags); }
| plain_name
;

prog_items:
  %empty		{ $$ = (struct ast_prog_items){ 0 }; }
| prog_items prog_item	{ $$ = ast_prog_items_add($1, $2); yyerrok; }
| prog_items ';'		{ $$ = $1; yyerrok; }
| prog_items error
;

prog_item:
  K_GLOBAL optspecs	{ $$ = AST_PROG(B, AST_P_GLOBAL, @$, .values = $2.head); }
| K_OPTIONS optspecs	{ $$ = AST_PROG(B, AST_P_OPTIONS, @$, .values = $2.head); }
| K_SKIP number		{ $$ = AST_PROG(B, AST_P_SKIP, @$, .values = $2); }
| K_CODE optspecs when_regex
	{ $$ = AST_PROG(B, AST_P_CODE, @$, .values = $2.head, .when = $3); }
| K_CODE K_OPERAND number when_regex
	{ $$ = AST_PROG(B, AST_P_CODE_OPERAND, @$, .values = $3, .when = $4); }
| K_CODE K_OPERAND K_ANY when_regex
	{ $$ = AST_PROG(B, AST_P_CODE_OPERAND, @$,
			.values = AST_VALUE(B, AST_V_NAME, @3, .text = $3), .when = $4); }
| K_CODE K_STDIN	{ $$ = AST_PROG(B, AST_P_CODE_STDIN, @$, .values = NULL); }
| K_QUERY optspecs	{ $$ = AST_PROG(B, AST_P_QUERY, @$, .values = $2.head); }
| K_MOVES optspecs	{ $$ = AST_PROG(B, AST_P_MOVES, @$, .values = $2.head); }
| K_RUNS optspecs		{ $$ = AST_PROG(B, AST_P_RUNS, @$, .values = $2.head); }
| K_LEADS optspecs	{ $$ = AST_PROG(B, AST_P_LEADS, @$, .values = $2.head); }
| K_READS optspecs	{ $$ = AST_PROG(B, AST_P_READS, @$, .values = $2.head); }
| K_READS K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_READS_OPERAND, @$, .values = $3, .when = $4); }
| K_WRITES optspecs	{ $$ = AST_PROG(B, AST_P_WRITES, @$, .values = $2.head); }
| K_WRITES K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_WRITES_OPERAND, @$, .values = $3, .when = $4); }
| K_SCRIPT optspecs	{ $$ = AST_PROG(B, AST_P_SCRIPT, @$, .values = $2.head); }
| K_SCRIPT K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_SCRIPT_OPERAND, @$, .values = $3, .when = $4); }
| K_SCRIPT K_DEFAULT strs
	{ $$ = AST_PROG(B, AST_P_SCRIPT_DEFAULT, @$, .values = $3.head); }
| K_TREES optspecs	{ $$ = AST_PROG(B, AST_P_TREES, @$, .values = $2.head); }
| K_TREES K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_TREES_OPERAND, @$, .values = $3, .when = $4); }
| K_BEGINS optspecs	{ $$ = AST_PROG(B, AST_P_BEGINS, @$, .values = $2.head); }
| K_BEGINS K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_BEGINS_OPERAND, @$, .values = $3, .when = $4); }
| K_BELOW optspecs	{ $$ = AST_PROG(B, AST_P_BELOW, @$, .values = $2.head); }
| K_BELOW K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_BELOW_OPERAND, @$, .values = $3, .when = $4); }
| K_UNPACKS optspecs	{ $$ = AST_PROG(B, AST_P_UNPACKS, @$, .values = $2.head); }
| K_UNPACKS K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_UNPACKS_OPERAND, @$, .values = $3, .when = $4); }
| K_NAMES_FROM optspecs	{ $$ = AST_PROG(B, AST_P_NAMES_FROM, @$, .values = $2.head); }
| K_NAMES_FROM K_OPERAND operands when_regex
	{ $$ = AST_PROG(B, AST_P_NAMES_FROM_OPERAND, @$, .values = $3, .when = $4); }
| K_EDITS optspecs		{ $$ = AST_PROG(B, AST_P_EDITS, @$, .values = $2.head); }
| K_INSTEAD optspecs	{ $$ = AST_PROG(B, AST_P_INSTEAD, @$, .values = $2.head); }
| K_AFTER optspecs	{ $$ = AST_PROG(B, AST_P_AFTER, @$, .values = $2.head); }
| K_AFTER strs		{ $$ = AST_PROG(B, AST_P_AFTER, @$, .values = $2.head); }
| K_ENDSAT strs		{ $$ = AST_PROG(B, AST_P_ENDS_AT, @$, .values = $2.head); }
| K_ALSO strs		{ $$ = AST_PROG(B, AST_P_ALSO, @$, .values = $2.head); }
| K_SHELL		{ $$ = AST_PROG(B, AST_P_SHELL, @$, .values = NULL); }
| plain_name		{ $$ = AST_PROG(B, AST_P_FLAG, @$, .values = $1); }
;

operands:
  number
| K_ANY			{ $$ = AST_VALUE(B, AST_V_NAME, @$, .text = $1); }
| plain_name
;

when_regex:
  %empty		{ $$ = NULL; }
| K_WHEN REGEX		{ $$ = AST_VALUE(B, AST_V_REGEX, @2, .text = $2.text,
					 .flags = $2.flags); }
;

optspecs:
  optspec		{ $$ = ast_values_one($1); }
| optspecs optspec	{ $$ = ast_values_add($1, $2); }
;

optspec:
  OPTION		{ $$ = AST_VALUE(B, AST_V_OPTION, @$, .text = $1); }
| OPTNUM		{ $$ = AST_VALUE(B, AST_V_OPTION, @$, .text = $1); }
| OPTSPEC		{ $$ = AST_VALUE(B, AST_V_OPTSPEC, @$, .text = $1); }
;

/* --- file --------------------------------------------------------------------- */

fstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| fstmts fstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| fstmts ';'		{ $$ = $1; yyerrok; }
| fstmts error
;

fstmt:
  final rule_effect paths fopts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.values = $3.head, .options = $4.head); }
| final rule_effect ops paths fopts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.ops = $3, .values = $4.head, .options = $5.head); }
| otherwise
| locked K_OTHERWISE ops effect
	{ $$ = AST_STMT(B, AST_OTHERWISE, @$, .name_at = @2, .ops = $3, .effect = $4,
			.locked = $1); }
| K_SCRATCH paths
	{ $$ = AST_STMT(B, AST_SCRATCH, @$, .name_at = @1, .values = $2.head); }
| K_MOUNT str K_AT str ops
	{ $$ = AST_STMT(B, AST_MOUNT, @$, .name_at = @1, .ops = $5,
			.values = ast_values_add(ast_values_one($2), $4).head); }
;

ops:
  op
| ops ',' op		{ $$ = $1 | $3; }
;

op:
  K_READ		{ $$ = AST_OP_READ; }
| K_WRITE		{ $$ = AST_OP_WRITE; }
| K_EXEC		{ $$ = AST_OP_EXEC; }
;

paths:
  path			{ $$ = ast_values_one($1); }
| paths ',' path	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| paths ',' error
;

path:
  str
| plain_name
| GROUPREF		{ $$ = AST_VALUE(B, AST_V_GROUP, @$, .text = $1); }
;

/* --- network, unix -------------------------------------------------------------- */

nstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| nstmts nstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| nstmts ';'		{ $$ = $1; yyerrok; }
| nstmts error
;

nstmt:
  final effect net nopts %prec NET_RULE
	{ $$ = dsl_net_rule(p, AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2,
					.effect = $2, .net = $3, .options = $4.head)); }
| K_PUBLISH K_TCP K_PORT ports
	{ $$ = AST_STMT(B, AST_PUBLISH, @$, .name_at = @1, .values = $4.head); }
| final effect K_PUBLISH K_TCP K_PORT ports
	{ $$ = dsl_publish(p, $1, $2, AST_STMT(B, AST_NOT_PUBLISH, @$, .name_at = @2,
					       .values = $6.head)); }
| otherwise
| K_VIA via via_user
	{ $$ = AST_STMT(B, AST_VIA, @$, .name_at = @1, .values = $2,
			.options = $3.head); }
| locked K_HOLD number
	{ $$ = AST_STMT(B, AST_HOLD, @$, .name_at = @2, .values = $3, .locked = $1); }
| locked K_MODE name
	{ $$ = AST_STMT(B, AST_MODE, @$, .name = $3, .name_at = @3, .locked = $1); }
;

net:
  proto			{ $$ = (struct ast_net){ .proto = $1 }; }
| proto hosts		{ $$ = (struct ast_net){ $1, $2.head, NULL }; }
| proto hosts K_PORT ports	{ $$ = (struct ast_net){ $1, $2.head, $4.head }; }
| proto K_PORT ports	{ $$ = (struct ast_net){ $1, NULL, $3.head }; }
| hosts			{ $$ = (struct ast_net){ .hosts = $1.head }; }
| hosts K_PORT ports	{ $$ = (struct ast_net){ NULL, $1.head, $3.head }; }
| K_PORT ports		{ $$ = (struct ast_net){ .ports = $2.head }; }
;

proto:
  K_TCP			{ $$ = AST_VALUE(B, AST_V_NAME, @$, .text = $1); }
| K_UDP			{ $$ = AST_VALUE(B, AST_V_NAME, @$, .text = $1); }
;

hosts:
  host			{ $$ = ast_values_one($1); }
| hosts ',' host	{ $$ = ast_values_add($1, $3); }
| hosts ',' error
;

host:
  str
| ADDR			{ $$ = AST_VALUE(B, AST_V_ADDR, @$, .text = $1); }
| plain_name
| GROUPREF		{ $$ = AST_VALUE(B, AST_V_GROUP, @$, .text = $1); }
| K_ANY			{ $$ = AST_VALUE(B, AST_V_ANY, @$, .text = $1); }
| '*'			{ $$ = AST_VALUE(B, AST_V_ANY, @$, .text = STR("any")); }
;

ports:
  port			{ $$ = ast_values_one($1); }
| ports ',' port	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| ports ',' error
;

port:
  number
| RANGE			{ $$ = AST_VALUE(B, AST_V_RANGE, @$, .text = $1); }
;

ustmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| ustmts ustmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| ustmts ';'		{ $$ = $1; yyerrok; }
| ustmts error
;

ustmt:
  final effect paths fopts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.values = $3.head, .options = $4.head); }
| otherwise
;

/* --- syscall -------------------------------------------------------------------- */

sstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| sstmts sstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| sstmts ';'		{ $$ = $1; yyerrok; }
| sstmts error
;

sstmt:
  final effect sysitems sopts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.values = $3.head, .options = $4.head); }
| otherwise
;

sysitems:
  sysitem		{ $$ = ast_values_one($1); }
| sysitems ',' sysitem	{ $$ = ast_values_add($1, $3); }
| error			{ $$ = (struct ast_values){ 0 }; }
| sysitems ',' error
;

sysitem:
  call
| GROUPREF		{ $$ = AST_VALUE(B, AST_V_GROUP, @$, .text = $1); }
;

call:
  name_value
| name '(' ')'		{ $$ = AST_VALUE(B, AST_V_CALL, @$, .text = $1); }
| name '(' args ')'	{ $$ = AST_VALUE(B, AST_V_CALL, @$, .text = $1,
					 .args = $3.head); }
;

args:
  arg			{ $$ = ast_exprs_one($1); }
| args ',' arg		{ $$ = ast_exprs_add($1, $3); }
| error			{ $$ = (struct ast_exprs){ 0 }; }
| args ',' error
;

arg:
  '*'			{ $$ = ast_expr_leaf(B, AST_X_ANY, @$, STR("*")); }
| expr
;

/* --- conditions ------------------------------------------------------------------ */

expr:
  name			{ $$ = ast_expr_leaf(B, AST_X_NAME, @$, $1); }
| NUMBER		{ $$ = ast_expr_leaf(B, AST_X_NUMBER, @$, $1); }
| OPTNUM		{ $$ = ast_expr_leaf(B, AST_X_NUMBER, @$, $1); }
| RANGE			{ $$ = ast_expr_leaf(B, AST_X_RANGE, @$, $1); }
| plain			{ $$ = ast_expr_leaf(B, AST_X_STRING, @$, $1); }
| GROUPREF		{ $$ = ast_expr_leaf(B, AST_X_GROUP, @$, $1); }
| '(' expr ')'		{ $$ = $2; }
| '[' exprs ']'		{ $$ = ast_expr_list(B, @$, $2.head); }
| expr K_OR expr	{ $$ = ast_expr_op(B, AST_X_OR, @$, $1, $3); }
| expr K_AND expr	{ $$ = ast_expr_op(B, AST_X_AND, @$, $1, $3); }
| K_NOT expr		{ $$ = ast_expr_op(B, AST_X_NOT, @$, $2, NULL); }
| expr "==" expr	{ $$ = ast_expr_op(B, AST_X_EQ, @$, $1, $3); }
| expr "!=" expr	{ $$ = ast_expr_op(B, AST_X_NE, @$, $1, $3); }
| expr '<' expr		{ $$ = ast_expr_op(B, AST_X_LT, @$, $1, $3); }
| expr "<=" expr	{ $$ = ast_expr_op(B, AST_X_LE, @$, $1, $3); }
| expr '>' expr		{ $$ = ast_expr_op(B, AST_X_GT, @$, $1, $3); }
| expr ">=" expr	{ $$ = ast_expr_op(B, AST_X_GE, @$, $1, $3); }
| expr K_IN expr	{ $$ = ast_expr_op(B, AST_X_IN, @$, $1, $3); }
| expr '|' expr		{ $$ = ast_expr_op(B, AST_X_BITOR, @$, $1, $3); }
| expr '&' expr		{ $$ = ast_expr_op(B, AST_X_BITAND, @$, $1, $3); }
;

exprs:
  expr			{ $$ = ast_exprs_one($1); }
| exprs ',' expr	{ $$ = ast_exprs_add($1, $3); }
| error			{ $$ = (struct ast_exprs){ 0 }; }
| exprs ',' error
;

/* --- limits, env, audit, session --------------------------------------------------- */

pairs:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| pairs pair		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| pairs ';'		{ $$ = $1; yyerrok; }
| pairs error
;

pair:
  locked name value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $3,
			.locked = $1); }
| locked name "+=" value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $4,
			.locked = $1, .append = true); }
;

estmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| estmts estmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| estmts ';'		{ $$ = $1; yyerrok; }
| estmts error
;

estmt:
  locked K_KEEP names
	{ $$ = AST_STMT(B, AST_KEEP, @$, .name_at = @2, .values = $3.head, .locked = $1); }
| locked K_KEEP "+=" names
	{ $$ = AST_STMT(B, AST_KEEP, @$, .name_at = @2, .values = $4.head, .locked = $1,
			.append = true); }
| locked K_SET name '=' str
	{ $$ = dsl_variable(p, AST_STMT(B, AST_SET, @$, .name = $3, .name_at = @3,
				   .values = $5, .locked = $1)); }
| locked K_SECRET name K_FROM name_value str
	{ $$ = AST_STMT(B, AST_SECRET, @$, .name = $3, .name_at = @3, .locked = $1,
			.values = ast_values_add(ast_values_one($5), $6).head); }
;

session_items:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| session_items session_item	{ $$ = ast_stmts_add($1, $2); yyerrok; }
| session_items ';'		{ $$ = $1; yyerrok; }
| session_items error
;

session_item:
  locked session_key value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $3,
			.locked = $1); }
| locked session_key "+=" value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $4,
			.locked = $1, .append = true); }
| locked K_RATE name number K_PER number
	{ $$ = AST_STMT(B, AST_RATE, @$, .name = $3, .name_at = @3, .values = $4,
			.per = $6, .locked = $1); }
;

/* --- tools, runner ------------------------------------------------------------------ */

lstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| lstmts lstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| lstmts ';'		{ $$ = $1; yyerrok; }
| lstmts error
;

lstmt:
  final effect names uopts
	{ $$ = AST_STMT(B, AST_RULE, @$, .final = $1, .name_at = @2, .effect = $2,
			.values = $3.head, .options = $4.head); }
| otherwise
| by_risk
;

tool_items:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| tool_items tool_item	{ $$ = ast_stmts_add($1, $2); yyerrok; }
| tool_items ';'		{ $$ = $1; yyerrok; }
| tool_items error
;

tool_item:
  effect
	{ $$ = AST_STMT(B, AST_TOOL_EFFECT, @$, .name_at = @1, .effect = $1); }
| name value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $1, .name_at = @1, .values = $2); }
;

rstmts:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| rstmts rstmt		{ $$ = ast_stmts_add($1, $2); yyerrok; }
| rstmts ';'		{ $$ = $1; yyerrok; }
| rstmts error
;

rstmt:
  locked K_MODE name
	{ $$ = AST_STMT(B, AST_MODE, @$, .name = $3, .name_at = @3, .locked = $1); }
| locked routes name
	{ $$ = AST_STMT(B, AST_ROUTE, @$, .name = $3, .name_at = @3, .values = $2.head,
			.locked = $1); }
| locked routes name K_ELSE effect
	{ $$ = AST_STMT(B, AST_ROUTE, @$, .name = $3, .name_at = @3, .values = $2.head,
			.locked = $1, .has_else = true, .effect = $5); }
| locked route_name open runner_items '}'
	{ $$ = AST_STMT(B, AST_RUNNER, @$, .name = $2, .name_at = @2, .body = $4.head,
			.locked = $1); }
;

routes:
  route_name
	{ $$ = ast_values_one(AST_VALUE(B, AST_V_NAME, @$, .text = $1)); }
| routes ',' route_name
	{ $$ = ast_values_add($1, AST_VALUE(B, AST_V_NAME, @3, .text = $3)); }
| routes ',' error
;

runner_items:
  %empty		{ $$ = (struct ast_stmts){ 0 }; }
| runner_items runner_item	{ $$ = ast_stmts_add($1, $2); yyerrok; }
| runner_items ';'		{ $$ = $1; yyerrok; }
| runner_items error
;

runner_item:
  locked runner_key value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $3,
			.locked = $1); }
| locked runner_key "+=" value
	{ $$ = AST_STMT(B, AST_PAIR, @$, .name = $2, .name_at = @2, .values = $4,
			.locked = $1, .append = true); }
| locked section
	{ $$ = ast_locked(B, $2, $1, @$); }
;

/* --- assertions and tests -------------------------------------------------------------- */

set:
  K_COMMAND pats copts
	{ $$ = (struct dsl_set){ { .kind = AST_R_COMMAND, .at = @$, .values = $2.head },
				 $3.head }; }
| K_FILE ops paths fopts
	{ $$ = (struct dsl_set){ { .kind = AST_R_FILE, .at = @$, .ops = $2,
				   .values = $3.head }, $4.head }; }
| K_NET net nopts
	{ $$ = (struct dsl_set){ { .kind = AST_R_NET, .at = @$, .net = $2 }, $3.head }; }
| K_UNIX paths fopts
	{ $$ = (struct dsl_set){ { .kind = AST_R_UNIX, .at = @$, .values = $2.head },
				 $3.head }; }
| K_SYSCALL sysitems sopts
	{ $$ = (struct dsl_set){ { .kind = AST_R_SYSCALL, .at = @$, .values = $2.head },
				 $3.head }; }
| K_TOOL names uopts
	{ $$ = (struct dsl_set){ { .kind = AST_R_TOOL, .at = @$, .values = $2.head },
				 $3.head }; }
;

test_cases:
  %empty		{ $$ = (struct ast_test_cases){ 0 }; }
| test_cases test_case	{ $$ = ast_test_cases_add($1, $2); yyerrok; }
| test_cases ';'		{ $$ = $1; yyerrok; }
| test_cases error
;

test_case:
  request "=>" effect
	{ $$ = ast_test_case(B, (struct ast_test_case){ @$, $1, $3, NULL, NULL }); }
| request "=>" effect K_BY name_value
	{ $$ = ast_test_case(B, (struct ast_test_case){ @$, $1, $3, $5, NULL }); }
;

request:
  K_COMMAND str
	{ $$ = (struct ast_request){ .kind = AST_R_COMMAND, .at = @$, .values = $2 }; }
| K_ARGV strs
	{ $$ = (struct ast_request){ .kind = AST_R_ARGV, .at = @$, .values = $2.head }; }
| K_FILE op str
	{ $$ = (struct ast_request){ .kind = AST_R_FILE, .at = @$, .ops = $2,
				     .values = $3 }; }
| K_NET net
	{ $$ = (struct ast_request){ .kind = AST_R_NET, .at = @$, .net = $2 }; }
| K_UNIX str
	{ $$ = (struct ast_request){ .kind = AST_R_UNIX, .at = @$, .values = $2 }; }
| K_SYSCALL call
	{ $$ = (struct ast_request){ .kind = AST_R_SYSCALL, .at = @$, .values = $2 }; }
| K_TOOL word_or_str
	{ $$ = (struct ast_request){ .kind = AST_R_TOOL, .at = @$, .values = $2 }; }
;

/* --- names -------------------------------------------------------------------------- */

/* The contextual words of keywords.def, split by the words that some section uses. */
name:
  word | K_MODE | K_RATE | K_NETWORK | K_LIMITS | K_ENV | K_FILE
;
session_key:
  word | K_MODE | K_NETWORK | K_LIMITS | K_ENV | K_FILE
;
runner_key:
  word | K_MODE | K_RATE
;
route_name:
  word | K_RATE | K_NETWORK | K_LIMITS | K_ENV | K_FILE
;
map_key:
  name | K_POLICY | K_USE | K_LET | K_LOCKED | K_ALLOW | K_ASK | K_DENY | K_HIDE
| K_FINAL | K_OTHERWISE | K_BECAUSE | K_AS | K_WHEN | K_WITH | K_WITHOUT | K_EXCEPT
| K_WITHIN | K_NOT | K_AND | K_OR | K_IN | K_ELSE
;
word:
  NAME | K_GROUP | K_ROLE | K_TOOL | K_ALERT | K_SETTING | K_ASSERT | K_TEST
| K_COMMAND | K_UNIX | K_SYSCALL | K_AUDIT | K_SESSION | K_RUNNER | K_TOOLS
| K_RISK | K_PROGRAM | K_WRAPPER | K_INTERPRETER | K_TAINT | K_SAFE | K_INERT
| K_PIN | K_SHELL | K_OPAQUE | K_SCRATCH | K_MOUNT | K_VIA | K_KEEP | K_SET
| K_SECRET | K_HOLD | K_PUBLISH | K_INJECT | K_CONNECTIONS | K_BYTES | K_USER | K_HEADER
| K_MATCH | K_STRICT | K_ACCEPT | K_UNTIL | K_MAY | K_PEEK
| K_ADVISORY | K_BY | K_ONLY | K_READ | K_WRITE | K_EXEC | K_TCP | K_UDP
| K_ANY | K_PORT | K_AT | K_FROM | K_PER | K_DO | K_NEVER | K_ALWAYS | K_ARGV
| K_NET | K_SHA256 | K_GLOBAL | K_OPTIONS | K_SKIP | K_CODE | K_OPERAND
| K_STDIN | K_QUERY | K_MOVES | K_RUNS | K_LEADS | K_READS
| K_WRITES | K_SCRIPT | K_DEFAULT | K_TREES | K_BEGINS | K_BELOW | K_UNPACKS | K_NAMES_FROM | K_EDITS | K_INSTEAD | K_AFTER | K_ENDSAT | K_ALSO
;

%%

/* bison calls this only if its stack cannot grow. */
static void pol_error(const struct span *at, struct dsl_parser *p, const char *msg)
{
	(void)msg;
	dsl_too_deep(p, *at);
}

static int yyreport_syntax_error(const yypcontext_t *ctx, struct dsl_parser *p)
{
	yysymbol_kind_t kinds[YYNTOKENS];
	const char *names[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, kinds, YYNTOKENS);

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		names[i] = yysymbol_name(kinds[i]);
	dsl_syntax_error(p, *yypcontext_location(ctx),
			 yysymbol_name(yypcontext_token(ctx)), names, (size_t)n);
	return 0;
}
