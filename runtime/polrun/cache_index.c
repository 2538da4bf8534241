/* Reads and writes the index of a cached bundle.  Whoever can write one can write the
 * bundle: it is read strictly so that a damaged one is no index, and for nothing else. */
#include "runtime/polrun/cache_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "pol-cache 1 " POL_VERSION

void cache_stamp_of(const struct stat *st, struct cache_stamp *ret)
{
	*ret = (struct cache_stamp){
		.dev = st->st_dev, .ino = st->st_ino, .size = (uint64_t)st->st_size,
		.mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.ctime = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
	};
}

/* --- lines ------------------------------------------------------------------------ */

/* Cuts off the next line; NULL at the end of the text. */
static char *line(char **at)
{
	char *s = *at, *end = strchr(s, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return s;
}

/* Cuts off the next word of a line. */
static char *word(char **at)
{
	char *s = *at, *end = strchr(s, ' ');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return s;
}

static bool number(char *s, int64_t *ret)
{
	char *end;

	if (!s || (*s != '-' && (*s < '0' || *s > '9')))
		return false;
	errno = 0;
	*ret = strtoll(s, &end, 10);
	return !*end && end != s && !errno;
}

static bool count(char *s, uint64_t *ret)
{
	int64_t n;

	if (!number(s, &n) || n < 0)
		return false;
	*ret = (uint64_t)n;
	return true;
}

static bool is_hex(const char *s)
{
	return s && strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

/* The rest of a line that begins with `name`. */
static char *pair(char **at, const char *name)
{
	char *s = line(at);
	size_t n = strlen(name);

	return s && strncmp(s, name, n) == 0 && s[n] == ' ' ? s + n + 1 : NULL;
}

static bool flags(const char *s, unsigned *ret)
{
	static const char letters[] = "nsip";

	*ret = 0;
	if (!s || strcmp(s, "-") == 0)
		return s != NULL;
	for (; *s; s++) {
		const char *l = strchr(letters, *s);

		if (!l)
			return false;
		*ret |= 1u << (l - letters);
	}
	return true;
}

static struct cache_input *more(struct cache_index *x)
{
	struct cache_input *v;

	if (x->n >= CACHE_MAX_INPUTS)
		return NULL;
	v = realloc(x->v, (x->n + 1) * sizeof(*v));
	if (!v)
		return NULL;
	x->v = v;
	memset(&v[x->n], 0, sizeof(*v));
	return &v[x->n++];
}

/* LEVEL FLAGS [stamp] HEX PATH */
static bool input(char *s, bool stamped, struct cache_index *x)
{
	struct cache_input *in = more(x);
	uint64_t level;
	char *hex;

	if (!in || !count(word(&s), &level) || level > 5 || !flags(word(&s), &in->flags))
		return false;
	in->level = (unsigned)level;
	if (stamped && !(count(word(&s), &in->stamp.dev) && count(word(&s), &in->stamp.ino) &&
			 count(word(&s), &in->stamp.size) &&
			 number(word(&s), &in->stamp.mtime) &&
			 number(word(&s), &in->stamp.ctime)))
		return false;
	hex = word(&s);
	if (!is_hex(hex) || !s[0] || (stamped && s[0] != '/'))
		return false;
	memcpy(in->hex, hex, sizeof(in->hex));
	in->path = s;
	return true;
}

/* Lines "file …" up to the line "end", which is the last one. */
static bool inputs(char **at, bool stamped, struct cache_index *x)
{
	char *s;

	while ((s = line(at)) != NULL && strncmp(s, "file ", 5) == 0)
		if (!input(s + 5, stamped, x))
			return false;
	return s && strcmp(s, "end") == 0 && !**at;
}

static bool read_head(char **at, struct cache_index *x)
{
	char *s = line(at), *key, *bundle;
	int64_t sec, nsec;
	uint64_t told;

	if (!s || strcmp(s, HEAD) != 0)
		return false;
	s = pair(at, "at");
	if (!s || !number(word(&s), &sec) || !number(s, &nsec) ||
	    !count(pair(at, "told"), &told))
		return false;
	key = pair(at, "key");
	bundle = pair(at, "bundle");
	if (!is_hex(key) || !is_hex(bundle))
		return false;
	x->at = sec * 1000000000 + nsec;
	x->told = told;
	memcpy(x->key, key, sizeof(x->key));
	memcpy(x->bundle, bundle, sizeof(x->bundle));
	return true;
}

bool cache_index_read(char *text, struct cache_index *ret)
{
	struct cache_index x = { .text = text };
	char *at = text;

	if (read_head(&at, &x) && inputs(&at, true, &x)) {
		*ret = x;
		return true;
	}
	cache_index_release(&x);
	return false;
}

/* Replaces the relative paths; what they need lies behind the text. */
static bool make_absolute(struct cache_index *x, const char *cwd)
{
	size_t need = 0, nc = strlen(cwd);
	char *to;

	for (size_t i = 0; i < x->n; i++)
		if (x->v[i].path[0] != '/')
			need += nc + strlen(x->v[i].path) + 2;
	if (!need)
		return true;
	to = malloc(need);
	if (!to)
		return false;
	for (size_t i = 0, k = 0; i < x->n; i++) {
		const char *p = x->v[i].path;

		if (p[0] == '/')
			continue;
		x->v[i].path = to + k;
		k += (size_t)snprintf(to + k, need - k, "%s/%s", nc > 1 ? cwd : "", p) + 1;
	}
	x->more = to;
	return true;
}

bool cache_index_list(char *text, const char *cwd, struct cache_index *ret, size_t *ret_dropped)
{
	struct cache_index x = { .text = text };
	char *at = text;
	uint64_t dropped;

	if (count(pair(&at, "dropped"), &dropped) && inputs(&at, false, &x) &&
	    make_absolute(&x, cwd)) {
		*ret = x;
		*ret_dropped = dropped;
		return true;
	}
	cache_index_release(&x);
	return false;
}

/* --- writing ------------------------------------------------------------------------ */

static void put_input(FILE *f, const struct cache_input *in)
{
	static const char letters[] = "nsip";
	char word[8];
	size_t n = 0;

	for (size_t i = 0; i < 4; i++)
		if (in->flags & (1u << i))
			word[n++] = letters[i];
	word[n] = '\0';
	fprintf(f, "file %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %s %s\n",
		in->level, n ? word : "-", in->stamp.dev, in->stamp.ino, in->stamp.size,
		in->stamp.mtime, in->stamp.ctime, in->hex, in->path);
}

char *cache_index_text(const struct cache_index *x, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		return NULL;
	fprintf(f, HEAD "\nat %" PRId64 " %" PRId64 "\ntold %d\nkey %s\nbundle %s\n",
		x->at / 1000000000, x->at % 1000000000, x->told, x->key, x->bundle);
	for (size_t i = 0; i < x->n; i++)
		put_input(f, &x->v[i]);
	fputs("end\n", f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

void cache_index_release(struct cache_index *x)
{
	free(x->text);
	free(x->more);
	free(x->v);
	memset(x, 0, sizeof(*x));
}
