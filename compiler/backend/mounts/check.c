/*
 * Reports for each file and socket rule how the view enforces it, in the terms of
 * semantics 7.  Which names exist is known only on the machine of the run, so notes
 * about absent names say what polrun will do with them.
 */
#include "compiler/backend/mounts/check.h"

#include "compiler/backend/mounts/check_wild.h"
#include "compiler/backend/mounts/needs_exec.h"
#include "compiler/backend/mounts/places.h"
#include "compiler/backend/mounts/refuse.h"
#include "compiler/backend/mounts/sockets.h"

#define LAYER "mounts"

/* --- what one rule says about what another one names -------------- */

static bool same_paths(const struct mounts_places *x, const struct mounts_places *y)
{
	if (x->paths.n != y->paths.n)
		return false;
	for (size_t i = 0; i < x->paths.n; i++) {
		if (!str_eq(x->paths.v[i], y->paths.v[i]))
			return false;
	}
	return true;
}

/* Does another rule deny `op` at exactly these places? */
static bool also_denied(const struct mounts_ctx *c, const struct ir_rule *r, enum ir_op op)
{
	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *o = c->ir->rules.v[i];

		if (mounts_in_sandbox(o, IR_FILE) && o->effect != IR_ALLOW && !o->nexcept &&
		    (o->set.u.file.ops & op) &&
		    o->set.u.file.path.root == r->set.u.file.path.root &&
		    c->at[i].shape == MOUNTS_LITERAL &&
		    same_paths(&c->at[r->index], &c->at[i]))
			return true;
	}
	return false;
}

/* --- allow ---------------------------------------- */

/*
 * A command that the policy allows would end with "Permission denied", which does not say
 * that a rule is missing.
 */
static bool warn_needs_exec(const struct mounts_ctx *c, const struct ir_rule *r, struct str text)
{
	struct needs_exec need;
	struct diag *d;

	if (r->set.u.file.path.root != IR_ROOT_PROJECT ||
	    !needs_exec_find(c->ir, c->report->a, &need))
		return false;
	d = diag_add(c->sink, DIAG_NEEDS_EXEC, need.rule->at.span,
		     "'%s' is allowed, and runs programs of the project, which has no exec rule: "
		     "it ends with \"Permission denied\"", need.line);
	diag_note(c->sink, d, r->at.span, "'%.*s' is writable here", STR_ARG(text));
	diag_help(c->sink, d, "allow exec \"%s\"", need.place);
	return true;
}

static void note_no_exec(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct mounts_places *at = &c->at[r->index];
	enum ir_root root = r->set.u.file.path.root;

	if (r->level == IR_DEFAULT || r->scratch || !(r->set.u.file.ops & IR_WRITE))
		return;
	/* what the library lets be written in HOME are files of state, never a tree to build in */
	if (root == IR_ROOT_HOME && str_starts(r->at.file, STR("std/")))
		return;
	/* a repository's own files: what git starts there is its hooks, which the floor keeps */
	if (root == IR_ROOT_GIT)
		return;
	for (size_t i = 0; i < at->paths.n; i++) {
		struct str text = mounts_place_text(c->report->a, root, at->paths.v[i]);
		struct diag *d;

		if (mounts_has_exec(c, root, at->paths.v[i]))
			continue;
		if (warn_needs_exec(c, r, text))
			return;
		d = diag_add(
			c->sink, DIAG_NO_EXEC_TREE, r->at.span,
			"'%.*s' is writable and has no exec rule: programs and shared "
			"objects that are built there will not run",
			STR_ARG(text));
		diag_help(c->sink, d, "if they should: allow exec \"%.*s\"",
			  STR_ARG(text));
		return;
	}
}

