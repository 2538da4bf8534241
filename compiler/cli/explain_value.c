/*
 * `polc explain POLICY env NAME`, `limit NAME`, `mount PLACE` and `publish PORT`: what holds, every
 * statement about it in the order in which they count, and what the layers do.
 */
#include "compiler/cli/explain_value.h"

#include "compiler/backend/table.h"
#include "compiler/base/json_buf.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/explain_answer.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/show.h"
#include "runtime/base/env_name.h"

/* A statement about the name, and what it would make of it. */
struct said {
	struct explain_rule by;
	struct str value;
};

struct named {
	struct arena *a;
	const struct ir *ir;
	const struct bk_report *report;
	const char *kind;
	struct str name;
	VEC(struct said) said; /* the first decides, the second would without it */
	struct explain_rule lock; /* no id: not locked */
	bool denied;              /* the first one forbids it */
	bool wrong;               /* there can be no such name */
	VEC(struct explain_layer) layers;
};

static void add(struct named *n, struct str id, enum ir_level level, const struct ir_place *at,
		struct str text, struct str value)
{
	struct said s = { { .id = id, .file = at->file, .line = at->line, .text = text,
			    .level = ir_level_name(level) }, value };

	VEC_PUSH(n->a, &n->said, s);
}

static void add_layer(struct named *n, const struct bk_note *note)
{
	struct explain_layer l = { note->layer, bk_exactness_name(note->exactness), note->note };

	if (note->exactness != BK_NONE)
		VEC_PUSH(n->a, &n->layers, l);
}

/* --- the environment ------------------------------------------------------------------- */

/* A value that is set counts before one that is kept; a secret reaches no command. */
static void find_env(struct named *n)
{
	const struct ir *ir = n->ir;

	for (size_t i = 0; i < ir->env.n; i++)
		if (str_eq(ir->env.v[i].name, n->name))
			add(n, ir->env.v[i].id, ir->env.v[i].level, &ir->env.v[i].at,
			    str_printf(n->a, "set %.*s", STR_ARG(n->name)),
			    str_printf(n->a, "set to %.*s", STR_ARG(ir->env.v[i].value)));
	for (size_t i = 0; i < ir->keep.n; i++)
		if (env_name_kept(ir->keep.v[i].name.p, ir->keep.v[i].name.n, n->name.p, n->name.n))
			add(n, ir->keep.v[i].id, ir->keep.v[i].level, &ir->keep.v[i].at,
			    str_printf(n->a, "keep %.*s", STR_ARG(ir->keep.v[i].name)),
			    STR("kept from the caller"));
	for (size_t i = 0; i < ir->secrets.n; i++)
		if (str_eq(ir->secrets.v[i].name, n->name))
			add(n, ir->secrets.v[i].id, ir->secrets.v[i].level, &ir->secrets.v[i].at,
			    str_printf(n->a, "secret %.*s", STR_ARG(n->name)),
			    STR("a secret, which no command gets"));
	for (size_t i = 0; i < ir->env_locks.n && !n->lock.id.n; i++) {
		const struct ir_env_lock *l = &ir->env_locks.v[i];

		if (l->keep || str_eq(l->name, n->name))
			n->lock = (struct explain_rule){ .id = l->id, .file = l->at.file,
							 .line = l->at.line,
							 .level = ir_level_name(l->level) };
	}
	for (size_t i = 0; i < n->report->notes.n; i++)
		if (n->report->notes.v[i].whole && strcmp(n->report->notes.v[i].layer, "env") == 0)
			add_layer(n, &n->report->notes.v[i]);
}

/* --- limits ------------------------------------------------------------------------------ */

