/* Decides from the names of lock files which configurations git wanted to write. */
#include "runtime/polrun/config_lock.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* The last component, if it is a configuration of git's. */
static const char *config_name(const char *path)
{
	const char *name = strrchr(path, '/');

	if (!name || (strcmp(name, "/config") != 0 && strcmp(name, "/config.worktree") != 0))
		return NULL;
	return name + 1;
}

/* The configuration of a repository in the project is kept by force: no rule names it. */
static uint32_t rule_of(const struct sandbox_node *n)
{
	return n->forced_ro ? n->forced_by : n->rule[1];
}

static bool is_kept(const struct bundle *b, const struct sandbox_view *v,
		    const struct sandbox_node *n)
{
	const struct sandbox_node *up;
	char dir[PATH_MAX];

	if (n->masked || n->absent || n->noted || n->is_dir || n->source || (n->ops & PB_WRITE) ||
	    !bundle_is_floor(b, rule_of(n)) || !config_name(n->path) ||
	    (size_t)snprintf(dir, sizeof(dir), "%.*s", (int)(config_name(n->path) - 1 - n->path),
			     n->path) >= sizeof(dir))
		return false;
	up = sandbox_view_find(v, dir);
	return up && (up->ops & PB_WRITE);
}

void config_lock_begin(struct config_lock *l, const struct bundle *b, const struct sandbox_view *v)
{
	for (size_t i = 0; i < v->n && l->n < CONFIG_LOCKS; i++) {
		const char *path = v->nodes[i].path;
		char dir[PATH_MAX];
		int wd;

		if (!is_kept(b, v, &v->nodes[i]))
			continue;
		if (l->fd < 0)
			l->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (l->fd < 0)
			return;
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)(config_name(path) - 1 - path), path);
		wd = inotify_add_watch(l->fd, dir, IN_CREATE | IN_ONLYDIR);
		if (wd < 0)
			continue;
		l->v[l->n].wd = wd;
		l->v[l->n++].node = i;
	}
	if (l->fd >= 0)
		close_later_keep(&l->later, &l->fd, 1);
}

static void take(const struct config_lock *l, const struct sandbox_view *v,
		 const struct inotify_event *e, struct denials *d)
{
	for (size_t i = 0; i < l->n && e->len; i++) {
		const struct sandbox_node *n = &v->nodes[l->v[i].node];
		const char *name = config_name(n->path);
		size_t len = strlen(name);
		char subject[sizeof(((struct denial *)0)->subject)];

		if (e->wd != l->v[i].wd || strncmp(e->name, name, len) != 0 ||
		    strcmp(e->name + len, ".lock") != 0)
			continue;
		io_escape(subject, sizeof(subject), n->path, strlen(n->path));
		denials_add(d, "file", "write", subject, 0, rule_of(n));
	}
}

void config_lock_end(struct config_lock *l, const struct sandbox_view *v, struct denials *d)
{
	_Alignas(struct inotify_event) char buf[8192];
	ssize_t n;

	if (l->fd < 0)
		return;
	while ((n = SYS_RETRY(read(l->fd, buf, sizeof(buf)))) > 0)
		for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= n;) {
			const struct inotify_event *e = (const void *)(buf + at);

			take(l, v, e, d);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	(void)close(l->fd);
	l->fd = -1;
	close_later_release(&l->later);
}
