/*
 * Compiles a row of the table and asks two worlds: the evaluator on the
 * sources, and the bundle that was written to a file and read back from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/bundle/writer.h"
#include "compiler/cli/compiled.h"
#include "compiler/cli/request.h"
#include "compiler/target/target.h"
#include "tests/conformance/table.h"

#define SAY(w, ...) arena_printf((w)->a, __VA_ARGS__)

const char *table_expand(const struct table_world *w, const char *text)
{
	struct buf b;

	buf_init(&b, w->a);
	for (; *text; text++) {
		if (text[0] != '@' || (text[1] != 'W' && text[1] != 'B')) {
			buf_ch(&b, *text);
			continue;
		}
		buf_z(&b, *++text == 'W' ? w->at.dir : w->at.bin);
	}
	return str_z(w->a, buf_view(&b));
}

/* --- the row's files ----------------------------------------------------------- */

static bool put(const char *path, const void *p, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	bool ok = fd >= 0 && write(fd, p, n) == (ssize_t)n && fchmod(fd, mode) == 0;

	if (fd >= 0)
		ok &= close(fd) == 0;
	return ok;
}

static bool folder(const char *path)
{
	return mkdir(path, 0755) == 0 || errno == EEXIST;
}

/* Each folder above `path`, and with a last '/' itself. */
static bool folders(struct arena *a, const char *path)
{
	char *copy = arena_printf(a, "%s", path), *p;

	for (p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (!folder(copy))
			return false;
		*p = '/';
	}
	return true;
}

static bool place_files(struct table_world *w)
{
	const char *dirs[] = { w->at.dir, w->at.home, w->at.project,
			       SAY(w, "%s/out", w->at.dir),
			       SAY(w, "%s/std", w->at.dir) };
	size_t i;

	for (i = 0; i < POL_LEN(dirs); i++)
		if (!folder(dirs[i]))
			return false;
	for (i = 0; i < w->row->nmake; i++) {
		const char *p = table_expand(w, w->row->make[i]);

		if (!folders(w->a, p) ||
		    (p[strlen(p) - 1] != '/' && !put(p, "made\n", 5, 0644)))
			return false;
	}
	return true;
}

/*
 * What stands for std/base and the floor where a row does not speak of them:
 * nothing but the way to the probes.
 */
static const char stub_base[] = "network disabled\nfile { allow read, exec \"@B\" }\n";
static const char stub_floor[] = "network disabled\n";

static bool put_text(struct table_world *w, const char *path, const char *text)
{
	const char *t = table_expand(w, text);

	return put(path, t, strlen(t), 0644);
}

static bool place_texts(struct table_world *w)
{
	const char *base = stub_base, *floor_text = stub_floor;
	size_t i;

	for (i = 0; i < w->row->ntexts; i++) {
		const struct table_text *t = &w->row->texts[i];
		struct sema_input in = { .level = (enum ir_level)t->slot,
					 .cmdline_level = true };

		if (t->slot == TABLE_BASE)
			base = SAY(w, "%s%s", stub_base, t->text);
		if (t->slot == TABLE_FLOOR)
			floor_text = SAY(w, "%s%s", stub_floor, t->text);
		if (t->slot == TABLE_LIBRARY &&
		    !put_text(w, SAY(w, "%s/%s", w->at.dir, t->name), t->text))
			return false;
		if (t->slot == TABLE_BASE || t->slot > TABLE_DISCOVERED)
			continue;
		if (t->slot == TABLE_DISCOVERED) {
			in.level = IR_PROJECT;
			in.discovered = true;
			in.cmdline_level = false;
		}
		in.name = str_printf(w->a, "%zu-%s.pol", i, ir_level_name(in.level));
		in.path = SAY(w, "%s/%s", w->at.dir, in.name.p);
		if (!put_text(w, in.path, t->text))
			return false;
		VEC_PUSH(w->a, &w->opt.inputs, in);
	}
	return put_text(w, SAY(w, "%s/std/base.pol", w->at.dir), base) &&
	       put_text(w, SAY(w, "%s/std/floor.pol", w->at.dir), floor_text);
}

