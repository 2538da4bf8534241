/* Reads /etc/passwd without NSS. */
#include "runtime/base/passwd.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/io.h"

#define PASSWD_MAX ((size_t)16 * 1024 * 1024)

bool passwd_number(const char *s, size_t len, uid_t *ret)
{
	uint64_t v = 0;

	if (len == 0 || len > 10)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	if (v >= UINT32_MAX)
		return false;
	*ret = (uid_t)v;
	return true;
}

bool passwd_entry_read(const char *line, size_t len, struct passwd_entry *ret)
{
	const char *f[7];
	size_t n[7], k = 0, at = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && line[i] != ':')
			continue;
		if (k == 7)
			return false;
		f[k] = line + at;
		n[k++] = i - at;
		at = i + 1;
	}
	if (k != 7 || n[0] == 0 || n[0] >= sizeof(ret->name) ||
	    n[5] >= sizeof(ret->home) || !passwd_number(f[2], n[2], &ret->uid) ||
	    !passwd_number(f[3], n[3], &ret->gid))
		return false;
	memcpy(ret->name, f[0], n[0]);
	ret->name[n[0]] = '\0';
	memcpy(ret->home, f[5], n[5]);
	ret->home[n[5]] = '\0';
	return true;
}

bool passwd_find(const char *text, const char *name, uid_t uid,
		 struct passwd_entry *ret)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct passwd_entry e;

		if (passwd_entry_read(text, len, &e) &&
		    (name ? strcmp(e.name, name) == 0 : e.uid == uid)) {
			*ret = e;
			return true;
		}
		text += len;
		if (*text)
			text++;
	}
	return false;
}

int passwd_lookup(const char *name, uid_t uid, struct passwd_entry *ret)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	int r = io_read_file("/etc/passwd", PASSWD_MAX, &text, &len);

	if (r == -ENOENT || r == -EACCES || r == -ENOTDIR)
		return 0;
	return r < 0 ? r : passwd_find(text, name, uid, ret);
}