/* Is every place of the rule at or below a place where an allow permits reading? */
static bool has_read(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct mounts_places *at = &c->at[r->index];
	bool all = true;

	if (c->anywhere)
		return true;
	if (at->shape == MOUNTS_ANY)
		return false;
	for (size_t i = 0; i < at->paths.n && all; i++) {
		all = false;
		for (size_t k = 0; k < c->ir->rules.n && !all; k++) {
			const struct ir_rule *o = c->ir->rules.v[k];
			const struct mounts_places *p = &c->at[k];

			if (!mounts_in_sandbox(o, IR_FILE) || o->effect != IR_ALLOW ||
			    !(o->set.u.file.ops & IR_READ) ||
			    o->set.u.file.path.root != r->set.u.file.path.root ||
			    p->shape != MOUNTS_LITERAL)
				continue;
			for (size_t j = 0; j < p->paths.n && !all; j++)
				all = mounts_is_below(at->paths.v[i], p->paths.v[j]);
		}
	}
	return all;
}

static const char host_root[] =
	"the host's tree, read-only, ${HOME} in it; what every run makes for itself "
	"(/proc, /dev, /sys, /run, /tmp, /var/tmp, /dev/shm) lies over it, and devices and "
	"sockets are not opened (over)";

/* The root cannot be a tree of the host that is written: the kernel maps the owner of a mount
 * only together with all mounts in it, and has no such map for its own (/proc, /sys). */
static const char written_root[] =
	"each name of the host's root is mounted by itself and can be written; the root is the "
	"run's own, as is what every run makes for itself (/proc, /dev, /sys, /run, /tmp, "
	"/var/tmp, /dev/shm): no name is made or removed directly in / (over)";

#define UNREAD_UNWRITTEN "what no rule lets be read is not mounted, and so not written"

/* What it costs is measured in doc/performance.md. */
#define BY_NAME                                                                      \
	"the smallest existing tree that contains such names is mounted read-only, and " \
	"polrun decides and makes each writing call there, also for names that appear "  \
	"later"

static void allow_wild(const struct mounts_ctx *c, const struct ir_rule *r)
{
	unsigned ops = r->set.u.file.ops;

	if ((ops & IR_WRITE) && !has_read(c, r))
		bk_note(c->report, r, LAYER, BK_OVER, UNREAD_UNWRITTEN);
	else if (ops & IR_WRITE)
		bk_note(c->report, r, LAYER, BK_EXACT, "%s", BY_NAME);
	if (ops & (IR_READ | IR_EXEC))
		bk_note(c->report, r, LAYER, BK_OVER,
			"an allow of %s with a wildcard opens nothing: no pattern is "
			"expanded at the start",
			ops & IR_READ ? "reading" : "executing");
}

/* Is it a name in a tree that every run makes for itself, and that the run's own tree does not have?
 * What /proc holds is the kernel's. */
static bool is_in_own_tree(struct str path)
{
	static const char *const made[] = {
		"/dev", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
		"/dev/tty", "/dev/ptmx", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr",
	};

	for (size_t i = 0; i < POL_LEN(made); i++)
		if (str_eqz(path, made[i]))
			return false;
	return mounts_is_below(path, STR("/sys")) ||
	       (mounts_is_below(path, STR("/dev")) && !mounts_is_below(path, STR("/dev/shm")) &&
		!mounts_is_below(path, STR("/dev/pts")));
}

/* The library names devices for all systems. */
static bool note_own_tree(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct mounts_places *at = &c->at[r->index];

	for (size_t i = 0; i < at->paths.n; i++) {
		if (r->level == IR_DEFAULT || r->set.u.file.path.root != IR_ROOT_FS ||
		    !is_in_own_tree(at->paths.v[i]))
			continue;
		bk_note(c->report, r, LAYER, BK_OVER,
			"'%.*s' is not in the run: every run makes a /dev with a few devices of its "
			"own, and has no /sys", STR_ARG(at->paths.v[i]));
		return true;
	}
	return false;
}

