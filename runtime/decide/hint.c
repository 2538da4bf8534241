/*
 * Decides which rule, which other way of writing or which owner to name (hint.h). Whether
 * a rule would be enough was found when the part was decided (cmd_part.would_pass).
 */
#include "runtime/decide/hint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"

/* Longer patterns, and more of them, are no line that anybody reads. */
enum { MAX_PATTERN = 400, MAX_PATTERNS = 6 };

static void say(struct hint *ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct hint *ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(ret->text, sizeof(ret->text), fmt, ap);
	va_end(ap);
	ret->rule = false;
}

/* --- a pattern for the words of a part ------------------------------------------------- */

struct pattern {
	char p[MAX_PATTERN + 8];
	size_t n;
	bool bad; /* there is no such pattern */
};

static void put(struct pattern *t, const char *s, size_t n)
{
	if (t->n + n > MAX_PATTERN) {
		t->bad = true;
		return;
	}
	memcpy(t->p + t->n, s, n);
	t->n += n;
}

/* These mean themselves in a pattern and in a text of the language. */
static bool is_bare(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_./:@=+-,%~^!#&;<>()'", c));
}

/* A literal word. In a pattern a backslash takes the next byte literally, and in a text of
 * the language it is written twice. */
static void put_word(struct pattern *t, const char *p, size_t n)
{
	t->bad |= n == 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < ' ' || c >= 127)
			t->bad = true; /* shown to people: no byte that may look like another */
		else if (is_bare(c) && c != '\'' && !(c == ':' && i + 1 == n))
			put(t, p + i, 1);
		else if (c == '$')
			put(t, "\\$", 2); /* means itself in a pattern */
		else if (c == '"' || c == '\\') {
			put(t, "\\\\\\", 3);
			put(t, p + i, 1);
		} else {
			put(t, "\\\\", 2);
			put(t, p + i, 1);
		}
	}
}

/* The program. A path is taken from the project, and the word from where it runs. */
static void put_program(struct pattern *t, const struct bundle *b, const char *project,
			const struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	const char *slash;
	bool here = p->dirs && !p->dirs->next && !p->dirs_unknown && project &&
		    strcmp(p->dirs->path, project) == 0;

	if (!sh_is_literal(w) || (w->flags & SH_W_LOCALE) || !w->seg.n) {
		t->bad = true;
		return;
	}
	slash = memrchr(w->seg.p, '/', w->seg.n);
	if (slash && cmd_trusted_place(w->seg.p, w->seg.n)) {
		size_t n = (size_t)(w->seg.p + w->seg.n - (slash + 1));

		t->bad |= cmd_pin(b->commands, slash + 1, n) != NULL;
		put_word(t, slash + 1, n);
		return;
	}
	t->bad |= slash && !here;
	put_word(t, w->seg.p, w->seg.n);
}

/* Writes the pattern that matches this command, and others only for its unknown words. */
static void pattern_of(const struct bundle *b, const char *project, const struct cmd_part *p,
		       struct pattern *t)
{
	bool open = p->flags & CMD_APPENDS, was_open = false;

	t->n = 0;
	t->bad = !p->would_pass || p->kind != CMD_COMMAND || !p->nwords;
	if (t->bad)
		return;
	put(t, "\"", 1);
	put_program(t, b, project, p);
	for (uint32_t i = 1; i < p->nwords && !t->bad; i++) {
		const struct sh_word *w = p->words[i].w;
		bool literal = sh_is_literal(w) && !(w->flags & SH_W_LOCALE);

		/* a rule for any code would say more than this line does */
		t->bad |= !literal && (p->flags & CMD_OPAQUE_CODE);
		if (!literal && was_open)
			continue;
		put(t, " ", 1);
		if (literal)
			put_word(t, w->seg.p, w->seg.n);
		else
			put(t, "**", 2);
		was_open = !literal;
	}
	if (open && !was_open)
		put(t, " **", 3);
	put(t, "\"", 1);
	t->p[t->n] = '\0';
}

/* --- other ways to write it ----------------------------------------------------------- */

