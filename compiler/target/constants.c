/*
 * Constants and error numbers by name.  Both tables are checked in.  The caller decides
 * what a value means for an argument's width.
 */
#include "compiler/target/target.h"

#include <stdlib.h>

struct constant {
	const char *name;
	uint64_t value;
};

/* Sorted by name (test_target checks this) for binary search. */
static const struct constant constants[] = {
#define CONSTANT(name, value) { #name, (uint64_t)(int64_t)(value) },
#define KERNEL_CONSTANT(name, value) CONSTANT(name, value)
#include "compiler/target/constants.def"
#undef CONSTANT
#undef KERNEL_CONSTANT
};

static const char *const constant_names[] = {
#define CONSTANT(name, value) #name,
#define KERNEL_CONSTANT(name, value) CONSTANT(name, value)
#include "compiler/target/constants.def"
#undef CONSTANT
#undef KERNEL_CONSTANT
};

static const struct {
	const char *name;
	uint16_t err;
} errnos[] = {
#define ERRNO(name, value) { #name, value },
#include "compiler/target/errnos.def"
#undef ERRNO
};

static const char *const errno_names[] = {
#define ERRNO(name, value) #name,
#include "compiler/target/errnos.def"
#undef ERRNO
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static int constant_cmp(const void *key, const void *elem)
{
	const struct str *name = key;
	const struct constant *c = elem;

	return str_cmp(*name, str_from(c->name));
}

bool target_constant(struct str name, uint64_t *ret_value)
{
	const struct constant *c;
	uint16_t err = target_errno(name);

	if (err) {
		*ret_value = err;
		return true;
	}
	c = bsearch(&name, constants, LEN(constants), sizeof(constants[0]),
		    constant_cmp);
	if (!c)
		return false;
	*ret_value = c->value;
	return true;
}

const char *const *target_constant_names(size_t *ret_n)
{
	*ret_n = LEN(constant_names);
	return constant_names;
}

uint16_t target_errno(struct str name)
{
	for (size_t i = 0; i < LEN(errnos); i++)
		if (str_eqz(name, errnos[i].name))
			return errnos[i].err;
	return 0;
}

const char *target_errno_name(unsigned err)
{
	for (size_t i = 0; i < LEN(errnos); i++)
		if (errnos[i].err == err)
			return errnos[i].name;
	return NULL;
}

const char *const *target_errno_names(size_t *ret_n)
{
	*ret_n = LEN(errno_names);
	return errno_names;
}
