/* Decides a line as `polrun -c` does: one simple command of literal words, and
 * everything else is a line that is not understood. */
#include "runtime/cli/query_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Without the white space around it. */
static void set_text(struct query_part *p, const char *line, size_t n)
{
	while (n && strchr(" \t\n", line[0])) {
		line++;
		n--;
	}
	while (n && strchr(" \t\n", line[n - 1]))
		n--;
	p->text = line;
	p->text_n = n;
}

static int decide_line_request(const struct decide_ctx *c, const char *line, size_t n,
			       struct query_line *ret)
{
	int r = line_split(line, n, &ret->split);

	if (r < 0 && r != -E2BIG)
		return r;
	if (r < 0 || ret->split.unparsed || !ret->split.argc) {
		decide_unparsed(c, &ret->d);
		(void)snprintf(ret->why, sizeof(ret->why), "%s", ret->split.why);
		return 0;
	}
	query_argv_decide(c, (const char *const *)ret->split.argv, ret->split.argc, ret);
	set_text(&ret->one, line, n);
	return 0;
}

int query_line_decide(const struct decide_ctx *c, const char *line, size_t n,
		      struct query_line *ret, struct rt_err *err)
{
	int r = decide_line_request(c, line, n, ret);

	return r < 0 ? rt_fail_errno(err, -r, "'line'") : 0;
}

void query_argv_decide(const struct decide_ctx *c, const char *const *argv, size_t argc,
		       struct query_line *ret)
{
	decide_argv(c, argv, argc, &ret->d);
	ret->one = (struct query_part){ .words = argv,
					.nwords = argc,
					.effect = ret->d.effect,
					.risk = ret->d.risk,
					.rule = ret->d.rule };
	ret->parts = &ret->one;
	ret->nparts = 1;
}

void query_line_release(struct query_line *q)
{
	line_release(&q->split);
	q->parts = NULL;
	q->nparts = 0;
}
