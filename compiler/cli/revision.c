/*
 * Reads files of a git revision.  git runs as a child with fixed arguments, never through
 * a shell; what it prints is checked, and only ids of objects go back to it.
 */
#include "compiler/cli/revision.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"

extern char **environ;

/* --- git -------------------------------------------------------------------- */

static int spawn_git(const char *const argv[], int out, bool quiet, pid_t *ret_pid)
{
	posix_spawn_file_actions_t fa;
	char program[PATH_MAX];
	int r = posix_spawn_file_actions_init(&fa);

	if (r != 0)
		return r;
	r = posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	if (r == 0 && quiet)
		r = posix_spawn_file_actions_addopen(&fa, STDERR_FILENO, "/dev/null",
						     O_WRONLY, 0);
	if (r == 0)
		r = -place_program(argv[0], program); /* not one that a run has made */
	if (r == 0)
		r = posix_spawn(ret_pid, program, &fa, NULL,
				 (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	return r;
}

static bool succeeded(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
 * What git prints: 0, a positive errno if it could not be run or prints more than `most`
 * bytes, or -1 if it failed.  If `quiet`, it does not say why.
 */
static int run_git(struct arena *a, const char *const argv[], bool quiet, size_t most,
		   struct str *ret)
{
	char *text = NULL;
	size_t n = 0;
	int fd[2], r;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) != 0)
		return errno;
	r = spawn_git(argv, fd[1], quiet, &pid);
	close(fd[1]);
	if (r == 0) {
		r = -io_read_all(fd[0], most, &text, &n);
		close(fd[0]); /* so that git ends if it still writes */
		if (!succeeded(pid) && r == 0)
			r = -1;
	} else {
		close(fd[0]);
	}
	if (r == 0)
		*ret = str_dup(a, (struct str){ text, n });
	free(text);
	return r;
}

/* An object's id on a line, or NULL: git would take much else for a revision. */
static const char *object_id(struct arena *a, struct str s)
{
	size_t i;

	if (s.n && s.p[s.n - 1] == '\n')
		s.n--;
	if (s.n != 40 && s.n != 64)
		return NULL;
	for (i = 0; i < s.n; i++)
		if (!strchr("0123456789abcdef", s.p[i]) || !s.p[i])
			return NULL;
	return str_z(a, s);
}

/* --- files ------------------------------------------------------------------- */

static const char *kind_of(struct str mode)
{
	if (str_eqz(mode, "100644") || str_eqz(mode, "100755"))
		return NULL;
	if (str_eqz(mode, "120000"))
		return "it is a symbolic link, which is not followed in a revision";
	if (str_eqz(mode, "040000"))
		return "it is a folder";
	if (str_eqz(mode, "160000"))
		return "it is a submodule";
	return "it is no file";
}

/* Reads "MODE TYPE ID\tPATH\0"; NULL, or why it is not the file. */
static const char *read_entry(struct arena *a, struct str s, const char *path,
			      const char **ret_id)
{
	const char *tab = s.n ? memchr(s.p, '\t', s.n) : NULL;
	struct str head, name, mode;
	const char *why;

	if (!tab)
		return "the revision has no such file";
	head = (struct str){ s.p, (size_t)(tab - s.p) };
	name = (struct str){ tab + 1, s.n - head.n - 1 };
	if (head.n < 12 || name.n != strlen(path) + 1 || memcmp(name.p, path, name.n) != 0)
		return "git answered with another file";
	mode = str_sub(head, 0, 6);
	why = kind_of(mode);
	if (why)
		return why;
	*ret_id = str_starts(str_sub(head, 6, head.n), STR(" blob ")) ?
			  object_id(a, str_sub(head, 12, head.n)) : NULL;
	return *ret_id ? NULL : "git answered with no file";
}

static const char *why_not(int r)
{
	return r < 0 ? "git failed" : strerror(r);
}

static const char *read_blob(struct revision *r, const char *path, size_t most,
			     struct str *ret)
{
	const char *const list[] = { "git", "--no-replace-objects", "--literal-pathspecs",
				     "ls-tree", "--full-tree", "-z", r->tree, "--", path,
				     NULL };
	const char *id = NULL, *why;
	struct str entry;
	int e = run_git(r->a, list, false, SOURCE_MAX_BYTES, &entry);

	if (e != 0)
		return why_not(e);
	why = read_entry(r->a, entry, path, &id);
	if (why)
		return why;
	const char *const cat[] = { "git", "--no-replace-objects", "cat-file", "blob", id,
				    NULL };
	e = run_git(r->a, cat, false, most, ret);
	return e ? why_not(e) : NULL;
}

/* A policy is read once for each role: git is asked only the first time. */
static const char *read_text(struct sema_store *store, const char *path, struct str *ret)
{
	struct revision *r = (struct revision *)store;
	struct revision_text t = { .path = path };
	const char *why;
	size_t i;

	for (i = 0; i < r->texts.n; i++) {
		if (strcmp(r->texts.v[i].path, path) == 0) {
			*ret = r->texts.v[i].text;
			return NULL;
		}
	}
	why = read_blob(r, path, SOURCE_MAX_BYTES, &t.text);
	if (why)
		return why;
	t.path = str_z(r->a, str_from(path));
	VEC_PUSH(r->a, &r->texts, t);
	*ret = t.text;
	return NULL;
}

/* --- the word ------------------------------------------------------------------ */

/* The ':' between the revision and the path, or NULL: "HEAD^{/fix: it}:p.pol". */
static const char *colon_of(const char *word)
{
	int depth = 0;

	for (; *word; word++) {
		if (*word == '{')
			depth++;
		else if (*word == '}' && depth)
			depth--;
		else if (*word == ':' && !depth)
			return word;
	}
	return NULL;
}

bool revision_is(const char *word)
{
	return word[0] != '/' && word[0] != '.' && colon_of(word);
}

static bool complain(struct arena *a, const char *word, const char *why)
{
	fprintf(stderr, "polc: '%.*s' cannot be read: %s\n",
		STR_ARG(cli_clean(a, str_from(word), false)), why);
	return false;
}

/* "./x" and "../x" are below the working directory, as for git; else below the top. */
static bool find_path(struct revision *r, const char *word, const char *path,
		      struct str prefix)
{
	struct str p = str_from(path);

	if (str_starts(p, STR("./")) || str_starts(p, STR("../")))
		p = str_cat(r->a, prefix, p);
	p = sema_normal(r->a, p);
	if (!p.n || str_eqz(p, ".") || p.p[0] == '/')
		return complain(r->a, word, "after REV: comes the path of a file in the "
					    "repository");
	if (str_eqz(p, "..") || str_starts(p, STR("../")))
		return complain(r->a, word, "it lies outside of the repository");
	r->path = str_z(r->a, p);
	return true;
}

static bool find_tree(struct revision *r, const char *word, struct str rev)
{
	const char *spec = arena_printf(r->a, "%.*s^{tree}", STR_ARG(rev));
	const char *const argv[] = { "git", "--no-replace-objects", "rev-parse", "--verify",
				     "--quiet", spec, NULL };
	struct str id;
	int e;

	if (!rev.n || rev.p[0] == '-')
		return complain(r->a, word, "before the ':' comes a git revision");
	e = run_git(r->a, argv, true, SOURCE_MAX_BYTES, &id);
	if (e > 0)
		return complain(r->a, word, strerror(e));
	r->tree = e == 0 ? object_id(r->a, id) : NULL;
	if (!r->tree)
		return complain(r->a, word, "the repository has no such revision (a shallow "
					    "clone lacks most of them); a file whose name has "
					    "a ':' is written ./NAME");
	return true;
}

bool revision_open(struct revision *r, struct arena *a, const char *word)
{
	const char *const argv[] = { "git", "rev-parse", "--show-prefix", NULL };
	const char *colon = colon_of(word);
	struct str rev = { word, (size_t)(colon - word) }, prefix;
	int e = run_git(a, argv, false, SOURCE_MAX_BYTES, &prefix);

	*r = (struct revision){ .a = a };
	if (e != 0)
		return complain(a, word, e > 0 ? strerror(e) :
				"git knows no repository here; a file whose name has a ':' is "
				"written ./NAME");
	if (prefix.n && prefix.p[prefix.n - 1] == '\n')
		prefix.n--;
	r->store = (struct sema_store){ .name = str_dup(a, str_sub(str_from(word), 0,
								   rev.n + 1)),
					.read = read_text };
	return find_tree(r, word, rev) && find_path(r, word, colon + 1, prefix);
}

/* --- for the command line --------------------------------------------------------- */

bool revision_bundle(const char *word, struct arena *a, struct bundle *ret)
{
	struct rt_err err = { .err = 0 };
	struct revision r;
	struct str bytes;
	const char *why;
	uint8_t *copy;

	if (!revision_open(&r, a, word))
		return false;
	why = read_blob(&r, r.path, PB_MAX_BUNDLE, &bytes);
	if (why)
		return complain(a, word, why);
	copy = malloc(bytes.n + 1);
	if (!copy)
		return complain(a, word, strerror(ENOMEM));
	memcpy(copy, bytes.p, bytes.n);
	return bundle_parse(copy, bytes.n, ret, &err) == 0 || complain(a, word, err.text);
}

/* A source, or a policy as a git revision has it; false after a message. */
static bool input_of(const char *word, struct arena *a, struct sema_input *ret)
{
	struct revision *rev;

	*ret = (struct sema_input){ .path = word };
	if (!revision_is(word))
		return true;
	rev = ARENA_NEW(a, struct revision);
	if (!revision_open(rev, a, word))
		return false;
	ret->path = rev->path;
	ret->name = str_cat(a, rev->store.name, str_from(rev->path));
	ret->store = &rev->store;
	return true;
}

bool revision_add(struct options *o, const char *word, struct arena *a)
{
	struct sema_input in;

	if (str_ends(str_from(word), STR(".polb"))) {
		o->bundle = word;
		o->of_revision = revision_is(word);
		return true;
	}
	if (!input_of(word, a, &in))
		return false;
	VEC_PUSH(a, &o->inputs, in);
	return true;
}
