/*
 * Decides which files are used, at which level and in which order: inputs, the files
 * that they use, std/base and the floor.  A used file has the level of the file that
 * uses it; only std/base and the floor have level 5.
 */
#include "compiler/sema/internal.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/frontend/frontend.h"
#include "compiler/sema/library.h"

#define MAX_DEPTH 16u
#define MAX_UNITS 512u

/* A file to load, before it becomes a unit. */
struct wanted {
	const char *path;
	struct str name;
	enum ir_level level; /* 0: an input without a level option */
	bool narrow, found, std;
	struct sema_unit *from;
	struct span at;
	const struct sema_input *input;
	struct sema_store *store; /* NULL: the file system */
};

void sema_init(struct sema *s, struct arena *a, struct diag_sink *sink,
	       struct source_map *map, const char *stdlib_dir)
{
	*s = (struct sema){ .a = a, .sink = sink, .map = map, .stdlib_dir = stdlib_dir };
}

/* Sets s->stdlib_dir if the caller named no other library. */
static bool find_library(struct sema *s)
{
	if (s->stdlib_dir)
		return true;
	s->library = library_own(s->a);
	if (!s->library) {
		struct diag *d = diag_add(s->sink, DIAG_FILE_READ, SPAN_NONE,
					  "cannot find the standard library: %s",
					  strerror(errno));
		diag_help(s->sink, d, "it lies beside the program, whose place "
			  "/proc/self/exe says: is /proc mounted?");
		return false;
	}
	s->stdlib_dir = s->library->dir;
	return true;
}

static void note_chain(struct sema *s, struct diag *d, const struct sema_unit *u)
{
	for (; u && u->from; u = u->from)
		diag_note(s->sink, d, u->from_at, "'%.*s' is used here",
			  STR_ARG(u->name));
}

static struct sema_unit *unit_of(const struct sema *s, const char *real,
				 enum ir_level level, bool narrow)
{
	for (size_t i = 0; i < s->units.n; i++) {
		struct sema_unit *u = s->units.v[i];

		if (u->level == level && u->narrow == narrow && !strcmp(u->real, real))
			return u;
	}
	return NULL;
}

#define SUGGEST_MAX 256

static struct str without_ending(struct str name)
{
	return str_ends(name, STR(".pol")) ? str_sub(name, 0, name.n - 4) : name;
}

/* In the folder of `path`, the policy whose name is most similar, or NULL. */
static const char *near_file(struct sema *s, struct str path)
{
	struct str folder = sema_dirname(path);
	const char *names[SUGGEST_MAX];
	const struct dirent *e;
	size_t n = 0;
	DIR *dir = opendir(folder.n ? str_dup(s->a, folder).p : ".");

	if (!dir)
		return NULL;
	while (n < SUGGEST_MAX && (e = readdir(dir))) {
		struct str name = str_from(e->d_name);

		if (str_ends(name, STR(".pol")))
			names[n++] = str_dup(s->a, without_ending(name)).p;
	}
	(void)closedir(dir);
	return diag_suggest(without_ending(str_sub(path, folder.n, path.n - folder.n)),
			    names, n);
}

/*
 * Suggests a similar name.  For files of the library it is the whole name, for others
 * the last part.
 */
static void help_near(struct sema *s, struct diag *d, const struct wanted *w)
{
	const char *near = near_file(s, str_from(w->path));
	struct str folder = w->std ? sema_dirname(w->name) : STR("");

	if (near)
		diag_help(s->sink, d, "did you mean '%.*s%s'?", STR_ARG(folder), near);
}

int sema_input_text(struct source_map *map, const struct sema_input *in, uint32_t *ret_file)
{
	struct str name = in->name.n ? in->name : str_from(in->path);

	if (!in->text.p)
		return source_read(map, in->path, name, ret_file);
	*ret_file = source_add(map, name, in->text);
	return 0;
}

