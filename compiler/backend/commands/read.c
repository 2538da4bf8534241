/* Reads commands.bin back: prints it, and compares it with the IR. */
#include "compiler/backend/commands/internal.h"
#include "compiler/ir/words.h"
#include "compiler/lower/facts_merge.h"
#include "compiler/lower/line_facts.h"
#include "compiler/record/automaton.h"
#include "runtime/bundle/check.h"

static const struct line_facts *open_member(const struct bk_output *in,
					     struct rt_err *err)
{
	const struct bk_member *m = bk_member(in, PB_COMMANDS);

	if (!m || bundle_check_commands(m->bytes.p, m->bytes.n, err) < 0)
		return NULL;
	return (const void *)m->bytes.p;
}

static const void *table(const struct line_facts *h, struct pb_table t)
{
	return (const char *)h + t.off;
}

static struct str text_of(const struct line_facts *h, struct pb_str s)
{
	return (struct str){ (const char *)h + s.off, s.len };
}

/* --- print ------------------------------------------------------------------------ */

static void print_str(FILE *out, const struct line_facts *h, struct pb_str s)
{
	(void)fprintf(out, "%.*s", (int)s.len, (const char *)h + s.off);
}

static void print_when(FILE *out, uint32_t when)
{
	if (when != LINE_NO_WHEN)
		(void)fprintf(out, " when %u", when);
}

/* Prints names that belong to one option together, with the option's number. */
static void print_options(FILE *out, const struct line_facts *h,
			  const struct line_program *p)
{
	static const char *const takes[] = { "", " takes a value",
					     " takes an attached value",
					     " takes a value in places" };
	const struct line_option *o = table(h, p->options);

	for (uint32_t i = 0; i < p->options.count; i++) {
		(void)fprintf(out, "  %u ", o[i].same);
		print_str(out, h, o[i].name);
		(void)fputs(takes[o[i].takes], out);
		ir_print_flags(out, &ir_words_option_flag, o[i].flags);
		print_when(out, o[i].when);
		(void)fputc('\n', out);
	}
}

static void print_places(FILE *out, const struct line_facts *h, const struct line_program *p)
{
	const struct line_place *v = table(h, p->places);

	for (uint32_t i = 0; i < p->places.count; i++) {
		uint32_t n = v[i].operand;

		(void)fprintf(out, "  %s operand ", ir_word(&ir_words_place, v[i].kind));
		if (n >= LINE_REST_OPERAND)
			(void)fputs(n == LINE_ANY_OPERAND ? "any" : n == LINE_LAST_OPERAND ?
					    "last" : "rest", out);
		else
			(void)fprintf(out, "%s%u", n >= LINE_FROM_OPERAND ? "from-" : "",
				      n % LINE_FROM_OPERAND);
		print_when(out, v[i].when);
		(void)fputc('\n', out);
	}
}

static void print_words(FILE *out, const struct line_facts *h, const char *word,
			struct pb_table t)
{
	const struct line_word *v = table(h, t);

	if (t.count)
		(void)fprintf(out, "  %s", word);
	for (uint32_t i = 0; i < t.count; i++) {
		(void)fputc(' ', out);
		print_str(out, h, v[i].text);
	}
	if (t.count)
		(void)fputc('\n', out);
}

static void print_program(FILE *out, const struct line_facts *h,
			  const struct line_program *p)
{
	const struct line_code *c = table(h, p->codes);

	for (unsigned i = LINE_PK_PROGRAM; i <= LINE_PK_INTERPRETER; i <<= 1)
		if (p->kinds & i)
			(void)fprintf(out, "%s ", ir_word(&ir_words_program, i));
	print_str(out, h, p->name);
	ir_print_flags(out, &ir_words_program_flag, p->flags);
	(void)fputs(p->flags & LINE_PF_SUBCOMMANDS ? " subcommands" : "", out);
	if (p->as) {
		(void)fputs(" as ", out);
		print_str(out, h, ((const struct line_program *)table(h, h->programs))[p->as - 1].name);
	}
	(void)fputs(p->flags & LINE_PF_FILES_ONLY ? " files-only" : "", out);
	if (p->skip)
		(void)fprintf(out, " skip %u", p->skip);
	(void)fputc('\n', out);
	print_options(out, h, p);
	for (uint32_t i = 0; i < p->codes.count; i++) {
		if (c[i].operand == LINE_ANY_OPERAND)
			(void)fprintf(out, "  code operand any");
		else
			(void)fprintf(out, "  code operand %u", c[i].operand);
		print_when(out, c[i].when);
		(void)fputc('\n', out);
	}
	print_places(out, h, p);
	print_words(out, h, "after", p->after);
	print_words(out, h, "ends-at", p->ends);
	print_words(out, h, "also", p->also);
	print_words(out, h, "script default", p->defaults);
}

