/* Probes the host, each probe in a child of its own, so that a refusal can name its
 * reason.  A run that succeeds executes nothing of this. */
#include "runtime/polrun/features.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/polrun/nft_probe.h"
#include "runtime/sandbox/sandbox.h"

#define INIT_USERNS_INO 4026531837u /* PROC_USER_INIT_INO, linux/proc_ns.h */

bool features_is_host_uid0(void)
{
	struct stat st;

	/* If the namespace cannot be looked at, assume that it is the host's. */
	return geteuid() == 0 && (stat("/proc/self/ns/user", &st) != 0 ||
				  st.st_ino == INIT_USERNS_INO);
}

int features_is_root(void)
{
	cap_flag_value_t admin = CAP_CLEAR, setuid_ = CAP_CLEAR;
	cap_t caps;

	if (!features_is_host_uid0())
		return 0;
	caps = cap_get_proc();
	if (!caps)
		return -errno;
	(void)cap_get_flag(caps, CAP_SYS_ADMIN, CAP_EFFECTIVE, &admin);
	(void)cap_get_flag(caps, CAP_SETUID, CAP_EFFECTIVE, &setuid_);
	(void)cap_free(caps);
	return admin == CAP_SET && setuid_ == CAP_SET;
}

static long read_sysctl(const char *path)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	if (io_read_file(path, 64, &text, &len) != 0)
		return -1;
	return strtol(text, NULL, 10);
}

/* In a chroot nothing is mounted at our own "/", or (for those who may look) our root
 * differs from init's. */
static bool is_chrooted(void)
{
	AUTO_FREE char *text = NULL;
	struct stat init, own;
	size_t len;

	if (stat("/proc/1/root/.", &init) == 0 && stat("/", &own) == 0 &&
	    (init.st_dev != own.st_dev || init.st_ino != own.st_ino))
		return true;
	if (io_read_file("/proc/self/mountinfo", (size_t)4 << 20, &text, &len) != 0)
		return false;
	for (char *p = text; *p;) {
		char *at = p;

		for (int field = 0; field < 4 && at; field++)
			at = (at = strchr(at, ' ')) ? at + 1 : NULL;
		if (at && at[0] == '/' && at[1] == ' ')
			return false;
		p += strcspn(p, "\n");
		if (*p)
			p++;
	}
	return true;
}

/* pivot_root cannot leave the file system that the kernel unpacked at boot. */
static bool is_ram_disk(void)
{
	AUTO_FREE char *text = NULL;
	const char *p;
	size_t len;

	if (io_read_file("/proc/self/mountinfo", (size_t)4 << 20, &text, &len) != 0)
		return false;
	p = strstr(text, " / / ");
	p = p ? strstr(p, " - ") : NULL;
	return p && !strncmp(p, " - rootfs ", 10);
}

static bool has_outer_filter(void)
{
	AUTO_FREE char *text = NULL;
	const char *p;
	size_t len;

	if (io_read_file("/proc/self/status", 65536, &text, &len) != 0)
		return false;
	p = strstr(text, "\nSeccomp:\t");
	return p && p[10] == '2';
}

struct answer {
	int mounts, proc, nft;
	size_t part;
};

static void probe_inside(int go, int out)
{
	struct answer a = { 0 };
	char c;

	if (read(go, &c, 1) != 1)
		_exit(1);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, NULL) != 0)
		a.mounts = errno;
	else if (umount2("/proc", MNT_DETACH) != 0 ||
		 mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		       NULL) != 0)
		a.proc = errno;
	a.nft = nft_probe(&a.part);
	if (write(out, &a, sizeof(a)) != (ssize_t)sizeof(a))
		_exit(1);
	_exit(0);
}

