/*
 * Reads the change statement as strictly as the rest of the manifest, and puts it into
 * words.  compiler/bundle/changes.c writes it.
 */
#include "runtime/bundle/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/check.h"

/* Room for any text of a statement in the worst form: each byte is a \xHH. */
#define PLAIN_CAP (4 * CHANGES_MAX_TEXT + 1)

static int wrong(struct canonical *c, const char *why)
{
	return rt_fail(c->err, EBADMSG, "manifest.json has a malformed change statement: %s",
		       why);
}

static int text(struct canonical *c, const char *key, struct changes_text *ret)
{
	CHECK_TRY(canonical_expect(c, key));
	CHECK_TRY(canonical_string(c, "text of a change", &ret->p, &ret->n));
	return ret->n <= CHANGES_MAX_TEXT ? 0 : wrong(c, "a text is too long");
}

/* A word of the compiler: "newly-allowed". */
static int word(struct canonical *c, const char *key, struct changes_text *ret)
{
	CHECK_TRY(text(c, key, ret));
	for (size_t i = 0; i < ret->n; i++)
		if ((ret->p[i] < 'a' || ret->p[i] > 'z') && ret->p[i] != '-')
			return wrong(c, "a kind or a change is no word");
	return ret->n ? 0 : wrong(c, "a kind or a change is empty");
}

static int count(struct canonical *c, const char *key, uint64_t *ret)
{
	CHECK_TRY(canonical_expect(c, key));
	CHECK_TRY(canonical_number(c, "number of changes", ret));
	/* so that no sum of them overflows */
	return *ret <= UINT32_MAX ? 0 : wrong(c, "a number is too large");
}

static uint64_t all_of(const struct changes_count *n)
{
	return n->allowed + n->asked + n->denied + n->other;
}

static void add(struct changes_count *sum, const struct changes_count *n)
{
	sum->allowed += n->allowed;
	sum->asked += n->asked;
	sum->denied += n->denied;
	sum->other += n->other;
	sum->widening += n->widening;
}

static int compare(struct changes_text x, struct changes_text y)
{
	int r = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return r ? r : (x.n > y.n) - (x.n < y.n);
}

static int kind(struct canonical *c, void *of)
{
	struct changes *ret = of;
	struct changes_kind k;

	if (ret->nkinds == CHANGES_MAX_KINDS)
		return wrong(c, "there are too many kinds");
	CHECK_TRY(word(c, "{\"kind\": ", &k.kind));
	CHECK_TRY(count(c, ", \"allowed\": ", &k.n.allowed));
	CHECK_TRY(count(c, ", \"asked\": ", &k.n.asked));
	CHECK_TRY(count(c, ", \"denied\": ", &k.n.denied));
	CHECK_TRY(count(c, ", \"other\": ", &k.n.other));
	CHECK_TRY(count(c, ", \"widening\": ", &k.n.widening));
	CHECK_TRY(canonical_expect(c, "}"));
	if (!all_of(&k.n) || k.n.widening > all_of(&k.n))
		return wrong(c, "the numbers of a kind do not agree");
	if (ret->nkinds && compare(ret->kinds[ret->nkinds - 1].kind, k.kind) >= 0)
		return wrong(c, "a kind is repeated or out of order");
	ret->kinds[ret->nkinds++] = k;
	add(&ret->sum, &k.n);
	return 0;
}

static int finding(struct canonical *c, void *of)
{
	struct changes *ret = of;
	struct changes_finding f;

	if (ret->nfindings == CHANGES_MAX_LIST)
		return wrong(c, "more is listed than there is room for");
	CHECK_TRY(word(c, "{\"kind\": ", &f.kind));
	CHECK_TRY(word(c, ", \"change\": ", &f.change));
	CHECK_TRY(text(c, ", \"what\": ", &f.what));
	CHECK_TRY(text(c, ", \"old\": ", &f.side[0]));
	CHECK_TRY(text(c, ", \"new\": ", &f.side[1]));
	ret->findings[ret->nfindings++] = f;
	return canonical_expect(c, "}");
}

