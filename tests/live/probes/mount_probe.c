/*
 * The calls of mount(2)'s successors, of which one makes what the next one needs
 * (fsopen(2), fsconfig(2), fsmount(2), fspick(2), open_tree(2), mount_setattr(2),
 * move_mount(2)).  Each is made, whatever became of the one before:
 *   mount_probe new TO [FD]    a tmpfs of its own at TO; FD: a context that
 *                              somebody else has opened, in place of fsopen
 *   mount_probe clone FROM TO  what is at FROM, read-only, at TO as well
 *   mount_probe pick AT        the file system at AT becomes read-only
 *   mount_probe context FD COMMAND [ARG…]   with a context of a tmpfs as FD
 *   mount_probe enter PID umount|writable PATH   in the namespaces of PID: a program
 *                              that is begun there has no capabilities any more
 * A line for each call: "OK CALL" or "ERRNO CALL".  Exit 0: all could be made, 1:
 * one could not, 2: a bad call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failed;

/* What the call gave: its value, or -1, which the next call gets then. */
static int said(const char *call, long value)
{
	printf("%s %s\n", value < 0 ? strerrorname_np(errno) : "OK", call);
	failed |= value < 0;
	return (int)value;
}

static void read_only(int fd, const char *path)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	(void)said("mount_setattr", syscall(SYS_mount_setattr, fd, path, AT_EMPTY_PATH,
					    &attr, sizeof(attr)));
}

static void move(int fd, const char *to)
{
	(void)said("move_mount", syscall(SYS_move_mount, fd, "", AT_FDCWD, to,
					 MOVE_MOUNT_F_EMPTY_PATH));
}

static int open_context(void)
{
	return said("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
}

static void do_new(const char *to, const char *context)
{
	int fs = context ? atoi(context) : open_context(), mnt;

	(void)said("fsconfig", syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", "64k", 0));
	(void)said("fsconfig", syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
	mnt = said("fsmount", syscall(SYS_fsmount, fs, 0, 0));
	read_only(mnt, "");
	move(mnt, to);
}

static void do_clone(const char *from, const char *to)
{
	int mnt = said("open_tree", syscall(SYS_open_tree, AT_FDCWD, from, OPEN_TREE_CLONE));

	read_only(mnt, "");
	move(mnt, to);
}

static void do_pick(const char *at)
{
	int fs = said("fspick", syscall(SYS_fspick, AT_FDCWD, at, 0));

	(void)said("fsconfig", syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "ro", NULL, 0));
	(void)said("fsconfig",
		   syscall(SYS_fsconfig, fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0));
	read_only(AT_FDCWD, at);
}

static int do_context(char **arg)
{
	int fs = (int)syscall(SYS_fsopen, "tmpfs", 0), fd = atoi(arg[0]);

	if (fs < 0 || (fs != fd && dup2(fs, fd) < 0))
		return -1;
	if (fs != fd)
		(void)close(fs);
	return execvp(arg[1], arg + 1);
}

static int join(const char *pid, const char *kind)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%s/ns/%s", pid, kind);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return said(kind, fd < 0 ? -1 : setns(fd, 0));
}

static void do_enter(char **arg)
{
	struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY };

	if (join(arg[0], "user") < 0 || join(arg[0], "mnt") < 0)
		return;
	if (strcmp(arg[1], "umount") == 0)
		(void)said("umount2", syscall(SYS_umount2, arg[2], 2)); /* MNT_DETACH */
	else
		(void)said("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, arg[2], 0,
						    &attr, sizeof(attr)));
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (strcmp(verb, "new") == 0) {
		do_new(argv[2], argv[3]);
	} else if (strcmp(verb, "clone") == 0 && argc == 4) {
		do_clone(argv[2], argv[3]);
	} else if (strcmp(verb, "pick") == 0) {
		do_pick(argv[2]);
	} else if (strcmp(verb, "context") == 0 && argc > 3) {
		(void)do_context(argv + 2);
		(void)said("fsopen", -1);
	} else if (strcmp(verb, "enter") == 0 && argc == 5) {
		do_enter(argv + 2);
	} else {
		(void)fputs("usage: mount_probe new|clone|pick|context|enter ARG...\n", stderr);
		return 2;
	}
	return failed;
}
