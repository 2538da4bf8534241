/*
 * `polc init`: a first policy for a project.  What is written was checked, and its tests
 * have passed, before the file exists.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/discover.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/project_look.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"
#include "compiler/cli/tests.h"
#include "runtime/base/io.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/trusted.h"

#define NAME ".pol/policy.pol"

/* --- the text ---------------------------------------------------------------------- */

/* The folder's name as a policy's name: letters, digits and '-', a letter first. */
static struct str policy_name(struct arena *a, const char *dir)
{
	const char *slash = strrchr(dir, '/'), *p = slash ? slash + 1 : dir;
	struct buf b;

	buf_init(&b, a);
	for (; *p && b.n < 40; p++) {
		if (isascii(*p) && isalnum((unsigned char)*p) && (b.n || isalpha((unsigned char)*p)))
			buf_ch(&b, *p);
		else if (b.n && b.p[b.n - 1] != '-')
			buf_ch(&b, '-');
	}
	while (b.n && b.p[b.n - 1] == '-')
		b.n--;
	/* a word of the language is no name */
	return b.n ? str_printf(a, "%.*s-project", STR_ARG(buf_view(&b))) : STR("this-project");
}

static void put_uses(struct buf *b, const struct project_look *l)
{
	for (size_t i = 0; i < l->kinds.n; i++)
		buf_printf(b, "use %s    # there is %s\n", l->kinds.v[i].kind->use,
			   l->kinds.v[i].file);
	if (l->is_repo)
		buf_z(b, "use std/dev/git    # there is .git\n");
	if (!l->kinds.n && !l->is_repo)
		buf_z(b, "# For the project's language: use std/dev/node, std/dev/python, ...\n"
			 "use std/dev/project\n");
	buf_z(b, "\n");
}

static void put_repo(struct buf *b, const struct project_look *l)
{
	if (l->is_elsewhere)
		buf_z(b, "# .git leads to a repository elsewhere, which a commit writes. To let\n"
			 "# git commit work:  file { allow read, write \"THAT/.git\" }\n\n");
}

static void put_net(struct buf *b, const struct project_look *l)
{
	const char *net = NULL;

	for (size_t i = 0; i < l->kinds.n && !net; i++)
		net = l->kinds.v[i].kind->net;
	buf_z(b, "# Commands have no network.");
	if (net)
		buf_printf(b, " To reach the registry:\n"
			      "#     use %s\n#     network { mode limited }", net);
	if (l->remote.n)
		buf_printf(b, "\n# git push and fetch talk to %.*s: push asks, and both work outside.",
			   STR_ARG(l->remote));
	buf_z(b, "\n\n");
}

static void put_lines(struct buf *b, const char *const *lines, const char *effect)
{
	for (size_t i = 0; i < 4 && lines[i]; i++)
		buf_printf(b, "    command \"%s\" => %s\n", lines[i], effect);
}

static void put_tests(struct buf *b, const struct project_look *l)
{
	buf_z(b, "test \"everyday work\" {\n    command \"ls && cat README.md\" => allow\n");
	for (size_t i = 0; i < l->kinds.n; i++)
		put_lines(b, l->kinds.v[i].kind->works, "allow");
	if (l->is_repo)
		buf_z(b, "    command \"git status\" => allow\n"
			 "    command \"git commit -m done\" => allow\n");
	buf_z(b, "    file write \"${PROJECT_DIR}/src/new\" => allow\n}\n\n"
		 "test \"what asks a person\" {\n    command \"rm -rf .git\" => ask\n");
	for (size_t i = 0; i < l->kinds.n; i++)
		put_lines(b, l->kinds.v[i].kind->asks, "ask");
	if (l->is_repo)
		buf_z(b, "    command \"git push\" => ask\n");
	buf_z(b, "}\n\ntest \"what stays closed\" {\n"
		 "    net tcp \"example.org\" port 443 => deny\n"
		 "    file read \"${HOME}/.ssh/id_ed25519\" => deny\n"
		 "    file write \"${PROJECT_DIR}/" NAME "\" => deny\n}\n");
}

static struct str make_text(struct arena *a, const struct project_look *l)
{
	struct buf b;

	buf_init(&b, a);
	buf_z(&b, "# What commands may do in this project: `polrun CMD` runs them under it. Change\n"
		  "# it as you like, then:\n"
		  "#     polc check " NAME "    reads it, and runs the tests below\n"
		  "#     polc trust " NAME "    lets it count as it is then\n"
		  "#     polc effective " NAME "    shows all rules, with where they come from\n");
	buf_printf(&b, "policy %.*s { level project }\n\n", STR_ARG(policy_name(a, l->dir)));
	put_uses(&b, l);
	put_repo(&b, l);
	put_net(&b, l);
	put_tests(&b, l);
	return buf_view(&b);
}

/* --- checking and writing ------------------------------------------------------------ */

