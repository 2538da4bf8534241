/* Decides what a person may ask of a staged run, and how it is answered. */
#include "runtime/polrun/stage_verb.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/optread.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/polrun/appeared.h"
#include "runtime/polrun/left.h"
#include "runtime/polrun/other_runs.h"
#include "runtime/polrun/stage_rules.h"
#include "runtime/stage/stage_apply.h"
#include "runtime/stage/stage_show.h"
#include "runtime/state/state_dir.h"
#include "runtime/supervise/names_lock.h"

enum { TROUBLE = 125 };
enum id { ID_FORMAT, ID_NO_DIFF, ID_HELP };

static const struct optspec table[] = {
	{ ID_FORMAT, "format", 0, OPTSPEC_ONE, 0, "text|json", "of a review" },
	{ ID_NO_DIFF, "no-diff", 0, OPTSPEC_NONE, 0, NULL, "a review without the lines of texts" },
	{ ID_HELP, "help", 'h', OPTSPEC_NONE, 0, NULL, "this text" },
};

static const struct optspec_program stage_program = {
	.name = "polrun",
	.usage = "usage: polrun review [OPTIONS] [ID]\n"
		 "       polrun commit [ID] [PATH...]\n"
		 "       polrun discard [ID]\n"
		 "\n"
		 "Shows what a staged run (polrun --stage) would change, puts it in place, all of it or\n"
		 "what lies at or below the paths, or drops it. ID is the beginning of the run's; it is\n"
		 "needed where there are several. ./WORD is always a path.\n"
		 "\n",
	.end = "Exit status: 0; 1 something was refused, or would be; 125 trouble.\n",
	.options = table,
	.n = sizeof(table) / sizeof(table[0]),
};

struct request {
	const char *verb, *id;
	bool json, no_diff, help;
	char **path;
	int npaths;
	char state[PATH_MAX];
	struct stage s;
	struct stage_delta d;
	struct stage_judge j;
	struct stage_rules rules;
	struct names_lock names;
};

bool stage_verb_is(const char *word)
{
	return !strcmp(word, "review") || !strcmp(word, "commit") || !strcmp(word, "discard");
}

static int set(void *to, const struct optspec *opt, const char *value, struct rt_err *err)
{
	struct request *r = to;

	if (strcmp(r->verb, "review") != 0 && opt->id != ID_HELP)
		return rt_fail(err, EINVAL, "%s has no option --%s", r->verb, opt->name);
	if (opt->id == ID_FORMAT && strcmp(value, "json") != 0 && strcmp(value, "text") != 0)
		return rt_fail(err, EINVAL, "--format: neither 'text' nor 'json'");
	if (opt->id == ID_FORMAT)
		r->json = !strcmp(value, "json");
	r->no_diff |= opt->id == ID_NO_DIFF;
	r->help |= opt->id == ID_HELP;
	return 0;
}

static int match(void *arg, const char *id)
{
	const char *word = arg;

	return strncmp(id, word, strlen(word)) == 0;
}

/* A word is an ID if it is the beginning of one; "./WORD" is always a path. */
static int take_id(struct request *r, struct rt_err *err)
{
	char *word = r->npaths ? r->path[0] : NULL;
	int is;

	if (!word || strspn(word, "0123456789abcdef") != strlen(word) ||
	    strlen(word) < STAGE_ID_LEAST || strlen(word) > STAGE_ID)
		return 0;
	is = stage_each(r->state, match, word, err);
	if (is == 1) {
		r->id = word;
		r->path++;
		r->npaths--;
	}
	return is < 0 ? is : 0;
}

static int open_it(struct request *r, struct rt_err *err)
{
	int e = stage_open(r->state, r->id, &r->s, err);

	if (e < 0 || !strcmp(r->verb, "discard"))
		return e;
	e = stage_load(&r->s, err);
	if (e == 0)
		e = stage_load_rules(r->state, &r->s, err);
	if (e == 0)
		e = stage_delta_find(&r->s.rec, &r->s.base, &r->d, err);
	if (e == 0)
		e = stage_rules_make(&r->s, &r->rules, err);
	r->j = (struct stage_judge){ .rec = &r->s.rec, .base = &r->s.base,
				     .allows = stage_rules_allow,
				     .allows_link = stage_rules_allow_link, .arg = &r->rules };
	for (size_t i = 0; e == 0 && i < r->d.n; i++)
		if (stage_record_is_done(&r->s.rec, r->d.v[i].tree, r->d.v[i].path))
			stage_rules_placed(&r->rules, &r->d.v[i]);
	if (e == 0)
		e = stage_rules_look(&r->rules, r->state, err);
	return e < 0 ? e : stage_judge(&r->j, &r->d, err);
}

