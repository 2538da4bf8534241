/*
 * Reads one request from words.  Words that are not a request are an error.  A
 * command line that cannot be parsed is a request of its own kind (unparsed), which
 * no rule allows.
 */
#include "compiler/cli/request.h"

#include <string.h>

#include "compiler/base/idna.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/explain_line.h"
#include "compiler/target/target.h"

struct reader {
	const struct options *o;
	const struct roots *roots;
	struct arena *a;
	struct ir_request *req;
	const char **why;
	FILE *err;
};

static bool usage(struct reader *r, const char *text)
{
	fprintf(r->err, "polc: a request is written %s", text);
	/* the words of a request belong to it, even if they look like options */
	for (size_t i = 1; i < r->o->nrequest; i++)
		if (strncmp(r->o->request[i], "--", 2) == 0) {
			fprintf(r->err, "; options of polc ('%s') stand before it",
				r->o->request[i]);
			break;
		}
	fputc('\n', r->err);
	return false;
}

static struct str word(const struct reader *r, size_t i)
{
	return str_from(r->o->request[i]);
}

/* Several words where one line is wanted: shows how to write them. */
static bool not_one_word(struct reader *r)
{
	struct buf b;

	buf_init(&b, r->a);
	for (size_t i = 1; i < r->o->nrequest; i++) {
		if (i > 1)
			buf_ch(&b, ' ');
		buf_str(&b, word(r, i));
	}
	fprintf(r->err, "polc: a line is one word: write command %.*s, or argv -- and the words\n",
		STR_ARG(cli_clean(r->a, explain_shell_word(r->a, buf_view(&b)), false)));
	return false;
}

static bool read_command(struct reader *r)
{
	if (r->o->nrequest > 2)
		return not_one_word(r);
	if (r->o->nrequest != 2)
		return usage(r, "command LINE (one word: quote it)");
	r->req->kind = IR_COMMAND;
	r->req->line = r->req->text = word(r, 1);
	*r->why = "it cannot be read";
	return true;
}

static bool read_argv(struct reader *r)
{
	size_t i, from = 1;
	struct buf b;

	if (r->o->nrequest > 1 && str_eqz(word(r, 1), "--"))
		from = 2;
	if (r->o->nrequest <= from)
		return usage(r, "argv -- PROGRAM [ARG...]");
	buf_init(&b, r->a);
	r->req->kind = IR_COMMAND;
	r->req->nargv = r->o->nrequest - from;
	r->req->argv = arena_array(r->a, r->req->nargv, sizeof(*r->req->argv));
	for (i = 0; i < r->req->nargv; i++) {
		r->req->argv[i] = word(r, from + i);
		if (i)
			buf_ch(&b, ' ');
		buf_str(&b, r->req->argv[i]);
	}
	r->req->text = buf_view(&b);
	return true;
}

static bool read_path(struct reader *r, struct str text)
{
	struct str path;

	if (str_eqz(text, "~") || str_starts(text, STR("~/")))
		text = str_cat(r->a, STR("${HOME}"), str_sub(text, 1, text.n - 1));
	if (!text.n || !roots_expand(r->a, &r->roots->dirs, text, &path)) {
		fprintf(r->err, "polc: '%.*s' is no path here\n", STR_ARG(text));
		return false;
	}
	r->req->path = roots_path(r->a, path, r->roots->cwd, true);
	r->req->text = text;
	return true;
}

static bool read_file(struct reader *r)
{
	static const enum ir_op ops[] = { IR_READ, IR_WRITE, IR_EXEC };
	size_t i;

	r->req->kind = IR_FILE;
	for (i = 0; r->o->nrequest == 3 && i < POL_LEN(ops); i++) {
		if (str_eqz(word(r, 1), ir_op_name(ops[i]))) {
			r->req->op = ops[i];
			return read_path(r, word(r, 2));
		}
	}
	return usage(r, "file read|write|exec PATH");
}

static bool read_unix(struct reader *r)
{
	struct str path;

	if (r->o->nrequest != 2 || !word(r, 1).n)
		return usage(r, "unix PATH, or unix @NAME for an abstract one");
	r->req->kind = IR_UNIX;
	path = word(r, 1);
	r->req->text = path;
	if (path.p[0] != '@')
		return read_path(r, path);
	r->req->abstract = true;
	r->req->path = str_sub(path, 1, path.n - 1);
	return true;
}

static bool read_host(struct reader *r, struct str host)
{
	struct num_cidr c;
	bool host_bits;
	const char *why;

	if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = str_sub(host, 1, host.n - 2);
	if (!host.n || memchr(host.p, '/', host.n))
		return false;
	if (num_cidr(host, &c, &host_bits)) {
		r->req->is_addr = true;
		memcpy(r->req->addr, c.addr, sizeof(c.addr));
		return true;
	}
	if (memchr(host.p, ':', host.n))
		return false;
	if (!idna_to_ascii(r->a, host, &host, &why)) {
		fprintf(r->err, "polc: '%.*s' is no host name: %s\n", STR_ARG(host), why);
		return false;
	}
	/* the dot of the root has no meaning */
	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--;
	r->req->host = host;
	return true;
}

