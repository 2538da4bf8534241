/*
 * The bytes of a YAML text before they are parsed: their encoding, the places that
 * libyaml counts in characters, and our versions of its messages.
 */
#ifndef COMPILER_FRONTEND_YAML_TEXT_H
#define COMPILER_FRONTEND_YAML_TEXT_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"
#include "compiler/diag/diag.h"
#include "compiler/source/source.h"

struct yaml_parser_s;

struct yml_text {
	struct str all; /* the whole file */
	uint32_t start; /* after a byte order mark */
	uint32_t file;
	uint32_t *steps; /* the byte of every 64th character; NULL: all ASCII */
	uint32_t nsteps;
};

/* False after errors; then nothing of the text may be read. */
bool yml_text_init(struct yml_text *t, struct arena *a, struct diag_sink *sink,
		   uint32_t file, struct str all);
/* The characters from `from` up to but not including `to`, as bytes of the file. */
struct span yml_span(const struct yml_text *t, size_t from, size_t to);
/* Reports what stopped libyaml. */
void yml_report(struct diag_sink *sink, const struct yml_text *t,
		const struct yaml_parser_s *parser);

#endif
