/* A broker over one half of a twin, with rules about names, and what its answers should be. */
#ifndef TESTS_UNIT_BROKER_FIXTURE_H
#define TESTS_UNIT_BROKER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>

#include "tests/lib/broker_twin.h"

static struct twin t;

/* Patterns below the tree; the number of a rule is its place in the list. */
static const char *const no_write[] = { "*/.env*", "*/no", "*/no/*", "*/locked" };
static const char *const no_read[] = { "*/secret*" };

static bool hits(const char *const *v, size_t n, const char *path, uint32_t *ret_rule)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(v[i], path, 0) == 0) {
			*ret_rule = (uint32_t)i;
			return true;
		}
	return false;
}

static bool allows(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *ret_rule)
{
	(void)arg, (void)is_dir;
	return op == BROKER_WRITE ? !hits(no_write, 4, path, ret_rule) :
				    !hits(no_read, 1, path, ret_rule);
}

static const struct broker_rules rules = { .allows = allows };

static int begin(void **state)
{
	(void)state;
	return twin_init(&t, &rules) == 0 && chdir(t.root[0]) == 0 ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	if (chdir("/") != 0)
		return -1;
	twin_release(&t);
	return 0;
}

static void put(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

/* Makes the call on names of the tree. */
static const struct broker_result *act(struct broker_call c)
{
	c.path.base = c.to.base = t.root[0];
	c.umask = 022;
	broker_act(&t.broker, &c, &t.last);
	return &t.last;
}

static inline const struct broker_result *open_it(const char *path, uint64_t flags)
{
	return act((struct broker_call){
		.verb = BROKER_OPEN, .path.raw = path, .flags = flags, .mode = 0666 });
}

static inline const struct broker_result *rename_it(const char *from, const char *to, uint64_t flags)
{
	return act((struct broker_call){
		.verb = BROKER_RENAME, .path.raw = from, .to.raw = to, .flags = flags });
}

static void assert_refused(const struct broker_result *r, int err, enum broker_reason reason,
			   const char *name)
{
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s", t.root[0], name);
	assert_true(r->ours);
	assert_int_equal(r->fd, -1);
	assert_int_equal(r->err, err);
	assert_int_equal(r->reason, reason);
	assert_string_equal(r->subject, path);
}

static inline void assert_done(const struct broker_result *r)
{
	assert_true(r->ours);
	assert_int_equal(r->err, 0);
	assert_int_equal(r->reason, BROKER_BY_KERNEL);
	assert_string_equal(r->subject, "");
	if (r->fd >= 0)
		(void)close(r->fd);
}

#endif
