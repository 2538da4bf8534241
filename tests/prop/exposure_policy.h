/*
 * A random policy that is made of the names of the catalogue of `polc exposure`: lines of each
 * section, defaults and a lock, and their text.
 */
#ifndef TESTS_PROP_EXPOSURE_POLICY_H
#define TESTS_PROP_EXPOSURE_POLICY_H

#include "compiler/target/target.h"
#include "tests/prop/laws.h"

#define MAX_LINES 40

/* --- names of the catalogue ------------------------------------------------------------ */

struct name {
	const char *fact;
	unsigned ops;
	const char *root, *text;
};

enum { OPS_READ = IR_READ, OPS_WRITE = IR_WRITE, OPS_BOTH = IR_WRITE | IR_EXEC };

#define PATH(id, ops, root, text) { #id, OPS_##ops, #root, text },
static const struct name paths[] = {
#include "compiler/analysis/exposure.def"
};

#define HOST(id, text, port) { #id, port, NULL, text },
static const struct name hosts[] = {
#include "compiler/analysis/exposure.def"
};

#define RANGE(id, text) { #id, 0, NULL, text },
static const struct name ranges[] = {
#include "compiler/analysis/exposure.def"
};

#define CALL(id, text) { #id, 0, NULL, text },
static const struct name calls[] = {
#include "compiler/analysis/exposure.def"
};

#define PROGRAM(id, text, name) { #id, 0, NULL, name },
static const struct name programs[] = {
#include "compiler/analysis/exposure.def"
};

#define VARIABLE(id, text, exact) { #id, exact, NULL, text },
static const struct name variables[] = {
#include "compiler/analysis/exposure.def"
};

#define SOCKET(root, pattern, weight, whose, gives) { whose, 0, #root, pattern },
static const struct name sockets[] = {
#include "compiler/target/sockets.def"
};

/* --- random lines ------------------------------------------------------------------------ */

/* Sections that a line may stand in; SCALARS: a statement that may be there once. */
enum section { FILES, NETWORK, UNIX, SYSCALL, COMMAND, SECTIONS };

static const char *const section_words[SECTIONS] = { "file", "network", "unix", "syscall",
						     "command" };

struct line {
	enum pol_slot slot;
	enum section section;
	const char *effect, *ops, *set, *guard, *except;
	bool final, gone;
};

struct policy {
	struct line line[MAX_LINES];
	size_t n;
	int otherwise[SECTIONS]; /* 0 allow, 1 ask, 2 deny */
	int opaque, mode;        /* mode: 0 full, 1 limited, 2 disabled */
	const char *keep[4];
	unsigned hours;          /* 0: no limit */
	int locked;              /* a section, or -1 */
};

static const enum pol_slot slots[] = { POL_MANAGED, POL_MANAGED_FILE, POL_PROJECT, POL_USER,
				       POL_BASE };
static const char *const strictness[] = { "allow", "ask", "deny" };

/*
 * A case is about few things, so that its rules meet: most lines are of one section, and
 * its files are neighbours in the catalogue.
 */
static struct {
	enum section section;
	size_t path;
} focus;

static void set_focus(struct rnd *r, uint64_t n)
{
	focus.section = (enum section)(n % SECTIONS);
	focus.path = rnd_below(r, (uint32_t)POL_LEN(paths));
}

static const struct name *row_nearby(struct rnd *r)
{
	return &paths[(focus.path + rnd_below(r, 8)) % POL_LEN(paths)];
}

/* A pattern, one of a folder above it, or everything. */
static const char *random_path(struct rnd *r, const struct name *n)
{
	const char *root = strcmp(n->root, "HOME") == 0	    ? "${HOME}" :
			   strcmp(n->root, "PROJECT") == 0 ? "${PROJECT_DIR}" :
							     "";
	char *text = arena_printf(r->a, "%s", n->text), *slash;
	uint32_t up = rnd_below(r, 4);

	if (rnd_one_in(r, 12))
		return "\"/\"";
	if (*root && rnd_one_in(r, 8))
		root = strcmp(n->root, "HOME") == 0 ? "/home/*" : root;
	if (rnd_one_in(r, 12) && (slash = strrchr(text, '/')) && slash[1])
		return arena_printf(r->a, "\"%s\"", slash + 1);
	while (up-- > 1 && (slash = strrchr(text, '/')) && slash > text)
		*slash = '\0';
	return arena_printf(r->a, "\"%s%s\"", root, text);
}

static const char *random_socket(struct rnd *r)
{
	const struct name *n = &RND_PICK(r, sockets);

	return strcmp(n->root, "AGENT") == 0 ? "\"${SSH_AUTH_SOCK}\"" : random_path(r, n);
}

static const char *random_net(struct rnd *r)
{
	static const char *const protos[] = { "", "tcp ", "tcp ", "udp " };
	static const char *const ports[] = { "", "", " port 443", " port 25", " port 1-1000" };
	const char *host;

	switch (rnd_below(r, 6)) {
	case 0:
		host = "any";
		break;
	case 1:
		host = RND_PICK(r, ranges).text;
		break;
	case 2:
		host = rnd_one_in(r, 2) ? "0.0.0.0/0" : "::/0";
		break;
	case 3:
		host = rnd_one_in(r, 2) ? "\"*.com\"" : "\"*.github.com\"";
		break;
	default:
		host = RND_PICK(r, hosts).text;
		host = *host ? arena_printf(r->a, "\"%s\"", host) : "any";
	}
	return arena_printf(r->a, "%s%s%s", RND_PICK(r, protos), host, RND_PICK(r, ports));
}

