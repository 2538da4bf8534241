/*
 * The text of a line does not tell what a directory holds or what a pattern of file names
 * matches.  Where no kernel layer stands behind the text (scope host), the evaluator looks.
 */
#include <errno.h>
#include <stdio.h>

#include "compiler/eval/disk.h"
#include "compiler/eval/files.h"
#include "runtime/base/place.h"

struct disk {
	const struct eval_asked *q;
	const struct cmd_word *word; /* the one that is looked at */
	const char *dir;             /* in which the command runs */
	uint32_t looked;
	const struct ir_rule *by;
	bool undecided, matched;
};

static bool is_over(struct disk *x, int r)
{
	x->undecided |= r < 0;
	return x->by || x->undecided;
}

static int count(struct disk *x)
{
	return ++x->looked > PLACE_MAX_BELOW ? -E2BIG : 0;
}

static int take_name(void *arg, const char *name)
{
	struct disk *x = arg;

	x->by = x->word->may_write ? eval_name_kept(x->q, str_from(name)) :
				     eval_name_hidden(x->q, str_from(name), false);
	return x->by != NULL;
}

/* --- what lies below ------------------------------------------------------------------------ */

/* Names are judged below a directory, by its first and its last name, and below `base` in it. */
struct top {
	struct disk *x;
	const char *base;
	bool tree; /* what lies below `base` is put there, too */
	char given[PATH_MAX], real[PATH_MAX];
};

static int take_top(void *arg, const char *name)
{
	struct top *t = arg;

	if (snprintf(t->real, sizeof(t->real), "%s", name) >= (int)sizeof(t->real))
		return -ENAMETOOLONG;
	if (!t->given[0])
		(void)snprintf(t->given, sizeof(t->given), "%s", name);
	return 0;
}

static int judge_below(struct top *t, const char *top, const char *base, const char *rest)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s%s%s/%s", top[1] ? top : "", base ? "/" : "",
		     base ? base : "", rest) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	t->x->by = eval_name_kept(t->x->q, str_from(name));
	return t->x->by != NULL;
}

static int take_below(void *arg, const char *rest)
{
	struct top *t = arg;
	int r = count(t->x);

	if (r == 0)
		r = judge_below(t, t->given, NULL, rest);
	if (r == 0 && t->base)
		r = judge_below(t, t->given, t->base, rest);
	if (r == 0 && !str_eq(str_from(t->given), str_from(t->real))) {
		r = judge_below(t, t->real, NULL, rest);
		if (r == 0 && t->base)
			r = judge_below(t, t->real, t->base, rest);
	}
	return r;
}

/* Judges what lies below a directory. */
static bool look_below(struct disk *x, const char *path)
{
	struct top t = { .x = x };
	int r = count(x);

	if (r == 0)
		r = place_names_in(x->q->req->places, path, take_top, &t);
	if (r == 0)
		r = place_below(t.real, x->q->part->flags & CMD_LEAVES_REPO, take_below, &t);
	return is_over(x, r);
}

/* --- words ---------------------------------------------------------------------------------- */

static int take_match(void *arg, const char *path)
{
	struct disk *x = arg;
	int r = count(x);

	x->matched = true;
	if (r == 0)
		r = place_names_in(x->q->req->places, path, take_name, x);
	if (r == 0 && (x->word->places & CMD_P_BELOW) && look_below(x, path))
		return 1;
	return r == -E2BIG || r > 0 ? r : 0;
}

static bool look_at_word(struct disk *x)
{
	char path[CMD_GIVEN_MAX];
	bool glob;

	if (!(x->word->places & CMD_P_BELOW) &&
	    !(cmd_has_glob(x->word) &&
	      (x->word->may_write || (x->word->places & CMD_P_READS))))
		return false;
	if (!cmd_word_on_disk(x->q->world, x->dir, x->word, path, &glob))
		return false;
	if (glob) {
		x->matched = false;
		if (is_over(x, place_matches(path, take_match, x)))
			return true;
		cmd_unquote(path);
		return !x->matched && is_over(x, take_match(x, path));
	}
	return (x->word->places & CMD_P_BELOW) && look_below(x, path);
}

/* Judges the name that `cp -r FROM/NAME DIR` makes, DIR/NAME, and the names below it. */
static int take_source(void *arg, const char *path)
{
	struct top *t = arg;
	int r = count(t->x);

	t->base = strrchr(path, '/') + 1;
	if (r == 0 && *t->base) {
		r = judge_below(t, t->given, NULL, t->base);
		if (r == 0)
			r = judge_below(t, t->real, NULL, t->base);
	}
	if (r == 0 && t->tree)
		r = place_below(path, false, take_below, t);
	return r;
}

static bool is_tree(const struct cmd_word *w)
{
	return w->places & (CMD_P_TREE | CMD_P_BELOW);
}

static bool look_at_put(struct disk *x, const struct cmd_word *to, const struct cmd_word *from)
{
	char path[CMD_GIVEN_MAX], source[CMD_GIVEN_MAX];
	struct top t = { .x = x, .tree = is_tree(from) };
	bool to_glob, glob;
	int r;

	if (!cmd_word_on_disk(x->q->world, x->dir, to, path, &to_glob) || to_glob ||
	    !cmd_word_on_disk(x->q->world, x->dir, from, source, &glob))
		return false;
	r = count(x);
	if (r == 0)
		r = place_names_in(x->q->req->places, path, take_top, &t);
	if (r == 0)
		r = glob ? place_matches(source, take_source, &t) : take_source(&t, source);
	return is_over(x, r);
}

static bool look_in(struct disk *x, uint32_t *ret_word)
{
	const struct cmd_part *p = x->q->part;

	if ((p->flags & CMD_WRITES_HERE) && x->dir && look_below(x, x->dir))
		return true;
	for (*ret_word = 1; *ret_word < p->nwords; ++*ret_word) {
		x->word = &p->words[*ret_word];
		if (look_at_word(x))
			return true;
	}
	for (uint32_t i = 1; i < p->nwords; i++) {
		const struct cmd_word *from = &p->words[i];

		if (!(from->places & CMD_P_READS) || !(is_tree(from) || cmd_has_glob(from)))
			continue;
		for (*ret_word = 1; *ret_word < p->nwords; ++*ret_word)
			if ((p->words[*ret_word].places & CMD_P_WRITES) &&
			    !(p->words[*ret_word].places & CMD_P_READS) &&
			    look_at_put(x, &p->words[*ret_word], from))
				return true;
	}
	return false;
}

const struct ir_rule *eval_part_on_disk(const struct eval_asked *q, uint32_t *ret_word,
					bool *ret_undecided)
{
	struct disk x = { .q = q };

	*ret_undecided = false;
	if (!q->req->places)
		return NULL;
	for (const struct cmd_dir *d = eval_part_dirs(q); d && !x.by && !x.undecided; d = d->next) {
		x.dir = d->path;
		(void)look_in(&x, ret_word);
	}
	*ret_undecided = !x.by && x.undecided;
	return x.by;
}
