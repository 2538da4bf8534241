/* Writes a decision and what led to it, as JSON and as text.  Decides only the
 * form, and how much of a very long line is shown. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/address_guard.h"
#include "runtime/decide/rule_text.h"
#include "runtime/libpol/pol_own.h"

/*
 * A line of a megabyte may hold a hundred thousand parts, each nested in another. An
 * answer shows only the beginning of each part, and only the first parts.
 */
enum { MAX_TEXT = 4096, MAX_WORDS = 256, MAX_PARTS = 256 };

static bool is_command(const struct pol_ctx *c)
{
	return c->kind == POL_COMMAND || c->kind == POL_ARGV;
}

static size_t shorter(size_t n, size_t most)
{
	return n < most ? n : most;
}

/* Callers know three effects: hidden is shown as denied. */
static const char *effect_word(uint8_t effect)
{
	return explain_effect(effect == PB_ALLOW || effect == PB_ASK ? effect : PB_DENY);
}

/* --- why ----------------------------------------------------------------------- */

/* Why the line got its decision, if it was not a rule: static text, or "". */
static const char *line_reason(const struct pol_ctx *c, const char **ret_detail)
{
	*ret_detail = NULL;
	if (c->parts.limit || (c->parts.unparsed && c->d.unparsed)) {
		*ret_detail = c->parts.why;
		return c->parts.limit ? "the line is past a limit"
				      : "the line cannot be read";
	}
	for (const struct cmd_part *p = c->parts.first; p; p = p->next)
		if (p->effect == c->d.effect && p->rule == c->d.rule)
			return explain_part(p);
	return "";
}

/* Finds a reason if the rule has none of its own. */
static void find_reason(const struct pol_ctx *c, const struct pb_rule *r, char *out,
			size_t cap)
{
	const char *why, *detail;

	out[0] = '\0';
	if (r && r->kind == PB_SCALAR && r->by_risk && !c->d.unparsed)
		(void)snprintf(out, cap, "its risk is %s", explain_risk(c->d.risk));
	if (c->d.guarded) {
		(void)snprintf(out, cap, "it is %s, and no rule names its range",
			       guard_text(c->d.guarded));
		return;
	}
	why = line_reason(c, &detail);
	if (why[0])
		(void)snprintf(out, cap, "%s%s%s", why, detail ? ": " : "",
			       detail ? detail : "");
}

void pol_reason(const struct pol_ctx *c, char *out, size_t cap)
{
	if (!explain_rule_reason(c->b, c->d.rule, out, cap))
		find_reason(c, bundle_rule(c->b, c->d.rule), out, cap);
}

void pol_part_text(const struct pol_ctx *c, const struct cmd_part *p, char *out, size_t cap)
{
	enum { SHOWN = 60 };
	size_t n;

	out[0] = '\0';
	if (!c->text || p->from >= p->to || p->to > c->text_n)
		return;
	n = p->to - p->from;
	io_escape(out, cap, c->text + p->from, shorter(n, SHOWN));
	if (n > SHOWN && strlen(out) + 5 < cap)
		(void)snprintf(out + strlen(out), cap - strlen(out), " ...");
}

void pol_deciding_text(const struct pol_ctx *c, char *out, size_t cap)
{
	const struct cmd_part *p = c->parts.first;

	out[0] = '\0';
	while (p && (p->effect != c->d.effect || p->rule != c->d.rule))
		p = p->next;
	if (p)
		pol_part_text(c, p, out, cap);
}

/* --- all that asks -------------------------------------------------------------- */

static bool is_by_risk(const struct pol_ctx *c, const struct cmd_part *p)
{
	const struct pb_rule *r = bundle_rule(c->b, p->rule);

	return r && r->kind == PB_SCALAR && r->by_risk;
}

void pol_part_reason(const struct pol_ctx *c, const struct cmd_part *p, char *out, size_t cap)
{
	const char *why = explain_part(p);

	if (explain_rule_reason(c->b, p->rule, out, cap))
		return;
	if (!why[0] && is_by_risk(c, p))
		(void)snprintf(out, cap, "its risk is %s", explain_risk(p->risk));
	else
		(void)snprintf(out, cap, "%s", why);
}

