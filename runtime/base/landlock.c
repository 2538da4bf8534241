/* Decides which rights and scopes an ABI version of Landlock has (landlock.h). */
#include "runtime/base/landlock.h"

#include "runtime/base/sys.h"

static const struct {
	int abi;
	struct rt_landlock_attr adds;
} versions[] = {
	{ 1, { .handled_access_fs = LANDLOCK_ACCESS_FS_REFER - 1 } },
	{ 2, { .handled_access_fs = LANDLOCK_ACCESS_FS_REFER } },
	{ 3, { .handled_access_fs = LANDLOCK_ACCESS_FS_TRUNCATE } },
	{ 4,
	  { .handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP |
				  LANDLOCK_ACCESS_NET_CONNECT_TCP } },
	{ 5, { .handled_access_fs = LANDLOCK_ACCESS_FS_IOCTL_DEV } },
	{ 6, { .scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL } },
};

struct rt_landlock_attr landlock_all(int abi)
{
	struct rt_landlock_attr ret = { 0 };

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i].abi > abi)
			break;
		ret.handled_access_fs |= versions[i].adds.handled_access_fs;
		ret.handled_access_net |= versions[i].adds.handled_access_net;
		ret.scoped |= versions[i].adds.scoped;
	}
	return ret;
}

size_t landlock_attr_size(int abi)
{
	if (abi >= 6)
		return sizeof(struct rt_landlock_attr);
	return abi >= 4 ? offsetof(struct rt_landlock_attr, scoped) :
			  offsetof(struct rt_landlock_attr, handled_access_net);
}

int landlock_ruleset(const struct rt_landlock_attr *attr, int abi)
{
	return sys_landlock_create(attr, landlock_attr_size(abi), 0);
}
