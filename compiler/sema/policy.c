/*
 * Reads a file's `policy` statement: its keys, the level of a named file, and whether
 * std/base is left out.
 */
#include "compiler/sema/internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const policy_keys[] = { "level",       "serial", "expires",
					   "description", "owner",  "base" };
static const char *const level_names[] = { "managed", "managed-file", "project",
					   "user" };

const char *sema_canonical(struct sema *s, const char *path)
{
	char *real = realpath(path, NULL);
	const char *ret = NULL;

	if (real) {
		ret = str_z(s->a, str_from(real));
		free(real);
	}
	return ret;
}

static const struct ast_stmt *policy_pair(const struct ast_stmt *policy,
					  const char *key)
{
	for (const struct ast_stmt *p = policy ? policy->body : NULL; p; p = p->next)
		if (p->kind == AST_PAIR && str_eqz(p->name, key))
			return p;
	return NULL;
}

/* The text of a pair's single value, if that is a word or a string. */
static struct str pair_text(const struct ast_stmt *pair)
{
	return pair && pair->values ? pair->values->text : STR_NULL;
}

bool sema_find_policy(struct sema *s, struct sema_unit *u)
{
	bool ok = true;

	for (const struct ast_stmt *t = u->tree->stmts; t; t = t->next) {
		if (t->kind != AST_POLICY)
			continue;
		if (u->policy) {
			struct diag *d = diag_add(s->sink, DIAG_DUPLICATE_POLICY, t->at,
						  "a second 'policy' statement");
			diag_note(s->sink, d, u->policy->at, "the first one is here");
			ok = false;
			continue;
		}
		u->policy = t;
	}
	return ok;
}

static bool is_text(const struct ast_value *v)
{
	return v->kind == AST_V_STRING || v->kind == AST_V_RAW || v->kind == AST_V_NAME;
}

/*
 * Checks the keys of `policy`: each must be known and appear once.  A file that is only
 * used, and is not of the library, may state nothing but `description` and `owner`.
 */
bool sema_check_policy_keys(struct sema *s, const struct sema_unit *u)
{
	bool ok = true;

	for (const struct ast_stmt *p = u->policy ? u->policy->body : NULL; p;
	     p = p->next) {
		const struct ast_stmt *first =
			policy_pair(u->policy, str_z(s->a, p->name));
		bool harmless =
			str_eqz(p->name, "description") || str_eqz(p->name, "owner");
		bool known = false;

		for (size_t i = 0; i < POL_LEN(policy_keys); i++)
			known |= str_eqz(p->name, policy_keys[i]);
		if (p->kind != AST_PAIR)
			continue;
		if (!known) {
			struct diag *d = diag_add(s->sink, DIAG_UNKNOWN_KEY, p->name_at,
						  "'policy' has no key '%.*s'",
						  STR_ARG(p->name));
			const char *near = diag_suggest(p->name, policy_keys,
							POL_LEN(policy_keys));
			if (near)
				diag_help(s->sink, d, "did you mean '%s'?", near);
			else if (p->values->kind == AST_V_MAP)
				diag_help(s->sink, d,
					  "sections stand on their own, behind the "
					  "'}' of 'policy'");
			ok = false;
		} else if (first != p) {
			struct diag *d =
				diag_add(s->sink, DIAG_SCALAR_CONFLICT, p->at,
					 "'%.*s' is stated twice", STR_ARG(p->name));
			diag_note(s->sink, d, first->at, "the first one is here");
			ok = false;
		} else if (harmless && !is_text(p->values)) {
			diag_add(s->sink, DIAG_VALUE, p->values->at,
				 "'%.*s' is a text in double quotes", STR_ARG(p->name));
			ok = false;
		} else if (!u->named && !u->std && !harmless) {
			struct diag *d = diag_add(s->sink, DIAG_USED_POLICY, p->at,
						  "a file that is used states '%.*s'",
						  STR_ARG(p->name));
			diag_note(s->sink, d, u->from_at,
				  "it speaks at the level of the "
				  "file that uses it, which is this one");
			ok = false;
		}
	}
	return ok;
}

bool sema_declares_level(const struct ast_file *tree)
{
	for (const struct ast_stmt *t = tree->stmts; t; t = t->next)
		if (t->kind == AST_POLICY && policy_pair(t, "level"))
			return true;
	return false;
}

static bool level_by_name(struct str text, enum ir_level *ret)
{
	for (int l = IR_MANAGED; l < IR_LEVEL_COUNT; l++)
		if (str_eqz(text, ir_level_name((enum ir_level)l))) {
			*ret = (enum ir_level)l;
			return true;
		}
	return false;
}

