/*
 * Writes the sources of a bundle to files, in one tree for each level, so that `use`
 * finds the same files as before.  Names keep their form: a name that climbs
 * ("../x") must still end inside the directory; an absolute name is refused.
 */
#include "compiler/cli/reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/base/buf.h"
#include "compiler/cli/cli.h"
#include "runtime/state/state_dir.h"

#define STD "std/"
/* A name may climb this many times. */
#define FLOORS "/1/2/3/4/5/6/7/8"

static bool complain(const struct reproduce *r, const char *why)
{
	fprintf(stderr, "polc: '%s' cannot be compiled again: %s\n",
		r->b.name[0] ? r->b.name : "the bundle", why);
	return false;
}

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	return json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, json_type_string) ?
		       json_object_get_string(v) :
		       NULL;
}

static struct str optional(struct arena *a, struct json_object *o, const char *key)
{
	const char *s = text_of(o, key);

	return s ? str_dup(a, str_from(s)) : STR_NULL;
}

static bool make_dirs(struct arena *a, const char *path)
{
	char *p = arena_printf(a, "%s", path);

	for (char *s = p + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(p, 0700) != 0 && errno != EEXIST)
			return false;
		*s = '/';
	}
	return true;
}

/* A file may be written again: several levels share the standard library, and its text is
 * equal in all of them. */
static bool put_file(struct arena *a, const char *path, const uint8_t *p, size_t n)
{
	FILE *f;
	bool ok;

	if (!make_dirs(a, path))
		return false;
	f = fopen(path, "we");
	if (!f)
		return false;
	ok = fwrite(p, 1, n, f) == n;
	return fclose(f) == 0 && ok;
}

/* Does the name have more "../" than FLOORS, so that it leaves the directory? */
static bool climbs_out(const char *name)
{
	unsigned up = 0;

	for (const char *p = name; (p = strstr(p, "..")) != NULL; p += 2)
		up++;
	return up > 8;
}

static enum ir_level level_of(const char *word)
{
	for (int l = IR_MANAGED; l <= IR_DEFAULT; l++) {
		if (strcmp(ir_level_name((enum ir_level)l), word) == 0)
			return (enum ir_level)l;
	}
	return IR_DEFAULT;
}

static bool add_source(struct reproduce *r, struct arena *a, struct json_object *o)
{
	const char *name = text_of(o, "name"), *path = text_of(o, "path");
	const char *level = text_of(o, "level");
	const struct bundle_member *m = path ? bundle_member(&r->b, path) : NULL;
	struct json_object *narrow = NULL;
	struct sema_input in = { .cmdline_level = true };

	if (!m)
		return complain(r, "its sources are not in it (--no-sources)");
	if (name[0] == '/' || climbs_out(name))
		return complain(r, "a source has an absolute name, or one that climbs too far");
	(void)json_object_object_get_ex(o, "narrow", &narrow);
	in.level = level_of(level);
	in.discovered = json_object_get_boolean(narrow);
	in.name = str_dup(a, str_from(name));
	if (strncmp(name, STD, strlen(STD)) == 0)
		in.path = arena_printf(a, "%s/%s", r->dir, name);
	else
		in.path = arena_printf(a, "%s/%s" FLOORS "/%s", r->dir, level, name);
	if (!put_file(a, in.path, m->data, m->size))
		return complain(r, strerror(errno));
	if (in.level != IR_DEFAULT && strncmp(name, STD, strlen(STD)) != 0)
		VEC_PUSH(a, &r->inputs, in);
	return true;
}

static bool read_sources(struct reproduce *r, struct arena *a, struct json_object *o)
{
	struct json_object *list = NULL;

	if (!json_object_object_get_ex(o, "sources", &list))
		return complain(r, "its manifest has no sources");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (!add_source(r, a, json_object_array_get_idx(list, i)))
			return false;
	}
	return true;
}

