/*
 * A fuzz target: one function over bytes that nobody checked, whose head
 * comment states a law.  libFuzzer drives it in the variant "fuzz" (make fuzz
 * T= SECS=), replay.c over the corpus in every other.  A law that does not
 * hold ends the program, as a crash does.
 */
#ifndef TESTS_FUZZ_LAW_H
#define TESTS_FUZZ_LAW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define LAW(holds)                                                                     \
	do {                                                                           \
		if (!(holds)) {                                                        \
			fprintf(stderr, "%s:%d: the law does not hold: %s\n",          \
				__FILE__, __LINE__, #holds);                           \
			abort();                                                       \
		}                                                                      \
	} while (0)

/* A copy with a NUL behind it, of exactly that size: what reads too far is seen. */
static inline char *law_text(const uint8_t *data, size_t n)
{
	char *s = malloc(n + 1);

	LAW(s);
	if (n)
		memcpy(s, data, n);
	s[n] = '\0';
	return s;
}

/* A copy of exactly that size, without a NUL: what reads behind it is seen, even behind none. */
static inline uint8_t *law_bytes(const uint8_t *data, size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	LAW(p);
	if (n)
		memcpy(p, data, n);
	return p;
}

/* What a target has that takes a first byte of choices, and the rest for what is tried. */
struct law_input {
	uint8_t choice; /* 0 where there is no byte */
	uint8_t *p;     /* law_bytes() */
	size_t n;
};

static inline struct law_input law_begin(const uint8_t *data, size_t n)
{
	struct law_input in = { .choice = n ? data[0] : 0, .n = n - (n > 0) };

	in.p = law_bytes(data + (n > 0), in.n);
	return in;
}

static inline void law_end(struct law_input *in)
{
	free(in->p);
}

/* The bytes as words, ended by newlines; the vector is NULL-ended. */
static inline char **law_words(char *text, int *ret_n)
{
	char **v = calloc(strlen(text) + 3, sizeof(*v));
	int n = 0;

	LAW(v);
	v[n++] = (char *)(uintptr_t) "program";
	for (char *p = text; *p;) {
		char *end = strchrnul(p, '\n');

		v[n++] = p;
		p = *end ? end + 1 : end;
		*end = '\0';
	}
	*ret_n = n;
	return v;
}

#endif
