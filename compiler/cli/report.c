/*
 * Decides how the exactness that back ends report becomes errors, warnings and notes
 * (semantics 7).  An `under` or `advisory` on a deny is an error.  A rule that holds
 * at entry only, forbids more, or is called harmless by its back end is a warning.
 * Nothing is left out.
 */
#include "compiler/cli/report.h"

#include <stdlib.h>

#include "compiler/cli/lints.h"

/* Up to this many further notes are shown for one statement and one exactness; the
 * others are counted. */
#define MAX_NOTES 4

/* One diagnostic: all notes about one statement that mean the same. */
struct group {
	struct span at;
	enum diag_code code;
	struct diag *d;
	VEC(struct str) said; /* texts that the diagnostic contains */
	size_t more;
};

struct filler {
	struct compilation *c;
	VEC(struct group) groups;
	size_t base[BK_ADVISORY + 1]; /* statements of the library, by exactness */
	struct span base_last[BK_ADVISORY + 1];
};

/* The file that was found and is not trusted, and has or uses this text; or NULL. */
static const struct sema_unit *untrusted(const struct compilation *c, uint32_t file)
{
	for (size_t i = 0; i < c->sema.units.n; i++) {
		const struct sema_unit *u = c->sema.units.v[i];

		if (u->file != file || !u->found || !u->narrow)
			continue;
		while (u->from)
			u = u->from;
		return u;
	}
	return NULL;
}

static void add_dropped(struct compilation *c)
{
	bool *said = arena_array(c->a, c->sema.units.n + 1, sizeof(bool));
	size_t i;

	for (i = 0; i < c->ir->dropped.n; i++) {
		const struct ir_dropped *p = &c->ir->dropped.v[i];
		struct diag *d;

		/* it would be told at each run without a policy; effective has it, too */
		if (str_eqz(p->why, IR_WHY_MANAGED_RULE) && str_starts(p->at.file, STR("std/")) && !c->o->verbose)
			continue;
		d = diag_add(&c->sink, DIAG_DROPPED, p->at.span, "'%.*s' does not count: %.*s",
			     STR_ARG(p->text), STR_ARG(p->why));

		if (p->by.line)
			diag_note(&c->sink, d, p->by.span, "this decides it");
		diag_note(&c->sink, d, SPAN_NONE, "this file speaks at level '%s'",
			  ir_level_name(p->level));
		const struct sema_unit *u = untrusted(c, p->at.span.file);

		if (u && !said[u->order]) {
			said[u->order] = true;
			diag_help(&c->sink, d, "it was found and not named: after reading it, "
				  "'polc trust %.*s' lets it allow things", STR_ARG(u->name));
		}
	}
}

/* Adds one line for each role that was not chosen: its tests were not run. */
static void add_unrun_tests(struct compilation *c)
{
	struct map roles; /* role name -> number of its tests */

	map_init(&roles, c->a);
	for (size_t i = 0; i < c->sema.stmts.n; i++) {
		const struct sema_stmt *t = c->sema.stmts.v[i];
		size_t *n;

		if (t->stmt->kind != AST_TEST || !t->off || !t->role.n || t->unit->std)
			continue;
		n = map_get(&roles, t->role);
		if (!n) {
			n = ARENA_NEW(c->a, size_t);
			map_put(&roles, t->role, n);
		}
		*n += 1;
	}
	for (size_t i = 0; i < c->sema.stmts.n && roles.n; i++) {
		const struct sema_stmt *t = c->sema.stmts.v[i];
		const size_t *n = t->stmt->kind == AST_TEST && t->off ?
					  map_get(&roles, t->role) :
					  NULL;

		if (n)
			diag_help(&c->sink,
				  diag_add(&c->sink, DIAG_TEST_OF_ROLE, t->at.span,
					   "the tests of the role '%.*s' (%zu, this is the "
					   "first) are not run",
					   STR_ARG(t->role), *n),
				  "choose it: --role %.*s", STR_ARG(t->role));
		if (n)
			map_put(&roles, t->role, NULL);
	}
}

/* What this version does instead of what a part says that is only carried along. */
static const char *const instead[IR_PART_COUNT] = {
	[IR_P_SETTING] = "it is for the agent that reads it",
	[IR_P_RUNNER] = "every command runs in polrun's own sandbox on this machine",
	[IR_P_SESSION] = "no session is kept, limited or ended",
	[IR_P_AUDIT] = "nothing is logged",
	[IR_P_ALERT] = "nothing is watched",
	[IR_P_TOOL] = "of a tool only its effect and its 'risk' count",
};

