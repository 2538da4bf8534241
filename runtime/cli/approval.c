/* Decides when two questions are the same one, so that an answer to the first
 * may stand for the second; in doubt they are not. */
#include "runtime/cli/approval.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"

#define ID_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-"

/* --- sessions ----------------------------------------------------------------------- */

/* Clock ticks from boot to the start of the process; 0: it cannot be told. */
static unsigned long long started(pid_t pid)
{
	AUTO_FREE char *text = NULL;
	char path[40], *p, *end;
	unsigned long long ticks;
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_file(path, 4096, &text, &n) != 0)
		return 0;
	/* the name, in parentheses, may hold anything; the start is field 22 */
	p = strrchr(text, ')');
	/* one that has ended and that nobody waits for is no leader */
	if (p && strncmp(p, ") Z", 3) == 0)
		return 0;
	for (int field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return 0;
	ticks = strtoull(p, &end, 10);
	return end > p ? ticks : 0;
}

static bool boot_id(char out[48])
{
	AUTO_FREE char *text = NULL;
	size_t n;

	if (io_read_file("/proc/sys/kernel/random/boot_id", 64, &text, &n) != 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	n = strlen(text);
	if (n != 36 || strspn(text, "0123456789abcdef-") != n)
		return false;
	memcpy(out, text, n + 1);
	return true;
}

bool approval_session_id(const char *id)
{
	size_t n = strlen(id);

	return n >= 1 && n <= 128 && strspn(id, ID_BYTES) == n;
}

bool approval_session(const char *id, char out[APPROVALS_SESSION])
{
	unsigned long long ticks;
	char boot[48];
	pid_t sid;

	if (id) {
		(void)snprintf(out, APPROVALS_SESSION, "id:%.128s", id);
		return approval_session_id(id);
	}
	/* 0: its leader is outside of this process namespace */
	sid = getsid(0);
	ticks = sid > 0 ? started(sid) : 0;
	if (!ticks || !boot_id(boot))
		return false;
	(void)snprintf(out, APPROVALS_SESSION, "tty:%s:%d:%llu", boot, (int)sid, ticks);
	return true;
}

bool approval_session_named(const char *session)
{
	return strncmp(session, "id:", 3) == 0;
}

static bool read_terminal(const char *session, char boot[48], int *ret_sid,
			  unsigned long long *ret_ticks)
{
	char again[APPROVALS_SESSION];

	if (sscanf(session, "tty:%36[0-9a-f-]:%9d:%19llu", boot, ret_sid, ret_ticks) != 3)
		return false;
	(void)snprintf(again, sizeof(again), "tty:%s:%d:%llu", boot, *ret_sid,
		       *ret_ticks);
	return strcmp(again, session) == 0;
}

bool approval_session_is(const char *session)
{
	unsigned long long ticks;
	char boot[48];
	int sid;

	return approval_session_named(session) ? approval_session_id(session + 3) :
						 read_terminal(session, boot, &sid, &ticks);
}

bool approval_session_lives(const char *session)
{
	unsigned long long ticks;
	char boot[48], now[48];
	int sid;

	return read_terminal(session, boot, &sid, &ticks) && boot_id(now) &&
	       strcmp(boot, now) == 0 && ticks && started(sid) == ticks;
}

/* --- the key -------------------------------------------------------------------------- */

/* Each field with its length before it: no two lists of fields are the same bytes. */
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
 * The one command that a line is when it has nothing but words, quotes and
 * blanks; NULL for every other line.
 */
static const struct cmd_part *plain(const struct entry *e)
{
	static const char bytes[] = ID_BYTES " \t/%+,='\"";
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
	/* no assignment and no reserved word stands before it */
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
	for (int i = 0; i < PB_ROOT_COUNT; i++)
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
