/*
 * What libpol's handles contain. For its own files, and for polrun, polquery and polc,
 * which open bundles in their own ways and call the same pol_decide().
 */
#ifndef RUNTIME_LIBPOL_POL_OWN_H
#define RUNTIME_LIBPOL_POL_OWN_H

#include "runtime/base/err.h"
#include "runtime/bundle/trust.h"
#include "runtime/decide/decide.h"
#include "runtime/decide/hint.h"
#include "runtime/libpol/pol.h"

struct json;

struct pol_bundle {
	struct bundle *b; /* owned; every member that a decision reads is verified */
	struct trust trust;
};

struct pol_ctx {
	struct bundle *b; /* decisions do not change it, once its filter is verified */
	void *block;      /* lines are decided in it */
	size_t size;
	/* &place_look, or NULL: for the paths in a line of the scope `host`, which no kernel
	 * layer judges afterwards. */
	const struct place_look *look;
	const struct place_links *links; /* as in struct decide_ctx */
	/* Physical paths of files that decide, then NULL; or NULL.  A line of the scope `host` writes
	 * them only where it might write /etc/pol. */
	const char *const *kept;
	/* The last decision: */
	uint32_t kind;    /* enum pol_kind; 0: nothing has been decided */
	struct decision d;
	struct cmd_line parts; /* in the block */
	const char *text;      /* the line; NULL for anything else */
	size_t text_n;
	const char *project, *name; /* the request's, or NULL */
	struct { /* of a connection */
		char host[256]; /* its name, or its address as text; "": none, or too long */
		bool is_addr, udp;
		uint16_t port;
	} to;
};

/* Sets up a context on a bundle and a block of the caller's. The block must be aligned
 * like a pointer. */
void pol_ctx_init(struct pol_ctx *c, struct bundle *b, void *block, size_t size);
/* Makes the block (malloc'ed or NULL) large enough for n bytes of line. */
int pol_ctx_grow(struct pol_ctx *c, size_t n, struct rt_err *err);
/* Checks and decides *q, whose size must be ours. pol_decide() calls this. */
int pol_ask(struct pol_ctx *c, const struct pol_request *q, struct rt_err *err);

/* Checks the asker's role: a bundle is the policy of one role or of none. `role` NULL:
 * not given. */
int pol_check_role(const struct bundle *b, const char *role, struct rt_err *err);

/* Writes the keys of the last decision into the open object. */
void pol_put_decision(struct json *j, const struct pol_ctx *c);

/* Why the last decision is as it is, escaped, or "": the rule's reason, its risk, or what
 * kind of line it is. And the text of the part that decided, cut to fit, or "". */
void pol_reason(const struct pol_ctx *c, char *out, size_t cap);
void pol_deciding_text(const struct pol_ctx *c, char *out, size_t cap);
/*
 * If the last decision is ask: the parts of the line that ask, the gravest first, without
 * repetitions. The order is: what may be a denied command or name a hidden path, what a
 * rule asks about, what is unknown, what has a risk. Returns the number of all such
 * parts; `out` gets the first `cap`.
 */
size_t pol_asking(const struct pol_ctx *c, const struct cmd_part **out, size_t cap);
/* The same as the two above, for one part. */
void pol_part_reason(const struct pol_ctx *c, const struct cmd_part *p, char *out, size_t cap);
void pol_part_text(const struct pol_ctx *c, const struct cmd_part *p, char *out, size_t cap);

/* What would make the last request pass. */
void pol_hint(const struct pol_ctx *c, struct hint *ret);

/* Fills *err, unless it is NULL; returns -code. */
int pol_fail(struct pol_error *err, int r, const struct rt_err *why);
/* Copies the caller's struct, of the caller's size, into ours; -E2BIG, -EINVAL. */
int pol_take(void *own, size_t own_size, const void *from, struct rt_err *err);
/* Copies our struct into the caller's, of the caller's size. */
void pol_give(void *ret, const void *own, size_t own_size);

#endif
