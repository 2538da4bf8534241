/* The members and features that this version of the format knows, as data. */
#include "runtime/bundle/members.h"

#include <string.h>

const struct member_kind member_kinds[] = {
	{ PB_BLOCKS, false }, /* as the format says */
	{ PB_RULES, true },
	{ PB_MATCHER, true },
	{ PB_COMMANDS, true },
	{ PB_SECCOMP_ENFORCE, true },
	{ PB_SECCOMP_ENFORCE_MAP, true },
	{ PB_SECCOMP_BROKER, true },
	{ PB_SECCOMP_BROKER_MAP, true },
	{ PB_SECCOMP_TRACE, true },
	{ PB_SECCOMP_TRACE_MAP, true },
	{ PB_NFT_JSON, false },
	{ PB_NFT_BATCH, false },
	{ PB_EGRESS, false },
	{ PB_LANDLOCK, true },
	{ PB_MOUNTS, true },
	{ PB_LIMITS, true },
	{ PB_ENV, true },
	{ PB_PUBLISH, false },
	{ PB_SETTINGS, false },
	{ PB_IR, false },
	{ NULL, false }
};

const struct member_filter member_filters[PB_FILTER_COUNT] = {
	[PB_FILTER_ENFORCE] = { "enforce", PB_SECCOMP_ENFORCE, PB_SECCOMP_ENFORCE_MAP },
	[PB_FILTER_BROKER] = { "broker", PB_SECCOMP_BROKER, PB_SECCOMP_BROKER_MAP },
	[PB_FILTER_TRACE] = { "trace", PB_SECCOMP_TRACE, PB_SECCOMP_TRACE_MAP },
};

static const char *const features[] = {
	"mount-setattr", /* mount_setattr(2), 5.12 */
	"net-namespace",
	"nf-tables",     /* nf_tables with conntrack, reject and log; 5.6 */
	"pid-namespace",
	"seccomp",       /* filters, 3.5 */
	"user-namespace",
	NULL
};

bool member_is_source(const char *path, size_t len)
{
	size_t n = strlen(MEMBERS_SOURCES);

	return len > n && memcmp(path, MEMBERS_SOURCES, n) == 0;
}

bool member_is_idle(const char *path, size_t len)
{
	return (len == strlen(PB_IR) && memcmp(path, PB_IR, len) == 0) ||
	       member_is_source(path, len);
}

int member_rank(const char *path, size_t len)
{
	int i = 0;

	for (; member_kinds[i].path; i++) {
		if (strlen(member_kinds[i].path) == len &&
		    memcmp(member_kinds[i].path, path, len) == 0)
			return i;
	}
	return member_is_source(path, len) ? i : -1;
}

bool member_feature_known(const char *name, size_t len)
{
	for (int i = 0; features[i]; i++) {
		if (strlen(features[i]) == len && memcmp(features[i], name, len) == 0)
			return true;
	}
	return false;
}
