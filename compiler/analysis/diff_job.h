/*
 * The question about one changed rule of commands, tools or paths, while it is answered.
 * Internal to diff_lang.c and diff_region.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_JOB_H
#define COMPILER_ANALYSIS_DIFF_JOB_H

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_base.h"
#include "compiler/analysis/diff_cond.h"
#include "compiler/analysis/diff_line.h"
#include "compiler/analysis/diff_word.h"

struct diff_job {
	struct diff *d;
	struct arena *tmp;
	struct diff_item **sel; /* sel[0] is the changed item; the others may meet it */
	size_t n;
	enum diff_frame frame;
	const struct diff_bases *bases; /* commands: only programs of these names */
	struct diff_small small;
	/*
	 * The words of an accepting state match the items of its tags below n.  A tag n + k
	 * is an exception that applies to some requests only: part[k].
	 */
	struct set_dfa dfa;
	struct diff_part *part;
	struct diff_told *told;
	struct diff_pieces pieces; /* what may be added to a line, made on demand */
	bool conditions;           /* a region is open because of guards */
};

/* The exception `except` of sel[item]. */
struct diff_part {
	uint32_t item;
	size_t except;
};

/* A region: the tags that its words have. */
struct diff_region {
	const uint32_t *tags;
	size_t n;
};

/*
 * Do both sides act alike in the region, so that nobody has to be asked?  In the relative
 * frame, exceptions under other roots cannot be seen.
 */
bool diff_region_alike(struct diff_job *j, struct diff_region r);
/*
 * Asks about the request that the word stands for, and about lines like it.  ALIKE: the
 * region is decided; else what is not known of it.
 */
enum diff_cond diff_region_ask(struct diff_job *j, struct str word, struct diff_region r);
/* The operations that the changed rule is asked about. */
unsigned diff_region_operations(const struct diff_job *j);

#endif