/* Reads a file of a store; false after an error. */
static bool read_stored(struct sema *s, const struct wanted *w, uint32_t *ret_file)
{
	struct str text;
	const char *why = w->store->read(w->store, w->path, &text);
	struct diag *d;

	if (!why) {
		*ret_file = source_add(s->map, w->name, text);
		return true;
	}
	d = diag_add(s->sink, DIAG_FILE_READ, w->at, "cannot read the policy '%.*s': %s",
		     STR_ARG(w->name), why);
	note_chain(s, d, w->from);
	return false;
}

static struct diag *read_error(struct sema *s, const struct wanted *w, int err)
{
	struct diag *d = diag_add(s->sink, DIAG_FILE_READ, w->at,
				  "cannot read the policy '%.*s': %s", STR_ARG(w->name),
				  strerror(err));

	if (err == EFBIG)
		diag_help(s->sink, d, "a policy file may have %zu MiB",
			  SOURCE_MAX_BYTES >> 20);
	if (err == ENOENT && w->from)
		help_near(s, d, w);
	else if (err == ENOENT && w->std && s->library)
		diag_help(s->sink, d,
			  "the standard library of this program belongs in '%s': it is "
			  "not installed completely", s->library->dir);
	note_chain(s, d, w->from);
	return d;
}

/*
 * Checks who may write a file of the library, because that file is part of everybody's
 * policy.  False after an error.
 */
static bool is_own(struct sema *s, const struct sema_unit *u, const struct wanted *w)
{
	const char *why = s->library && w->std ?
				  library_writer(s->library, s->a, u->real) :
				  NULL;

	if (!why)
		return true;
	struct diag *d = diag_add(s->sink, DIAG_LIBRARY_WRITER, w->at,
				  "'%.*s' may be written by others: %s",
				  STR_ARG(w->name), why);
	diag_help(s->sink, d, "the standard library belongs to who installed the program; "
		  "nobody else may write it");
	note_chain(s, d, w->from);
	return false;
}

static bool is_managed(enum ir_level level)
{
	return level && level <= IR_MANAGED_FILE;
}

static bool read_text(struct sema *s, struct sema_unit *u, const struct wanted *w)
{
	int r;

	if (w->store)
		return read_stored(s, w, &u->file);
	r = w->input ? sema_input_text(s->map, w->input, &u->file) :
		       source_read(s->map, u->path, u->name, &u->file);
	if (r < 0)
		read_error(s, w, -r);
	return r >= 0;
}

/* The file of the library in the policy that was loaded before, or NULL. */
static const struct sema_unit *loaded_before(const struct sema *s, const struct sema_unit *u,
					     const struct wanted *w)
{
	for (size_t i = 0; s->before && u->std && i < s->before->units.n; i++) {
		const struct sema_unit *o = s->before->units.v[i];

		if (o->std && o->quiet && is_managed(o->level) == is_managed(w->level) &&
		    strcmp(o->real, u->real) == 0 && str_eq(o->name, u->name))
			return o;
	}
	return NULL;
}

void sema_after(struct sema *s, const struct sema *before)
{
	assert(!s->map->files.n);
	s->before = before;
	/* with the same numbers, since the trees' places have them */
	for (size_t i = 0; i < before->map->files.n; i++)
		VEC_PUSH(s->a, &s->map->files, before->map->files.v[i]);
}

/* Reads and parses the file.  The same file at several levels shares one tree. */
static bool read_unit(struct sema *s, struct sema_unit *u, const struct wanted *w)
{
	size_t errors = s->sink->errors, messages = s->sink->list.n;
	const struct sema_unit *before;

	if (!is_own(s, u, w))
		return false;
	for (size_t i = 0; i < s->units.n; i++) {
		struct sema_unit *o = s->units.v[i];

		if (strcmp(o->real, u->real) || !str_eq(o->name, u->name))
			continue;
		/*
		 * at a managed level, the YAML reader locks what a file says about
		 * runners: so the trees differ
		 */
		if (frontend_is_yaml(u->name) &&
		    is_managed(o->level) != is_managed(w->level))
			continue;
		u->tree = o->tree;
		u->file = o->file;
		return sema_find_policy(s, u);
	}
	before = loaded_before(s, u, w);
	if (before) {
		u->tree = before->tree;
		u->file = before->file;
		u->quiet = true;
		return sema_find_policy(s, u);
	}
	if (!read_text(s, u, w))
		return false;
	s->map->files.v[u->file].library = u->std;
	s->map->files.v[u->file].managed = is_managed(w->level);
	u->tree = frontend_parse(s->a, s->sink, s->map, u->file);
	u->quiet = s->sink->list.n == messages;
	return u->tree && s->sink->errors == errors && sema_find_policy(s, u);
}

