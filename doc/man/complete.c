/* Decides what the shells complete: verbs, the options of the verb, and for an
 * option's value what its table says of it. */
#include "doc/man/manual.h"

#include <string.h>

/* --- values ----------------------------------------------------------------------- */

static bool is_small(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') || s[i] == '-'))
			return false;
	return n > 0;
}

enum manual_value manual_value(const struct optspec *o, char *words, size_t cap)
{
	const char *v = o->value;
	size_t at = 0;

	words[0] = '\0';
	if (o->arg == OPTSPEC_NONE || !v)
		return MANUAL_NOTHING;
	if (strcmp(v, "DIR") == 0)
		return MANUAL_DIR;
	if (strcmp(v, "FILE") == 0 || strcmp(v, "PATH") == 0 || strcmp(v, "KEY") == 0 || strstr(v, ".polb"))
		return MANUAL_FILE;
	/* "error|warning, diff: any|widening": all words but those before a ':' */
	while (*v) {
		size_t n = strcspn(v, "|, ");

		if (is_small(v, n) && at + n + 2 < cap) {
			memcpy(words + at, v, n);
			at += n;
			words[at++] = ' ';
		}
		v += n;
		v += strspn(v, "|, ");
	}
	words[at ? at - 1 : 0] = '\0';
	return at ? MANUAL_WORDS : MANUAL_NOTHING;
}

bool manual_runs(const struct optspec_program *p)
{
	return strcmp(p->name, "polrun") == 0;
}

/* --- bash --------------------------------------------------------------------------- */

static void bash_names(FILE *out, const struct optspec *o)
{
	if (o->name[0])
		fprintf(out, "--%s", o->name);
	if (o->name[0] && o->letter)
		fputs(" | ", out);
	if (o->letter)
		fprintf(out, "-%c", o->letter);
}

/* case $prev of the options with a value, and case words of those that exist */
static void bash_table(FILE *out, const struct optspec_program *p, int verb)
{
	fputs("\t\tcase $prev in\n", out);
	for (size_t i = 0; i < p->n; i++) {
		const struct optspec *o = &p->options[i];
		char words[200];
		enum manual_value v;

		if (!optspec_is_of(o, verb) || o->arg != OPTSPEC_ONE)
			continue;
		v = manual_value(o, words, sizeof(words));
		fputs("\t\t", out);
		bash_names(out, o);
		if (v == MANUAL_WORDS)
			fprintf(out, ") words='%s' what='value' ;;\n", words);
		else
			fprintf(out, ") what='%s' ;;\n", v == MANUAL_FILE ? "file" :
				v == MANUAL_DIR ? "dir" : "nothing");
	}
	fputs("\t\t*) words='", out);
	for (size_t i = 0; i < p->n; i++) {
		const struct optspec *o = &p->options[i];

		if (!optspec_is_of(o, verb))
			continue;
		if (o->name[0])
			fprintf(out, "--%s ", o->name);
		if (o->letter)
			fprintf(out, "-%c ", o->letter);
	}
	fputs("' ;;\n\t\tesac\n", out);
}

static void bash_verbs(FILE *out, const struct optspec_program *p, const char *before)
{
	for (size_t v = 0; v < p->nverbs; v++) {
		fprintf(out, "\t'%s%s')\n", before, p->verbs[v].name);
		bash_table(out, p, (int)v);
		fputs("\t\t;;\n", out);
	}
}

static void bash_names_of_verbs(FILE *out, const struct optspec_program *p)
{
	for (size_t v = 0; v < p->nverbs; v++)
		fprintf(out, "%s%s", v ? " " : "", p->verbs[v].name);
}

/* The first words that are verbs: "check", "approvals list", or nothing. */
static void bash_find_verb(FILE *out, const struct optspec_program *p)
{
	if (p->nverbs) {
		fputs("\tverb=${COMP_WORDS[1]}\n\t[ \"$COMP_CWORD\" -gt 1 ] || verb=\n", out);
	}
	for (size_t i = 0; i < p->nsubs; i++)
		fprintf(out, "\tif [ \"$COMP_CWORD\" -gt 1 ] && [ \"${COMP_WORDS[1]}\" = %s ]; then\n"
			"\t\tverb=%s\n"
			"\t\t[ \"$COMP_CWORD\" -le 2 ] || verb+=\" ${COMP_WORDS[2]}\"\n\tfi\n",
			p->subs[i]->name, p->subs[i]->name);
}

static struct optspec of_word(const struct optspec_word *w)
{
	return (struct optspec){ .arg = OPTSPEC_ONE, .value = w->value };
}