static void find_limit(struct named *n)
{
	for (int id = 0; id < IR_SCALAR_COUNT; id++) {
		const struct ir_scalar *s = &n->ir->scalars[id];

		if (strcmp(ir_scalar_section((enum ir_scalar_id)id), "limits") != 0 || !s->set ||
		    !str_eqz(n->name, ir_scalar_key((enum ir_scalar_id)id)))
			continue;
		add(n, s->id, s->level, &s->at, s->source,
		    show_scalar(n->a, (enum ir_scalar_id)id, s));
		for (size_t i = 0; i < s->nover; i++)
			add(n, s->over[i].id, s->over[i].level, &s->over[i].at, s->over[i].source,
			    show_scalar(n->a, (enum ir_scalar_id)id, &s->over[i]));
		if (s->locked)
			n->lock = n->said.v[0].by;
		for (size_t i = 0; i < n->report->notes.n; i++) {
			const struct bk_note *note = &n->report->notes.v[i];

			if (!note->rule && !note->whole && (int)note->scalar == id)
				add_layer(n, note);
		}
	}
}

/* --- mounts ------------------------------------------------------------------------------- */

static void find_mount(struct named *n)
{
	const struct ir_mount *m = ir_mount_at(n->ir, n->name);
	const struct ir_path *tree;
	const struct ir_rule *r;
	struct buf b;

	if (!m)
		return;
	r = n->ir->rules.v[m->rule];
	tree = ir_mount_tree(n->ir, m);
	buf_init(&b, n->a);
	buf_printf(&b, "%.*s shows ", STR_ARG(m->place));
	if (tree->root != IR_ROOT_FS)
		buf_printf(&b, "${%s}", ir_root_name(tree->root));
	for (size_t k = 0; k < tree->glob.n; k++)
		buf_u8(&b, tree->glob.v[k].byte);
	add(n, r->id, r->level, &r->at, r->text, buf_view(&b));
	for (size_t i = 0; i < n->report->notes.n; i++)
		if (n->report->notes.v[i].rule == r)
			add_layer(n, &n->report->notes.v[i]);
}

/* --- published ports ----------------------------------------------------------------------- */

/* One statement that denies wins over all that publish. */
static void find_publish(struct named *n)
{
	unsigned port = 0;
	size_t k = 0;

	while (k < n->name.n && n->name.p[k] >= '0' && n->name.p[k] <= '9' && port <= UINT16_MAX)
		port = port * 10 + (unsigned)(n->name.p[k++] - '0');
	n->wrong = k < n->name.n || !port || port > UINT16_MAX;
	for (int deny = 1; deny >= 0 && !n->wrong; deny--)
		for (size_t i = 0; i < n->ir->publish.n; i++) {
			const struct ir_publish *p = &n->ir->publish.v[i];

			if (p->deny != (deny != 0) || port < p->lo || port > p->hi)
				continue;
			n->denied |= p->deny;
			add(n, p->id, p->level, &p->at, p->text,
			    p->deny ? STR("never published, nor by polrun -P") :
				      STR("published on this machine's loopback while the run listens there"));
		}
	for (size_t i = 0; n->said.n && i < n->report->notes.n; i++)
		if (n->report->notes.v[i].whole && strcmp(n->report->notes.v[i].layer, "publish") == 0)
			add_layer(n, &n->report->notes.v[i]);
}

/* --- printing ------------------------------------------------------------------------------ */

static void text_said(FILE *out, const struct named *n, const char *label, const struct said *s)
{
	struct arena *a = n->a;

	fprintf(out, "  %s %.*s (%s) at %.*s: %.*s\n", label,
		STR_ARG(cli_clean(a, s->by.id, false)), s->by.level,
		STR_ARG(cli_clean(a, explain_place(a, &s->by), false)),
		STR_ARG(cli_clean(a, s->by.text, false)));
}

