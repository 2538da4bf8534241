/* Edits of such a policy, each of which tightens it. */
#ifndef TESTS_PROP_EXPOSURE_EDIT_H
#define TESTS_PROP_EXPOSURE_EDIT_H

#include "tests/prop/exposure_policy.h"

enum edit { ADD_DENY, REMOVE_ALLOW, ADD_EXCEPTION, NARROW, ADD_GUARD, LOWER_LIMIT, KEEP_LESS,
	    OTHERWISE_STRICTER, OPAQUE_STRICTER, MODE_STRICTER, LOCK, EDITS };

static const char *const edit_names[EDITS] = {
	"a deny", "an allow less", "an exception", "a narrower allow", "a guard", "a lower limit",
	"a variable less", "otherwise", "opaque", "mode", "a lock"
};

static struct line *random_allow(struct rnd *r, struct policy *p, enum section s)
{
	for (int i = 0; i < 60; i++) {
		struct line *l = &p->line[rnd_below(r, (uint32_t)p->n)];

		if (strcmp(l->effect, "allow") == 0 && (s == SECTIONS || l->section == s))
			return l;
	}
	return NULL;
}

static bool add_exception(struct rnd *r, struct policy *p)
{
	struct line *l = random_allow(r, p, SECTIONS);

	if (!l || l->except || l->guard[0])
		return false;
	if (rnd_one_in(r, 2))
		l->except = l->set; /* nothing is left */
	else if (l->section == FILES)
		l->except = random_path(r, row_nearby(r));
	else if (l->section == NETWORK)
		l->except = random_net(r);
	else if (l->section == UNIX)
		l->except = random_socket(r);
	else if (l->section == COMMAND)
		l->except = "\"* x:*\"";
	else
		return false;
	return true;
}

/* The protocol and the ports stay. */
static bool narrow_host(struct rnd *r, struct line *l)
{
	static const char *const inside[][2] = {
		{ "any", "\"*.github.com\"" }, { "any", "8.0.0.0/8" }, { "any", "::/0" },
		{ "0.0.0.0/0", "198.0.0.0/8" }, { "::/0", "2001:db8::/32" },
		{ "\"*.com\"", "\"*.github.com\"" }, { "\"*.github.com\"", "\"api.github.com\"" },
	};
	size_t from = rnd_below(r, POL_LEN(inside));

	for (size_t k = 0; k < POL_LEN(inside); k++) {
		const char *const *both = inside[(from + k) % POL_LEN(inside)];
		const char *at = strstr(l->set, both[0]);

		if (!at)
			continue;
		l->set = arena_printf(r->a, "%.*s%s%s", (int)(at - l->set), l->set, both[1],
				      at + strlen(both[0]));
		return true;
	}
	return false;
}

/* A pattern inside of the old one. */
static bool narrow(struct rnd *r, struct policy *p)
{
	struct line *l = random_allow(r, p, SECTIONS);
	size_t n = l ? strlen(l->set) : 0;

	if (!l || l->except)
		return false;
	switch (l->section) {
	case FILES:
	case UNIX:
		if (l->set[n - 2] == '/' || l->set[n - 2] == '*' || strstr(l->set, "AUTH"))
			return false;
		l->set = arena_printf(r->a, "%.*s/x*\"", (int)n - 1, l->set);
		return true;
	case NETWORK:
		return narrow_host(r, l);
	case SYSCALL:
		if (l->guard[0])
			return false;
		l->set = arena_printf(r->a, "%s(1)", l->set);
		return true;
	case COMMAND:
	case SECTIONS:
		l->set = arena_printf(r->a, "%.*s x:*\"", (int)n - 3, l->set);
		return true;
	}
	return false;
}

/* False: there is nothing to edit in this way. */
static bool edit(struct rnd *r, struct policy *p, enum edit e)
{
	struct line *l;
	int i;

	switch (e) {
	case ADD_DENY:
		if (p->n == MAX_LINES)
			return false;
		p->line[p->n++] = random_line(r, "deny");
		return true;
	case REMOVE_ALLOW:
		l = random_allow(r, p, SECTIONS);
		if (l)
			l->gone = true;
		return l != NULL;
	case ADD_EXCEPTION:
		return add_exception(r, p);
	case NARROW:
		return narrow(r, p);
	case ADD_GUARD:
		l = random_allow(r, p, COMMAND);
		if (l)
			l->guard = rnd_one_in(r, 2) ? "without -x" : "with only -y";
		return l != NULL;
	case LOWER_LIMIT:
		p->hours = p->hours ? p->hours - 19 : 10;
		return true;
	case KEEP_LESS:
		i = (int)rnd_below(r, POL_LEN(p->keep));
		if (!p->keep[i])
			return false;
		p->keep[i] = NULL;
		return true;
	case OTHERWISE_STRICTER:
		i = (int)rnd_below(r, SECTIONS);
		return p->otherwise[i]++ < 2;
	case OPAQUE_STRICTER:
		return p->opaque++ < 2;
	case MODE_STRICTER:
		return p->mode++ < 2;
	case LOCK:
		if (p->locked >= 0)
			return false;
		p->locked = (int)rnd_below(r, SECTIONS);
		return true;
	case EDITS:
		break;
	}
	return false;
}

#endif