/* --- compiling -------------------------------------------------------------------- */

static enum cli_exit run_passes(struct table_world *w, enum cli_verb verb)
{
	enum cli_exit e;

	w->opt.verb = verb;
	compilation_init(&w->c, &w->opt, w->a);
	w->c.sema.stdlib_dir = SAY(w, "%s/std", w->at.dir);
	e = passes_run(&w->c, NULL);
	return e == CLI_CLEAN ? passes_verify(&w->c) : e;
}

static bool said(const struct table_world *w, const char *code, const char *say)
{
	const struct diag_sink *s = &w->c.sink;
	size_t i, k;

	for (i = 0; i < s->list.n; i++) {
		const struct diag *d = s->list.v[i];

		if (d->severity != DIAG_ERROR || strcmp(diag_code_name(d->code), code))
			continue;
		if (memmem(d->text.p, d->text.n, say, strlen(say)))
			return true;
		for (k = 0; k < d->parts.n; k++)
			if (memmem(d->parts.v[k].text.p, d->parts.v[k].text.n, say,
				   strlen(say)))
				return true;
	}
	return false;
}

static const char *refused(struct table_world *w, enum cli_exit e)
{
	if (w->row->error && e == CLI_CLEAN)
		return SAY(w, "it compiles, and %s '%s' was wanted", w->row->error,
			   w->row->say);
	if (w->row->error && e == CLI_FINDINGS && said(w, w->row->error, w->row->say))
		return NULL;
	diag_render(stdout, &w->c.sink, &w->c.map, false);
	return w->c.internal ? w->c.internal : "it does not compile as wanted";
}

static const char *write_bundle(struct table_world *w)
{
	struct bundle_options opt = { .created = -1, .version = POL_VERSION };
	struct rt_err err = { .err = 0 };
	struct buf b;

	buf_init(&b, w->a);
	w->polb = SAY(w, "%s/row.polb", w->at.dir);
	if (!bundle_write(w->c.ir, &w->c.out, &opt, &b, &w->c.sink) ||
	    !put(w->polb, b.p, b.n, 0600))
		return "the bundle cannot be written";
	if (bundle_open(w->polb, &w->bundle, &err) != 0)
		return SAY(w, "the bundle cannot be read: %s", err.text);
	w->has_bundle = true;
	return NULL;
}

const char *table_open(struct table_world *w, struct arena *a,
		       const struct table_row *row, const char *dir, const char *bin)
{
	enum cli_exit e;

	*w = (struct table_world){ .a = a, .row = row };
	w->at = (struct table_place){ .dir = dir, .bin = bin,
				      .home = SAY(w, "%s/home", dir),
				      .project = SAY(w, "%s/home/p", dir) };
	w->opt = (struct options){ .created = -1, .scope = IR_SANDBOX,
				   .role = row->role };
	if (!place_files(w) || !place_texts(w))
		return SAY(w, "its files cannot be written: %s", strerror(errno));
	e = run_passes(w, CLI_COMPILE);
	if (row->error)
		return refused(w, e);
	return e == CLI_CLEAN ? write_bundle(w) : refused(w, e);
}

void table_close(struct table_world *w)
{
	if (w->has_bundle)
		bundle_release(&w->bundle);
}

/* --- the evaluator ------------------------------------------------------------------ */

static const char *read_request(struct table_world *w, const struct table_request *q,
				struct ir_request *ret)
{
	struct roots roots = { .dirs = { .dir = { [IR_ROOT_FS] = STR("/") } } };
	const char **words = arena_array(w->a, q->nwords + 1, sizeof(*words));
	const char *why;
	size_t i;

