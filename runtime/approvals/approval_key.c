/* Decides when two questions are the same, so that an answer to the first also answers
 * the second.  In doubt they are different. */
#include "runtime/approvals/approval_key.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "runtime/base/io.h"

/* Adds each field with its length before it, so that two different lists of fields
 * never give the same bytes. */
static void add(crypto_generichash_state *h, const void *p, size_t n)
{
	uint64_t len = n;

	(void)crypto_generichash_update(h, (const unsigned char *)&len, sizeof(len));
	(void)crypto_generichash_update(h, p, n);
}

static void add_text(crypto_generichash_state *h, const char *s)
{
	add(h, s ? s : "", s ? strlen(s) : 0);
}

static void add_word(crypto_generichash_state *h, const struct sh_word *w)
{
	for (const struct sh_seg *s = &w->seg; s; s = s->next) {
		unsigned kind = s->kind;

		add(h, &kind, sizeof(kind));
		add(h, s->n ? s->p : "", s->n);
	}
	add_text(h, "end of word");
}

static void add_words(crypto_generichash_state *h, const struct cmd_part *p)
{
	for (uint32_t i = 0; i < p->nwords; i++)
		add_word(h, p->words[i].w);
}

/*
 * The one command of a line that has nothing but words, quotes and blanks; NULL for
 * every other line.
 */
static const struct cmd_part *plain(const struct entry *e)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._:@- \t/%+,='\"";
	const struct cmd_part *only = NULL;
	size_t n = strlen(e->line), first;
	const char *line = e->line;

	if (strspn(line, bytes) != n)
		return NULL;
	for (const struct cmd_part *p = e->parts.first; p; p = p->next) {
		if (p->outer)
			continue;
		if (only || p->kind != CMD_COMMAND)
			return NULL;
		only = p;
	}
	if (!only || !only->nwords)
		return NULL;
	for (uint32_t i = 0; i < only->nwords; i++)
		if (!sh_is_literal(only->words[i].w))
			return NULL;
	/* no assignment and no reserved word comes before it */
	line += strspn(line, " \t");
	first = strcspn(line, " \t");
	return first == only->words[0].w->seg.n &&
	       memcmp(line, only->words[0].w->seg.p, first) == 0 &&
	       !memchr(line, '=', first) ? only : NULL;
}

static void add_command(crypto_generichash_state *h, const struct entry *e)
{
	const struct cmd_part *one = e->line ? plain(e) : NULL;

	if (one) {
		add_text(h, "words of a line");
		add_words(h, one);
	} else if (e->line) {
		add_text(h, "line");
		add_text(h, e->line);
	} else {
		add_text(h, "argv");
		for (size_t i = 0; i < e->argc; i++)
			add_text(h, e->argv[i]);
	}
}

static void add_part(crypto_generichash_state *h, const struct cmd_part *p)
{
	unsigned what[] = { p->kind, p->ops, p->port, p->udp, p->step };

	add(h, what, sizeof(what));
	add(h, p->path ? p->path : "", p->path ? p->path_n : 0);
	add(h, p->host ? p->host : "", p->host ? p->host_n : 0);
	if (p->kind == CMD_COMMAND)
		add_words(h, p);
	for (const struct cmd_dir *d = p->dirs; d; d = d->next)
		add_text(h, d->path);
}

void approval_line(const struct decide_ctx *ctx, const struct entry *e,
		   const char *session, const char *path,
		   unsigned char ret[APPROVAL_LINE])
{
	crypto_generichash_state h;

	(void)crypto_generichash_init(&h, NULL, 0, APPROVAL_LINE);
	add_text(&h, "pol-approval-2");
	add_text(&h, ctx->b->digest);
	add_text(&h, session);
	add_text(&h, ctx->cwd);
	/* the agent's socket has another name at each login, and no command depends on it */
	for (int i = 0; i < PB_ROOT_COUNT; i++)
		if (i != PB_ROOT_AGENT)
			add_text(&h, ctx->roots.dir[i]);
	add_text(&h, path);
	add_command(&h, e);
	(void)crypto_generichash_final(&h, ret, APPROVAL_LINE);
}

void approval_key(const struct bundle *b, const unsigned char line[APPROVAL_LINE],
		  const struct cmd_part *p, char ret[APPROVALS_KEY + 1])
{
	const struct pb_rule *r = bundle_rule(b, p->rule);
	unsigned char out[APPROVALS_KEY / 2];
	crypto_generichash_state h;

	(void)crypto_generichash_init(&h, NULL, 0, sizeof(out));
	add(&h, line, APPROVAL_LINE);
	add(&h, r ? pb_strp(b->rules, r->id) : "", r ? r->id.len : 0);
	add_part(&h, p);
	(void)crypto_generichash_final(&h, out, sizeof(out));
	(void)sodium_bin2hex(ret, APPROVALS_KEY + 1, out, sizeof(out));
}

void approval_make(const struct bundle *b, uint32_t rule, const char key[APPROVALS_KEY + 1],
		   const char session[APPROVAL_SESSION], struct approval *ret)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	*ret = (struct approval){ .when = time(NULL) };
	memcpy(ret->key, key, sizeof(ret->key));
	memcpy(ret->session, session, sizeof(ret->session));
	(void)snprintf(ret->digest, sizeof(ret->digest), "%s", b->digest);
	if (r)
		io_escape(ret->rule, sizeof(ret->rule), pb_strp(b->rules, r->id), r->id.len);
	if (!ret->rule[0])
		(void)snprintf(ret->rule, sizeof(ret->rule), "-");
}
