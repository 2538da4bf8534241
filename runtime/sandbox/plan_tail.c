/*
 * The parts of the plan around the view: network rules, credentials, Landlock, the
 * command's limits and filter, and the contents of passwd and group inside.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/compat.h"
#include "runtime/base/io.h"
#include "runtime/sandbox/plan_programs.h"
#include "runtime/sandbox/plan_view.h"
#include "runtime/sandbox/ssh_config.h"
#include "runtime/sandbox/step_landlock.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

#define TEXT_MAX (256u * 1024)

void plan_nft(struct plan *p, const struct plan_policy *policy)
{
	struct plan_op *op;
	uint32_t at;
	int fd = -1;

	if (!policy->nft_len)
		return;
	at = plan_blob(p, policy->nft, policy->nft_len);
	if (policy->polnft >= 0) {
		fd = fcntl(policy->polnft, F_DUPFD_CLOEXEC, 3);
		if (fd < 0) {
			p->err = -errno;
			return;
		}
		plan_take_fd(p, fd);
	}
	op = plan_add(p, STEP_NFT, PLAN_INIT);
	op->other = at;
	op->len = (uint32_t)policy->nft_len;
	op->fd = fd;
	op->flags = fd >= 0 ? PLAN_F_GIVEN : 0;
}

static void landlock_rule(struct plan *p, const char *path, uint64_t rights,
			  const struct pb_landlock_abi *abi)
{
	struct plan_op *op;

	rights &= abi->handled_fs;
	if (!rights)
		return;
	op = plan_add(p, STEP_LANDLOCK, PLAN_INIT);
	op->mode = LANDLOCK_PART_RULE;
	op->path = plan_str(p, path);
	op->v = rights;
}

/* Who starts a program reads it. */
#define STARTS ((uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE))
#define OPENS (STARTS | LANDLOCK_ACCESS_FS_READ_DIR)

static uint64_t rights_of(const struct sandbox_node *n,
			  const struct pb_landlock_abi *abi, bool staged)
{
	uint64_t r = 0;

	if (n->ops & PB_READ)
		r |= n->is_dir ? abi->read_dir : abi->read_file;
	if (sandbox_node_native(n) & PB_WRITE)
		r |= n->is_dir ? abi->write_dir : abi->write_file;
	if (n->ops & PB_EXEC)
		r |= n->is_dir ? abi->exec_dir : abi->exec_file;
	if (n->open_by_name)
		r &= ~OPENS;
	if (n->write_by_name)
		r &= ~(uint64_t)(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_SOCK);
	/* what a staged run makes is seen by no other run */
	if (n->no_sockets && !staged)
		r &= ~(uint64_t)LANDLOCK_ACCESS_FS_MAKE_SOCK;
	return n->start_by_name ? r & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE : r;
}

/* What a rule for the node gives, as pb_op bits: below it no rule can take it away. */
static uint8_t given_by(const struct sandbox_node *n)
{
	uint8_t ops = sandbox_node_native(n);

	if (n->open_by_name)
		ops &= (uint8_t)~PB_READ;
	if (n->write_by_name)
		ops &= (uint8_t)~PB_WRITE;
	return n->start_by_name ? ops & (uint8_t)~PB_EXEC : ops;
}

static void landlock_programs(struct plan *p, const struct sandbox_view *v,
			      const struct plan_programs *programs)
{
	uint32_t at = plan_blob(p, programs->names, programs->len);
	struct plan_op *op;

	if (!v->starts)
		return;
	op = plan_add(p, STEP_LANDLOCK, PLAN_INIT);
	op->mode = LANDLOCK_PART_COPIES;
	op->aux = SANDBOX_COPIES;
	op->v = STARTS;
	if (!programs->len)
		return;
	op = plan_add(p, STEP_LANDLOCK, PLAN_INIT);
	op->mode = LANDLOCK_PART_PROGRAMS;
	op->other = at;
	op->len = (uint32_t)programs->len;
	op->v = STARTS;
}

/* A node that holds the ones that follow, with what it and those around it give. */
struct around {
	const char *path;
	uint8_t given;
	bool no_sockets;
};

/* Each device by its own name: a right for all of /dev would hold in /dev/shm as well, and in what
 * is mounted there. */
static void landlock_devices(struct plan *p, const struct pb_landlock_abi *abi)
{
	uint64_t device = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
			  LANDLOCK_ACCESS_FS_IOCTL_DEV;

	for (size_t i = 0; plan_device(i); i++)
		landlock_rule(p, plan_device(i), device, abi);
	landlock_rule(p, "/dev/pts", device | LANDLOCK_ACCESS_FS_READ_DIR, abi);
}

