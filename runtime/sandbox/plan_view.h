/* From the view to the plan. */
#ifndef RUNTIME_SANDBOX_PLAN_VIEW_H
#define RUNTIME_SANDBOX_PLAN_VIEW_H

#include "runtime/sandbox/plan_ground.h"
#include "runtime/sandbox/plan_programs.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/ssh_config.h"

/* The files of /etc of which the run sees its own version. */
struct plan_text {
	char *path;  /* where it lies, links resolved; malloc'ed, like all here */
	char *link;  /* its name, if that is a link, or NULL: a text of the run's own stands there too */
	char *bytes;
	size_t len;
};

struct plan_texts {
	struct plan_text v[5 + SSH_CONFIG_MOST];
	size_t n;
};

/*
 * Makes passwd and group: each begins with a line for the run's ids; and the run's own copies of
 * what ssh reads (ssh_config.h).  A run with a
 * gateway also gets its own resolv.conf, hosts and nsswitch.conf: names are the
 * gateway's matter, and the host's other ways to look one up lead nowhere inside.
 */
int plan_texts_make(const struct sandbox_run *run, const struct sandbox_view *view, struct plan_texts *ret);
void plan_texts_release(struct plan_texts *t);

/*
 * Appends every operation from the trees to Landlock.  `given` may be NULL (it is set
 * for a run as root): `given[i]` is then the descriptor of a detached tree for node i,
 * or -1, followed by those of run->layers.  `grounded`: a plan_ground() came before.
 */
void plan_view(struct plan *p, const struct sandbox_run *run,
	       const struct sandbox_view *v, const int *given,
	       const struct plan_policy *policy, const struct plan_texts *texts,
	       bool grounded);
/* Can this view follow a plan_ground()? */
bool plan_ground_fits(const struct sandbox_view *v);
/* Appends the rules of a limited network, if there are any. */
void plan_nft(struct plan *p, const struct plan_policy *policy);
/* Appends the Landlock rules and landlock_restrict_self(). */
void plan_landlock(struct plan *p, const struct sandbox_view *v,
		   const struct plan_programs *programs, const struct pb_landlock_abi *abi,
		   bool staged);
/* Appends the command's steps and the last step of polinit. */
void plan_command(struct plan *p, const struct sandbox_run *run,
		  const struct plan_policy *policy);

#endif