static const char *random_call(struct rnd *r, const char **guard)
{
	static const char *const with[][2] = {
		{ "clone(flags)", "when flags & CLONE_NEWUSER" },
		{ "unshare(flags)", "when flags & CLONE_NEWUSER" },
		{ "socket(family)", "when family == AF_PACKET" },
		{ "socket(family)", "when family in [AF_PACKET, AF_VSOCK, AF_ALG]" },
		{ "ioctl", "when cmd == TIOCSTI" },
		{ "ptrace(request)", "when request == 0" },
	};

	if (!rnd_one_in(r, 3))
		return RND_PICK(r, calls).text;
	*guard = with[rnd_below(r, POL_LEN(with))][1];
	for (size_t i = 0; i < POL_LEN(with); i++)
		if (with[i][1] == *guard)
			return with[i][0];
	return NULL;
}

static struct line random_line(struct rnd *r, const char *effect)
{
	static const char *const ops[] = { "read", "write", "exec", "read, write",
					   "write, exec", "read, write, exec" };
	struct line l = { .slot = RND_PICK(r, slots), .effect = effect, .ops = "", .guard = "",
			  .section = focus.section };

	if (rnd_one_in(r, 4))
		l.section = (enum section)rnd_below(r, SECTIONS);
	l.final = l.slot == POL_MANAGED && strcmp(effect, "ask") != 0 && rnd_one_in(r, 4);
	switch (l.section) {
	case FILES:
		l.set = random_path(r, row_nearby(r));
		l.ops = RND_PICK(r, ops);
		if (strcmp(effect, "deny") == 0 && rnd_one_in(r, 3)) {
			l.effect = "hide";
			l.ops = "";
		}
		break;
	case NETWORK:
		l.set = random_net(r);
		break;
	case UNIX:
		l.set = random_socket(r);
		break;
	case SYSCALL:
		l.set = random_call(r, &l.guard);
		break;
	case COMMAND:
	case SECTIONS:
		l.set = rnd_one_in(r, 8) ? "\"*:*\"" :
			arena_printf(r->a, "\"%s:*\"", RND_PICK(r, programs).text);
		break;
	}
	return l;
}

static const char *random_variable(struct rnd *r)
{
	const char *text = RND_PICK(r, variables).text;

	return *text == '*' ? arena_printf(r->a, "MY%s", text + 1) : text;
}

static struct policy random_policy(struct rnd *r)
{
	struct policy p = { .n = 0, .locked = -1 };
	size_t n = 6 + rnd_below(r, 16);

	while (p.n < n)
		p.line[p.n++] = random_line(r, rnd_one_in(r, 6) ? "ask" :
					       rnd_one_in(r, 3) ? "deny" : "allow");
	for (int i = 0; i < SECTIONS; i++)
		p.otherwise[i] = rnd_one_in(r, 3) ? (int)rnd_below(r, 3) : 2;
	p.opaque = (int)rnd_below(r, 3);
	p.mode = (int)rnd_below(r, focus.section == NETWORK && !rnd_one_in(r, 4) ? 2 : 3);
	for (size_t i = 0; i < POL_LEN(p.keep); i++)
		p.keep[i] = rnd_one_in(r, 2) ? random_variable(r) : NULL;
	p.hours = rnd_below(r, 3) * 20;
	if (rnd_one_in(r, 4))
		p.locked = (int)rnd_below(r, SECTIONS);
	return p;
}

/* --- texts --------------------------------------------------------------------------------- */

static const char *line_text(struct arena *a, const struct line *l)
{
	return arena_printf(a, "%s { %s%s %s %s %s %s }\n", section_words[l->section],
			    l->final ? "final " : "", l->effect, l->ops, l->set,
			    l->guard, l->except ? arena_printf(a, "except %s", l->except) : "");
}

static void scalars(struct buf *b, const struct policy *p)
{
	static const char *const modes[] = { "full", "limited", "disabled" };

	buf_printf(b, "network %s\n", modes[p->mode]);
	for (int i = 0; i < SECTIONS; i++)
		buf_printf(b, "%s { otherwise %s }\n", section_words[i],
			   strictness[p->otherwise[i]]);
	buf_printf(b, "command { opaque %s }\n", strictness[p->opaque]);
	if (p->hours)
		buf_printf(b, "limits { time %uh }\n", p->hours);
	for (size_t i = 0; i < POL_LEN(p->keep); i++)
		if (p->keep[i])
			buf_printf(b, "env { keep += \"%s\" }\n", p->keep[i]);
}

static struct pol texts_of(struct arena *a, const struct policy *p)
{
	struct pol ret = { .role = NULL };

	for (size_t s = 0; s < POL_LEN(slots); s++) {
		struct buf b;

		buf_init(&b, a);
		if (slots[s] == POL_PROJECT)
			scalars(&b, p);
		if (slots[s] == POL_BASE)
			buf_z(&b, "file { scratch \"${HOME}\", \"${TMPDIR}\" }\n"
				  "file { hide \"${HOME}/.ssh\", \"${HOME}/.aws\" }\n"
				  "syscall { deny bpf, ptrace }\n"
				  "file { allow read, exec \"/usr\" }\n");
		if (slots[s] == POL_MANAGED && p->locked >= 0)
			buf_printf(&b, "locked %s { }\n", section_words[p->locked]);
		for (size_t i = 0; i < p->n; i++)
			if (p->line[i].slot == slots[s] && !p->line[i].gone)
				buf_z(&b, line_text(a, &p->line[i]));
		ret.text[slots[s]] = str_z(a, buf_view(&b));
	}
	/* as in the real one: each mode brings its rules about sockets */
	ret.text[POL_FLOOR] = "network disabled\n"
			      "file { deny write \"${HOME}/.bashrc\" }\n";
	return ret;
}

#endif
