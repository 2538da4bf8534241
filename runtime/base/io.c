/* Whole reads, whole writes, and text that is safe to print. */
#include "runtime/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/sys.h"

int io_read_all(int fd, size_t limit, char **ret_buf, size_t *ret_len)
{
	AUTO_FREE char *buf = NULL;
	size_t len = 0, cap = 0;

	for (;;) {
		ssize_t n;

		if (cap - len < 2) {
			size_t want = cap ? cap * 2 : 4096;
			char *p;

			if (want > limit + 2)
				want = limit + 2;
			p = realloc(buf, want);
			if (!p)
				return -ENOMEM;
			buf = p;
			cap = want;
		}
		n = read(fd, buf + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > limit)
			return -EFBIG;
	}
	buf[len] = '\0';
	*ret_buf = io_steal_ptr(&buf);
	*ret_len = len;
	return 0;
}

int io_read_file(const char *path, size_t limit, char **ret_buf, size_t *ret_len)
{
	/* O_NONBLOCK: a FIFO in the file's place must not block the caller */
	AUTO_CLOSE int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	/* a FIFO that no process writes reads as an empty file */
	if (S_ISFIFO(st.st_mode))
		return -EINVAL;
	return io_read_all(fd, limit, ret_buf, ret_len);
}

int io_lock(int fd, int how, int64_t ms)
{
	const struct timespec step = { 0, 5000000 };
	const int64_t until = sys_now_ms() + ms;

	while (flock(fd, how | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (sys_now_ms() >= until)
			return -EBUSY;
		(void)nanosleep(&step, NULL);
	}
	return 0;
}

int io_write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_write_file(const char *path, const char *text)
{
	AUTO_CLOSE int fd = sys_open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY, 0);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = SYS_RETRY(write(fd, text, len));
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* Length of the UTF-8 character at s, and its code point; 0: there is none. */
static size_t utf8_len(const unsigned char *s, size_t len, uint32_t *ret_cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t cp;
	size_t n;

	if (s[0] < 0x80)
		n = 1, cp = s[0];
	else if ((s[0] & 0xe0) == 0xc0)
		n = 2, cp = s[0] & 0x1fu;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3, cp = s[0] & 0x0fu;
	else if ((s[0] & 0xf8) == 0xf0)
		n = 4, cp = s[0] & 0x07u;
	else
		return 0;
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3fu);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret_cp = cp;
	return n;
}

/*
 * C1 controls, blanks that shells do not take for blanks, marks of direction, and
 * characters without a shape (Unicode's Default_Ignorable_Code_Point, the braille blank).
 */
static bool hides_text(uint32_t cp)
{
	static const struct {
		uint32_t from, to;
	} hidden[] = {
		{ 0x80, 0xa0 },       { 0xad, 0xad },       { 0x34f, 0x34f },
		{ 0x61c, 0x61c },     { 0x115f, 0x1160 },   { 0x1680, 0x1680 },
		{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x2000, 0x200f },
		{ 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x2800, 0x2800 },
		{ 0x3000, 0x3000 },   { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; cp >= 0x80 && i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp >= hidden[i].from && cp <= hidden[i].to)
			return true;
	return false;
}

static void escape(char *out, size_t cap, const char *s, size_t len, bool backslash)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t at = 0, i = 0;
	size_t mark = 0; /* the last position that leaves room for the "…" */

	if (!cap)
		return;
	while (i < len) {
		char piece[16];
		uint32_t cp = 0;
		size_t n = utf8_len(u + i, len - i, &cp), w;

		if (n == 0 || (n == 1 && (cp < 0x20 || cp == 0x7f))) {
			w = (size_t)snprintf(piece, sizeof(piece), "\\x%02x", u[i]);
			n = 1;
		} else if (n == 1 && cp == '\\' && backslash) {
			w = (size_t)snprintf(piece, sizeof(piece), "\\\\");
		} else if (hides_text(cp)) {
			w = (size_t)snprintf(piece, sizeof(piece), "\\u{%x}",
					     (unsigned)cp);
		} else {
			memcpy(piece, u + i, n);
			w = n;
		}
		if (at + w >= cap) {
			if (mark + 3 < cap) {
				memcpy(out + mark, "…", 3);
				at = mark + 3;
			}
			break;
		}
		memcpy(out + at, piece, w);
		at += w;
		i += n;
		if (at + 3 < cap)
			mark = at;
	}
	out[at] = '\0';
}

void io_escape(char *out, size_t cap, const char *s, size_t len)
{
	escape(out, cap, s, len, true);
}

void io_plain(char *out, size_t cap, const char *s)
{
	escape(out, cap, s, strlen(s), false);
}

int io_close_others(const int *keep, size_t n)
{
	unsigned from = 0;

	for (;;) {
		unsigned next = ~0u;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from && sys_close_range(from, next == ~0u ? next : next - 1, 0) < 0)
			return -errno;
		if (next == ~0u)
			return 0;
		from = next + 1;
	}
}
