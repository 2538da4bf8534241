/*
 * The table of semantics 3: rows of table.txt, each decided in three worlds,
 * by the reference evaluator on the sources, by the compiled artefact that is
 * written and read back, and, where a row says `kernel`, by the real kernel
 * through polrun.  table.txt says at its head how a row is written.
 */
#ifndef TESTS_CONFORMANCE_TABLE_H
#define TESTS_CONFORMANCE_TABLE_H

#include "compiler/cli/passes.h"
#include "compiler/eval/eval.h"
#include "runtime/bundle/reader.h"

#define TABLE_MAX_TEXTS 8
#define TABLE_MAX_WORDS 16

/* What a row gives beside the five levels of 3. */
enum table_slot {
	TABLE_BASE = IR_DEFAULT,
	TABLE_DISCOVERED, /* a project file that was found: narrow-only */
	TABLE_FLOOR,
	TABLE_LIBRARY,    /* `file NAME: …`, for use by the others */
};

struct table_text {
	unsigned slot; /* enum ir_level below TABLE_BASE, else enum table_slot */
	const char *name; /* TABLE_LIBRARY */
	const char *text;
};

struct table_request {
	unsigned line;
	const char *text;
	const char *words[TABLE_MAX_WORDS];
	size_t nwords;
	enum ir_effect effect;
	const char *err;  /* "EPERM": a denied call's, or NULL */
	const char *by;   /* id of the rule or scalar */
	const char *step; /* name of the step */
	const char *cwd;  /* of a command, or NULL: the project */
	bool host, person, kernel;
	bool over;        /* the kernel is stricter than the decision */
};

struct table_row {
	unsigned line;
	const char *name;
	struct table_text texts[TABLE_MAX_TEXTS];
	size_t ntexts;
	const char *make[TABLE_MAX_TEXTS]; /* files and, with a last '/', folders */
	size_t nmake;
	const char *role; /* --role, or NULL */
	const char *error, *say; /* code and words of what refuses it, or NULL */
	VEC(struct table_request) requests;
};

struct table {
	struct arena a;
	VEC(struct table_row) rows;
};

/* Reads the file; false after a message on stderr. */
bool table_read(struct table *t, const char *path);

/* --- worlds ------------------------------------------------------------------ */

/* Where a row's files lie: `dir` and what it holds. */
struct table_place {
	const char *dir;     /* @W in texts */
	const char *bin;     /* @B: polrun, polinit and the probes */
	const char *home, *project;
};

/* One row, compiled. */
struct table_world {
	struct arena *a;
	const struct table_row *row;
	struct table_place at;
	struct options opt;
	struct compilation c;
	bool has_bundle; /* false: no bundle of this version has its network mode */
	struct bundle bundle; /* read back from `polb` */
	const char *polb;
};

/*
 * Writes the row's files and compiles them.  NULL, or what is wrong; where
 * the row wants an error and gets it, NULL and no bundle.
 */
const char *table_open(struct table_world *w, struct arena *a,
		       const struct table_row *row, const char *dir, const char *bin);
void table_close(struct table_world *w);
/* @W and @B replaced. */
const char *table_expand(const struct table_world *w, const char *text);

struct table_seen {
	unsigned long step[EVAL_STEP_COUNT], effect[IR_EFFECT_COUNT],
		kind[IR_KIND_COUNT], pair[IR_LEVEL_COUNT][IR_LEVEL_COUNT],
		marks[2][2][2], lifted, soft, person, scratch, dropped;
};

/* Each returns NULL, or what differs. */
const char *table_evaluator(struct table_world *w, const struct table_request *q,
			    struct ir_request *ret_request, struct table_seen *seen);
const char *table_artefact(struct table_world *w, const struct table_request *q,
			   const struct ir_request *req);
const char *table_kernel(struct table_world *w, const struct table_request *q,
			 const struct ir_request *req);

#endif