static int write_map(pid_t pid, const char *name, unsigned id)
{
	char path[64], text[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	(void)snprintf(text, sizeof(text), "%u %u 1\n", id, id);
	return -io_write_file(path, text);
}

static void probe_namespaces(struct features *f)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			 CLONE_NEWIPC | CLONE_NEWUTS,
		.exit_signal = SIGCHLD,
	};
	int go[2], back[2];
	struct answer a = { .mounts = EIO };
	char path[64];
	pid_t pid;

	f->nft = EIO;
	f->nft_module = nft_probe_module(0);
	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
		f->userns = errno;
		return;
	}
	pid = sys_clone3(&args, sizeof(args));
	if (pid == 0)
		probe_inside(go[0], back[1]);
	f->userns = pid < 0 ? errno : 0;
	(void)close(back[1]);
	if (pid > 0) {
		(void)snprintf(path, sizeof(path), "/proc/%d/setgroups", pid);
		(void)io_write_file(path, "deny");
		f->maps = write_map(pid, "uid_map", geteuid());
		if (!f->maps)
			f->maps = write_map(pid, "gid_map", getegid());
		if (!f->maps && write(go[1], "g", 1) == 1 &&
		    read(back[0], &a, sizeof(a)) == (ssize_t)sizeof(a)) {
			f->mounts = a.mounts;
			f->proc = a.proc;
			f->nft = a.nft;
			f->nft_module = nft_probe_module(a.part);
		} else if (!f->maps) {
			f->mounts = a.mounts;
		}
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
	(void)close(go[0]);
	(void)close(go[1]);
	(void)close(back[0]);
}

/* Sends the number of its listener, or minus an errno, and waits to be killed. */
__attribute__((noreturn)) static void offer_listener(int out)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog prog = { 1, &allow };
	int fd;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = sys_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			 &prog);
	if (fd < 0)
		fd = -errno;
	if (write(out, &fd, sizeof(fd)) != (ssize_t)sizeof(fd))
		_exit(1);
	for (;;)
		(void)pause();
}

static int take_listener(pid_t pid, int number)
{
	AUTO_CLOSE int pidfd = sys_pidfd_open(pid, 0);
	AUTO_CLOSE int fd = pidfd < 0 ? -1 : sys_pidfd_getfd(pidfd, number, 0);

	return fd < 0 ? errno : 0;
}

/* Does as a run does: a child in a user namespace of polrun makes the listener and
 * polrun takes it.  Outside of such a namespace Yama's ptrace_scope 2 would forbid
 * that. */
static void probe_listener(struct features *f)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	int p[2], number = -EIO;
	pid_t pid;

	f->listener = f->take = EIO;
	if (pipe2(p, O_CLOEXEC) != 0)
		return;
	pid = sys_clone3(&args, sizeof(args));
	if (pid < 0)
		pid = fork();
	if (pid == 0)
		offer_listener(p[1]);
	(void)close(p[1]);
	if (pid > 0) {
		if (read(p[0], &number, sizeof(number)) != (ssize_t)sizeof(number))
			number = -EIO;
		f->listener = number < 0 ? -number : 0;
		f->take = number < 0 ? 0 : take_listener(pid, number);
		(void)kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	(void)close(p[0]);
}

