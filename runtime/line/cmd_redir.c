/* Turns redirections into requests: for files, and in bash for the network. */
#include "runtime/line/cmd_redir.h"
#include "runtime/line/cmd_text.h"

static uint8_t operations(const struct cmd_ctx *c, const struct sh_redir *r)
{
	const struct sh_word *w = r->target;
	uint32_t n = w->seg.n, i;

	switch (r->op) {
	case SH_R_IN:
		return CMD_READ;
	case SH_R_INOUT:
		return CMD_READ | CMD_WRITE;
	case SH_R_OUT:
	case SH_R_APPEND:
	case SH_R_CLOBBER:
	case SH_R_BOTH:
	case SH_R_BOTH_APPEND:
		return CMD_WRITE;
	case SH_R_DUP_OUT:
		/* `>&FILE` means `&>FILE`, and only for standard output */
		if (!(c->scope->dialects & CMD_IN_BASH) || r->var || (r->fd >= 0 && r->fd != 1))
			return 0;
		if (!sh_is_literal(w))
			return CMD_WRITE;
		if (n && w->seg.p[n - 1] == '-')
			n--;
		for (i = 0; i < n; i++)
			if (w->seg.p[i] < '0' || w->seg.p[i] > '9')
				return CMD_WRITE;
		return 0;
	case SH_R_DUP_IN:
	case SH_R_HEREDOC:
	case SH_R_HERESTRING:
		break;
	}
	return 0;
}

static uint16_t port_of(const char *p, size_t n)
{
	uint32_t port = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9' || port > UINT16_MAX)
			return 0;
		port = port * 10 + (uint32_t)(p[i] - '0');
	}
	return port > UINT16_MAX ? 0 : (uint16_t)port;
}

/* /dev/tcp/H/P. *ret_is is set if the word begins so. */
static bool net(struct cmd_an *a, const struct cmd_ctx *c, const struct cmd_shape *s,
		bool *ret_is)
{
	const char *host = s->p + 9, *end = s->p + s->n, *slash;
	struct cmd_part *p;
	bool udp = s->n >= 9 && memcmp(s->p, "/dev/udp/", 9) == 0;

	*ret_is = false;
	if (!udp && (s->n < 9 || memcmp(s->p, "/dev/tcp/", 9) != 0))
		return true;
	slash = memchr(host, '/', (size_t)(end - host));
	/* without a port it is the (strange) name of a file */
	if (s->literal && !slash)
		return true;
	*ret_is = true;
	p = cmd_part_new(a, c, CMD_NET);
	if (!p)
		return false;
	p->udp = udp;
	if (slash) {
		p->host = host;
		p->host_n = (uint32_t)(slash - host);
	}
	if (slash && s->literal)
		p->port = port_of(slash + 1, (size_t)(end - slash - 1));
	return true;
}

static bool one(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_redir *r,
		uint8_t ops, bool untranslated)
{
	struct cmd_word *w;
	struct cmd_shape s;
	struct cmd_part *p;
	bool is_net = false, literal_home;
	size_t at = 0, n;

	/* `> >(x)` is a pipe, no file */
	if ((r->target->flags & SH_W_PROCSUB) && !r->target->seg.next && !r->target->next)
		return true;
	if (!cmd_take_words(a, c->scope->env, r->target, 1, untranslated, &w))
		return false;
	cmd_shape(w->w, &s);
	if ((c->scope->dialects & CMD_IN_BASH) && !net(a, c, &s, &is_net))
		return false;
	if (is_net && !(c->scope->dialects & CMD_IN_POSIX))
		return true;
	p = cmd_part_new(a, c, CMD_FILE);
	if (!p)
		return false;
	p->ops = ops;
	literal_home = w->w->seg.kind == SH_HOME &&
		       (!w->w->seg.next ||
			(w->w->seg.next->kind == SH_LIT && !w->w->seg.next->next));
	if (r->target->next)
		return true;
	/* > "$HOME/x" */
	if (!s.literal && !literal_home) {
		if (w->w->seg.kind == SH_LIT ||
		    !cmd_path_text(w, false, &at, &p->path, &n, &p->home_path))
			return true;
		p->path_n = (uint32_t)n;
		p->path_guess = true;
		return true;
	}
	p->path = s.p;
	p->path_n = s.n;
	if (literal_home) {
		p->home_path = true;
		p->path = w->w->seg.next ? w->w->seg.next->p : "";
		p->path_n = w->w->seg.next ? w->w->seg.next->n : 0;
	}
	return true;
}

bool cmd_redirs(struct cmd_an *a, const struct cmd_ctx *c, const struct sh_redir *r)
{
	for (; r; r = r->next) {
		uint8_t ops = operations(c, r);

		if (!ops)
			continue;
		if (!one(a, c, r, ops, false))
			return false;
		/* deny and ask rules take the text in $"…" as the name */
		if ((r->target->flags & SH_W_LOCALE) && !one(a, c, r, ops, true))
			return false;
	}
	return true;
}