static int doubt(struct canonical *c, void *of)
{
	struct changes *ret = of;
	struct changes_doubt d;

	if (ret->ndoubts == CHANGES_MAX_LIST)
		return wrong(c, "more is listed than there is room for");
	CHECK_TRY(text(c, "{\"why\": ", &d.why));
	CHECK_TRY(text(c, ", \"old\": ", &d.side[0]));
	CHECK_TRY(text(c, ", \"new\": ", &d.side[1]));
	ret->doubts[ret->ndoubts++] = d;
	return canonical_expect(c, "}");
}

/* Of each kind no more findings are listed than there are. */
static bool has_listed(const struct changes *s)
{
	size_t known = 0;

	for (size_t k = 0; k < s->nkinds; k++) {
		uint64_t n = 0;

		for (size_t i = 0; i < s->nfindings; i++)
			n += compare(s->findings[i].kind, s->kinds[k].kind) == 0;
		if (n > s->kinds[k].n.widening)
			return false;
		known += n;
	}
	return known == s->nfindings;
}

/* Is the list complete, or as long as it may be? */
static bool is_full(size_t listed, uint64_t all)
{
	return listed == (all < CHANGES_MAX_LIST ? all : CHANGES_MAX_LIST);
}

int changes_read(struct canonical *c, struct changes *ret)
{
	uint8_t against[32];
	size_t start = c->at;

	memset(ret, 0, sizeof(*ret));
	CHECK_TRY(canonical_expect(c, "{\n    \"against\": "));
	CHECK_TRY(canonical_digest(c, against));
	canonical_hex(against, ret->against);
	CHECK_TRY(canonical_expect(c, ",\n    \"serial\": "));
	CHECK_TRY(canonical_number(c, "serial", &ret->serial));
	CHECK_TRY(canonical_expect(c, ",\n    \"kinds\": "));
	CHECK_TRY(canonical_list(c, 6, kind, ret));
	CHECK_TRY(count(c, ",\n    \"undecided\": ", &ret->undecided));
	CHECK_TRY(count(c, ",\n    \"may_widen\": ", &ret->may_widen));
	CHECK_TRY(canonical_expect(c, ",\n    \"findings\": "));
	CHECK_TRY(canonical_list(c, 6, finding, ret));
	CHECK_TRY(canonical_expect(c, ",\n    \"doubts\": "));
	CHECK_TRY(canonical_list(c, 6, doubt, ret));
	CHECK_TRY(canonical_expect(c, "\n  }"));
	if (ret->may_widen > ret->undecided)
		return wrong(c, "more may widen than is undecided");
	if (!is_full(ret->nfindings, ret->sum.widening) || !has_listed(ret))
		return wrong(c, "the list of what widens does not agree with the numbers");
	if (!is_full(ret->ndoubts, ret->may_widen))
		return wrong(c, "the list of what is undecided does not agree with the numbers");
	ret->json = (struct changes_text){ c->p + start, c->at - start };
	return 0;
}

/* --- in words --------------------------------------------------------------- */

static unsigned digit(char ch)
{
	return (unsigned)(ch <= '9' ? ch - '0' : ch - 'a' + 10);
}

void changes_plain(struct changes_text t, char *out, size_t cap)
{
	char bytes[CHANGES_MAX_TEXT + 1];
	size_t n = 0;

	for (size_t i = 0; i < t.n && n < CHANGES_MAX_TEXT; n++) {
		if (t.p[i] != '\\') {
			bytes[n] = t.p[i++];
		} else if (t.p[i + 1] != 'u') {
			bytes[n] = t.p[i + 1];
			i += 2;
		} else { /* \u00xx */
			bytes[n] = (char)(digit(t.p[i + 4]) << 4 | digit(t.p[i + 5]));
			i += 6;
		}
	}
	bytes[n] = '\0';
	/* the compiler has escaped its texts; whoever else wrote this, nothing reaches a
	 * terminal as a control, and a NUL is none of the escapes */
	io_plain(out, cap, bytes);
}

