/* Decides how verbs and options stand in a manual page (man(7)). */
#include "doc/man/manual.h"

#include <string.h>

/* Text that roff takes as it stands. */
static void put(FILE *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", out);
	for (; *s; s++)
		switch (*s) {
		case '-':
			fputs("\\-", out);
			break;
		case '\\':
			fputs("\\e", out);
			break;
		case '\'':
			fputs("\\(aq", out);
			break;
		case '`':
			fputs("\\(ga", out);
			break;
		case '~':
			fputs("\\(ti", out);
			break;
		case '^':
			fputs("\\(ha", out);
			break;
		default:
			fputc(*s, out);
		}
}

static void put_option(FILE *out, const struct optspec *o)
{
	fputs(".TP\n\\fB", out);
	if (o->letter)
		fprintf(out, "\\-%c", o->letter);
	if (o->letter && o->name[0])
		fputs("\\fR, \\fB", out);
	if (o->name[0]) {
		fputs("\\-\\-", out);
		put(out, o->name);
	}
	fputs("\\fR", out);
	if (o->arg != OPTSPEC_NONE) {
		fputs(o->arg == OPTSPEC_MAYBE ? "[=" : " ", out);
		fputs("\\fI", out);
		put(out, o->value);
		fputs(o->arg == OPTSPEC_MAYBE ? "\\fR]" : "\\fR", out);
	}
	fputc('\n', out);
	put(out, o->help);
	fputc('\n', out);
}

/* Of which verbs, where it is not of all. */
static void put_verbs(FILE *out, const struct optspec_program *p, const struct optspec *o)
{
	size_t n = 0;

	for (size_t v = 0; v < p->nverbs; v++)
		n += optspec_is_of(o, (int)v);
	if (n == p->nverbs)
		return;
	fputs(".br\nOf ", out);
	for (size_t v = 0; v < p->nverbs; v++)
		if (optspec_is_of(o, (int)v)) {
			fputs("\\fB", out);
			put(out, p->verbs[v].name);
			fputs(--n ? "\\fR, " : "\\fR.\n", out);
		}
}

static void put_all_verbs(FILE *out, const struct optspec_program *p, const char *before)
{
	for (size_t v = 0; v < p->nverbs; v++) {
		fputs(".TP\n\\fB", out);
		put(out, before);
		put(out, p->verbs[v].name);
		fputs("\\fR ", out);
		put(out, p->verbs[v].form);
		fputc('\n', out);
		put(out, p->verbs[v].help);
		fputs(".\n", out);
	}
}

static void put_all_options(FILE *out, const struct optspec_program *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (optspec_is_of(&p->options[i], -1)) {
			put_option(out, &p->options[i]);
			if (p->nverbs)
				put_verbs(out, p, &p->options[i]);
		}
}

void manual_options(FILE *out, const struct optspec_program *p)
{
	char before[40];

	if (p->nverbs) {
		fputs(".SH VERBS\n", out);
		put_all_verbs(out, p, "");
	}
	fputs(".SH OPTIONS\n", out);
	put_all_options(out, p);
	for (size_t i = 0; i < p->nsubs; i++) {
		const struct optspec_program *s = p->subs[i];

		(void)snprintf(before, sizeof(before), "%s ", s->name);
		fprintf(out, ".SS %s %s\n", p->name, s->name);
		put_all_verbs(out, s, before);
		put_all_options(out, s);
	}
}
