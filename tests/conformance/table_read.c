/*
 * Reads table.txt.  A line that is not understood is an error: a row that
 * silently falls away would be a test that cannot fail.
 */
#include <errno.h>
#include <stdlib.h>

#include "compiler/base/buf.h"
#include "tests/conformance/table.h"

struct reader {
	struct table *t;
	const char *path;
	unsigned line;
	struct table_row *row; /* the one that is being read */
	struct buf text;       /* of the text that is being read */
	struct table_text *to; /* where it goes; NULL: none */
	bool bad;
};

static void fault(struct reader *r, const char *what, const char *where)
{
	fprintf(stderr, "%s:%u: %s: %s\n", r->path, r->line, what, where);
	r->bad = true;
}

static const char *keep(struct reader *r, struct str s)
{
	return str_z(&r->t->a, s);
}

static struct str trim(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_sub(s, 1, s.n - 1);
	while (s.n && strchr(" \t\n", s.p[s.n - 1]))
		s.n--;
	return s;
}

/* The next word, with one pair of quotes taken off; empty at the end. */
static struct str next_word(struct str *s)
{
	struct str w;
	size_t n = 0;
	char q = 0;

	*s = trim(*s);
	if (s->n && (s->p[0] == '\'' || s->p[0] == '"'))
		q = s->p[0];
	for (n = q ? 1 : 0; n < s->n; n++)
		if (q ? s->p[n] == q : s->p[n] == ' ' || s->p[n] == '\t')
			break;
	w = q ? str_sub(*s, 1, n - 1) : str_sub(*s, 0, n);
	*s = str_sub(*s, n + (q && n < s->n), s->n - n - (q && n < s->n));
	/* an empty word in quotes is a word */
	return q && !w.n ? STR("\"\"") : w;
}

static void end_text(struct reader *r)
{
	if (r->to)
		r->to->text = keep(r, buf_view(&r->text));
	r->to = NULL;
}

static const struct {
	const char *word;
	unsigned slot;
} slots[] = {
	{ "managed", IR_MANAGED },       { "managed-file", IR_MANAGED_FILE },
	{ "project", IR_PROJECT },       { "user", IR_USER },
	{ "discovered", TABLE_DISCOVERED }, { "base", TABLE_BASE },
	{ "floor", TABLE_FLOOR },
};

/* `managed: TEXT`, `file lib.pol: TEXT`. */
static bool begin_text(struct reader *r, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct table_text *t;
	struct str key;
	size_t i;

	if (!colon || line.p[0] == '>' || !r->row)
		return false;
	key = str_sub(line, 0, (size_t)(colon - line.p));
	if (r->row->ntexts == TABLE_MAX_TEXTS) {
		fault(r, "too many texts in one row", r->row->name);
		return true;
	}
	t = &r->row->texts[r->row->ntexts];
	for (i = 0; i < POL_LEN(slots); i++)
		if (str_eqz(key, slots[i].word))
			t->slot = slots[i].slot;
	if (str_starts(key, STR("file "))) {
		t->slot = TABLE_LIBRARY;
		t->name = keep(r, trim(str_sub(key, 5, key.n - 5)));
	}
	if (!t->slot)
		return false;
	r->row->ntexts++;
	r->to = t;
	buf_init(&r->text, &r->t->a);
	buf_str(&r->text, trim(str_sub(line, key.n + 1, line.n - key.n - 1)));
	buf_ch(&r->text, '\n');
	return true;
}

static bool read_effect(struct str w, enum ir_effect *ret)
{
	int e;

	for (e = 0; e < IR_EFFECT_COUNT; e++)
		if (str_eqz(w, ir_effect_name((enum ir_effect)e))) {
			*ret = (enum ir_effect)e;
			return true;
		}
	return false;
}

static bool known_step(const char *name)
{
	int s;

	for (s = 0; s < EVAL_STEP_COUNT; s++)
		if (!strcmp(name, eval_step_name((enum eval_step)s)))
			return true;
	return false;
}

