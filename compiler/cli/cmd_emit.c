/*
 * `polc emit --to KIND`: the policy in another engine's language, on stdout.  What the
 * engine cannot say is denied there and reported on stderr.
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/loaded.h"
#include "compiler/cli/report.h"
#include "compiler/emit/emit.h"

static enum cli_exit unknown_target(const char *name)
{
	const char *names[16] = { NULL }, *near;
	size_t n = 0;

	for (const struct emit_target *t = emit_targets; t->name && n < POL_LEN(names); t++)
		names[n++] = t->name;
	near = diag_suggest(str_from(name), names, n);
	fprintf(stderr, "polc: emit knows no '%s'", name);
	if (near)
		fprintf(stderr, ": did you mean '%s'?", near);
	else
		for (size_t i = 0; i < n; i++)
			fprintf(stderr, "%s%s", i ? ", " : "; there are ", names[i]);
	fputc('\n', stderr);
	return CLI_TROUBLE;
}

static void print_notes(struct arena *a, const struct emit_report *r)
{
	for (size_t i = 0; i < r->notes.n; i++) {
		const struct emit_note *n = &r->notes.v[i];

		fputs(n->loss ? "lost: " : "note: ", stderr);
		if (n->at)
			fprintf(stderr, "%.*s:%u: ",
				STR_ARG(cli_clean(a, n->at->file, false)), n->at->line);
		fprintf(stderr, "%.*s\n", STR_ARG(cli_clean(a, n->text, false)));
	}
}

enum cli_exit cmd_emit(struct options *o, struct arena *a)
{
	const struct emit_target *t = emit_find(str_from(o->to));
	struct emit_options eo = { .uid = o->uid, .cgroup = o->cgroup, .loopback = o->loopback };
	struct emit_report r = { .a = a };
	struct loaded l;
	struct buf out;
	const char *why;
	enum cli_exit e;

	if (!t)
		return unknown_target(o->to);
	e = loaded_read(&l, o, a);
	if (e != CLI_CLEAN)
		return e;
	if (!o->bundle)
		report_print(&l.c);
	buf_init(&out, a);
	why = t->emit(l.ir, &eo, &out, &r);
	if (why) {
		fprintf(stderr, "polc: %s\n", why);
		return CLI_TROUBLE;
	}
	print_notes(a, &r);
	fwrite(out.p, 1, out.n, stdout);
	return o->strict && r.losses ? CLI_FINDINGS : CLI_CLEAN;
}
