/*
 * Decides which file may become a record, and how a request is written into it.  A line is
 * appended with one write, so that several programs may record into one file.
 */
#include "runtime/traffic/traffic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/sys.h"
#include "runtime/base/utf8.h"
#include "runtime/base/writers.h"
#include "runtime/decide/rule_text.h"
#include "runtime/traffic/redact.h"

/* --- the file ---------------------------------------------------------------- */

static int refuse(const struct traffic *t, int e, const char *why, struct rt_err *err)
{
	return rt_fail(err, e, "the record '%s' %s", t->shown, why);
}

/* Appending to a file of another kind would destroy it. */
static int check_text(const struct traffic *t, off_t size, struct rt_err *err)
{
	char head[sizeof(TRAFFIC_BEGINS) - 1], last;

	if (!size)
		return 0;
	if (SYS_RETRY(pread(t->file.fd, head, sizeof(head), 0)) != (ssize_t)sizeof(head) ||
	    memcmp(head, TRAFFIC_BEGINS, sizeof(head)) != 0)
		return refuse(t, EEXIST, "is no record of this version: only records and empty "
			      "files are appended to", err);
	if (SYS_RETRY(pread(t->file.fd, &last, 1, size - 1)) != 1 || last != '\n')
		return refuse(t, EINVAL, "ends in the middle of a line: something did not write "
			      "all of it", err);
	return 0;
}

static int check_file(const struct traffic *t, struct rt_err *err)
{
	struct stat st;

	if (fstat(t->file.fd, &st) != 0)
		return rt_fail_errno(err, errno, "the record '%s'", t->shown);
	if (!S_ISREG(st.st_mode))
		return refuse(t, EINVAL, "is not a regular file", err);
	if (st.st_nlink != 1)
		return refuse(t, EMLINK, "is a file with another name, too (a hard link)", err);
	if (st.st_uid != geteuid())
		return refuse(t, EPERM, "belongs to somebody else", err);
	if (writers_others(t->shown, t->file.fd, &st))
		return refuse(t, EPERM, "may be written by others", err);
	return check_text(t, st.st_size, err);
}

int traffic_open(struct traffic *t, const char *path, const char *by,
		 const struct decide_ctx *c, struct rt_err *err)
{
	int r;

	*t = (struct traffic){ .by = by };
	io_escape(t->shown, sizeof(t->shown), path, strlen(path));
	r = output_open(&t->file, "record", path, O_RDWR | O_APPEND, c, err);
	if (r < 0)
		return r;
	t->json = calloc(1, sizeof(*t->json));
	if (t->json)
		json_init(t->json);
	r = t->json ? check_file(t, err) : rt_fail(err, ENOMEM, "out of memory");
	if (r < 0)
		traffic_close(t);
	else
		t->json->layout = JSON_TIGHT;
	return r;
}

void traffic_close(struct traffic *t)
{
	output_close(&t->file);
	if (t->json)
		json_release(t->json);
	free(t->json);
	free(t->text);
	*t = (struct traffic)TRAFFIC_NONE;
}

/* --- texts ------------------------------------------------------------------- */

static bool is_utf8(const char *s, size_t n)
{
	for (size_t i = 0, k; i < n; i += k) {
		k = utf8_length(s + i, n - i);
		if (!k)
			return false;
	}
	return true;
}

/* Takes secrets out of a word or line; the result is in t->text.  False: no memory. */
static bool without_secrets(struct traffic *t, struct redact *r, const char *s, size_t n,
			    bool word, size_t *ret_n)
{
	if (REDACT_ROOM(n) > t->cap) {
		char *p = realloc(t->text, REDACT_ROOM(n));

		if (!p)
			return false;
		t->text = p;
		t->cap = REDACT_ROOM(n);
	}
	*ret_n = redact_text(r, s, n, word, t->text);
	return true;
}

static bool put_hex(struct json *j, const char *key, const char *s, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = malloc(2 * n + 1);

	if (!hex)
		return false;
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[(unsigned char)s[i] >> 4];
		hex[2 * i + 1] = digits[s[i] & 15];
	}
	json_str(j, key, hex, 2 * n);
	free(hex);
	return true;
}

static bool put_line(struct traffic *t, struct redact *r, const struct pol_request *q)
{
	size_t n;

	if (!without_secrets(t, r, q->line, q->line_n, false, &n))
		return false;
	if (!is_utf8(t->text, n))
		return put_hex(t->json, "line_hex", t->text, n);
	json_str(t->json, "line", t->text, n);
	return true;
}

static bool argv_is_utf8(const struct pol_request *q)
{
	for (size_t i = 0; i < q->argc; i++)
		if (!is_utf8(q->argv[i], strlen(q->argv[i])))
			return false;
	return true;
}

static bool put_argv(struct traffic *t, struct redact *r, const struct pol_request *q)
{
	bool plain = argv_is_utf8(q), good = true;
	size_t n;

	json_array(t->json, plain ? "argv" : "argv_hex");
	for (size_t i = 0; i < q->argc && good; i++) {
		good = without_secrets(t, r, q->argv[i], strlen(q->argv[i]), true, &n);
		if (good && plain)
			json_str(t->json, NULL, t->text, n);
		else if (good)
			good = put_hex(t->json, NULL, t->text, n);
	}
	json_array_end(t->json);
	return good;
}

