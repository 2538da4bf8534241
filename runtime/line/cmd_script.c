/* The files that a command runs as scripts: their last component, if it is known. */
#include <ctype.h>

#include "runtime/line/cmd_script.h"
#include "runtime/line/cmd_text.h"

/* The last component of a path and the one before it, without "." and empty ones. */
static void last_two(const char *p, size_t n, const char **ret_last, size_t *ret_n,
		     const char **ret_before, size_t *ret_before_n)
{
	const char *end = p + n;

	*ret_last = *ret_before = "";
	*ret_n = *ret_before_n = 0;
	while (p < end) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		size_t k = (size_t)((slash ? slash : end) - p);

		if (k && !(k == 1 && p[0] == '.')) {
			*ret_before = *ret_last;
			*ret_before_n = *ret_n;
			*ret_last = p;
			*ret_n = k;
		}
		p += k + (slash != NULL);
	}
}

static bool ends(const struct cmd_part *p, const char *tail)
{
	const struct cmd_dir *d;

	for (d = p->dirs; d; d = d->next) {
		size_t n = strlen(d->path), k = strlen(tail);

		if (n >= k && memcmp(d->path + n - k, tail, k) == 0)
			return true;
	}
	return false;
}

/* Does the path name a descriptor: /dev/stdin, /dev/fd/N, /proc/…/fd/N, or such a name
 * relative to its own directory? */
static bool is_descriptor(const struct cmd_part *part, const char *p, size_t n)
{
	const char *last, *before;
	size_t k, b, i;

	last_two(p, n, &last, &k, &before, &b);
	if (k == 5 && memcmp(last, "stdin", 5) == 0)
		return b ? b == 3 && memcmp(before, "dev", 3) == 0 : ends(part, "/dev");
	for (i = 0; i < k; i++)
		if (!isdigit((unsigned char)last[i]))
			return false;
	if (!k)
		return false;
	return b ? b == 2 && memcmp(before, "fd", 2) == 0 : ends(part, "/fd");
}

static bool add_run_file(struct cmd_an *a, struct cmd_part *p, const char *name, uint32_t n,
			 bool unasked)
{
	struct cmd_run_file *f = cmd_alloc(a, sizeof(*f));

	if (!f)
		return false;
	*f = (struct cmd_run_file){
		.next = cmd_node(p)->scripts, .p = name, .n = n, .unasked = unasked
	};
	cmd_node(p)->scripts = f;
	a->scripts = true;
	return true;
}

void cmd_script(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w)
{
	const struct sh_seg *g = &w->seg;
	const char *base;
	size_t k;

	if (g->kind == SH_HOME && g->next && g->next->kind == SH_LIT)
		g = g->next;
	if (g->kind != SH_LIT || g->next) {
		cmd_opaque(p, "a script that is no literal path");
		return;
	}
	if (is_descriptor(p, g->p, g->n)) {
		cmd_opaque(p, "a script that is a descriptor");
		return;
	}
	last_two(g->p, g->n, &base, &k, &(const char *){ NULL }, &(size_t){ 0 });
	(void)add_run_file(a, p, base, (uint32_t)k, false); /* fails past a limit */
}

bool cmd_script_unasked(struct cmd_an *a, struct cmd_part *p, const char *name, uint32_t n)
{
	return add_run_file(a, p, name, n, true);
}

void cmd_script_file(struct cmd_an *a, struct cmd_part *p, const struct sh_word *w)
{
	if (cmd_lit(w, "-"))
		cmd_opaque(p, "a script that is a descriptor");
	else
		cmd_script(a, p, w);
}