static bool comes_before(const struct ir_place *x, const struct ir_place *y)
{
	if (x->span.file != y->span.file)
		return x->span.file < y->span.file;
	return x->span.off < y->span.off;
}

/* Adds one line for each part.  Parts that an agent reads lose nothing. */
static void add_carried(struct compilation *c)
{
	for (int part = 0; part < IR_PART_COUNT; part++) {
		const struct ir_setting *first = NULL;
		size_t n = 0;

		for (size_t i = 0; i < c->ir->settings.n; i++) {
			const struct ir_setting *s = &c->ir->settings.v[i];

			if ((int)s->part != part || s->acts)
				continue;
			if (!first || comes_before(&s->at, &first->at))
				first = s;
			n++;
		}
		if (!n)
			continue;
		diag_add(&c->sink, part == IR_P_SETTING ? DIAG_FOR_AGENTS : DIAG_CARRIED,
			 first->at.span,
			 "%s (%zu value%s, this is the first): carried, and this "
			 "version does not act on it: %s",
			 ir_part_name((enum ir_part)part), n, n == 1 ? "" : "s",
			 instead[part]);
	}
	for (size_t i = 0; i < c->ir->secrets.n; i++) {
		const struct ir_env_secret *s = &c->ir->secrets.v[i];

		if (ir_secret_is_used(c->ir, s->name))
			continue; /* add_used() says what it is for */
		diag_add(&c->sink, DIAG_SECRET_LATER, s->at.span,
			 "the secret '%.*s' is carried, and this version gives it to "
			 "no command: the variable is not set",
			 STR_ARG(s->name));
	}
}

/* Says what a run may do with a secret, although it never sees it. */
static void add_used(struct compilation *c)
{
	const struct span *told = NULL;

	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];
		const struct ir_net *n = &r->set.u.net;

		if (r->kind != IR_NET)
			continue;
		if (n->grant.secret.n)
			diag_add(&c->sink, DIAG_SECRET_USED, r->at.span,
				 "every program of the run may speak to %.*s as the owner of "
				 "%.*s", STR_ARG(n->name), STR_ARG(n->grant.secret));
		if (n->grant.via_secret.n && (!told || told->off != r->at.span.off ||
					      told->file != r->at.span.file)) {
			diag_add(&c->sink, DIAG_SECRET_USED, r->at.span,
				 "what every program of the run sends through %.*s goes there "
				 "in the name of the owner of %.*s",
				 STR_ARG(n->grant.via), STR_ARG(n->grant.via_secret));
			told = &r->at.span;
		}
	}
}

/* The first rule that forbids an address, or asks about it; NULL: none does. */
static const struct ir_rule *address_rule(const struct ir *ir)
{
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_NET && r->effect != IR_ALLOW &&
		    r->set.u.net.host == IR_HOST_CIDR && (r->set.u.net.protos & IR_TCP))
			return r;
	}
	return NULL;
}

/* A proxy resolves names, so a rule about addresses never sees what it finds. */
static void add_proxied(struct compilation *c)
{
	const struct ir_rule *by = address_rule(c->ir);

	for (size_t i = 0; by && i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];
		const struct ir_net *n = &r->set.u.net;
		struct diag *d;

		if (r->kind != IR_NET || !n->grant.via.n || str_eqz(n->grant.via, "none") ||
		    n->host == IR_HOST_CIDR)
			continue;
		d = diag_add(&c->sink, DIAG_VIA_RESOLVES, r->at.span,
			     "the proxy resolves the names of this rule: rules about addresses "
			     "do not hold for them");
		diag_note(&c->sink, d, by->at.span, "this is the first of these rules");
		return; /* once for the policy */
	}
}

/* --- exactness --------------------------------------------------------------- */

/*
 * Could a run do what the rule denies?  The floor is `under` by design until there
 * is a broker; polrun names files that have appeared.  Network rules of a mode that
 * has no bundle yet are refused by compile.
 */
static bool is_fatal(const struct bk_note *n)
{
	const struct ir_rule *r = n->rule;

	if (n->is_fatal)
		return true;
	if (!r || r->effect < IR_DENY || r->floor || r->kind == IR_NET)
		return false;
	return n->exactness == BK_UNDER || n->exactness == BK_ADVISORY;
}

