/* Makes the tables of a bundle again from its resolved policy. */
#include "compiler/cli/members.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/backend/nft/net.h"
#include "compiler/bundle/writer.h"
#include "compiler/cli/passes.h"
#include "compiler/lower/line_facts.h"
#include "runtime/bundle/format.h"

static bool is_left_out(const char *path)
{
	return strcmp(path, PB_BLOCKS) == 0 || strcmp(path, PB_NFT_BATCH) == 0 ||
	       strcmp(path, PB_IR) == 0 || strncmp(path, "sources/", 8) == 0;
}

static const struct bundle_member *find(const struct bundle *b, const char *path)
{
	for (size_t i = 0; i < b->nmembers; i++)
		if (strcmp(b->members[i].path, path) == 0)
			return &b->members[i];
	return NULL;
}

/* The first member of `x` that `y` lacks or has with other bytes, or NULL. */
static const char *first_other(const struct bundle *x, const struct bundle *y)
{
	for (size_t i = 0; i < x->nmembers; i++) {
		const struct bundle_member *m = &x->members[i];
		const struct bundle_member *other = find(y, m->path);

		if (!is_left_out(m->path) &&
		    (!other || memcmp(m->b2, other->b2, sizeof(m->b2)) != 0))
			return m->path;
	}
	return NULL;
}

/* The bundle of this policy, made here; false if there is none. */
static bool make_again(const struct ir *ir, struct arena *a, struct bundle *ret)
{
	static const struct options none = { .verb = CLI_COMPILE, .created = -1 };
	struct bundle_options opt = { .created = -1, .version = POL_VERSION, .no_sources = true };
	struct rt_err err = { .err = 0 };
	struct ir *own = arena_dup(a, ir, sizeof(*ir));
	struct compilation c;
	struct buf bytes;
	uint8_t *copy;

	compilation_init(&c, &none, a);
	c.ir = own;
	buf_init(&bytes, a);
	/* those of the bundle are to be compared as well */
	own->line_facts = lower_line_facts(own, a, &c.sink);
	if (!own->line_facts || passes_of_ir(&c) != CLI_CLEAN || !bk_net_capture(own, &c.out, true, &opt.nft, &c.sink) ||
	    !bundle_write(own, &c.out, &opt, &bytes, &c.sink))
		return false;
	copy = malloc(bytes.n);
	if (!copy)
		return false;
	memcpy(copy, bytes.p, bytes.n);
	return bundle_parse(copy, bytes.n, ret, &err) == 0;
}

const char *members_differ(const struct bundle *b, const struct ir *ir, struct arena *a)
{
	static const char *const why = "its tables, by which a run decides, are not those that this polc "
				       "makes of its resolved policy: another version made the bundle, or "
				       "somebody put it together by hand";
	struct bundle again;
	const char *other;

	if (!make_again(ir, a, &again))
		return why;
	other = first_other(b, &again);
	if (!other)
		other = first_other(&again, b);
	if (other)
		other = arena_printf(a, "%s (the first is %s)", why, other);
	bundle_release(&again);
	return other;
}
