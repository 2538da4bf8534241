/* Decides how changes are told, and which files are shown line by line. */
#include "runtime/stage/stage_show.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"
#include "runtime/stage/stage_diff.h"
#include "runtime/stage/stage_equal.h"
#include "runtime/stage/stage_walk.h"

#define INDENT "          "

const char *stage_op_word(enum stage_op op)
{
	static const char *const words[] = {
		[STAGE_CREATE] = "create", [STAGE_MODIFY] = "modify", [STAGE_DELETE] = "delete",
		[STAGE_MODE] = "mode", [STAGE_TIMES] = "times", [STAGE_TYPE] = "type",
	};

	return op < STAGE_OP_COUNT ? words[op] : "?";
}

const char *stage_state_word(enum stage_state state)
{
	switch (state) {
	case STAGE_READY:
		return "ready";
	case STAGE_SAME:
		return "same";
	case STAGE_CHANGED:
		return "changed-outside";
	case STAGE_DENIED:
		return "denied";
	case STAGE_UNFIT:
		return "unfit";
	case STAGE_COMMITTED:
		return "committed";
	case STAGE_FAILED:
	default:
		return "failed";
	}
}

/* malloc'ed; NULL: no memory. */
static char *escaped(const char *s)
{
	size_t n = strlen(s), cap = 8 * n + 16;
	char *out = malloc(cap);

	if (out)
		io_escape(out, cap, s, n);
	return out;
}

/* --- what is told of one entry ----------------------------------------------------------- */

static void tell_object(FILE *out, const struct stage_stat *st)
{
	(void)fprintf(out, "%s", stage_stat_kind(st->mode));
	if (!S_ISLNK(st->mode))
		(void)fprintf(out, " %04o", st->mode & 07777);
	if (S_ISREG(st->mode))
		(void)fprintf(out, ", %" PRIu64 " bytes", st->size);
}

static int tell_names(FILE *out, const struct stage *s, const struct stage_delta *d,
		      const struct stage_entry *e)
{
	AUTO_FREE char *target = e->target ? escaped(e->target) : NULL, *first = NULL, *shown = NULL;

	if (e->target && !target)
		return -ENOMEM;
	if (target)
		(void)fprintf(out, " -> '%s'", target);
	if (e->link == STAGE_NO_LINK)
		return 0;
	first = stage_entry_name(&s->rec, &d->v[e->link], true);
	shown = first ? escaped(first) : NULL;
	if (!shown)
		return -ENOMEM;
	(void)fprintf(out, ", the same file as '%s'", shown);
	return 0;
}

static void tell_rule(FILE *out, const struct stage *s, const struct stage_entry *e)
{
	char rule[EXPLAIN_RULE_CAP] = "no rule";

	if (s->bundle.rules)
		(void)explain_rule(&s->bundle, e->rule, rule);
	if (e->state == STAGE_READY || e->state == STAGE_COMMITTED)
		(void)fprintf(out, INDENT "allowed by %s\n", rule);
	else if (e->state == STAGE_DENIED)
		(void)fprintf(out, INDENT "refused: %s (%s)\n", e->why, rule);
	else
		(void)fprintf(out, INDENT "refused: %s\n", e->why);
}

int stage_show_entry(FILE *out, const struct stage *s, const struct stage_delta *d,
		     const struct stage_entry *e)
{
	AUTO_FREE char *name = stage_entry_name(&s->rec, e, true), *shown = NULL;
	int r;

	shown = name ? escaped(name) : NULL;
	if (!shown)
		return -ENOMEM;
	(void)fprintf(out, "%-8s  %s: ", stage_op_word(e->op), shown);
	if (e->op != STAGE_CREATE && e->base)
		tell_object(out, &e->base->st);
	if (e->op != STAGE_CREATE && e->op != STAGE_DELETE)
		(void)fprintf(out, " => ");
	if (e->op != STAGE_DELETE)
		tell_object(out, &e->now);
	r = tell_names(out, s, d, e);
	if (e->attrs)
		(void)fprintf(out, ", attributes");
	if (e->base && e->base->st.nlink > 1 && !S_ISDIR(e->base->st.mode) &&
	    e->op != STAGE_DELETE)
		(void)fprintf(out, "; its %u other names outside stay as they are",
			      e->base->st.nlink - 1);
	(void)fprintf(out, "\n");
	tell_rule(out, s, e);
	return r;
}

/* --- differences --------------------------------------------------------------------------- */

struct content {
	char *p; /* malloc'ed; NULL: nothing */
	size_t n;
	bool text;
};

static void read_content(int fd, struct content *ret)
{
	*ret = (struct content){ .text = true };
	if (fd < 0 || io_read_all(fd, STAGE_DIFF_MAX, &ret->p, &ret->n) < 0)
		ret->text = false;
	else
		ret->text = stage_diff_is_text(ret->p, ret->n);
}

static int open_outside(const struct stage *s, const struct stage_entry *e)
{
	AUTO_CLOSE int fd = sys_open_beneath(s->rec.tree[e->tree].top, e->path,
					     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
					     O_CLOEXEC, STAGE_RESOLVE);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return io_steal_fd(&fd);
}

static bool has_diff(const struct stage_entry *e)
{
	bool was = e->base && S_ISREG(e->base->st.mode);
	bool is = S_ISREG(e->now.mode);

	return e->path[0] && (was || is) && e->op != STAGE_MODE && e->op != STAGE_TIMES &&
	       e->op != STAGE_DELETE && e->link == STAGE_NO_LINK;
}

