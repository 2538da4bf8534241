/*
 * The text of a line does not tell what a directory holds or what a pattern of file names matches.
 * Where no kernel layer stands behind the text (scope host), the judge looks: the kernel in a
 * sandbox would refuse to remove, to move or to overwrite the names that are found here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/decide/part_disk.h"
#include "runtime/decide/part_files.h"
#include "runtime/decide/part_hidden.h"

#define NONE UINT32_MAX

struct disk {
	struct line_ctx *l;
	const struct cmd_part *p;
	const struct cmd_word *word; /* the one that is looked at */
	const char *dir;             /* in which the command runs */
	uint32_t rule;
	bool undecided, matched;
};

/* The directory below which names are judged, by its first and its last name. */
struct tops {
	struct disk *x;
	char given[PATH_MAX], real[PATH_MAX];
};

static bool is_over(struct disk *x, int r)
{
	x->undecided |= r < 0;
	return x->rule != NONE || x->undecided;
}

static int count(struct disk *x)
{
	return ++x->l->looked > PLACE_MAX_BELOW ? -E2BIG : 0;
}

/* --- one name ----------------------------------------------------------------------------- */

static int take_kept(void *arg, const char *name)
{
	struct disk *x = arg;

	x->rule = part_kept_name(x->l, name);
	return x->rule != NONE;
}

static int take_hidden(void *arg, const char *name)
{
	struct disk *x = arg;

	x->rule = part_hidden_name(x->l, name, false);
	return x->rule != NONE;
}

/* --- what lies below ------------------------------------------------------------------------ */

static int take_top(void *arg, const char *name)
{
	struct tops *t = arg;

	if (strlen(name) >= sizeof(t->real))
		return -ENAMETOOLONG;
	memcpy(t->real, name, strlen(name) + 1);
	if (!t->given[0])
		memcpy(t->given, name, strlen(name) + 1);
	return 0;
}

static int find_tops(struct disk *x, const char *path, struct tops *ret)
{
	*ret = (struct tops){ .x = x };
	return x->l->c->look->names(&x->l->places, path, take_top, ret);
}

static int take_in(struct tops *t, const char *base, const char *rest)
{
	char name[PATH_MAX];
	const char *top = t->given;
	int n, r = 0;

	for (; r == 0; top = t->real) {
		n = snprintf(name, sizeof(name), "%s%s%s/%s", top[1] ? top : "", base ? "/" : "",
			     base ? base : "", rest);
		if (n < 0 || (size_t)n >= sizeof(name))
			return -ENAMETOOLONG;
		r = take_kept(t->x, name);
		if (top == t->real || strcmp(t->given, t->real) == 0)
			break;
	}
	return r;
}

static int take_below(void *arg, const char *rest)
{
	struct tops *t = arg;
	int r = count(t->x);

	return r ? r : take_in(t, NULL, rest);
}

static bool look_below(struct disk *x, const char *path)
{
	struct tops t;
	int r = count(x);

	if (r == 0)
		r = find_tops(x, path, &t);
	if (r == 0)
		r = x->l->c->look->below(t.real, x->p->flags & CMD_LEAVES_REPO, take_below, &t);
	return is_over(x, r);
}

/* --- a word --------------------------------------------------------------------------------- */

static int take_match(void *arg, const char *path)
{
	struct disk *x = arg;
	int r = count(x);

	x->matched = true;
	if (r == 0)
		r = x->l->c->look->names(&x->l->places, path,
					 x->word->may_write ? take_kept : take_hidden, x);
	if (r == 0 && (x->word->places & CMD_P_BELOW) && look_below(x, path))
		return 1;
	/* a link that leads in a circle, say, is not opened either */
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
	if (!cmd_word_on_disk(&x->l->world, x->dir, x->word, path, &glob))
		return false;
	if (glob) {
		x->matched = false;
		if (is_over(x, x->l->c->look->matches(path, take_match, x)))
			return true;
		cmd_unquote(path);
		return !x->matched && is_over(x, take_match(x, path));
	}
	return (x->word->places & CMD_P_BELOW) && look_below(x, path);
}

/* --- a tree that is put elsewhere ------------------------------------------------------------- */

struct put {
	struct tops to;
	const char *base; /* the last component of what is put there */
	bool tree;        /* with what lies below it */
};

static bool is_tree(const struct cmd_word *w)
{
	return w->places & (CMD_P_TREE | CMD_P_BELOW);
}

/* `cp -r a/. d` makes d/x, `cp -r a d` makes d/a/x, or d/x if there is no d. */
static int take_put(void *arg, const char *rest)
{
	struct put *t = arg;
	int r = count(t->to.x);

	if (r == 0)
		r = take_in(&t->to, NULL, rest);
	return r ? r : take_in(&t->to, t->base, rest);
}

/* `cp s/C* d` makes d/NAME for each name that the pattern matches. */
static int take_source(void *arg, const char *path)
{
	struct put *t = arg;
	int r = count(t->to.x);

	t->base = strrchr(path, '/') + 1;
	if (r == 0 && *t->base)
		r = take_in(&t->to, NULL, t->base);
	if (r == 0 && t->tree)
		r = t->to.x->l->c->look->below(path, false, take_put, t);
	return r;
}

static bool look_at_put(struct disk *x, const struct cmd_word *to, const struct cmd_word *from)
{
	char path[CMD_GIVEN_MAX], source[CMD_GIVEN_MAX];
	struct put t = { .tree = is_tree(from) };
	bool to_glob, glob;
	int r;

	if (!cmd_word_on_disk(&x->l->world, x->dir, to, path, &to_glob) || to_glob ||
	    !cmd_word_on_disk(&x->l->world, x->dir, from, source, &glob))
		return false;
	r = count(x);
	if (r == 0)
		r = find_tops(x, path, &t.to);
	if (r == 0)
		r = glob ? x->l->c->look->matches(source, take_source, &t) : take_source(&t, source);
	return is_over(x, r);
}

static bool look_at_puts(struct disk *x)
{
	for (uint32_t i = 1; i < x->p->nwords; i++) {
		const struct cmd_word *from = &x->p->words[i];

		if (!(from->places & CMD_P_READS) || !(is_tree(from) || cmd_has_glob(from)))
			continue;
		for (uint32_t k = 1; k < x->p->nwords; k++) {
			const struct cmd_word *to = &x->p->words[k];

			if ((to->places & CMD_P_WRITES) && !(to->places & CMD_P_READS) &&
			    look_at_put(x, to, from))
				return true;
		}
	}
	return false;
}

static bool look_in(struct disk *x)
{
	if ((x->p->flags & CMD_WRITES_HERE) && x->dir && look_below(x, x->dir))
		return true;
	for (uint32_t i = 1; i < x->p->nwords; i++) {
		x->word = &x->p->words[i];
		if (look_at_word(x))
			return true;
	}
	return look_at_puts(x);
}

uint32_t part_on_disk(struct line_ctx *l, const struct cmd_part *p, bool *ret_undecided)
{
	const struct cmd_dir *d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	struct disk x = { .l = l, .p = p, .rule = NONE };

	*ret_undecided = false;
	if (!l->c->look)
		return NONE;
	if (!d)
		(void)look_in(&x);
	for (; d && x.rule == NONE && !x.undecided; d = d->next) {
		x.dir = d->path;
		(void)look_in(&x);
	}
	*ret_undecided = x.rule == NONE && x.undecided;
	return x.rule;
}