static enum diag_code code_of(const struct bk_note *n)
{
	if (is_fatal(n))
		return DIAG_NOT_ENFORCED;
	switch (n->exactness) {
	case BK_OVER:
		return DIAG_OVER;
	case BK_ENTRY_ONLY:
		return DIAG_ENTRY_ONLY;
	case BK_UNDER:
	case BK_ADVISORY:
		return DIAG_UNDER;
	case BK_NONE:
	case BK_EXACT:
		break;
	}
	return DIAG_ENFORCEMENT;
}

static struct span span_of(const struct compilation *c, const struct bk_note *n)
{
	if (n->rule)
		return n->rule->at.span;
	return n->whole ? SPAN_NONE : c->ir->scalars[n->scalar].at.span;
}

/* The caret shows the text; the name is the one that the report of a run will use. */
static struct str name_of(const struct compilation *c, const struct bk_note *n)
{
	return n->rule ? n->rule->id : c->ir->scalars[n->scalar].id;
}

static enum ir_level level_of(const struct compilation *c, const struct bk_note *n)
{
	if (n->whole)
		return IR_MANAGED;
	return n->rule ? n->rule->level : c->ir->scalars[n->scalar].level;
}

static const char *says(const struct bk_note *n)
{
	if (is_fatal(n))
		return "is not enforced";
	switch (n->exactness) {
	case BK_OVER:
		return "forbids more than it says";
	case BK_ENTRY_ONLY:
		return "holds at entry only";
	case BK_UNDER:
		return "forbids less than it says";
	case BK_ADVISORY:
		return "is advice only";
	case BK_NONE:
	case BK_EXACT:
		break;
	}
	return "is enforced";
}

static struct group *find_group(struct filler *f, struct span at, enum diag_code code)
{
	size_t i;

	for (i = f->groups.n; i-- > 0;) {
		struct group *g = &f->groups.v[i];

		if (g->code == code && g->at.file == at.file && g->at.off == at.off &&
		    g->at.len == at.len)
			return g;
	}
	return NULL;
}

/* A back end that cannot enforce a rule mostly reports a better error itself. */
static bool has_error_at(const struct compilation *c, struct span at)
{
	size_t i;

	for (i = 0; i < c->sink.list.n; i++) {
		const struct diag *d = c->sink.list.v[i];

		if (d->severity == DIAG_ERROR && d->code != DIAG_NOT_ENFORCED &&
		    d->at.file == at.file && d->at.off == at.off)
			return true;
	}
	return false;
}

static void add_note(struct filler *f, const struct bk_note *n)
{
	struct compilation *c = f->c;
	struct str said = n->note;
	struct span at = span_of(c, n);
	struct group *g = n->whole ? NULL : find_group(f, at, code_of(n));
	struct group fresh = { .at = at, .code = code_of(n) };
	size_t i;

	if (is_fatal(n) && has_error_at(c, at))
		return;
	for (i = 0; g && i < g->said.n; i++)
		if (str_eq(g->said.v[i], said))
			return;
	if (g && g->said.n > MAX_NOTES) {
		g->more++;
		return;
	}
	if (g) {
		VEC_PUSH(c->a, &g->said, said);
		diag_note(&c->sink, g->d, SPAN_NONE, "%s: %.*s", n->layer, STR_ARG(said));
		return;
	}
	if (n->whole) {
		diag_add(&c->sink, fresh.code, at, "%s: %.*s", n->layer, STR_ARG(said));
		return;
	}
	VEC_PUSH(c->a, &fresh.said, said);
	fresh.d = diag_add(&c->sink, fresh.code, at, "'%.*s' %s (%s): %.*s",
			   STR_ARG(name_of(c, n)), says(n), n->layer, STR_ARG(said));
	VEC_PUSH(c->a, &f->groups, fresh);
}

/* Rules of the standard library must not bury those of the user. */
static bool is_base(const struct filler *f, const struct bk_note *n)
{
	struct span at = span_of(f->c, n);
	bool library = at.file < f->c->map.files.n &&
		       f->c->map.files.v[at.file].library;

	return (library || level_of(f->c, n) == IR_DEFAULT) && !is_fatal(n) &&
	       !f->c->o->verbose;
}

/* For people, a statement that became many rules counts once. */
static void count_base(struct filler *f, const struct bk_note *n)
{
	struct span at = span_of(f->c, n), *last = &f->base_last[n->exactness];

	if (at.len && at.file == last->file && at.off == last->off)
		return;
	*last = at;
	f->base[n->exactness]++;
}

