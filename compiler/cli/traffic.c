/* Decides which recorded requests are the same one. */
#include "compiler/cli/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/base/map.h"
#include "compiler/cli/cli.h"
#include "compiler/target/target.h"
#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/query/query_request.h"

enum { MAX_LINE = 17 * 1024 * 1024 }; /* polquery's, and what a record adds */
#define MAX_FILE ((size_t)1024 * 1024 * 1024)

struct reading {
	struct arena *a;
	struct query_reader *reader;
	struct map lines;    /* a line as it stands there -> its request */
	struct map requests; /* what a request means -> the request */
	struct impact_requests *ret;
	const char *file;
	size_t line;
	FILE *err;
};

static bool complain(const struct reading *r, const char *why)
{
	char shown[600];

	io_plain(shown, sizeof(shown), why);
	fprintf(r->err, "polc: %.*s:%zu: %s\n",
		STR_ARG(cli_clean(r->a, str_from(r->file), false)), r->line, shown);
	return false;
}

/* --- one record as a request ------------------------------------------------------- */

static struct str dup_z(const struct reading *r, const char *z)
{
	return z ? str_dup(r->a, str_from(z)) : (struct str){ NULL, 0 };
}

static void take_command(const struct reading *r, const struct query_request *q,
			 struct ir_request *to)
{
	to->kind = IR_COMMAND;
	if (q->kind == QUERY_COMMAND) {
		to->line = str_dup(r->a, (struct str){ q->line, q->line_n });
		/* an empty line is one, too */
		if (!to->line.p)
			to->line = STR("");
		return;
	}
	to->nargv = q->argc;
	to->argv = arena_array(r->a, q->argc, sizeof(*to->argv));
	for (size_t i = 0; i < q->argc; i++)
		to->argv[i] = dup_z(r, q->argv[i]);
}

static void take_net(const struct reading *r, const struct query_request *q,
		     struct ir_request *to)
{
	char *p;

	to->kind = IR_NET;
	to->proto = q->udp ? IR_UDP : IR_TCP;
	to->port = q->port;
	to->is_addr = q->is_addr;
	if (q->is_addr) {
		memcpy(to->addr, q->addr, sizeof(to->addr));
		return;
	}
	p = arena_dup(r->a, q->host, strlen(q->host));
	to->host = (struct str){ p, strlen(q->host) };
	for (size_t i = 0; i < to->host.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] + 32);
	/* the dot of the root has no meaning */
	if (to->host.n > 1 && p[to->host.n - 1] == '.')
		to->host.n--;
}

static bool take_syscall(const struct reading *r, const struct query_request *q,
			 struct ir_request *to)
{
	const struct target_call *call = target_call_by_name(str_from(q->name));

	if (!call)
		return complain(r, "'name': no system call has this name");
	to->kind = IR_SYSCALL;
	to->nr = call->nr;
	to->nr_known = true;
	memcpy(to->args, q->args, sizeof(to->args));
	return true;
}

static bool take_kind(const struct reading *r, const struct query_request *q,
		      struct ir_request *to)
{
	switch (q->kind) {
	case QUERY_COMMAND:
	case QUERY_ARGV:
		take_command(r, q, to);
		return true;
	case QUERY_FILE:
		to->kind = IR_FILE;
		to->op = q->op == PB_READ ? IR_READ : q->op == PB_WRITE ? IR_WRITE : IR_EXEC;
		to->path = dup_z(r, q->path);
		return true;
	case QUERY_NET:
		take_net(r, q, to);
		return true;
	case QUERY_UNIX:
		to->kind = IR_UNIX;
		to->abstract = q->abstract;
		to->path = dup_z(r, q->path);
		return true;
	case QUERY_SYSCALL:
		return take_syscall(r, q, to);
	case QUERY_TOOL:
		to->kind = IR_TOOL;
		to->tool = dup_z(r, q->name);
		return true;
	case QUERY_SETTING:
	case QUERY_KIND_COUNT:
		break;
	}
	return complain(r, "'kind': nothing is decided about it");
}

static struct ir_roots roots_of(const struct reading *r, const struct query_request *q)
{
	return (struct ir_roots){ .dir = {
		[IR_ROOT_FS] = STR("/"),
		[IR_ROOT_HOME] = dup_z(r, q->home),
		[IR_ROOT_PROJECT] = dup_z(r, q->project),
		[IR_ROOT_SESSION] = dup_z(r, q->session),
		[IR_ROOT_TMP] = dup_z(r, q->tmpdir),
		[IR_ROOT_AGENT] = dup_z(r, q->agent),
		[IR_ROOT_GIT] = dup_z(r, q->git_common),
	} };
}