/* Finds `i`, the first word that is neither an option nor an option's value. */
static void bash_skip_options(FILE *out, const struct optspec_program *p)
{
	fputs("\tlocal i\n\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n\t\t", out);
	for (size_t i = 0, n = 0; i < p->n; i++)
		if (optspec_is_of(&p->options[i], -1) && p->options[i].arg == OPTSPEC_ONE) {
			fputs(n++ ? " | " : "", out);
			bash_names(out, &p->options[i]);
		}
	fputs(")\n\t\t\t[ \"${COMP_WORDS[i + 1]}\" != = ] || i=$((i + 1))\n"
	      "\t\t\ti=$((i + 1)) ;;\n"
	      "\t\t--) i=$((i + 1)) && break ;;\n"
	      "\t\t-*) ;;\n\t\t*) break ;;\n\t\tesac\n\tdone\n", out);
}

/* polrun's command begins behind its options: it completes itself. */
static void bash_command(FILE *out, const struct optspec_program *p)
{
	bash_skip_options(out, p);
	fputs("\tif [ \"$i\" -lt \"$COMP_CWORD\" ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\t\treturn\n\tfi\n", out);
}

/* The word behind the options says what the next one is. */
static void bash_words(FILE *out, const struct optspec_program *p)
{
	bash_skip_options(out, p);
	fputs("\tif [ -z \"$verb\" ] && [ \"$i\" -lt \"$COMP_CWORD\" ]; then\n"
	      "\t\tverb=${COMP_WORDS[i]} what='nothing'\n"
	      "\t\t[ $((i + 1)) -eq \"$COMP_CWORD\" ] || return\n\tfi\n", out);
}

static void bash_next(FILE *out, const struct optspec_program *p)
{
	for (size_t i = 0; i < p->nwords; i++) {
		struct optspec o = of_word(&p->words[i]);
		char words[200];
		enum manual_value v = manual_value(&o, words, sizeof(words));

		fprintf(out, "\t%s) words='%s' what='%s' ;;\n", p->words[i].name, words,
			v == MANUAL_WORDS ? "value" : v == MANUAL_FILE ? "file" : "nothing");
	}
}

void manual_bash(FILE *out, const struct optspec_program *p)
{
	fprintf(out, "# %s(1) completion for bash\n# shellcheck shell=bash\n\n_%s() {\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
		"\tlocal verb='' words='' what=''\n"
		"\tCOMPREPLY=()\n"
		"\t# readline breaks words at '='\n"
		"\tif [ \"$cur\" = = ]; then cur=''; "
		"elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n",
		p->name, p->name);
	if (manual_runs(p))
		bash_command(out, p);
	bash_find_verb(out, p);
	if (p->nwords)
		bash_words(out, p);
	fputs("\tcase $verb in\n", out);
	bash_next(out, p);
	bash_verbs(out, p, "");
	for (size_t i = 0; i < p->nsubs; i++) {
		char before[40];

		(void)snprintf(before, sizeof(before), "%s ", p->subs[i]->name);
		bash_verbs(out, p->subs[i], before);
		fprintf(out, "\t%s) words='", p->subs[i]->name);
		bash_names_of_verbs(out, p->subs[i]);
		fputs("' what='value' ;;\n", out);
	}
	fputs("\t'')\n", out);
	if (p->nverbs) {
		fputs("\t\twords='", out);
		bash_names_of_verbs(out, p);
		fputs(" --help --version' what='value'\n", out);
	} else {
		bash_table(out, p, -1);
		for (size_t i = 0; i < p->nwords; i++)
			fprintf(out, "\t\t[ -n \"$what\" ] || words+=' %s'\n", p->words[i].name);
		for (size_t i = 0; i < p->nsubs; i++)
			fprintf(out, "\t\t[ \"$COMP_CWORD\" -gt 1 ] || words+=' %s'\n",
				p->subs[i]->name);
	}
	fputs("\t\t;;\n\tesac\n"
	      "\tcase $what:$cur in\n"
	      "\tnothing:*) ;;\n"
	      "\tdir:*) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	      "\tfile:*) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	      "\tvalue:* | :-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n",
	      out);
	if (manual_runs(p))
		fputs("\t*) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\") ;;\n", out);
	else if (p->nsubs)
		fputs("\t*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n", out);
	else
		fputs("\t*) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n", out);
	fprintf(out, "\tesac\n}\ncomplete -o filenames -F _%s %s\n", p->name, p->name);
}

/* --- zsh ---------------------------------------------------------------------------- */

