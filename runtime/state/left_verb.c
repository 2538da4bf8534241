/* Shows what runs have left, and records that a person has looked at it. */
#include "runtime/state/left_verb.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/state/left_store.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/verb.h"

enum id { ID_FORMAT, ID_ALL, ID_PROJECT, ID_HELP };
enum { LIST = 1 << 0, SEEN = 1 << 1 };

static const struct optspec table[] = {
	{ ID_FORMAT, "format", 0, OPTSPEC_ONE, LIST, "text|json", "how it is listed (text)" },
	{ ID_ALL, "all", 0, OPTSPEC_NONE, SEEN, NULL, "acknowledge all of it" },
	{ ID_PROJECT, "project", 0, OPTSPEC_ONE, LIST | SEEN, "DIR", "of this project only" },
	{ ID_HELP, "help", 'h', OPTSPEC_NONE, LIST | SEEN, NULL, "this text" },
};

static const struct optspec_verb verbs[] = {
	{ "list", "[--format text|json] [--project DIR]",
	  "show what runs have left and nobody has acknowledged" },
	{ "seen", "ID... | --all [--project DIR]", "say that it was looked at" },
};

const struct optspec_program left_program = {
	.name = "left",
	.usage = "usage: polquery left list [--format text|json] [--project DIR]\n"
		 "       polquery left seen ID...\n"
		 "       polquery left seen --all [--project DIR]\n"
		 "\n"
		 "Repositories and start-up files that runs of polrun have left. polrun speaks of\n"
		 "them at the beginning of each run there until they are acknowledged, or gone.\n"
		 "\n",
	.end = "ID is what `list` shows, at least 8 digits of it.\n"
	       "Exit status: 0; 1 nothing was acknowledged; 2 trouble.\n",
	.options = table,
	.n = sizeof(table) / sizeof(table[0]),
	.verbs = verbs,
	.nverbs = sizeof(verbs) / sizeof(verbs[0]),
};

struct request {
	struct verb_line line;
	const char *project;
	char real[PATH_MAX];
};

/* --- the command line -------------------------------------------------------------- */

static int set(void *to, const struct optspec *opt, const char *value,
	       struct rt_err *err)
{
	struct request *r = to;

	switch ((enum id)opt->id) {
	case ID_FORMAT:
		return optread_value(&r->line.format, opt, value, false, err);
	case ID_PROJECT:
		return optread_value(&r->project, opt, value, false, err);
	case ID_ALL:
		r->line.all = true;
		return 0;
	case ID_HELP:
	default:
		r->line.help = true;
		return 0;
	}
}

static const struct verb_keys ids = { "ID", "polquery left list", LEFT_ID };

static int check(const struct request *r, struct rt_err *err)
{
	const struct verb_line *l = &r->line;
	bool list = verb_is_list(l);
	int e;

	if (!list && strcmp(l->verb, "seen") != 0)
		return rt_fail(err, EINVAL, "left: list or seen?");
	if (list && (l->nkeys || l->all))
		return rt_fail(err, EINVAL, "list takes nothing but --format and --project");
	e = verb_check_format(l, err);
	if (e < 0)
		return e;
	if (!list && (l->nkeys > 0) == l->all)
		return rt_fail(err, EINVAL, "seen takes IDs, or --all");
	if (l->nkeys && r->project)
		return rt_fail(err, EINVAL, "--project goes with --all: an ID says the project");
	return verb_check_keys(l, &ids, err);
}

static int parse(int argc, char **argv, struct request *ret, struct rt_err *err)
{
	static const struct optread reader = { "polquery left", table,
					       sizeof(table) / sizeof(table[0]), set };
	int r = verb_read(&reader, argc, argv, ret, &ret->line, "left: list or seen?", err);

	if (r < 0 || ret->line.help)
		return r;
	r = check(ret, err);
	/* the physical path, as in polrun; for a project that does not exist any more,
	 * the name as given */
	if (r == 0 && ret->project && realpath(ret->project, ret->real))
		ret->project = ret->real;
	return r;
}

/* --- list -------------------------------------------------------------------------- */