/* Asks the kernel with an invalid descriptor: EBADF means that the call exists. */
static int probe_mount_api(void)
{
	struct mount_attr attr = { 0 };

	if (sys_open_tree(-1, "", AT_EMPTY_PATH | OPEN_TREE_CLOEXEC) < 0 &&
	    errno != EBADF)
		return errno;
	if (sys_mount_setattr(-1, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 &&
	    errno != EBADF && errno != EINVAL && errno != EPERM)
		return errno;
	return 0;
}

static void find_cgroup(struct features *f)
{
	AUTO_FREE char *text = NULL;
	const char *p;
	size_t len;
	char dir[160];

	if (io_read_file("/proc/self/cgroup", 65536, &text, &len) != 0)
		return;
	p = strstr(text, "0::/");
	if (!p)
		return;
	p += 3;
	(void)snprintf(dir, sizeof(dir), "/sys/fs/cgroup%.*s", (int)strcspn(p, "\n"), p);
	if (access(dir, W_OK) == 0)
		io_escape(f->cgroup, sizeof(f->cgroup), dir, strlen(dir));
}

/* Finds "NAME (enforce)".  A profile in complain mode refuses nothing. */
static void find_profile(struct features *f)
{
	AUTO_FREE char *text = NULL;
	char *mode;
	size_t len;

	if (io_read_file("/proc/self/attr/apparmor/current", 4096, &text, &len) != 0)
		return;
	mode = strstr(text, " (enforce)");
	if (mode)
		io_escape(f->profile, sizeof(f->profile), text, (size_t)(mode - text));
}

void features_probe(struct features *ret)
{
	uint32_t notif = SECCOMP_RET_USER_NOTIF;

	memset(ret, 0, sizeof(*ret));
	ret->root = features_is_root() > 0;
	ret->max_userns = read_sysctl("/proc/sys/user/max_user_namespaces");
	ret->debian_clone = read_sysctl("/proc/sys/kernel/unprivileged_userns_clone");
	ret->apparmor =
		read_sysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	ret->yama = read_sysctl("/proc/sys/kernel/yama/ptrace_scope");
	ret->chrooted = is_chrooted();
	ret->ram_disk = is_ram_disk();
	ret->outer_filter = has_outer_filter();
	ret->landlock_abi = sys_landlock_abi();
	if (sys_seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &notif) != 0)
		ret->seccomp = errno;
	probe_listener(ret);
	ret->mount_api = probe_mount_api();
	ret->ngroups = getgroups(0, NULL);
	find_cgroup(ret);
	find_profile(ret);
	probe_namespaces(ret);
}

/* --- words --------------------------------------------------------------------------- */

static const char *userns_reason(const struct features *f)
{
	static char confined[320];
	int e = f->userns ? f->userns : f->maps ? f->maps : f->mounts;

	if (f->chrooted && e == EPERM)
		return "polrun was started in a chroot, where the kernel refuses user "
		       "namespaces: enter the tree with pivot_root or a container";
	if (f->max_userns == 0 || (f->userns && e == ENOSPC))
		return "user.max_user_namespaces is used up or 0 (inside another "
		       "sandbox, or switched off): run polrun outside of it, or raise "
		       "the sysctl";
	if (f->debian_clone == 0 && !f->root)
		return "kernel.unprivileged_userns_clone is 0: set it to 1, or run as "
		       "root";
	if (f->outer_filter && (e == EPERM || e == ENOSYS || e == EACCES))
		return "a system-call filter around polrun forbids them (Docker's "
		       "default profile, another sandbox): run polrun outside of it, "
		       "or give the container a seccomp profile that allows them";
	if (f->apparmor == 1 && !f->root)
		return "AppArmor restricts them "
		       "(kernel.apparmor_restrict_unprivileged_userns): install a "
		       "profile with 'userns,' for polrun, or set the sysctl to 0";
	if (f->profile[0] && (e == EPERM || e == EACCES)) {
		(void)snprintf(confined, sizeof(confined),
			       "the AppArmor profile '%s' confines polrun: let it allow "
			       "'mount,' 'umount,' 'remount,' 'pivot_root,' "
			       "'capability,' (and 'userns,' where AppArmor knows "
			       "that), or start polrun unconfined", f->profile);
		return confined;
	}
	if (e == ENOSYS || e == EINVAL)
		return "this kernel has none, or no clone3: Linux 5.12 or newer is "
		       "needed";
	return "the kernel or a security module refuses them: see polrun --doctor";
}

bool features_reason(const struct features *f, char *out, size_t cap)
{
	if (f->userns || f->maps || f->mounts) {
		int e = f->userns ? f->userns : f->maps ? f->maps : f->mounts;

		(void)snprintf(out, cap, "no user namespaces (%s): %s",
			       strerrorname_np(e) ? strerrorname_np(e) : "?",
			       userns_reason(f));
		return true;
	}
	if (f->proc) {
		(void)snprintf(out, cap,
			       "no fresh /proc (%s): something covers parts of the outer "
			       "/proc (a container, another sandbox): run polrun outside "
			       "of it, or unmask its /proc",
			       strerrorname_np(f->proc) ? strerrorname_np(f->proc) : "?");
		return true;
	}
	if (f->ram_disk) {
		(void)snprintf(out, cap,
			       "the root is the kernel's RAM disk (initramfs), which "
			       "pivot_root cannot leave: start polrun after switch_root");
		return true;
	}
	if (f->seccomp) {
		(void)snprintf(out, cap,
			       "no system-call filters: the kernel needs "
			       "CONFIG_SECCOMP_FILTER (Linux 5.0 or newer)");
		return true;
	}
	if (f->mount_api) {
		(void)snprintf(out, cap,
			       "no open_tree or mount_setattr (%s): Linux 5.12 or newer "
			       "is needed, and no filter around polrun may forbid them",
			       strerrorname_np(f->mount_api) ?
				       strerrorname_np(f->mount_api) : "?");
		return true;
	}
	return false;
}

