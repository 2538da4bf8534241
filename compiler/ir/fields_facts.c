/* The rows for ir/facts.h: words that can stand in a command, ranges. */
#include "compiler/ir/rows.h"

bool ir_is_file_name(struct str s)
{
	const char *star = s.n ? memchr(s.p, '*', s.n) : NULL;

	return ir_is_text(s) && s.n > (star != NULL) && !memchr(s.p, '/', s.n) &&
	       !(star && memchr(star + 1, '*', s.n - (size_t)(star + 1 - s.p)));
}

/* --- risk classes, what is inert ------------------------------------------- */

static const struct ir_record *risk_set(const void *of, size_t at)
{
	(void)at;
	return ir_record_set(((const struct ir_risk_fact *)of)->kind);
}

static const char *check_risk(struct ir_check *c)
{
	const struct ir_risk_fact *f = c->of;

	c->broad = f->risk != IR_RISK_LOW;
	return f->kind != IR_COMMAND && f->kind != IR_TOOL ? "a class of another kind" : NULL;
}

TABLE(ir_record_risk, check_risk, NULL,
	WORD(ir_risk_fact, "risk", risk, ir_words_risk),
	WORD(ir_risk_fact, "kind", kind, ir_words_kind),
	SAID(ir_risk_fact),
	SETS(ir_risk_fact, .pick = risk_set));

static const char *check_inert(struct ir_check *c)
{
	c->broad = false;
	return NULL;
}

TABLE(ir_record_inert, check_inert, NULL,
	LEVEL(ir_inert),
	AT(ir_inert),
	SETS(ir_inert, .of = &ir_record_command));

/* --- programs -------------------------------------------------------------- */

static const char *check_when(const struct ir_when *w)
{
	return !w->is && (w->text.n || w->i || w->x) ? "a 'when' that is none" : NULL;
}

static TABLE(when, NULL, NULL,
	FLAG(ir_when, "i", i),
	FLAG(ir_when, "x", x),
	TEXT(ir_when, "text", text, .is = ir_is_text));

static const char *check_option(struct ir_check *c)
{
	const struct ir_optspec *o = c->of;

	if (!ir_is_text(o->name))
		return "an option without a name";
	if (o->when.is && !(o->flags & LINE_OF_CODE))
		return "a 'when' of what is no code";
	if (!o->says_takes && (o->takes != LINE_TAKES_NOTHING ||
			       !(o->flags & ~(unsigned)LINE_OF_GLOBAL)))
		return "an option that says nothing";
	return check_when(&o->when);
}

TABLE(ir_record_option, check_option, NULL,
	WORD(ir_optspec, "takes", takes, ir_words_takes, SAYS(ir_optspec, says_takes, SOME)),
	BITS(ir_optspec, flags, ir_words_option_flag),
	OPT_NUMBER(ir_optspec, "same", same, UINT16_MAX),
	RECORD(ir_optspec, "when", when, when, SAYS(ir_optspec, when.is, SOME)));

static const char *check_place(struct ir_check *c)
{
	const struct ir_code_place *p = c->of;
	uint32_t n = p->operand;

	if (p->kind != LINE_PLACE_CODE && n < LINE_REST_OPERAND && n >= LINE_FROM_OPERAND)
		n -= LINE_FROM_OPERAND;
	if (n != LINE_ANY_OPERAND && (p->kind == LINE_PLACE_CODE || n < LINE_REST_OPERAND) &&
	    (n < 1 || n > UINT8_MAX))
		return "an operand out of range";
	return check_when(&p->when);
}

static TABLE(place, check_place, NULL,
	WORD(ir_code_place, "kind", kind, ir_words_place, UNLESS_EMPTY(ir_code_place, kind)),
	VALUE(ir_code_place, NULL, operand, IR_FT_OPERAND),
	RECORD(ir_code_place, "when", when, when, SAYS(ir_code_place, when.is, SOME)));

static bool is_program(struct str s)
{
	return ir_is_text(s) && !memchr(s.p, '/', s.n);
}

#define WORDS_OF(key, member, ok) \
	OPT_LIST(ir_program, key, member, n##member, IR_FT_TEXT, .is = (ok))

TABLE(ir_record_program, NULL, NULL,
	TEXT(ir_program, "name", name, .is = is_program),
	WORD(ir_program, "kind", kind, ir_words_program),
	LEVEL(ir_program),
	AT(ir_program),
	BITS(ir_program, flags, ir_words_program_flag),
	OPT_NUMBER(ir_program, "skip", skip, UINT8_MAX),
	OPT_LIST(ir_program, "options", options, noptions, IR_FT_OPTIONS,
		 .of = &ir_record_option),
	OPT_LIST(ir_program, "codes", codes, ncodes, IR_FT_RECORD, .of = &place),
	WORDS_OF("after", after, ir_is_text),
	WORDS_OF("ends", ends, ir_is_text),
	WORDS_OF("also", also, NULL),
	WORDS_OF("defaults", defaults, ir_is_file_name));

/* --- the rest -------------------------------------------------------------- */

TABLE(ir_record_fact, NULL, NULL,
	TEXT(ir_fact, "kind", kind, .is = ir_is_some),
	TEXT(ir_fact, "text", text),
	LEVEL(ir_fact),
	AT(ir_fact));

TABLE(ir_record_var, NULL, NULL,
	TEXT(ir_var, "name", name, .is = ir_is_text),
	FLAG(ir_var, "taint", taint),
	LEVEL(ir_var),
	AT(ir_var));

/* 64 hexadecimal digits, or empty. */
static bool is_digest(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr("0123456789abcdef", s.p[i]))
			return false;
	return !s.n || s.n == 64;
}

TABLE(ir_record_pin, NULL, NULL,
	TEXT(ir_pin, "name", name, .is = ir_is_text, .flags = IR_FF_SORTED),
	TEXT(ir_pin, "path", path, .is = ir_is_path),
	TEXT(ir_pin, "sha256", sha256, .is = is_digest),
	SAID(ir_pin));

static bool is_path_or_none(struct str s)
{
	return !s.n || ir_is_path(s);
}

TABLE(ir_record_shell, NULL, NULL,
	TEXT(ir_shell, "name", name, .is = ir_is_text),
	TEXT(ir_shell, "path", path, .is = is_path_or_none),
	LEVEL(ir_shell),
	AT(ir_shell));
