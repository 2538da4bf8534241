/* Executes polc where the cache has no bundle.  polrun is static and has no compiler; it
 * runs nothing when polc fails. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/reader.h"
#include "runtime/polrun/cache.h"
#include "runtime/polrun/cache_dir.h"
#include "runtime/polrun/cache_files.h"

enum { MAX_ARGS = 24, TRIES = 3, MAX_SAID = 1 << 20 };

struct job {
	const char **argv, *envp[5];
	size_t n;
	char *managed;                 /* the paths of the managed policies */
	char bundle[64], list[64];     /* names in the cache */
	char out[PATH_MAX], inputs[PATH_MAX];
	char project[PATH_MAX + 32], home[PATH_MAX + 32];
	char env_home[PATH_MAX + 32], env_config[PATH_MAX + 32], env_state[PATH_MAX + 32];
	int said;                      /* what polc prints */
};

/* --- the command line of polc ------------------------------------------------------------ */

/* NULL also for a path that is not absolute, which does not count. */
static const char *own_variable(const struct cache_want *w, const char *name)
{
	const char *v = w->other_user ? NULL : getenv(name);

	return v && v[0] == '/' ? v : NULL;
}

static int paths(struct job *j, const struct cache *c, struct rt_err *err)
{
	const struct cache_want *w = c->want;
	const char *config = own_variable(w, "XDG_CONFIG_HOME");
	const char *state = own_variable(w, "XDG_STATE_HOME");
	size_t n = 0;
	struct { char *to; size_t cap; const char *head, *tail; } all[] = {
		{ j->out, sizeof(j->out), c->at->cache, j->bundle },
		{ j->inputs, sizeof(j->inputs), c->at->cache, j->list },
		{ j->project, sizeof(j->project), "PROJECT_DIR=", w->project },
		{ j->home, sizeof(j->home), "HOME=", w->home },
		{ j->env_home, sizeof(j->env_home), "HOME=", w->home },
		{ j->env_config, sizeof(j->env_config), "XDG_CONFIG_HOME=", config ? config : "" },
		{ j->env_state, sizeof(j->env_state), "XDG_STATE_HOME=", state ? state : "" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if ((size_t)snprintf(all[i].to, all[i].cap, "%s%s%s", all[i].head,
				     i < 2 ? "/" : "", all[i].tail) >= all[i].cap)
			return rt_fail(err, ENAMETOOLONG, "a path for polc is too long");
	j->envp[n++] = j->env_home;
	if (config)
		j->envp[n++] = j->env_config;
	if (state)
		j->envp[n++] = j->env_state;
	return 0;
}

static void put(struct job *j, const char *word)
{
	j->argv[j->n++] = word;
}

/* A policy that was named is under the managed ones like any other. */
static void managed(struct job *j, const struct cache *c)
{
	char *at = j->managed;
	size_t n;

	for (size_t i = 0; i < c->managed.n; i++) {
		put(j, "--managed-file");
		put(j, at);
		n = sizeof(FOUND_MANAGED) + 1 + strlen(c->managed.v[i]);
		(void)snprintf(at, n, FOUND_MANAGED "/%s", c->managed.v[i]);
		at += n;
	}
}

static void words(struct job *j, const struct cache *c)
{
	const char *none = getenv("NO_COLOR");

	put(j, "polc");
	put(j, "compile");
	put(j, "--no-sources");
	put(j, isatty(STDERR_FILENO) && !(none && *none) ? "--color=always" : "--color=never");
	put(j, "--output");
	put(j, j->out);
	put(j, "--inputs");
	put(j, j->inputs);
	put(j, "--root");
	put(j, j->home);
	put(j, "--root");
	put(j, j->project);
	if (c->want->role) {
		put(j, "--role");
		put(j, c->want->role);
	}
	if (!c->want->policy) {
		put(j, "--discover");
		put(j, "--fallback");
		put(j, "std/profile/local");
	} else {
		managed(j, c);
		put(j, "--");
		put(j, c->want->policy);
	}
	put(j, NULL);
}

static int fill(struct job *j, const struct cache *c, struct rt_err *err)
{
	size_t n = 1;

	for (size_t i = 0; i < c->managed.n; i++)
		n += sizeof(FOUND_MANAGED) + 1 + strlen(c->managed.v[i]);
	j->argv = calloc(MAX_ARGS + 2 * c->managed.n, sizeof(*j->argv));
	j->managed = malloc(n);
	if (!j->argv || !j->managed)
		return rt_fail(err, ENOMEM, "out of memory");
	if (paths(j, c, err) < 0)
		return -err->err;
	words(j, c);
	return 0;
}

/* --- running it -------------------------------------------------------------------------- */

static _Noreturn void become(const struct job *j, int polc)
{
	int null = sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);

	if (null >= 0 && dup2(null, 0) >= 0 && dup2(j->said, 1) >= 0 && dup2(j->said, 2) >= 0)
		(void)sys_execveat(polc, "", (char *const *)(uintptr_t)j->argv,
				   (char *const *)(uintptr_t)j->envp, AT_EMPTY_PATH);
	_exit(127);
}

static int run(const struct job *j, int polc, int *ret_status, struct rt_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return rt_fail_errno(err, errno, "starting polc");
	if (pid == 0)
		become(j, polc);
	if (SYS_RETRY(waitpid(pid, ret_status, 0)) < 0)
		return rt_fail_errno(err, errno, "waiting for polc");
	return 0;
}

/* polc has cleaned what it prints. */
static void say(const struct job *j)
{
	char *text;
	size_t len;

	if (lseek(j->said, 0, SEEK_SET) != 0 || io_read_all(j->said, MAX_SAID, &text, &len) < 0)
		return;
	(void)fflush(stderr);
	(void)io_write_all(STDERR_FILENO, text, len);
	free(text);
}

static int refuse(const struct cache *c, int status, struct rt_err *err)
{
	char shown[200];

	io_escape(shown, sizeof(shown), c->program, strlen(c->program));
	if (WIFSIGNALED(status))
		return rt_fail(err, ECANCELED, "no policy, no run: signal %d ended '%s'",
			       WTERMSIG(status), shown);
	return rt_fail(err, EINVAL, "no policy, no run: '%s' ended with %d", shown,
		       WEXITSTATUS(status));
}

/* --- what it made -------------------------------------------------------------------------- */

static int digest_of(const struct job *j, char ret[65], struct rt_err *err)
{
	struct bundle b;
	int r = bundle_open_run(j->out, &b, err);

	if (r < 0)
		return r;
	memcpy(ret, b.digest, 65);
	bundle_release(&b);
	return 0;
}

static int read_list(const struct cache *c, const struct job *j, struct cache_index *ret,
		     size_t *ret_dropped, struct rt_err *err)
{
	AUTO_CLOSE int fd = sys_openat(c->dir, j->list, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	char *text = NULL;
	size_t len;

	if (fd < 0 || io_read_all(fd, CACHE_MAX_INDEX, &text, &len) < 0)
		return rt_fail(err, EINVAL, "polc has not said which files it has read");
	if (strlen(text) == len && cache_index_list(text, c->want->cwd, ret, ret_dropped))
		return 0;
	return rt_fail(err, EINVAL, "polc has said in another way which files it has read: polrun "
		       "and polc are not of one version");
}

/* 1: the files are still what polc has read, 0: once more. */
static int check(const struct cache *c, struct cache_index *x, struct rt_err *err)
{
	struct cache_input *v = realloc(x->v, (x->n + 1) * sizeof(*v));
	int r = 1;

	if (!v)
		return rt_fail(err, ENOMEM, "out of memory");
	x->v = v;
	x->at = cache_files_now();
	for (size_t i = 0; i < x->n && r == 1; i++)
		r = cache_files_read(c, &x->v[i], err);
	if (r == 1 && cache_files_polc(c, &x->v[x->n], err) < 0)
		r = -err->err;
	if (r == 1)
		x->n++;
	return r == 1 ? cache_files_same(c, x) && cache_files_trusted(c, x) : r;
}

static void tell_dropped(const struct cache *c, size_t n)
{
	if (n && !c->want->quiet && (c->want->verbose || isatty(STDERR_FILENO)))
		fprintf(stderr, "polrun: %zu statement%s of the project's policy %s not count: a "
			"policy that you have not trusted only narrows (polc check --discover names "
			"%s, polc trust trusts a file)\n", n, n == 1 ? "" : "s", n == 1 ? "does" : "do",
			n == 1 ? "it" : "them");
}

/* 1: done, 0: a file has changed meanwhile. */
static int once(struct cache *c, struct job *j, struct rt_err *err)
{
	struct cache_index x = { 0 };
	size_t dropped = 0;
	int status, r;

	j->said = memfd_create("polc", MFD_CLOEXEC);
	if (j->said < 0)
		return rt_fail_errno(err, errno, "memfd_create");
	r = run(j, c->polc, &status, err);
	if (r == 0 && (status != 0 || c->want->verbose))
		say(j);
	(void)close(j->said);
	if (r == 0 && status != 0)
		r = refuse(c, status, err);
	if (r == 0)
		r = read_list(c, j, &x, &dropped, err);
	if (r == 0)
		r = check(c, &x, err);
	if (r == 1 && digest_of(j, x.bundle, err) < 0)
		r = -err->err;
	if (r == 1) {
		r = cache_adopt(c, &x, j->bundle, err);
		tell_dropped(c, dropped);
		r = r < 0 ? r : 1;
	}
	cache_index_release(&x);
	return r;
}

int cache_make(struct cache *c, struct rt_err *err)
{
	struct job j = { .said = -1 };
	char temp[CACHE_TEMP];
	int r;

	cache_dir_temp(temp);
	(void)snprintf(j.bundle, sizeof(j.bundle), "%s.polb", temp);
	(void)snprintf(j.list, sizeof(j.list), "%s.inputs", temp);
	r = fill(&j, c, err);
	for (int i = 0; i < TRIES && r == 0; i++) {
		(void)unlinkat(c->dir, j.bundle, 0);
		(void)unlinkat(c->dir, j.list, 0);
		r = once(c, &j, err);
	}
	(void)unlinkat(c->dir, j.bundle, 0);
	(void)unlinkat(c->dir, j.list, 0);
	free(j.argv);
	free(j.managed);
	if (r == 0)
		return rt_fail(err, EAGAIN, "the policies change while they are read: nothing "
			       "was run");
	return r < 0 ? r : 0;
}
