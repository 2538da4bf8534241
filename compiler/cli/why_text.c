/* Writes requests as patterns: quoted twice, for the pattern and for the text around it. */
#include "compiler/cli/why_text.h"

#include "compiler/cli/roots.h"
#include "compiler/target/target.h"
#include "runtime/base/host.h"

/* Longer patterns are no line that anybody reads. */
#define MAX_PATTERN 1000

/* --- bytes that mean themselves ---------------------------------------------------- */

/*
 * In a pattern a backslash takes the next byte literally, and in a text of the language a
 * backslash, a quote and a dollar sign have one before them.  False: a control byte.
 */
static bool put_literal(struct buf *b, struct str s, const char *special)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < ' ' || c == 0x7f)
			return false;
		if (c == '\\')
			buf_z(b, "\\\\\\\\");
		else if (c == '"')
			buf_z(b, "\\\"");
		else if (c == '$')
			buf_z(b, "\\$");
		else {
			if (strchr(special, c))
				buf_z(b, "\\\\");
			buf_ch(b, (char)c);
		}
	}
	return b->n <= MAX_PATTERN;
}

/* A word: an empty one has no pattern, and a ':' at the end would begin a tail. */
static bool put_word(struct buf *b, struct str s)
{
	bool colon = s.n && s.p[s.n - 1] == ':';

	if (!s.n || !put_literal(b, str_sub(s, 0, s.n - colon), " *?[]{}|"))
		return false;
	if (colon)
		buf_z(b, "\\\\:");
	return true;
}

/* --- paths --------------------------------------------------------------------------- */

/* The root whose directory is the longest beginning of the path; "/" if there is none. */
static enum ir_root root_of(const struct ir_roots *roots, struct str path)
{
	enum ir_root ret = IR_ROOT_FS;
	size_t longest = 1;

	for (int i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++) {
		struct str dir = roots->dir[i];

		if (i == IR_ROOT_AGENT || !dir.p || dir.n <= longest || !str_starts(path, dir) ||
		    (path.n > dir.n && path.p[dir.n] != '/'))
			continue;
		ret = (enum ir_root)i;
		longest = dir.n;
	}
	return ret;
}

static bool put_path(struct buf *b, const struct ir_roots *roots, struct str path)
{
	enum ir_root root = root_of(roots, path);
	bool ok;

	buf_ch(b, '"');
	if (root != IR_ROOT_FS) {
		buf_printf(b, "${%s}", ir_root_name(root));
		path = str_sub(path, roots->dir[root].n, path.n - roots->dir[root].n);
	}
	ok = put_literal(b, path, "*?[]{},");
	buf_ch(b, '"');
	return ok;
}

/* --- everything but commands ------------------------------------------------------------ */

static bool of_net(struct arena *a, struct buf *b, const struct ir_request *req,
		   struct why_pattern *ret)
{
	char addr[HOST_TEXT];

	ret->section = STR("network");
	ret->verb = req->proto == IR_UDP ? STR("udp ") : STR("tcp ");
	ret->rest = str_printf(a, " port %u", req->port);
	if (req->is_addr) {
		(void)host_text(req->addr, addr);
		buf_z(b, addr);
		return true;
	}
	buf_ch(b, '"');
	if (!put_literal(b, req->host, "*"))
		return false;
	buf_ch(b, '"');
	return req->host.n > 0;
}

