/* The canonical manifest.json; runtime/bundle/manifest.c reads exactly this. */
#ifndef COMPILER_BUNDLE_MANIFEST_H
#define COMPILER_BUNDLE_MANIFEST_H

#include "compiler/base/vec.h"
#include "compiler/bundle/writer.h"

struct bundle_source {
	enum ir_level level;
	bool narrow;
	struct str name; /* as it was named */
	struct str path; /* of its member; empty: not in the bundle */
	struct str text;
};

struct bundle_plan {
	VEC(struct bk_member) members;       /* in the order of the file */
	VEC(struct bundle_source) sources;   /* in rank order */
	VEC(struct str) features;            /* sorted, each once */
};

/* BLAKE2b-256 in hexadecimal, as `b2sum -l 256` prints it. */
struct str bundle_digest(struct arena *a, struct str bytes);
/* Appends the manifest; everything in it has been validated. */
void bundle_manifest(struct buf *out, const struct ir *ir, const struct bundle_plan *plan,
		     const struct bundle_options *opt);

#endif
