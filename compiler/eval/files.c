/*
 * Decides about the files that a command's words name (the end of doc/semantics.md
 * 4.4): does a word name a hidden or unreadable file, may a pattern or tree that the
 * command reads contain one, and what do the rules say of the files that it writes?
 */
#include <limits.h>

#include "compiler/eval/files.h"
#include "compiler/eval/index.h"
#include "compiler/eval/match.h"
#include "compiler/eval/match_glob.h"
#include "compiler/eval/request.h"
#include "runtime/base/place.h"

/* --- what a word names ------------------------------------------------------------------- */

/*
 * The directories in which the command may run, as far as we know them.  Never empty:
 * where none is known, the list holds one unknown directory.
 */
const struct cmd_dir *eval_part_dirs(const struct eval_asked *q)
{
	static const struct cmd_dir none;
	const struct cmd_part *p = q->part;
	const struct cmd_dir *d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;

	return d ? d : &none;
}

const struct ir_rule *eval_name_hidden(const struct eval_asked *q, struct str path, bool only_read)
{
	static const enum ir_op ops[] = { IR_READ, IR_WRITE, IR_EXEC };
	struct ir_request file = *q->req;
	const struct ir_rule *by = NULL;
	struct arena a;
	size_t i;

	file.kind = IR_FILE;
	file.path = path;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	for (i = 0; i < (only_read ? 1 : POL_LEN(ops)) && !by; i++) {
		struct eval_decision d;

		file.op = ops[i];
		eval_decide_request(q->ir, &file, &a, &d);
		if (d.effect == IR_HIDE || (file.op == IR_READ && d.effect == IR_DENY))
			by = d.rule;
	}
	arena_release(&a);
	return by;
}

/* One question about the names of a path, which ends at the first name with a rule. */
struct asked_names {
	const struct eval_asked *q;
	const struct ir_rule *(*ask)(const struct eval_asked *q, struct str name);
	const struct ir_rule *by;
};

static int ask_name(void *arg, const char *name)
{
	struct asked_names *x = arg;

	x->by = x->ask(x->q, str_from(name));
	return x->by != NULL;
}

static const struct ir_rule *ask_names(const struct eval_asked *q, const char *path,
	const struct ir_rule *(*ask)(const struct eval_asked *q, struct str name))
{
	struct asked_names x = { q, ask, NULL };

	if (q->req->places)
		(void)place_names_in(q->req->places, path, ask_name, &x);
	else
		(void)ask_name(&x, path);
	return x.by;
}

/* The kernel hides from a run all but what lies in its own /proc and /dev. */
static bool is_judged_by_text(const struct eval_asked *q, struct str name)
{
	return q->req->scope == IR_HOST || place_is_below(name.p, "/proc") || place_is_below(name.p, "/dev");
}

static const struct ir_rule *name_read(const struct eval_asked *q, struct str name)
{
	return is_judged_by_text(q, name) ? eval_name_hidden(q, name, true) : NULL;
}

static const struct ir_rule *name_used(const struct eval_asked *q, struct str name)
{
	return is_judged_by_text(q, name) ? eval_name_hidden(q, name, false) : NULL;
}

static const struct ir_rule *hidden_word(const struct eval_asked *q, const char *dir,
					 const struct cmd_word *word, bool only_read)
{
	const struct ir_rule *by = NULL;
	char buf[CMD_GIVEN_MAX];
	const char *p;
	size_t n, at = 0;
	bool home;

	while (!by && cmd_path_text(word, true, &at, &p, &n, &home))
		if (eval_path(q->req, q->world, dir, p, n, home, true, buf))
			by = ask_names(q, buf, only_read ? name_read : name_used);
	return by;
}

