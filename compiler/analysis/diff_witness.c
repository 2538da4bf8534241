/*
 * Which requests a word of a language stands for, and which word a request is.  The words of
 * commands are described in sets/lang.h.
 */
#include "compiler/analysis/diff_witness.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_word.h"
#include "compiler/analysis/diff_symbol.h"
#include "compiler/eval/match_program.h"

static bool is_root_text(struct str dir)
{
	return str_eqz(dir, "/");
}

/* --- requests ------------------------------------------------------------ */

/* Splits the word at NULs; returns the number of parts. */
static size_t split(struct arena *tmp, struct str word, struct str **ret)
{
	size_t i, from = 0, n = 0;

	*ret = arena_array(tmp, word.n + 1, sizeof(**ret));
	for (i = 0; i < word.n; i++) {
		if (word.p[i])
			continue;
		(*ret)[n++] = str_sub(word, from, i - from);
		from = i + 1;
	}
	return n;
}

static size_t command_requests(struct diff *d, struct arena *tmp, struct str word,
			       struct ir_request reqs[DIFF_WITNESS_REQUESTS])
{
	struct str project = d->where->roots.dir[IR_ROOT_PROJECT], *w, names[4];
	size_t n = split(tmp, word, &w), count = 0, i;

	if (n < 3)
		return 0;
	names[count++] = w[0];
	/* a program with a '/' is named by the places that the word gives it */
	if (w[0].n && memchr(w[0].p, '/', w[0].n) && w[2].n > 1)
		names[count++] = str_sub(w[2], 1, w[2].n - 1);
	if (w[0].n && memchr(w[0].p, '/', w[0].n) && w[1].n > 1) {
		struct str rest = str_sub(w[1], 1, w[1].n - 1);

		names[count++] = str_cat(tmp, STR("./"), rest);
		names[count++] = str_cat(tmp, str_cat(tmp, project, STR("/")), rest);
	}
	for (i = 0; i < count; i++) {
		reqs[i] = diff_request(d, IR_COMMAND);
		reqs[i].nargv = n - 2;
		reqs[i].argv = arena_array(tmp, n, sizeof(*reqs[i].argv));
		reqs[i].argv[0] = names[i];
		if (n > 3)
			memcpy(reqs[i].argv + 1, w + 3, (n - 3) * sizeof(*w));
	}
	return count;
}

static void put_place(struct buf *b, struct str place, bool known)
{
	if (known) {
		buf_ch(b, '=');
		buf_str(b, place);
	}
	buf_ch(b, 0);
}

struct str diff_witness_word(const struct diff *d, struct arena *tmp,
			     const struct ir_request *req)
{
	struct str project = req->roots.dir[IR_ROOT_PROJECT], name, path = STR_NULL, rest;
	bool known, below;
	struct buf b;
	size_t i;

	if (!req->nargv)
		return STR_NULL;
	name = req->argv[0];
	known = name.n && memchr(name.p, '/', name.n) &&
		eval_program_path(tmp, name, d->where->cwd, &path);
	below = known && project.p && (is_root_text(project) || str_starts(path, project));
	rest = below && !is_root_text(project) ?
		       str_sub(path, project.n, path.n - project.n) : path;
	below = below && rest.n > 1 && rest.p[0] == '/';
	buf_init(&b, tmp);
	buf_str(&b, name);
	buf_ch(&b, 0);
	put_place(&b, below ? str_sub(rest, 1, rest.n - 1) : STR_NULL, below);
	put_place(&b, path, known);
	for (i = 1; i < req->nargv; i++) {
		buf_str(&b, req->argv[i]);
		buf_ch(&b, 0);
	}
	return buf_view(&b);
}

size_t diff_witness_requests(struct diff *d, struct arena *tmp, const struct diff_item *it,
			     struct str word, struct ir_request reqs[DIFF_WITNESS_REQUESTS])
{
	if (it->kind == IR_COMMAND)
		return command_requests(d, tmp, word, reqs);
	reqs[0] = diff_request(d, it->kind);
	if (it->kind == IR_TOOL) {
		reqs[0].tool = word;
		return 1;
	}
	reqs[0].abstract = diff_word_is_abstract(it);
	reqs[0].op = IR_READ;
	if (d->symbols)
		diff_symbol_request(tmp, word, &reqs[0]);
	else
		reqs[0].path = !reqs[0].abstract && !word.n ? STR("/") : word;
	return 1;
}

/* --- words --------------------------------------------------------------- */

/*
 * Ranks bytes: letters, digits and '-', other printable ASCII, the rest.  Of letters that
 * are all alike 'x' looks least like a part of a word.
 */
static unsigned readable(uint8_t c)
{
	if (c >= 'a' && c <= 'z')
		return c == 'x' ? 6 : 5;
	if (c == '1') /* before '0', which numbers of lines and ports do not begin with */
		return 4;
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
		return 3;
	if (c == '-') /* before '+', which begins an option of few programs */
		return 3;
	return c > ' ' && c < 127 ? 2 : c == ' ';
}

void diff_witness_order(const struct set_dfa *f, uint8_t order[256], uint8_t bytes[256])
{
	bool have[256] = { false };
	uint32_t i, k;

	for (i = 0; i < 256; i++) {
		uint8_t cls = f->cls[i];

		if (!have[cls] || readable((uint8_t)i) > readable(bytes[cls]))
			bytes[cls] = (uint8_t)i;
		have[cls] = true;
	}
	for (i = 0; i < f->nclasses; i++) {
		for (k = i; k > 0 && readable(bytes[order[k - 1]]) < readable(bytes[i]);
		     k--)
			order[k] = order[k - 1];
		order[k] = (uint8_t)i;
	}
}

