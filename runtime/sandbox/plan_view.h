/* From the view to the plan. */
#ifndef RUNTIME_SANDBOX_PLAN_VIEW_H
#define RUNTIME_SANDBOX_PLAN_VIEW_H

#include "runtime/sandbox/plan.h"
#include "runtime/sandbox/sandbox.h"

/* Files of /etc that the run sees in its own version. */
struct plan_text {
	const char *path; /* "/etc/passwd" */
	char *bytes;      /* malloc'ed */
	size_t len;
};

struct plan_texts {
	struct plan_text v[2];
	size_t n;
};

/* passwd and group begin with a line for the run's ids. */
int plan_texts_make(const struct sandbox_run *run, struct plan_texts *ret);
void plan_texts_release(struct plan_texts *t);

/*
 * Appends every operation from the trees to Landlock.  `given[i]`, where not
 * NULL, is the descriptor of a detached tree for node i, or -1 (root-run).
 */
void plan_view(struct plan *p, const struct sandbox_run *run,
	       const struct sandbox_view *v, const int *given,
	       const struct plan_policy *policy, const struct plan_texts *texts);
/* The rules of a limited network, where there are any. */
void plan_nft(struct plan *p, const struct plan_policy *policy);
/* The second wall's rules and the restriction. */
void plan_landlock(struct plan *p, const struct sandbox_view *v,
		   const struct pb_landlock_abi *abi);
/* The command's steps and polinit's last one. */
void plan_command(struct plan *p, const struct sandbox_run *run,
		  const struct plan_policy *policy);

#endif
