/*
 * Decides how a file of settings gets the hook and loses it again.  What the new text says
 * is compared with what the old one said before it is written.
 */
#include "runtime/hooks/hook_install.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/bundle/verified.h"
#include "runtime/hooks/hook.h"
#include "runtime/hooks/hook_doctor.h"
#include "runtime/hooks/hook_edit.h"
#include "runtime/hooks/hook_plugin.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_rewrite.h"
#include "runtime/hooks/hook_schema.h"
#include "runtime/hooks/hook_settings.h"
#include "runtime/query/query.h"
#include "runtime/query/query_json.h"

enum { NOT_DONE = 1, TROUBLE = 2 };

/* --- the line ------------------------------------------------------------------------ */

/* Appends " WORD", in quotes if it needs any.  False: a shell or the agent would change it. */
static bool add_word(char *line, size_t cap, const char *word)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789_./+-:,@%=";
	bool plain = word[strspn(word, safe)] == '\0';
	size_t n = strlen(line);
	int k;

	for (const char *p = word; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\'' || *p == '$' || *p == 0x7f)
			return false;
	k = snprintf(line + n, cap - n, "%s%s%s%s", n ? " " : "", plain ? "" : "'", word,
		     plain ? "" : "'");
	return k > 0 && (size_t)k < cap - n;
}

/* An existing file's path without symbolic links. */
static bool real_path(const char *path, char out[PATH_MAX], struct rt_err *err)
{
	if (realpath(path, out))
		return true;
	(void)rt_fail_errno(err, errno, "'%.200s'", path);
	return false;
}

/* The directory of `path`, if a folder .git or .pol marks it or one above it as a project. */
static bool find_project_around(const char *path, struct query *q, char out[PATH_MAX])
{
	AUTO_FREE char *dir = strdup(path), *project = NULL;
	char mark[PATH_MAX + 8];
	char *slash = dir ? strrchr(dir, '/') : NULL;
	bool marked = false;

	if (!slash || slash == dir)
		return false;
	*slash = '\0';
	project = place_project(dir, q->where.own_home);
	for (size_t i = 0; project && i < 2; i++) {
		(void)snprintf(mark, sizeof(mark), "%s/%s", project, i ? ".pol" : ".git");
		marked |= access(mark, F_OK) == 0;
	}
	return marked && (size_t)snprintf(out, PATH_MAX, "%s", project) < PATH_MAX;
}

/*
 * Refuses what the hook would refuse at each call, where that is known now: an agent may start in the
 * project around the bundle, and in that of the current directory.  Where polrun sees no project, no
 * agent's files are decided.
 */
static bool check_believed(const struct query_options *opt, struct bundle *b, const char *path,
			   struct rt_err *err)
{
	const struct query_request none = { .kind = QUERY_FILE };
	char around[PATH_MAX];
	struct query q;
	int r = 0;

	query_init_decide(&q, b, opt->scope);
	for (size_t i = 0; i < 2 && r != -EPERM; i++) {
		struct query_request at = none;
		struct decide_ctx ctx = { .b = b, .scope = opt->scope };
		struct rt_err why = { 0 };

		if (i && !find_project_around(path, &q, around))
			continue;
		at.project = i ? around : NULL;
		if (!query_where_find(&q.where, &at, &ctx, &why))
			continue;
		memcpy(around, q.where.project, sizeof(around));
		r = hook_check_believed(opt, &q, around, err);
	}
	query_release(&q);
	return r == 0;
}

/* Is it a bundle that a hook would accept? */
static bool is_bundle(const struct query_options *opt, const char *path, struct rt_err *err)
{
	struct verified_options o = { .path = path, .signers = opt->signers,
				      .require = opt->require_signed };
	struct bundle b;
	struct trust t;

	bool good;

	if (verified_open(&o, &b, &t, err) < 0)
		return false;
	good = check_believed(opt, &b, path, err);
	bundle_release(&b);
	return good;
}

