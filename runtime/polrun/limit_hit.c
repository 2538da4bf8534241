/*
 * Decides from what is known after the end which limits were hit: the supervisor's own
 * clock, the signal of RLIMIT_FSIZE, and the size of the largest process.  RLIMIT_DATA
 * only makes calls fail, and what a program does then is its own: so the memory limit is
 * inferred.  RLIMIT_NPROC and RLIMIT_NOFILE leave no trace.
 */
#include "runtime/polrun/limit_hit.h"

#include <inttypes.h>
#include <signal.h>

#include "runtime/decide/rule_text.h"

static bool was_hit(const struct supervise_result *r, const struct pb_limit *p, bool *ret_likely)
{
	*ret_likely = false;
	switch ((enum pb_limit_kind)p->kind) {
	case PB_L_TIME:
		return r->timed_out;
	case PB_L_FILE_SIZE:
		/* the command's own signal, or as a shell passes on that of a child */
		return r->signal == SIGXFSZ || r->exit_code == 128 + SIGXFSZ;
	case PB_L_MEMORY:
		*ret_likely = true;
		/* what is resident is less than what RLIMIT_DATA counts */
		return r->status != 0 && !r->timed_out && !r->wall &&
		       r->memory_peak_bytes >= p->value - p->value / 4;
	case PB_L_CPU:
	case PB_L_PROCESSES:
	case PB_L_FILES:
	case PB_L_DISK:
	case PB_L_OUTPUT:
	case PB_L_STDOUT:
	case PB_L_STDERR:
	case PB_L_WRITTEN:
	case PB_L_COUNT:
	default:
		return false;
	}
}

size_t limit_hits(const struct bundle *b, const struct supervise_result *r,
		  struct limit_hit ret[LIMIT_HITS])
{
	static const uint8_t kinds[LIMIT_HITS] = { PB_L_TIME, PB_L_FILE_SIZE, PB_L_MEMORY };
	size_t n = 0;

	for (size_t i = 0; i < LIMIT_HITS; i++) {
		const struct pb_limit *p = b ? bundle_limit(b, kinds[i]) : NULL;
		bool likely;

		if (p && was_hit(r, p, &likely))
			ret[n++] = (struct limit_hit){ kinds[i], p->rule, p->value, likely };
	}
	return n;
}

const char *limit_word(unsigned kind)
{
	return kind == PB_L_TIME ? "time" : kind == PB_L_FILE_SIZE ? "file-size" : "memory";
}

void limit_say(FILE *out, FILE *notes, const struct bundle *b, const struct supervise_result *r)
{
	struct limit_hit v[LIMIT_HITS];
	size_t n = limit_hits(b, r, v);
	char rule[EXPLAIN_RULE_CAP];

	for (size_t i = 0; i < n; i++) {
		(void)explain_rule(b, v[i].rule, rule);
		if (v[i].kind == PB_L_TIME)
			fprintf(out, "polrun: time limit reached after %" PRIu64 " ms (%s)\n",
				r->wall_ms, rule);
		else if (v[i].kind == PB_L_FILE_SIZE)
			fprintf(out, "polrun: a file was to grow beyond the %" PRIu64 " KiB that the "
				"policy lets it have (%s)\n", v[i].value / 1024, rule);
		else
			fprintf(notes, "polrun: the command failed when a process of it had %" PRIu64
				" of the %" PRIu64 " MiB that the policy lets each have (%s)\n",
				r->memory_peak_bytes >> 20, v[i].value >> 20, rule);
	}
}