const struct ir_rule *eval_part_hidden(const struct eval_asked *q, bool only_read,
				     uint32_t *ret_word)
{
	const struct ir_rule *by = NULL;
	const struct cmd_dir *d;
	uint32_t i;

	for (d = eval_part_dirs(q); d && !by; d = d->next)
		for (i = 0; i < q->part->nwords && !by; i++) {
			const struct cmd_word *w = &q->part->words[i];

			if (only_read && !(w->places & CMD_P_READS))
				continue;
			by = hidden_word(q, d->path, w, only_read || (w->places & (CMD_P_READS | CMD_P_WRITES)) == CMD_P_READS);
			*ret_word = i;
		}
	return by;
}

/* One question about the names of a path, of which the first that is asked about ends it. */
struct names_asked {
	const struct eval_asked *q;
	const struct ir_rule *by;
	bool person;
};

static int take_asked(void *arg, const char *name)
{
	struct names_asked *x = arg;
	struct ir_request file = *x->q->req;
	struct eval_decision d;
	struct arena a;

	file.kind = IR_FILE;
	file.op = IR_READ;
	file.path = str_from(name);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_decide_request(x->q->ir, &file, &a, &d);
	if (d.effect == IR_ASK && d.rule) {
		x->by = d.rule;
		x->person = d.needs_person;
	}
	arena_release(&a);
	return x->by != NULL;
}

const struct ir_rule *eval_part_asked(const struct eval_asked *q, uint32_t *ret_word, bool *ret_person)
{
	struct names_asked x = { .q = q };
	char buf[CMD_GIVEN_MAX];
	const char *p;
	size_t n, at;
	bool home;

	for (const struct cmd_dir *d = eval_part_dirs(q); d && !x.by; d = d->next)
		for (uint32_t i = 0; i < q->part->nwords && !x.by; i++) {
			*ret_word = i;
			for (at = 0; !x.by && cmd_path_text(&q->part->words[i], true, &at, &p, &n, &home);) {
				if (!eval_path(q->req, q->world, d->path, p, n, home, true, buf))
					continue;
				if (q->req->places)
					(void)place_names_in(q->req->places, buf, take_asked, &x);
				else
					(void)take_asked(&x, buf);
			}
		}
	*ret_person |= x.by && x.person;
	return x.by;
}

/* --- patterns and trees --------------------------------------------------------------------- */

/*
 * Matches `text` against the beginning of the pattern; afterwards `now` has the places
 * in the pattern that can follow it.
 */
static void after_root(const struct cmd_pattern *g, struct str text, bool *now,
		       bool *next)
{
	now[0] = true;
	for (size_t k = 0; k < text.n; k++) {
		for (size_t i = 0; i <= g->n; i++)
			next[i] = false;
		for (size_t i = 0; i < g->n; i++) {
			uint16_t c = g->v[i];
			bool many = c == CMD_G_STAR || c == CMD_G_DEEP;

			if (!now[i])
				continue;
			now[i + 1] |= many;
			if (c < 256 ? c == (uint8_t)text.p[k] :
				      c == CMD_G_DEEP || text.p[k] != '/')
				next[many ? i : i + 1] = true;
		}
		for (size_t i = 0; i <= g->n; i++)
			now[i] = next[i];
	}
}

/* May some path match both? */
static bool meets(const struct eval_asked *q, const struct ir_path *p, const struct cmd_pattern *g)
{
	struct str root = q->req->roots.dir[p->root];
	bool *now, *next, yes = false;
	struct arena a;

	if (!root.p)
		return false;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	now = arena_array(&a, g->n + 1, sizeof(*now));
	next = arena_array(&a, g->n + 1, sizeof(*next));
	after_root(g, str_eqz(root, "/") ? STR("") : root, now, next);
	for (uint32_t i = 0; i <= g->n && !yes; i++)
		yes = now[i] && eval_glob_meets(&p->glob, p->below, g, i);
	arena_release(&a);
	return yes;
}

static bool is_secret(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->effect == IR_HIDE || (r->effect == IR_DENY &&
			(r->set.u.file.ops & IR_READ)));
}

