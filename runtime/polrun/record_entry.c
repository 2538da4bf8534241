/*
 * Decides what of a run is recorded: the command that polrun decides itself, the connections of
 * which the gateway has told, and what a traced run was seen to ask for.
 */
#include "runtime/polrun/record_entry.h"

#include <errno.h>

#include "runtime/base/host.h"
#include "runtime/entry/entry.h"

int record_open(struct traffic *t, const struct polrun_options *opt,
		const struct decide_ctx *ctx, struct rt_err *err)
{
	if (!opt->record || opt->action != OPT_RUN)
		return 0;
	return traffic_open(t, opt->record, "polrun", ctx, err);
}

int record_entry(struct traffic *t, const struct polrun_options *opt,
		 const struct decide_ctx *ctx, const struct decision *d, struct rt_err *err)
{
	const struct pol_request q = entry_request(ctx, opt->line, (const char *const *)opt->argv,
						   (size_t)opt->argc);

	return traffic_put(t, ctx->b, &q, d, err);
}

/*
 * The policy's own answer is recorded, not what became of the connection: a person may have said
 * yes, or the host may not have been reached.
 */
static int record_one(struct traffic *t, const struct decide_ctx *ctx, const struct gate_record *r,
		      struct rt_err *err)
{
	char addr[HOST_TEXT] = "";
	struct pol_request q;
	struct decision d;
	int ret;

	if (!r->port || (!r->name[0] && !r->has_addr))
		return 0; /* a name that was only looked up, or a text: no request */
	if (!r->name[0])
		(void)host_text(r->addr, addr);
	ret = entry_decide_net(ctx, r->name[0] ? r->name : addr, r->port, r->udp, &q, &d, err);
	return ret < 0 ? ret : traffic_put(t, ctx->b, &q, &d, err);
}

int record_network(struct traffic *t, const struct decide_ctx *ctx, const struct gateway_log *log,
		   struct rt_err *err)
{
	uint64_t lost = log->lost + log->refused_lost;
	int r = 0;

	if (t->file.fd < 0)
		return 0;
	for (size_t i = 0; i < log->n && r == 0; i++)
		r = record_one(t, ctx, &log->v[i], err);
	for (size_t i = 0; i < log->refused_n && r == 0; i++)
		r = record_one(t, ctx, &log->refused_v[i], err);
	if (r == 0 && lost)
		return rt_fail(err, E2BIG, "the record '%s' lacks %llu connections", t->shown,
			       (unsigned long long)lost);
	return r;
}

int record_begin(struct touched *t, const struct polrun_options *opt, struct rt_err *err)
{
	if (!opt->record || !opt->explain || opt->action != OPT_RUN || touched_init(t))
		return 0;
	return rt_fail(err, ENOMEM, "out of memory");
}

static int record_one_touched(struct traffic *t, const struct decide_ctx *ctx, const char *text,
			      const struct touched_one *one, struct rt_err *err)
{
	struct pol_request q;
	struct decision d;
	int r = -EINVAL;

	switch ((enum touched_kind)one->kind) {
	case TOUCHED_FILE:
		r = entry_decide_file(ctx, text, one->op, &q, &d, err);
		break;
	case TOUCHED_UNIX:
		r = entry_decide_unix(ctx, text, &q, &d, err);
		break;
	case TOUCHED_TCP:
	case TOUCHED_UDP:
		r = entry_decide_net(ctx, text, one->port, one->kind == TOUCHED_UDP, &q, &d, err);
		break;
	}
	return r < 0 ? r : traffic_put(t, ctx->b, &q, &d, err);
}

int record_touched(struct traffic *t, const struct decide_ctx *ctx, const struct touched *touched,
		   struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < touched->n && r == 0; i++)
		r = record_one_touched(t, ctx, touched->texts + touched->v[i].text, &touched->v[i],
				       err);
	if (r == 0 && touched->lost)
		return rt_fail(err, E2BIG, "the record '%s' lacks %llu files or more", t->shown,
			       (unsigned long long)touched->lost);
	return r;
}
