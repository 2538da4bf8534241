/*
 * Runs ssh-keygen over a manifest and puts the signature into the archive, in
 * its one place: behind manifest.b2, in the order of the keys' names.
 */
#include "compiler/bundle/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/base/buf.h"
#include "runtime/bundle/sshsig.h"
#include "runtime/bundle/tar.h"

extern char **environ;

static bool fail(struct diag_sink *sink, const char *key, const char *why)
{
	diag_add(sink, DIAG_SIGN, SPAN_NONE, "the bundle is not signed with '%s': %s",
		 key, why);
	return false;
}

/* Files in memory: no pipe that could fill, nothing left behind. */
static bool make_files(struct str in, int ret_fd[2])
{
	size_t done = 0;

	ret_fd[0] = memfd_create("manifest", MFD_CLOEXEC);
	ret_fd[1] = memfd_create("signature", MFD_CLOEXEC);
	while (ret_fd[0] >= 0 && done < in.n) {
		ssize_t n = write(ret_fd[0], in.p + done, in.n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return ret_fd[0] >= 0 && ret_fd[1] >= 0 && lseek(ret_fd[0], 0, SEEK_SET) == 0;
}

/* 0 where it ended well; what it has to say or to ask goes to the terminal. */
static int run_keygen(const char *key, const int fd[2])
{
	const char *const argv[] = {"ssh-keygen", "-q", "-Y", "sign",
				    "-f",         key,  "-n", SSHSIG_NAMESPACE,
				    NULL};
	posix_spawn_file_actions_t acts;
	int r, status;
	pid_t pid;

	if (posix_spawn_file_actions_init(&acts) != 0)
		return ENOMEM;
	r = posix_spawn_file_actions_adddup2(&acts, fd[0], 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&acts, fd[1], 1);
	if (r == 0)
		r = posix_spawnp(&pid, argv[0], &acts, NULL,
				 (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawn_file_actions_destroy(&acts);
	if (r != 0)
		return r;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool read_signature(struct arena *a, int fd, struct str *ret)
{
	char *p = arena_array(a, SSHSIG_MAX_ARMOUR + 1, 1);
	size_t n = 0;

	while (n <= SSHSIG_MAX_ARMOUR) {
		ssize_t k = pread(fd, p + n, SSHSIG_MAX_ARMOUR + 1 - n, (off_t)n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return false;
		if (k == 0)
			break;
		n += (size_t)k;
	}
	*ret = (struct str){p, n};
	return true;
}

static bool ask_keygen(struct arena *a, struct str manifest, const char *key,
		       struct str *ret, struct diag_sink *sink)
{
	int fd[2] = {-1, -1}, r;
	bool ok = make_files(manifest, fd);

	if (!ok) {
		fail(sink, key, strerror(errno));
	} else {
		r = run_keygen(key, fd);
		if (r > 0)
			fail(sink, key,
			     arena_printf(a, "ssh-keygen cannot be run: %s",
					  strerror(r)));
		else if (r < 0)
			fail(sink, key, "ssh-keygen did not sign");
		ok = r == 0;
		if (ok && !read_signature(a, fd[1], ret))
			ok = fail(sink, key, strerror(errno));
	}
	for (int i = 0; i < 2; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	return ok;
}

static bool check(const struct bundle *b, struct str text, struct sshkey *ret,
		  struct rt_err *err)
{
	return sshsig_check((const uint8_t *)text.p, text.n, b->manifest,
			    b->manifest_size, ret, err) == 0;
}

bool bundle_sign(struct arena *a, const struct bundle *b, const char *key,
		 struct str *ret_text, struct diag_sink *sink)
{
	struct str manifest = {(const char *)b->manifest, b->manifest_size};
	struct rt_err err = {.err = 0};
	struct sshkey who;
	struct str text;

	if (access(key, R_OK) != 0)
		return fail(sink, key, strerror(errno));
	if (!ask_keygen(a, manifest, key, &text, sink))
		return false;
	if (!check(b, text, &who, &err))
		return fail(sink, key,
			    arena_printf(a, "polrun would refuse the signature: %s",
					 err.text));
	*ret_text = text;
	return true;
}

/* --- the archive ---------------------------------------- */

static void put(struct buf *out, struct str path, struct str bytes)
{
	uint8_t header[TAR_BLOCK];

	tar_header(header, path.p, path.n, bytes.n);
	buf_add(out, header, sizeof(header));
	buf_str(out, bytes);
	buf_align(out, TAR_BLOCK);
}

/* What the archive begins with: manifest.json and manifest.b2. */
static size_t head_size(const struct bundle *b)
{
	static const char sum[] = "  " PB_MANIFEST "\n";

	return TAR_BLOCK + tar_padded(b->manifest_size) + TAR_BLOCK +
	       tar_padded(64 + sizeof(sum) - 1);
}

bool bundle_add_signature(struct arena *a, const struct bundle *b, struct str text,
			  struct str *ret_bytes, struct diag_sink *sink)
{
	size_t head = head_size(b), rest = head;
	char name[SSHKEY_NAME_CAP];
	struct rt_err err = {.err = 0};
	struct sshkey who;
	struct str path;
	struct buf out;
	bool done = false;

	if (!check(b, text, &who, &err))
		return fail(sink, "the key", err.text);
	sshkey_name(&who, name);
	path = str_printf(a, PB_SIGNATURES "%s" PB_SIGNATURE_END, name);
	buf_init(&out, a);
	buf_add(&out, b->bytes, head);
	for (size_t i = 0; i < b->nsignatures; i++) {
		const struct bundle_signature *s = &b->signatures[i];
		int cmp = str_cmp(path, str_from(s->path));

		rest += TAR_BLOCK + tar_padded(s->size);
		if (cmp <= 0 && !done)
			put(&out, path, text);
		done |= cmp <= 0;
		if (cmp != 0)
			put(&out, str_from(s->path),
			    (struct str){(const char *)s->data, s->size});
	}
	if (!done)
		put(&out, path, text);
	buf_add(&out, b->bytes + rest, b->size - rest);
	if (out.n > PB_MAX_BUNDLE) {
		diag_add(sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
			 "the bundle has %zu bytes with its signature, the limit is %u",
			 out.n, PB_MAX_BUNDLE);
		return false;
	}
	*ret_bytes = buf_view(&out);
	return true;
}