/* A text of ours that has an error, or whose test fails, is a fault of polc. */
static enum cli_exit check_text(struct options *o, struct arena *a, struct str text)
{
	struct sema_input in = { .path = NAME, .text = text, .level = IR_PROJECT };
	struct tests_result t = { 0 };
	struct compilation c;
	enum cli_exit e;

	o->inputs.n = 0;
	VEC_PUSH(a, &o->inputs, in);
	compilation_init(&c, o, a);
	e = passes_run(&c, NULL);
	if (e == CLI_CLEAN && !c.sink.errors)
		e = tests_run(&c, &t);
	if (e == CLI_CLEAN && !c.sink.errors)
		return CLI_CLEAN;
	report_print(&c);
	fputs("polc: internal error: the policy that it made does not pass its own check\n", stderr);
	return CLI_INTERNAL;
}

static enum cli_exit trouble(struct arena *a, const char *what, const char *path)
{
	int err = errno;

	fprintf(stderr, "polc: cannot %s '%.*s': %s\n", what,
		STR_ARG(cli_clean(a, str_from(path), false)), strerror(err));
	return CLI_TROUBLE;
}

/* Nothing is followed or replaced: a name that exists is an error. */
static enum cli_exit write_text(struct arena *a, const char *dir, struct str text)
{
	const char *folder = arena_printf(a, "%s/.pol", dir);
	int at, fd, r;

	if (mkdir(folder, 0755) != 0 && errno != EEXIST)
		return trouble(a, "make", folder);
	at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0)
		return trouble(a, "open", folder);
	fd = openat(at, "policy.pol", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	r = fd < 0 ? -errno : io_write_all(fd, text.p, text.n);
	if (fd >= 0 && close(fd) != 0 && r == 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		(void)unlinkat(at, "policy.pol", 0);
	(void)close(at);
	errno = -r;
	return r < 0 ? trouble(a, "write", arena_printf(a, "%s/policy.pol", folder)) : CLI_CLEAN;
}

/* Who asks for the file has it trusted: nobody else has had a hand in it. */
static enum cli_exit trust_text(struct arena *a, const char *dir, struct str text)
{
	const char *path = arena_printf(a, "%s/" NAME, dir);
	struct rt_err err = { 0 };
	char state[PATH_MAX];

	if (state_dir_own(state, &err) == 0 &&
	    trusted_add(state, path, text.p, text.n, &err) == 0)
		return CLI_CLEAN;
	fprintf(stderr, "polc: it is written, but not trusted (polc trust " NAME "): %s\n",
		err.text);
	return CLI_TROUBLE;
}

static void say(struct arena *a, const struct project_look *l)
{
	printf("%.*s/" NAME "\n", STR_ARG(cli_clean(a, str_from(l->dir), false)));
	for (size_t i = 0; i < l->kinds.n; i++)
		printf("  %s: use %s\n", l->kinds.v[i].file, l->kinds.v[i].kind->use);
	if (l->is_repo)
		puts("  .git: use std/dev/git");
	fputs("asks a person:  rm -rf .git", stdout);
	for (size_t i = 0; i < l->kinds.n; i++)
		for (size_t n = 0; n < 4 && l->kinds.v[i].kind->asks[n]; n++)
			printf(", %s", l->kinds.v[i].kind->asks[n]);
	puts(l->is_repo ? ", git push" : "");
	puts("next:  polrun CMD");
}

/* The folder that is named, else the project that the working directory is in. */
static const char *find_dir(struct options *o, struct arena *a)
{
	const char *from = o->inputs.n ? o->inputs.v[0].path : ".";
	char *real = realpath(from, NULL);
	struct stat st;
	struct str dir;

	if (!real || stat(real, &st) != 0) {
		(void)trouble(a, "look at", from);
		free(real);
		return NULL;
	}
	dir = str_dup(a, str_from(real));
	free(real);
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		(void)trouble(a, "look at", from);
		return NULL;
	}
	return str_z(a, o->inputs.n ? dir : roots_project(a, dir, roots_home(a)));
}

enum cli_exit cmd_init(struct options *o, struct arena *a)
{
	struct options found = { .verb = o->verb };
	const char *dir = find_dir(o, a);
	struct project_look l;
	enum cli_exit e;
	struct str text;

	if (!dir || !discover_dir(&found, a, arena_printf(a, "%s/.pol", dir), ".pol", IR_PROJECT,
				  stderr))
		return CLI_TROUBLE;
	if (found.inputs.n) {
		fprintf(stderr, "polc: the project has a policy: %.*s\n",
			STR_ARG(cli_clean(a, str_from(found.inputs.v[0].path), false)));
		return CLI_FINDINGS;
	}
	project_look(&l, a, dir);
	text = make_text(a, &l);
	e = check_text(o, a, text);
	if (e == CLI_CLEAN)
		e = write_text(a, dir, text);
	if (e == CLI_CLEAN)
		e = trust_text(a, dir, text);
	if (e == CLI_CLEAN)
		say(a, &l);
	return e;
}