static void line_of(FILE *out, const struct left_item *it)
{
	char when[VERB_WHEN], text[LEFT_TEXT];

	verb_when(it->when, when);
	left_say(it, text);
	fprintf(out, "%.*s  %s  %s\n", LEFT_SHOWN, it->id, when, text);
}

static void list_text(FILE *out, const struct left_store *s)
{
	char path[600];

	for (size_t k = 0; k < s->npiles; k++) {
		const struct left_pile *p = &s->pile[k];

		for (size_t i = 0; i < p->n; i++)
			line_of(out, &p->v[i]);
		io_escape(path, sizeof(path), p->project, strlen(p->project));
		if (p->more)
			fprintf(out, "and %" PRIu64 " more in %s, whose names were not kept\n",
				p->more, path);
	}
	for (size_t i = 0; i < s->nbad; i++) {
		io_escape(path, sizeof(path), s->bad[i], strlen(s->bad[i]));
		fprintf(out, "the record %s/%s cannot be read\n", s->shown, path);
	}
}

static void json_item(struct json *j, const struct left_item *it, const char *project)
{
	char when[VERB_WHEN], text[LEFT_TEXT];

	verb_when(it->when, when);
	json_object(j, NULL);
	json_cstr(j, "id", it->id);
	json_cstr(j, "kind", left_word(it->kind));
	io_escape(text, sizeof(text), it->path, strlen(it->path));
	json_cstr(j, "path", text);
	io_escape(text, sizeof(text), project, strlen(project));
	json_cstr(j, "project", text);
	json_cstr(j, "when", when);
	json_bool(j, "killed", it->killed);
	left_say(it, text);
	json_cstr(j, "text", text);
	json_object_end(j);
}

static int list_json(FILE *out, const struct left_store *s)
{
	uint64_t more = 0, running = 0;
	char name[600];
	struct json j;

	json_init(&j);
	json_object(&j, NULL);
	json_array(&j, "left");
	for (size_t k = 0; k < s->npiles; k++) {
		for (size_t i = 0; i < s->pile[k].n; i++)
			json_item(&j, &s->pile[k].v[i], s->pile[k].project);
		more += s->pile[k].more;
		running += s->pile[k].running;
	}
	json_array_end(&j);
	json_uint(&j, "more", more);
	json_uint(&j, "running", running);
	json_array(&j, "unreadable");
	for (size_t i = 0; i < s->nbad; i++) {
		io_escape(name, sizeof(name), s->bad[i], strlen(s->bad[i]));
		json_cstr(&j, NULL, name);
	}
	json_array_end(&j);
	json_object_end(&j);
	return verb_print_json(out, &j);
}

/* Saves first what the look has found, so that nobody has to look for it again. */
static int list(FILE *out, struct left_store *s, bool json, struct rt_err *err)
{
	int r = 0;

	for (size_t k = 0; k < s->npiles && r == 0; k++)
		r = left_store_save(s, &s->pile[k], err);
	if (r < 0)
		return r;
	if (!json)
		list_text(out, s);
	else
		r = list_json(out, s);
	return r < 0 ? rt_fail_errno(err, -r, "writing the list") : 0;
}

/* --- seen -------------------------------------------------------------------------- */

/* An ID that may mean two items is refused: a run can choose names. */
static int check_one(const struct left_store *s, const char *id, struct rt_err *err)
{
	size_t n = 0;

	for (size_t k = 0; k < s->npiles; k++)
		for (size_t i = 0; i < s->pile[k].n; i++)
			n += !strncmp(s->pile[k].v[i].id, id, strlen(id));
	if (n == 1)
		return 0;
	return n ? rt_fail(err, EINVAL, "'%s' is the beginning of %zu IDs: give more of it (list "
			   "--format json has the whole ones)", id, n) :
		   rt_fail(err, ENOENT, "there is no '%s' in the list", id);
}

/* Prints what is acknowledged once more: it may have appeared after the list was
 * printed. */
