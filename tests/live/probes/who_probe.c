/*
 * Prints its user, group and capabilities; the live tests give a copy of it
 * the set-user-ID bit, so it does nothing else and takes no argument.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	(void)syscall(SYS_capget, &h, d);
	printf("uid %u euid %u gid %u egid %u capabilities %x%08x\n", getuid(), geteuid(),
	       getgid(), getegid(), d[1].permitted, d[0].permitted);
	return 0;
}
