/*
 * Refuses the file rules for which there is no mechanism and no safe stand-in: denies of files that
 * the kernel makes for each process, named by a wildcard or by a path such as /proc/self.  polc
 * reports such a rule as an error: a bundle with it would seem to deny what no layer denies.
 */
#include "compiler/backend/mounts/refuse.h"

#include "compiler/backend/mounts/places.h"

static bool in_sandbox(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->scopes & IR_SANDBOX);
}

/*
 * Does a pattern with a wildcard take something away in a tree of the kernel's?  Polrun opens
 * nothing there: these files are not the same for it as for the run.
 */
static bool refuse_wild(const struct ir_rule *r, const struct ir_set *set, struct diag_sink *sink)
{
	static const struct str trees[] = { { "/proc", 5 }, { "/sys", 4 }, { "/dev", 4 } };
	unsigned ops = set->u.file.ops & r->set.u.file.ops & (IR_READ | IR_EXEC);
	struct mounts_places places;
	struct diag *d;

	if (!ops || set->u.file.path.root != IR_ROOT_FS)
		return false;
	mounts_places(sink->a, &set->u.file.path, &places);
	if (places.shape != MOUNTS_WILD || mounts_is_below(places.paths.v[0], STR("/dev/shm")))
		return false;
	for (size_t i = 0; i < POL_LEN(trees); i++) {
		if (!mounts_is_below(places.paths.v[0], trees[i]))
			continue;
		d = diag_add(sink, DIAG_WILD_SYSTEM, r->at.span,
			     "'%.*s' has a wildcard in %.*s, whose files the kernel makes for the "
			     "process that opens them: nobody can decide about them by name",
			     STR_ARG(set->u.file.path.text), STR_ARG(trees[i]));
		diag_help(sink, d, "name the files or a directory without '*', '?' and '**'");
		return true;
	}
	return false;
}

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

/*
 * Is it a name by which each process sees something else?  A mount there would cover what
 * polinit sees at the start.  Source: proc(5).
 */
static bool is_of_process(struct str path)
{
	static const struct str links[] = {
		{ "/dev/fd", 7 }, { "/dev/stdin", 10 }, { "/dev/stdout", 11 }, { "/dev/stderr", 11 },
		{ "/proc/self", 10 }, { "/proc/thread-self", 17 },
		{ "/proc/mounts", 12 }, { "/proc/net", 9 },
	};
	const size_t top = sizeof("/proc/") - 1;
	size_t end = top;

	for (size_t i = 0; i < POL_LEN(links); i++)
		if (mounts_is_below(path, links[i]))
			return true;
	if (!mounts_is_below(path, STR("/proc")))
		return false;
	while (end < path.n && path.p[end] != '/')
		end++;
	return path.n > top && is_number(str_sub(path, top, end - top));
}

/* Does a pattern without wildcards take something away at such a name? */
static bool refuse_of_process(const struct ir_rule *r, const struct ir_set *set, struct diag_sink *sink)
{
	struct mounts_places places;
	struct diag *d;

	if (set->u.file.path.root != IR_ROOT_FS)
		return false;
	mounts_places(sink->a, &set->u.file.path, &places);
	if (places.shape != MOUNTS_LITERAL)
		return false;
	for (size_t i = 0; i < places.paths.n; i++) {
		if (!is_of_process(places.paths.v[i]))
			continue;
		d = diag_add(sink, DIAG_WILD_SYSTEM, r->at.span,
			     "the path '%.*s' leads each process to another file: a rule cannot deny it by name",
			     STR_ARG(places.paths.v[i]));
		diag_help(sink, d, "a run sees its own processes only; for what an agent reads outside "
				   "of runs add 'when scope == host'");
		return true;
	}
	return false;
}

static bool refuse_set(const struct ir_rule *r, const struct ir_set *set, struct diag_sink *sink)
{
	return refuse_wild(r, set, sink) || refuse_of_process(r, set, sink);
}

static bool refuse_rule(const struct ir_rule *r, struct diag_sink *sink)
{
	if (r->effect != IR_ALLOW)
		return refuse_set(r, &r->set, sink);
	for (size_t i = 0; i < r->nexcept; i++)
		if (refuse_set(r, &r->except[i], sink))
			return true;
	return false;
}

bool mounts_refuse(const struct ir *ir, struct diag_sink *sink)
{
	bool bad = false;

	for (size_t i = 0; i < ir->rules.n; i++) {
		if (in_sandbox(ir->rules.v[i]))
			bad |= refuse_rule(ir->rules.v[i], sink);
	}
	return !bad;
}
