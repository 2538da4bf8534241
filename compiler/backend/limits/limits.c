/*
 * Each limit that somebody set, with the mechanism by which this version enforces
 * it.  A limit without a mechanism is still written into the bundle, so that the
 * report of a run can name it; it is reported as checked at entry only.
 */
#include "compiler/backend/limits/limits.h"

#include <inttypes.h>

#include "compiler/backend/common/util.h"
#include "runtime/bundle/check.h"

#define LAYER "limits"

struct limit_row {
	enum ir_scalar_id scalar;
	enum pb_limit_kind kind;
	enum bk_exactness exactness;
	const char *mechanism;
};

static const struct limit_row rows[] = {
	{ IR_S_LIMIT_CPU, PB_L_CPU, BK_ENTRY_ONLY,
	  "a share of the processors needs cgroups: not limited in this version" },
	{ IR_S_LIMIT_MEMORY, PB_L_MEMORY, BK_UNDER,
	  "RLIMIT_DATA per process: private memory; what processes share is not counted "
	  "in this version" },
	{ IR_S_LIMIT_PROCESSES, PB_L_PROCESSES, BK_EXACT,
	  "RLIMIT_NPROC in the run's own user namespace" },
	{ IR_S_LIMIT_FILES, PB_L_FILES, BK_EXACT, "RLIMIT_NOFILE per process" },
	{ IR_S_LIMIT_DISK, PB_L_DISK, BK_ENTRY_ONLY,
	  "the size of each scratch tree (tmpfs); what is written elsewhere is not "
	  "counted in this version" },
	{ IR_S_LIMIT_TIME, PB_L_TIME, BK_EXACT,
	  "a timer of the supervisor: TERM, after two seconds KILL" },
	{ IR_S_LIMIT_OUTPUT, PB_L_OUTPUT, BK_ENTRY_ONLY,
	  "not counted in this version" },
	{ IR_S_LIMIT_STDOUT, PB_L_STDOUT, BK_ENTRY_ONLY,
	  "not counted in this version" },
	{ IR_S_LIMIT_STDERR, PB_L_STDERR, BK_ENTRY_ONLY,
	  "not counted in this version" },
	{ IR_S_LIMIT_FILE_SIZE, PB_L_FILE_SIZE, BK_EXACT, "RLIMIT_FSIZE per file" },
	{ IR_S_LIMIT_WRITTEN, PB_L_WRITTEN, BK_ENTRY_ONLY,
	  "what a run writes in all is not counted in this version" },
};
_Static_assert(POL_LEN(rows) == PB_L_COUNT, "one row for each limit");

static const struct limit_row *row_of(uint32_t kind)
{
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		if ((uint32_t)rows[i].kind == kind)
			return &rows[i];
	}
	return NULL;
}

/*
 * Measured on Debian 12 with RLIMIT_DATA: OpenJDK 17 starts with 512 MiB and ends with an
 * error below; node 20 and npm start with 128 MiB, and may hang for ever below.
 */
#define LIVABLE (UINT64_C(512) << 20)

static void warn_small(const struct ir *ir, struct diag_sink *sink)
{
	const struct ir_scalar *s = &ir->scalars[IR_S_LIMIT_MEMORY];
	struct diag *d;

	if (!s->set || s->level == IR_DEFAULT || s->num >= LIVABLE)
		return;
	d = diag_add(sink, DIAG_SMALL_MEMORY, s->at.span,
		     "%" PRIu64 " MiB of private memory for each process: java needs 512 to start, "
		     "node and npm 128 and what their programs use; with less they end or hang",
		     s->num >> 20);
	diag_help(sink, d, "if they are to run: memory 1G");
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	warn_small(ir, sink);
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		if (ir->scalars[rows[i].scalar].set)
			bk_note_scalar(report, rows[i].scalar, LAYER, rows[i].exactness,
				       "%s: %s", ir_scalar_key(rows[i].scalar),
				       rows[i].mechanism);
	}
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct pb_limits h = { .head = { PB_MAGIC_LIMITS, PB_FORMAT_VERSION, 0, 0 } };
	struct buf records, b;

	(void)sink;
	buf_init(&records, out->a);
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct ir_scalar *s = &ir->scalars[rows[i].scalar];
		struct pb_limit l = { (uint32_t)rows[i].kind,
				      bk_rule_of_scalar(ir, rows[i].scalar), s->num };

		if (!s->set)
			continue;
		buf_add(&records, &l, sizeof(l));
		h.limits.count++;
	}
	h.limits.off = sizeof(h);
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	buf_str(&b, buf_view(&records));
	bk_add_member(out, PB_LIMITS, &b);
	return true;
}

static const struct pb_limits *open_member(const struct bk_output *in, uint32_t nrules,
					   struct rt_err *err)
{
	const struct bk_member *m = bk_member(in, PB_LIMITS);

	if (!m || bundle_check_limits(m->bytes.p, m->bytes.n, nrules, err) < 0)
		return NULL;
	return (const void *)m->bytes.p;
}

static void print(FILE *out, const struct bk_output *in)
{
	const struct pb_limits *h = open_member(in, UINT32_MAX, NULL);
	const struct pb_limit *v;

	if (!h)
		return;
	v = (const void *)((const char *)h + h->limits.off);
	for (uint32_t i = 0; i < h->limits.count; i++) {
		const struct limit_row *row = row_of(v[i].kind);

		(void)fprintf(out, "limit %-10s %20" PRIu64 "  %s  %.*s\n",
			      ir_scalar_key(row->scalar), v[i].value,
			      bk_exactness_name(row->exactness),
			      STR_ARG(bk_rule_label(in, v[i].rule)));
	}
}

static const char *verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	struct rt_err err = { .err = 0 };
	const struct pb_limits *h = open_member(in, bk_rule_count(ir), &err);
	const struct pb_limit *v;
	uint32_t set = 0;

	if (!h)
		return arena_printf(a, "%s",
				    err.err ? err.text : PB_LIMITS " is missing");
	v = (const void *)((const char *)h + h->limits.off);
	for (uint32_t i = 0; i < h->limits.count; i++) {
		enum ir_scalar_id id = row_of(v[i].kind)->scalar;

		if (!ir->scalars[id].set || ir->scalars[id].num != v[i].value ||
		    v[i].rule != bk_rule_of_scalar(ir, id))
			return arena_printf(a, "limit '%s' is not the policy's",
					    ir_scalar_key(id));
	}
	for (size_t i = 0; i < POL_LEN(rows); i++)
		set += ir->scalars[rows[i].scalar].set;
	return set == h->limits.count ? NULL : "a limit of the policy is missing";
}

const struct backend bk_limits = {
	.name = "limits",
	.check = check,
	.emit = emit,
	.print = print,
	.verify = verify,
};