/* Arguments that the request does not give are open: it asks about the call as such. */
static bool of_syscall(struct buf *b, const struct ir_request *req, struct why_pattern *ret)
{
	const struct target_call *call = target_call_by_nr(req->nr);
	size_t n = POL_LEN(req->args);

	ret->section = STR("syscall");
	if (!call || !req->nr_known)
		return false;
	buf_z(b, call->name);
	while (n && !req->args[n - 1])
		n--;
	if (!n)
		return true;
	if ((int)n > call->nargs)
		return false;
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s0x%llx", i ? ", " : "(", (unsigned long long)req->args[i]);
	buf_ch(b, ')');
	return true;
}

static bool of_unix(struct buf *b, const struct ir_request *req, struct why_pattern *ret)
{
	bool ok;

	ret->section = STR("unix");
	if (!req->abstract)
		return put_path(b, &req->roots, req->path);
	buf_z(b, "\"@");
	ok = put_literal(b, req->path, "*?[]{},");
	buf_ch(b, '"');
	return ok;
}

bool why_pattern_request(struct arena *a, const struct ir_request *req, struct why_pattern *ret)
{
	bool ok = false;
	struct buf b;

	buf_init(&b, a);
	*ret = (struct why_pattern){ .section = STR("tools"), .verb = STR(""), .rest = STR("") };
	switch (req->kind) {
	case IR_FILE:
		ret->section = STR("file");
		ret->verb = str_printf(a, "%s ", ir_op_name(req->op));
		ok = put_path(&b, &req->roots, req->path);
		break;
	case IR_NET:
		ok = of_net(a, &b, req, ret);
		break;
	case IR_UNIX:
		ok = of_unix(&b, req, ret);
		break;
	case IR_SYSCALL:
		ok = of_syscall(&b, req, ret);
		break;
	case IR_TOOL:
		buf_ch(&b, '"');
		ok = req->tool.n && put_literal(&b, req->tool, "*?[]{}|");
		buf_ch(&b, '"');
		break;
	case IR_COMMAND:
	case IR_KIND_COUNT:
		break;
	}
	ret->text = buf_view(&b);
	return ok;
}

/* --- commands ------------------------------------------------------------------------------ */

/*
 * The program: its name where it lies in a trusted place, else its path, which a pattern
 * takes from the project.
 */
static bool put_program(struct buf *b, struct arena *a, const struct ir *ir,
			const struct ir_request *req, struct str w)
{
	struct str project = req->roots.dir[IR_ROOT_PROJECT], path;
	size_t slash = w.n;

	while (slash && w.p[slash - 1] != '/')
		slash--;
	if (!slash)
		return put_word(b, w);
	if (cmd_trusted_place(w.p, w.n) &&
	    !cmd_pin(ir->line_facts, w.p + slash, w.n - slash))
		return put_word(b, str_sub(w, slash, w.n - slash));
	path = roots_path(a, w, req->cwd, false);
	if (project.p && str_starts(path, str_cat(a, project, STR("/")))) {
		buf_ch(b, '.');
		path = str_sub(path, project.n, path.n - project.n);
	}
	return put_word(b, path);
}

static bool is_known(const struct sh_word *w)
{
	return sh_is_literal(w) && !(w->flags & SH_W_LOCALE);
}

bool why_pattern_command(struct arena *a, const struct ir *ir, const struct ir_request *req,
			 const struct cmd_part *p, struct why_pattern *ret)
{
	bool was_open = false;
	struct buf b;

	*ret = (struct why_pattern){ .section = STR("command"), .verb = STR(""), .rest = STR("") };
	buf_init(&b, a);
	if (p->kind != CMD_COMMAND || !p->nwords || !is_known(p->words[0].w))
		return false;
	buf_ch(&b, '"');
	for (uint32_t i = 0; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;
		struct str s = { w->seg.p, w->seg.n };

		if (!is_known(w)) {
			ret->open = true;
			if (!was_open)
				buf_z(&b, " **");
			was_open = true;
			continue;
		}
		if (i)
			buf_ch(&b, ' ');
		if (!(i ? put_word(&b, s) : put_program(&b, a, ir, req, s)))
			return false;
		was_open = false;
	}
	if ((p->flags & CMD_APPENDS) && !was_open)
		buf_z(&b, " **");
	ret->open |= (p->flags & CMD_APPENDS) != 0;
	buf_ch(&b, '"');
	ret->text = buf_view(&b);
	return true;
}