/* What decided, in the words of the analysis, and what to write instead. */
static const struct way {
	const char *why, *write;
} ways[] = {
	{ "a variable before it changes what runs",
	  "write the line without that variable" },
	{ "a variable that changes what runs is set before it",
	  "write the line without that variable" },
	{ "a variable before it that no table calls safe",
	  "write the line without that variable, or let a policy call it 'safe'" },
	{ "a variable that no table calls safe is exported before it",
	  "write the line without that variable, or let a policy call it 'safe'" },
	{ "the line gives its name another meaning",
	  "write the commands themselves in place of the name" },
	{ "a name stands for a variable that is not known", "write the name out" },
	{ "a variable whose name is not known is set", "write the name out" },
	{ "a value that is read as the words of an array", "write the list as NAME=(…)" },
	{ "values of a variable with -i are arithmetic", "declare it without -i" },
	{ "a word of test may be several, -v and a subscript among them",
	  "put its unknown words in quotes" },
	{ "a command whose name is not known is defined", "write the name out" },
	{ "the text of an alias that is not literal", "write the text out" },
	{ "aliases that stand anywhere in a command",
	  "write the commands themselves in place of the name" },
	{ "an alias in text that the shell may read at any time",
	  "write the commands themselves in place of the name" },
	{ "an alias whose name the shell reads as its own word",
	  "write the commands themselves in place of the name" },
	{ "an alias whose text is a part of what follows it",
	  "write the commands themselves in place of the name" },
	{ "an alias that may have several texts",
	  "write the commands themselves in place of the name" },
	{ "a function whose name is an alias",
	  "write the commands themselves in place of the name" },
	{ "a script that is not known", "write the script's path out" },
	{ "a script that is no literal path", "write the script's path out" },
	{ "a script that is a descriptor", "give it a file of the project" },
	{ "a script that the line may make",
	  "make the file in one line, and run it in another" },
	{ "a file that it runs unasked, which the line may make",
	  "make the file in one line, and run it in another" },
	{ "it evaluates its words as code", "write what it would run as the line itself" },
	{ "arithmetic on a name, whose value may hold code",
	  "let the line itself give the variable a number first (n=0)" },
	{ "a value of this variable is arithmetic, which may run code",
	  "give it a literal number" },
	{ "-v and -R evaluate a subscript of the name", "write the name without a subscript" },
	{ "[[ compares as arithmetic what is no number", "compare texts with =, numbers with -eq" },
	{ "a subscript is arithmetic, which may run code", "write the subscript as a number" },
	{ "a value is expanded as a prompt", "leave the '@P' out" },
	{ "a value is read as a name, which may have a subscript",
	  "use the variable itself instead of ${!…}" },
	{ "code of another language stands in it", "leave the code out: no rule covers it" },
	{ "code of another language comes from its standard input",
	  "write the code into a file of the project, and run that in another line" },
	{ "the command that it runs is not known", "write the command out" },
	{ "code that is not literal", "write the code out, without variables" },
	{ "a shell's code that is not literal", "write the code out, without variables" },
	{ "text that this shell may read in another way than bash does",
	  "run it with bash, or write only plain words" },
	{ "a shell's code from its standard input", "write the commands as the line itself" },
	{ "commands in a shell's input may read or change what follows",
	  "give the shell its text with -c" },
	{ "a shell whose options are not known", "write the shell's options out" },
	{ "a word that is not literal may be an option whose value is code",
	  "write that word out, or put a '--' before it" },
	{ "a word that is not literal may be code of another language", "write that word out" },
	{ "a word that follows may be code of another language",
	  "write the code out, before the words that follow" },
	{ "a command in another file system", "only a rule that allows what enters it covers it" },
	{ "a variable stands for another one", "leave the 'declare -n' out" },
	{ "a name of a command stands for a path", "leave the 'hash -p' out" },
	{ "a name of a command stands for a path that is not literal",
	  "leave the 'hash -p' out" },
	{ "code that is loaded into the shell", "leave the 'enable -f' out" },
	{ "the image's own entry point runs, which is not known", "say --entrypoint" },
	{ "a relative path, in a directory that is not known", "write the path out, from '/' on" },
	{ "a path through a link that the line makes", "make the link in one line, and use it in another" },
	{ "it writes a file whose name is not known", "write the names of the files out" },
	{ "it reads a file whose name is not known", "write the names of the files out" },
};

const char *hint_way(const char *why)
{
	for (size_t i = 0; why && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].why, why) == 0)
			return ways[i].write;
	return NULL;
}

/* --- whose it is ----------------------------------------------------------------------- */

static bool is_managed(unsigned level)
{
	return level == PB_MANAGED || level == PB_MANAGED_FILE;
}