static bool load_uses(struct sema *s, struct sema_unit *u);

static bool in_chain(const struct sema_unit *u, const char *real)
{
	for (; u; u = u->from)
		if (strcmp(u->real, real) == 0)
			return true;
	return false;
}

static bool is_found(const struct wanted *w)
{
	return !w->std && (w->input ? w->input->discovered : w->found);
}

/*
 * Decides whether the file may widen.  Only a file that was found needs the user's trust,
 * and the trust covers what it uses: if that has changed, the user has not seen the policy
 * that this would be.
 */
static bool set_narrow(struct sema *s, struct sema_unit *u, const struct wanted *w)
{
	struct diag *d;

	if (u->level != IR_PROJECT || !u->found) {
		u->narrow = w->narrow;
		return true;
	}
	u->narrow = w->narrow || !s->trusted ||
		    !s->trusted(u->real, s->map->files.v[u->file].text);
	if (w->input || w->narrow || !u->narrow)
		return true;
	d = diag_add(s->sink, DIAG_UNTRUSTED_USE, w->at,
		     "'%.*s' is trusted, but what it uses here is not", STR_ARG(w->from->name));
	diag_help(s->sink, d, "it has changed or is new: read it, then 'polc trust %.*s'",
		  STR_ARG(w->from->name));
	note_chain(s, d, w->from);
	return false;
}

/*
 * Checks that a project's file which nobody named, and the files that it uses, are
 * inside the project.  Otherwise a link, or a `use` of somebody's private file, would
 * make messages quote its lines, and messages end up in CI logs.
 */
static bool stays_inside(struct sema *s, const struct wanted *w, const char *real)
{
	const struct sema_unit *top = w->from;
	const char *project;
	struct str path;

	if (w->std || !is_found(w))
		return true;
	while (top && top->from)
		top = top->from;
	/* the file was found in PROJECT/.pol, which may itself be a link */
	path = sema_dirname(str_from(top ? top->path : w->path));
	path = sema_dirname(str_sub(path, 0, path.n ? path.n - 1 : 0));
	project = sema_canonical(s, path.n ? str_z(s->a, path) : ".");
	if (project && str_starts(str_from(real), str_from(project)) &&
	    (real[strlen(project)] == '/' || !project[1]))
		return true;
	struct diag *d = diag_add(s->sink, DIAG_FILE_READ, w->at,
				  "'%.*s' lies outside of the project", STR_ARG(w->name));
	diag_help(s->sink, d,
		  "a project's file that nobody named, and what it uses, stays in the "
		  "project; name it with --project to trust it");
	note_chain(s, d, w->from);
	return false;
}

/* May `w` be loaded at all?  ret_real receives its canonical path. */
static bool admit(struct sema *s, const struct wanted *w, const char **ret_real)
{
	if (w->store) /* with its revision, and so the name of no other file */
		*ret_real = str_z(s->a, w->name);
	else
		*ret_real = w->input && w->input->text.p ? w->path :
							   sema_canonical(s, w->path);
	if (!*ret_real) {
		read_error(s, w, errno);
		return false;
	}
	if (!stays_inside(s, w, *ret_real))
		return false;
	if (in_chain(w->from, *ret_real)) {
		struct diag *d = diag_add(s->sink, DIAG_USE_CYCLE, w->at,
					  "'%.*s' is used by itself", STR_ARG(w->name));
		note_chain(s, d, w->from);
		return false;
	}
	if ((w->from && w->from->depth + 1 > MAX_DEPTH) || s->units.n >= MAX_UNITS) {
		struct diag *d =
			diag_add(s->sink, DIAG_USE_DEPTH, w->at,
				 "'%.*s' is one file too many: at most %u in a "
				 "chain and %u in all",
				 STR_ARG(w->name), MAX_DEPTH, MAX_UNITS);
		note_chain(s, d, w->from);
		return false;
	}
	return true;
}

