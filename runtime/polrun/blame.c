/*
 * Decides what may be the reason of a failure from the words of the command and from the
 * view.  It is only a message: what it cannot find out without opening anything (the
 * target of a link, a word that is not literal) it leaves out.
 */
#include "runtime/polrun/blame.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/known_reads.h"
#include "runtime/polrun/unkept.h"
#include "runtime/sandbox/view_host.h"

enum { MOST = 3, SHOWN = 400, NOT_EXECUTABLE = 126, NOT_FOUND = 127, MOST_HOPS = 8 };

struct told {
	const struct blame *b;
	FILE *out;
	char seen[MOST][PATH_MAX];
	size_t n;
};

/* --- paths ------------------------------------------------------------------------- */

static bool full_path(const struct blame *b, const char *word, size_t len, bool home,
		      char out[PATH_MAX])
{
	const char *dir = home ? b->run->ctx.roots.dir[PB_ROOT_HOME] :
			  word[0] == '/' ? "" : b->run->cwd;

	if (!dir || len >= PATH_MAX || memchr(word, '\0', len) ||
	    (size_t)snprintf(out, PATH_MAX, "%s/%.*s", dir, (int)len, word) >= PATH_MAX)
		return false;
	place_make_plain(out);
	return out[0];
}

/* Exists on the host, and is reached through no link: where one leads is not looked up. */
static bool is_there(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	for (size_t i = 1; path[i - 1]; i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (fstatat(AT_FDCWD, part, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0 ||
		    S_ISLNK(st.st_mode))
			return false;
	}
	return true;
}

/* `path` as a person writes it. */
static const char *shown(const struct blame *b, const char *path, const char *home_as, char out[SHOWN])
{
	const char *home = b->run->ctx.roots.dir[PB_ROOT_HOME];
	const char *project = b->run->ctx.roots.dir[PB_ROOT_PROJECT];
	char text[SHOWN];
	size_t skip = 0;

	if (project && view_below(path, project) && *home_as == '~') {
		io_escape(out, SHOWN, path + strlen(project) + 1, strlen(path + strlen(project) + 1));
		return out;
	}
	if (home && home[1] && view_below(path, home))
		skip = strlen(home);
	io_escape(text, sizeof(text), path + skip, strlen(path + skip));
	(void)snprintf(out, SHOWN, "%s%.*s", skip ? home_as : "", (int)(SHOWN - 10), text);
	return out;
}

/* --- words ------------------------------------------------------------------------- */

/* True for what the view made to hold something else: it is there, and can be listed. */
static bool holds_something(const struct sandbox_view *v, const char *path)
{
	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].absent && !v->nodes[i].noted && view_below(v->nodes[i].path, path))
			return true;
	return false;
}

static bool shows_nothing(const struct blame *b, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(b->view, path);

	if (view_is_system(path))
		return false;
	if (n && n->masked)
		return true;
	if (n && !n->scratch && (n->ops & PB_READ))
		return false;
	return !holds_something(b->view, path) && !(n && strcmp(n->path, path) == 0);
}

/* Does the run see that the host has something there?  In a tree of its own a hidden name is made whether it
 * exists or not. */
static bool is_seen(const struct blame *b, const struct sandbox_node *n)
{
	char dir[PATH_MAX];
	const struct sandbox_node *up;

	if (!n || !n->masked || n->noted)
		return false;
	(void)snprintf(dir, sizeof(dir), "%s", n->path);
	*strrchr(dir, '/') = '\0';
	up = dir[0] ? sandbox_view_find(b->view, dir) : NULL;
	return !up || !up->scratch;
}

/* How the command comes to a path. */
struct about {
	const char *ops;    /* what it needs there */
	const char *link;   /* a link that leads there; NULL */
	const char *reader; /* a program that reads it; NULL */
};

/* A rule of the library, which any allow of a policy lifts; the floor is lifted by none. */
static bool is_default(const struct blame *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b->run->bundle, rule);

	return r && r->level == PB_DEFAULT && !(r->flags & PB_F_FLOOR);
}

/*
 * A name that somebody's rule hides is told only where the run sees the name anyway: that it exists
 * is nobody's business else.  What the library hides is a list that everybody can read.
 */
