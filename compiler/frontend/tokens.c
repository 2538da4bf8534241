/*
 * Hands tokens to the parser.  Keeps track of brackets, ends faulty statements and
 * skips unknown blocks, so that one fault makes only one message.  Stops at the limits.
 */
#include "compiler/frontend/parser.h"
#include "policy.tab.h"

static struct str text_of(const struct dsl_parser *p, struct span at)
{
	return (struct str){p->text.p + at.off, at.len};
}

static int scan(struct dsl_parser *p, union POL_STYPE *val, struct span *at)
{
	int kind = pol_scan(val, at, p->scanner);

	if (kind == END) /* right after the last token, where a '}' is missing */
		*at = (struct span){p->file, p->last.at.off + p->last.at.len, 0};
	return kind;
}

/*
 * Skips the block whose '{' was just read.  Returns a ';' in its place, which tells
 * the parser that the statement ends there.
 */
static int skip_block(struct dsl_parser *p, union POL_STYPE *val, struct span *at)
{
	unsigned depth = 1;
	int kind;

	do {
		kind = scan(p, val, at);
		if (kind == '{')
			depth++;
		else if (kind == '}')
			depth--;
	} while (depth && kind != END);
	return kind == END ? END : ';';
}

static void close_bracket(struct dsl_parser *p, char opener)
{
	unsigned n = p->nopen;

	p->unmatched = true;
	if (opener == '{') /* a '[' or '(' inside the block ends with it */
		while (n && p->open[n - 1].kind != '{')
			n--;
	if (!n || p->open[n - 1].kind != opener)
		return;
	p->nopen = n - 1;
	p->unmatched = false;
}

static void note_bracket(struct dsl_parser *p, int kind, struct span at)
{
	p->unmatched = false;
	if (kind == '}')
		close_bracket(p, '{');
	else if (kind == ']')
		close_bracket(p, '[');
	else if (kind == ')')
		close_bracket(p, '(');
	if (kind != '{' && kind != '[' && kind != '(')
		return;
	if (p->nopen == AST_MAX_NESTING) {
		diag_add(p->sink, DIAG_TOO_DEEP, at,
			 "more than %d brackets are open here", AST_MAX_NESTING);
		p->stop = true;
		return;
	}
	p->open[p->nopen++] = (struct dsl_bracket){(char)kind, at, p->last};
}

bool dsl_begins_line(const struct dsl_parser *p, struct span at)
{
	for (uint32_t i = at.off; i > 0; i--) {
		char c = p->text.p[i - 1];

		if (c == '\n')
			return true;
		if (c != ' ' && c != '\t' && c != '\r')
			return false;
	}
	return true;
}

/* How far the byte is from the begin of its line; only white space stands between. */
static uint32_t indent_of(const struct dsl_parser *p, uint32_t off)
{
	uint32_t i = off;

	while (i > 0 && p->text.p[i - 1] != '\n')
		i--;
	return off - i;
}

struct ast_stmt *dsl_net_rule(struct dsl_parser *p, struct ast_stmt *rule)
{
	for (const struct ast_option *o = rule->options; o; o = o->next) {
		struct diag *d;

		/* on a line of its own, and no further in than the rule */
		if (o->kind != AST_O_VIA || !dsl_begins_line(p, o->at) ||
		    !dsl_begins_line(p, rule->at) ||
		    indent_of(p, o->at.off) > indent_of(p, rule->at.off))
			continue;
		d = diag_add(p->sink, DIAG_VIA_PLACE, o->at,
			     "'via' belongs to the rule before it, and looks as if it were "
			     "for the section");
		diag_note(p->sink, d, rule->at, "the rule is here");
		diag_help(p->sink, d, "for the section, write it first or with a ';' before "
			  "it; for the rule, indent it");
	}
	return rule;
}

/* `allow publish` is `publish`. */
struct ast_stmt *dsl_publish(struct dsl_parser *p, bool final, enum ast_effect effect, struct ast_stmt *s)
{
	if (effect == AST_ALLOW)
		s->kind = AST_PUBLISH;
	else if (effect != AST_DENY)
		diag_add(p->sink, DIAG_OPTION, s->at, "a policy publishes a port or denies it: there is no 'ask publish'");
	if (final)
		diag_add(p->sink, DIAG_OPTION, s->at,
			 "'final' says nothing here: 'deny publish' wins over every 'publish'");
	return s;
}

