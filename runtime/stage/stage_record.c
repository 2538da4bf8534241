/* Writes and reads the record of a stage. */
#include "runtime/stage/stage_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/place.h"

#define FIRST "pol-stage 1"

void stage_record_write(const struct stage_new *n, int64_t now, struct stage_text *to)
{
	stage_text_add(to, FIRST "\nbegun %" PRId64 "\nbundle %s\n", now, n->bundle);
	for (unsigned i = 0; i < PB_ROOT_COUNT; i++)
		if (n->root[i]) {
			stage_text_add(to, "root %u", i);
			stage_text_path(to, n->root[i]);
		}
	for (size_t i = 0; i < n->ntrees; i++) {
		const struct stage_tree *t = &n->tree[i];

		stage_text_add(to, "tree %" PRIu64 " %" PRIu64, t->dev, t->ino);
		stage_text_path(to, t->path);
		if (t->host && strcmp(t->host, t->path) != 0) {
			stage_text_add(to, "host %zu", i);
			stage_text_path(to, t->host);
		}
	}
	for (size_t i = 0; i < n->nclosed; i++) {
		stage_text_add(to, "closed");
		stage_text_path(to, n->closed[i]);
	}
	for (size_t i = 0; i < n->nmade; i++) {
		stage_text_add(to, "made %" PRIu32, n->made[i].rule);
		stage_text_path(to, n->made[i].path);
	}
	for (size_t i = 0; i < n->nalias; i++) {
		stage_text_add(to, "alias %" PRIu32 " %d", n->alias[i].rule, n->alias[i].lends);
		stage_text_path(to, n->alias[i].path);
		stage_text_add(to, "real");
		stage_text_path(to, n->alias[i].real);
	}
	stage_text_add(to, "command");
	stage_text_path(to, n->command);
}

static bool take_path(char *line, const char **ret)
{
	if (!stage_unescape(line) || !place_is_plain(line))
		return false;
	*ret = line;
	return true;
}

static bool take_tree(struct stage_record *r, char *line)
{
	struct stage_tree *t = &r->tree[r->ntrees];

	if (r->ntrees == STAGE_MAX_TREES)
		return false;
	*t = (struct stage_tree){ .top = -1, .upper = -1 };
	if (!stage_number(&line, &t->dev) || !stage_number(&line, &t->ino) ||
	    !take_path(line, &t->path))
		return false;
	t->host = t->path;
	r->ntrees++;
	return true;
}

static bool take_root(struct stage_record *r, char *line)
{
	uint64_t i;

	return stage_number(&line, &i) && i < PB_ROOT_COUNT && stage_unescape(line) &&
	       line[0] == '/' && (r->root[i] = line);
}