static int drop_seen(FILE *out, struct left_store *s, struct left_pile *p, const struct request *r,
		     uint64_t *n, struct rt_err *err)
{
	for (size_t i = 0; i < p->n;)
		if (r->line.all || verb_has_key(&r->line, p->v[i].id)) {
			line_of(out, &p->v[i]);
			left_pile_drop(p, i);
			++*n;
		} else {
			i++;
		}
	if (r->line.all && p->more) {
		fprintf(out, "and %" PRIu64 " more\n", p->more);
		*n += p->more;
		p->more = 0;
		p->changed = true;
	}
	return left_store_save(s, p, err);
}

static int seen(FILE *out, struct left_store *s, const struct request *r, uint64_t *n, struct rt_err *err)
{
	int e = 0;

	for (int i = 0; i < r->line.nkeys && e == 0; i++)
		e = check_one(s, r->line.keys[i], err);
	for (size_t k = 0; k < s->npiles && e == 0; k++)
		e = drop_seen(out, s, &s->pile[k], r, n, err);
	for (size_t i = 0; r->line.all && i < s->nbad && e == 0; i++) {
		char name[600];

		io_escape(name, sizeof(name), s->bad[i], strlen(s->bad[i]));
		fprintf(out, "the record %s, which cannot be read\n", name);
		e = left_store_remove(s, s->bad[i], err);
		++*n;
	}
	return e;
}

/* --- the verb ---------------------------------------------------------------------- */

static int with_store(FILE *out, struct left_store *s, const struct request *r,
		      struct rt_err *err)
{
	uint64_t n = 0;
	int e;

	if (verb_is_list(&r->line))
		return list(out, s, verb_is_json(&r->line), err);
	e = seen(out, s, r, &n, err);
	if (e < 0)
		return e;
	fprintf(out, "acknowledged: %" PRIu64 "\n", n);
	return n || r->line.all ? 0 : -ENOENT;
}

/* Output may be read slowly, so it is printed only after the store has been released. */
static int act(const struct request *r, struct rt_err *err)
{
	struct left_store s = { .dirfd = -1, .lock = -1 };
	AUTO_FREE char *text = NULL;
	char dir[PATH_MAX];
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int e = out ? state_dir_own(dir, err) : rt_fail(err, ENOMEM, "out of memory");

	if (e == 0)
		e = left_store_open(dir, &s, err);
	/* no folder: nothing has been left */
	if (e == -ENOENT && !err->text[0])
		e = 0;
	else if (e == 0)
		e = left_store_load(&s, r->project, err);
	if (e == 0)
		e = with_store(out, &s, r, err);
	left_store_release(&s);
	if (out && fclose(out) != 0)
		return rt_fail(err, ENOMEM, "out of memory");
	if (n && (fwrite(text, 1, n, stdout) != n || fflush(stdout) != 0))
		return rt_fail_errno(err, EIO, "writing the list");
	return e;
}

int left_verb(int argc, char **argv)
{
	struct request r = { .project = NULL };
	struct rt_err err = { 0 };
	int e;

	if (parse(argc, argv, &r, &err) < 0)
		return verb_fail(&err);
	if (r.line.help) {
		optspec_help(stdout, &left_program);
		return fflush(stdout) == 0 ? 0 : VERB_TROUBLE;
	}
	e = act(&r, &err);
	if (e == -ENOENT) {
		if (err.text[0])
			(void)verb_fail(&err);
		return VERB_NONE;
	}
	return e < 0 ? verb_fail(&err) : 0;
}

void left_note(void)
{
	struct left_store s = { .dirfd = -1, .lock = -1 };
	struct rt_err err = { 0 };
	char dir[PATH_MAX], why[sizeof(err.text) * 4];
	uint64_t n = 0;
	int e = state_dir_own(dir, &err);

	if (e == 0)
		e = left_store_open(dir, &s, &err);
	if (e == 0)
		e = left_store_load(&s, NULL, &err);
	for (size_t k = 0; k < s.npiles; k++)
		n += s.pile[k].n + s.pile[k].more;
	n += s.nbad;
	left_store_release(&s);
	io_plain(why, sizeof(why), err.text);
	if (e < 0 && err.text[0])
		printf("note: what runs have left cannot be told: %s\n", why);
	else if (n)
		printf("note: %" PRIu64 " %s that runs have left %s to be looked at: see polquery "
		       "left list\n", n, n == 1 ? "thing" : "things", n == 1 ? "waits" : "wait");
}
