/* What may run, which variables a run gets, and which limits it has. */
#include "compiler/analysis/exposure_run.h"

#include "compiler/analysis/exposure_path.h"
#include "compiler/eval/eval.h"
#include "compiler/sets/lang.h"
#include "runtime/base/env_name.h"

/* --- commands ------------------------------------------------------------------------ */

/* Folders of the system's programs, as in sets/lang.c. */
static const char *const folders[] = { "/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/",
				       "/sbin/" };
/* A rule that denies the program, whatever its words are, denies all of these. */
static const char *const words[][2] = {
	{ NULL, NULL }, { "x", NULL }, { "-x", NULL }, { "--x=y", "z" }, { "x", "y" },
};

static struct eval_decision decide(const struct exposure_asker *q, struct ir_request *req)
{
	struct eval_decision d;

	req->kind = IR_COMMAND;
	req->scope = q->where->scope;
	req->roots = q->where->roots;
	req->cwd = q->where->cwd;
	eval_decide(q->ir, req, q->a, &d);
	return d;
}

static struct eval_decision decide_program(const struct exposure_asker *q, const char *name,
					 const char *const more[2])
{
	struct str *argv = arena_array(q->a, 3, sizeof(*argv));
	struct ir_request req = { .argv = argv, .nargv = 1 };

	argv[0] = str_from(name);
	for (size_t i = 0; i < 2 && more[i]; i++)
		argv[req.nargv++] = str_from(more[i]);
	return decide(q, &req);
}

/*
 * An ask, `otherwise` and risk bind the command that a run begins with.  What it starts
 * is held by files and by denies of commands (doc/semantics.md, 4.6).
 */
static bool is_denied(const struct exposure_asker *q, const char *name)
{
	for (size_t i = 0; i < POL_LEN(words); i++) {
		struct eval_decision d = decide_program(q, name, words[i]);

		if (d.effect <= IR_ASK || !d.rule)
			return false;
	}
	return true;
}

static struct exposure_reach inside(const struct exposure_asker *q, const char *pattern,
				    const char *name)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	for (size_t i = 0; i < POL_LEN(folders) && ret.grade != EXPOSURE_OPEN; i++)
		exposure_add(&ret, exposure_path(q, IR_FILE, IR_EXEC, IR_ROOT_FS,
						 str_printf(q->a, "%s%s", folders[i], pattern)));
	if (ret.grade != EXPOSURE_CLOSED && is_denied(q, name))
		ret.grade = EXPOSURE_CLOSED;
	return ret;
}

/* May the program column of the rule be this name, in one of its spellings? */
static bool names_program(const struct ir_command *c, const char *name)
{
	struct arena tmp;
	struct set_re *re;
	struct str got;
	bool yes = false;

	/* `**` may be any program, and what a search finds is not looked at */
	if (c->regex || !c->nwords || c->words[0].any_words)
		return true;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	re = set_from_word(&tmp, &c->words[0].glob, SET_BROAD);
	for (size_t i = 0; i <= POL_LEN(folders) && !yes; i++) {
		const char *dir = i < POL_LEN(folders) ? folders[i] : "";
		struct str one = str_printf(&tmp, "%s%s", dir, name);

		yes = set_member(&tmp, set_lit(&tmp, one), re, SET_DEFAULT_BUDGET, &got) !=
		      SET_WITNESS;
	}
	arena_release(&tmp);
	return yes;
}

/*
 * Rules that let the program begin, whatever words and options they want: an attacker
 * writes them.
 */
static struct exposure_reach by_rules(const struct exposure_asker *q, const char *name)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	const struct ir *ir = q->ir;

	for (size_t i = 0; i < ir->rules.n && ret.grade != EXPOSURE_OPEN; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		struct exposure_reach one = { .grade = EXPOSURE_ASKED };

		if (r->kind != IR_COMMAND || !(r->scopes & (unsigned)q->where->scope) ||
		    r->effect > IR_ASK || r->soft || !names_program(&r->set.u.command, name))
			continue;
		if (r->effect == IR_ALLOW && exposure_is_locked(ir, r))
			continue;
		if (r->effect == IR_ALLOW)
			one.grade = EXPOSURE_OPEN;
		one.by = exposure_by_rule(r);
		exposure_add(&ret, one);
	}
	return ret;
}

