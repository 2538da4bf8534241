/* Reads strings and paths of a traced caller.  Paths are resolved below the
 * sandbox's root by the kernel (openat2, O_PATH); what does not exist there is
 * joined by its text. */
#include "runtime/supervise/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* One read up to the end of a page: a range that ends in an unmapped page
 * would fail as a whole. */
static size_t read_page(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	size_t part = 4096 - (size_t)(addr & 4095);
	struct iovec local, remote;
	ssize_t n;

	if (part > len)
		part = len;
	local = (struct iovec){ buf, part };
	remote = (struct iovec){ (void *)(uintptr_t)addr, part };
	n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

size_t tracee_read(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		size_t n = read_page(pid, addr + got, (char *)buf + got, len - got);

		if (n == 0)
			break;
		got += n;
	}
	return got;
}

bool tracee_string(pid_t pid, uint64_t addr, char *buf, size_t cap)
{
	size_t got = 0;

	if (addr == 0)
		return false;
	while (got < cap) {
		size_t n = read_page(pid, addr + got, buf + got, cap - got);

		if (n == 0)
			return false;
		if (memchr(buf + got, 0, n))
			return true;
		got += n;
	}
	return false;
}

/* The directory that a relative path starts at. */
static bool base_of(const struct trace *t, pid_t pid, int dirfd, char out[PATH_MAX])
{
	char name[48];
	ssize_t n;

	if (dirfd == AT_FDCWD)
		(void)snprintf(name, sizeof(name), "%d/cwd", pid);
	else
		(void)snprintf(name, sizeof(name), "%d/fd/%d", pid, dirfd);
	n = readlinkat(t->proc_fd, name, out, PATH_MAX - 1);
	if (n <= 0 || n >= PATH_MAX - 1 || out[0] != '/')
		return false;
	out[n] = '\0';
	return true;
}

/* Removes '.', '..' and double slashes by text. */
static void normalise(char *path)
{
	char *w = path, *r = path;

	while (*r) {
		size_t n;

		while (*r == '/')
			r++;
		n = strcspn(r, "/");
		if (n == 2 && r[0] == '.' && r[1] == '.') {
			while (w > path && *--w != '/')
				;
		} else if (n > 0 && !(n == 1 && r[0] == '.')) {
			*w++ = '/';
			memmove(w, r, n);
			w += n;
		}
		r += n;
	}
	if (w == path)
		*w++ = '/';
	*w = '\0';
}

/* The real path of what exists at `path` below the sandbox's root. */
static bool real_inside(const struct trace *t, const char *path, bool follow,
			char out[PATH_MAX])
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follow ? 0u : (unsigned)O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	AUTO_CLOSE int fd = sys_openat2(t->root_fd, path, &how);
	char name[32];
	ssize_t n;

	if (fd < 0)
		return false;
	(void)snprintf(name, sizeof(name), "self/fd/%d", fd);
	n = readlinkat(t->proc_fd, name, out, PATH_MAX - 1);
	if (n <= 0 || n >= PATH_MAX - 1 || out[0] != '/')
		return false;
	out[n] = '\0';
	return true;
}

bool tracee_path(const struct trace *t, pid_t pid, int dirfd, const char *raw,
		 bool follow, char out[PATH_MAX], bool *ret_exists)
{
	char full[PATH_MAX], cut[PATH_MAX];
	size_t len, have, rest;

	if (raw[0] == '/') {
		if ((size_t)snprintf(full, sizeof(full), "%s", raw) >= sizeof(full))
			return false;
	} else {
		char base[PATH_MAX];

		if (!base_of(t, pid, dirfd, base) ||
		    (size_t)snprintf(full, sizeof(full), "%s/%s", base, raw) >=
			    sizeof(full))
			return false;
	}
	*ret_exists = real_inside(t, full, follow, out);
	if (*ret_exists)
		return true;
	/* The deepest ancestor that exists, and the rest by its text. */
	memcpy(cut, full, sizeof(cut));
	for (len = strlen(cut); len > 1;) {
		while (len > 1 && cut[len - 1] == '/')
			len--;
		while (len > 1 && cut[len - 1] != '/')
			len--;
		cut[len] = '\0';
		if (real_inside(t, cut, true, out))
			break;
	}
	if (len <= 1)
		out[0] = '\0', len = 0;
	have = strlen(out);
	rest = strlen(full + len);
	if (have + 1 + rest >= PATH_MAX)
		return false;
	out[have] = '/';
	memcpy(out + have + 1, full + len, rest + 1);
	normalise(out);
	return true;
}