static int review(const struct request *r, struct rt_err *err)
{
	const struct stage_show show = { .stage = &r->s, .d = &r->d, .diffs = !r->no_diff };
	int e = r->json ? stage_show_json(stdout, &show) : stage_show_text(stdout, &show);

	if (e == 0 && fflush(stdout) != 0)
		e = -errno;
	if (e < 0)
		return rt_fail_errno(err, -e, "writing the review");
	for (size_t i = 0; i < r->d.n; i++)
		if (r->d.v[i].state != STAGE_SAME && r->d.v[i].state != STAGE_READY)
			return 1;
	return 0;
}

/* --- commit -------------------------------------------------------------------------------- */

/* The path's tree and the rest of it; false: in none. */
static bool in_tree(const struct stage_record *rec, const char *path, unsigned *ret, const char **rest)
{
	size_t best = 0;

	for (unsigned i = 0; i < rec->ntrees; i++) {
		size_t n = strlen(rec->tree[i].host);

		if (n <= best || !place_is_below(path, rec->tree[i].host))
			continue;
		best = n;
		*ret = i;
		*rest = path[n] ? path + n + 1 : "";
	}
	return best > 0;
}

/* With a name goes the making of the directories above it. */
static size_t choose_one(const struct request *r, unsigned tree, const char *rest, bool *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < r->d.n; i++) {
		const struct stage_entry *e = &r->d.v[i];
		struct stage_entry named = { .tree = tree, .path = (char *)(uintptr_t)rest };

		if (stage_entry_below(e, tree, rest)) {
			chosen[i] = true;
			n++;
		} else if (e->op == STAGE_CREATE && S_ISDIR(e->now.mode) &&
			   stage_entry_below(&named, e->tree, e->path)) {
			chosen[i] = true;
		}
	}
	return n;
}

static int choose(const struct request *r, bool *chosen, struct rt_err *err)
{
	char cwd[PATH_MAX], path[2 * PATH_MAX], shown[300];

	if (!r->npaths) {
		memset(chosen, 1, r->d.n);
		return 0;
	}
	if (!getcwd(cwd, sizeof(cwd)))
		return rt_fail_errno(err, errno, "the working directory");
	for (int i = 0; i < r->npaths; i++) {
		const char *word = r->path[i], *rest = "";
		unsigned tree = 0;

		io_escape(shown, sizeof(shown), word, strlen(word));
		if (snprintf(path, sizeof(path), "%s%s%s", word[0] == '/' ? "" : cwd,
			     word[0] == '/' ? "" : "/", word) >= PATH_MAX)
			return rt_fail_errno(err, ENAMETOOLONG, "'%s'", shown);
		place_make_plain(path);
		if (!in_tree(&r->s.rec, path, &tree, &rest) || !choose_one(r, tree, rest, chosen))
			return rt_fail(err, ENOENT, "the run has changed nothing at '%s'", shown);
	}
	return 0;
}

static int note(void *arg, const struct stage_entry *e)
{
	struct request *r = arg;

	stage_rules_placed(&r->rules, e);
	return stage_note_done(&r->s, e->tree, e->path);
}

static int note_shared(void *arg, const struct stage_known_file *f)
{
	struct request *r = arg;

	return stage_note_shared(&r->s, f);
}

/* Says what became of each, and removes the staged run when nothing is left of it. */
static int tell(struct request *r, const bool *chosen, struct rt_err *err)
{
	size_t done = 0, refused = 0, left = 0;
	int e = 0;

	for (size_t i = 0; i < r->d.n && e == 0; i++) {
		enum stage_state state = r->d.v[i].state;

		left += state != STAGE_COMMITTED && state != STAGE_SAME;
		done += state == STAGE_COMMITTED;
		if (!chosen[i] || state == STAGE_COMMITTED || state == STAGE_SAME)
			continue;
		refused++;
		e = stage_show_entry(stdout, &r->s, &r->d, &r->d.v[i]);
	}
	printf("committed: %zu, refused: %zu, left: %zu\n", done, refused, left);
	if (e < 0 || fflush(stdout) != 0)
		return rt_fail_errno(err, EIO, "writing the result");
	if (left == 0)
		e = stage_remove(&r->s, err);
	return e < 0 ? e : refused > 0;
}