/* Inside '…' of _arguments: brackets and colons are its own. */
static void zsh_text(FILE *out, const char *s)
{
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *s))
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
}

static void zsh_value(FILE *out, const struct optspec *o)
{
	char words[200];

	fputs(o->arg == OPTSPEC_MAYBE ? "::" : ":", out);
	zsh_text(out, o->value);
	switch (manual_value(o, words, sizeof(words))) {
	case MANUAL_FILE:
		fputs(":_files", out);
		break;
	case MANUAL_DIR:
		fputs(":_files -/", out);
		break;
	case MANUAL_WORDS:
		fprintf(out, ":(%s)", words);
		break;
	case MANUAL_NOTHING:
	default:
		fputs(": ", out);
	}
}

static void zsh_spec(FILE *out, const struct optspec *o, bool letter)
{
	fputs("\t\t'*", out);
	if (letter)
		fprintf(out, "-%c%s", o->letter, o->arg == OPTSPEC_NONE ? "" : "+");
	else
		fprintf(out, "--%s%s", o->name, o->arg == OPTSPEC_NONE ? "" :
			o->arg == OPTSPEC_MAYBE ? "=-" : "=");
	fputc('[', out);
	zsh_text(out, o->help);
	fputc(']', out);
	if (o->arg != OPTSPEC_NONE)
		zsh_value(out, o);
	fputs("' \\\n", out);
}

static void zsh_words(FILE *out, const struct optspec_program *p)
{
	fputs("\t\t'1:what:(", out);
	for (size_t i = 0; i < p->nwords; i++)
		fprintf(out, "%s%s", i ? " " : "", p->words[i].name);
	fputs(")' \\\n\t\t'2: :{ case ${words[(r)(", out);
	for (size_t i = 0; i < p->nwords; i++)
		fprintf(out, "%s%s", i ? "|" : "", p->words[i].name);
	fputs(")]} in ", out);
	for (size_t i = 0; i < p->nwords; i++) {
		struct optspec o = of_word(&p->words[i]);
		char words[200];

		fprintf(out, "%s) ", p->words[i].name);
		switch (manual_value(&o, words, sizeof(words))) {
		case MANUAL_WORDS:
			fprintf(out, "compadd %s", words);
			break;
		case MANUAL_FILE:
		case MANUAL_DIR:
			fputs("_files", out);
			break;
		case MANUAL_NOTHING:
		default:
			fputs("true", out);
		}
		fputs(" ;; ", out);
	}
	fputs("esac }'\n", out);
}

static void zsh_arguments(FILE *out, const struct optspec_program *p, int verb)
{
	fputs("\t_arguments -s -S \\\n", out);
	for (size_t i = 0; i < p->n; i++) {
		if (!optspec_is_of(&p->options[i], verb))
			continue;
		if (p->options[i].letter)
			zsh_spec(out, &p->options[i], true);
		if (p->options[i].name[0])
			zsh_spec(out, &p->options[i], false);
	}
	if (p->nwords) {
		zsh_words(out, p);
		return;
	}
	fputs(manual_runs(p) ? "\t\t'(-)1:command:_command_names -e' '*::arguments:_normal'\n" :
			       "\t\t'*:file:_files'\n", out);
}

static void zsh_verbs(FILE *out, const struct optspec_program *p)
{
	fputs("\tlocal -a verbs=(\n", out);
	for (size_t v = 0; v < p->nverbs; v++) {
		fprintf(out, "\t\t'%s:", p->verbs[v].name);
		zsh_text(out, p->verbs[v].help);
		fputs("'\n", out);
	}
	fputs("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
	      "\tshift words\n\t((CURRENT--))\n\tcase $words[1] in\n", out);
	for (size_t v = 0; v < p->nverbs; v++) {
		fprintf(out, "\t%s)\n", p->verbs[v].name);
		zsh_arguments(out, p, (int)v);
		fputs("\t\t;;\n", out);
	}
	fputs("\tesac\n", out);
}

void manual_zsh(FILE *out, const struct optspec_program *p)
{
	fprintf(out, "#compdef %s\n\n", p->name);
	for (size_t i = 0; i < p->nsubs; i++) {
		fprintf(out, "_%s_%s() {\n", p->name, p->subs[i]->name);
		zsh_verbs(out, p->subs[i]);
		fputs("}\n\n", out);
	}
	fprintf(out, "_%s() {\n", p->name);
	for (size_t i = 0; i < p->nsubs; i++)
		fprintf(out, "\tif ((CURRENT > 2)) && [[ $words[2] == %s ]]; then\n"
			"\t\tshift words\n\t\t((CURRENT--))\n\t\t_%s_%s\n\t\treturn\n\tfi\n"
			"\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
			"\t\tcompadd %s\n\tfi\n",
			p->subs[i]->name, p->name, p->subs[i]->name, p->subs[i]->name);
	if (p->nverbs)
		zsh_verbs(out, p);
	else
		zsh_arguments(out, p, -1);
	fprintf(out, "}\n\n_%s \"$@\"\n", p->name);
}

