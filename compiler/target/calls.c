/*
 * System calls by name and number.  calls.def says which names exist and what their
 * arguments are; libseccomp gives the numbers.  The tables are built at the first
 * question and do not change afterwards.
 */
#include "compiler/target/target.h"

#include <assert.h>
#include <seccomp.h>
#include <stdlib.h>

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ARG_TEXT 32

static const struct {
	const char *name, *args;
} defs[] = {
#define CALL(name, args) { #name, args },
#include "compiler/target/calls.def"
#undef CALL
};

static struct target_call calls[LEN(defs)];
static const char *names[LEN(defs)];
/* The names of arguments, copied from calls.def: name and alias for each argument. */
static char texts[LEN(defs)][TARGET_ARGS][2][ARG_TEXT];
static size_t ncalls;

static const char *put_text(char *to, const char *from, size_t n)
{
	assert(n > 0 && n < ARG_TEXT);
	memcpy(to, from, n);
	to[n] = 0;
	return to;
}

/* Reads one "name|alias:w"; returns what follows it. */
static const char *parse_arg(const char *p, char text[2][ARG_TEXT],
			     struct target_arg *arg)
{
	size_t n = strcspn(p, "|:");

	arg->name = put_text(text[0], p, n);
	p += n;
	if (*p == '|') {
		n = strcspn(++p, ":");
		arg->alias = put_text(text[1], p, n);
		p += n;
	}
	assert(*p == ':');
	switch (p[1]) {
	case 'l':
		arg->width = 64;
		arg->mask = UINT64_MAX;
		break;
	case 'm':
		arg->width = 32;
		arg->mask = 0xffff;
		break;
	default:
		assert(p[1] == 'i');
		arg->width = 32;
		arg->mask = UINT32_MAX;
		break;
	}
	return p + 2;
}

static void parse_args(const char *p, char text[TARGET_ARGS][2][ARG_TEXT],
		       struct target_call *call)
{
	if (strcmp(p, "?") == 0) {
		call->nargs = -1;
		return;
	}
	while (*p) {
		assert(call->nargs < TARGET_ARGS);
		p = parse_arg(p, text[call->nargs], &call->args[call->nargs]);
		call->nargs++;
		p += *p == ' ';
	}
}

static int by_number(const void *x, const void *y)
{
	const struct target_call *a = x, *b = y;

	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static void load(void)
{
	if (ncalls)
		return;
	for (size_t i = 0; i < LEN(defs); i++) {
		int nr = seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64,
							   defs[i].name);

		/* This libseccomp does not know the call: then its name is unknown. */
		if (nr < 0)
			continue;
		calls[ncalls].name = defs[i].name;
		calls[ncalls].nr = (uint32_t)nr;
		parse_args(defs[i].args, texts[ncalls], &calls[ncalls]);
		ncalls++;
	}
	assert(ncalls > 0);
	qsort(calls, ncalls, sizeof(calls[0]), by_number);
	for (size_t i = 0; i < ncalls; i++)
		names[i] = calls[i].name;
}

const struct target_call *target_calls(size_t *ret_n)
{
	load();
	*ret_n = ncalls;
	return calls;
}

uint32_t target_call_end(void)
{
	load();
	return calls[ncalls - 1].nr + 1;
}

const char *const *target_call_names(size_t *ret_n)
{
	load();
	*ret_n = ncalls;
	return names;
}

const struct target_call *target_call_by_name(struct str name)
{
	load();
	for (size_t i = 0; i < ncalls; i++)
		if (str_eqz(name, calls[i].name))
			return &calls[i];
	return NULL;
}

const struct target_call *target_call_by_nr(uint32_t nr)
{
	struct target_call key = { .nr = nr };

	load();
	return bsearch(&key, calls, ncalls, sizeof(calls[0]), by_number);
}

int target_call_arg(const struct target_call *call, struct str name)
{
	for (int i = 0; i < call->nargs; i++)
		if (str_eqz(name, call->args[i].name) ||
		    (call->args[i].alias && str_eqz(name, call->args[i].alias)))
			return i;
	return -1;
}
