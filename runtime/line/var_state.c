/* What is known of each name at one place of the line, and how that changes. */
#include "runtime/line/shell/production.h"
#include "runtime/line/var_run.h"

/* The shell sets these itself, reads them for itself, or does not let them be set. */
static const char *const special[] = {
	"_",          "ARGC",
	"ARGV",       "ATTY",
	"CDPATH",     "COLUMNS",
	"DIRSTACK",   "EGID",
	"ENV",        "ERRNO",
	"EUID",       "FIGNORE",
	"FPATH",      "FUNCNAME",
	"FUNCNEST",   "GID",
	"GLOBIGNORE", "GROUPS",
	"HOME",       "IFS",
	"LANG",       "LANGUAGE",
	"LINENO",     "LINES",
	"MAIL",       "MAILPATH",
	"MAPFILE",    "OLDPWD",
	"OPTARG",     "OPTERR",
	"OPTIND",     "PATH",
	"PIPESTATUS", "POSIXLY_CORRECT",
	"PPID",       "PS0",
	"PS1",        "PS2",
	"PS3",        "PS4",
	"PWD",        "RANDOM",
	"REPLY",      "SECONDS",
	"SHELLOPTS",  "SHLVL",
	"SRANDOM",    "TERM",
	"TIMEFORMAT", "TMOUT",
	"UID",        "USERNAME",
	"argv",       "auto_resume",
	"histchars",  "path",
	"status",
};
static const char *const families[] = { "BASH", "COMP_", "COPROC",    "EPOCH", "HIST",
					"KSH_", "LC_",   "READLINE_", "ZSH_" };

bool var_is_special(const struct sh_var *v)
{
	size_t i;

	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (strlen(special[i]) == v->name_n &&
		    memcmp(special[i], v->name, v->name_n) == 0)
			return true;
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strlen(families[i]) <= v->name_n &&
		    memcmp(families[i], v->name, strlen(families[i])) == 0)
			return true;
	return false;
}

void var_name_set(struct var_run *r, const char *name, size_t n)
{
	/* `set -x` expands PS4, which may set variables. The others are read-only, or
	 * end functions: bash goes on with the next line of the text then, and what
	 * follows in this one does not run. */
	static const char *const ends[] = { "PS4",           "UID",       "EUID",
					    "PPID",          "SHELLOPTS", "BASHOPTS",
					    "BASH_VERSINFO", "FUNCNEST" };

	if (n == 3 && memcmp(name, "IFS", 3) == 0 && !r->splits && !SHELL_OFF(VAR_IFS))
		r->splits = r->changed = true;
	/* BASH_ALIASES has the aliases */
	r->lost |= n > 4 && memcmp(name, "BASH", 4) == 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !SHELL_OFF(VAR_ENDS);
	     i++)
		r->lost |= strlen(ends[i]) == n && memcmp(ends[i], name, n) == 0;
}

void var_lost(struct var_run *r)
{
	if (SHELL_OFF(VAR_LOST))
		return;
	r->now.lost = true;
	r->changed |= !r->strange;
	r->strange = true;
	if (r->functions)
		r->lost = true;
}

void var_kill(struct var_run *r, const char *name, size_t n)
{
	uint32_t var = sh_var_find(r->sh, name, n);

	var_name_set(r, name, n);
	if (!var || r->dead & var_bit(var) || SHELL_OFF(VAR_KILL))
		return;
	r->dead |= var_bit(var);
	r->changed = true;
}

void var_kill_positional(struct var_run *r)
{
	static const char digits[] = "0123456789";

	for (size_t i = 0; digits[i] && !SHELL_OFF(VAR_POSITIONAL); i++)
		var_kill(r, digits + i, 1);
}

void var_assign(struct var_run *r, const char *name, size_t n, uint16_t may, bool maybe)
{
	uint32_t var = sh_var_find(r->sh, name, n);
	uint16_t *now, *all;

	/* before a command it is gone after it, or it never splits */
	if (!maybe)
		var_name_set(r, name, n);
	if (!var)
		return;
	now = &r->now.may[var - 1];
	all = &r->all[var - 1];
	if (!maybe)
		*now = may;
	else if (!SHELL_OFF(VAR_PREFIX))
		*now |= may;
	if (may & ~*all) {
		*all |= may;
		r->moved |= var_bit(var);
		r->changed = true;
	}
	if (r->loop && !(r->loop->sets & var_bit(var))) {
		r->loop->sets |= var_bit(var);
		r->changed = true;
	}
	if (r->functions && !(r->any_time & var_bit(var)) && !SHELL_OFF(VAR_ANY_TIME)) {
		r->any_time |= var_bit(var);
		r->changed = true;
	}
}

uint16_t var_read(const struct var_run *r, uint32_t var)
{
	uint16_t m = r->now.may[var - 1];

	if (r->lost || r->now.lost || r->dead & var_bit(var) || m & VAR_UNKNOWN)
		return VAR_UNKNOWN;
	if (r->any_time & var_bit(var))
		m |= r->all[var - 1];
	return m;
}
