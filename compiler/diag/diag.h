/*
 * Diagnostics: records in a queue.  Only cli/ prints them (through render).
 * Text: lower case, no full stop, the fault first, the subject in 'quotes', then what
 * would be right.
 */
#ifndef COMPILER_DIAG_DIAG_H
#define COMPILER_DIAG_DIAG_H

#include <stdio.h>

#include "compiler/base/arena.h"
#include "compiler/base/buf.h"
#include "compiler/base/map.h"
#include "compiler/base/str.h"
#include "compiler/base/vec.h"
#include "compiler/source/source.h"

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

/* DIAG(NAME, "P0101", SEVERITY, "one line for the table in doc/diagnostics.md") */
enum diag_code {
#define DIAG(name, code, severity, summary) DIAG_##name,
#include "compiler/diag/codes.def"
#undef DIAG
	DIAG_CODE_COUNT
};

struct diag_part {
	struct span at; /* SPAN_NONE for a plain note or help */
	struct str label; /* "note" or "help" */
	struct str text;
};

struct diag {
	enum diag_code code;
	enum diag_severity severity;
	struct span at;
	struct str text;
	VEC(struct diag_part) parts;
};

struct diag_sink {
	struct arena *a;
	VEC(struct diag *) list; /* in the order in which they were found */
	size_t errors, warnings, notes;
	size_t limit; /* errors after this many are only counted */
	struct map seen; /* what was queued or counted, by code and place */
};

#define DIAG_DEFAULT_LIMIT 20

void diag_init(struct diag_sink *s, struct arena *a);
/*
 * Queues a message; never NULL.  The same code at the same span is queued only once.
 * After `limit` errors, a further error is only counted, and the record returned is
 * not in the list.
 */
struct diag *diag_add(struct diag_sink *s, enum diag_code code, struct span at,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Adds another place.  With SPAN_NONE the note becomes a "= note:" line. */
void diag_note(struct diag_sink *s, struct diag *d, struct span at,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Adds what would be right, as a "= help:" line. */
void diag_help(struct diag_sink *s, struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

const char *diag_code_name(enum diag_code code); /* "P0101" */
const char *diag_code_summary(enum diag_code code);
enum diag_severity diag_code_severity(enum diag_code code);
const char *diag_severity_name(enum diag_severity s); /* "error" */

/* Prints all of the sink as text.  No other function turns records into text. */
void diag_render(FILE *out, const struct diag_sink *s, const struct source_map *m,
		 bool colour);
/* One record as a JSON object: everything in it, with names for places. */
void diag_json_one(struct buf *b, const struct diag *d, const struct source_map *m);
/* All of the sink as a JSON array of such objects. */
void diag_json(FILE *out, const struct diag_sink *s, const struct source_map *m);

/*
 * The nearest of `n` words to `word` (Damerau-Levenshtein distance, at most a third of
 * the length of the word), or NULL.
 */
const char *diag_suggest(struct str word, const char *const *words, size_t n);
/* Adds "did you mean" if one of the words is near; false if none is. */
bool diag_did_you_mean(struct diag_sink *s, struct diag *d, struct str word,
		       const char *const *words, size_t n);

#endif
