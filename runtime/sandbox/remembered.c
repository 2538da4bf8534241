/* Files in the state's folder, which belong to the caller and which nobody else may read. */
#include "runtime/sandbox/remembered.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

enum { NAME = 24, DIGEST = 32 };

/* What a crash or a bad disk has left is not believed. */
static void sum_up(const struct remembered_part *v, size_t n, unsigned char ret[DIGEST])
{
	crypto_generichash_state h;

	(void)crypto_generichash_init(&h, NULL, 0, DIGEST);
	for (size_t i = 0; i < n; i++)
		(void)crypto_generichash_update(&h, v[i].p, v[i].n);
	(void)crypto_generichash_final(&h, ret, DIGEST);
}

static void name_file(const char *kind, const char *about, char ret[NAME])
{
	unsigned char sum[16];

	(void)crypto_generichash(sum, sizeof(sum), (const unsigned char *)about, strlen(about), NULL, 0);
	(void)snprintf(ret, NAME, "%s-%02x", kind, sum[0]);
}

static int open_folder(const char *path)
{
	AUTO_CLOSE int dir = -1;
	struct stat st;

	if (!path)
		return -1;
	dir = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (dir < 0 || fstat(dir, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 077))
		return -1;
	return io_steal_fd(&dir);
}

char *remembered_read(const char *dir, const char *kind, const char *about, size_t most, size_t *ret_n)
{
	AUTO_CLOSE int folder = open_folder(dir), fd = -1;
	unsigned char sum[DIGEST];
	char name[NAME], *text;
	struct stat st;

	if (folder < 0)
		return NULL;
	name_file(kind, about, name);
	fd = sys_openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077) || io_read_all(fd, most + DIGEST, &text, ret_n) < 0)
		return NULL;
	*ret_n -= *ret_n < DIGEST ? *ret_n : DIGEST;
	sum_up(&(struct remembered_part){ text + DIGEST, *ret_n }, 1, sum);
	if (*ret_n && memcmp(text, sum, DIGEST) == 0)
		return memmove(text, text + DIGEST, *ret_n + 1);
	free(text);
	return NULL;
}

void remembered_write(const char *dir, const char *kind, const char *about, const struct remembered_part *v, size_t n)
{
	AUTO_CLOSE int folder = open_folder(dir), fd = -1;
	unsigned char sum[DIGEST];
	char name[NAME], temp[2 * NAME];
	bool ok;

	if (folder < 0)
		return;
	sum_up(v, n, sum);
	name_file(kind, about, name);
	(void)snprintf(temp, sizeof(temp), "%s.%08x", name, (unsigned)randombytes_random());
	fd = sys_openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	ok = io_write_all(fd, sum, DIGEST) == 0;
	for (size_t i = 0; i < n && ok; i++)
		ok = io_write_all(fd, v[i].p, v[i].n) == 0;
	if (!ok || renameat(folder, temp, folder, name) != 0)
		(void)unlinkat(folder, temp, 0);
}
