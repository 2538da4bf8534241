/*
 * Commands that change how bash reads the following text: `set` and `shopt`. extglob is
 * followed. Any other option that changes the grammar makes the line unparsed, wherever
 * the command stands and whether it runs or not.
 */
#include "runtime/line/shell/option.h"

#include "runtime/line/shell/production.h"

static bool is_one(const struct sh_word *w, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == w->seg.n && memcmp(*list, w->seg.p, w->seg.n) == 0)
			return true;
	return false;
}

static bool is_word(const struct sh_word *w, const char *z)
{
	return is_one(w, (const char *const[]){ z, NULL });
}

/* Names for `set -o` that leave the grammar unchanged. */
static const char *const set_names[] = {
	"allexport", "errexit", "errtrace", "functrace", "hashall", "ignoreeof", "monitor",
	"noclobber", "noexec", "noglob", "nolog", "notify", "nounset", "onecmd",
	"physical", "pipefail", "privileged", "verbose", "vi", "emacs", "xtrace",
	"interactive-comments", NULL
};

/* Names for shopt that change the grammar. */
static const char *const shopt_names[] = {
	"interactive_comments", "extquote", "compat31", "compat32", "compat40", "compat41",
	"compat42", "compat43", "compat44", "syslog_history", NULL
};

static bool set_harmless(const struct sh_word *w)
{
	for (w = w->next; w; w = w->next) {
		uint32_t i;

		/* there are no options after the first operand */
		if (w->seg.kind == SH_LIT && w->seg.n && w->seg.p[0] != '-' &&
		    w->seg.p[0] != '+')
			return true;
		if (!sh_is_literal(w))
			return false;
		if (!w->seg.n || is_word(w, "--") || is_word(w, "-"))
			return true;
		for (i = 1; i < w->seg.n; i++)
			if (!strchr("abefhmnptuvxCEPT", w->seg.p[i]) && w->seg.p[i] != 'o')
				return false;
		if (!memchr(w->seg.p, 'o', w->seg.n))
			continue;
		if (!w->next)
			return true;
		w = w->next;
		if (!sh_is_literal(w) || !is_one(w, set_names))
			return false;
	}
	return true;
}

static bool shopt_harmless(struct shell *s, const struct sh_word *w)
{
	bool on = false, other = false, extglob = false;

	for (w = w->next; w; w = w->next) {
		if (!sh_is_literal(w))
			return false;
		if (w->seg.n && w->seg.p[0] == '-') {
			on |= memchr(w->seg.p, 's', w->seg.n) != NULL;
			other |= memchr(w->seg.p, 'o', w->seg.n) != NULL;
		} else if (other ? !is_one(w, set_names) : is_one(w, shopt_names)) {
			return false;
		} else {
			extglob |= is_word(w, "extglob");
		}
	}
	if (extglob)
		s->extglob_next = on && !SHELL_OFF(OPTION_EXTGLOB);
	return true;
}

void shell_options(struct shell *s, const struct sh_cmd *c)
{
	const struct sh_word *w = c->words;

	if (s->posix || s->quiet || !w || !w->seg.n || !strchr("bcs", w->seg.p[0]))
		return;
	while (w && sh_is_literal(w) &&
	       (is_word(w, "builtin") || is_word(w, "command") || is_word(w, "-p") ||
		is_word(w, "--")))
		w = w->next;
	if (!w || !sh_is_literal(w))
		return;
	if (is_word(w, "set") && !set_harmless(w))
		shell_fail(s, s->p, "a 'set' that changes how bash reads");
	else if (is_word(w, "shopt") && !shopt_harmless(s, w))
		shell_fail(s, s->p, "a 'shopt' that changes how bash reads");
}