static bool begins_statement(int kind)
{
#define TOP true
#define STMT true
#define EFFECT true
#define OPT false
#define WORD false
	static const struct {
		int token;
		bool begins;
	} keywords[] = {
#define KW(token, spelling, class, group, doc) {token, group},
#include "grammar/keywords.def"
#undef KW
	};
#undef TOP
#undef STMT
#undef EFFECT
#undef OPT
#undef WORD

	if (kind == NAME)
		return true;
	for (size_t i = 0; i < POL_LEN(keywords); i++)
		if (keywords[i].token == kind)
			return keywords[i].begins;
	return false;
}

/*
 * After a faulty statement: does this token begin the next one?  It must begin a line,
 * and the line above must not go on (after ',' or '=').
 */
static bool is_next_statement(struct dsl_parser *p, int kind, struct span at)
{
	if (!p->sync || p->nopen > p->sync_open || !begins_statement(kind) ||
	    p->last.kind == ',' || p->last.kind == '=')
		return false;
	return dsl_begins_line(p, at);
}

void dsl_expect_next(struct dsl_parser *p)
{
	p->sync = true;
	p->sync_open = p->nopen;
	/* If an opening bracket is itself the fault, it is not around the statement. */
	if (p->nopen && p->open[p->nopen - 1].at.off == p->last.at.off)
		p->sync_open--;
}

/*
 * Before the token that waits in replay[0]: closes the open lists, then ends the
 * statement.  0: nothing is left to do.
 */
static int close_lists(struct dsl_parser *p, struct span *at)
{
	char open = p->nopen ? p->open[p->nopen - 1].kind : '{';
	bool ending = p->ending;

	*at = (struct span){p->file, p->replay[0].at.off, 0};
	if (open != '{') {
		p->nopen--;
		return open == '[' ? ']' : ')';
	}
	p->closing = p->ending = false;
	return ending ? ';' : 0;
}

/*
 * Does a '}' stand where a '[' or '(' is open?  Reports it, unless a fault inside
 * that list has been reported.
 */
static bool is_list_open(struct dsl_parser *p, int kind, struct span at)
{
	const struct dsl_bracket *open;
	struct diag *d;

	if (kind != '}' || !p->nopen)
		return false;
	open = &p->open[p->nopen - 1];
	if (open->kind == '{')
		return false;
	if (p->faulty.file != at.file || p->faulty.off < open->at.off) {
		d = diag_add(p->sink, DIAG_UNCLOSED_BLOCK, at,
			     "unexpected '}', a closing '%c' is missing before it",
			     open->kind == '[' ? ']' : ')');
		p->faulty = at;
		diag_note(p->sink, d, open->at, "opened here");
	}
	return true;
}

/* Makes `kind` wait until all open lists are closed. */
static int wait(struct dsl_parser *p, int kind, struct span *at, bool ending)
{
	p->replay[0] = (struct dsl_token){kind, *at, text_of(p, *at), !ending};
	p->nreplay = 1;
	p->closing = true;
	p->ending = ending;
	return close_lists(p, at);
}

static int next_token(struct dsl_parser *p, union POL_STYPE *val, struct span *at)
{
	int kind = p->start;

	if (kind) {
		p->start = 0;
		*at = (struct span){p->file, p->off, 0};
		return kind;
	}
	if (p->closing && (kind = close_lists(p, at)) != 0)
		return kind;
	if (p->nreplay) {
		struct dsl_token t = p->replay[0];

		p->replay[0] = p->replay[--p->nreplay];
		*at = t.at;
		val->s = t.text;
		if (t.is_new)
			note_bracket(p, t.kind, t.at);
		return t.kind;
	}
	kind = scan(p, val, at);
	if (p->skip_block && dsl_is_new_line(p, p->last.at.off, at->off))
		p->skip_block = false;
	if (kind == '{' && p->skip_block) {
		p->skip_block = false;
		return skip_block(p, val, at);
	}
	if (is_next_statement(p, kind, *at)) {
		p->sync = false;
		return wait(p, kind, at, true);
	}
	if (is_list_open(p, kind, *at))
		return wait(p, kind, at, false);
	note_bracket(p, kind, *at);
	return kind;
}

int pol_lex(union POL_STYPE *val, struct span *at, struct dsl_parser *p)
{
	int kind = next_token(p, val, at);

	if (p->b.full || p->sink->errors > p->sink->limit)
		p->stop = true;
	if (p->stop) {
		*at = (struct span){p->file, at->off, 0};
		return END;
	}
	p->before = p->last;
	p->last = (struct dsl_token){kind, *at, text_of(p, *at), false};
	if (kind == POL_error)
		dsl_expect_next(p);
	return kind;
}