static bool is_in_except(const struct eval_asked *q, const struct ir_rule *r, struct str path)
{
	for (size_t i = 0; i < r->nexcept; i++) {
		const struct ir_path *p = &r->except[i].u.file.path;

		if (p->root == r->set.u.file.path.root && eval_match_path(p, q->req, path))
			return true;
	}
	return false;
}

/* Is the path in an exception of the rule?  We try the rule's own path, if it is a
 * single one, and one path that stands for the whole pattern, with `\001` in place of
 * each unknown byte. */
static bool is_excepted(const struct eval_asked *q, const struct ir_rule *r,
			const struct cmd_pattern *g)
{
	const struct ir_path *own = &r->set.u.file.path;
	struct str root = q->req->roots.dir[own->root];
	struct arena a;
	struct buf b;
	size_t i;
	bool is;

	if (!r->nexcept)
		return false;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	buf_init(&b, &a);
	for (i = 0; i < g->n; i++)
		buf_ch(&b, g->v[i] < 256 ? (char)g->v[i] : '\001');
	is = is_in_except(q, r, buf_view(&b));
	buf_init(&b, &a);
	if (root.n > 1)
		buf_str(&b, root);
	for (i = 0; i < own->glob.n && own->glob.v[i].op == IR_G_BYTE; i++)
		buf_ch(&b, (char)own->glob.v[i].byte);
	is |= i == own->glob.n && is_in_except(q, r, buf_view(&b));
	arena_release(&a);
	return is;
}

static bool keeps(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->effect == IR_HIDE || (r->effect != IR_ALLOW &&
			(r->set.u.file.ops & IR_WRITE)));
}

static const struct ir_rule *rule_in(const struct eval_asked *q, const struct cmd_pattern *g,
				     bool (*is)(const struct ir_rule *r))
{
	struct eval_few few = eval_few_files(q->ir);

	for (size_t i = 0; i < few.n; i++) {
		const struct ir_rule *r = q->ir->rules.v[eval_few_at(&few, i)];

		if (is(r) && (r->scopes & (unsigned)q->req->scope) &&
		    meets(q, &r->set.u.file.path, g) && !is_excepted(q, r, g))
			return r;
	}
	return NULL;
}

static bool asks(const struct ir_rule *r)
{
	return r->kind == IR_FILE && r->effect == IR_ASK && (r->set.u.file.ops & IR_READ);
}

static const struct ir_rule *holds_in(const struct eval_asked *q, const char *dir,
				      struct cmd_pattern *g, bool (*is)(const struct ir_rule *r))
{
	const struct cmd_part *p = q->part;
	const struct ir_rule *by = NULL;

	if ((p->flags & CMD_READS_HERE) && dir && cmd_tree_pattern(dir, g))
		by = rule_in(q, g, is);
	for (uint32_t i = 1; i < p->nwords && !by; i++)
		if ((p->words[i].places & CMD_P_READS) &&
		    cmd_word_pattern(q->world, dir, &p->words[i],
				     p->words[i].places & CMD_P_TREE, g))
			by = rule_in(q, g, is);
	return by;
}

const struct ir_rule *eval_part_holds(const struct eval_asked *q, bool asked)
{
	const struct ir_rule *by = NULL;
	const struct cmd_dir *d;
	struct cmd_pattern g;

	for (d = eval_part_dirs(q); d && !by; d = d->next)
		by = holds_in(q, d->path, &g, asked ? asks : is_secret);
	return by;
}

/* --- what it writes --------------------------------------------------------------------------- */

struct written {
	const struct eval_asked *q;
	struct arena *a;
	struct eval_decision *ret;
	bool any;
};

static void take(struct written *x, struct str path)
{
	struct ir_request req = *x->q->req;
	struct eval_decision d;

	req.kind = IR_FILE;
	req.op = IR_WRITE;
	req.path = path;
	eval_decide_names(x->q->ir, &req, true, x->a, &d);
	if (d.effect == IR_ALLOW || !d.rule)
		return;
	if (d.effect > IR_DENY)
		d.effect = IR_DENY;
	if (!x->any || d.effect > x->ret->effect)
		*x->ret = d;
	x->any = true;
}

