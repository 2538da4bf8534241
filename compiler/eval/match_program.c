/*
 * Decides whether an allow pattern means the program word of a command: by its name, if
 * nobody else could have put a file of that name there, or because it is the very file
 * that the pattern names.
 */
#include "compiler/eval/match_program.h"
#include "compiler/eval/match_glob.h"

static const char *const trusted_dirs[] = {
	"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/",
};

struct str eval_base_name(struct str w)
{
	size_t i = w.n;

	while (i > 0 && w.p[i - 1] != '/')
		i--;
	return str_sub(w, i, w.n - i);
}

static const struct ir_pin *pin_of(const struct eval_asked *q, struct str name)
{
	size_t i;

	for (i = 0; i < q->ir->pins.n; i++)
		if (str_eq(q->ir->pins.v[i].name, name))
			return &q->ir->pins.v[i];
	return NULL;
}

bool eval_program_is_trusted(const struct eval_asked *q, struct str w)
{
	struct str base = eval_base_name(w);
	struct str dir = str_sub(w, 0, w.n - base.n);
	const struct ir_pin *pin = pin_of(q, base);
	size_t i;

	if (!dir.n)
		return true;
	if (!base.n) /* a directory is not a program */
		return false;
	if (pin)
		return str_eq(w, pin->path);
	for (i = 0; i < POL_LEN(trusted_dirs); i++)
		if (str_eqz(dir, trusted_dirs[i]))
			return true;
	return false;
}

bool eval_program_path(struct arena *a, struct str w, struct str dir, struct str *ret_path)
{
	struct buf out;
	struct str all = w;
	size_t i, from;

	if (w.n && w.p[0] != '/') {
		if (!dir.n || dir.p[0] != '/')
			return false;
		all = str_cat(a, str_cat(a, dir, STR("/")), w);
	}
	if (!all.n)
		return false;
	buf_init(&out, a);
	for (i = 0; i < all.n; i++) {
		struct str part;

		for (from = i; i < all.n && all.p[i] != '/'; i++)
			;
		part = str_sub(all, from, i - from);
		if (str_eqz(part, ".."))
			return false;
		if (!part.n || str_eqz(part, "."))
			continue;
		buf_ch(&out, '/');
		buf_str(&out, part);
	}
	*ret_path = buf_view(&out);
	return true;
}

/* A relative path in a pattern is relative to the project. */
static bool is_file(const struct eval_asked *q, struct arena *a, const struct ir_glob *g,
		    struct str w, struct str dir, enum eval_until until)
{
	struct str project = str_from(q->world->project), path, rest;

	if (!eval_program_path(a, w, dir, &path))
		return false;
	if (eval_match_glob(g, path, EVAL_B_PLAIN, until))
		return true;
	if (!project.n || !str_starts(path, project))
		return false;
	rest = str_sub(path, project.n, path.n - project.n);
	if (!str_eqz(project, "/")) {
		if (rest.n < 2 || rest.p[0] != '/')
			return false;
		rest = str_sub(rest, 1, rest.n - 1);
	}
	if (!rest.n)
		return false;
	return eval_match_glob(g, rest, EVAL_B_PLAIN, until) ||
	       eval_match_glob(g, str_cat(a, STR("./"), rest), EVAL_B_PLAIN, until);
}

static struct eval_match match_file(const struct eval_asked *q, const struct ir_glob *g,
				  struct str w, enum eval_until until)
{
	const struct cmd_dir *d = q->part->dirs;
	struct eval_match m = { false, d != NULL };
	struct arena a;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (w.p[0] == '/') {
		m.may = m.must = is_file(q, &a, g, w, STR_NULL, until);
	} else if (q->part->dirs_unknown || !d) {
		m = (struct eval_match){ true, false };
	} else {
		for (; d; d = d->next) {
			bool yes = is_file(q, &a, g, w, str_from(d->path), until);

			m.may |= yes;
			m.must &= yes;
		}
	}
	arena_release(&a);
	return m;
}

struct eval_match eval_match_program(const struct eval_asked *q, const struct ir_glob *g,
				 struct str w, enum eval_until until)
{
	static const struct eval_match yes = { true, true }, no = { false, false };
	const struct ir_pin *pin = pin_of(q, eval_base_name(w));
	bool trusted = eval_program_is_trusted(q, w);

	/* a word with a '/' names a file, never a name that PATH finds */
	if (trusted && eval_match_glob(g, eval_base_name(w), EVAL_B_PLAIN, until))
		return yes;
	if ((pin && !trusted) || !eval_glob_has_slash(g) || !memchr(w.p, '/', w.n))
		return no;
	return match_file(q, g, w, until);
}