/* What may begin: in a run the first command, and each one that an agent asks for. */
static struct exposure_reach begins(const struct exposure_asker *q, const char *name)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	if (is_denied(q, name))
		return ret;
	for (size_t i = 0; i < POL_LEN(words) && ret.grade != EXPOSURE_OPEN; i++) {
		struct eval_decision d = decide_program(q, name, words[i]);

		exposure_add(&ret, exposure_reach_of(q->ir, &d));
	}
	exposure_add(&ret, by_rules(q, name));
	return ret;
}

struct exposure_reach exposure_program(const struct exposure_asker *q, const char *pattern,
				       const char *name)
{
	/* an agent that only asks has nothing else that holds it */
	if (!pattern || q->where->scope == IR_HOST)
		return begins(q, name);
	return inside(q, pattern, name);
}

struct exposure_reach exposure_line(const struct exposure_asker *q, const char *line)
{
	struct ir_request req = { .line = str_from(line) };
	struct eval_decision d = decide(q, &req);

	return exposure_reach_of(q->ir, &d);
}

/* --- variables -------------------------------------------------------------------------- */

/* Is there a name that matches both?  `*` stands for anything. */
static bool overlap(const char *x, struct str y)
{
	if (!*x && !y.n)
		return true;
	if (*x == '*')
		return overlap(x + 1, y) || (y.n && overlap(x, str_sub(y, 1, y.n - 1)));
	if (y.n && y.p[0] == '*')
		return overlap(x, str_sub(y, 1, y.n - 1)) || (*x && overlap(x + 1, y));
	return *x && y.n && *x == y.p[0] && overlap(x + 1, str_sub(y, 1, y.n - 1));
}

/* May `keep BY`, or `set BY`, give a variable of the pattern? */
static bool is_meant(struct str by, const char *pattern, bool exact)
{
	/* whether a name is a credential its known part tells */
	if (exact || str_eqz(by, "*"))
		return env_name_kept(by.p, by.n, pattern, strlen(pattern));
	/* `*_KEY` does not stand for the names of locales, which std/base keeps by a wildcard */
	return !str_starts(by, STR("LC_")) && overlap(pattern, by);
}

struct exposure_reach exposure_variable(const struct exposure_asker *q, const char *pattern,
					bool exact)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	const struct ir *ir = q->ir;

	for (size_t i = 0; i < ir->keep.n; i++) {
		const struct ir_env_keep *k = &ir->keep.v[i];

		if (!is_meant(k->name, pattern, exact))
			continue;
		ret.grade = EXPOSURE_OPEN;
		ret.by = (struct exposure_by){ k->id, str_cat(q->a, STR("keep "), k->name),
					       k->at, k->level };
		return ret;
	}
	/* the value is written in the policy: it is not shown here */
	for (size_t i = 0; i < ir->env.n; i++) {
		const struct ir_env_set *s = &ir->env.v[i];

		if (!is_meant(s->name, pattern, exact))
			continue;
		ret.grade = EXPOSURE_OPEN;
		ret.by = (struct exposure_by){ s->id, str_cat(q->a, STR("set "), s->name),
					       s->at, s->level };
		return ret;
	}
	return ret;
}

/* --- limits ----------------------------------------------------------------------------- */

struct exposure_reach exposure_limit(const struct exposure_asker *q, enum ir_scalar_id id,
				     uint64_t most)
{
	const struct ir_scalar *s = &q->ir->scalars[id];
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	if (s->set && s->num <= most)
		return ret;
	ret.grade = EXPOSURE_OPEN;
	ret.by = exposure_by_scalar(q->ir, id);
	return ret;
}