/* Returns NULL after an error. */
static struct sema_unit *load_unit(struct sema *s, const struct wanted *w)
{
	const char *real;
	struct sema_unit *u, *old;

	if (!admit(s, w, &real))
		return NULL;
	old = w->level ? unit_of(s, real, w->level, w->narrow) : NULL;
	if (old && !w->input)
		return old;
	u = ARENA_NEW(s->a, struct sema_unit);
	*u = (struct sema_unit){ .name = w->name,
				 .path = w->path,
				 .real = real,
				 .store = w->store,
				 .level = w->level,
				 .narrow = w->narrow,
				 .found = is_found(w),
				 .std = w->std,
				 .named = w->input != NULL,
				 .from = w->from,
				 .from_at = w->at,
				 .uses_base = SPAN_NONE,
				 .depth = w->from ? w->from->depth + 1 : 0 };
	if (!read_unit(s, u, w))
		return NULL;
	if (w->input && !sema_input_level(s, u, w->input))
		return NULL;
	if (!set_narrow(s, u, w))
		return NULL;
	old = unit_of(s, real, u->level, u->narrow);
	if (old) { /* a file counts once for each level, however often it is named */
		old->named |= u->named;
		return old;
	}
	VEC_PUSH(s->a, &s->units, u);
	bool ok = sema_check_policy_keys(s, u);
	return load_uses(s, u) && ok ? u : NULL;
}

/* The same of a file of a store: what it uses lies there too. */
static bool stored_target(struct sema *s, const struct sema_unit *u,
			  const struct ast_value *v, struct str text, struct wanted *ret)
{
	struct str path = sema_normal(
		s->a, text.p[0] == '/' ?
			      text : str_cat(s->a, sema_dirname(str_from(u->path)), text));

	if (!path.n || path.p[0] == '/' || str_eqz(path, "..") ||
	    str_starts(path, STR("../"))) {
		diag_add(s->sink, DIAG_FILE_READ, v->at, "'%.*s' is no file of '%.*s'",
			 STR_ARG(v->text), STR_ARG(u->store->name));
		return false;
	}
	ret->path = str_z(s->a, path);
	ret->name = str_cat(s->a, u->store->name, path);
	ret->store = u->store;
	return true;
}

/* Finds the file that `use TEXT` in `u` means. */
static bool use_target(struct sema *s, const struct sema_unit *u,
		       const struct ast_value *v, struct wanted *ret)
{
	struct str text = v->text;
	struct str path;
	bool suffix = frontend_is_yaml(text) || str_ends(text, STR(".pol"));

	if (!text.n || memchr(text.p, '\\', text.n) || memchr(text.p, '$', text.n) ||
	    memchr(text.p, 0, text.n)) {
		diag_add(s->sink, DIAG_FILE_READ, v->at,
			 "'use' takes the name of a file as it is");
		return false;
	}
	if (!suffix)
		text = str_cat(s->a, text, STR(".pol"));
	*ret = (struct wanted){ .level = u->level,
				.narrow = u->narrow,
				.found = u->found,
				.from = (struct sema_unit *)u,
				.at = v->at };
	if (str_starts(text, STR("std/"))) {
		struct str in = sema_normal(s->a, str_sub(text, 4, text.n - 4));

		if (str_starts(in, STR(".."))) {
			diag_add(s->sink, DIAG_FILE_READ, v->at,
				 "'%.*s' leaves the standard library",
				 STR_ARG(v->text));
			return false;
		}
		path = str_printf(s->a, "%s/%.*s", s->stdlib_dir, STR_ARG(in));
		ret->std = true;
		ret->name = str_cat(s->a, STR("std/"), in);
	} else if (u->store) {
		return stored_target(s, u, v, text, ret);
	} else if (text.p[0] == '/') {
		path = ret->name = text;
	} else {
		path = str_cat(s->a, sema_dirname(str_from(u->path)), text);
		ret->name =
			sema_normal(s->a, str_cat(s->a, sema_dirname(u->name), text));
		ret->std = u->std;
	}
	ret->path = str_z(s->a, path);
	return true;
}