/* How grave it would be to let this part through; more is graver. */
static unsigned gravity(const struct pol_ctx *c, const struct cmd_part *p)
{
	switch ((enum decide_step)p->step) {
	case DECIDE_HIDDEN:
	case DECIDE_HOLDS:
	case DECIDE_READS:
	case DECIDE_MAY_READ:
	case DECIDE_WRITES:
	case DECIDE_MAY_WRITE:
	case DECIDE_MAY_DENY:
	case DECIDE_LOST:
	case DECIDE_SPELLS:
		return 7;
	case DECIDE_OPAQUE:
	case DECIDE_NO_TARGET:
	case DECIDE_UNPARSED:
		return 5;
	case DECIDE_RULES:
	case DECIDE_TARGET:
	case DECIDE_SANDBOX:
	case DECIDE_TRANSPARENT:
	case DECIDE_SHELL_CODE:
	case DECIDE_STEP_COUNT:
	default:
		return is_by_risk(c, p) ? p->risk : 6;
	}
}

static bool says_the_same(const struct pol_ctx *c, const struct cmd_part *p,
			  const struct cmd_part *q)
{
	return p->rule == q->rule && p->step == q->step && p->risk == q->risk &&
	       p->opaque == q->opaque && p->no_allow == q->no_allow && p->from < p->to &&
	       p->to <= c->text_n && q->to - q->from == p->to - p->from &&
	       q->to <= c->text_n &&
	       memcmp(c->text + p->from, c->text + q->from, p->to - p->from) == 0;
}

size_t pol_asking(const struct pol_ctx *c, const struct cmd_part **out, size_t cap)
{
	size_t n = 0, kept = 0;

	if (!is_command(c) || c->d.effect != PB_ASK)
		return 0;
	for (const struct cmd_part *p = c->parts.first; p; p = p->next) {
		unsigned g = gravity(c, p);
		size_t at = kept, i = 0;

		if (p->effect != PB_ASK)
			continue;
		while (i < kept && !(c->text && says_the_same(c, out[i], p)))
			i++;
		if (i < kept)
			continue;
		n++;
		while (at > 0 && gravity(c, out[at - 1]) < g)
			at--;
		if (at == cap)
			continue;
		kept = kept < cap ? kept + 1 : cap;
		for (i = kept - 1; i > at; i--)
			out[i] = out[i - 1];
		out[at] = p;
	}
	return n;
}

/* --- what would make it pass ------------------------------------------------------ */

void pol_hint(const struct pol_ctx *c, struct hint *ret)
{
	static const uint8_t kinds[] = { [POL_FILE] = PB_FILE, [POL_NET] = PB_NET,
					 [POL_UNIX] = PB_UNIX, [POL_SYSCALL] = PB_SYSCALL,
					 [POL_TOOL] = PB_TOOL };
	const struct hint_subject s = {
		.kind = kinds[c->kind],
		.tool = c->kind == POL_TOOL ? c->name : NULL,
		.host = c->to.host[0] ? c->to.host : NULL,
		.is_addr = c->to.is_addr,
		.udp = c->to.udp,
		.port = c->to.port,
	};

	if (is_command(c))
		hint_line(c->b, c->project, &c->parts, &c->d, ret);
	else
		hint_request(c->b, &s, &c->d, ret);
}

/* --- JSON ------------------------------------------------------------------------ */

static void put_str(struct json *j, const char *key, const struct bundle *b,
		    struct pb_str s)
{
	json_str(j, key, pb_strp(b->rules, s), s.len);
}

