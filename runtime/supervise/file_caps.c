/* Decides with which capabilities polrun acts for a run: see file_caps.h. */
#include "runtime/supervise/file_caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct caps {
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct v[2];
};

/* As the kernel's CAP_FS_SET. */
static const uint8_t of_files[] = {
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID,
	CAP_LINUX_IMMUTABLE, CAP_MKNOD, CAP_MAC_OVERRIDE,
};

static int get(struct caps *ret)
{
	*ret = (struct caps){ .head = { _LINUX_CAPABILITY_VERSION_3, 0 } };
	return syscall(SYS_capget, &ret->head, ret->v) == 0 ? 0 : -errno;
}

int file_caps_drop(void)
{
	struct caps c;
	int r = get(&c);

	if (r < 0)
		return r;
	/* what is not permitted and inheritable is not ambient either */
	for (size_t i = 0; i < sizeof(of_files); i++) {
		struct __user_cap_data_struct *v = &c.v[of_files[i] / 32];
		uint32_t bit = UINT32_C(1) << of_files[i] % 32;

		v->effective &= ~bit;
		v->permitted &= ~bit;
		v->inheritable &= ~bit;
	}
	return syscall(SYS_capset, &c.head, c.v) == 0 ? 0 : -errno;
}

int file_caps_has(void)
{
	struct caps c;
	int r = get(&c);

	for (size_t i = 0; i < sizeof(of_files) && r == 0; i++)
		r = (int)(c.v[of_files[i] / 32].effective >> of_files[i] % 32 & 1);
	return r;
}