/* std/base and the floor have level 5 only, however their names are spelled. */
static bool is_always_there(struct sema *s, struct sema_unit *u,
			    const struct wanted *w)
{
	const char *real = w->store ? NULL : sema_canonical(s, w->path);

	if (!real || !sema_is_built_in(s, real))
		return false;
	if (str_ends(str_from(real), STR("/base.pol")))
		u->uses_base = w->at;
	return true;
}

static bool load_uses(struct sema *s, struct sema_unit *u)
{
	bool ok = true;

	for (const struct ast_stmt *t = u->tree->stmts; t; t = t->next) {
		for (const struct ast_value *v = t->kind == AST_USE ? t->values : NULL;
		     v; v = v->next) {
			struct wanted w;
			struct sema_unit *to;

			if (!use_target(s, u, v, &w)) {
				ok = false;
				continue;
			}
			if (is_always_there(s, u, &w))
				continue;
			to = load_unit(s, &w);
			if (!to) {
				ok = false;
				continue;
			}
			struct sema_use use = { .to = to, .at = v->at };
			VEC_PUSH(s->a, &u->uses, use);
		}
	}
	return ok;
}

static bool load_std(struct sema *s, const char *file, bool floor)
{
	struct wanted w = { .level = IR_DEFAULT, .std = true, .at = SPAN_NONE };
	struct sema_unit *u;

	w.path = arena_printf(s->a, "%s/%s", s->stdlib_dir, file);
	w.name = str_printf(s->a, "std/%s", file);
	u = load_unit(s, &w);
	if (!u)
		return false;
	u->floor = floor;
	return true;
}

static bool unit_before(const struct sema_unit *a, const struct sema_unit *b)
{
	if (a->floor != b->floor)
		return b->floor;
	return a->level < b->level;
}

static void sort_units(struct sema *s)
{
	for (size_t i = 1; i < s->units.n; i++) {
		struct sema_unit *u = s->units.v[i];
		size_t j = i;

		for (; j > 0 && unit_before(u, s->units.v[j - 1]); j--)
			s->units.v[j] = s->units.v[j - 1];
		s->units.v[j] = u;
	}
	for (size_t i = 0; i < s->units.n; i++)
		s->units.v[i]->order = (uint32_t)i;
}

/*
 * Finds the units that each unit uses, directly or through others; there are no cycles.
 */
static void reach_of(struct sema *s, struct sema_unit *u)
{
	if (u->reach)
		return;
	u->reach = arena_array(s->a, s->units.n, sizeof(*u->reach));
	for (size_t i = 0; i < u->uses.n; i++) {
		struct sema_unit *to = u->uses.v[i].to;

		reach_of(s, to);
		u->reach[to->order] = true;
		for (size_t k = 0; k < s->units.n; k++)
			u->reach[k] |= to->reach[k];
	}
}

bool sema_load(struct sema *s, const struct sema_input *inputs, size_t n)
{
	bool ok = true, base = true;

	if (!find_library(s))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct sema_input *in = &inputs[i];
		struct wanted w = { .path = in->path,
				    .store = in->store,
				    .level = in->level,
				    .name = in->name.n ? in->name : str_from(in->path),
				    .std = in->std,
				    .at = SPAN_NONE,
				    .input = in };

		ok &= load_unit(s, &w) != NULL;
	}
	ok &= sema_base_wanted(s, &base);
	if (base)
		ok &= load_std(s, "base.pol", false);
	ok &= load_std(s, "floor.pol", true);
	sort_units(s);
	for (size_t i = 0; i < s->units.n; i++)
		reach_of(s, s->units.v[i]);
	s->base = (struct ir_scalar){ .text = base ? STR("std") : STR("none") };
	s->loaded = ok;
	return ok && s->sink->errors == 0;
}
