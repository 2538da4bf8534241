/* Decides how --help shows a table of options. */
#include "runtime/base/optspec.h"

#include <string.h>

enum { LEFT = 25, WIDTH = 80 };

bool optspec_is_of(const struct optspec *o, int verb)
{
	return o->help && (verb < 0 || (o->verbs >> verb & 1));
}

/* Prints the text in lines; each line but the first is indented by LEFT blanks. */
static void print_wrapped(FILE *out, const char *text)
{
	int at = LEFT;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > LEFT && at + 1 + (int)n > WIDTH) {
			fprintf(out, "\n%*s", LEFT, "");
			at = LEFT;
		} else if (at > LEFT) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)n, text);
		at += (int)n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void print_one(FILE *out, const struct optspec *o)
{
	char left[80];
	int n;

	if (!o->name[0])
		n = snprintf(left, sizeof(left), "  -%c", o->letter);
	else if (o->letter)
		n = snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name);
	else
		n = snprintf(left, sizeof(left), "      --%s", o->name);
	if (n > 0 && (size_t)n < sizeof(left) && o->arg != OPTSPEC_NONE)
		n += snprintf(left + n, sizeof(left) - (size_t)n,
			      o->arg == OPTSPEC_MAYBE ? "[=%s]" : " %s", o->value);
	if (n + 1 >= LEFT)
		fprintf(out, "%s\n%*s", left, LEFT, "");
	else
		fprintf(out, "%-*s", LEFT, left);
	print_wrapped(out, o->help);
}

void optspec_print(FILE *out, const struct optspec *table, size_t n, int verb)
{
	for (size_t i = 0; i < n; i++)
		if (optspec_is_of(&table[i], verb))
			print_one(out, &table[i]);
}

void optspec_help(FILE *out, const struct optspec_program *p)
{
	fputs(p->usage, out);
	optspec_print(out, p->options, p->n, -1);
	if (p->end)
		fprintf(out, "\n%s", p->end);
}
