/* The canonical manifest.json; runtime/bundle/manifest.c reads exactly this form. */
#ifndef COMPILER_BUNDLE_MANIFEST_H
#define COMPILER_BUNDLE_MANIFEST_H

#include "compiler/backend/common/backend.h"
#include "compiler/base/buf.h"
#include "compiler/base/vec.h"
#include "compiler/bundle/bundle_options.h"
#include "compiler/ir/ir.h"

struct bundle_source {
	enum ir_level level;
	bool narrow;
	struct str name; /* as it was named */
	struct str path; /* of its member; empty: the text is not in the bundle */
	struct str text;
};

struct bundle_plan {
	VEC(struct bk_member) members;       /* in the order of the archive */
	VEC(struct bundle_source) sources;   /* in rank order */
	VEC(struct str) features;            /* sorted, without duplicates */
};

/* BLAKE2b-256 in hexadecimal, as `b2sum -l 256` prints it. */
struct str bundle_digest(struct arena *a, struct str bytes);
/* Appends the manifest.  The caller has validated everything in it. */
void bundle_manifest(struct buf *out, const struct ir *ir, const struct bundle_plan *plan,
		     const struct bundle_options *opt);

#endif
