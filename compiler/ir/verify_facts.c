/* Checks what ir/facts.h promises: words that can stand in a command, ranges. */
#include "compiler/ir/facts_words.h"
#include "compiler/ir/verify_set.h"

static bool is_said(enum ir_level l, const struct ir_place *p)
{
	return l >= IR_MANAGED && l <= IR_DEFAULT && p->file.n && p->line >= 1 &&
	       p->col >= 1;
}

/* One word without NUL. */
static bool is_text(struct str s)
{
	return s.n && !memchr(s.p, 0, s.n);
}

bool ir_is_file_name(struct str s)
{
	const char *star = s.n ? memchr(s.p, '*', s.n) : NULL;

	return is_text(s) && s.n > (star != NULL) && !memchr(s.p, '/', s.n) &&
	       !(star && memchr(star + 1, '*', s.n - (size_t)(star + 1 - s.p)));
}

static const char *check_sets(const struct ir_set *set, const struct ir_set *except,
			      size_t nexcept, enum ir_kind kind, bool broad)
{
	const char *why = ir_verify_set(kind, set, broad);

	for (size_t i = 0; i < nexcept && !why; i++)
		why = ir_verify_set(kind, &except[i], !broad);
	return why;
}

static const char *check_risk(const struct ir_risk_fact *f)
{
	if (f->risk >= IR_RISK_COUNT || !is_said(f->level, &f->at) ||
	    (f->kind != IR_COMMAND && f->kind != IR_TOOL))
		return "class, kind, level or place";
	return check_sets(&f->set, f->except, f->nexcept, f->kind,
			  f->risk != IR_RISK_LOW);
}

static const char *check_when(const struct ir_when *w)
{
	if (w->is)
		return is_text(w->text) ? NULL : "an empty 'when'";
	return w->text.n || w->i || w->x ? "a 'when' that is none" : NULL;
}

static const char *check_option(const struct ir_optspec *o)
{
	if (!is_text(o->name) || o->takes > LINE_TAKES_EITHER || o->same > UINT16_MAX)
		return "an option: name, value or number";
	if (o->when.is && !o->code)
		return "a 'when' of what is no code";
	if (!o->says_takes && (o->takes != LINE_TAKES_NOTHING || !(o->code || o->query || o->moves || o->runs ||
							     o->leads || o->reads || o->writes || o->script || o->trees || o->instead || o->edits)))
		return "an option that says nothing";
	return check_when(&o->when);
}

static const char *check_place(const struct ir_code_place *c)
{
	uint32_t n = c->operand;

	if (c->kind >= LINE_PLACE_COUNT)
		return "a place of no kind";
	if (c->kind != LINE_PLACE_CODE && n < LINE_REST_OPERAND && n >= LINE_FROM_OPERAND)
		n -= LINE_FROM_OPERAND;
	if (n != LINE_ANY_OPERAND && (c->kind == LINE_PLACE_CODE || n < LINE_REST_OPERAND) &&
	    (n < 1 || n > UINT8_MAX))
		return "an operand out of range";
	return check_when(&c->when);
}

static const char *check_program(const struct ir_program *p)
{
	const char *why = NULL;
	size_t i;

	if (!is_text(p->name) || memchr(p->name.p, '/', p->name.n) ||
	    !ir_program_kind_word(p->kind) || p->flags >> IR_PROGRAM_FLAGS ||
	    p->skip > UINT8_MAX || !is_said(p->level, &p->at))
		return "name, kind, flags, level or place";
	for (i = 0; i < p->noptions && !why; i++)
		why = check_option(&p->options[i]);
	for (i = 0; i < p->ncodes && !why; i++)
		why = check_place(&p->codes[i]);
	for (i = 0; i < p->nafter && !why; i++)
		why = is_text(p->after[i]) ? NULL : "an empty word";
	for (i = 0; i < p->nends && !why; i++)
		why = is_text(p->ends[i]) ? NULL : "an empty word";
	for (i = 0; i < p->ndefaults && !why; i++)
		why = ir_is_file_name(p->defaults[i]) ? NULL : "no name of a file";
	return why;
}

static const char *check_pin(const struct ir *ir, size_t i)
{
	const struct ir_pin *p = &ir->pins.v[i];

	if (!is_text(p->name) || !is_text(p->path) || p->path.p[0] != '/' || !p->id.n ||
	    (p->sha256.n && p->sha256.n != 64) || !is_said(p->level, &p->at))
		return "name, path, digest, level or place";
	for (size_t k = 0; k < p->sha256.n; k++)
		if (!p->sha256.p[k] || !strchr("0123456789abcdef", p->sha256.p[k]))
			return "a digest that is none";
	return i > 0 && str_cmp(ir->pins.v[i - 1].name, p->name) >= 0 ? "out of order" :
									NULL;
}

static const char *check_shell(const struct ir_shell *s)
{
	if (!s->level)
		return s->name.n || s->path.n ? "said by nobody" : NULL;
	if (!is_text(s->name) || !is_said(s->level, &s->at) ||
	    (s->path.n && (!is_text(s->path) || s->path.p[0] != '/')))
		return "name, path, level or place";
	return NULL;
}

#define CHECK_LIST(list, what, check)                                           \
	for (size_t i = 0; i < (list).n && !why; i++) {                         \
		why = (check);                                                  \
		if (why)                                                        \
			why = arena_printf(a, "%s %zu: %s", (what), i, why);    \
	}

const char *ir_verify_facts(const struct ir *ir, struct arena *a)
{
	const char *why = NULL;

	CHECK_LIST(ir->risks, "risk fact", check_risk(&ir->risks.v[i]))
	CHECK_LIST(ir->facts, "fact",
		   !ir->facts.v[i].kind.n ||
				   !is_said(ir->facts.v[i].level, &ir->facts.v[i].at) ?
			   "kind, level or place" : NULL)
	CHECK_LIST(ir->programs, "program", check_program(&ir->programs.v[i]))
	CHECK_LIST(ir->vars, "variable",
		   !is_text(ir->vars.v[i].name) ||
				   !is_said(ir->vars.v[i].level, &ir->vars.v[i].at) ?
			   "name, level or place" : NULL)
	CHECK_LIST(ir->inert, "inert pattern",
		   !is_said(ir->inert.v[i].level, &ir->inert.v[i].at) ?
			   "level or place" :
			   check_sets(&ir->inert.v[i].set, ir->inert.v[i].except,
				      ir->inert.v[i].nexcept, IR_COMMAND, false))
	CHECK_LIST(ir->pins, "pin", check_pin(ir, i))
	if (!why && (why = check_shell(&ir->shell)))
		why = arena_printf(a, "shell: %s", why);
	return why;
}
