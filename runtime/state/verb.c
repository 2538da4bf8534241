/* Decides how polquery's verbs about the state print failures and times. */
#include "runtime/state/verb.h"

#include <stdio.h>
#include <time.h>

#include "runtime/base/io.h"

int verb_fail(const struct rt_err *err)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text[0] ? err->text : "failed");
	fprintf(stderr, "polquery: %s\n", line);
	return VERB_TROUBLE;
}

void verb_when(int64_t when, char out[VERB_WHEN])
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(out, VERB_WHEN, "%Y-%m-%dT%H:%M:%SZ", &tm))
		(void)snprintf(out, VERB_WHEN, "?");
}