static void take_text(struct written *x, const char *path)
{
	const char *name;
	size_t n;

	take(x, str_from(path));
	for (uint32_t i = 0; cmd_name_in(x->q->part, i, &name, &n); i++)
		if (n && strlen(path) + n + 2 <= CMD_GIVEN_MAX)
			take(x, str_printf(x->a, "%s/%.*s", path, (int)n, name));
}

bool eval_part_writes(const struct eval_asked *q, struct arena *a, struct eval_decision *ret)
{
	struct written x = { .q = q, .a = a, .ret = ret };
	char path[CMD_GIVEN_MAX];
	const struct cmd_dir *d;
	const char *text;
	size_t n, at;
	bool home;

	for (d = eval_part_dirs(q); d; d = d->next)
		for (uint32_t i = 1; i < q->part->nwords; i++) {
			const struct cmd_word *w = &q->part->words[i];

			for (uint32_t k = 0; cmd_name_here(w, k, &text, &n); k++)
				if (eval_path(q->req, q->world, d->path, text, n, false, true, path))
					take_text(&x, path);
			for (at = 0; (w->places & CMD_P_WRITES) &&
				     cmd_path_text(w, false, &at, &text, &n, &home);)
				if (eval_path(q->req, q->world, d->path, text, n, home, true, path))
					take_text(&x, path);
		}
	return x.any;
}

/* --- what it may write, though no table says so ---------------------------------------------- */

const struct ir_rule *eval_name_kept(const struct eval_asked *q, struct str path)
{
	struct ir_request file = *q->req;
	const struct ir_rule *by;
	struct eval_decision d;
	struct arena a;

	file.kind = IR_FILE;
	file.op = IR_WRITE;
	file.path = path;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_decide_request(q->ir, &file, &a, &d);
	by = d.effect != IR_ALLOW ? d.rule : NULL;
	arena_release(&a);
	return by;
}

/* The text begins such a name, or is one that goes on. */
static const struct ir_rule *begins_kept(const struct eval_asked *q, const char *dir,
				       const char *text, size_t n, bool home)
{
	const struct ir_rule *by;
	struct cmd_pattern g;
	char path[PATH_MAX];
	uint32_t end;

	if (!cmd_begin_pattern(q->world, dir, text, n, home, &g) || g.n > sizeof(path))
		return NULL;
	by = rule_in(q, &g, keeps);
	for (end = 0; end + 1 < g.n; end++)
		path[end] = (char)g.v[end];
	for (; end && path[end - 1] != '/' && !by; end--)
		by = eval_name_kept(q, (struct str){ path, end });
	return by;
}

static const struct ir_rule *may_write_word(const struct eval_asked *q, const char *dir,
					    const struct cmd_word *word)
{
	const struct ir_rule *by = NULL;
	struct cmd_pattern g;
	char path[CMD_GIVEN_MAX];
	const char *text;
	size_t n, at = 0;
	bool home;

	if (cmd_has_number(word) && cmd_word_pattern(q->world, dir, word, false, &g))
		by = rule_in(q, &g, keeps);
	while (!by && cmd_path_text(word, true, &at, &text, &n, &home)) {
		if (eval_path(q->req, q->world, dir, text, n, home, true, path))
			by = ask_names(q, path, eval_name_kept);
		if (!by && (word->places & CMD_P_BEGINS))
			by = begins_kept(q, dir, text, n, home);
	}
	return by;
}

const struct ir_rule *eval_part_may_write(const struct eval_asked *q, uint32_t *ret_word)
{
	const struct ir_rule *by = NULL;

	for (const struct cmd_dir *d = eval_part_dirs(q); d && !by; d = d->next)
		for (uint32_t i = 1; i < q->part->nwords && !by; i++) {
			if (!q->part->words[i].may_write)
				continue;
			by = may_write_word(q, d->path, &q->part->words[i]);
			*ret_word = i;
		}
	return by;
}