bool sema_is_built_in(struct sema *s, const char *real)
{
	static const char *const own[] = { "base.pol", "floor.pol" };

	for (size_t i = 0; i < POL_LEN(own); i++) {
		const char *path = arena_printf(s->a, "%s/%s", s->stdlib_dir, own[i]);
		const char *r = sema_canonical(s, path);

		if (r && strcmp(r, real) == 0)
			return true;
	}
	return false;
}

/* The level of an input: the option's, else the declared one, else project. */
/* The file states another level than the option or the folder that it was found in. */
static void other_level(struct sema *s, const struct ast_stmt *pair, enum ir_level declared,
			const struct sema_input *in)
{
	const char *says = ir_level_name(declared), *is = ir_level_name(in->level);
	struct diag *d;

	if (!in->folder.n) {
		d = diag_add(s->sink, DIAG_LEVEL, pair->at,
			     "the file declares level '%s' but is named on the command line as "
			     "'%s'", says, is);
		diag_help(s->sink, d, "drop the option or state 'level %s'", is);
		return;
	}
	d = diag_add(s->sink, DIAG_LEVEL, pair->at,
		     "the file declares level '%s' but lies in '%.*s', whose files speak at "
		     "level '%s'", says, STR_ARG(in->folder), is);
	diag_help(s->sink, d, declared == IR_USER ?
		  "state 'level %s', or move the file to '~/.config/pol'; or to '.pol/extra', which is read "
		  "only where -p names it" :
		  "state 'level %s', or name the file on the command line", is);
}

bool sema_input_level(struct sema *s, struct sema_unit *u, const struct sema_input *in)
{
	const struct ast_stmt *pair = policy_pair(u->policy, "level");
	enum ir_level declared = IR_PROJECT;

	if (pair && !level_by_name(pair_text(pair), &declared)) {
		struct diag *d =
			diag_add(s->sink, DIAG_LEVEL, pair->values->at,
				 "'%.*s' is no level", STR_ARG(pair_text(pair)));
		const char *near = diag_suggest(pair_text(pair), level_names,
						POL_LEN(level_names));
		if (near)
			diag_help(s->sink, d, "did you mean '%s'?", near);
		else
			diag_help(s->sink, d,
				  "levels are managed, managed-file, "
				  "project and user");
		return false;
	}
	if (pair && in->level && declared != in->level) {
		other_level(s, pair, declared, in);
		return false;
	}
	u->level = in->level ? in->level : declared;
	if (u->level == IR_DEFAULT && !sema_is_built_in(s, u->real)) {
		struct diag *d =
			diag_add(s->sink, DIAG_LEVEL, pair ? pair->at : SPAN_NONE,
				 "level 'default' belongs to std/base alone");
		diag_help(s->sink, d, "state 'level user' or 'level project'");
		return false;
	}
	return true;
}

/*
 * What one policy says with `base`: 1: std, 0: none, -1: nothing, -2: there was an
 * error.
 */
static int stated_base(struct sema *s, const struct sema_unit *u)
{
	const struct ast_stmt *pair = policy_pair(u->policy, "base");

	if (!pair || !u->named)
		return -1;
	if (str_eqz(pair_text(pair), "std"))
		return 1;
	if (!str_eqz(pair_text(pair), "none")) {
		diag_add(s->sink, DIAG_VALUE, pair->at,
			 "'base' is 'std' or 'none', not '%.*s'",
			 STR_ARG(pair_text(pair)));
		return -2;
	}
	if (u->uses_base.file != SOURCE_NONE) {
		struct diag *d = diag_add(s->sink, DIAG_BASE, u->uses_base,
					  "the file uses std/base and leaves it out");
		diag_note(s->sink, d, pair->at, "it is left out here");
		return -2;
	}
	return 0;
}

/*
 * Is std/base loaded?  The highest level that says so decides.  A narrow-only level
 * cannot leave it out, and a level below a lock has no say (lower/ reports these cases
 * together with the other scalars).
 */
bool sema_base_wanted(struct sema *s, bool *ret_wanted)
{
	enum ir_level best = IR_LEVEL_COUNT;

	*ret_wanted = true;
	for (size_t i = 0; i < s->units.n; i++) {
		const struct sema_unit *u = s->units.v[i];
		int b = stated_base(s, u);

		if (b == -2)
			return false;
		if (b < 0 || u->level > best || (b == 0 && u->narrow))
			continue;
		/* two of one level that disagree are reported later */
		*ret_wanted = b == 1 || (u->level == best && *ret_wanted);
		best = u->level;
	}
	return true;
}