/* The level that has locked the section; 0: none. */
static uint32_t lock_of(const struct bundle *b, uint8_t kind)
{
	return kind < 6 ? b->rules->locked[kind] : 0;
}

bool hint_is_mode_call(const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	const struct pb_rule *mode =
		bundle_rule(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE);

	return r && mode && r->kind == PB_SYSCALL && r->id.len == mode->id.len &&
	       memcmp(pb_strp(b->rules, r->id), pb_strp(b->rules, mode->id), r->id.len) == 0;
}

/* Families of sockets that have no addresses and ports are denied in every mode, by this errno. */
const char *hint_mode_call(unsigned err)
{
	return err == EAFNOSUPPORT ?
		       "the network's mode denies this call, whatever rules allow" :
		       "the network's mode denies this call, whatever rules allow; 'network full' "
		       "does not";
}

/* What stands is a rule, or a scalar: only its owner can change that. */
static void say_owner(const struct bundle *b, uint8_t kind, uint32_t rule, struct hint *ret)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	char id[200];

	explain_rule_id(b, rule, id, sizeof(id));
	if (!r)
		say(ret, "%s", "");
	else if (hint_is_mode_call(b, rule))
		say(ret, "%s", hint_mode_call(r->err));
	else if (r->kind == PB_SCALAR && lock_of(b, kind))
		say(ret, "locked by %s: only a rule there can allow it",
		    explain_level(lock_of(b, kind)));
	else if (r->kind == PB_SCALAR)
		say(ret, "a rule that allows it; without one %s (level %s) decides", id,
		    explain_level(r->level));
	else if (r->flags & PB_F_FLOOR)
		say(ret, "nothing: rule %s is in every policy", id);
	else if (r->level == PB_DEFAULT && r->kind == PB_SYSCALL && !lock_of(b, kind))
		say(ret, "a rule that allows it: it lifts rule %s (level default)", id);
	else if (r->level == PB_DEFAULT)
		say(ret, "rule %s (level default) stands", id);
	else if (is_managed(r->level))
		say(ret, "locked by %s (rule %s)", explain_level(r->level), id);
	else
		say(ret, "change rule %s (level %s), say by an 'except'", id,
		    explain_level(r->level));
}

/* --- a part ------------------------------------------------------------------------------- */

static uint8_t kind_of(const struct cmd_part *p)
{
	return p->kind == CMD_FILE ? PB_FILE : p->kind == CMD_NET ? PB_NET : PB_COMMAND;
}

/* What to write instead, if it is the text that is in the way. */
static const char *other_way(const struct cmd_part *p)
{
	switch ((enum decide_step)p->step) {
	case DECIDE_OPAQUE:
	case DECIDE_UNPARSED:
		return hint_way(p->opaque);
	case DECIDE_NO_TARGET:
		return p->kind == CMD_NET ? "write host and port out" : "write the path out";
	case DECIDE_MAY_DENY:
		return "write the words out that are not known";
	case DECIDE_RULES:
		return p->no_allow ? hint_way(p->no_allow) : NULL;
	case DECIDE_TRANSPARENT:
	case DECIDE_SHELL_CODE:
	case DECIDE_LOST:
	case DECIDE_SPELLS:
	case DECIDE_HIDDEN:
	case DECIDE_HOLDS:
	case DECIDE_READS:
	case DECIDE_MAY_READ:
	case DECIDE_WRITES:
	case DECIDE_MAY_WRITE:
	case DECIDE_TARGET:
	case DECIDE_SANDBOX:
	case DECIDE_STEP_COUNT:
	default:
		return NULL;
	}
}

static bool is_scalar(const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	return r && r->kind == PB_SCALAR;
}

static void say_part(const struct bundle *b, const struct cmd_part *p, struct hint *ret)
{
	const char *way = is_scalar(b, p->rule) ? other_way(p) : NULL;

	if (way)
		say(ret, "%s", way);
	else
		say_owner(b, kind_of(p), explain_named(b, p->rule), ret);
}

/* Adds the pattern of a part to those that are there. false: it has none. */
static bool add_pattern(const struct bundle *b, const char *project, const struct cmd_part *p,
			struct pattern *all, uint32_t *count)
{
	struct pattern one;

	if (lock_of(b, PB_COMMAND))
		return false;
	pattern_of(b, project, p, &one);
	if (one.bad)
		return false;
	/* the quotes make it a whole pattern */
	if (memmem(all->p, all->n, one.p, one.n))
		return true;
	if (++*count > MAX_PATTERNS)
		return false;
	if (all->n)
		put(all, ", ", 2);
	put(all, one.p, one.n);
	return !all->bad;
}