void plan_landlock(struct plan *p, const struct sandbox_view *v,
		   const struct plan_programs *programs, const struct pb_landlock_abi *abi,
		   bool staged)
{
	struct around *around;
	struct plan_op *op;
	size_t depth = 0;

	if (!abi->abi)
		return;
	op = plan_add(p, STEP_LANDLOCK, PLAN_INIT);
	op->mode = LANDLOCK_PART_CREATE;
	op->fd = (int32_t)abi->abi;
	op->v = abi->handled_fs;
	op->w = abi->handled_net;
	op->aux = (uint32_t)abi->scoped;
	/* for `ls /`: Landlock has no right for a single directory, and the root holds
	 * nothing that the view does not show; else polrun opens it */
	if (!v->opens)
		landlock_rule(p, "/", LANDLOCK_ACCESS_FS_READ_DIR, abi);
	landlock_rule(p, "/proc", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				  LANDLOCK_ACCESS_FS_WRITE_FILE, abi);
	landlock_devices(p, abi);
	around = calloc(v->n + 1, sizeof(*around));
	if (!around)
		p->err = -ENOMEM;
	for (size_t i = 0; i < v->n && around; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		bool closed; /* a tree around lets no socket be made */
		uint8_t above;

		if (n->noted || n->masked)
			continue;
		/* those around a node are a stack, as in view_names.c */
		while (depth && !view_below(n->path, around[depth - 1].path))
			depth--;
		above = depth ? around[depth - 1].given : 0;
		closed = depth && around[depth - 1].no_sockets;
		around[depth++] = (struct around){ n->path, above | given_by(n), closed || n->no_sockets };
		if (!n->ops || view_below(n->path, "/proc"))
			continue;
		/* view_opens() has taken from the outer trees what this one must not have */
		assert(!(n->open_by_name && (above & PB_READ)));
		assert(!(n->start_by_name && (above & PB_EXEC)));
		assert(!(v->brokers && sandbox_node_shows_host_read_only(n) && (above & PB_WRITE)));
		if ((sandbox_node_native(n) & ~above) ||
		    (closed && !n->no_sockets && (sandbox_node_native(n) & PB_WRITE)))
			landlock_rule(p, n->path, rights_of(n, abi, staged), abi);
	}
	free(around);
	landlock_programs(p, v, programs);
	op = plan_add(p, STEP_LANDLOCK, PLAN_INIT);
	op->mode = LANDLOCK_PART_RESTRICT;
}

void plan_command(struct plan *p, const struct sandbox_run *run,
		  const struct plan_policy *policy)
{
	struct plan_op *op;

	for (size_t i = 0; i < policy->nrlimits; i++) {
		op = plan_add(p, STEP_RLIMIT, PLAN_TARGET);
		op->fd = policy->rlimits[i].resource;
		op->v = policy->rlimits[i].value;
	}
	(void)plan_add(p, STEP_PGRP, PLAN_TARGET);
	(void)plan_add(p, STEP_SIGNALS, PLAN_TARGET);
	op = plan_add(p, STEP_EXEC, PLAN_TARGET);
	op->flags = PLAN_F_SPECIAL; /* `argv` and `envp` are built before the filter is
	                               loaded */
	(void)plan_add(p, STEP_CLOSE, PLAN_TARGET);
	if (policy->unix_wall) /* load this filter first: the policy's filter may deny
	                          seccomp() */
		(void)plan_add(p, STEP_SECCOMP_UNIX, PLAN_TARGET);
	op = plan_add(p, STEP_SECCOMP, PLAN_TARGET);
	op->other =
		plan_blob(p, policy->filter, policy->nfilter * sizeof(*policy->filter));
	op->len = (uint32_t)(policy->nfilter * sizeof(*policy->filter));
	op->flags = policy->listener ? PLAN_F_SPECIAL : 0;
	(void)plan_add(p, STEP_EXEC, PLAN_TARGET);
	(void)plan_add(p, STEP_SECCOMP_INIT, PLAN_REAPER);
	p->head.argv = plan_strings(p, run->argv, &p->head.argc);
	p->head.envp = plan_strings(p, run->envp, &p->head.envc);
	p->head.exec_path = plan_str(p, run->exec_path);
	p->head.umask = (uint32_t)run->umask;
	p->head.listener = policy->listener;
}

/* Finds where the file lies to which the name leads.  A link that leads nowhere is a name all the same. */
static int text_find(const char *name, struct plan_text *ret)
{
	struct view_link *links = NULL;
	char real[4096];
	size_t n = 0;
	int r = view_resolve("", name, real, &links, &n);
	const bool leads_nowhere = r == -ELOOP || r == -ENAMETOOLONG, is_link = n || leads_nowhere;

	free(links);
	if (r < 0 && !leads_nowhere)
		return r;
	ret->path = strdup(leads_nowhere ? name : real);
	ret->link = is_link ? strdup(name) : NULL;
	return ret->path && (ret->link || !is_link) ? 0 : -ENOMEM;
}

/*
 * Makes `line` followed by the content of the host's file (which may be missing), cut
 * at the end of a line.  What a link leads to is read only if the rules show it.
 */
