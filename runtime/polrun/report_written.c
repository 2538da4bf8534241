/* Decides what the list of changes can say: all, only what polrun wrote for the run, nothing. */
#include "runtime/polrun/report_written.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/polrun/artifacts.h"
#include "runtime/stage/stage_stat.h"

static size_t native_trees(const struct report_effects *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->view->n; i++)
		n += sandbox_node_writes_itself(&r->view->nodes[i]);
	return n;
}

/* Nothing was looked at: neither a tree in which polrun writes, nor one before and after. */
static bool is_unknown(const struct report_effects *r)
{
	return !r->effects || r->staged ||
	       (!r->artifacts && !r->view->brokered && native_trees(r));
}

static void one(struct json *j, const struct report_effects *r, const struct effect *e)
{
	static const char *const ops[] = { [EFFECT_CREATE] = "create", [EFFECT_MODIFY] = "modify",
					   [EFFECT_DELETE] = "delete" };
	enum effect_op op = effect_op_of(e);
	const struct effect_look *at = op == EFFECT_DELETE ? &e->before : &e->after;
	char host[PATH_MAX], path[4 * PATH_MAX], hex[2 * EFFECTS_DIGEST + 1];
	const char *outside = sandbox_view_host(r->view, e->path, host, sizeof(host));

	if (!outside)
		outside = e->path;
	io_escape(path, sizeof(path), outside, strlen(outside));
	json_object(j, NULL);
	json_cstr(j, "path", path);
	json_cstr(j, "op", ops[op]);
	json_cstr(j, "kind", stage_stat_kind(at->mode));
	if (op != EFFECT_DELETE && S_ISREG(at->mode))
		json_uint(j, "size", at->size);
	else
		json_null(j, "size");
	json_cstr(j, "blake2b", e->digested ? sodium_bin2hex(hex, sizeof(hex), e->digest,
							     EFFECTS_DIGEST) : NULL);
	json_object_end(j);
}

void report_written(struct json *j, const struct report_effects *r)
{
	if (is_unknown(r)) {
		json_null(j, "written");
		return;
	}
	json_array(j, "written");
	for (size_t i = 0; i < r->effects->n; i++)
		one(j, r, &r->effects->v[i]);
	json_array_end(j);
}

static void say(struct json *j, const char *text)
{
	char line[400];

	(void)snprintf(line, sizeof(line), "written: %s", text);
	json_cstr(j, NULL, line);
}

void report_written_how(struct json *j, const struct report_effects *r)
{
	char text[380];

	if (!r->effects)
		return;
	if (r->staged) {
		say(j, "nothing yet: polrun review lists what was staged");
		return;
	}
	if (!r->artifacts && native_trees(r))
		say(j, r->view->brokered ? "only where names are decided one by one; --artifacts looks "
					  "at the other trees as well" :
					  "--artifacts looks at the trees before and after the run");
	if (r->artifacts && native_trees(r))
		say(j, "a look at the trees before and after the run; changes by others in the "
		       "meantime are among them");
	if (r->artifacts && r->artifacts->cut[0]) {
		(void)snprintf(text, sizeof(text), "not all was searched: %s", r->artifacts->cut);
		say(j, text);
	}
	if (r->effects->lost) {
		(void)snprintf(text, sizeof(text), "%" PRIu64 " changes are not in the list",
			       r->effects->lost);
		say(j, text);
	}
}
