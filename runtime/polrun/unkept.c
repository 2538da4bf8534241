/* Looks for the names of variables that were dropped, where a command has them from. */
#include "runtime/polrun/unkept.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/env_name.h"
#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/polrun/known_reads.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

enum { SHOWN = 3, MOST_FOUND = 64, MOST_FILES = 16, FILE_MOST = 256 * 1024, NAME_LEAST = 3, NAME_MOST = 80 };

struct search {
	const struct unkept *u;
	const char *found[MOST_FOUND]; /* NAME=VALUE of the caller */
	size_t n;
	size_t files;     /* that were looked into */
	char where[200];  /* the first one that has a name, escaped; "": the command itself */
};

static size_t name_length(const char *var)
{
	return strcspn(var, "=");
}

/* Set outside, and not inside.  A short name stands in any text; OLDPWD each shell sets for itself. */
static bool is_dropped(const struct unkept *u, const char *var)
{
	char name[NAME_MOST + 1];
	size_t n = name_length(var);

	if (n < NAME_LEAST || n > NAME_MOST || var[n] != '=' || !var[n + 1] || strncmp(var, "OLDPWD=", 7) == 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", var[i]))
			return false;
	(void)snprintf(name, sizeof(name), "%.*s", (int)n, var);
	return !envp_get((char *const *)(uintptr_t)u->run->envp, name);
}

static void add(struct search *s, const char *var, const char *where)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->found[i] == var)
			return;
	if (s->n == MOST_FOUND)
		return;
	if (!s->n)
		(void)snprintf(s->where, sizeof(s->where), "%s", where);
	s->found[s->n++] = var;
}

static bool is_of_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/*
 * Does the text have the name as a whole, as a program would write it: behind '$', between quotes, behind a
 * dot?  The name of a credential also in other places: it is no word of a sentence.
 */
static bool has_name(const char *text, size_t len, const char *name, size_t n)
{
	const bool credential = env_name_is_credential(name, n);
	const char *end = text + len;

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), name, n)); p++) {
		const char before = p > text ? p[-1] : '\0', after = p + n < end ? p[n] : '\0';

		if (is_of_name(before) || is_of_name(after))
			continue;
		if (credential || (before && (strchr("$.{", before) || (strchr("\"'`", before) && before == after))))
			return true;
	}
	return false;
}

static void look_in(struct search *s, const char *text, size_t len, const char *where)
{
	for (char *const *v = environ; *v; v++)
		if (is_dropped(s->u, *v) && has_name(text, len, *v, name_length(*v)))
			add(s, *v, where);
}

/* --- files ------------------------------------------------------------------------- */

/* A regular file of the project that the run can read, with no link on its way: what the run has left there
 * leads polrun nowhere else. */
static int open_readable(const struct unkept *u, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(u->view, path);
	const char *project = u->run->ctx.roots.dir[PB_ROOT_PROJECT];
	AUTO_CLOSE int fd = -1;
	struct stat st;
	uint32_t rule;

	if (u->project < 0 || !view_below(path, project) || !n || n->masked || n->scratch || n->source ||
	    !(n->ops & PB_READ) || !view_allows_name(&u->run->ctx, u->view, PB_READ, path, &rule))
		return -1;
	fd = sys_open_beneath(u->project, path + strlen(project) + 1, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
			      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MOST)
		return -1;
	return io_steal_fd(&fd);
}

static void look_in_file(struct search *s, const char *word, size_t len)
{
	AUTO_CLOSE int fd = -1;
	AUTO_FREE char *text = NULL;
	char path[PATH_MAX], where[200];
	size_t n = 0;

	if (!len || word[0] == '-' || memchr(word, '\0', len) || s->files == MOST_FILES ||
	    (size_t)snprintf(path, sizeof(path), "%s/%.*s", word[0] == '/' ? "" : s->u->run->cwd, (int)len,
			     word) >= sizeof(path))
		return;
	place_make_plain(path);
	fd = path[0] ? open_readable(s->u, path) : -1;
	if (fd < 0)
		return;
	s->files++;
	if (io_read_all(fd, FILE_MOST, &text, &n) < 0 || memchr(text, '\0', n))
		return;
	io_escape(where, sizeof(where), word, len);
	look_in(s, text, n, where);
}

/* --- the command ------------------------------------------------------------------- */

/* Variables that the program is known to read. */
static void look_at_known(struct search *s, const struct known_reads *k)
{
	const char *at, *name;
	size_t n;

	for (char *const *v = environ; *v; v++)
		for (at = k->vars; is_dropped(s->u, *v) && known_reads_next(&at, &name, &n);)
			if (name[n - 1] == '*' ? strncmp(*v, name, n - 1) == 0 :
						 n == name_length(*v) && strncmp(*v, name, n) == 0)
				add(s, *v, k->program);
}

static void look_at_part(struct search *s, const struct cmd_part *p)
{
	const struct known_reads *k = known_reads_of(p);

	for (uint32_t i = 0; i < p->nwords; i++) {
		const struct sh_word *w = p->words[i].w;

		/* a program that is found by its name is none of the project */
		if (sh_is_literal(w) && (i || memchr(w->seg.p, '/', w->seg.n)))
			look_in_file(s, w->seg.p, w->seg.n);
	}
	if (k && known_reads_apply(k, p))
		look_at_known(s, k);
	if (k && k->here)
		look_in_file(s, k->here, strlen(k->here));
}

static void guess(struct search *s)
{
	for (char *const *v = environ; *v; v++)
		if (is_dropped(s->u, *v) && env_name_is_credential(*v, name_length(*v)))
			add(s, *v, "");
}

static void names(FILE *out, const struct search *s, const char *last)
{
	const size_t shown = s->n > SHOWN + 1 ? SHOWN : s->n;

	for (size_t i = 0; i < shown; i++)
		fprintf(out, "%s%.*s", !i ? "" : i + 1 == s->n ? last : ", ", (int)name_length(s->found[i]),
			s->found[i]);
	if (shown < s->n)
		fprintf(out, "%s%zu more", last, s->n - shown);
}

void unkept_say(FILE *out, const struct unkept *u)
{
	struct search s = { .u = u };
	const struct entry *e = u->entry;
	bool known;

	if (e->line)
		look_in(&s, e->line, strlen(e->line), "the command");
	for (size_t i = 1; !e->line && i < e->argc; i++)
		look_in(&s, e->argv[i], strlen(e->argv[i]), "the command");
	for (const struct cmd_part *p = e->parts.first; p; p = p->next)
		look_at_part(&s, p);
	known = s.n;
	if (!known && u->guess)
		guess(&s);
	if (!s.n)
		return;
	fputs("polrun: ", out);
	names(out, &s, " and ");
	fprintf(out, " %s set outside and not kept", s.n == 1 ? "is" : "are");
	if (known)
		fprintf(out, ", and %s names %s", s.where, s.n == 1 ? "it" : "them");
	fprintf(out, ": env { keep += %.*s }\n", (int)name_length(s.found[0]), s.found[0]);
}