/* A commit is for runs beside it as another run that makes names. */
static bool lock_names(void *arg, bool take)
{
	struct request *r = arg;
	const int64_t until = sys_now_ms() + NAMES_LOCK_MOST_MS;

	if (!take) {
		names_lock_give_back(&r->names);
		return true;
	}
	while (r->names.fd >= 0 && !names_lock_take(&r->names, true)) {
		if (sys_now_ms() >= until)
			return false;
		(void)poll(NULL, 0, 1);
	}
	return true;
}

/* What is in place now is named and listed as after a run that is not staged. */
static void leave_end(struct request *r, struct left *left)
{
	const struct sandbox_view *v = &r->rules.now;
	AUTO_FREE size_t *appeared = calloc(v->ncreatable + 1, sizeof(*appeared));
	size_t n = 0;

	if (appeared)
		appeared_say(stderr, &r->s.bundle, v, appeared, &n);
	left_end(left, v, appeared, n, stderr);
}

static int commit(struct request *r, struct rt_err *err)
{
	struct left left;
	AUTO_FREE bool *chosen = calloc(r->d.n + 1, sizeof(*chosen));
	char state[PATH_MAX], lost[OTHER_RUNS_LOST];
	struct stage_apply a = { .judge = &r->j, .d = &r->d, .chosen = chosen, .id = r->s.id,
				 .done = note, .shared = note_shared, .lock = lock_names, .arg = r };
	int e = chosen ? choose(r, chosen, err) : rt_fail(err, ENOMEM, "out of memory");

	if (e == 0)
		e = state_dir_of_home(state, err);
	if (e < 0)
		return e;
	AUTO_CLOSE int names = other_runs_open_lock(state, r->s.ctx.roots.dir[PB_ROOT_PROJECT], lost);
	if (lost[0])
		fprintf(stderr, "polrun: %s\n", lost);
	r->names = (struct names_lock){ .fd = names };
	left_begin(&left, r->state, r->s.ctx.roots.dir[PB_ROOT_PROJECT], &r->s.bundle, &r->rules.now, stderr);
	e = stage_apply(&a);
	leave_end(r, &left);
	left_release(&left);
	if (e < 0)
		return rt_fail_errno(err, -e, "recording what was committed");
	return tell(r, chosen, err);
}

/* --- the verb -------------------------------------------------------------------------------- */

static int act(struct request *r, struct rt_err *err)
{
	int e = state_dir_own(r->state, err);

	if (e == 0)
		stage_sweep(r->state);
	if (e == 0)
		e = take_id(r, err);
	if (e == 0 && r->npaths && strcmp(r->verb, "commit") != 0)
		e = rt_fail(err, EINVAL, "%s takes an ID, and '%.60s' is none", r->verb, r->path[0]);
	if (e == 0)
		e = open_it(r, err);
	if (e < 0)
		return e;
	if (!strcmp(r->verb, "discard"))
		return stage_remove(&r->s, err);
	return !strcmp(r->verb, "review") ? review(r, err) : commit(r, err);
}

int stage_verb(int argc, char **argv)
{
	static const struct optread reader = { "polrun", table, sizeof(table) / sizeof(table[0]),
					       set };
	struct request r = { .verb = argv[0], .s = STAGE_NONE };
	struct rt_err err = { 0 };
	char line[sizeof(err.text) * 4];
	int rest = 0, e = optread(&reader, argc, argv, &r, &rest, &err);

	if (e == 0 && r.help) {
		optspec_help(stdout, &stage_program);
		return fflush(stdout) == 0 ? 0 : TROUBLE;
	}
	if (e == 0) {
		r.path = argv + rest;
		r.npaths = argc - rest;
		e = act(&r, &err);
	}
	stage_delta_release(&r.d);
	stage_rules_release(&r.rules);
	stage_release(&r.s);
	if (e >= 0)
		return e;
	io_plain(line, sizeof(line), err.text);
	fprintf(stderr, "polrun: %s\n", line[0] ? line : "failed");
	return TROUBLE;
}
