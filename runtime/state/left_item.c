/* Decides what the things that a run has left are called, and what is said about them. */
#include "runtime/state/left_item.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/base/io.h"

static const char *const words[LEFT_KINDS] = {
	[LEFT_REPO + REPO_DOT_GIT] = "repository",
	[LEFT_REPO + REPO_GIT_FILE] = "git-file",
	[LEFT_REPO + REPO_GIT_DIR] = "submodule",
	[LEFT_REPO + REPO_WORKTREE] = "worktree",
	[LEFT_REPO + REPO_BARE] = "bare-repository",
	[LEFT_REPO + REPO_POLICY] = "policy",
	[LEFT_NAME] = "name",
	[LEFT_WRITTEN] = "written-name",
	[LEFT_LINK] = "link",
	[LEFT_UNKNOWN] = "unknown-name",
	[LEFT_CUT] = "search-cut",
	[LEFT_CLOSED] = "search-closed",
	[LEFT_FAILED] = "search-failed",
};

const char *left_word(enum left_kind kind)
{
	return kind < LEFT_KINDS ? words[kind] : "name";
}

enum left_kind left_kind_of(const char *word)
{
	enum left_kind k = LEFT_REPO;

	while (k < LEFT_KINDS && strcmp(words[k], word) != 0)
		k = (enum left_kind)(k + 1);
	return k;
}

/* Is it a folder below .git in which git keeps the state of an unfinished command, such as a rebase?  names.tsv lists
 * them as `told`.  A repository may also have another name than .git. */
static bool is_git_state(const char *path)
{
	static const char *const told[] = {
#define KEPT(...)
#define KEPT_HOST(...)
#define KEPT_TOLD(name) name,
#include "kept_names.def"
#undef KEPT
#undef KEPT_HOST
#undef KEPT_TOLD
	};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < sizeof(told) / sizeof(told[0]); i++)
		if (strncmp(told[i], ".git/", 5) == 0 && strcmp(name + 1, told[i] + 5) == 0)
			return true;
	return false;
}

void left_say(const struct left_item *it, char text[LEFT_TEXT])
{
	static const char *const why[] = { "it is too large", "a folder cannot be looked at",
					   "it failed" };
	char path[LEFT_TEXT - 400], when[120] = "", stamp[64] = "an unknown time";
	time_t t = (time_t)it->when;
	struct tm tm;

	io_escape(path, sizeof(path), it->path, strlen(it->path));
	if (it->killed) {
		if (gmtime_r(&t, &tm))
			(void)strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S UTC", &tm);
		(void)snprintf(when, sizeof(when), " since a run of %s that was killed", stamp);
	}
	if (it->kind >= LEFT_CUT)
		(void)snprintf(text, LEFT_TEXT, "not all of %s was searched for repositories that "
			       "%s may have made (%s)", path,
			       it->killed ? "a run that was killed" : "a run",
			       why[it->kind - LEFT_CUT]);
	else if (it->kind == LEFT_NAME)
		(void)snprintf(text, LEFT_TEXT, "%s has appeared%s: look at it before you use it",
			       path, when);
	else if (it->kind == LEFT_REPO + REPO_POLICY)
		(void)snprintf(text, LEFT_TEXT, "%s has appeared%s: %s, whose bundles and signers a "
			       "run there may be told to believe: look at it before you work there",
			       path, when, repo_word(REPO_POLICY));
	else if (it->kind == LEFT_WRITTEN && is_git_state(it->path))
		(void)snprintf(text, LEFT_TEXT, "%s was made or changed%s: git runs what it names later (git "
			       "rebase --continue, git push): look at it before", path, when);
	else if (it->kind == LEFT_WRITTEN)
		(void)snprintf(text, LEFT_TEXT, "%s was made or changed%s: an agent, an editor or a tool that "
			       "works in that folder obeys or runs it: look at it before", path, when);
	else if (it->kind == LEFT_LINK)
		(void)snprintf(text, LEFT_TEXT, "%s was made or moved%s: a link, and git writes into what it leads "
			       "to: look at it before you work there", path, when);
	else if (it->kind == LEFT_UNKNOWN)
		(void)snprintf(text, LEFT_TEXT, "%s has appeared%s: look at it if a program of yours reads such "
			       "a name by itself", path, when);
	else
		(void)snprintf(text, LEFT_TEXT, "%s has appeared%s: %s, whose configuration git "
			       "believes: look at it before you work there", path, when,
			       repo_word((enum repo_kind)(it->kind - LEFT_REPO)));
}