static void put_rule(struct json *j, const struct bundle *b, uint32_t n, uint8_t effect)
{
	const struct pb_rule *r = bundle_rule(b, n);
	char at[600];
	int len;

	if (!r)
		return;
	json_object(j, NULL);
	put_str(j, "id", b, r->id);
	json_cstr(j, "level", explain_level(r->level));
	json_cstr(j, "effect", explain_effect(effect));
	len = snprintf(at, sizeof(at), "%.*s:%u", (int)r->file.len,
		       pb_strp(b->rules, r->file), r->line);
	if (r->line && len > 0 && (size_t)len < sizeof(at))
		json_str(j, "at", at, (size_t)len);
	else
		json_null(j, "at");
	put_str(j, "text", b, r->text);
	json_object_end(j);
}

/* Writes the rule that decided, then the other matching rules. */
static void put_rules(struct json *j, const struct pol_ctx *c)
{
	const struct decision *d = &c->d;
	uint32_t i;

	json_array(j, "rules");
	put_rule(j, c->b, explain_named(c->b, d->rule), d->effect);
	for (i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		if (d->matched[i] != d->rule && bundle_rule(c->b, d->matched[i]))
			put_rule(j, c->b, d->matched[i],
				 bundle_rule(c->b, d->matched[i])->effect);
	json_array_end(j);
	json_uint(j, "rules_more", d->nmatched - i);
}

static void put_reason(struct json *j, const struct pol_ctx *c)
{
	const struct pb_rule *r = bundle_rule(c->b, c->d.rule);
	char text[240];

	if (r && r->reason.len) {
		put_str(j, "reason", c->b, r->reason);
		return;
	}
	find_reason(c, r, text, sizeof(text));
	json_cstr(j, "reason", text);
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

static void put_part(struct json *j, const struct pol_ctx *c, const struct cmd_part *p)
{
	const struct pb_rule *r =
		p->rule == UINT32_MAX ? NULL : bundle_rule(c->b, explain_named(c->b, p->rule));
	struct hint hint;

	json_object(j, NULL);
	json_cstr(j, "kind", explain_part_kind(p));
	if (c->text && p->from <= p->to && p->to <= c->text_n)
		json_str(j, "text", c->text + p->from,
			 shorter(p->to - p->from, MAX_TEXT));
	else
		json_null(j, "text");
	put_words(j, p);
	json_cstr(j, "effect", effect_word(p->effect));
	if (r)
		json_str(j, "rule", pb_strp(c->b->rules, r->id), r->id.len);
	else
		json_null(j, "rule");
	json_cstr(j, "risk", p->kind == CMD_COMMAND ? explain_risk(p->risk) : NULL);
	json_cstr(j, "why", explain_part(p));
	hint_part(c->b, c->project, p, &hint);
	json_cstr(j, "hint", hint.text[0] ? hint.text : NULL);
	json_object_end(j);
}

/* Writes "commands" (the first parts and the one that decided) and "commands_more" (the
 * number of parts that are not shown). Only for commands. */
static void put_parts(struct json *j, const struct pol_ctx *c)
{
	uint32_t n = 0, shown = 0;
	bool decided = false;

	json_array(j, "commands");
	for (const struct cmd_part *p = c->parts.first; p; p = p->next, n++) {
		bool decides =
			!decided && p->effect == c->d.effect && p->rule == c->d.rule;

		decided |= decides;
		if (n >= MAX_PARTS && !decides)
			continue;
		put_part(j, c, p);
		shown++;
	}
	json_array_end(j);
	json_uint(j, "commands_more", n - shown);
}

void pol_put_decision(struct json *j, const struct pol_ctx *c)
{
	const struct decision *d = &c->d;
	bool command = is_command(c);
	bool risk = (command && !d->unparsed) || c->kind == POL_TOOL;
	struct hint hint;

	json_cstr(j, "effect", effect_word(d->effect));
	put_reason(j, c);
	pol_hint(c, &hint);
	json_cstr(j, "hint", hint.text[0] ? hint.text : NULL);
	json_bool(j, "hint_is_rule", hint.rule);
	put_rules(j, c);
	json_cstr(j, "risk", risk ? explain_risk(d->risk) : NULL);
	/* this version has no other runner */
	json_cstr(j, "runner", command && d->effect <= PB_ASK ? "native" : NULL);
	json_bool(j, "needs_person", d->needs_person);
	if (c->kind == POL_SYSCALL)
		json_cstr(j, "errno", d->err ? strerrorname_np(d->err) : NULL);
	put_parts(j, c);
}

/* --- text -------------------------------------------------------------------------- */

/* Memory of the caller; `n` also counts what did not fit. */
struct text {
	char *p;
	size_t cap, n;
};

static void add(struct text *t, const char *s)
{
	size_t len = strlen(s), room = t->n < t->cap ? t->cap - t->n - 1 : 0;

	if (t->n < t->cap) {
		memcpy(t->p + t->n, s, shorter(len, room));
		t->p[t->n + shorter(len, room)] = '\0';
	}
	t->n += len;
}

static void addf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void addf(struct text *t, const char *fmt, ...)
{
	char line[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	add(t, line);
}

static void add_rule(struct text *t, const struct pol_ctx *c, uint32_t n,
		     const char *before)
{
	const struct pb_rule *r = bundle_rule(c->b, n);
	char rule[EXPLAIN_RULE_CAP], text[400];

	if (!r)
		return;
	addf(t, "  %s %s (level %s)", before, explain_rule(c->b, n, rule),
	     explain_level(r->level));
	if (explain_rule_text(c->b, n, text, sizeof(text)))
		addf(t, ": %s", text);
	add(t, "\n");
}

static void add_parts(struct text *t, const struct pol_ctx *c)
{
	enum { SHOWN = 200 };
	uint32_t n = 0;

	for (const struct cmd_part *p = c->parts.first; p; p = p->next) {
		char text[4 * SHOWN] = "", id[256];
		const char *why = explain_part(p);

		if (++n > MAX_PARTS)
			continue;
		if (c->text && p->from <= p->to && p->to <= c->text_n)
			io_escape(text, sizeof(text), c->text + p->from,
				  shorter(p->to - p->from, SHOWN));
		explain_rule_id(c->b, explain_named(c->b, p->rule), id, sizeof(id));
		addf(t, "  %u. %s%s%s: %s by %s%s%s\n", n, explain_part_kind(p),
		     text[0] ? " " : "", text, effect_word(p->effect), id,
		     why[0] ? ": " : "", why);
	}
	if (n > MAX_PARTS)
		addf(t, "  and %u more\n", n - MAX_PARTS);
}

static void put_text(struct text *t, const struct pol_ctx *c)
{
	const struct decision *d = &c->d;
	char why[400];
	struct hint hint;
	uint32_t i;

	addf(t, "%s", effect_word(d->effect));
	if (d->err)
		addf(t, " (%s)", strerrorname_np(d->err));
	pol_reason(c, why, sizeof(why));
	addf(t, "%s%s%s\n", why[0] ? ": " : "", why,
	     d->needs_person ? " (only a person can answer this)" : "");
	pol_hint(c, &hint);
	if (hint.text[0])
		addf(t, "  to pass: %s\n", hint.text);
	add_rule(t, c, explain_named(c->b, d->rule), "by");
	for (i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		if (d->matched[i] != d->rule)
			add_rule(t, c, d->matched[i], "matches too:");
	add_parts(t, c);
}

int pol_explain(const struct pol_ctx *c, uint32_t format, char *buf, size_t cap,
		size_t *ret_n)
{
	struct text t = { .p = buf, .cap = cap };
	struct json j;

	if (!c->kind)
		return -ENOENT;
	if (format == POL_JSON) {
		json_init_fixed(&j, buf, cap);
		j.layout = JSON_TIGHT;
		json_object(&j, NULL);
		pol_put_decision(&j, c);
		json_object_end(&j);
		(void)json_finish(&j, &t.n);
	} else if (format == POL_TEXT) {
		put_text(&t, c);
	} else {
		return -EINVAL;
	}
	*ret_n = t.n;
	return t.n < cap ? 0 : -ENOSPC;
}