/* --- one record -------------------------------------------------------------- */

static const char *op_word(uint32_t op)
{
	return op == POL_READ ? "read" : op == POL_WRITE ? "write" : "exec";
}

static void put_unix(struct json *j, const struct pol_request *q)
{
	char name[4096 + 2];

	(void)snprintf(name, sizeof(name), "%s%s", q->flags & POL_ABSTRACT ? "@" : "", q->path);
	json_cstr(j, "path", name);
}

static void put_syscall(struct json *j, const struct pol_request *q)
{
	size_t n = 6;

	json_cstr(j, "name", q->name);
	while (n && !q->args[n - 1])
		n--;
	if (!n)
		return;
	json_array(j, "args");
	for (size_t i = 0; i < n; i++)
		json_uint(j, NULL, q->args[i]);
	json_array_end(j);
}

/* False if there is no such kind, or no memory. */
static bool put_kind(struct traffic *t, struct redact *r, const struct pol_request *q)
{
	struct json *j = t->json;

	switch ((enum pol_kind)q->kind) {
	case POL_COMMAND:
		json_cstr(j, "kind", "command");
		return put_line(t, r, q);
	case POL_ARGV:
		json_cstr(j, "kind", "argv");
		return put_argv(t, r, q);
	case POL_FILE:
		json_cstr(j, "kind", "file");
		json_cstr(j, "op", op_word(q->op));
		json_cstr(j, "path", q->path);
		return true;
	case POL_NET:
		json_cstr(j, "kind", "net");
		json_cstr(j, "proto", q->proto == POL_UDP ? "udp" : "tcp");
		json_cstr(j, "host", q->host);
		json_uint(j, "port", q->port);
		return q->host != NULL;
	case POL_UNIX:
		json_cstr(j, "kind", "unix");
		put_unix(j, q);
		return true;
	case POL_SYSCALL:
		json_cstr(j, "kind", "syscall");
		put_syscall(j, q);
		return q->name != NULL;
	case POL_TOOL:
		json_cstr(j, "kind", "tool");
		json_cstr(j, "name", q->name);
		return true;
	default:
		return false;
	}
}

/* Directories without a value have no key. */
static bool put_where(struct json *j, const struct pol_request *q)
{
	const struct {
		const char *key, *dir;
	} dirs[] = { { "cwd", q->cwd },		  { "home", q->home },
		     { "project", q->project },	  { "tmpdir", q->tmpdir },
		     { "session_dir", q->session_dir },
		     { "ssh_auth_sock", q->ssh_auth_sock },
		     { "git_common_dir", q->git_common_dir } };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (!dirs[i].dir)
			continue;
		if (!is_utf8(dirs[i].dir, strlen(dirs[i].dir)))
			return false;
		json_cstr(j, dirs[i].key, dirs[i].dir);
	}
	return !q->path || is_utf8(q->path, strlen(q->path));
}

static void put_decision(struct json *j, const struct bundle *b, const struct decision *d)
{
	const struct pb_rule *r = bundle_rule(b, d->rule);
	char text[EXPLAIN_RULE_CAP];

	json_cstr(j, "effect", explain_effect(d->effect));
	if (!r)
		return;
	explain_rule_id(b, d->rule, text, sizeof(text));
	json_cstr(j, "rule", text);
	if (!r->line)
		return;
	explain_rule_at(b, d->rule, text, sizeof(text));
	json_cstr(j, "at", text);
}

static int put_record(struct traffic *t, const struct bundle *b, const struct pol_request *q,
		      const struct decision *d, struct rt_err *err)
{
	struct pb_str role = b->rules->role;
	struct redact r = { .next = false };
	struct json *j = t->json;

	json_reset(j);
	json_object(j, NULL);
	json_uint(j, "record", TRAFFIC_VERSION);
	json_cstr(j, "by", t->by);
	if (!put_kind(t, &r, q))
		return refuse(t, EINVAL, "has no form for this request", err);
	if (r.count)
		json_uint(j, "redacted", r.count);
	if (!put_where(j, q))
		return refuse(t, EILSEQ, "cannot hold a path that is not UTF-8", err);
	if (role.len)
		json_str(j, "role", pb_strp(b->rules, role), role.len);
	json_cstr(j, "scope", q->scope == POL_HOST ? "host" : "sandbox");
	put_decision(j, b, d);
	json_object_end(j);
	return 0;
}

int traffic_put(struct traffic *t, const struct bundle *b, const struct pol_request *q,
		const struct decision *d, struct rt_err *err)
{
	const char *line;
	ssize_t k;
	size_t n;
	int r;

	if (t->file.fd < 0)
		return 0;
	r = put_record(t, b, q, d, err);
	if (r < 0)
		return r;
	line = json_finish(t->json, &n);
	if (!line)
		return rt_fail(err, ENOMEM, "out of memory");
	/* a rest that is written later could stand after the line of somebody else */
	k = SYS_RETRY(write(t->file.fd, line, n));
	if (k == (ssize_t)n)
		return 0;
	return rt_fail_errno(err, k < 0 ? errno : ENOSPC, "the record '%s'", t->shown);
}