bool features_nft_reason(const struct features *f, char *out, size_t cap)
{
	if (f->nft)
		(void)snprintf(out, cap,
			       "no %s (%s), by which network limited enforces its rules: load "
			       "this module of the kernel (as root: modprobe %s, and a line in "
			       "/etc/modules-load.d for the next boot), or say network disabled",
			       f->nft_module,
			       strerrorname_np(f->nft) ? strerrorname_np(f->nft) : "?",
			       f->nft_module);
	return f->nft != 0;
}

/* Lists one rule for each id that the kernel's walls would have enforced. */
void features_rules(const struct bundle *b, char *out, size_t cap)
{
	const struct pb_rule *seen = NULL;
	unsigned shown = 0, more = 0;
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; b && i < b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(b, i);
		char id[64];

		if (r->kind == PB_COMMAND || r->kind == PB_TOOL || r->kind == PB_RISK ||
		    (r->kind != PB_SCALAR && r->effect == PB_ALLOW))
			continue;
		if (r->kind == PB_SCALAR && r->line == 0)
			continue; /* a default that nobody wrote */
		if (seen && seen->id.len == r->id.len &&
		    memcmp(pb_strp(b->rules, seen->id), pb_strp(b->rules, r->id),
			   r->id.len) == 0)
			continue;
		seen = r;
		if (shown == 3) {
			more++;
			continue;
		}
		io_escape(id, sizeof(id), pb_strp(b->rules, r->id), r->id.len);
		at += (size_t)snprintf(out + at, cap - at, "%s%s", shown ? ", " : "", id);
		if (at >= cap)
			return;
		shown++;
	}
	if (more)
		(void)snprintf(out + at, cap - at, " and %u more", more);
}

static void row(FILE *out, const char *name, int err, const char *note)
{
	const char *e = err ? strerrorname_np(err) : NULL;

	fprintf(out, "%-26s %s", name, err ? "no" : "yes");
	if (err)
		fprintf(out, " (%s)", e ? e : "?");
	if (note && *note)
		fprintf(out, "  %s", note);
	fputc('\n', out);
}

void features_landlock_lacks(int abi, char *out, size_t cap)
{
	static const struct {
		int abi;
		const char *what;
	} later[] = {
		{ 2, "moving files between directories (refused everywhere)" },
		{ 3, "truncation" },
		{ 5, "ioctl of devices" },
		{ 6, "scopes for signals and abstract sockets" },
	};
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (abi < later[i].abi && at < cap)
			at += (size_t)snprintf(out + at, cap - at, "%s%s",
					       at ? ", " : "no right for ",
					       later[i].what);
}

static void print_listener(FILE *out, const struct features *f)
{
	const char *note = "";

	if (f->listener == EBUSY)
		note = "another sandbox holds the listener: denials get no name";
	else if (f->take && f->yama == 3)
		note = "kernel.yama.ptrace_scope is 3: denials get no name";
	else if (f->listener || f->take)
		note = "denials get no name";
	row(out, "seccomp notifications", f->listener ? f->listener : f->take, note);
}

static void print_landlock(FILE *out, const struct features *f)
{
	char lacks[200];

	features_landlock_lacks(f->landlock_abi, lacks, sizeof(lacks));
	if (f->landlock_abi)
		fprintf(out, "%-26s ABI %d%s%s\n", "Landlock", f->landlock_abi,
			lacks[0] ? "  as second wall " : "", lacks);
	else
		fprintf(out, "%-26s no  the mount view alone is the wall; regular "
			     "files on 0-2 go through pipes\n", "Landlock");
}

