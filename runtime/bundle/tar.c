/*
 * Reads and makes the canonical ustar headers. A header is accepted if it equals, byte
 * for byte, the header for its own path and size. Everything else is refused; known
 * tricks are named in the message.
 */
#include "runtime/bundle/tar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Offsets and widths of the fields, POSIX.1-1988 ustar. */
enum {
	NAME_LEN = 100,
	MODE = 100,
	UID = 108,
	GID = 116,
	SIZE = 124,
	SIZE_LEN = 12,
	MTIME = 136,
	CHKSUM = 148,
	TYPE = 156,
	MAGIC = 257,
	DEVMAJOR = 329,
	DEVMINOR = 337
};

/* For a file that does not even begin like a bundle, such as a policy's text. */
#define NO_BUNDLE "it is no bundle (polc compile makes one)"

static bool path_byte_ok(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c != '\0' && strchr("._+@%=,-/", c));
}

bool tar_path_ok(const char *path, size_t len)
{
	size_t start = 0;

	if (len == 0 || len > TAR_PATH_MAX)
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && path[i] != '/') {
			if (!path_byte_ok(path[i]))
				return false;
			continue;
		}
		if (i == start || (i == start + 1 && path[start] == '.') ||
		    (i == start + 2 && path[start] == '.' && path[start + 1] == '.'))
			return false;
		start = i + 1;
	}
	return true;
}

static void octal(uint8_t *field, int digits, uint64_t v)
{
	for (int i = digits - 1; i >= 0; i--) {
		field[i] = (uint8_t)('0' + (v & 7));
		v >>= 3;
	}
}

void tar_header(uint8_t out[TAR_BLOCK], const char *path, size_t len, uint64_t size)
{
	uint64_t sum = 0;

	memset(out, 0, TAR_BLOCK);
	memcpy(out, path, len < TAR_PATH_MAX ? len : TAR_PATH_MAX);
	octal(out + MODE, 7, 0644);
	octal(out + UID, 7, 0);
	octal(out + GID, 7, 0);
	octal(out + SIZE, SIZE_LEN - 1, size);
	octal(out + MTIME, 11, 0);
	memset(out + CHKSUM, ' ', 8);
	out[TYPE] = '0';
	memcpy(out + MAGIC, "ustar\00000", 8);
	octal(out + DEVMAJOR, 7, 0);
	octal(out + DEVMINOR, 7, 0);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += out[i];
	octal(out + CHKSUM, 6, sum);
	out[CHKSUM + 6] = '\0';
}

static bool has_magic(const uint8_t *h)
{
	return memcmp(h + MAGIC, "ustar", 5) == 0;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return false;
	}
	return true;
}

static bool read_size(const uint8_t *field, size_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < SIZE_LEN - 1; i++) {
		if (field[i] < '0' || field[i] > '7')
			return false;
		v = v << 3 | (uint64_t)(field[i] - '0');
	}
	*ret = (size_t)v;
	return field[SIZE_LEN - 1] == '\0';
}

/* What is wrong with the header, for the message; NULL: nothing. */
static const char *header_fault(const uint8_t *h, size_t *ret_size)
{
	const char *name = (const char *)h;
	size_t len = strnlen(name, NAME_LEN);
	uint8_t want[TAR_BLOCK];

	if (!has_magic(h))
		return "has no ustar header";
	if (h[TYPE] == '1' || h[TYPE] == '2')
		return "is a link";
	if (h[TYPE] != '0')
		return "is no regular file";
	if (len > 0 && name[0] == '/')
		return "has an absolute path";
	if (!tar_path_ok(name, len))
		return "has a path that a bundle may not hold";
	if (!read_size(h + SIZE, ret_size))
		return "has no canonical size";
	tar_header(want, name, len, *ret_size);
	if (memcmp(h, want, TAR_BLOCK) != 0)
		return "has a header that is not canonical";
	return NULL;
}

bool tar_peek(const uint8_t h[TAR_BLOCK], size_t *ret_size)
{
	return !header_fault(h, ret_size);
}

/* The name for a message, with '?' for every doubtful byte. */
static void show_name(char out[NAME_LEN + 1], const uint8_t *h)
{
	size_t n = strnlen((const char *)h, NAME_LEN);

	for (size_t i = 0; i < n; i++)
		out[i] = h[i] > 0x20 && h[i] < 0x7f ? (char)h[i] : '?';
	out[n] = '\0';
}

int tar_next(const uint8_t *bytes, size_t size, size_t *at, struct tar_member *ret,
	     struct rt_err *err)
{
	const uint8_t *h = bytes + *at;
	size_t left = size - *at, data = 0;
	char name[NAME_LEN + 1];
	const char *fault;

	if (left < 2 * TAR_BLOCK)
		return rt_fail(err, EBADMSG,
			       *at ? "the archive ends in the middle of a header" :
				     NO_BUNDLE);
	if (all_zero(h, TAR_BLOCK)) {
		if (left != 2 * TAR_BLOCK || !all_zero(h, left))
			return rt_fail(err, EBADMSG,
				       "bytes follow the end of the archive");
		return 0;
	}
	show_name(name, h);
	fault = header_fault(h, &data);
	if (fault && !*at && !has_magic(h))
		return rt_fail(err, EBADMSG, NO_BUNDLE);
	if (fault)
		return rt_fail(err, EBADMSG, "member '%s' %s", name, fault);
	left -= TAR_BLOCK;
	if (data > left || tar_padded(data) > left)
		return rt_fail(err, EBADMSG, "member '%s' is cut short", name);
	h += TAR_BLOCK;
	if (!all_zero(h + data, tar_padded(data) - data))
		return rt_fail(err, EBADMSG, "member '%s' has padding that is not zero",
			       name);
	*ret = (struct tar_member){ (const char *)bytes + *at, h, data };
	*at += TAR_BLOCK + tar_padded(data);
	return 1;
}
