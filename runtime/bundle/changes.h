/*
 * The change statement of a manifest: what this bundle decides otherwise than the one before,
 * as `polc compile --against` found it, and what it could not decide (doc/bundle-format.md).
 * It is signed with the manifest, and says nothing that a run acts on.
 */
#ifndef RUNTIME_BUNDLE_CHANGES_H
#define RUNTIME_BUNDLE_CHANGES_H

#include <stdint.h>
#include <stdio.h>

#include "runtime/bundle/canonical.h"

#define CHANGES_MAX_KINDS 32
/* Findings that widen are listed up to this number, and so is what is undecided. */
#define CHANGES_MAX_LIST 50
#define CHANGES_MAX_TEXT 1024 /* bytes of a text between its quotes */

/* Between the quotes, with JSON's escapes in it; not NUL-terminated. */
struct changes_text {
	const char *p;
	size_t n;
};

/* Numbers of findings. `widening` counts those of the others that permit more. */
struct changes_count {
	uint64_t allowed, asked, denied, other, widening;
};

struct changes_kind {
	struct changes_text kind; /* "command", "limits", … */
	struct changes_count n;
};

struct changes_finding {
	struct changes_text kind, change;
	struct changes_text what;     /* a request, or what has a value */
	struct changes_text side[2];  /* what the bundle before says of it, and this one */
};

struct changes_doubt {
	struct changes_text why, side[2];
};

/* Views into the manifest. */
struct changes {
	struct changes_text json; /* the whole object */
	char against[65]; /* hex BLAKE2b-256 of the manifest before */
	uint64_t serial;  /* of the same */
	struct changes_kind kinds[CHANGES_MAX_KINDS];
	size_t nkinds;
	struct changes_count sum; /* of all kinds */
	/* what could not be decided, and how much of it may permit more */
	uint64_t undecided, may_widen;
	struct changes_finding findings[CHANGES_MAX_LIST]; /* that widen */
	size_t nfindings; /* the smaller of sum.widening and CHANGES_MAX_LIST */
	struct changes_doubt doubts[CHANGES_MAX_LIST]; /* that may widen */
	size_t ndoubts; /* the smaller of may_widen and CHANGES_MAX_LIST */
};

/*
 * Reads the object.  A statement that contradicts itself is malformed: sums that do not
 * agree, or a list that leaves out what there is room for.
 */
int changes_read(struct canonical *c, struct changes *ret);
/*
 * The text with its escapes undone, safe for a terminal; cut with an ellipsis if `out` is
 * too small.
 */
void changes_plain(struct changes_text t, char *out, size_t cap);
/* "changes against serial 6 (manifest …): 1 newly allowed, …; 1 widens, 0 undecided" */
void changes_line(const struct changes *c, char *out, size_t cap);
/*
 * That line, a line for each kind, the findings that widen and the doubts that may, of each
 * at most `most`.  Each line begins with the prefix; what is left out is counted.
 */
void changes_print(FILE *out, const struct changes *c, const char *prefix, size_t most);

#endif