static bool read_net(struct reader *r)
{
	static const char form[] = "net tcp|udp HOST:PORT";
	struct str at;
	uint64_t port;
	size_t colon;

	r->req->kind = IR_NET;
	if (r->o->nrequest != 3)
		return usage(r, form);
	if (str_eqz(word(r, 1), "tcp"))
		r->req->proto = IR_TCP;
	else if (str_eqz(word(r, 1), "udp"))
		r->req->proto = IR_UDP;
	else
		return usage(r, form);
	at = word(r, 2);
	r->req->text = at;
	for (colon = at.n; colon > 0 && at.p[colon - 1] != ':'; colon--)
		;
	if (!colon || !num_u64(str_sub(at, colon, at.n - colon), &port) ||
	    !port || port > 65535)
		return usage(r, form);
	r->req->port = (uint16_t)port;
	return read_host(r, str_sub(at, 0, colon - 1)) || usage(r, form);
}

/* --- system calls --------------------------------------------------------------- */

/* Reads NUMBER, CONSTANT, or several of them joined by '|'. */
static bool read_value(struct str s, uint64_t *ret)
{
	uint64_t all = 0;
	size_t i, from;

	for (i = 0; i <= s.n; i++) {
		struct str part;
		uint64_t v;
		int64_t neg;

		for (from = i; i < s.n && s.p[i] != '|'; i++)
			;
		part = str_sub(s, from, i - from);
		while (part.n && part.p[0] == ' ')
			part = str_sub(part, 1, part.n - 1);
		while (part.n && part.p[part.n - 1] == ' ')
			part.n--;
		if (num_i64(part, &neg))
			v = (uint64_t)neg;
		else if (!num_u64(part, &v) && !target_constant(part, &v))
			return false;
		all |= v;
	}
	*ret = all;
	return true;
}

static bool read_args(struct reader *r, struct str list)
{
	size_t i, from, n = 0;

	if (!list.n)
		return true;
	for (i = 0; i <= list.n; i++) {
		for (from = i; i < list.n && list.p[i] != ','; i++)
			;
		if (n == POL_LEN(r->req->args) ||
		    !read_value(str_sub(list, from, i - from), &r->req->args[n++])) {
			fprintf(r->err, "polc: '%.*s' is no argument: a number, a "
					"constant, or some joined by '|', six at "
					"most\n", (int)(i - from), list.p + from);
			return false;
		}
	}
	return true;
}

static bool unknown_call(struct reader *r, struct str name)
{
	size_t n;
	const char *const *names = target_call_names(&n);
	const char *near = diag_suggest(name, names, n);

	fprintf(r->err, "polc: no system call is named '%.*s'%s%s%s\n", STR_ARG(name),
		near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
	return false;
}

static bool read_syscall(struct reader *r)
{
	const struct target_call *call;
	struct str s, name;
	uint64_t nr;
	size_t open;

	if (r->o->nrequest != 2)
		return usage(r, "syscall NAME[(ARG,...)]");
	s = word(r, 1);
	r->req->kind = IR_SYSCALL;
	r->req->text = s;
	for (open = 0; open < s.n && s.p[open] != '('; open++)
		;
	name = str_sub(s, 0, open);
	if (open < s.n && s.p[s.n - 1] != ')')
		return usage(r, "syscall NAME[(ARG,...)]");
	call = target_call_by_name(name);
	if (!call && num_u64(name, &nr) && nr <= UINT32_MAX)
		call = target_call_by_nr((uint32_t)nr);
	else if (!call)
		return unknown_call(r, name);
	r->req->nr_known = call != NULL;
	r->req->nr = call ? call->nr : (uint32_t)nr;
	return open == s.n || read_args(r, str_sub(s, open + 1, s.n - open - 2));
}

static bool read_tool(struct reader *r)
{
	if (r->o->nrequest != 2)
		return usage(r, "tool NAME");
	r->req->kind = IR_TOOL;
	r->req->tool = r->req->text = word(r, 1);
	return true;
}

static bool read_setting(struct reader *r)
{
	/* explain handles settings, variables, limits, mounts and ports before it reads requests */
	fputs("polc: that is no request\n", r->err);
	return false;
}

bool request_read(const struct options *o, const struct roots *roots,
		  struct arena *a, struct ir_request *ret, const char **ret_why,
		  FILE *err)
{
	static bool (*const readers[])(struct reader *) = {
		read_command, read_argv, read_file, read_net, read_unix,
		read_syscall, read_tool, read_setting, read_setting, read_setting,
		read_setting, read_setting,
	};
	struct reader r = { o, roots, a, ret, ret_why, err };
	size_t i;

	*ret = (struct ir_request){ .scope = o->scope, .roots = roots->dirs,
				    .cwd = roots->cwd };
	*ret_why = "";
	for (i = 0; options_requests[i]; i++)
		if (str_eqz(word(&r, 0), options_requests[i]))
			return readers[i](&r);
	return usage(&r, "command, argv, file, net, unix, syscall, tool, setting, env, "
			 "limit, mount or publish");
}