	for (i = 0; i < q->nwords; i++)
		words[i] = table_expand(w, q->words[i]);
	w->opt.request = words;
	w->opt.nrequest = q->nwords;
	w->opt.scope = q->host ? IR_HOST : IR_SANDBOX;
	roots.dirs.dir[IR_ROOT_HOME] = str_from(w->at.home);
	roots.dirs.dir[IR_ROOT_PROJECT] = str_from(w->at.project);
	roots.dirs.dir[IR_ROOT_TMP] = STR("/tmp");
	roots.cwd = str_from(q->cwd ? table_expand(w, q->cwd) : w->at.project);
	return request_read(&w->opt, &roots, w->a, ret, &why, stdout) ?
		NULL : "it is no request";
}

static void count(const struct table_world *w, const struct ir_request *req,
		  const struct eval_decision *d, struct table_seen *seen)
{
	const struct ir *ir = w->c.ir;
	bool final = false, narrow = false;
	size_t i, k;

	seen->step[d->step]++;
	seen->effect[d->effect]++;
	seen->kind[req->kind]++;
	seen->person += d->needs_person;
	seen->dropped += ir->dropped.n;
	for (i = 0; i < d->nmatched; i++) {
		const struct ir_rule *r = d->matched[i];

		final |= r->final;
		seen->soft += r->soft;
		seen->scratch += r->scratch;
		seen->lifted += r->nlifted_by && d->effect < r->effect;
		for (k = i + 1; k < d->nmatched; k++)
			seen->pair[r->level][d->matched[k]->level]++;
	}
	for (i = 0; i < ir->files.n; i++)
		narrow |= ir->files.v[i].narrow;
	seen->marks[final][ir->locked[req->kind].level != 0][narrow]++;
}

const char *table_evaluator(struct table_world *w, const struct table_request *q,
			    struct ir_request *ret_request, struct table_seen *seen)
{
	const char *why = read_request(w, q, ret_request), *err;
	struct eval_decision d;
	struct str id;

	if (why)
		return why;
	eval_decide(w->c.ir, ret_request, w->a, &d);
	count(w, ret_request, &d, seen);
	id = d.rule ? d.rule->id : w->c.ir->scalars[d.scalar].id;
	err = d.err ? target_errno_name(d.err) : NULL;
	if (d.effect != q->effect || !str_eqz(id, q->by) ||
	    strcmp(eval_step_name(d.step), q->step) || d.needs_person != q->person)
		return SAY(w, "%s by %.*s (%s)%s", ir_effect_name(d.effect),
			   STR_ARG(id), eval_step_name(d.step),
			   d.needs_person ? " person" : "");
	if (q->err && (!err || strcmp(err, q->err)))
		return SAY(w, "the errno is %s", err ? err : "none");
	return NULL;
}

/* --- the artefact ------------------------------------------------------------------- */

const char *table_artefact(struct table_world *w, const struct table_request *q,
			   const struct ir_request *req)
{
	/* a filter cannot ask */
	bool filter = req->kind == IR_SYSCALL;
	enum ir_effect want = filter && q->effect == IR_ASK ? IR_DENY : q->effect;
	const struct pb_rule *r;
	const char *why, *err;
	struct decision d;
	struct str id;

	if (!compiled_ask(&w->bundle, req, w->a, &d, &why))
		return why;
	err = d.err ? target_errno_name(d.err) : "none";
	if ((unsigned)want != d.effect || d.needs_person != (q->person && !filter))
		return SAY(w, "%s%s", ir_effect_name((enum ir_effect)d.effect),
			   d.needs_person ? " person" : "");
	if (q->err && strcmp(err, q->err))
		return SAY(w, "the errno is %s", err);
	/* what lets a call pass, a filter does not say */
	if (filter && want == IR_ALLOW)
		return NULL;
	r = bundle_rule(&w->bundle, d.rule);
	if (!r)
		return "no rule decides";
	id = (struct str){ pb_strp(w->bundle.rules, r->id), r->id.len };
	return str_eqz(id, q->by) ? NULL : SAY(w, "by %.*s", STR_ARG(id));
}
