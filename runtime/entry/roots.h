/* What HOME, PROJECT_DIR, TMPDIR and the working directory are in this run,
 * and which projects are refused. */
#ifndef RUNTIME_ENTRY_ROOTS_H
#define RUNTIME_ENTRY_ROOTS_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/base/passwd.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

struct roots {
	char *home, *project, *cwd; /* physical; malloc'ed */
	char *project_link;         /* or NULL: see sandbox.h */
	char user[64];              /* the caller's name, or "user" */
};

/* What rt_roots_find() reads of the world, so that tests can say it. */
struct roots_input {
	const char *home_env;     /* $HOME or NULL */
	const char *pwd_env;      /* $PWD or NULL */
	const char *project;      /* --project or NULL */
	const struct passwd_entry *pw; /* of the user of the run, or NULL */
	bool prefer_passwd;       /* --user: $HOME is somebody else's */
};

int rt_roots_find(const struct roots_input *in, struct roots *ret, struct rt_err *err);
void rt_roots_release(struct roots *r);
/* The four roots as decide wants them: TMPDIR is /tmp inside. */
void rt_roots_decide(const struct roots *r, struct decide_roots *ret);
/* The working directory as $PWD names it where the view has that path, else the
 * physical one; `buf` has PATH_MAX bytes. */
const char *rt_roots_pwd(const struct roots *r, char *buf);
/* Refuses a project that is "/", HOME, above HOME, a scratch
 * directory, one that holds (or lies in) the policy's own state. */
int rt_roots_check_project(const struct roots *r, const struct bundle *b,
			struct rt_err *err);

/* The path by which `logical` (absolute) reaches `physical`'s ancestor
 * `project`: logical without what physical has behind project; malloc'ed, or
 * NULL where there is no such path or it is the project's own. */
char *rt_roots_link(const char *logical, const char *physical, const char *project);

#endif
