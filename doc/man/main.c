/* Makes manual pages and completions while the programs are built; nothing of
 * it is installed.
 *   manual man PROGRAM <PAGE.in    manual bash|zsh|fish PROGRAM    manual list PROGRAM */
#include <string.h>

#include "compiler/cli/verbs.h"
#include "doc/man/manual.h"
#include "runtime/polrun/polrun_options.h"
#include "runtime/query/query_options.h"

#define MARK "@OPTIONS@\n"

static const struct optspec_program *find(const char *name)
{
	const struct optspec_program *all[] = { options_program(), &polrun_program,
						&polquery_program };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

static int fill(const struct optspec_program *p)
{
	char line[4096];
	bool seen = false;

	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, MARK) != 0) {
			fputs(line, stdout);
			continue;
		}
		manual_options(stdout, p);
		seen = true;
	}
	if (!seen)
		fprintf(stderr, "manual: no line " MARK);
	return seen && !ferror(stdin) ? 0 : 1;
}

/* "VERB --NAME" or "VERB -c" for each option, for the tests. */
static void list(const char *verb, const struct optspec *table, size_t n, int number)
{
	for (size_t i = 0; i < n; i++)
		if (optspec_is_of(&table[i], number)) {
			if (table[i].name[0])
				printf("%s --%s\n", verb, table[i].name);
			if (table[i].letter)
				printf("%s -%c\n", verb, table[i].letter);
		}
}

static void list_program(const struct optspec_program *p)
{
	for (size_t i = 0; i < p->nverbs; i++)
		list(p->verbs[i].name, p->options, p->n, (int)i);
	if (!p->nverbs)
		list("-", p->options, p->n, -1);
	for (size_t k = 0; k < p->nsubs; k++)
		for (size_t i = 0; i < p->subs[k]->nverbs; i++) {
			char verb[60];

			(void)snprintf(verb, sizeof(verb), "%s:%s", p->subs[k]->name,
				       p->subs[k]->verbs[i].name);
			list(verb, p->subs[k]->options, p->subs[k]->n, (int)i);
		}
}

int main(int argc, char **argv)
{
	const struct optspec_program *p = argc == 3 ? find(argv[2]) : NULL;
	int r = 0;

	if (p && strcmp(argv[1], "man") == 0)
		r = fill(p);
	else if (p && strcmp(argv[1], "bash") == 0)
		manual_bash(stdout, p);
	else if (p && strcmp(argv[1], "zsh") == 0)
		manual_zsh(stdout, p);
	else if (p && strcmp(argv[1], "fish") == 0)
		manual_fish(stdout, p);
	else if (p && strcmp(argv[1], "list") == 0)
		list_program(p);
	else
		r = 2;
	if (r == 2)
		fputs("usage: manual man|bash|zsh|fish|list PROGRAM\n", stderr);
	return fflush(stdout) == 0 ? r : 1;
}