/* What stands behind the step: host, person, kernel, over, cwd=DIR. */
static void read_flags(struct reader *r, struct table_request *q, struct str s)
{
	struct str w;

	while ((w = next_word(&s)).n) {
		if (str_eqz(w, "host"))
			q->host = true;
		else if (str_eqz(w, "person"))
			q->person = true;
		else if (str_eqz(w, "kernel"))
			q->kernel = true;
		else if (str_eqz(w, "over"))
			q->kernel = q->over = true;
		else if (str_starts(w, STR("cwd=")))
			q->cwd = keep(r, str_sub(w, 4, w.n - 4));
		else
			fault(r, "no such word behind a request", keep(r, w));
	}
}

/* `> REQUEST => EFFECT [ERRNO] by ID (STEP) FLAGS` */
static void read_request(struct reader *r, struct str line)
{
	struct table_request q = { .line = r->line };
	const char *arrow = memmem(line.p, line.n, " => ", 4);
	struct str left, right, w;
	const char *close;

	if (!arrow || !r->row) {
		fault(r, "a request without ' => '", keep(r, line));
		return;
	}
	left = trim(str_sub(line, 1, (size_t)(arrow - line.p) - 1));
	right = str_sub(line, (size_t)(arrow - line.p) + 4, line.n);
	q.text = keep(r, left);
	while (q.nwords < TABLE_MAX_WORDS && (w = next_word(&left)).n)
		q.words[q.nwords++] = str_eqz(w, "\"\"") ? "" : keep(r, w);
	if (!read_effect(next_word(&right), &q.effect))
		fault(r, "no effect", keep(r, line));
	w = next_word(&right);
	if (!str_eqz(w, "by")) {
		q.err = keep(r, w);
		w = next_word(&right);
	}
	q.by = str_eqz(w, "by") ? keep(r, next_word(&right)) : NULL;
	right = trim(right);
	close = memchr(right.p, ')', right.n);
	if (!q.by || !right.n || right.p[0] != '(' || !close) {
		fault(r, "a request says 'by ID (STEP)'", keep(r, line));
		return;
	}
	q.step = keep(r, str_sub(right, 1, (size_t)(close - right.p) - 1));
	if (!known_step(q.step))
		fault(r, "no such step", q.step);
	read_flags(r, &q, str_sub(right, (size_t)(close - right.p) + 1, right.n));
	VEC_PUSH(&r->t->a, &r->row->requests, q);
}

static void end_row(struct reader *r)
{
	end_text(r);
	if (r->row && !r->row->requests.n == !r->row->error)
		fault(r, "a row has requests, or it has an error", r->row->name);
	r->row = NULL;
}

static void begin_row(struct reader *r, struct str line)
{
	struct table_row row = { .line = r->line };

	end_row(r);
	row.name = keep(r, trim(str_sub(line, 4, line.n - 4)));
	VEC_PUSH(&r->t->a, &r->t->rows, row);
	r->row = VEC_LAST(&r->t->rows);
}

static void read_line(struct reader *r, struct str line)
{
	struct str s = line;
	struct str w;

	if (line.n && (line.p[0] == '\t' || line.p[0] == ' ') && r->to) {
		buf_str(&r->text, line);
		buf_ch(&r->text, '\n');
		return;
	}
	if (!trim(line).n || line.p[0] == '#')
		return;
	end_text(r);
	w = next_word(&s);
	if (str_eqz(w, "row")) {
		begin_row(r, line);
	} else if (line.p[0] == '>') {
		read_request(r, line);
	} else if (str_eqz(w, "make") && r->row && r->row->nmake < TABLE_MAX_TEXTS) {
		r->row->make[r->row->nmake++] = keep(r, trim(s));
	} else if (str_eqz(w, "role") && r->row) {
		r->row->role = keep(r, trim(s));
	} else if (str_eqz(w, "error") && r->row) {
		r->row->error = keep(r, next_word(&s));
		r->row->say = keep(r, trim(s));
	} else if (!begin_text(r, line)) {
		fault(r, "not understood", keep(r, line));
	}
}

bool table_read(struct table *t, const char *path)
{
	struct reader r = { .t = t, .path = path };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	memset(&t->rows, 0, sizeof(t->rows));
	while ((n = getline(&line, &cap, f)) >= 0) {
		r.line++;
		if (n && line[n - 1] == '\n')
			n--;
		read_line(&r, (struct str){ line, (size_t)n });
	}
	end_row(&r);
	free(line);
	fclose(f);
	return !r.bad && t->rows.n > 0;
}