void changes_line(const struct changes *c, char *out, size_t cap)
{
	const struct changes_count *n = &c->sum;
	char end[120] = "nothing widens";

	if (n->widening || c->may_widen)
		(void)snprintf(end, sizeof(end), "%" PRIu64 " widening, %" PRIu64 " undecided",
			       n->widening, c->undecided);
	else if (c->undecided)
		(void)snprintf(end, sizeof(end), "nothing widens, and %" PRIu64
			       " undecided can only narrow", c->undecided);
	(void)snprintf(out, cap, "changes against serial %" PRIu64 " (manifest %s): %" PRIu64
		       " newly allowed, %" PRIu64 " newly asked, %" PRIu64
		       " newly denied, %" PRIu64 " other; %s", c->serial, c->against,
		       n->allowed, n->asked, n->denied, n->other, end);
}

static void print_sides(FILE *out, const char *prefix, const struct changes_text side[2])
{
	char text[PLAIN_CAP];

	for (size_t i = 0; i < 2; i++) {
		changes_plain(side[i], text, sizeof(text));
		fprintf(out, "%s    %s  %s\n", prefix, i ? "new" : "old", text);
	}
}

static void print_rest(FILE *out, const char *prefix, uint64_t all, size_t shown,
		       const char *what)
{
	if (all > shown)
		fprintf(out, "%s  %" PRIu64 " more %s\n", prefix, all - shown, what);
}

/* "newly-allowed" as "newly allowed" */
static void print_finding(FILE *out, const char *prefix, const struct changes_finding *f)
{
	char text[PLAIN_CAP];

	fprintf(out, "%s  ", prefix);
	for (size_t i = 0; i < f->change.n; i++)
		fputc(f->change.p[i] == '-' ? ' ' : f->change.p[i], out);
	changes_plain(f->what, text, sizeof(text));
	fprintf(out, ": %s\n", text);
	print_sides(out, prefix, f->side);
}

static void print_number(FILE *out, const char **sep, uint64_t n, const char *what)
{
	if (!n)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *sep, n, what);
	*sep = ", ";
}

/* "  command: 2 newly allowed, 1 newly denied; 2 widening" */
static void print_kind(FILE *out, const char *prefix, const struct changes_kind *k)
{
	const char *sep = ": ";

	fprintf(out, "%s  %.*s", prefix, (int)k->kind.n, k->kind.p);
	print_number(out, &sep, k->n.allowed, "newly allowed");
	print_number(out, &sep, k->n.asked, "newly asked");
	print_number(out, &sep, k->n.denied, "newly denied");
	print_number(out, &sep, k->n.other, "other");
	sep = "; ";
	print_number(out, &sep, k->n.widening, "widening");
	fputc('\n', out);
}

void changes_print(FILE *out, const struct changes *c, const char *prefix, size_t most)
{
	size_t findings = c->nfindings < most ? c->nfindings : most;
	size_t doubts = c->ndoubts < most ? c->ndoubts : most;
	char text[PLAIN_CAP];

	changes_line(c, text, sizeof(text));
	fprintf(out, "%s%s\n", prefix, text);
	for (size_t i = 0; i < c->nkinds; i++)
		print_kind(out, prefix, &c->kinds[i]);
	for (size_t i = 0; i < findings; i++)
		print_finding(out, prefix, &c->findings[i]);
	print_rest(out, prefix, c->sum.widening, findings, "widening");
	for (size_t i = 0; i < doubts; i++) {
		changes_plain(c->doubts[i].why, text, sizeof(text));
		fprintf(out, "%s  undecided: %s\n", prefix, text);
		print_sides(out, prefix, c->doubts[i].side);
	}
	print_rest(out, prefix, c->may_widen, doubts, "undecided");
}
