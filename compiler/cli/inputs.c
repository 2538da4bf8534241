/* Decides what --inputs says of the files that were read: what was parsed, and not what is
 * there now. */
#include "compiler/cli/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"

static void digest(struct buf *b, struct str text)
{
	unsigned char sum[32];

	(void)crypto_generichash(sum, sizeof(sum), (const unsigned char *)text.p, text.n, NULL,
				 0);
	for (size_t i = 0; i < sizeof(sum); i++)
		buf_printf(b, "%02x", sum[i]);
}

/* A line has one path: a newline in it would make two lines of it. */
static bool one_line(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < 0x20 || *path == 0x7f)
			return false;
	return true;
}

static bool is_narrow(const struct sema *s, uint32_t file)
{
	for (size_t i = 0; i < s->units.n; i++)
		if (s->units.v[i]->narrow && s->units.v[i]->file == file)
			return true;
	return false;
}

/* What check says of the files that nobody has named. */
static unsigned dropped(const struct compilation *c)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->sink.list.n; i++) {
		const struct diag *d = c->sink.list.v[i];

		n += d->code == DIAG_DROPPED && is_narrow(&c->sema, d->at.file);
	}
	return n;
}

bool inputs_write(const struct compilation *c, const char *path)
{
	struct buf b;
	int fd, r;

	buf_init(&b, c->a);
	buf_printf(&b, "dropped %u\n", dropped(c));
	for (size_t i = 0; i < c->sema.units.n; i++) {
		const struct sema_unit *u = c->sema.units.v[i];

		if (!one_line(u->path)) {
			fputs("polc: --inputs: the name of a policy has control characters\n",
			      stderr);
			return false;
		}
		buf_printf(&b, "file %d %s%s%s%s ", (int)u->level, u->narrow ? "n" : "",
			   u->std ? "s" : "", u->named ? "i" : "",
			   u->narrow || u->std || u->named ? "" : "-");
		digest(&b, c->map.files.v[u->file].text);
		buf_printf(&b, " %s\n", u->path);
	}
	buf_printf(&b, "end\n");
	fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : io_write_all(fd, buf_view(&b).p, buf_view(&b).n);
	if (fd >= 0 && close(fd) != 0 && r == 0)
		r = -errno;
	if (r < 0)
		cli_say_path(path, "cannot be written: ", -r);
	return r == 0;
}