static int text_make(const struct sandbox_run *run, const struct sandbox_view *view, const char *name,
		     const char *line, struct plan_text *ret)
{
	AUTO_FREE char *host = NULL;
	size_t len = 0, first = strlen(line);
	uint32_t rule;
	int r = text_find(name, ret);

	if (r < 0)
		return r;
	if (!ret->link || (strcmp(ret->path, ret->link) != 0 &&
			   view_allows_name(&run->ctx, view, PB_READ, ret->path, &rule)))
		r = io_read_file(ret->path, TEXT_MAX, &host, &len);
	/* treat a file that is missing, unreadable or too long as empty */
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -EACCES && r != -EFBIG)
		return r;
	ret->bytes = malloc(first + len + 1);
	if (!ret->bytes)
		return -ENOMEM;
	memcpy(ret->bytes, line, first);
	if (len)
		memcpy(ret->bytes + first, host, len);
	ret->len = first + len;
	return 0;
}

/* Makes a text that has nothing of the host's file but its place. */
static int text_own(const char *name, const char *text, struct plan_text *ret)
{
	int r = text_find(name, ret);

	if (r < 0)
		return r;
	ret->bytes = strdup(text);
	ret->len = strlen(text);
	return ret->bytes ? 0 : -ENOMEM;
}

static const char resolv_conf[] =
	"# The run's egress gateway answers, for the names that the policy allows.\n"
	"nameserver 127.0.0.1\n";

static const char nsswitch[] =
	"passwd: files\ngroup: files\nshadow: files\ngshadow: files\nhosts: files dns\n"
	"networks: files\nprotocols: files\nservices: files\nethers: files\nrpc: files\n"
	"netgroup: files\n";

/* What a run with a gateway uses to look up names. */
static int texts_of_gateway(struct plan_texts *ret)
{
	char hosts[512], host[256] = "";
	int r = text_own("/etc/resolv.conf", resolv_conf, &ret->v[ret->n++]);

	/* some programs look up the machine's own name */
	if (gethostname(host, sizeof(host) - 1) != 0 || strpbrk(host, " \t\r\n#"))
		host[0] = '\0';
	(void)snprintf(hosts, sizeof(hosts), "127.0.0.1 localhost\n"
		       "::1 localhost ip6-localhost ip6-loopback\n%s%s%s",
		       host[0] ? "127.0.1.1 " : "", host, host[0] ? "\n" : "");
	if (r == 0)
		r = text_own("/etc/hosts", hosts, &ret->v[ret->n++]);
	if (r == 0)
		r = text_own("/etc/nsswitch.conf", nsswitch, &ret->v[ret->n++]);
	return r;
}

/* A file that has gone meanwhile is left out. */
static int texts_of_ssh(struct plan_texts *ret)
{
	char *path[SSH_CONFIG_MOST];
	const size_t n = ssh_config_find("/etc/ssh", path);
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *text = NULL;
		size_t len;

		if (r == 0 && io_read_file(path[i], TEXT_MAX, &text, &len) == 0 && strlen(text) == len)
			r = text_own(path[i], text, &ret->v[ret->n]);
		/* the host's content is shown where the rules show the file itself */
		free(ret->v[ret->n].link);
		ret->v[ret->n].link = NULL;
		ret->n += r == 0 && ret->v[ret->n].path;
		if (r != -ENOMEM)
			r = 0;
		free(path[i]);
	}
	return r;
}

bool sandbox_has_text(const struct sandbox_run *run, const char *name)
{
	static const char *const names[] = { "/etc/passwd", "/etc/group", "/etc/resolv.conf", "/etc/hosts",
					     "/etc/nsswitch.conf" };

	for (size_t i = 0; i < (run->gateway ? 5 : 2); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

int plan_texts_make(const struct sandbox_run *run, const struct sandbox_view *view, struct plan_texts *ret)
{
	const char *home = run->ctx.roots.dir[PB_ROOT_HOME];
	const char *name = run->user_name && *run->user_name ? run->user_name : "user";
	unsigned uid = run->root_run ? 1000 : run->uid,
		 gid = run->root_run ? 1000 : run->gid;
	char line[4600];
	int r;

	memset(ret, 0, sizeof(*ret));
	/* a name with a separator would be more than one field */
	if (strpbrk(name, ":\n"))
		name = "user";
	(void)snprintf(line, sizeof(line), "%s:x:%u:%u:%s:%s:/bin/sh\n", name, uid, gid,
		       name, home && !strpbrk(home, ":\n") ? home : "/");
	r = text_make(run, view, "/etc/passwd", line, &ret->v[ret->n++]);
	(void)snprintf(line, sizeof(line), "%s:x:%u:\n", name, gid);
	if (r == 0)
		r = text_make(run, view, "/etc/group", line, &ret->v[ret->n++]);
	if (r == 0 && run->gateway)
		r = texts_of_gateway(ret);
	if (r == 0)
		r = texts_of_ssh(ret);
	if (r < 0)
		plan_texts_release(ret);
	return r;
}

void plan_texts_release(struct plan_texts *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].bytes);
		free(t->v[i].path);
		free(t->v[i].link);
	}
	t->n = 0;
}