/* --- fish --------------------------------------------------------------------------- */

static void fish_text(FILE *out, const char *s)
{
	for (; *s; s++)
		if (*s == '\'' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
}

static void fish_option(FILE *out, const char *program, const struct optspec *o,
			const char *when)
{
	char words[200];
	enum manual_value v = manual_value(o, words, sizeof(words));

	fprintf(out, "complete -c %s", program);
	if (when[0])
		fprintf(out, " -n '%s'", when);
	if (o->letter)
		fprintf(out, " -s %c", o->letter);
	if (o->name[0])
		fprintf(out, " -l %s", o->name);
	if (v == MANUAL_WORDS)
		fprintf(out, " -x -a '%s'", words);
	else if (o->arg == OPTSPEC_ONE)
		fputs(v == MANUAL_FILE ? " -r -F" : v == MANUAL_DIR ?
		      " -x -a '(__fish_complete_directories)'" : " -x", out);
	fputs(" -d '", out);
	fish_text(out, o->help);
	fputs("'\n", out);
}

/* `sub`: two of these may have verbs of one name. */
static void fish_verbs(FILE *out, const char *program, const struct optspec_program *p,
		       const char *before, bool sub)
{
	char when[200];

	for (size_t v = 0; v < p->nverbs; v++) {
		fprintf(out, "complete -c %s -n '%s' -f -a %s -d '", program, before,
			p->verbs[v].name);
		fish_text(out, p->verbs[v].help);
		fputs("'\n", out);
		(void)snprintf(when, sizeof(when), "%s%s__fish_seen_subcommand_from %s",
			       sub ? before : "", sub ? "; and " : "", p->verbs[v].name);
		for (size_t i = 0; i < p->n; i++)
			if (optspec_is_of(&p->options[i], (int)v))
				fish_option(out, program, &p->options[i], when);
	}
}

static void fish_words(FILE *out, const struct optspec_program *p)
{
	fprintf(out, "complete -c %s -f\n", p->name);
	for (size_t i = 0; i < p->nwords; i++) {
		struct optspec o = of_word(&p->words[i]);
		char words[200];
		enum manual_value v = manual_value(&o, words, sizeof(words));

		fprintf(out, "complete -c %s -n 'not __fish_seen_subcommand_from", p->name);
		for (size_t k = 0; k < p->nwords; k++)
			fprintf(out, " %s", p->words[k].name);
		for (size_t k = 0; k < p->nsubs; k++)
			fprintf(out, " %s", p->subs[k]->name);
		fprintf(out, "' -a %s -d '", p->words[i].name);
		fish_text(out, p->words[i].help);
		fprintf(out, "'\ncomplete -c %s -n '__fish_seen_subcommand_from %s'", p->name,
			p->words[i].name);
		if (v == MANUAL_WORDS)
			fprintf(out, " -f -a '%s'\n", words);
		else
			fputs(" -F\n", out);
	}
}

void manual_fish(FILE *out, const struct optspec_program *p)
{
	char when[200] = "";
	size_t at = 0;

	fprintf(out, "# %s(1) completion for fish\n", p->name);
	fish_verbs(out, p->name, p, "__fish_use_subcommand", false);
	for (size_t i = 0; i < p->nsubs && at < sizeof(when); i++)
		at += (size_t)snprintf(when + at, sizeof(when) - at, "%s %s",
				       at ? "" : "not __fish_seen_subcommand_from",
				       p->subs[i]->name);
	for (size_t i = 0; !p->nverbs && i < p->n; i++)
		if (optspec_is_of(&p->options[i], -1))
			fish_option(out, p->name, &p->options[i], when);
	if (p->nwords)
		fish_words(out, p);
	if (manual_runs(p))
		fprintf(out, "complete -c %s -x -a '(__fish_complete_subcommand)'\n", p->name);
	for (size_t i = 0; i < p->nsubs; i++) {
		fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %s\n", p->name,
			p->subs[i]->name);
		(void)snprintf(when, sizeof(when), "__fish_seen_subcommand_from %s",
			       p->subs[i]->name);
		fish_verbs(out, p->name, p->subs[i], when, true);
	}
}
