/* Finds HOME, PROJECT_DIR, TMPDIR and the working directory of this run, and refuses
 * some projects. */
#ifndef RUNTIME_ENTRY_ROOTS_H
#define RUNTIME_ENTRY_ROOTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/passwd.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

struct roots {
	char *home, *project, *cwd; /* physical; malloc'ed */
	char *project_link;         /* may be NULL: see sandbox.h */
	char *agent;                /* the socket of the caller's ssh-agent, or NULL */
	char *git_common;           /* see git_common.h, or NULL */
	char user[64];              /* the caller's name, or "user" */
	bool named;                 /* the caller has chosen the project: it was not searched for */
};

/* What rt_roots_find() reads from its surroundings; tests can set it. */
struct roots_input {
	const char *home_env;     /* $HOME or NULL */
	const char *pwd_env;      /* $PWD or NULL */
	const char *project;      /* --project or NULL */
	const struct passwd_entry *pw; /* entry of the run's user, or NULL */
	bool prefer_passwd;       /* --user: $HOME belongs to somebody else */
	const char *agent_env;    /* $SSH_AUTH_SOCK or NULL */
	uid_t uid;                /* of the run's user */
};

int rt_roots_find(const struct roots_input *in, struct roots *ret, struct rt_err *err);
void rt_roots_release(struct roots *r);
/* Returns the roots in the form that decide needs: TMPDIR is /tmp inside. */
void rt_roots_decide(const struct roots *r, struct decide_roots *ret);
/* The working directory: the path in $PWD if the view has that path, else the physical
 * one.  `buf` has PATH_MAX bytes. */
const char *rt_roots_pwd(const struct roots *r, char *buf);
/* Refuses a project that is "/", HOME, above HOME, or a scratch directory, or that
 * holds (or lies in) the policy's own state; and one that was found above the working
 * directory and that another user could have marked. */
int rt_roots_check_project(const struct roots *r, const struct bundle *b,
			struct rt_err *err);

/* Finds the path by which `logical` (absolute) reaches `project`, an ancestor of
 * `physical`: removes from the end of `logical` what follows `project` in `physical`.
 * malloc'ed; NULL if there is no such path or it is `project` itself. */
char *rt_roots_link(const char *logical, const char *physical, const char *project);

#endif
