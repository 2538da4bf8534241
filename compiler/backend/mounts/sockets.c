/*
 * Knows services whose sockets give a run more than the permission to connect seems to:
 * to be you elsewhere, or to have something run outside of the sandbox.
 */
#include "compiler/backend/mounts/sockets.h"

#include <fnmatch.h>

#include "compiler/backend/mounts/places.h"
#include "compiler/eval/request.h"

static const struct service {
	enum ir_root root;
	const char *pattern, *whose, *gives;
} services[] = {
#define SOCKET(root, pattern, weight, whose, gives) { IR_ROOT_##root, pattern, whose, gives },
#include "compiler/target/sockets.def"
#undef SOCKET
};

/* A login of which no policy speaks. */
static const struct ir_roots roots = { .dir = {
	[IR_ROOT_FS] = { "/", 1 },
	[IR_ROOT_HOME] = { "/home/1000", 10 },
	[IR_ROOT_PROJECT] = { "/home/1000/p", 12 },
	[IR_ROOT_TMP] = { "/tmp", 4 },
	[IR_ROOT_AGENT] = { "/tmp/ssh-1000/agent.1000", 24 },
} };

static bool is_named(const char *pattern, struct str path, struct arena *a)
{
	return fnmatch(pattern, str_z(a, path), FNM_PATHNAME) == 0;
}

/* Does a name of the rule have the form of this service's? */
static bool names_it(const struct service *s, const struct ir_path *p,
		     const struct mounts_places *at, struct arena *a)
{
	for (size_t i = 0; i < at->paths.n; i++) {
		struct str path = at->paths.v[i];

		if (p->root == s->root && is_named(s->pattern, path, a))
			return true;
		if (p->root == IR_ROOT_FS && s->root == IR_ROOT_HOME &&
		    (is_named(arena_printf(a, "/home/*%s", s->pattern), path, a) ||
		     is_named(arena_printf(a, "/root%s", s->pattern), path, a)))
			return true;
	}
	return false;
}

/* Does the rule allow one of the service's sockets, by a pattern or a folder? */
static bool covers_it(const struct service *s, const struct ir_rule *r, struct arena *a)
{
	struct ir_request req = { .kind = IR_UNIX, .scope = IR_SANDBOX, .roots = roots };
	struct buf b;

	buf_init(&b, a);
	if (s->root != IR_ROOT_FS)
		buf_str(&b, roots.dir[s->root]);
	for (const char *c = s->pattern; *c; c++) {
		if (*c == '*')
			buf_z(&b, "1000");
		else
			buf_ch(&b, *c);
	}
	req.path = buf_view(&b);
	return eval_rule_matches(r, &req);
}

struct found {
	const struct service *first;
	size_t more; /* other services, for a rule that covers several */
	bool covers;
};

/* The paths of one statement are rules that follow each other: they share a message. */
static void say(const struct ir_rule *r, const struct found *f, const struct ir_rule *before,
		struct diag **d, struct diag_sink *sink)
{
	const struct service *s = f->first;
	struct str text = r->set.u.unix_path.text;
	const char *is = f->covers ? "covers" : "is";
	bool again = *d && before && before->at.span.file == r->at.span.file &&
		     before->at.span.off == r->at.span.off;

	if (again)
		diag_note(sink, *d, r->at.span, "'%.*s' %s the socket of %s: %s",
			  STR_ARG(text), is, s->whose, s->gives);
	else
		*d = diag_add(sink, DIAG_SOCKET_GIVES, r->at.span,
			      "'%.*s' %s the socket of %s: %s", STR_ARG(text), is, s->whose,
			      s->gives);
	if (f->more)
		diag_note(sink, *d, r->at.span,
			  "'%.*s' covers those of %zu more services that polc knows",
			  STR_ARG(text), f->more);
	if (again)
		return;
	if (f->covers)
		diag_help(sink, *d, "name the sockets that the run needs");
	else if (s->root == IR_ROOT_AGENT)
		diag_help(sink, *d, "keys that are added with 'ssh-add -c' are used only "
				    "after you have confirmed it");
}

static struct found find(const struct ir_rule *r, struct arena *a)
{
	struct found f = { .covers = false };
	struct mounts_places at;
	const char *last = "";

	mounts_places(a, &r->set.u.unix_path, &at);
	for (size_t i = 0; i < POL_LEN(services) && at.shape == MOUNTS_LITERAL; i++) {
		if (!names_it(&services[i], &r->set.u.unix_path, &at, a))
			continue;
		f.first = &services[i];
		return f;
	}
	for (size_t i = 0; i < POL_LEN(services); i++) {
		if (!covers_it(&services[i], r, a) || strcmp(services[i].whose, last) == 0)
			continue;
		f.more += f.first != NULL;
		f.first = f.first ? f.first : &services[i];
		last = services[i].whose;
	}
	f.covers = f.first != NULL;
	return f;
}

/* Does a list of variables to keep name this one?  `NAME*` does not keep it: see
 * runtime/polrun/env.c. */
static bool is_kept(const struct ir *ir, const char *name)
{
	for (size_t i = 0; i < ir->keep.n; i++)
		if (str_eqz(ir->keep.v[i].name, name))
			return true;
	return false;
}

void mounts_sockets_check(const struct ir *ir, struct diag_sink *sink)
{
	const struct ir_rule *before = NULL;
	struct diag *said = NULL;

	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_path *p = &r->set.u.unix_path;
		struct found f;

		if (r->kind != IR_UNIX || r->effect != IR_ALLOW || p->abstract ||
		    !(r->scopes & IR_SANDBOX))
			continue;
		f = find(r, sink->a);
		if (f.first) {
			say(r, &f, before, &said, sink);
			before = r;
		}
		if (p->root == IR_ROOT_AGENT && !is_kept(ir, "SSH_AUTH_SOCK")) {
			struct diag *d = diag_add(sink, DIAG_AGENT_UNKNOWN, r->at.span,
						  "the run gets the agent's socket, but not "
						  "SSH_AUTH_SOCK, which says where it is");

			diag_help(sink, d, "env { keep += SSH_AUTH_SOCK }");
		}
	}
}
