/* Decides which words are options and which values they have. The program decides what an
 * option means. */
#include "runtime/base/optread.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/io.h"

/* Edit distance, with rows of at most 32: enough for a suggestion. */
static unsigned distance(const char *a, size_t la, const char *b)
{
	unsigned row[33];
	size_t lb = strlen(b);

	if (la > 32 || lb > 32)
		return 99;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

static int unknown(const struct optread *r, const char *word, size_t len,
		   struct rt_err *err)
{
	const char *best = NULL;
	unsigned least = len > 5 ? 4 : 3;
	char shown[80];

	for (size_t i = 0; i < r->n && len > 0; i++) {
		unsigned d = distance(word, len, r->table[i].name);

		if (r->table[i].name[0] && r->table[i].id != OPTREAD_LATER && d < least) {
			least = d;
			best = r->table[i].name;
		}
	}
	io_escape(shown, sizeof(shown), word, len);
	if (best)
		return rt_fail(err, EINVAL,
			       "unknown option '--%s'; did you mean '--%s'?", shown,
			       best);
	return rt_fail(err, EINVAL, "unknown option '--%s' (see %s --help)", shown,
		       r->program);
}

int optread_value(const char **slot, const struct optspec *opt, const char *value,
		  bool empty, struct rt_err *err)
{
	char letter[2] = { opt->letter, '\0' };

	if (*slot)
		return rt_fail(err, EINVAL, "'%s%s' is given twice",
			       opt->name[0] ? "--" : "-", opt->name[0] ? opt->name : letter);
	if (!value[0] && !empty)
		return rt_fail(err, EINVAL, "'--%s' needs a value that is not empty",
			       opt->name);
	*slot = value;
	return 0;
}

static int later(const struct optspec *opt, struct rt_err *err)
{
	return rt_fail(err, EINVAL, "'--%s' is not supported by this version", opt->name);
}

/* Reads "--name", "--name=value" or "--name value"; *i moves to the value. */
static int read_long(const struct optread *r, int argc, char **argv, int *i, void *to,
		     struct rt_err *err)
{
	const char *word = argv[*i] + 2, *eq = strchr(word, '='), *value = NULL;
	size_t len = eq ? (size_t)(eq - word) : strlen(word);
	const struct optspec *opt = NULL;

	for (size_t k = 0; k < r->n; k++)
		if (len && strlen(r->table[k].name) == len &&
		    memcmp(r->table[k].name, word, len) == 0)
			opt = &r->table[k];
	if (!opt)
		return unknown(r, word, len, err);
	if (opt->id == OPTREAD_LATER)
		return later(opt, err);
	if (eq && opt->arg == OPTSPEC_NONE)
		return rt_fail(err, EINVAL, "'--%s' takes no value", opt->name);
	if (eq)
		value = eq + 1;
	else if (opt->arg == OPTSPEC_ONE && *i + 1 < argc)
		value = argv[++*i];
	else if (opt->arg == OPTSPEC_ONE)
		return rt_fail(err, EINVAL, "'--%s' needs a value", opt->name);
	return r->set(to, opt, value, err);
}

/* Reads a cluster of letters; the last one may take a value. */
static int read_short(const struct optread *r, int argc, char **argv, int *i, void *to,
		      struct rt_err *err)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		const struct optspec *opt = NULL;
		const char *value = NULL;
		char shown[16];
		int e;

		for (size_t k = 0; k < r->n; k++)
			if (r->table[k].letter == *p)
				opt = &r->table[k];
		if (!opt) {
			io_escape(shown, sizeof(shown), p, 1);
			return rt_fail(err, EINVAL, "unknown option '-%s' (see %s --help)",
				       shown, r->program);
		}
		if (opt->id == OPTREAD_LATER)
			return later(opt, err);
		if (opt->arg == OPTSPEC_ONE) {
			if (p[1])
				value = p + 1;
			else if (*i + 1 < argc)
				value = argv[++*i];
			else
				return rt_fail(err, EINVAL, "'-%c' needs a value", *p);
		}
		e = r->set(to, opt, value, err);
		if (e < 0 || opt->arg == OPTSPEC_ONE)
			return e;
	}
	return 0;
}

int optread(const struct optread *r, int argc, char **argv, void *to, int *ret_rest,
	    struct rt_err *err)
{
	int i = 1, e;

	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			break;
		e = argv[i][1] == '-' ? read_long(r, argc, argv, &i, to, err) :
					read_short(r, argc, argv, &i, to, err);
		if (e < 0)
			return e;
	}
	*ret_rest = i > argc ? argc : i;
	return 0;
}