static bool read_manifest(struct reproduce *r, struct arena *a, struct json_object *o)
{
	const char *version = text_of(o, "compiler");

	if (!version || strcmp(version, POL_VERSION) != 0)
		return complain(r, arena_printf(a, "it is polc %s that made it, and "
						   "this is " POL_VERSION,
						version ? version : "?"));
	r->opt = (struct bundle_options){
		.created = r->b.created >= 0 ? r->b.created : -1,
		.serial = r->b.serial,
		.expires = optional(a, o, "not_after"),
		.not_before = optional(a, o, "not_before"),
		.previous = optional(a, o, "previous"),
		.signatures = r->b.threshold,
		.version = POL_VERSION,
	};
	if (r->b.changes)
		r->opt.changes = (struct str){ r->b.changes->json.p, r->b.changes->json.n };
	return read_sources(r, a, o);
}

/* Takes the role from the resolved policy, since the manifest does not name it. */
static const char *role_of(struct reproduce *r, struct arena *a)
{
	const struct bundle_member *m = bundle_member(&r->b, PB_IR);
	struct json_object *o = m ? json_tokener_parse(arena_printf(
						   a, "%.*s", (int)m->size,
						   (const char *)m->data)) :
				    NULL;
	const char *role = o ? text_of(o, "role") : NULL;

	role = role && role[0] ? arena_printf(a, "%s", role) : NULL;
	json_object_put(o);
	return role;
}

bool reproduce_begin(const char *path, struct arena *a, struct reproduce *ret)
{
	char dir[PATH_MAX];
	struct rt_err err = { .err = 0 };
	struct json_object *o;
	bool ok;

	*ret = (struct reproduce){ .dir = NULL };
	if (bundle_open(path, &ret->b, &err) < 0) {
		cli_say_err(&err);
		return false;
	}
	/* not in TMPDIR: a run that could write there could lead these files elsewhere */
	if (state_dir_temp("reproduce", dir, &err) < 0)
		return complain(ret, err.text);
	ret->dir = arena_printf(a, "%s", dir);
	ret->stdlib_dir = arena_printf(a, "%s/std", ret->dir);
	/* The reader has found the manifest canonical, so it is JSON. */
	o = json_tokener_parse(arena_printf(a, "%.*s", (int)ret->b.manifest_size,
					    (const char *)ret->b.manifest));
	ok = o ? read_manifest(ret, a, o) : complain(ret, "its manifest is not JSON");
	json_object_put(o);
	ret->role = role_of(ret, a);
	return ok;
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st;
	(void)what;
	(void)at;
	return remove(path);
}

void reproduce_end(struct reproduce *r)
{
	if (r->dir)
		(void)nftw(r->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	bundle_release(&r->b);
	r->dir = NULL;
}

bool reproduce_same(const struct reproduce *r, struct arena *a, struct str bytes,
		    const char **ret_what)
{
	struct rt_err err = { .err = 0 };
	uint8_t *copy = malloc(bytes.n);
	struct bundle b;
	size_t i;
	bool same;

	*ret_what = "it cannot be read";
	if (!copy)
		return false;
	memcpy(copy, bytes.p, bytes.n);
	if (bundle_parse(copy, bytes.n, &b, &err) < 0)
		return false;
	/* Manifest and archive have only one form: equal manifests mean equal bundles. */
	same = b.manifest_size == r->b.manifest_size &&
	       memcmp(b.manifest, r->b.manifest, b.manifest_size) == 0;
	*ret_what = PB_MANIFEST;
	for (i = 0; !same && i < b.nmembers && i < r->b.nmembers; i++) {
		const struct bundle_member *x = &b.members[i], *y = &r->b.members[i];

		if (strcmp(x->path, y->path) == 0 && memcmp(x->b2, y->b2, 32) == 0)
			continue;
		/* it comes before the member whose digests it has */
		if (strcmp(x->path, PB_BLOCKS) == 0 && strcmp(y->path, PB_BLOCKS) == 0)
			continue;
		*ret_what = arena_printf(a, "%s", y->path);
		break;
	}
	bundle_release(&b);
	return same;
}
