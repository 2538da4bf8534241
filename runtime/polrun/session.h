/* What polrun knows of one run: from its options to its result. */
#ifndef RUNTIME_POLRUN_SESSION_H
#define RUNTIME_POLRUN_SESSION_H

#include <limits.h>
#include <stdio.h>

#include "runtime/approvals/ask.h"
#include "runtime/bundle/trust.h"
#include "runtime/decide/output.h"
#include "runtime/entry/entry.h"
#include "runtime/entry/roots.h"
#include "runtime/polrun/artifacts.h"
#include "runtime/polrun/ask_path.h"
#include "runtime/polrun/chosen.h"
#include "runtime/polrun/config_lock.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/left.h"
#include "runtime/polrun/other_runs.h"
#include "runtime/polrun/polrun_options.h"
#include "runtime/polrun/run_user.h"
#include "runtime/polrun/staged.h"
#include "runtime/polrun/streams.h"
#include "runtime/supervise/supervise.h"
#include "runtime/supervise/touched.h"
#include "runtime/traffic/traffic.h"

enum {
	SESSION_REFUSED = 125,
	/* No listener could be had: without one nobody decides names, so that the view is
	   another. */
	SESSION_ANOTHER_VIEW = -1
};

struct session {
	struct polrun_options opt;
	struct chosen chosen;
	struct bundle bundle;
	struct trust trust;
	struct roots roots;
	struct run_user user;
	struct entry entry;
	bool decided;
	struct sandbox_run run;
	struct sandbox_ahead ahead;
	struct sandbox_view view;
	struct exactness_here here;
	struct walls walls;
	struct terminal terminal;
	struct unreached unreached;
	struct unpublished unpublished;
	struct publish publish;
	struct config_lock locks;
	struct gateway gateway;
	pid_t asker; /* asks about connections; 0: none */
	char ask_at[ASK_PATH_CAP]; /* the socket of --ask-socket; "": none */
	unsigned answered; /* enum ask_by */
	char **envp;
	char *exec_path;
	struct chosen_kept kept;
	FILE *notes; /* what is said that is no refusal: stderr, or with -q nowhere */
	char state[PATH_MAX], answers[PATH_MAX]; /* where remembered answers are kept */
	int polinit;
	struct output report;
	struct traffic record;
	struct touched touched; /* empty: nothing of it is recorded */
	struct effects effects;     /* what the run has written, for the report */
	struct artifacts artifacts; /* --artifacts */
	struct supervise_result result;
	char unordered[OTHER_RUNS_LOST], unknown_open[OTHER_RUNS_LOST]; /* what other_runs.h does not give this run */
	bool ran;
	size_t *appeared;
	size_t nappeared;
	struct left left;
	struct staged staged;
	struct streams streams; /* kept if another view is made: the pipes have taken the place of 0 to 2 */
	char dot_git[300]; /* why git will not work, or empty */
};

/* Says the failure in one line, and returns `status`. */
int session_fail(const struct rt_err *err, int status);
/* Runs the command in the view that was made.  polrun's exit status, or
 * SESSION_ANOTHER_VIEW: then make another view and call it again. */
int session_run(struct session *s);

#endif
