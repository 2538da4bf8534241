/*
 * The gateway's readers on what real clients send and on changes of it, cut into random
 * pieces: the same bytes give the same verdict, and what is accepted is what a second, plain
 * reading finds (tests/fuzz/egress_law.h).  SEED= RUNS=.
 */
#include <stdio.h>

#include "tests/fuzz/egress_law.h"
#include "tests/prop/runs.h"

#define MOST 64
#define SIZE 8192

struct text {
	uint8_t p[SIZE];
	size_t n;
};

static struct corpus {
	const char *path;
	struct text v[MOST];
	size_t n;
	void (*law)(const uint8_t *p, size_t n, uint64_t seed);
} corpora[] = {
	{ .path = "tests/data/egress/hellos.tsv", .law = law_tls },
	{ .path = "tests/data/egress/queries.tsv", .law = law_dns },
	{ .path = "tests/data/egress/heads.tsv", .law = law_http },
};

/* How often something was read as whole, so that a reader that refuses all is seen. */
static unsigned long names, heads, queries;

static void load(struct corpus *c)
{
	FILE *f = fopen(c->path, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned byte;

	LAW(f);
	while (c->n < MOST && getline(&line, &size, f) > 0) {
		struct text *t = &c->v[c->n++];

		for (char *p = strrchr(line, '\t') + 1; sscanf(p, "%2x", &byte) == 1; p += 2)
			t->p[t->n++] = (uint8_t)byte;
		LAW(t->n > 0 && t->n < SIZE / 2);
	}
	free(line);
	(void)fclose(f);
}

static void change(struct rnd *r, struct text *t, const struct corpus *c)
{
	size_t at = rnd_below(r, (uint32_t)t->n), n;
	const struct text *other = &c->v[rnd_below(r, (uint32_t)c->n)];

	switch (rnd_below(r, 5)) {
	case 0:
		t->p[at] = (uint8_t)rnd_below(r, 256);
		break;
	case 1: /* a length more or less */
		t->p[at] = (uint8_t)(t->p[at] + 1 - 2 * rnd_below(r, 2));
		break;
	case 2: /* without some bytes */
		n = rnd_below(r, (uint32_t)(t->n - at)) + 1;
		if (n < t->n) {
			memmove(t->p + at, t->p + at + n, t->n - at - n);
			t->n -= n;
		}
		break;
	case 3: /* some bytes twice */
		n = rnd_below(r, (uint32_t)(t->n - at)) + 1;
		if (n <= SIZE - t->n) {
			memmove(t->p + at + n, t->p + at, t->n - at);
			t->n += n;
		}
		break;
	default: /* another one behind it */
		if (other->n <= SIZE - t->n) {
			memcpy(t->p + t->n, other->p, other->n);
			t->n += other->n;
		}
	}
}

static void count(const struct text *t, size_t which)
{
	struct tls_hello h;
	struct dns_query q;

	if (which == 0) {
		tls_hello_init(&h);
		names += tls_hello_add(&h, t->p, t->n) == TLS_HELLO_NAME;
	} else if (which == 1) {
		queries += dns_read(&q, t->p, t->n) == DNS_QUERY;
	} else {
		heads += law_connection(t->p, t->n, 0).heads > 0;
	}
}

static bool one(struct rnd *r)
{
	size_t which = rnd_below(r, 3);
	const struct corpus *c = &corpora[which];
	struct text t = c->v[rnd_below(r, (uint32_t)c->n)];

	for (uint32_t changes = rnd_below(r, 4); changes; changes--)
		change(r, &t, c);
	for (uint32_t i = 0; i < 4; i++) {
		uint8_t *copy = malloc(t.n); /* of exactly that size */

		LAW(copy);
		memcpy(copy, t.p, t.n);
		c->law(copy, t.n, rnd_below(r, 1u << 30));
		free(copy);
	}
	count(&t, which);
	return true;
}

int main(void)
{
	unsigned long n;
	bool all;

	for (size_t i = 0; i < sizeof(corpora) / sizeof(*corpora); i++)
		load(&corpora[i]);
	if (!prop_runs(60000, one, &n))
		return 1;
	printf("%lu hellos with a name, %lu queries, %lu connections with a head\n", names, queries, heads);
	all = n < 1000 || (names > n / 20 && queries > n / 20 && heads > n / 20);
	printf("%d passed, %d failed, 0 skipped\n", all, !all);
	return !all;
}
