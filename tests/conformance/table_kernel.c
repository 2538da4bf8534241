/*
 * The third world: the request is made by a probe that knows nothing of the
 * policy, inside of polrun.  Beside each refusal stands its control: the same
 * probe at the same object under a policy that opens it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/table.h"

#define SAY(w, ...) arena_printf((w)->a, __VA_ARGS__)
#define MAX_ARGS 24
#define NETWORK_MODE "network-mode"

struct ran {
	int status;      /* of the exit, or -1 */
	const char *out; /* its first line */
	const char *err;
};

static const char *slurp(struct table_world *w, const char *path)
{
	char buf[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	if (fd >= 0)
		close(fd);
	return n <= 0 ? "" : str_z(w->a, (struct str){ buf, (size_t)n });
}

static void child(const struct table_world *w, char *const *argv)
{
	const char *const env[] = {
		"PATH=/usr/bin:/bin", SAY(w, "HOME=%s", w->at.home), "LANG=C.UTF-8", NULL
	};
	int in = open("/dev/null", O_RDONLY);
	int out = open(SAY(w, "%s/stdout", w->at.dir), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int err = open(SAY(w, "%s/stderr", w->at.dir), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (in < 0 || out < 0 || err < 0 || chdir(w->at.bin) < 0)
		_exit(99);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	execve(argv[0], argv, (char *const *)(uintptr_t)env);
	_exit(98);
}

static struct ran run(struct table_world *w, char *const *argv)
{
	struct ran r = { .status = -1 };
	pid_t pid;
	int st;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(w, argv);
	if (pid > 0 && waitpid(pid, &st, 0) == pid && WIFEXITED(st))
		r.status = WEXITSTATUS(st);
	r.out = slurp(w, SAY(w, "%s/stdout", w->at.dir));
	r.err = slurp(w, SAY(w, "%s/stderr", w->at.dir));
	return r;
}

/* --- the probe --------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The object has to be there, else the kernel would say ENOENT for itself. */
static bool place_object(struct table_world *w, const char *path, enum ir_op op)
{
	char *copy = SAY(w, "%s", path), *p;
	char buf[65536];
	ssize_t n = -1;
	int from, to;

	if (strncmp(path, w->at.dir, strlen(w->at.dir)) || access(path, F_OK) == 0)
		return true;
	for (p = copy + strlen(w->at.dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		(void)mkdir(copy, 0755);
	}
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	if (op != IR_EXEC)
		return to >= 0 && write(to, "data\n", 5) == 5 && close(to) == 0;
	from = open(SAY(w, "%s/syscall_probe", w->at.bin), O_RDONLY | O_CLOEXEC);
	while (from >= 0 && to >= 0 && (n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			n = -1;
	close(from);
	close(to);
	return n == 0;
}

static size_t probe_file(struct table_world *w, const struct ir_request *req, char **v)
{
	const char *path = str_z(w->a, req->path);
	size_t n = 0;

	if (!place_object(w, path, req->op))
		return 0;
	v[n++] = SAY(w, "%s/file_probe", w->at.bin);
	if (req->op == IR_EXEC) {
		v[n++] = SAY(w, "exec");
		v[n++] = SAY(w, "%s", path);
		v[n++] = SAY(w, "getpid");
	} else if (is_folder(path)) {
		v[n++] = SAY(w, "%s", req->op == IR_READ ? "list" : "create");
		v[n++] = SAY(w, "%s%s", path, req->op == IR_READ ? "" : "/fresh");
	} else {
		v[n++] = SAY(w, "%s", req->op == IR_READ ? "read" : "append");
		v[n++] = SAY(w, "%s", path);
	}
	return n;
}

static size_t probe_call(struct table_world *w, const struct ir_request *req, char **v)
{
	size_t n = 0, i;

	v[n++] = SAY(w, "%s/syscall_probe", w->at.bin);
	v[n++] = SAY(w, "%u", req->nr);
	for (i = 0; i < 6; i++)
		v[n++] = SAY(w, "0x%llx", (unsigned long long)req->args[i]);
	return n;
}

static struct ran probe(struct table_world *w, const struct ir_request *req,
			const char *polb)
{
	char *v[MAX_ARGS] = { NULL };
	size_t n = 0, k;

	if (polb) {
		v[n++] = SAY(w, "%s/polrun", w->at.bin);
		v[n++] = SAY(w, "-y");
		v[n++] = SAY(w, "-v"); /* each request by its name */
		v[n++] = SAY(w, "--explain-denials");
		v[n++] = SAY(w, "-b");
		v[n++] = SAY(w, "%s", polb);
		v[n++] = SAY(w, "--project");
		v[n++] = SAY(w, "%s", w->at.project);
		v[n++] = SAY(w, "--");
	}
	k = req->kind == IR_FILE ? probe_file(w, req, v + n) : probe_call(w, req, v + n);
	if (!k)
		return (struct ran){ -1, "", "the object cannot be made" };
	return run(w, v);
}

static bool is_ok(const struct ran *r)
{
	/* what was read comes before the OK */
	return r->status == 0 && strstr(r->out, "OK");
}

/* Was the call made?  The addresses among a request's arguments are 0 or no
 * addresses: the kernel says so itself, which no rule of the table does. */
static bool is_made(const struct ran *r, const struct ir_request *req)
{
	return is_ok(r) || (req->kind == IR_SYSCALL && r->status == 1 &&
			    !strcmp(r->out, "EFAULT\n"));
}

/* --- the control ------------------------------------------------------------------- */

static const char open_policy[] =
	"policy open { base none }\n"
	"command { otherwise allow }\n"
	"file { allow read, exec \"@B\"\n"
	"  allow read, write, exec \"@W/out\", \"${PROJECT_DIR}\" }\n"
	"network disabled\n";

/* Under a policy that opens everything that the row is about. */
static const char *control(struct table_world *w, const struct table_request *q,
			   const struct ir_request *req)
{
	const char *path = req->kind == IR_FILE ? str_z(w->a, req->path) : 
					   SAY(w, "%s/out", w->at.dir);
	const char *more = SAY(w, "file { allow read, write, exec \"%s\" }\n", path);
	const struct table_row row = {
		.name = "control",
		.texts = { { .slot = IR_USER, .text = table_expand(w, open_policy) },
			   { .slot = IR_USER, .text = more } },
		.ntexts = 2,
	};
	struct table_world open;
	const char *why;
	struct ran r;

	/* no policy of this version opens a number without a name, nor a socket
	   family: outside of a run the answer is another one */
	if (req->kind == IR_SYSCALL && (!req->nr_known || !strcmp(q->by, NETWORK_MODE))) {
		r = probe(w, req, NULL);
		return !q->err || strncmp(r.out, q->err, strlen(q->err)) ? NULL :
			"this kernel says so by itself";
	}
	(void)mkdir(SAY(w, "%s/control", w->at.dir), 0755);
	why = table_open(&open, w->a, &row, SAY(w, "%s/control", w->at.dir), w->at.bin);
	if (why)
		return why;
	table_close(&open);
	/* its own place is for its texts; what it opens is the row's */
	open.at = w->at;
	(void)unlink(SAY(w, "%s/fresh", path));
	r = probe(&open, req, open.polb);
	if (!is_made(&r, req))
		return SAY(w, "the control is refused too: status %d, %s%s", r.status,
			   r.out, r.err);
	return NULL;
}

/* --- what is wanted ------------------------------------------------------------------ */

/* Does a rule of this kind say of itself that it forbids more? */
static bool is_over(const struct table_world *w, const struct ir_request *req)
{
	size_t i;

	for (i = 0; i < w->c.ir->rules.n; i++) {
		const struct pb_rule *r = bundle_rule(&w->bundle, (uint32_t)i);

		if (r && w->c.ir->rules.v[i]->kind == req->kind &&
		    r->exactness == PB_X_OVER)
			return true;
	}
	return false;
}

const char *table_kernel(struct table_world *w, const struct table_request *q,
			 const struct ir_request *req)
{
	struct ran r = probe(w, req, w->polb);
	bool deny = q->effect != IR_ALLOW || q->over;
	const char *named, *shown = SAY(w, "polrun ended with %d\n%s%s", r.status, r.out,
					r.err);

	if (!deny)
		return is_made(&r, req) ? NULL : shown;
	if (r.status != 1 || r.out[0] != 'E')
		return shown;
	if (q->err && strncmp(r.out, q->err, strlen(q->err)))
		return shown;
	if (q->over && q->effect == IR_ALLOW)
		return is_over(w, req) ? control(w, q, req) :
			"the kernel is stricter, and no rule says over";
	/* a call without a name has no rule that could be named */
	if (req->kind == IR_SYSCALL && !req->nr_known)
		return control(w, q, req);
	named = strstr(r.err, SAY(w, ": rule %s at ", q->by));
	if (!named)
		return SAY(w, "no line names the rule %s\n%s", q->by, shown);
	return control(w, q, req);
}
