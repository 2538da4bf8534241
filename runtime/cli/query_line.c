/* Decides commands for polquery, and writes what each part of a line got. */
#include "runtime/cli/query_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/json.h"
#include "runtime/supervise/explain.h"

/* --- deciding ------------------------------------------------------------------ */

/* Blocks grow with the longest line that was asked. */
static int make_room(const struct decide_ctx *c, struct query_block *b, size_t n,
		     struct rt_err *err)
{
	size_t need = decide_block_size(c, n);
	void *p;

	if (b->size >= need)
		return 0;
	p = malloc(need);
	if (!p)
		return rt_fail_errno(err, ENOMEM, "'line'");
	free(b->p);
	b->p = p;
	b->size = need;
	return 0;
}

int query_line_decide(const struct decide_ctx *c, struct query_block *b,
		      const char *line, size_t n, struct query_line *ret,
		      struct rt_err *err)
{
	int r = make_room(c, b, n, err);

	if (r < 0)
		return r;
	*ret = (struct query_line){ .text = line, .text_n = n };
	decide_line(c, line, n, b->p, b->size, &ret->parts, &ret->d);
	return 0;
}

int query_argv_decide(const struct decide_ctx *c, struct query_block *b,
		      const char *const *argv, size_t argc, struct query_line *ret,
		      struct rt_err *err)
{
	size_t n = 0, i;
	int r;

	for (i = 0; i < argc; i++)
		n += strlen(argv[i]) + 1;
	r = make_room(c, b, n, err);
	if (r < 0)
		return r;
	*ret = (struct query_line){ .text = NULL };
	decide_words(c, argv, argc, b->p, b->size, &ret->parts, &ret->d);
	return 0;
}

void query_block_release(struct query_block *b)
{
	free(b->p);
	*b = (struct query_block){ .p = NULL };
}

/* --- writing --------------------------------------------------------------------- */

static const char *kind_word(const struct cmd_part *p)
{
	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		return "command";
	case CMD_FILE:
		return "file";
	case CMD_NET:
		return "net";
	case CMD_UNPARSED:
	default:
		return "unparsed";
	}
}

/*
 * A line of a megabyte may hold a hundred thousand parts, each of which is a
 * part of another: an answer shows the beginning of each, and the first ones.
 */
enum { MAX_TEXT = 4096, MAX_WORDS = 256, MAX_PARTS = 256 };

static size_t shorter(size_t n, size_t most)
{
	return n < most ? n : most;
}

static void put_words(struct json *j, const struct cmd_part *p)
{
	json_array(j, "words");
	for (uint32_t i = 0; p->kind == CMD_COMMAND && i < p->nwords && i < MAX_WORDS;
	     i++) {
		const struct sh_word *w = p->words[i].w;

		if (sh_is_literal(w))
			json_str(j, NULL, w->seg.p, shorter(w->seg.n, MAX_TEXT));
		else
			json_null(j, NULL);
	}
	if (p->kind == CMD_FILE && p->path)
		json_str(j, NULL, p->path, shorter(p->path_n, MAX_TEXT));
	if (p->kind == CMD_NET && p->host)
		json_str(j, NULL, p->host, shorter(p->host_n, MAX_TEXT));
	json_array_end(j);
}

static void put_part(struct json *j, const struct bundle *b, const struct query_line *l,
		     const struct cmd_part *p)
{
	const struct pb_rule *r =
		p->rule == UINT32_MAX ? NULL : bundle_rule(b, p->rule);

	json_object(j, NULL);
	json_cstr(j, "kind", kind_word(p));
	if (l->text && p->from <= p->to && p->to <= l->text_n)
		json_str(j, "text", l->text + p->from,
			 shorter(p->to - p->from, MAX_TEXT));
	else
		json_null(j, "text");
	put_words(j, p);
	json_cstr(j, "effect",
		  explain_effect(p->effect == PB_HIDE ? PB_DENY : p->effect));
	if (r)
		json_str(j, "rule", pb_strp(b->rules, r->id), r->id.len);
	else
		json_null(j, "rule");
	if (p->kind == CMD_COMMAND)
		json_cstr(j, "risk", explain_risk(p->risk));
	else
		json_null(j, "risk");
	json_cstr(j, "why", explain_part(p));
	json_object_end(j);
}

void query_line_parts(struct json *j, const struct bundle *b,
		      const struct query_line *l)
{
	uint32_t n = 0, shown = 0;
	bool decided = false;

	json_array(j, "commands");
	for (const struct cmd_part *p = l->parts.first; p; p = p->next, n++) {
		bool decides =
			!decided && p->effect == l->d.effect && p->rule == l->d.rule;

		decided |= decides;
		if (n >= MAX_PARTS && !decides)
			continue;
		put_part(j, b, l, p);
		shown++;
	}
	json_array_end(j);
	json_uint(j, "commands_more", n - shown);
}

const char *query_line_reason(const struct query_line *l, const char **ret_detail)
{
	*ret_detail = NULL;
	if (l->parts.limit || (l->parts.unparsed && l->d.unparsed)) {
		*ret_detail = l->parts.why;
		return l->parts.limit ? "the line is past a limit"
				      : "the line cannot be read";
	}
	for (const struct cmd_part *p = l->parts.first; p; p = p->next)
		if (p->effect == l->d.effect && p->rule == l->d.rule)
			return explain_part(p);
	return "";
}
