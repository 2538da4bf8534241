/* Fills in an error of the runtime: fixed buffers, no allocation. So it can be used
 * between fork and exec, and sent over a socket. */
#include "runtime/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"

/* A path may hold any byte, and every message may reach a terminal: escapes them. */
static void fill(struct rt_err *e, int err, const char *fmt, va_list ap)
{
	char text[sizeof(e->text)];

	e->err = err;
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	io_plain(e->text, sizeof(e->text), text);
}

int rt_fail(struct rt_err *e, int err, const char *fmt, ...)
{
	va_list ap;

	if (err == 0)
		err = EINVAL;
	if (!e)
		return -err;
	va_start(ap, fmt);
	fill(e, err, fmt, ap);
	va_end(ap);
	return -err;
}

int rt_fail_errno(struct rt_err *e, int err, const char *fmt, ...)
{
	const char *what;
	va_list ap;
	size_t n;

	if (err == 0)
		err = EINVAL;
	if (!e)
		return -err;
	va_start(ap, fmt);
	fill(e, err, fmt, ap);
	va_end(ap);
	/* Not strerror(): it may allocate and translate. */
	what = strerrordesc_np(err);
	n = strlen(e->text);
	if (what)
		(void)snprintf(e->text + n, sizeof(e->text) - n, ": %s", what);
	else
		(void)snprintf(e->text + n, sizeof(e->text) - n, ": errno %d", err);
	return -err;
}