static void tell(struct told *t, const char *path, const struct about *a)
{
	const struct blame *b = t->b;
	const struct sandbox_node *n = sandbox_view_find(b->view, path);
	char text[SHOWN], rule[EXPLAIN_RULE_CAP];
	struct decision d;
	uint32_t by;

	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->seen[i], path) == 0)
			return;
	decide_file(&b->run->ctx, PB_READ, path, &d);
	if (d.effect == PB_HIDE && !is_seen(b, n) && !(n && n->scratch && is_default(b, d.rule)))
		return;
	by = d.effect != PB_ALLOW ? d.rule : n ? n->rule[0] : d.rule;
	(void)snprintf(t->seen[t->n++], PATH_MAX, "%s", path);
	fputs("polrun: ", t->out);
	if (a->link)
		fprintf(t->out, "%s is a link to ", shown(b, a->link, "~", text));
	fprintf(t->out, "%s%s ", shown(b, path, "~", text), a->link ? ", which" : "");
	if (a->reader)
		fprintf(t->out, "(%s reads it) ", a->reader);
	if (n && n->masked)
		fprintf(t->out, "cannot be read in the sandbox: %s", explain_rule(b->run->bundle, by, rule));
	else if (n && n->scratch)
		fprintf(t->out, "exists outside of the sandbox, where %s is private and empty: %s",
			strcmp(n->path, b->run->ctx.roots.dir[PB_ROOT_HOME]) == 0 ? "HOME" : n->path,
			explain_rule(b->run->bundle, by, rule));
	else if (d.effect == PB_ALLOW && is_default(b, d.rule) && view_below(path, "/run"))
		/* view_want.c, add_resolv_conf() */
		fprintf(t->out, "exists outside of the sandbox, and is shown with network full only, if root or a service owns it: %s",
			explain_rule(b->run->bundle, by, rule));
	else
		fprintf(t->out, "exists outside of the sandbox, and no rule shows it inside: %s",
			explain_rule(b->run->bundle, by, rule));
	if (((b->verbose || a->link || a->reader) && d.effect != PB_HIDE) ||
	    (d.effect == PB_HIDE && is_default(b, d.rule)))
		fprintf(t->out, "; to let it pass: allow %s \"%s\"", a->ops, shown(b, path, "${HOME}", text));
	fputc('\n', t->out);
}

/*
 * Where the links lead that `path` ends with, as their texts say it; the run sees those.  False: it is
 * none, or there is one on the way, or too many.
 */
static bool follow(const char *path, char out[PATH_MAX])
{
	char text[PATH_MAX], dir[PATH_MAX];
	ssize_t n;

	(void)snprintf(out, PATH_MAX, "%s", path);
	for (int hops = 0; hops < MOST_HOPS; hops++) {
		(void)snprintf(dir, sizeof(dir), "%s", out);
		*strrchr(dir, '/') = '\0';
		n = dir[0] && !is_there(dir) ? -1 : readlinkat(AT_FDCWD, out, text, sizeof(text) - 1);
		if (n < 0)
			return hops && is_there(out);
		text[n] = '\0';
		if ((size_t)snprintf(out, PATH_MAX, "%s/%s", text[0] == '/' ? "" : dir, text) >= PATH_MAX)
			return false;
		place_make_plain(out);
		if (!out[0])
			return false;
	}
	return false;
}

static void look_at_path(struct told *t, const char *path, const char *ops)
{
	char target[PATH_MAX];

	if (shows_nothing(t->b, path) && is_there(path))
		tell(t, path, &(const struct about){ .ops = ops });
	else if (!shows_nothing(t->b, path) && !sandbox_has_text(t->b->run, path) && follow(path, target) && shows_nothing(t->b, target))
		tell(t, target, &(const struct about){ .link = path, .ops = ops });
}

static void look_at(struct told *t, const char *word, size_t len, bool home, const char *ops)
{
	const char *eq = len && word[0] == '-' ? memchr(word, '=', len) : NULL;
	char path[PATH_MAX];

	if (eq) {
		len -= (size_t)(eq + 1 - word);
		word = eq + 1;
	}
	if (!len || t->n >= MOST || word[0] == '-' || !full_path(t->b, word, len, home, path))
		return;
	look_at_path(t, path, ops);
}

/* A literal word, or one that is literal but for HOME at its beginning. */
static void look_at_word(struct told *t, const struct sh_word *w, const char *ops)
{
	const struct sh_seg *s = &w->seg;
	bool home = s->kind == SH_HOME || (s->kind != SH_LIT && s->kind != SH_GLOB && s->p &&
					   s->n == 4 && memcmp(s->p, "HOME", 4) == 0);

	if (home)
		s = s->next;
	if (s && s->kind == SH_LIT && !s->next)
		look_at(t, s->p, s->n, home, ops);
}