static void say_rule(const struct pattern *all, struct hint *ret)
{
	say(ret, "command { allow %.*s }", (int)all->n, all->p);
	ret->rule = true;
}

void hint_part(const struct bundle *b, const char *project, const struct cmd_part *p,
	       struct hint *ret)
{
	struct pattern all = { .n = 0 };
	uint32_t count = 0;

	say(ret, "%s", "");
	if (p->effect == PB_ALLOW)
		return;
	if (p->effect == PB_ASK && add_pattern(b, project, p, &all, &count))
		say_rule(&all, ret);
	else
		say_part(b, p, ret);
}

/* --- a line ------------------------------------------------------------------------------- */

void hint_line(const struct bundle *b, const char *project, const struct cmd_line *line,
	       const struct decision *d, struct hint *ret)
{
	const struct cmd_part *p, *first = NULL;
	struct pattern all = { .n = 0 };
	uint32_t count = 0;
	bool rules = d->effect == PB_ASK && !line->unparsed && !line->limit;

	say(ret, "%s", "");
	if (d->effect == PB_ALLOW)
		return;
	if (line->limit || (line->unparsed && d->unparsed)) {
		say(ret, "%s", line->limit ? "write it as several shorter lines" :
					     "write it without what cannot be read");
		return;
	}
	for (p = line->first; p; p = p->next) {
		if (p->effect != d->effect)
			continue;
		if (rules && !add_pattern(b, project, p, &all, &count))
			rules = false;
		/* of what is in the way, first what no rule would change */
		if (!first || (first->would_pass && !p->would_pass))
			first = p;
	}
	if (rules && count)
		say_rule(&all, ret);
	else if (first)
		say_part(b, first, ret);
	else
		say_owner(b, PB_COMMAND, d->rule, ret);
}

/* --- anything else ------------------------------------------------------------------------ */

/* The rule for a tool that only `otherwise` asks about.  False: there is none. */
static bool say_tool(const struct bundle *b, const char *name, const struct decision *d,
		     struct hint *ret)
{
	struct pattern one = { .n = 0 };

	if (!name || d->effect != PB_ASK || !is_scalar(b, d->rule) || lock_of(b, PB_TOOL))
		return false;
	put(&one, "\"", 1);
	put_word(&one, name, strlen(name));
	put(&one, "\"", 1);
	if (one.bad)
		return false;
	say(ret, "tools { allow %.*s }", (int)one.n, one.p);
	ret->rule = true;
	return true;
}

/*
 * The rule for a connection that no rule is about.  In `disabled` no rule counts, and only
 * those who chose the mode, or whom it does not bind, can choose another one.
 */
static bool say_connection(const struct bundle *b, const struct hint_subject *s,
			   const struct decision *d, struct hint *ret)
{
	const struct pb_rule *mode =
		bundle_rule(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE);
	bool off = bundle_net_mode(b) == PB_NET_DISABLED;
	const char *quote = s->is_addr ? "" : "\"";
	char at[320] = "";

	if (!s->host || !s->port || !is_scalar(b, d->rule) || lock_of(b, PB_NET))
		return false;
	if (off && (!mode || mode->level < PB_USER)) {
		say(ret, "network disabled (level %s) stands: no rule counts",
		    explain_level(mode ? mode->level : 0));
		return true;
	}
	if (off && mode->level != PB_DEFAULT)
		explain_rule_at(b, b->rules->scalar_first + (uint32_t)PB_S_NET_MODE, at,
				sizeof(at));
	say(ret, "network %s { allow %s %s%s%s port %u }%s%s",
	    bundle_net_mode(b) == PB_NET_FULL ? "full" : "limited", s->udp ? "udp" : "tcp",
	    quote, s->host, quote, s->port, at[0] ? " in place of " : "", at);
	ret->rule = d->effect == PB_ASK;
	return true;
}

void hint_request(const struct bundle *b, const struct hint_subject *s,
		  const struct decision *d, struct hint *ret)
{
	say(ret, "%s", "");
	if (d->effect == PB_ALLOW || (s->kind == PB_TOOL && say_tool(b, s->tool, d, ret)) ||
	    (s->kind == PB_NET && say_connection(b, s, d, ret)))
		return;
	say_owner(b, s->kind, explain_named(b, d->rule), ret);
}