/* Writes the line that stands in the settings; its parts are explained in doc/agents.md. */
static bool write_line(const struct query_options *opt, enum hook_agent agent, char *line,
		       size_t cap, struct rt_err *err)
{
	char self[PATH_MAX], bundle[PATH_MAX], run[PATH_MAX], signers[PATH_MAX];
	const char *words[20];
	size_t n = 0;

	if (!real_path("/proc/self/exe", self, err) || !real_path(opt->bundle, bundle, err) ||
	    !real_path(opt->run ? opt->run : "/", run, err) ||
	    !real_path(opt->signers ? opt->signers : "/", signers, err) ||
	    !is_bundle(opt, bundle, err) || (opt->run && !is_bundle(opt, run, err)))
		return false;
	words[n++] = "/usr/bin/timeout";
	words[n++] = "20";
	words[n++] = self;
	if (!opt->run || strcmp(bundle, run) != 0) {
		words[n++] = "-b";
		words[n++] = bundle;
	}
	if (opt->require_signed)
		words[n++] = "--require-signed";
	if (opt->signers) {
		words[n++] = "--allowed-signers";
		words[n++] = signers;
	}
	if (opt->scope == PB_SANDBOX) {
		words[n++] = "--scope";
		words[n++] = "sandbox";
	}
	words[n++] = "hook";
	words[n++] = hook_agent_name(agent);
	if (opt->run) {
		words[n++] = "--run";
		words[n++] = run;
	}
	line[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!add_word(line, cap, words[i])) {
			(void)rt_fail(err, EINVAL, "'%.200s' cannot stand in a hook's line", words[i]);
			return false;
		}
	/* Codex and Gemini CLI block only if there is also a text on stderr, and `timeout` writes
	 * none */
	return (size_t)snprintf(line + strlen(line), cap - strlen(line),
				" || { echo polquery: no answer >&2; exit 2; }") < cap - strlen(line);
}

/* --- our hooks in a file ------------------------------------------------------------------ */

static bool is_ours(enum hook_agent agent, struct json_object *hook)
{
	const char *command = json_object_is_type(hook, json_type_object) ?
				      query_json_text(hook, "command") : NULL;
	char name[40];

	(void)snprintf(name, sizeof(name), "hook %s", hook_agent_name(agent));
	return command && strstr(command, "polquery") && strstr(command, name);
}

/* The list of an event, or NULL. */
static struct json_object *list_of(struct json_object *doc, const char *event)
{
	struct json_object *hooks, *list;

