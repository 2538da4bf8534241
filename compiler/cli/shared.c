/* What all verbs share: finding and reading what the command line names. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/discover.h"
#include "compiler/cli/report.h"
#include "compiler/cli/roots.h"

static bool can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0;

	if (ok && S_ISDIR(st.st_mode)) {
		ok = false;
		errno = EISDIR;
	}
	if (!ok)
		fprintf(stderr, "polc: '%s' cannot be read: %s\n", path,
			strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

bool cli_sources(struct options *o, struct arena *a)
{
	struct roots roots;
	size_t i;

	if (o->discover &&
	    (!roots_find(o, a, &roots, stderr) || !discover_all(o, a, &roots, stderr)))
		return false;
	for (i = 0; i < o->inputs.n; i++)
		if (!can_read(o->inputs.v[i].path))
			return false;
	return true;
}

bool cli_bundle(const char *path, struct bundle *ret)
{
	struct rt_err err = { .err = 0 };

	if (bundle_open(path, ret, &err) == 0)
		return true;
	fprintf(stderr, "polc: %s\n", err.text);
	return false;
}

enum cli_exit cli_refuse(const struct compilation *c, enum cli_exit e,
			 enum cli_exit errors)
{
	report_print(c);
	if (e == CLI_INTERNAL)
		report_internal(c);
	return e == CLI_FINDINGS ? errors : e;
}