static void add_base(struct filler *f)
{
	const struct {
		size_t n;
		const char *how;
	} parts[] = {
		{ f->base[BK_ENTRY_ONLY], "hold at entry only" },
		{ f->base[BK_OVER], "forbid more than they say" },
		{ f->base[BK_UNDER] + f->base[BK_ADVISORY], "forbid less than they say" },
	};
	struct buf b;
	size_t i;

	buf_init(&b, f->c->a);
	for (i = 0; i < POL_LEN(parts); i++)
		if (parts[i].n)
			buf_printf(&b, "%s%zu %s", b.n ? ", " : "", parts[i].n,
				   parts[i].how);
	if (b.n)
		diag_add(&f->c->sink, DIAG_BASE_REPORT, SPAN_NONE,
			 "of the standard library's rules %.*s: see --verbose",
			 STR_ARG(buf_view(&b)));
}

/* What a layer enforces exactly is reported only with --verbose, and by explain. */
static bool is_said(const struct compilation *c, const struct bk_note *n)
{
	if (is_fatal(n))
		return true;
	if (n->exactness != BK_NONE && n->exactness != BK_EXACT)
		return true;
	return n->whole && n->note.n && c->o->verbose;
}

/* Is there a table that shows a command inside another command's words or code? */
static bool sees_inside(const struct ir *ir)
{
	for (size_t i = 0; i < ir->programs.n; i++)
		if (ir->programs.v[i].kind == LINE_PK_WRAPPER ||
		    (ir->programs.v[i].flags & LINE_PF_SHELL))
			return true;
	return false;
}

/* Without tables about sudo, `sudo git push` is another program than git. */
static void warn_no_tables(struct compilation *c)
{
	const struct ir_scalar *base = &c->ir->scalars[IR_S_BASE];

	if (!c->ir->base_none || sees_inside(c->ir))
		return;
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];
		struct diag *d;

		/* missing an allow only makes the policy stricter */
		if (r->kind != IR_COMMAND || r->level == IR_DEFAULT || r->effect == IR_ALLOW)
			continue;
		d = diag_add(&c->sink, DIAG_NO_TABLES, base->at.span,
			     "'base none' leaves out the tables of programs: deny and ask see "
			     "nothing of a command inside of another (sudo, env, sh -c)");
		diag_note(&c->sink, d, r->at.span, "this is the first such rule");
		diag_help(&c->sink, d, "use std/commands/wrappers and its neighbours, or write "
			  "'wrapper' and 'interpreter' tables");
		return;
	}
}

void report_fill(struct compilation *c)
{
	struct filler f = { .c = c };
	size_t i;

	add_dropped(c);
	add_carried(c);
	add_used(c);
	add_proxied(c);
	add_unrun_tests(c);
	if (!c->sink.errors)
		warn_no_tables(c);
	for (i = 0; i < c->report.notes.n; i++) {
		const struct bk_note *n = &c->report.notes.v[i];

		if (is_said(c, n) && !is_base(&f, n))
			add_note(&f, n);
	}
	for (i = 0; i < f.groups.n; i++)
		if (f.groups.v[i].more)
			diag_note(&c->sink, f.groups.v[i].d, SPAN_NONE,
				  "and %zu more of this kind", f.groups.v[i].more);
}

void report_sum(struct compilation *c)
{
	struct filler f = { .c = c };

	for (size_t i = 0; i < c->report.notes.n; i++) {
		const struct bk_note *n = &c->report.notes.v[i];

		if (is_said(c, n) && is_base(&f, n))
			count_base(&f, n);
	}
	add_base(&f);
}

void report_print(struct compilation *c)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (c->ir) /* most verbs do not call it before they print */
		suppress_lints(c, SUPPRESS_QUIETLY);
	fflush(stdout);
	if (!f) {
		diag_render(stderr, &c->sink, &c->map, options_colour(c->o, stderr));
		return;
	}
	/* stderr has no buffer: write a thousand warnings at once */
	diag_render(f, &c->sink, &c->map, options_colour(c->o, stderr));
	if (fclose(f) == 0)
		fwrite(text, 1, n, stderr);
	free(text);
}

void report_internal(const struct compilation *c)
{
	fprintf(stderr, "polc: internal error: %s\n", c->internal);
}