struct str diff_witness_spell(struct arena *tmp, const struct diff_step *from,
			      uint32_t start, uint32_t state)
{
	uint32_t s;
	size_t n = 0;
	char *p;

	for (s = state; s != start; s = from[s].from)
		n++;
	p = arena_alloc(tmp, n + 1);
	for (s = state; s != start; s = from[s].from)
		p[--n] = (char)from[s].byte;
	for (s = state; s != start; s = from[s].from)
		n++;
	return (struct str){ p, n };
}

/* --- regions of few words -------------------------------------------------------------- */

/* Larger automata are not looked at: few of their regions are small. */
#define MAX_SMALL_STATES 8192u

static bool has_tags(const struct set_dfa *f, uint32_t state, const uint32_t *tags, size_t n)
{
	size_t own = f->tag_at[state + 1] - f->tag_at[state];

	return own == n && (!n || memcmp(f->tags + f->tag_at[state], tags, n * sizeof(*tags)) == 0);
}

/* The states from which a word with the tags can still be reached. */
static bool *leading(struct arena *tmp, const struct set_dfa *f, const uint32_t *tags, size_t n)
{
	bool *ret = arena_array(tmp, f->nstates + 1, sizeof(*ret)), more = true;
	uint32_t s, c;

	for (s = 0; s < f->nstates; s++)
		ret[s] = s && has_tags(f, s, tags, n);
	/* states are numbered from the start outwards, so that few rounds are enough */
	while (more) {
		more = false;
		for (s = f->nstates; s-- > 1;)
			for (c = 0; c < f->nclasses && !ret[s]; c++)
				more |= ret[s] = ret[f->next[s * f->nclasses + c]];
	}
	return ret;
}

struct few {
	struct arena *tmp;
	const struct set_dfa *f;
	const uint32_t *tags;
	size_t ntags;
	const bool *leads;
	uint32_t *at, *next; /* by depth: the state, and the byte to try */
	char *word;
	struct diff_few *ret;
};

static uint32_t step(const struct set_dfa *f, uint32_t state, uint32_t byte)
{
	return f->next[state * f->nclasses + f->cls[byte]];
}

/* Adds all words that go on after `prefix`, which leads to `state`; false: too many. */
static bool add_words(struct few *k, struct str prefix, uint32_t state)
{
	uint32_t depth = 0;

	k->at[0] = state;
	k->next[0] = 0;
	for (;;) {
		if (!k->next[depth] && has_tags(k->f, k->at[depth], k->tags, k->ntags)) {
			struct str rest = { k->word, depth };

			if (k->ret->n == DIFF_WITNESS_WORDS)
				return false;
			k->ret->rest[k->ret->n] = prefix.n;
			k->ret->word[k->ret->n++] = str_cat(k->tmp, prefix, rest);
		}
		while (k->next[depth] < 256 &&
		       !k->leads[step(k->f, k->at[depth], k->next[depth])])
			k->next[depth]++;
		if (k->next[depth] == 256) {
			if (!depth--)
				return true;
			continue;
		}
		/* a word longer than all states goes in a circle: there is no end of them */
		if (depth >= k->f->nstates)
			return false;
		k->word[depth] = (char)k->next[depth];
		state = step(k->f, k->at[depth], k->next[depth]++);
		k->at[++depth] = state;
		k->next[depth] = 0;
	}
}

/* The program and its two places, each ended by NUL. */
#define PROGRAM_WORDS 3u

/* Each state behind the program, with a shortest word that leads there. */
static bool add_programs(struct few *k)
{
	const struct set_dfa *f = k->f;
	uint32_t most = (PROGRAM_WORDS + 1) * f->nstates, head = 0, tail = 0, c;
	uint32_t *queue = arena_array(k->tmp, most + 1, sizeof(*queue));
	struct diff_step *from = arena_array(k->tmp, most + 1, sizeof(*from));
	uint8_t order[256], bytes[256];

	diff_witness_order(f, order, bytes);
	from[f->start].seen = true;
	queue[tail++] = f->start;
	while (head < tail) {
		uint32_t own = queue[head++], ends = own / f->nstates;

		if (ends == PROGRAM_WORDS) {
			struct str prefix = diff_witness_spell(k->tmp, from, f->start, own);

			if (!add_words(k, prefix, own % f->nstates))
				return false;
			continue;
		}
		for (c = 0; c < f->nclasses; c++) {
			uint8_t byte = bytes[order[c]];
			uint32_t to = f->next[own % f->nstates * f->nclasses + order[c]];

			if (!k->leads[to])
				continue;
			to += (ends + !byte) * f->nstates;
			if (from[to].seen)
				continue;
			from[to] = (struct diff_step){ own, byte, true };
			queue[tail++] = to;
		}
	}
	return true;
}

bool diff_witness_few(struct arena *tmp, const struct set_dfa *f, const uint32_t *tags,
		      size_t ntags, struct diff_few *ret)
{
	struct few k = { .tmp = tmp, .f = f, .tags = tags, .ntags = ntags, .ret = ret };

	ret->n = 0;
	if (f->nstates > MAX_SMALL_STATES || f->cls[0] == f->cls['x'])
		return false;
	k.leads = leading(tmp, f, tags, ntags);
	k.at = arena_array(tmp, f->nstates + 2, sizeof(*k.at));
	k.next = arena_array(tmp, f->nstates + 2, sizeof(*k.next));
	k.word = arena_alloc(tmp, f->nstates + 2);
	return add_programs(&k);
}
