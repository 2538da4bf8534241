/* Names of files that a program runs unasked, words that may be such a name, and
 * lines that write them. */
#ifndef TESTS_PROP_RANDOM_UNASKED_H
#define TESTS_PROP_RANDOM_UNASKED_H

#include "compiler/base/buf.h"
#include "tests/prop/random_ir.h"

/* A name of a file, with some text in the place of each '*'. */
static inline const char *unasked_instance(struct rnd *r, const char *name)
{
	static const char *const texts[] = { "", "a", "x.c", "Zz" };
	struct buf b;

	buf_init(&b, r->a);
	for (; *name; name++) {
		if (*name == '*')
			buf_z(&b, RND_PICK(r, texts));
		else
			buf_ch(&b, rnd_one_in(r, 6) && *name >= 'a' && *name <= 'z'
					   ? *name - 32
					   : *name);
	}
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

/* A word that may be that file's name, in some folder. */
static inline const char *unasked_word(struct rnd *r, const char *file)
{
	static const char *const folders[] = { "",      "",   "./",  "d/", "e/d/",
					       "$PWD/", "/tmp/", "$d/", "*/" };
	struct buf b;

	buf_init(&b, r->a);
	buf_z(&b, RND_PICK(r, folders));
	for (; *file; file++) {
		switch (rnd_below(r, 14)) {
		case 0:
			buf_ch(&b, '?');
			break;
		case 1:
			buf_ch(&b, '*');
			break;
		case 2:
			buf_printf(&b, "[%cq]", *file);
			break;
		case 3:
			buf_z(&b, "\"$v\"");
			break;
		case 4:
			buf_printf(&b, "'%c'", *file);
			break;
		default:
			buf_ch(&b, *file);
		}
	}
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

/* What writes a word, and what then runs; %1$s the word, %2$s the program. */
static const char *const unasked_forms[] = {
	"tee %1$s; %2$s",
	"cp x %1$s && %2$s",
	"cp %1$s d; %2$s",
	"cp -t %1$s x; (cd d; %2$s)",
	"%2$s & tee %1$s",
	"tee %1$s | %2$s",
	"%2$s | tee %1$s",
	"%2$s $(tee %1$s)",
	"for i in 1 2; do %2$s; tee %1$s; done",
	"env tee %1$s; %2$s a",
	"if tee %1$s; then %2$s; fi",
	"foo=$(cp x %1$s); env %2$s",
};

#endif
