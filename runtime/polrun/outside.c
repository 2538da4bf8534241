/* Decides which programs of a command need somebody outside of the sandbox, from their
 * modes and from a table of programs whose services listen at a known socket. */
#include "runtime/polrun/outside.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"
#include "runtime/supervise/denial_hint.h"

enum { MOST = 3 };

/* Only where the socket is there it is told.  What a rule that opens it gives away is
 * in compiler/target/sockets.def; NULL: no rule is named, since nobody gives that away
 * for a command. */
static const struct service {
	const char *programs, *socket, *gives;
} services[] = {
	{ " docker docker-compose docker-buildx ", "/run/docker.sock",
	  ", and what runs is root on this machine" },
	{ " podman ", "/run/podman/podman.sock",
	  ", and what runs is root on this machine" },
	{ " psql pg_dump pg_dumpall pg_restore createdb dropdb createuser pg_isready "
	  "pgbench vacuumdb ",
	  "/run/postgresql/.s.PGSQL.5432", "" },
	{ " mysql mysqldump mysqladmin mariadb mariadb-dump mariadb-admin ",
	  "/run/mysqld/mysqld.sock", "" },
	{ " lp lpr lpstat ", "/run/cups/cups.sock", "" },
	{ " systemctl loginctl timedatectl hostnamectl localectl resolvectl busctl "
	  "systemd-run machinectl nmcli "
	  "udisksctl bluetoothctl ",
	  "/run/dbus/system_bus_socket", NULL },
	{ " snap ", "/run/snapd.socket", NULL },
	{ " virsh virt-install ", "/run/libvirt/libvirt-sock", NULL },
};

static bool is_listed(const char *names, const char *name, size_t n)
{
	for (const char *at = names; *at == ' ' && at[1];
	     at += 1 + strcspn(at + 1, " "))
		if (strcspn(at + 1, " ") == n && memcmp(at + 1, name, n) == 0)
			return true;
	return false;
}

/* Whose rights the first program of that name in the command's PATH gets beside its
 * caller's: "user", "group", or NULL. */
static const char *other_rights(const struct sandbox_run *run, const char *name,
				size_t len)
{
	const char *path = envp_path((char *const *)(uintptr_t)run->envp);
	char at[PATH_MAX];
	struct stat st;

	for (; *path; path += strcspn(path, ":"), path += *path == ':') {
		const size_t n = strcspn(path, ":");

		if (path[0] != '/' ||
		    (size_t)snprintf(at, sizeof(at), "%.*s/%.*s", (int)n, path,
				     (int)len, name) >= sizeof(at) ||
		    stat(at, &st) != 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
			continue;
		return st.st_mode & S_ISUID                               ? "user"
		       : (st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) ? "group"
									  : NULL;
	}
	return NULL;
}

static bool say_service(FILE *out, const struct sandbox_run *run,
			const struct service *s, const char *name)
{
	char rule[EXPLAIN_RULE_CAP], would[700];
	struct denial denied = { .layer = "unix", .op = "connect" };
	struct decision d;
	struct stat st;

	decide_unix(&run->ctx, s->socket, false, &d);
	if (d.effect == PB_ALLOW || stat(s->socket, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	denied.rule = d.rule;
	(void)snprintf(denied.subject, sizeof(denied.subject), "%s", s->socket);
	fprintf(out,
		"polrun: %s asks a service outside of the sandbox, at %s: %s; to let "
		"it pass: ",
		name, s->socket, explain_rule(run->bundle, d.rule, rule));
	if (s->gives && denial_hint(run->bundle, &denied, would, sizeof(would)))
		fprintf(out, "%s%s\n", would,
			strncmp(would, "unix", 4) == 0 ? s->gives : "");
	else
		fputs("no rule does: do it outside of the sandbox\n", out);
	return true;
}

static bool say_rights(FILE *out, const struct sandbox_run *run, const char *name,
		       size_t n, const char *shown)
{
	const char *whose = other_rights(run, name, n);

	if (!whose)
		return false;
	fprintf(out,
		"polrun: %s has another %s's rights (it is set-%s-ID), but not in a "
		"run; to let it pass: no "
		"rule does: do it outside of the sandbox\n",
		shown, whose, whose);
	return true;
}

void outside_say(FILE *out, const struct sandbox_run *run, const struct entry *entry)
{
	struct {
		const char *p;
		size_t n;
	} said[MOST];
	size_t count = 0;

	for (const struct cmd_part *p = entry->parts.first; p && count < MOST;
	     p = p->next) {
		size_t n, i = 0;
		const char *name = explain_program(p, &n);
		char shown[80];
		bool told;

		while (name && i < count &&
		       !(said[i].n == n && memcmp(said[i].p, name, n) == 0))
			i++;
		if (!name || i < count)
			continue;
		io_escape(shown, sizeof(shown), name, n);
		told = say_rights(out, run, name, n, shown);
		for (size_t k = 0; !told && k < sizeof(services) / sizeof(services[0]);
		     k++)
			told = is_listed(services[k].programs, name, n) &&
			       say_service(out, run, &services[k], shown);
		if (!told)
			continue;
		said[count].p = name;
		said[count++].n = n;
	}
}
