/*
 * `polc compile`: check, prove what was emitted, write the bundle.  OUT is
 * either the whole new bundle or what it was before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/bundle/writer.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/report.h"
#include "compiler/cli/tests.h"

static bool write_all(int fd, struct str bytes)
{
	size_t done = 0;

	while (done < bytes.n) {
		ssize_t n = write(fd, bytes.p + done, bytes.n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Beside OUT, so that the rename stays in one file system. */
static bool write_file(struct arena *a, const char *path, struct str bytes)
{
	char *temp = arena_printf(a, "%s.XXXXXX", path);
	int fd = mkostemp(temp, O_CLOEXEC), err;

	if (fd < 0) {
		fprintf(stderr, "polc: cannot write '%s': %s\n", path, strerror(errno));
		return false;
	}
	/* 0644 whatever the umask is: polrun of another user may read it */
	if (write_all(fd, bytes) && fchmod(fd, 0644) == 0 && fsync(fd) == 0 &&
	    rename(temp, path) == 0) {
		close(fd);
		return true;
	}
	err = errno;
	close(fd);
	unlink(temp);
	fprintf(stderr, "polc: cannot write '%s': %s\n", path, strerror(err));
	return false;
}

/* --created, else SOURCE_DATE_EPOCH, else none: the same input, the same bytes. */
static bool created(const struct options *o, int64_t *ret)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t n;

	*ret = o->created;
	if (o->created >= 0 || !epoch || !*epoch)
		return true;
	if (!num_u64(str_from(epoch), &n) || n > INT64_MAX) {
		fprintf(stderr, "polc: SOURCE_DATE_EPOCH is '%s', not a number of "
				"seconds\n", epoch);
		return false;
	}
	*ret = (int64_t)n;
	return true;
}

static enum cli_exit build(struct compilation *c, struct buf *ret_bytes)
{
	struct bundle_options opt = {
		.serial = c->o->serial,
		.expires = c->o->expires ? str_from(c->o->expires) : STR_NULL,
		.no_sources = c->o->no_sources,
		.version = POLC_VERSION,
	};
	struct tests_result t;
	enum cli_exit e = passes_run(c, NULL);

	if (c->ir)
		report_fill(c);
	if (e == CLI_CLEAN && !c->sink.errors)
		e = passes_verify(c);
	if (e == CLI_CLEAN && !c->sink.errors)
		e = tests_run(c, &t);
	if (c->ir)
		report_sum(c);
	if (e != CLI_CLEAN || c->sink.errors)
		return e == CLI_INTERNAL ? e : CLI_FINDINGS;
	if (!created(c->o, &opt.created))
		return CLI_TROUBLE;
	if (bundle_write(c->ir, &c->out, &opt, ret_bytes, &c->sink))
		return CLI_CLEAN;
	c->internal = "no bundle, and no message";
	return c->sink.errors ? CLI_FINDINGS : CLI_INTERNAL;
}

enum cli_exit cmd_compile(struct options *o, struct arena *a)
{
	struct compilation c;
	enum cli_exit e;
	struct buf bytes;

	compilation_init(&c, o, a);
	buf_init(&bytes, a);
	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	e = build(&c, &bytes);
	if (e != CLI_CLEAN)
		return cli_refuse(&c, e, CLI_FINDINGS);
	report_print(&c);
	return write_file(a, o->output, buf_view(&bytes)) ? CLI_CLEAN : CLI_TROUBLE;
}