static void text(FILE *out, const struct named *n)
{
	struct arena *a = n->a;

	fprintf(out, "%s %.*s: %.*s\n", n->kind, STR_ARG(cli_clean(a, n->name, false)),
		STR_ARG(n->said.n ? cli_clean(a, n->said.v[0].value, false) :
				    strcmp(n->kind, "env") == 0 ?
				    STR("dropped: nobody keeps or sets it") :
				    strcmp(n->kind, "publish") == 0 ?
				    STR("not published: polrun -P may publish it") :
				    STR("nobody says anything about it")));
	for (size_t i = 0; i < n->said.n; i++)
		text_said(out, n, i == 0 ? "decided by" : i == 1 ? "without it" : "then      ",
			  &n->said.v[i]);
	if (n->lock.id.n)
		fprintf(out, "  locked by  %s %.*s\n", n->lock.level,
			STR_ARG(cli_clean(a, explain_place(a, &n->lock), false)));
	if (n->layers.n)
		fputs("layers:\n", out);
	for (size_t i = 0; i < n->layers.n; i++)
		fprintf(out, "  %-9s %s%s%.*s\n", n->layers.v[i].layer, n->layers.v[i].exactness,
			n->layers.v[i].note.n ? ": " : "",
			STR_ARG(cli_clean(a, n->layers.v[i].note, false)));
}

static void json_text(FILE *out, const struct named *n)
{
	struct json j;
	struct buf b;

	buf_init(&b, n->a);
	json_buf_init(&j, &b);
	json_object(&j, NULL);
	json_cstr(&j, "kind", n->kind);
	json_buf_str(&j, "name", n->name);
	json_array(&j, "said");
	for (size_t i = 0; i < n->said.n; i++) {
		json_object(&j, NULL);
		json_buf_str(&j, "value", n->said.v[i].value);
		explain_json_rule(&j, "by", n->a, &n->said.v[i].by);
		json_object_end(&j);
	}
	json_array_end(&j);
	if (n->lock.id.n)
		explain_json_rule(&j, "locked_by", n->a, &n->lock);
	else
		json_null(&j, "locked_by");
	json_array(&j, "layers");
	for (size_t i = 0; i < n->layers.n; i++) {
		json_object(&j, NULL);
		json_cstr(&j, "layer", n->layers.v[i].layer);
		json_cstr(&j, "exactness", n->layers.v[i].exactness);
		json_buf_str(&j, "note", n->layers.v[i].note);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}

/* --- the verb -------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	void (*find)(struct named *n);
} kinds[] = { { "env", find_env }, { "limit", find_limit }, { "mount", find_mount },
	    { "publish", find_publish } };

bool explain_is_value(const struct options *o)
{
	for (size_t i = 0; o->nrequest && i < POL_LEN(kinds); i++)
		if (strcmp(o->request[0], kinds[i].word) == 0)
			return true;
	return false;
}

enum cli_exit explain_value(struct options *o, struct arena *a)
{
	struct bk_report report = { .a = a };
	const struct backend *const *bk;
	struct loaded l = { .name = NULL };
	struct named n = { .a = a, .report = &report };
	struct diag_sink own;
	enum cli_exit e;

	if (o->nrequest != 2 || o->why_level) {
		fprintf(stderr, o->why_level ? "polc: --why-not is about requests, and this is none\n" :
			"polc: it is asked by its name: env NAME, limit NAME, mount PLACE, publish PORT\n");
		return CLI_TROUBLE;
	}
	e = loaded_read(&l, o, a);
	if (e != CLI_CLEAN)
		return e;
	diag_init(&own, a);
	for (bk = bk_table; *bk; bk++)
		(*bk)->check(l.ir, &report, &own);
	n.ir = l.ir;
	n.name = str_from(o->request[1]);
	for (size_t i = 0; i < POL_LEN(kinds); i++)
		if (strcmp(o->request[0], kinds[i].word) == 0) {
			n.kind = kinds[i].word;
			kinds[i].find(&n);
		}
	if (n.wrong) {
		fprintf(stderr, "polc: '%.*s' is no port (1 to 65535)\n", STR_ARG(cli_clean(a, n.name, false)));
		return CLI_TROUBLE;
	}
	if (o->json)
		json_text(stdout, &n);
	else
		text(stdout, &n);
	return n.said.n && !n.denied ? CLI_CLEAN : CLI_FINDINGS;
}
