/* The parts of a line as text for tables of tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/command_text.h"
#include "tests/lib/shell_text.h"

static unsigned number(const struct cmd_line *l, const struct cmd_part *p)
{
	const struct cmd_part *q;
	unsigned n = 1;

	for (q = l->first; q && q != p; q = q->next)
		n++;
	return n;
}

static void put_flags(FILE *f, const struct cmd_line *l, const struct cmd_part *p)
{
	static const char letters[] = "ocivtnlar";
	unsigned i, any = 0;

	for (i = 0; letters[i]; i++)
		if (p->flags & (1U << i))
			fprintf(f, "%s%c", any++ ? "" : " @", letters[i]);
	if (p->outer)
		fprintf(f, " <%u", number(l, p->outer));
	if (p->shell)
		fprintf(f, " $%u", number(l, p->shell));
}

static void put_dirs(FILE *f, const struct cmd_part *p, const char *cwd)
{
	const struct cmd_dir *d;

	if (p->dirs_unknown && cwd)
		fputs(" in ?", f);
	if (p->dirs_unknown || (cwd && p->dirs && !p->dirs->next))
		return;
	for (d = p->dirs; d; d = d->next)
		fprintf(f, "%s%s", d == p->dirs ? " in " : ",", d->path);
}

static void put_words(FILE *f, const struct cmd_part *p)
{
	for (uint32_t i = 0; i < p->nwords; i++) {
		if (i)
			fputc('|', f);
		shell_text_word(f, p->words[i].w);
	}
}

static void put_part(FILE *f, const struct cmd_line *l, const struct cmd_part *p,
		     const char *cwd)
{
	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		put_words(f, p);
		break;
	case CMD_FILE:
		fprintf(f, "file %s%s ", p->ops & CMD_READ ? "r" : "", p->ops & CMD_WRITE ? "w" : "");
		if (p->path)
			fprintf(f, "%s%.*s", p->home_path ? "~" : "", (int)p->path_n, p->path);
		else
			fputc('?', f);
		break;
	case CMD_NET:
		fprintf(f, "net %s %.*s %u", p->udp ? "udp" : "tcp", p->host ? (int)p->host_n : 1,
			p->host ? p->host : "?", p->port);
		break;
	case CMD_UNPARSED:
		fputs("unparsed", f);
		break;
	}
	put_flags(f, l, p);
	put_dirs(f, p, cwd);
}

char *command_text_of(const struct cmd_line *l, const struct cmd_world *w)
{
	const struct cmd_part *p;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	if (!f)
		return NULL;
	fputs(l->limit ? "# " : l->unparsed ? "! " : "", f);
	for (p = l->first; p; p = p->next) {
		put_part(f, l, p, w->cwd);
		if (p->next)
			fputs(" ; ", f);
	}
	fclose(f);
	return out;
}

static void put_option(FILE *f, const struct cmd_option *o)
{
	fprintf(f, " %.*s", (int)o->name_n, o->name);
	if (o->how != CMD_O_EXACT)
		fputc('*', f);
	if (o->how == CMD_O_EXACT && !o->sure)
		fputs(o->given ? "" : "?", f);
	if (o->sure)
		fputc('!', f);
	if (o->value)
		fprintf(f, "=%.*s", (int)o->value_n, o->value);
	else if (o->value_open)
		fputs("=<any>", f);
	else if (o->value_word)
		fprintf(f, "=%u", o->value_word);
}

char *command_text_options(const struct cmd_part *p)
{
	static const char letters[] = "ovpe";
	const struct cmd_option *o;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < p->nwords; i++) {
		for (unsigned k = 0; letters[k]; k++)
			if (p->words[i].roles & (1U << k))
				fputc(letters[k], f);
		fputs(i ? ":" : "", f);
		shell_text_word(f, p->words[i].w);
		fputs(i + 1 < p->nwords ? "|" : " :", f);
	}
	for (o = p->options; o; o = o->next)
		put_option(f, o);
	fclose(f);
	return out;
}