static void print_pins(FILE *out, const struct line_facts *h)
{
	const struct line_pin *v = table(h, h->pins);

	for (uint32_t i = 0; i < h->pins.count; i++) {
		(void)fputs("pin ", out);
		print_str(out, h, v[i].name);
		(void)fputc(' ', out);
		print_str(out, h, v[i].path);
		if (v[i].has_digest)
			(void)fputs(" sha256 ", out);
		for (unsigned k = 0; k < sizeof(v[i].sha256) && v[i].has_digest; k++)
			(void)fprintf(out, "%02x", v[i].sha256[k]);
		(void)fputc('\n', out);
	}
}

void commands_print(FILE *out, const struct bk_output *in)
{
	static const char *const dialects[] = { "bash", "posix", "none" };
	const struct line_facts *h = open_member(in, NULL);
	const struct line_program *p;
	const struct pb_automaton *w;
	const struct line_var *v;

	if (!h) {
		(void)fprintf(out, PB_COMMANDS ": not readable\n");
		return;
	}
	p = table(h, h->programs);
	w = table(h, h->whens);
	v = table(h, h->vars);
	(void)fputs("shell ", out);
	print_str(out, h, h->shell_name);
	if (h->shell.len) {
		(void)fputc(' ', out);
		print_str(out, h, h->shell);
	}
	(void)fprintf(out, " dialect %s\n", dialects[h->dialect]);
	print_pins(out, h);
	for (uint32_t i = 0; i < h->programs.count; i++)
		print_program(out, h, p + i);
	for (uint32_t i = 0; i < h->vars.count; i++) {
		(void)fputs(v[i].taint ? "taint " : "safe ", out);
		print_str(out, h, v[i].name);
		(void)fputc('\n', out);
	}
	for (uint32_t i = 0; i < h->whens.count; i++)
		(void)fprintf(out, "when %u: %u states, %u classes\n", i, w[i].nstates,
			      w[i].nclasses);
}

/* --- verify ------------------------------------------------------------------------- */

struct verify {
	struct arena *a;
	const struct line_facts *h;
	struct merged_whens whens;
	bool *when_used;
};

/* Is the automaton of the code place the one that its regexes make? */
static bool same_when(struct verify *v, uint32_t when, const struct merged_when *want)
{
	uint32_t n = facts_when(&v->whens, want);

	if (n != LINE_NO_WHEN && when == n)
		v->when_used[n] = true;
	return when == n;
}

static bool same_options(struct verify *v, const struct line_program *p,
			 const struct merged_program *m)
{
	const struct line_option *o = table(v->h, p->options);

	if (p->options.count != m->options.n)
		return false;
	for (size_t i = 0; i < m->options.n; i++) {
		const struct merged_option *w = &m->options.v[i];

		if (!str_eq(text_of(v->h, o[i].name), w->name) ||
		    o[i].takes != w->takes || o[i].flags != w->flags ||
		    o[i].same != w->same || !same_when(v, o[i].when, &w->when))
			return false;
	}
	return true;
}

static bool same_codes(struct verify *v, const struct line_program *p,
		       const struct merged_program *m)
{
	const struct line_code *c = table(v->h, p->codes);
	const struct line_place *f = table(v->h, p->places);
	size_t n = p->codes.count;

	if (n + p->places.count != m->codes.n)
		return false;
	for (size_t i = 0; i < m->codes.n; i++) {
		const struct merged_code *w = &m->codes.v[i];
		bool code = i < n;

		if ((code ? (uint32_t)LINE_PLACE_CODE : f[i - n].kind) != w->kind ||
		    (code ? c[i].operand : f[i - n].operand) != w->operand ||
		    !same_when(v, code ? c[i].when : f[i - n].when, &w->when))
			return false;
	}
	return true;
}

static bool same_words(const struct line_facts *h, struct pb_table t,
		       const struct str *want, size_t n)
{
	const struct line_word *v = table(h, t);

	if (t.count != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!str_eq(text_of(h, v[i].text), want[i]))
			return false;
	return true;
}

