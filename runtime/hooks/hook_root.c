/*
 * Finds the project in which a session began.  The `cwd` of a message does not tell it: as seen in
 * Claude Code 2.1.331, Codex 0.169 and Gemini CLI 0.61.0, it follows what the model asks for.  Codex
 * puts the `workdir` of the command there, Claude Code the directory of the last `cd`, in which
 * Claude Code also starts the hook.  What does not change in a session is the client's environment
 * variable, and the directory in which Codex starts its hook.
 */
#include "runtime/hooks/hook_root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/state/session_root.h"
#include "runtime/state/state_dir.h"

/* How each client passes the directory in which a session began. */
static const struct {
	const char *variable; /* set by the client in the hook's environment, or NULL */
	bool own_cwd;         /* the client starts the hook in that directory */
} starts[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { "CLAUDE_PROJECT_DIR", false },
	[HOOK_CODEX] = { NULL, true },
	[HOOK_GEMINI] = { "GEMINI_PROJECT_DIR", false },
	[HOOK_CURSOR] = { "CURSOR_PROJECT_DIR", false },
	[HOOK_QWEN] = { "QWEN_PROJECT_DIR", false },
	[HOOK_OPENCODE] = { NULL, false },
	[HOOK_PI] = { NULL, false },
	[HOOK_COPILOT] = { "COPILOT_PROJECT_DIR", false },
};

static const char *find_start_dir(const struct query *q, const struct hook_message *m)
{
	const char *name = starts[m->agent].variable, *dir = name ? getenv(name) : NULL;

	if (dir && place_is_plain(dir))
		return dir;
	if (m->root)
		return m->root;
	return starts[m->agent].own_cwd && q->where.own_cwd[0] ? q->where.own_cwd : NULL;
}

/* Finds the project that contains a directory, as polrun does. */
static bool find_project_of_dir(struct query *q, const char *dir, char out[PATH_MAX], struct rt_err *err)
{
	struct query_request r = { .kind = QUERY_COMMAND, .cwd = dir };
	struct decide_ctx ctx = { .b = q->b, .scope = PB_SANDBOX };

	if (!query_where_find(&q->where, &r, &ctx, err))
		return false;
	(void)snprintf(out, PATH_MAX, "%s", q->where.project);
	return true;
}

/* A project that is not there has been renamed or removed, or never was one: rules about its files would
 * hold for nothing, and what they keep lies elsewhere. */
static bool is_there(const char *project, struct rt_err *err)
{
	char shown[200];
	struct stat st;

	if (stat(project, &st) == 0 && S_ISDIR(st.st_mode))
		return true;
	io_escape(shown, sizeof(shown), project, strlen(project));
	return rt_fail(err, ENOENT, "'%s', the project of this session, is no directory: put it back, or "
		       "begin a new session", shown) == 0;
}

/* The session's record has a path without symbolic links.  If one of its components has become a link since then, the
 * path leads to another project than the one in which the session began. */
static bool is_still_without_links(const char *recorded, struct rt_err *err)
{
	char now[PATH_MAX], shown[200];

	if (place_physical_below(recorded, 0, now) == 0 && strcmp(now, recorded) == 0)
		return true;
	io_escape(shown, sizeof(shown), recorded, strlen(recorded));
	return rt_fail(err, ELOOP, "'%s', in which this session began, has become a symbolic link or lies "
		       "behind one: put the directory back, or begin a new session", shown) == 0;
}

bool hook_root_find(struct query *q, const struct hook_message *m, char out[PATH_MAX],
		    struct rt_err *err)
{
	const char *start = find_start_dir(q, m), *name = hook_agent_name(m->agent);
	char state[PATH_MAX], project[PATH_MAX];
	struct rt_err none = { 0 };
	int r = 0;

	if (m->session && state_dir_of_home(state, &none) == 0)
		r = session_find(state, name, m->session, out, err);
	if (r != 0)
		return r > 0 && is_still_without_links(out, err) && is_there(out, err);
	if (!start)
		return rt_fail(err, ENOENT, "nobody has seen in which directory this session began, so "
			       "nothing is in its project: %s%s%s",
			       starts[m->agent].variable ? "the client has to set " : "start the hook ",
			       starts[m->agent].variable ? starts[m->agent].variable :
							   "in the session's directory",
			       ", as its current version does: update it, and begin a new session") == 0;
	if (!find_project_of_dir(q, start, project, err) || !is_there(project, err))
		return false;
	/* a hook that runs inside a run cannot write the record, so the client's directory counts each time */
	if (!m->session || state[0] == '\0' ||
	    session_record(state, name, m->session, project, out, &none) < 0)
		memcpy(out, project, sizeof(project));
	return true;
}
