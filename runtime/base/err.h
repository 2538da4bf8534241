/* Errors of the runtime. They can be used after fork: nothing is allocated. */
#ifndef RUNTIME_BASE_ERR_H
#define RUNTIME_BASE_ERR_H

struct rt_err {
	int err;             /* errno, or 0 */
	char step[48];       /* the step of the set-up, or "" */
	char text[400];      /* one line, without "polrun: " */
};

/* Fills `e` (may be NULL) and returns -err (-EINVAL for err 0). */
int rt_fail(struct rt_err *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like rt_fail, but appends ": strerror(err)". */
int rt_fail_errno(struct rt_err *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