static bool take_rule(char **line, uint32_t *ret)
{
	uint64_t n;

	if (!stage_number(line, &n) || n > UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool take_made(struct stage_record *r, char *line)
{
	struct stage_made *m = &r->made[r->nmade];

	return take_rule(&line, &m->rule) && take_path(line, &m->path) && ++r->nmade;
}

/* The path of a rule may end in ".." or be longer than it must be; only `real` is compared
 * with names. */
static bool take_alias(struct stage_record *r, char *line)
{
	struct stage_alias *a = &r->alias[r->nalias];
	uint64_t lends;

	if (!take_rule(&line, &a->rule) || !stage_number(&line, &lends) || lends > 1 ||
	    !stage_unescape(line) || line[0] != '/')
		return false;
	a->lends = lends;
	a->path = line;
	a->real = NULL;
	r->nalias++;
	return true;
}

static bool take_done(struct stage_record *r, char *line)
{
	struct stage_done *d = &r->done[r->ndone];
	uint64_t i;

	if (!stage_number(&line, &i) || i >= r->ntrees || !stage_unescape(line))
		return false;
	*d = (struct stage_done){ (unsigned)i, line };
	r->ndone++;
	return true;
}

static bool take_shared(struct stage_record *r, char *line)
{
	struct stage_known_file *f = &r->shared[r->nshared];
	size_t n = 0;

	if (!stage_number(&line, &f->dev) || !stage_number(&line, &f->ino) ||
	    strlen(line) != sizeof(f->digest) * 2 ||
	    sodium_hex2bin(f->digest, sizeof(f->digest), line, strlen(line), NULL, &n, NULL) != 0 ||
	    n != sizeof(f->digest))
		return false;
	r->nshared++;
	return true;
}

static bool take_writer(struct stage_record *r, char *line)
{
	struct stage_known_file *f = &r->writer[r->nwriters];

	return stage_number(&line, &f->dev) && stage_number(&line, &f->ino) && ++r->nwriters;
}

static bool take_end(struct stage_record *r, char *line)
{
	int64_t status;

	if (!stage_signed(&line, &status) || !stage_signed(&line, &r->ended))
		return false;
	r->has_ended = true;
	r->status = (int)status;
	return true;
}

static bool take_line(struct stage_record *r, char *line)
{
	const char *word = stage_word(&line);
	uint64_t i;

	if (!word)
		return false;
	if (!strcmp(word, "begun"))
		return stage_signed(&line, &r->begun);
	if (!strcmp(word, "bundle"))
		return (r->bundle = stage_word(&line)) != NULL;
	if (!strcmp(word, "root"))
		return take_root(r, line);
	if (!strcmp(word, "tree"))
		return take_tree(r, line);
	if (!strcmp(word, "host"))
		return stage_number(&line, &i) && i < r->ntrees &&
		       take_path(line, &r->tree[i].host);
	if (!strcmp(word, "closed"))
		return take_path(line, &r->closed[r->nclosed]) && ++r->nclosed;
	if (!strcmp(word, "made"))
		return take_made(r, line);
	if (!strcmp(word, "alias"))
		return take_alias(r, line);
	if (!strcmp(word, "real"))
		return r->nalias && !r->alias[r->nalias - 1].real &&
		       take_path(line, &r->alias[r->nalias - 1].real);
	if (!strcmp(word, "empty"))
		return r->empty = true;
	if (!strcmp(word, "command"))
		return stage_unescape(line) && (r->command = line);
	if (!strcmp(word, "init"))
		return stage_number(&line, &r->init) && stage_number(&line, &r->ticks);
	if (!strcmp(word, "ended"))
		return take_end(r, line);
	if (!strcmp(word, "done"))
		return take_done(r, line);
	if (!strcmp(word, "shared"))
		return take_shared(r, line);
	if (!strcmp(word, "writer"))
		return take_writer(r, line);
	return false;
}

static int order_done(const void *a, const void *b)
{
	const struct stage_done *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return strcmp(x->path, y->path);
}

bool stage_record_is_done(const struct stage_record *r, unsigned tree, const char *path)
{
	struct stage_done key = { tree, path };

	return r->ndone && bsearch(&key, r->done, r->ndone, sizeof(key), order_done);
}

static int order_known_files(const void *a, const void *b)
{
	const struct stage_known_file *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

const uint8_t *stage_record_shared(const struct stage_record *r, uint64_t dev, uint64_t ino)
{
	struct stage_known_file key = { .dev = dev, .ino = ino }, *f = NULL;

	if (r->nshared)
		f = bsearch(&key, r->shared, r->nshared, sizeof(key), order_known_files);
	return f ? f->digest : NULL;
}

bool stage_record_has_writer(const struct stage_record *r, uint64_t dev, uint64_t ino)
{
	struct stage_known_file key = { .dev = dev, .ino = ino };

	return r->nwriters && bsearch(&key, r->writer, r->nwriters, sizeof(key), order_known_files);
}

int stage_record_read(char *text, struct stage_record *ret)
{
	struct stage_record r = { .text = text };
	size_t lines = 1;
	const char *line;
	char *next;
	bool fine;

	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	r.tree = calloc(STAGE_MAX_TREES, sizeof(*r.tree));
	r.closed = calloc(lines, sizeof(*r.closed));
	r.made = calloc(lines, sizeof(*r.made));
	r.alias = calloc(lines, sizeof(*r.alias));
	r.done = calloc(lines, sizeof(*r.done));
	r.shared = calloc(lines, sizeof(*r.shared));
	r.writer = calloc(lines, sizeof(*r.writer));
	if (!r.tree || !r.closed || !r.made || !r.alias || !r.done || !r.shared || !r.writer) {
		stage_record_release(&r);
		return -ENOMEM;
	}
	line = stage_line(&text);
	fine = line && !strcmp(line, FIRST);
	while (fine && (next = stage_line(&text)))
		fine = take_line(&r, next);
	for (size_t i = 0; i < r.nalias; i++)
		fine &= r.alias[i].real != NULL;
	if (!fine || !r.bundle || !r.command || !r.ntrees) {
		stage_record_release(&r);
		return -EBADMSG;
	}
	qsort(r.done, r.ndone, sizeof(*r.done), order_done);
	qsort(r.shared, r.nshared, sizeof(*r.shared), order_known_files);
	qsort(r.writer, r.nwriters, sizeof(*r.writer), order_known_files);
	*ret = r;
	return 0;
}

void stage_record_release(struct stage_record *r)
{
	for (size_t i = 0; i < r->ntrees; i++) {
		if (r->tree[i].top >= 0)
			(void)close(r->tree[i].top);
		if (r->tree[i].upper >= 0)
			(void)close(r->tree[i].upper);
	}
	free(r->tree);
	free(r->closed);
	free(r->made);
	free(r->alias);
	free(r->done);
	free(r->shared);
	free(r->writer);
	free(r->text);
	*r = (struct stage_record){ .text = NULL };
}