	if (!json_object_object_get_ex(doc, "hooks", &hooks) ||
	    !json_object_is_type(hooks, json_type_object) ||
	    !json_object_object_get_ex(hooks, event, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	return list;
}

/* The hooks of a group; Cursor has no groups, Copilot CLI need not. */
static struct json_object *hooks_of(struct json_object *group)
{
	struct json_object *hooks;

	return json_object_is_type(group, json_type_object) &&
			       json_object_object_get_ex(group, "hooks", &hooks) &&
			       json_object_is_type(hooks, json_type_array) ? hooks : NULL;
}

/* The first hook of ours in the event's list: its group, and (unless the group holds
 * nothing else) its place there, else SIZE_MAX. */
static struct json_object *first_of_ours(enum hook_agent agent, struct json_object *list,
					 size_t *ret_group, size_t *ret_hook)
{
	for (size_t g = 0; list && g < json_object_array_length(list); g++) {
		struct json_object *group = json_object_array_get_idx(list, g), *hooks = hooks_of(group);
		size_t n = hooks ? json_object_array_length(hooks) : 0;

		*ret_group = g;
		*ret_hook = SIZE_MAX;
		if (hook_schema_is_flat(agent) && is_ours(agent, group))
			return group;
		for (size_t i = 0; i < n; i++) {
			struct json_object *hook = json_object_array_get_idx(hooks, i);

			if (!is_ours(agent, hook))
				continue;
			*ret_hook = n == 1 ? SIZE_MAX : i;
			return hook;
		}
	}
	return NULL;
}

/* --- the change ------------------------------------------------------------------------------ */

static struct json_object *read_edit(const struct hook_edit *e, struct query_json *j,
				     struct rt_err *err)
{
	char *text = strndup(e->text, e->n);
	struct json_object *doc = NULL;

	if (text && e->comments)
		hook_edit_blank(text);
	if (text)
		doc = hook_settings_read(j, text, e->n, err);
	else if (query_json_init(j))
		(void)rt_fail(err, ENOMEM, "out of memory");
	free(text);
	return doc;
}

/* Removes the first hook of ours.  1: there was one; 0: there is none; -errno. */
static int remove_one(struct hook_edit *e, enum hook_agent agent, struct rt_err *err)
{
	struct query_json j;
	struct json_object *doc = read_edit(e, &j, err);
	const char *event = NULL;
	size_t g = 0, i = 0;
	char index[24];
	int r = doc ? 0 : -EINVAL;

	for (size_t k = 0; doc && (event = hook_agent_event(agent, k)) != NULL; k++)
		if (first_of_ours(agent, list_of(doc, event), &g, &i))
			break;
	query_json_release(&j);
	if (r < 0 || !event)
		return r;
	(void)snprintf(index, sizeof(index), "#%zu", g);
	if (i != SIZE_MAX)
		r = hook_edit_remove(e, (const char *[]){ "hooks", event, index, "hooks", NULL }, NULL, i,
				     err);
	else
		r = hook_edit_remove(e, (const char *[]){ "hooks", event, NULL }, NULL, g, err);
	if (r == 0)
		r = hook_edit_prune(e, (const char *[]){ "hooks", NULL }, event, err);
	if (r == 0)
		r = hook_edit_prune(e, (const char *[]){ NULL }, "hooks", err);
	return r == 0 ? 1 : r;
}

static int remove_all(struct hook_edit *e, enum hook_agent agent, struct rt_err *err)
{
	int r;

	do {
		r = remove_one(e, agent, err);
	} while (r > 0);
	return r;
}

/* The JSON of one hook, as the agent wants it at its events. */
static char *element(enum hook_agent agent, const char *line)
{
	static const char *const forms[HOOK_AGENT_COUNT] = {
		[HOOK_CLAUDE] = "{ \"matcher\": \"*\", \"hooks\": [ { \"type\": \"command\", \"command\": %s } ] }",
		[HOOK_CODEX] = "{ \"hooks\": [ { \"type\": \"command\", \"command\": %s } ] }",
		[HOOK_GEMINI] = "{ \"matcher\": \".*\", \"hooks\": [ { \"type\": \"command\", "
				"\"name\": \"polquery\", \"command\": %s } ] }",
		[HOOK_CURSOR] = "{ \"command\": %s, \"failClosed\": true }",
		[HOOK_COPILOT] = "{ \"type\": \"command\", \"command\": %s }",
		[HOOK_QWEN] = "{ \"matcher\": \"*\", \"hooks\": [ { \"type\": \"command\", "
			      "\"name\": \"polquery\", \"command\": %s } ] }",
	};
	const char *at = strstr(forms[agent], "%s");
	struct json_object *o = json_object_new_string(line);
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
	char *out = NULL;

	if (!text || asprintf(&out, "%.*s%s%s", (int)(at - forms[agent]), forms[agent], text, at + 2) < 0)
		out = NULL;
	json_object_put(o);
	return out;
}

static int add_all(struct hook_edit *e, enum hook_agent agent, const char *line,
		   struct rt_err *err)
{
	char *item = element(agent, line);
	const char *event;
	int r = item ? 0 : rt_fail(err, ENOMEM, "out of memory");

	if (r == 0 && hook_schema_is_flat(agent))
		r = hook_edit_member(e, (const char *[]){ NULL }, "version", "1", err);
	if (r == 0)
		r = hook_edit_member(e, (const char *[]){ NULL }, "hooks", "{}", err);
	for (size_t k = 0; r == 0 && (event = hook_agent_event(agent, k)) != NULL; k++) {
		r = hook_edit_member(e, (const char *[]){ "hooks", NULL }, event, "[]", err);
		if (r == 0)
			r = hook_edit_append(e, (const char *[]){ "hooks", event, NULL }, item, err);
	}
	free(item);
	return r;
}

/* Removes our hooks, and what is empty then, from a document; counts those with `line`. */
static unsigned strip(enum hook_agent agent, struct json_object *doc, const char *line)
{
	struct json_object *hooks = NULL, *hook;
	unsigned n = 0;
	size_t g, i;

	for (size_t k = 0; hook_agent_event(agent, k); k++) {
		const char *event = hook_agent_event(agent, k);
		struct json_object *list = list_of(doc, event);

		while ((hook = first_of_ours(agent, list, &g, &i)) != NULL) {
			n += line && strcmp(query_json_text(hook, "command"), line) == 0;
			if (i == SIZE_MAX)
				(void)json_object_array_del_idx(list, g, 1);
			else
				(void)json_object_array_del_idx(
					hooks_of(json_object_array_get_idx(list, g)), i, 1);
		}
		if (list && json_object_array_length(list) == 0 &&
		    json_object_object_get_ex(doc, "hooks", &hooks))
			json_object_object_del(hooks, event);
	}
	if (json_object_object_get_ex(doc, "hooks", &hooks) &&
	    json_object_is_type(hooks, json_type_object) && json_object_object_length(hooks) == 0)
		json_object_object_del(doc, "hooks");
	if (hook_schema_is_flat(agent))
		json_object_object_del(doc, "version");
	return n;
}

static unsigned events_of(enum hook_agent agent)
{
	unsigned n = 0;

	while (hook_agent_event(agent, n))
		n++;
	return n;
}

/* Does the new text say what the old one said, and have our hook at each event (or, without
 * `line`, nowhere)? */
static int check(enum hook_agent agent, const struct hook_edit *old, const struct hook_edit *new,
		 const char *line, struct rt_err *err)
{
	struct query_json a, b;
	struct json_object *from = read_edit(old, &a, err), *to = read_edit(new, &b, err);
	int r = 0;

	if (from && to) {
		(void)strip(agent, from, NULL);
		if (strip(agent, to, line) != (line ? events_of(agent) : 0) ||
		    !json_object_equal(from, to))
			r = rt_fail(err, EINVAL, "it cannot be changed without changing more of it");
	} else {
		r = -EINVAL;
	}
	query_json_release(&a);
	query_json_release(&b);
	return r;
}

/* Is there nothing to do: our hook with this line, once at each event? */
static bool is_installed(enum hook_agent agent, const struct hook_edit *e, const char *line)
{
	struct rt_err err = { 0 };
	struct query_json j;
	struct json_object *doc = read_edit(e, &j, &err);
	bool all = doc != NULL;
	size_t g, i;

	for (size_t k = 0; all && hook_agent_event(agent, k); k++) {
		struct json_object *list = list_of(doc, hook_agent_event(agent, k));
		struct json_object *hook = first_of_ours(agent, list, &g, &i);
		const char *matcher = hook ? query_json_text(json_object_array_get_idx(list, g), "matcher") :
					     NULL;

		all = hook && strcmp(query_json_text(hook, "command"), line) == 0 &&
		      (!matcher || strcmp(matcher, agent == HOOK_GEMINI ? ".*" : "*") == 0);
	}
	if (all)
		all = strip(agent, doc, line) == events_of(agent);
	query_json_release(&j);
	return all;
}

/* opencode and pi have no file of settings for it, but a program of ours in a folder of its own. */
static int change_plugin(const struct query_options *opt, enum hook_agent agent, const char *line,
			 struct hook_rewrite *f, struct rt_err *err)
{
	AUTO_FREE char *text = line ? hook_plugin_text(agent, line) : NULL;
	const struct hook_edit new = { .text = text, .n = text ? strlen(text) : 0 };

	if (text && !f->missing && strcmp(f->old.text, text) == 0) {
		printf("%s: it is installed already\n", f->path);
		return 0;
	}
	if (!f->missing && !hook_plugin_is_ours(agent, f->old.text)) {
		(void)rt_fail(err, EEXIST, "it is a file that 'install' has not written");
		return TROUBLE;
	}
	if (!line)
		return hook_rewrite_remove(f, opt->yes, err);
	if (!text) {
		(void)rt_fail(err, ENOMEM, "out of memory");
		return TROUBLE;
	}
	return hook_rewrite(f, &new, opt->yes, err);
}

int hook_install(const struct query_options *opt)
{
	enum hook_agent agent = hook_agent_find(opt->agent);
	bool install = opt->action == QUERY_INSTALL, plugin = agent == HOOK_OPENCODE || agent == HOOK_PI,
	     own_file = plugin || agent == HOOK_COPILOT;
	struct hook_edit new = { .comments = agent == HOOK_GEMINI || agent == HOOK_QWEN };
	struct hook_rewrite f = { .old = { .comments = agent == HOOK_GEMINI || agent == HOOK_QWEN } };
	char path[PATH_MAX], line[4 * PATH_MAX];
	struct rt_err err = { 0 };
	int r = 0, status = TROUBLE;

	if (!hook_settings_file(agent, path))
		r = rt_fail(&err, EINVAL, "HOME is not set, or no absolute path");
	if (r == 0 && install && !write_line(opt, agent, line, sizeof(line), &err))
		r = -EINVAL;
	if (r == 0 && own_file && !install && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
	    errno == ENOENT) {
		printf("%s: it is not installed\n", path);
		return 0;
	}
	if (r == 0 && own_file && install)
		r = hook_plugin_make_folders(path, &err);
	if (r == 0)
		r = hook_rewrite_read(&f, path, &err);
	/* root's agent under polrun reads it as another user, and would go on without it */
	if (r == 0 && own_file && f.missing)
		f.mode = 0644;
	if (r == 0 && plugin) {
		status = change_plugin(opt, agent, install ? line : NULL, &f, &err);
	} else if (r == 0 && (install ? is_installed(agent, &f.old, line) : f.missing)) {
		printf("%s: %s\n", f.path, install ? "it is installed already" : "it is not installed");
		status = 0;
	} else if (r == 0) {
		new.text = strndup(f.old.text, f.old.n);
		new.n = f.old.n;
		r = new.text ? remove_all(&new, agent, &err) : rt_fail(&err, ENOMEM, "out of memory");
		if (r == 0 && install)
			r = add_all(&new, agent, line, &err);
		if (r == 0)
			r = check(agent, &f.old, &new, install ? line : NULL, &err);
		if (r == 0)
			status = hook_rewrite(&f, &new, opt->yes, &err);
	}
	if (r < 0 || (status == TROUBLE && err.text[0]))
		hook_rewrite_refuse(&f, path, &err, install ? line : NULL);
	free(new.text);
	hook_rewrite_release(&f);
	if (status == 0 && install)
		return hook_doctor(&(struct query_options){ .action = QUERY_DOCTOR, .agent = opt->agent });
	return status;
}