static void look_at_words(struct told *t)
{
	const struct entry *e = t->b->entry;

	for (size_t i = 1; !e->line && i < e->argc; i++)
		look_at(t, e->argv[i], strlen(e->argv[i]), false, "read");
	for (const struct cmd_part *p = e->parts.first; p; p = p->next) {
		if (p->path && p->path_n)
			look_at(t, p->path, p->path_n, p->home_path, "read");
		for (uint32_t i = 1; i < p->nwords; i++)
			look_at_word(t, p->words[i].w, "read");
	}
}

/* Where the program finds what is below HOME: the folder of settings may be another one, if the run has the variable. */
static bool settings_path(const struct blame *b, const char *name, size_t n, char out[PATH_MAX])
{
	static const char usual[] = ".config/";
	const size_t skip = sizeof(usual) - 1;
	const char *xdg = n > skip && memcmp(name, usual, skip) == 0 ?
				  envp_get((char *const *)(uintptr_t)b->run->envp, "XDG_CONFIG_HOME") : NULL;
	const bool moved = xdg && xdg[0] == '/';
	const char *dir = moved ? xdg : b->run->ctx.roots.dir[PB_ROOT_HOME];

	if (!dir || (size_t)snprintf(out, PATH_MAX, "%s/%.*s", dir, (int)(moved ? n - skip : n),
				     moved ? name + skip : name) >= PATH_MAX)
		return false;
	place_make_plain(out);
	return out[0];
}

