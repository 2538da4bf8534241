/*
 * Decides what kind of project a folder holds.  Whoever made the folder may have written
 * each of these files; only what a line of our tables says gets into the policy, and a
 * path only if its other end says the same.
 */
#include "compiler/cli/project_look.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/roots.h"
#include "runtime/base/git_common.h"
#include "runtime/base/io.h"

/* The first row of a library that fits counts. */
static const struct project_kind kinds[] = {
	{ { "pnpm-lock.yaml" }, "std/dev/node", { "pnpm test", "pnpm run build" },
	  { "pnpm publish" }, "std/net/npm" },
	{ { "yarn.lock" }, "std/dev/node", { "yarn test", "yarn build" },
	  { "yarn npm publish" }, "std/net/npm" },
	{ { "bun.lock", "bun.lockb" }, "std/dev/node", { "bun test", "bun run build" },
	  { "bun publish" }, "std/net/npm" },
	{ { "package.json" }, "std/dev/node", { "npm test", "npm run build" },
	  { "npm publish" }, "std/net/npm" },
	{ { "uv.lock" }, "std/dev/python", { "uv run pytest", "python3 -m pytest" },
	  { "uv publish" }, "std/net/pypi" },
	{ { "poetry.lock" }, "std/dev/python", { "poetry run pytest", "python3 -m pytest" },
	  { "poetry publish" }, "std/net/pypi" },
	{ { "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini" },
	  "std/dev/python", { "pytest", "python3 -m pytest" }, { "twine upload dist/x" },
	  "std/net/pypi" },
	{ { "Cargo.toml" }, "std/dev/rust", { "cargo build", "cargo test" },
	  { "cargo publish" }, "std/net/crates" },
	{ { "go.mod" }, "std/dev/go", { "go build ./...", "go test ./..." },
	  { NULL }, "std/net/go" },
	{ { "pom.xml" }, "std/dev/java", { "mvn -o test" }, { "mvn deploy" }, "std/net/maven" },
	{ { "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts" },
	  "std/dev/java", { "./gradlew test" }, { "./gradlew publish" }, "std/net/maven" },
	{ { "CMakeLists.txt" }, "std/dev/c", { "cmake -B build", "cmake --build build" },
	  { NULL }, NULL },
	{ { "meson.build" }, "std/dev/c", { "meson setup build", "meson test -C build" },
	  { NULL }, NULL },
	{ { "Makefile", "GNUmakefile", "makefile", "configure.ac", "configure" }, "std/dev/c",
	  { "make", "make test" }, { "make deploy" }, NULL },
};

static const char *path_of(struct arena *a, const char *dir, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static bool is_file(struct arena *a, const char *dir, const char *name)
{
	struct stat st;

	return stat(path_of(a, dir, name), &st) == 0 && S_ISREG(st.st_mode);
}

static bool has_use(const struct project_look *l, const char *use)
{
	for (size_t i = 0; i < l->kinds.n; i++)
		if (strcmp(l->kinds.v[i].kind->use, use) == 0)
			return true;
	return false;
}

static void find_kinds(struct project_look *l, struct arena *a)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct project_kind *k = &kinds[i];

		for (size_t n = 0; n < 8 && k->files[n] && !has_use(l, k->use); n++) {
			struct project_found f = { k, k->files[n] };

			if (is_file(a, l->dir, k->files[n]))
				VEC_PUSH(a, &l->kinds, f);
		}
	}
}

/* --- git --------------------------------------------------------------------------- */

enum { SMALL = 1 << 16 };

/* A small text file; empty if there is none. */
static struct str text_of(struct arena *a, const char *path)
{
	struct str ret = STR("");
	char *text = NULL;
	size_t n = 0;

	if (io_read_file(path, SMALL, &text, &n) == 0)
		ret = str_dup(a, (struct str){ text, n });
	free(text);
	return ret;
}

static struct str first_line(struct str s)
{
	const char *end = s.n ? memchr(s.p, '\n', s.n) : NULL;

	s = end ? (struct str){ s.p, (size_t)(end - s.p) } : s;
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

/* The value of the first line "KEY = VALUE" after the line [SECTION]; empty: none. */
static struct str config_value(struct str text, const char *section, const char *key)
{
	bool in = false;

	while (text.n) {
		struct str line = first_line(text);
		const char *end = memchr(text.p, '\n', text.n);
		size_t skip = end ? (size_t)(end - text.p) + 1 : text.n, n = strlen(key);

		while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
			line = str_sub(line, 1, line.n - 1);
		if (line.n && line.p[0] == '[')
			in = str_eqz(line, section);
		else if (in && line.n > n && strncmp(line.p, key, n) == 0 &&
			 strcspn(line.p + n, " \t=") == 0) {
			const char *eq = memchr(line.p, '=', line.n);

			if (eq) {
				line = str_sub(line, (size_t)(eq - line.p) + 1,
					       line.n - (size_t)(eq - line.p) - 1);
				while (line.n && (line.p[0] == ' ' || line.p[0] == '\t'))
					line = str_sub(line, 1, line.n - 1);
				return line;
			}
		}
		text = str_sub(text, skip, text.n - skip);
	}
	return STR("");
}

/* "github.com" of https://github.com/x, ssh://git@github.com/x or git@github.com:x. */
static struct str host_of(struct str url)
{
	size_t from = 0, n = 0;

	for (size_t i = 0; i + 2 < url.n; i++)
		if (memcmp(url.p + i, "://", 3) == 0)
			from = i + 3;
	for (size_t i = from; i < url.n && url.p[i] != '/'; i++)
		if (url.p[i] == '@')
			from = i + 1;
	while (from + n < url.n && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789.-", url.p[from + n]))
		n++;
	if (!n || from + n == url.n || !strchr("/:", url.p[from + n]))
		return STR("");
	return str_sub(url, from, n);
}

static void look_at_git(struct project_look *l, struct arena *a)
{
	const char *git = path_of(a, l->dir, ".git");
	char common[PATH_MAX];
	struct stat st;

	if (lstat(git, &st) != 0 || !(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
		return;
	l->is_repo = true;
	l->is_elsewhere = S_ISREG(st.st_mode);
	if (git_common_find(l->dir, str_z(a, roots_home(a)), getuid(), common) == 0) {
		l->is_elsewhere = false;
		git = common;
	}
	l->remote = host_of(config_value(text_of(a, path_of(a, git, "config")),
					 "[remote \"origin\"]", "url"));
}

void project_look(struct project_look *ret, struct arena *a, const char *dir)
{
	*ret = (struct project_look){ .dir = dir };
	find_kinds(ret, a);
	look_at_git(ret, a);
}
