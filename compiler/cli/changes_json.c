/* Writes what the manifest has; its texts are JSON already. */
#include "compiler/cli/changes_json.h"

/* The quotes around the text are part of the manifest. */
static void put(struct json *j, const char *key, struct changes_text t)
{
	json_raw(j, key, t.p - 1, t.n + 2);
}

static void put_kinds(struct json *j, const struct changes *c)
{
	json_array(j, "kinds");
	for (size_t i = 0; i < c->nkinds; i++) {
		json_object(j, NULL);
		put(j, "kind", c->kinds[i].kind);
		json_uint(j, "allowed", c->kinds[i].n.allowed);
		json_uint(j, "asked", c->kinds[i].n.asked);
		json_uint(j, "denied", c->kinds[i].n.denied);
		json_uint(j, "other", c->kinds[i].n.other);
		json_uint(j, "widening", c->kinds[i].n.widening);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_findings(struct json *j, const struct changes *c)
{
	json_array(j, "findings");
	for (size_t i = 0; i < c->nfindings; i++) {
		json_object(j, NULL);
		put(j, "kind", c->findings[i].kind);
		put(j, "change", c->findings[i].change);
		put(j, "what", c->findings[i].what);
		put(j, "old", c->findings[i].side[0]);
		put(j, "new", c->findings[i].side[1]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_doubts(struct json *j, const struct changes *c)
{
	json_array(j, "doubts");
	for (size_t i = 0; i < c->ndoubts; i++) {
		json_object(j, NULL);
		put(j, "why", c->doubts[i].why);
		put(j, "old", c->doubts[i].side[0]);
		put(j, "new", c->doubts[i].side[1]);
		json_object_end(j);
	}
	json_array_end(j);
}

void changes_json(struct json *j, const struct changes *c)
{
	if (!c) {
		json_null(j, "changes");
		return;
	}
	json_object(j, "changes");
	json_cstr(j, "against", c->against);
	json_uint(j, "serial", c->serial);
	put_kinds(j, c);
	json_uint(j, "undecided", c->undecided);
	json_uint(j, "may_widen", c->may_widen);
	put_findings(j, c);
	put_doubts(j, c);
	json_object_end(j);
}