/* What the program has fetched before would do, but it needs more than to read it. */
static void look_at_cache(const struct told *t, const struct known_reads *k)
{
	const struct known_cache *cache = known_cache_of(k);
	const struct blame *b = t->b;
	const struct sandbox_node *n;
	char path[PATH_MAX], text[SHOWN];

	if (!cache || bundle_net_mode(b->run->bundle) != PB_NET_DISABLED ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", b->run->ctx.roots.dir[PB_ROOT_HOME], cache->path) >= sizeof(path))
		return;
	n = sandbox_view_find(b->view, path);
	if (!is_there(path) || (n && !n->masked && !n->scratch && (n->ops & PB_WRITE)))
		return;
	fprintf(t->out, "polrun: %s (%s writes in it whenever it reads it) cannot be written in the sandbox: use %s\n",
		shown(b, path, "~", text), k->program, cache->policy);
}

/* Settings and caches in HOME that the command's programs are known to read. */
static void look_at_settings(struct told *t)
{
	const char *home = t->b->run->ctx.roots.dir[PB_ROOT_HOME];

	for (const struct cmd_part *p = t->b->entry->parts.first; home && p; p = p->next) {
		const struct known_reads *k = known_reads_of(p);
		const char *at, *name;
		char path[PATH_MAX];
		struct stat st;
		size_t n;

		if (!k || !known_reads_apply(k, p))
			continue;
		look_at_cache(t, k);
		/* what would be fetched cannot be fetched with them either */
		if (k->fetching && t->b->offline)
			continue;
		for (at = k->files; t->n < MOST && known_reads_next(&at, &name, &n);)
			if (settings_path(t->b, name, n, path) && lstat(path, &st) == 0 && shows_nothing(t->b, path))
				tell(t, path, &(const struct about){ .ops = "read", .reader = k->program });
	}
}

/* A program that a shell did not find, and that exists outside, or leads out of what is shown. */
static void look_at_program(struct told *t, const char *name, size_t len)
{
	const char *path = envp_path((char *const *)(uintptr_t)t->b->run->envp);
	char at[PATH_MAX];
	const size_t before = t->n;

	for (; *path && t->n == before; path += strcspn(path, ":"), path += *path == ':') {
		const size_t n = strcspn(path, ":");

		if (path[0] == '/' && (size_t)snprintf(at, sizeof(at), "%.*s/%.*s", (int)n, path, (int)len,
						       name) < sizeof(at))
			look_at_path(t, at, "read, exec");
	}
}

static void look_at_programs(struct told *t)
{
	if (t->b->exit_code != NOT_EXECUTABLE && t->b->exit_code != NOT_FOUND)
		return;
	for (const struct cmd_part *p = t->b->entry->parts.first; p && t->n < MOST; p = p->next) {
		const struct sh_word *w = p->nwords ? p->words[0].w : NULL;

		if (w && sh_is_literal(w) && w->seg.n && !memchr(w->seg.p, '/', w->seg.n))
			look_at_program(t, w->seg.p, w->seg.n);
		else if (w)
			look_at_word(t, w, "read, exec");
	}
}

/* --- the view ---------------------------------------------------------------------- */

static void look_at_exec(const struct blame *b, FILE *out)
{
	const char *project = b->run->ctx.roots.dir[PB_ROOT_PROJECT];
	const struct sandbox_node *n = sandbox_view_find(b->view, project);
	char rule[EXPLAIN_RULE_CAP];

	if (b->exit_code != NOT_EXECUTABLE || !n || (n->ops & PB_EXEC))
		return;
	for (size_t i = 0; i < b->view->n; i++)
		if (view_below(b->view->nodes[i].path, project) && (b->view->nodes[i].ops & PB_EXEC))
			return;
	fprintf(out, "polrun: no program of the project may be executed: %s",
		explain_rule(b->run->bundle, n->rule[2], rule));
	if (b->verbose)
		fputs("; to let it pass: allow exec \"${PROJECT_DIR}\"", out);
	fputc('\n', out);
}

/* A rule that somebody wrote keeps this existing name of the project from the run. */
static bool is_kept(const struct blame *b, const struct sandbox_node *n, uint32_t *ret_rule)
{
	const struct pb_rule *r;

	*ret_rule = n->rule[n->masked ? 0 : 1];
	r = bundle_rule(b->run->bundle, *ret_rule);
	return !n->noted && !n->absent && !n->locked && !n->source && !n->scratch &&
	       (n->masked || !(n->ops & PB_WRITE)) && r && r->level != PB_DEFAULT &&
	       r->kind == PB_FILE && r->effect != PB_ALLOW &&
	       view_below(n->path, b->run->ctx.roots.dir[PB_ROOT_PROJECT]);
}

/* These use the status 1 as an answer. */
static const char *const answers[] = {
	"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "diff", "cmp", "comm", "test", "[",
	"[[", "expr", "pgrep", "pidof", "which", "command", "type", "hash", "let", "false", "git",
};

static bool is_answer(const struct blame *b)
{
	if (b->exit_code != 1)
		return false;
	for (const struct cmd_part *p = b->entry->parts.first; p; p = p->next) {
		const struct sh_word *w = p->nwords ? p->words[0].w : NULL;

		for (size_t i = 0; w && sh_is_literal(w) && i < sizeof(answers) / sizeof(answers[0]); i++)
			if (strlen(answers[i]) == w->seg.n &&
			    memcmp(answers[i], w->seg.p, w->seg.n) == 0)
				return true;
	}
	return false;
}

/* A read of a protected name leaves no trace, so this is a guess, for a person only: an
 * agent would get it after each command that fails. */
static void look_at_kept(const struct blame *b, FILE *out)
{
	char text[SHOWN], rule[EXPLAIN_RULE_CAP];
	size_t n = 0, more = 0;
	uint32_t by;

	if (is_answer(b) || !(b->terminal || b->verbose))
		return;
	for (size_t i = 0; i < b->view->n; i++) {
		const struct sandbox_node *k = &b->view->nodes[i];

		if (!is_kept(b, k, &by))
			continue;
		if (n++ >= 2) {
			more++;
			continue;
		}
		fprintf(out, "%s%s cannot be %s (%s)", n == 1 ? "polrun: here " : ", ",
			shown(b, k->path, "~", text), k->masked ? "read" : "written",
			explain_rule(b->run->bundle, by, rule));
	}
	if (more)
		fprintf(out, " and %zu more", more);
	if (n)
		fputs(": --explain-denials says whether that was the reason\n", out);
}

void blame_say(FILE *out, const struct blame *b)
{
	struct told t = { .b = b, .out = out };
	const struct unkept u = { .run = b->run, .view = b->view, .entry = b->entry, .project = b->project,
				  .guess = b->terminal || b->verbose || b->recorded };

	if (!b->recorded) {
		look_at_words(&t);
		if (!is_answer(b))
			look_at_settings(&t);
		look_at_programs(&t);
		look_at_exec(b, out);
	}
	if (!is_answer(b))
		unkept_say(out, &u);
	if (!t.n && !b->recorded)
		look_at_kept(b, out);
}