/* --- which are the same ------------------------------------------------------------- */

static void add_text(struct buf *b, struct str s)
{
	buf_printf(b, "%d %zu ", s.p != NULL, s.n);
	buf_str(b, s);
}

static struct str key_of(struct arena *a, const struct impact_request *q)
{
	const struct ir_request *r = &q->req;
	struct buf b;

	buf_init(&b, a);
	buf_printf(&b, "%d %d %d %d %d %d %u %u %zu ", r->kind, r->scope, r->op, r->abstract,
		   r->proto, r->is_addr, r->port, r->nr, r->nargv);
	add_text(&b, q->role);
	add_text(&b, r->line);
	add_text(&b, r->cwd);
	add_text(&b, r->path);
	add_text(&b, r->host);
	add_text(&b, r->tool);
	for (size_t i = 0; i < r->nargv; i++)
		add_text(&b, r->argv[i]);
	for (int i = 0; i < IR_ROOT_COUNT; i++)
		add_text(&b, r->roots.dir[i]);
	buf_add(&b, r->addr, sizeof(r->addr));
	buf_add(&b, r->args, sizeof(r->args));
	return buf_view(&b);
}

static struct impact_request *take_record(struct reading *r, const struct query_request *q)
{
	struct impact_request *new = ARENA_NEW(r->a, struct impact_request), *known;
	struct str key;

	*new = (struct impact_request){ .role = dup_z(r, q->role), .file = r->file,
					.line = r->line };
	new->req = (struct ir_request){ .scope = q->scope == PB_HOST ? IR_HOST : IR_SANDBOX,
					.roots = roots_of(r, q), .cwd = dup_z(r, q->cwd) };
	if (!take_kind(r, q, &new->req))
		return NULL;
	key = key_of(r->a, new);
	known = map_get(&r->requests, key);
	if (known)
		return known;
	map_put(&r->requests, key, new);
	VEC_PUSH(r->a, &r->ret->v, new);
	return new;
}

/* --- files --------------------------------------------------------------------------- */

/* line[n] is NUL. */
static bool read_line(struct reading *r, const char *line, size_t n)
{
	struct str text = { line, n };
	struct impact_request *known = map_get(&r->lines, text);
	struct query_request q;
	struct rt_err err = { 0 };

	if (n > MAX_LINE)
		return complain(r, "the line is longer than a record can be");
	if (!known) {
		if (!query_request_load(r->reader, line, n, &err) ||
		    !query_request_take_record(r->reader, &q, &err))
			return complain(r, err.text);
		known = take_record(r, &q);
		if (!known)
			return false;
		map_put(&r->lines, text, known);
	}
	known->count++;
	r->ret->total++;
	return true;
}

/* The keys of r->lines stand in `buf`. */
static bool read_lines(struct reading *r, char *buf, size_t n)
{
	for (size_t at = 0; at < n;) {
		char *end = memchr(buf + at, '\n', n - at);
		size_t len = end ? (size_t)(end - (buf + at)) : n - at;

		r->line++;
		if (!end)
			return complain(r, "the last line is not whole: it does not end with a newline");
		*end = '\0';
		if (!read_line(r, buf + at, len))
			return false;
		at += len + 1;
	}
	return true;
}

static bool read_file(struct reading *r, const char *path)
{
	size_t n;
	char *buf;
	int e = io_read_file(path, MAX_FILE, &buf, &n);
	bool good;

	r->file = path;
	r->line = 0;
	if (e < 0) {
		fprintf(r->err, "polc: the record '%.*s': %s\n",
			STR_ARG(cli_clean(r->a, str_from(path), false)),
			e == -EFBIG ? "more than 1 GiB" : strerror(-e));
		return false;
	}
	map_init(&r->lines, r->a);
	good = read_lines(r, buf, n);
	free(buf);
	return good;
}

bool traffic_read(const struct options *o, struct arena *a, struct impact_requests *ret,
		  FILE *err)
{
	struct reading r = { .a = a, .reader = query_reader_new(), .ret = ret, .err = err };
	bool good = r.reader != NULL;

	*ret = (struct impact_requests){ .total = 0 };
	map_init(&r.requests, a);
	if (!good)
		fputs("polc: out of memory\n", err);
	for (size_t i = 0; i < o->traffic.n && good; i++)
		good = read_file(&r, o->traffic.v[i]);
	query_reader_free(r.reader);
	return good;
}