static void check_allow(const struct mounts_ctx *c, const struct ir_rule *r)
{
	struct mounts_places at;

	if (c->at[r->index].shape != MOUNTS_LITERAL) {
		allow_wild(c, r);
		return;
	}
	if (!r->scratch && note_own_tree(c, r))
		return;
	if (r->scratch)
		bk_note(c->report, r, LAYER, BK_EXACT,
			"a private, empty tmpfs; what the host has there is not shown, "
			"also where an allow names a tree above it (over)");
	else if (ir_rule_is_everywhere(r) && (r->set.u.file.ops & IR_READ))
		bk_note(c->report, r, LAYER, BK_EXACT, "%s", host_root);
	else if (ir_rule_is_everywhere(r) && (r->set.u.file.ops & IR_WRITE) && c->anywhere)
		bk_note(c->report, r, LAYER, BK_EXACT, "%s", written_root);
	else if (!has_read(c, r))
		bk_note(c->report, r, LAYER, BK_OVER,
			"what no rule lets be read is not mounted, and so neither "
			"written nor executed");
	else if (r->set.u.file.ops & IR_WRITE)
		bk_note(c->report, r, LAYER, BK_EXACT,
			"mounted where it exists at the start; what is absent then polrun makes, "
			"in a directory that is shown; what is a socket, or is private in every "
			"run (${HOME} itself, /tmp, /var/tmp, /dev/shm), is not opened (over)");
	else
		bk_note(c->report, r, LAYER, BK_EXACT,
			"mounted where it exists at the start; what is absent then, "
			"is a socket, or is private in every run (${HOME} itself, "
			"/tmp, /var/tmp, /dev/shm), is not opened (over)");
	note_no_exec(c, r);
	for (size_t i = 0; i < r->nexcept; i++) {
		mounts_places(c->report->a, &r->except[i].u.file.path, &at);
		if (at.shape == MOUNTS_LITERAL && (r->set.u.file.ops & IR_EXEC))
			bk_note(c->report, r, LAYER, BK_EXACT,
				"its exception '%.*s': where it is absent at the start, and what is "
				"written could be executed, it is not made (over)",
				STR_ARG(r->except[i].u.file.path.text));
		if (at.shape == MOUNTS_LITERAL)
			continue;
		if (r->set.u.file.ops == IR_WRITE)
			bk_note(c->report, r, LAYER, BK_EXACT,
				"its exception '%.*s' has a wildcard: " BY_NAME,
				STR_ARG(r->except[i].u.file.path.text));
		else
			mounts_check_wild(c, r, &r->except[i]);
	}
}

/* --- deny, ask, hide ---------------------------------------- */

static void check_wild_write(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct mounts_places *at = &c->at[r->index];
	struct str dir;

	if (at->shape == MOUNTS_ANY) {
		bk_note(c->report, r, LAYER, BK_EXACT,
			"the writable trees are mounted read-only, and polrun decides and makes each "
			"writing call there");
		return;
	}
	dir = mounts_place_text(c->report->a, r->set.u.file.path.root, at->paths.v[0]);
	bk_note(c->report, r, LAYER, BK_EXACT, "%s: '%.*s' or above it", BY_NAME,
		STR_ARG(dir));
}

#define ABSENT                                                                    \
	"; where it is absent at the start, polrun decides each writing call in the " \
	"smallest existing tree above it; in scratch trees it is "

/* What the library keeps are files of the host: in a tree of the run's own it makes nothing. */
static const char *in_scratch(const struct ir_rule *r)
{
	return r->level == IR_DEFAULT ? "the run's own" : "made and masked";
}

static void check_literal(const struct mounts_ctx *c, const struct ir_rule *r)
{
	unsigned ops = r->set.u.file.ops;

	if (r->floor && (ops & IR_WRITE)) {
		bk_note(c->report, r, LAYER, BK_EXACT,
			"in a tree that the run can write, polrun decides each writing call by "
			"name; what is absent of a .git that is absent is made with it, and told");
		return;
	}
	if (r->effect == IR_HIDE) {
		bk_note(c->report, r, LAYER, BK_EXACT,
			"not mounted, or masked; the name stays visible where its "
			"directory is" ABSENT "%s", in_scratch(r));
		return;
	}
	if (ops & IR_READ) {
		if (also_denied(c, r, IR_WRITE) && also_denied(c, r, IR_EXEC))
			bk_note(c->report, r, LAYER, BK_EXACT, "masked" ABSENT "%s", in_scratch(r));
		else
			bk_note(c->report, r, LAYER, BK_OVER,
				"masked: writing and executing are denied there too");
		return;
	}
	if (ops & IR_EXEC)
		bk_note(c->report, r, LAYER, BK_EXACT, "mounted noexec" ABSENT
			"%s; where it could be executed then, it is not made (over)", in_scratch(r));
	else
		bk_note(c->report, r, LAYER, BK_EXACT,
			"in a tree that the run can write, polrun decides each writing call by "
			"name" ABSENT "%s", in_scratch(r));
}

