/*
 * Decides whether a set of the IR contains a request: word lists, paths under
 * their roots, hosts and ports, conditions over arguments (semantics 4.3, 5,
 * 6).  What cannot be read as the set wants it is not contained.
 */
#include "compiler/ir/match.h"
#include "compiler/ir/match_glob.h"

/* --- paths ----------------------------------------------------------------- */

/* What follows the root in `path`; false when it is not below it. */
static bool rest_under(struct str dir, struct str path, struct str *ret_rest)
{
	if (!dir.p || !path.n || path.p[0] != '/')
		return false;
	if (str_eqz(dir, "/")) {
		*ret_rest = path.n == 1 ? str_sub(path, 1, 0) : path;
		return true;
	}
	if (!str_starts(path, dir))
		return false;
	if (path.n > dir.n && path.p[dir.n] != '/')
		return false;
	*ret_rest = str_sub(path, dir.n, path.n - dir.n);
	return true;
}

bool ir_match_path(const struct ir_path *p, const struct ir_request *req, struct str path)
{
	struct str rest;

	if (!rest_under(req->roots.dir[p->root], path, &rest))
		return false;
	return ir_match_glob(&p->glob, rest, IR_B_PATH,
			     p->below ? IR_U_BELOW : IR_U_END);
}

static enum ir_bytes word_bytes(enum ir_side side)
{
	return side == IR_BROAD ? IR_B_ANY : IR_B_PLAIN;
}

static bool match_unix(const struct ir_path *p, const struct ir_request *req,
		       enum ir_side side)
{
	if (p->abstract != req->abstract)
		return false;
	if (p->abstract)
		return ir_match_glob(&p->glob, req->path, word_bytes(side), IR_U_END);
	return ir_match_path(p, req, req->path);
}

/* --- the program column ------------------------------------------------------ */

static const char *const trusted_dirs[] = {
	"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/",
};

static struct str base_name(struct str w)
{
	size_t i = w.n;

	while (i > 0 && w.p[i - 1] != '/')
		i--;
	return str_sub(w, i, w.n - i);
}

/* A bare name, or one directly in a trusted directory: the name. */
static bool trusted_name(struct str w, struct str *ret_name)
{
	struct str base = base_name(w);
	struct str dir = str_sub(w, 0, w.n - base.n);
	size_t i;

	*ret_name = base;
	if (!dir.n)
		return true;
	for (i = 0; i < POL_LEN(trusted_dirs); i++)
		if (str_eqz(dir, trusted_dirs[i]))
			return true;
	return false;
}

/*
 * The absolute path of the word as the working directory has it.  A ".."
 * may leave through a symbolic link, so it names no file that we know.
 */
static bool absolute(struct arena *a, struct str w, struct str cwd,
		     struct str *ret_path)
{
	struct buf out;
	struct str all = w;
	size_t i, from;

	if (w.n && w.p[0] != '/') {
		if (!cwd.n || cwd.p[0] != '/')
			return false;
		all = str_cat(a, str_cat(a, cwd, STR("/")), w);
	}
	if (!all.n)
		return false;
	buf_init(&out, a);
	for (i = 0; i < all.n; i++) {
		struct str part;

		for (from = i; i < all.n && all.p[i] != '/'; i++)
			;
		part = str_sub(all, from, i - from);
		if (str_eqz(part, ".."))
			return false;
		if (!part.n || str_eqz(part, "."))
			continue;
		buf_ch(&out, '/');
		buf_str(&out, part);
	}
	*ret_path = buf_view(&out);
	return true;
}

/* A pattern with a '/': the same file, its own path taken from the project. */
static bool match_program_file(struct arena *a, const struct ir_glob *g,
			       struct str w, const struct ir_request *req,
			       enum ir_until until)
{
	struct str path, rest;

	if (!absolute(a, w, req->cwd, &path))
		return false;
	if (ir_match_glob(g, path, IR_B_PLAIN, until))
		return true;
	if (!rest_under(req->roots.dir[IR_ROOT_PROJECT], path, &rest) || !rest.n)
		return false;
	rest = str_sub(rest, 1, rest.n - 1);
	return ir_match_glob(g, rest, IR_B_PLAIN, until) ||
	       ir_match_glob(g, str_cat(a, STR("./"), rest), IR_B_PLAIN, until);
}

static bool match_program(struct arena *a, const struct ir_glob *g, struct str w,
			  const struct ir_request *req, enum ir_side side,
			  enum ir_until until)
{
	struct str name;
	bool slash = ir_glob_has_slash(g);

	if (side == IR_BROAD)
		return ir_match_base(g, base_name(w), until);
	/* what is spelled with a '/' is a file, never a name from PATH */
	if (trusted_name(w, &name) && ir_match_glob(g, name, IR_B_PLAIN, until))
		return true;
	return slash && memchr(w.p, '/', w.n) &&
	       match_program_file(a, g, w, req, until);
}

/* --- word lists ---------------------------------------------------------------- */

struct words {
	struct arena a;
	const struct ir_command *c;
	const struct ir_request *req;
	enum ir_side side;
};

static bool match_word(struct words *w, size_t i, size_t at)
{
	const struct ir_glob *g = &w->c->words[i].glob;
	bool last = i + 1 == w->c->nwords;
	enum ir_until until = last && w->c->tail ? IR_U_COLON : IR_U_END;
	struct str arg = w->req->argv[at];

	if (at == 0)
		return match_program(&w->a, g, arg, w->req, w->side, until);
	return ir_match_glob(g, arg, word_bytes(w->side), until);
}