static int show_diff(FILE *out, const char *indent, const struct stage *s,
		     const struct stage_entry *e)
{
	AUTO_CLOSE int in = S_ISREG(e->now.mode) ?
				    stage_upper_open(s->rec.tree[e->tree].upper, e, O_RDONLY) : -1;
	AUTO_CLOSE int was = e->base && S_ISREG(e->base->st.mode) ? open_outside(s, e) : -1;
	struct content a = { .text = true }, b = { .text = true };
	int r = 0;

	if (was >= 0)
		read_content(was, &a);
	if (in >= 0)
		read_content(in, &b);
	if (a.text && b.text)
		r = stage_diff_print(out, indent, a.p ? a.p : "", a.n, b.p ? b.p : "", b.n);
	else
		(void)fprintf(out, "%snot shown: no text, or more than %d bytes\n", indent,
			      STAGE_DIFF_MAX);
	free(a.p);
	free(b.p);
	return r;
}

/* --- all of it ------------------------------------------------------------------------------ */

int stage_show_text(FILE *out, const struct stage_show *s)
{
	size_t n = 0, refused = 0;
	int r = 0;

	for (size_t i = 0; i < s->d->n && r == 0; i++) {
		const struct stage_entry *e = &s->d->v[i];

		if (e->state == STAGE_SAME)
			continue;
		n++;
		refused += e->state != STAGE_READY;
		r = stage_show_entry(out, s->stage, s->d, e);
		if (r == 0 && s->diffs && has_diff(e))
			r = show_diff(out, INDENT, s->stage, e);
	}
	(void)fprintf(out, "staged run %.*s: changes: %zu, refused: %zu%s\n", STAGE_ID_SHOWN,
		      s->stage->id, n, refused,
		      s->stage->rec.has_ended ? "" : "; the run was killed");
	return r;
}

static void json_object_of(struct json *j, const char *key, const struct stage_stat *st)
{
	char mode[8];

	if (!st) {
		json_null(j, key);
		return;
	}
	(void)snprintf(mode, sizeof(mode), "%04o", st->mode & 07777);
	json_object(j, key);
	json_cstr(j, "kind", stage_stat_kind(st->mode));
	json_cstr(j, "mode", mode);
	json_uint(j, "size", st->size);
	json_object_end(j);
}

static int json_escaped(struct json *j, const char *key, const char *s)
{
	AUTO_FREE char *text = s ? escaped(s) : NULL;

	if (s && !text)
		return -ENOMEM;
	json_cstr(j, key, text);
	return 0;
}

static int json_name(struct json *j, const char *key, const struct stage *s,
		     const struct stage_entry *e)
{
	AUTO_FREE char *name = e ? stage_entry_name(&s->rec, e, true) : NULL;

	return e && !name ? -ENOMEM : json_escaped(j, key, name);
}

static int json_diff(struct json *j, const struct stage_show *s, const struct stage_entry *e)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	FILE *out;
	int r;

	if (!s->diffs || !has_diff(e)) {
		json_null(j, "diff");
		return 0;
	}
	out = open_memstream(&text, &n);
	if (!out)
		return -ENOMEM;
	r = show_diff(out, "", s->stage, e);
	if (fclose(out) != 0)
		r = -ENOMEM;
	if (r == 0)
		json_str(j, "diff", text, n);
	return r;
}

static int json_entry(struct json *j, const struct stage_show *s, const struct stage_entry *e)
{
	const struct stage *g = s->stage;
	char id[EXPLAIN_RULE_CAP] = "", at[EXPLAIN_RULE_CAP] = "";
	int r;

	if (g->bundle.rules) {
		explain_rule_id(&g->bundle, e->rule, id, sizeof(id));
		explain_rule_at(&g->bundle, e->rule, at, sizeof(at));
	}
	json_object(j, NULL);
	json_cstr(j, "op", stage_op_word(e->op));
	r = json_name(j, "path", g, e);
	json_object_of(j, "was", e->base ? &e->base->st : NULL);
	json_object_of(j, "is", e->op == STAGE_DELETE ? NULL : &e->now);
	if (r == 0)
		r = json_escaped(j, "target", e->target);
	if (r == 0)
		r = json_name(j, "same_as", g, e->link == STAGE_NO_LINK ? NULL : &s->d->v[e->link]);
	json_bool(j, "attributes", e->attrs);
	json_cstr(j, "state", stage_state_word(e->state));
	json_cstr(j, "why", e->why[0] ? e->why : NULL);
	json_object(j, "rule");
	json_cstr(j, "id", id);
	json_cstr(j, "at", at);
	json_object_end(j);
	if (r == 0)
		r = json_diff(j, s, e);
	json_object_end(j);
	return r;
}

int stage_show_json(FILE *out, const struct stage_show *s)
{
	struct json j;
	const char *text;
	size_t n = 0;
	int r = 0;

	json_init(&j);
	json_object(&j, NULL);
	json_cstr(&j, "id", s->stage->id);
	json_int(&j, "begun", s->stage->rec.begun);
	json_bool(&j, "killed", !s->stage->rec.has_ended);
	r = json_escaped(&j, "command", s->stage->rec.command);
	json_array(&j, "changes");
	for (size_t i = 0; i < s->d->n && r == 0; i++)
		if (s->d->v[i].state != STAGE_SAME)
			r = json_entry(&j, s, &s->d->v[i]);
	json_array_end(&j);
	json_object_end(&j);
	text = r == 0 ? json_finish(&j, &n) : NULL;
	if (text)
		(void)fwrite(text, 1, n, out);
	json_release(&j);
	return text ? 0 : -ENOMEM;
}