static void check_deny(const struct mounts_ctx *c, const struct ir_rule *r)
{
	struct mounts_places at;

	if (r->effect == IR_ASK)
		bk_note(c->report, r, LAYER, BK_OVER,
			"the kernel cannot ask: denied inside the sandbox");
	if (c->at[r->index].shape == MOUNTS_LITERAL)
		check_literal(c, r);
	else if (r->set.u.file.ops == IR_WRITE)
		check_wild_write(c, r);
	else
		mounts_check_wild(c, r, &r->set);
	for (size_t i = 0; i < r->nexcept; i++) {
		mounts_places(c->report->a, &r->except[i].u.file.path, &at);
		if (at.shape == MOUNTS_LITERAL)
			continue;
		if (c->at[r->index].shape == MOUNTS_LITERAL && r->set.u.file.ops != IR_WRITE)
			bk_note(c->report, r, LAYER, BK_OVER,
				"its exception '%.*s' has a wildcard and opens nothing: no pattern is "
				"expanded at the start",
				STR_ARG(r->except[i].u.file.path.text));
		else
			bk_note(c->report, r, LAYER, BK_EXACT,
				"its exception '%.*s' has a wildcard: " BY_NAME,
				STR_ARG(r->except[i].u.file.path.text));
	}
}

/* --- sockets ---------------------------------------- */

/* Why other sockets are (or are not) out of reach anyway. */
static const char *elsewhere(const struct mounts_ctx *c)
{
	return c->anywhere ? "all of the host is one but /run, /tmp, /var/tmp and /dev/shm" :
			     "sockets elsewhere are not mounted";
}

/* Why abstract sockets of the host are out of reach: polrun sees to the one or the other. */
static const char *abstract(const struct mounts_ctx *c)
{
	return c->ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL ?
		       "abstract sockets of the host are closed by Landlock's scope; on a "
		       "kernel without it the run makes no unix sockets but connected pairs" :
		       "abstract sockets of the host are in another namespace";
}

static void allow_unix(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct ir_path *p = &r->set.u.unix_path;
	struct mounts_places at;

	if (p->abstract) {
		bk_note(c->report, r, LAYER, BK_OVER, "%s", abstract(c));
		return;
	}
	mounts_places(c->report->a, p, &at);
	if (at.shape != MOUNTS_LITERAL)
		bk_note(c->report, r, LAYER, BK_OVER,
			"an allow with a wildcard brings no socket in: no pattern is "
			"expanded at the start");
	else if (p->root == IR_ROOT_AGENT)
		bk_note(c->report, r, LAYER, BK_EXACT,
			"the socket that SSH_AUTH_SOCK names is mounted, if it is a socket "
			"of the caller's own");
	else if (p->root == IR_ROOT_TMP)
		bk_note(c->report, r, LAYER, BK_EXACT, "a socket of the run's own");
	else
		bk_note(c->report, r, LAYER, BK_EXACT,
			"a name that is a socket at the start is mounted, and nothing "
			"beside it; one that is absent then, that its server makes anew "
			"later, or that a file rule hides by name, is not reached (over)");
}

static void check_unix(const struct mounts_ctx *c, const struct ir_rule *r)
{
	const struct ir_path *p = &r->set.u.unix_path;

	if (r->effect == IR_ALLOW)
		allow_unix(c, r);
	else if (p->abstract)
		bk_note(c->report, r, LAYER, r->effect == IR_ASK ? BK_OVER : BK_EXACT, "%s",
			abstract(c));
	else if (mounts_is_literal(c->report->a, p))
		bk_note(c->report, r, LAYER, BK_ENTRY_ONLY,
			"masked where it is a socket at the start; a connection to one that "
			"is made later in a mounted tree is not stopped in this version; %s",
			elsewhere(c));
	else
		bk_note(c->report, r, LAYER, BK_ENTRY_ONLY,
			"a connection to a socket file inside of a mounted tree is not "
			"stopped in this version; %s", elsewhere(c));
}

