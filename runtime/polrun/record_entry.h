/* The option --record of polrun. */
#ifndef RUNTIME_POLRUN_RECORD_ENTRY_H
#define RUNTIME_POLRUN_RECORD_ENTRY_H

#include "runtime/polrun/polrun_options.h"
#include "runtime/supervise/gateway.h"
#include "runtime/supervise/touched.h"
#include "runtime/traffic/traffic.h"

/* Opens the file if there is the option and something is to run.  0 or -errno. */
int record_open(struct traffic *t, const struct polrun_options *opt,
		const struct decide_ctx *ctx, struct rt_err *err);
/* Records the command and its decision, before anybody is asked.  0 or -errno. */
int record_entry(struct traffic *t, const struct polrun_options *opt,
		 const struct decide_ctx *ctx, const struct decision *d, struct rt_err *err);
/*
 * Records the connections of the run, also the refused ones, each with what the policy says
 * about it.  0 or -errno.
 */
int record_network(struct traffic *t, const struct decide_ctx *ctx, const struct gateway_log *log,
		   struct rt_err *err);
/*
 * With --record and --explain-denials: takes the memory for what the run will ask for.  Else
 * *t stays empty.  0 or -errno.
 */
int record_begin(struct touched *t, const struct polrun_options *opt, struct rt_err *err);
/*
 * Records what a traced run has asked for, each request once, with what the policy says about
 * it.  0 or -errno.
 */
int record_touched(struct traffic *t, const struct decide_ctx *ctx, const struct touched *touched,
		   struct rt_err *err);

#endif