static void print_nft(FILE *out, const struct features *f, int no_namespace)
{
	char note[120];
	bool part = !no_namespace && f->nft && strcmp(f->nft_module, "nf_tables") != 0;

	(void)snprintf(note, sizeof(note), "%s%s%s", part ? f->nft_module : "",
		       part ? " is missing: " : "", "network limited is refused");
	row(out, "nf_tables", no_namespace ? no_namespace : f->nft,
	    no_namespace || f->nft ? note : "");
}

static void print_groups(FILE *out, const struct features *f)
{
	gid_t ids[64];
	int n = f->ngroups > 64 ? 64 : getgroups(64, ids);

	fprintf(out, "%-26s", "supplementary groups");
	if (f->root)
		fputs(" dropped", out);
	else if (f->ngroups <= 0)
		fputs(" none", out);
	else
		fputs(" kept (an unprivileged user namespace cannot drop them):", out);
	for (int i = 0; !f->root && i < n; i++)
		fprintf(out, " %u", ids[i]);
	fputc('\n', out);
}

bool features_print(FILE *out, const struct features *f)
{
	char why[400] = "";
	bool missing = features_reason(f, why, sizeof(why));
	int ns = f->userns ? f->userns : f->maps ? f->maps : f->mounts;

	row(out, "user namespaces", ns, ns ? userns_reason(f) : "");
	row(out, "fresh /proc", ns ? ns : f->proc,
	    f->proc ? "the outer /proc is partly covered" : "");
	row(out, "open_tree, mount_setattr", f->mount_api, "");
	row(out, "system-call filters", f->seccomp,
	    f->outer_filter ? "one is loaded around polrun" : "");
	print_listener(out, f);
	print_landlock(out, f);
	print_nft(out, f, ns);
	fprintf(out, "%-26s %s\n", "run as root",
		f->root ? "yes  the command gets a uid that owns nothing" : "no");
	fprintf(out, "%-26s %s%s\n", "cgroup v2",
		f->cgroup[0] ? f->cgroup : "no directory of one's own",
		f->cgroup[0] ? "  (limits use rlimits until a later version)" : "");
	print_groups(out, f);
	if (missing)
		fprintf(out, "\npolrun cannot run a bundle here: %s\n", why);
	else
		fputs("\npolrun can run a bundle here\n", out);
	return !missing;
}

void features_refuse(FILE *out, const struct bundle *b, const struct rt_err *err)
{
	char why[460], rules[300];
	struct features f;

	features_probe(&f);
	if (!features_reason(&f, why, sizeof(why)) &&
	    ((strcmp(err->step, "nft") != 0 && strcmp(err->step, "gate") != 0) ||
	     !features_nft_reason(&f, why, sizeof(why))))
		(void)snprintf(why, sizeof(why), "%s%s%s", err->step,
			       err->step[0] ? ": " : "", err->text);
	features_rules(b, rules, sizeof(rules));
	fprintf(out, "polrun: refused: %s%s%s%s\n", why, rules[0] ? " (would not hold: " : "",
		rules, rules[0] ? ")" : "");
}

bool features_no_listener(FILE *out, const struct rt_err *err)
{
	bool forbidden = strcmp(err->step, SANDBOX_STEP_LISTENER) == 0;
	bool busy = err->err == EBUSY && strcmp(err->step, SANDBOX_STEP_FILTER) == 0;

	if (busy || forbidden)
		fprintf(out, "polrun: %s: denials are not explained\n",
			forbidden ? "the seccomp listener cannot be taken (something "
				    "forbids it: kernel.yama.ptrace_scope is 3?)" :
				    "another sandbox holds the seccomp listener");
	return busy || forbidden;
}

bool features_has_listener(void)
{
	struct features f;

	features_probe(&f);
	return f.listener == 0 && f.take == 0;
}