/*
 * reach[k]: the first words of the pattern match the first k of the command.
 * One step moves all of them over pattern word `i`.
 */
static void step_words(struct words *w, size_t i, const bool *reach, bool *next)
{
	size_t n = w->req->nargv, k, to;
	struct str name;

	memset(next, 0, (n + 1) * sizeof(*next));
	for (k = 0; k <= n; k++) {
		if (!reach[k])
			continue;
		if (!w->c->words[i].any_words) {
			if (k < n && match_word(w, i, k))
				next[k + 1] = true;
			continue;
		}
		for (to = k; to <= n; to++) {
			next[to] = true;
			/* ** stands for a program too, as the column allows */
			if (to == 0 && w->side == IR_NARROW && n &&
			    !trusted_name(w->req->argv[0], &name))
				break;
		}
	}
}

static bool match_words(struct words *w)
{
	size_t n = w->req->nargv, i, k;
	bool few[2][32] = { { false }, { false } };
	bool *reach = few[0], *next = few[1];
	bool more = w->c->more && w->side == IR_BROAD;
	struct str name;

	if (n >= POL_LEN(few[0])) {
		reach = arena_array(&w->a, n + 1, sizeof(bool));
		next = arena_array(&w->a, n + 1, sizeof(bool));
	}
	reach[0] = true;
	for (i = 0; i + (more ? 1u : 0u) < w->c->nwords; i++) {
		bool *t = reach;

		step_words(w, i, reach, next);
		reach = next;
		next = t;
	}
	if (!more && !w->c->tail)
		return reach[n];
	/* a last "*" is one word at least, ":*" any number of further ones */
	for (k = 0; k <= n; k++) {
		/* further words do not begin with the program */
		if (k == 0 && w->side == IR_NARROW &&
		    !trusted_name(w->req->argv[0], &name))
			continue;
		if (reach[k] && (k < n || !more))
			return true;
	}
	return false;
}

static bool match_command(const struct ir_command *c, const struct ir_request *req,
			  enum ir_side side)
{
	struct words w = { .c = c, .req = req, .side = side };
	bool yes;

	if (req->unparsed || !req->nargv)
		return false;
	arena_init(&w.a, ARENA_DEFAULT_BUDGET);
	yes = match_words(&w);
	arena_release(&w.a);
	return yes;
}

/* --- network ---------------------------------------------------------------------- */

static bool match_cidr(const struct num_cidr *c, const uint8_t addr[16])
{
	unsigned bit;

	for (bit = 0; bit < c->bits; bit++) {
		unsigned mask = 0x80u >> (bit % 8);

		if ((c->addr[bit / 8] & mask) != (addr[bit / 8] & mask))
			return false;
	}
	return true;
}

static bool match_host(const struct ir_net *n, const struct ir_request *req)
{
	switch (n->host) {
	case IR_HOST_ANY:
		return true;
	case IR_HOST_NAME:
		return !req->is_addr && str_eq(n->name, req->host);
	case IR_HOST_BELOW:
		return !req->is_addr && req->host.n > n->name.n + 1 &&
		       str_ends(req->host, n->name) &&
		       req->host.p[req->host.n - n->name.n - 1] == '.';
	case IR_HOST_CIDR:
		return req->is_addr && match_cidr(&n->cidr, req->addr);
	}
	return false;
}

static bool match_net(const struct ir_net *n, const struct ir_request *req)
{
	return (n->protos & (unsigned)req->proto) && req->port >= n->port_lo &&
	       req->port <= n->port_hi && match_host(n, req);
}

/* --- system calls --------------------------------------------------------------------- */

static bool compare(const struct ir_cond *c, const uint64_t args[6])
{
	uint64_t width = c->width == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t x = args[c->arg] & c->mask & width;

	switch (c->cmp) {
	case IR_EQ:
		return x == c->value;
	case IR_NE:
		return x != c->value;
	case IR_LT:
		return x < c->value;
	case IR_LE:
		return x <= c->value;
	case IR_GT:
		return x > c->value;
	case IR_GE:
		return x >= c->value;
	}
	return false;
}

static bool holds(const struct ir_cond *c, const uint64_t args[6])
{
	switch (c->op) {
	case IR_C_TRUE:
		return true;
	case IR_C_FALSE:
		return false;
	case IR_C_AND:
		return holds(c->a, args) && holds(c->b, args);
	case IR_C_OR:
		return holds(c->a, args) || holds(c->b, args);
	case IR_C_NOT:
		return !holds(c->a, args);
	case IR_C_CMP:
		return compare(c, args);
	}
	return false;
}

static bool match_syscall(const struct ir_syscall *s, const struct ir_request *req)
{
	return req->nr_known && s->nr == req->nr &&
	       (!s->cond || holds(s->cond, req->args));
}

bool ir_match_set(enum ir_kind kind, const struct ir_set *set,
		  const struct ir_request *req, enum ir_side side)
{
	switch (kind) {
	case IR_COMMAND:
		return match_command(&set->u.command, req, side);
	case IR_FILE:
		return (set->u.file.ops & (unsigned)req->op) &&
		       ir_match_path(&set->u.file.path, req, req->path);
	case IR_NET:
		return match_net(&set->u.net, req);
	case IR_UNIX:
		return match_unix(&set->u.unix_path, req, side);
	case IR_SYSCALL:
		return match_syscall(&set->u.syscall, req);
	case IR_TOOL:
		return ir_match_glob(&set->u.tool.glob, req->tool,
				     word_bytes(side), IR_U_END);
	case IR_KIND_COUNT:
		break;
	}
	return false;
}
