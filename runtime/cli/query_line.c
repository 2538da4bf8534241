/* Decides a line as `polrun -c` does: one simple command of literal words, and
 * everything else is a line that is not understood. */
#include "runtime/cli/query_line.h"

#include <errno.h>
#include <stdio.h>

#include "runtime/decide/line.h"

static int decide_line_request(const struct decide_ctx *c, const char *line, size_t n,
			       struct decision *ret, char why[QUERY_WHY_CAP])
{
	struct line_words w;
	int r = line_split(line, n, &w);

	why[0] = '\0';
	if (r < 0 && r != -E2BIG)
		return r;
	if (r < 0 || w.unparsed || !w.argc) {
		decide_unparsed(c, ret);
		(void)snprintf(why, QUERY_WHY_CAP, "%s", w.why);
	} else {
		decide_argv(c, (const char *const *)w.argv, w.argc, ret);
	}
	line_release(&w);
	return 0;
}

int query_line_decide(const struct decide_ctx *c, const char *line, size_t n,
		      struct decision *ret, char why[QUERY_WHY_CAP], struct rt_err *err)
{
	int r = decide_line_request(c, line, n, ret, why);

	return r < 0 ? rt_fail_errno(err, -r, "'line'") : 0;
}