/* --- scalars ---------------------------------------- */

/*
 * Is every memfd_create denied?  A file made by memfd_create lies on no mount, so no
 * noexec applies to it, and Landlock does not look at it.
 */
static bool is_memfd_denied(const struct ir *ir)
{
	bool denied = false;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind != IR_SYSCALL || !(r->scopes & IR_SANDBOX) ||
		    !str_eqz(r->set.u.syscall.name, "memfd_create"))
			continue;
		if (r->effect != IR_DENY)
			return false; /* a final allow, or one that lifts a default */
		denied |= !r->set.u.syscall.cond && !r->nexcept;
	}
	return denied;
}

static void check_scalars(const struct mounts_ctx *c)
{
	static const enum ir_scalar_id ids[] = { IR_S_FILE_READ, IR_S_FILE_WRITE,
						 IR_S_FILE_EXEC };
	const struct ir_scalar *s;

	for (size_t i = 0; i < POL_LEN(ids); i++) {
		s = &c->ir->scalars[ids[i]];
		if (s->effect == IR_ASK)
			bk_note_scalar(
				c->report, ids[i], LAYER, BK_OVER,
				"the kernel cannot ask: what no rule names is not "
				"mounted");
		else if (ids[i] == IR_S_FILE_EXEC && s->effect != IR_ALLOW &&
			 !is_memfd_denied(c->ir))
			bk_note_scalar(c->report, ids[i], LAYER, BK_ENTRY_ONLY,
				       "a program without a path is not stopped in this "
				       "version; 'deny memfd_create' stops its making");
		else if (ids[i] == IR_S_FILE_WRITE && s->effect == IR_ALLOW)
			bk_note_scalar(c->report, ids[i], LAYER,
				       c->anywhere ? BK_EXACT : BK_OVER, "%s",
				       c->anywhere ? written_root : UNREAD_UNWRITTEN);
		else if (s->effect == IR_ALLOW)
			bk_note_scalar(c->report, ids[i], LAYER, BK_EXACT, "%s",
				       ids[i] == IR_S_FILE_READ ?
					       host_root :
					       "mounted without noexec where no rule "
					       "denies it");
		else
			bk_note_scalar(c->report, ids[i], LAYER, BK_EXACT, "%s",
				       c->anywhere ? "the host's tree, read-only" :
						     "a fresh root that holds only "
						     "what rules name");
	}
	s = &c->ir->scalars[IR_S_UNIX_OTHERWISE];
	if (s->effect == IR_ALLOW)
		bk_note_scalar(c->report, IR_S_UNIX_OTHERWISE, LAYER, BK_OVER,
			       "sockets outside of the mounted trees are not there");
	else
		bk_note_scalar(
			c->report, IR_S_UNIX_OTHERWISE, LAYER, BK_ENTRY_ONLY,
			"a connection to a socket file inside of a mounted tree is "
			"not stopped in this version%s%s",
			c->anywhere ? ", unless it listens at the start, in a tree that the "
				      "run cannot write: then it is masked; " : "",
			c->anywhere ? elsewhere(c) : "");
}

void mounts_check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	struct mounts_places *at = arena_array(report->a, ir->rules.n + 1, sizeof(*at));
	struct mounts_ctx c = { ir, report, sink, at, false, ir_reads_anywhere(ir) };

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		c.has_scratch |= r->scratch;
		if (r->kind == IR_FILE)
			mounts_places(report->a, &r->set.u.file.path, &at[i]);
	}
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (mounts_in_sandbox(r, IR_UNIX))
			check_unix(&c, r);
		if (!mounts_in_sandbox(r, IR_FILE))
			continue;
		if (r->effect == IR_ALLOW)
			check_allow(&c, r);
		else
			check_deny(&c, r);
	}
	check_scalars(&c);
	mounts_sockets_check(ir, sink);
	(void)mounts_refuse(ir, sink);
}