static const char *verify_programs(struct verify *v, const struct merged *m)
{
	const struct line_program *p = table(v->h, v->h->programs);

	if (v->h->programs.count != m->programs.n)
		return "a program is missing or has been added";
	for (size_t i = 0; i < m->programs.n; i++) {
		const struct merged_program *w = &m->programs.v[i];

		if (!str_eq(text_of(v->h, p[i].name), w->name) ||
		    p[i].kinds != w->kinds || p[i].flags != w->flags ||
		    p[i].skip != w->skip || p[i].base != w->base || p[i].as != w->as || !same_options(v, &p[i], w) ||
		    !same_codes(v, &p[i], w) ||
		    !same_words(v->h, p[i].after, w->after.v, w->after.n) ||
		    !same_words(v->h, p[i].ends, w->ends.v, w->ends.n) ||
		    !same_words(v->h, p[i].also, w->also.v, w->also.n) ||
		    !same_words(v->h, p[i].defaults, w->defaults.v, w->defaults.n))
			return arena_printf(v->a, "the program '%.*s' is not the policy's",
					    STR_ARG(w->name));
	}
	return NULL;
}

static const char *verify_vars(const struct verify *v, const struct merged *m)
{
	const struct line_var *p = table(v->h, v->h->vars);

	if (v->h->vars.count != m->vars.n)
		return "a variable is missing or has been added";
	for (size_t i = 0; i < m->vars.n; i++)
		if (!str_eq(text_of(v->h, p[i].name), m->vars.v[i].name) ||
		    p[i].taint != m->vars.v[i].taint)
			return arena_printf(v->a, "the variable '%.*s' is not the policy's",
					    STR_ARG(m->vars.v[i].name));
	return NULL;
}

static const char *verify_pins(const struct verify *v, const struct ir *ir)
{
	const struct line_pin *p = table(v->h, v->h->pins);

	if (v->h->pins.count != ir->pins.n)
		return "a pin is missing or has been added";
	for (size_t i = 0; i < ir->pins.n; i++) {
		struct line_pin want;

		facts_pin(&ir->pins.v[i], &want);
		if (!str_eq(text_of(v->h, p[i].name), ir->pins.v[i].name) ||
		    !str_eq(text_of(v->h, p[i].path), ir->pins.v[i].path) ||
		    p[i].has_digest != want.has_digest ||
		    memcmp(p[i].sha256, want.sha256, sizeof(want.sha256)) != 0)
			return arena_printf(v->a, "the pin of '%.*s' is not the policy's",
					    STR_ARG(ir->pins.v[i].name));
	}
	if (v->h->dialect != facts_dialect(ir) ||
	    !str_eq(text_of(v->h, v->h->shell), ir->shell.path) ||
	    !str_eq(text_of(v->h, v->h->shell_name), facts_shell_name(ir)))
		return "the shell is not the policy's";
	return NULL;
}

static const char *verify_whens(const struct verify *v)
{
	const struct pb_automaton *p = table(v->h, v->h->whens);

	if (v->h->whens.count != v->whens.list.n)
		return "a 'when' is missing or has been added";
	for (size_t i = 0; i < v->whens.list.n; i++) {
		const struct set_dfa *want = &v->whens.list.v[i]->dfa;
		struct set_dfa d;
		size_t n = (size_t)want->nstates * want->nclasses * sizeof(uint32_t);

		/* the smallest automaton of a language has only one form */
		rec_automaton_read(v->a, v->h, &p[i], &d);
		if (!v->when_used[i] || d.nstates != want->nstates ||
		    d.nclasses != want->nclasses || d.start != want->start ||
		    memcmp(d.cls, want->cls, sizeof(d.cls)) != 0 ||
		    memcmp(d.next, want->next, n) != 0 || d.ntags != want->ntags ||
		    memcmp(d.tag_at, want->tag_at,
			   ((size_t)d.nstates + 1) * sizeof(uint32_t)) != 0)
			return arena_printf(v->a, "'when' %zu is not the policy's", i);
	}
	return NULL;
}

const char *commands_verify(const struct ir *ir, const struct bk_output *in,
			    struct arena *a)
{
	struct rt_err err = { .err = 0 };
	struct verify v = { .a = a, .h = open_member(in, &err) };
	struct merged m;
	const char *why;

	if (!v.h)
		return arena_printf(a, "%s", err.err ? err.text :
						       PB_COMMANDS " is missing");
	if (!facts_merge(a, ir, &m) || !facts_whens(a, &m, NULL, &v.whens))
		return PB_COMMANDS ": the policy's tables cannot be made";
	v.when_used = arena_array(a, v.whens.list.n + 1, sizeof(bool));
	why = verify_programs(&v, &m);
	if (!why)
		why = verify_vars(&v, &m);
	if (!why)
		why = verify_pins(&v, ir);
	if (!why)
		why = verify_whens(&v);
	return why ? arena_printf(a, PB_COMMANDS ": %s", why) : NULL;
}
