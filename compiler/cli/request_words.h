/* A request in the words of a command line: the reverse of request.h. */
#ifndef COMPILER_CLI_REQUEST_WORDS_H
#define COMPILER_CLI_REQUEST_WORDS_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

struct request_words {
	struct arena *a;
	VEC(struct str) v;
};

void request_put(struct request_words *w, struct str s);
void request_put_z(struct request_words *w, const char *z);
/* The kind and what belongs to it, without options. */
void request_put_words(struct request_words *w, const struct ir_request *q);
/* The words on one line, quoted for a shell and safe for a terminal. */
struct str request_joined(const struct request_words *w);

#endif
