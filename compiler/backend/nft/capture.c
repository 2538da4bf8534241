/*
 * Decides whether the kernel takes the rules as they were written.  A bundle gets
 * only what libnftables sent and what makes the same ruleset when it is loaded again.
 */
#include "compiler/backend/nft/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <nftables/libnftables.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "compiler/backend/nft/model.h"
#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/nft_batch.h"
#include "runtime/bundle/nft_load.h"

/* --- what libnftables sends ------------------------------------------------------- */

/* One for the whole process; only the child of polc switches it on. */
static struct {
	bool on;
	char *bytes;
	size_t n;
	bool failed;
} sent;

static void keep(const struct msghdr *m)
{
	for (size_t i = 0; i < (size_t)m->msg_iovlen && !sent.failed; i++) {
		char *more = realloc(sent.bytes, sent.n + m->msg_iov[i].iov_len + 1);

		sent.failed = !more;
		if (!more)
			return;
		sent.bytes = more;
		memcpy(sent.bytes + sent.n, m->msg_iov[i].iov_base,
		       m->msg_iov[i].iov_len);
		sent.n += m->msg_iov[i].iov_len;
	}
}

/* libnftables tries only SO_SNDBUFFORCE, which needs root.  The buffer that every
 * user may have is large enough for PB_NFT_TRANSACTION. */
static void raise_buffer(int fd, const struct msghdr *m)
{
	size_t total = 4096;
	int want;

	for (size_t i = 0; i < (size_t)m->msg_iovlen; i++)
		total += m->msg_iov[i].iov_len;
	want = total > INT32_MAX ? INT32_MAX : (int)total;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &want, sizeof(want));
}

/* Replaces libc's sendmsg(), for libnftables too, which is linked to our program. */
ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (sent.on)
		keep(m);
	raise_buffer(fd, m);
	return syscall(SYS_sendmsg, fd, m, flags);
}

/* --- the child ---------------------------------------------------------------------- */

/* What the child writes: this, then the batch and the listings of both namespaces. */
struct report {
	uint32_t result; /* enum nft_capture_result */
	uint32_t batch, listing[2];
	char why[400];
};

static void __attribute__((noreturn)) child_end(int out, struct report *r,
						const char *const listing[2])
{
	int e = io_write_all(out, r, sizeof(*r));

	if (r->result != NFT_CAPTURED)
		_exit(0);
	e = e < 0 ? e : io_write_all(out, sent.bytes, r->batch);
	for (unsigned i = 0; i < 2; i++)
		e = e < 0 ? e : io_write_all(out, listing[i], r->listing[i]);
	_exit(e < 0);
}

static void __attribute__((noreturn, format(printf, 3, 4)))
child_fail(int out, enum nft_capture_result result, const char *fmt, ...)
{
	struct report r = { .result = (uint32_t)result };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(r.why, sizeof(r.why), fmt, ap);
	va_end(ap);
	child_end(out, &r, NULL);
}

static void enter_namespaces(int out)
{
	int e;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0)
		return;
	e = errno;
	/* where user namespaces are off, polc may be root */
	if (unshare(CLONE_NEWNET) == 0)
		return;
	child_fail(out, NFT_NO_NAMESPACE, "no user and network namespace: %s",
		   strerror(e));
}

static struct nft_ctx *open_library(int out)
{
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);

	if (!nft)
		child_fail(out, NFT_REFUSED, "libnftables gives no context");
	nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_JSON);
	if (nft_ctx_buffer_output(nft) != 0 || nft_ctx_buffer_error(nft) != 0)
		child_fail(out, NFT_REFUSED, "libnftables gives no buffers");
	return nft;
}

static void run(int out, struct nft_ctx *nft, const char *text, const char *what)
{
	const char *why;

	if (nft_run_cmd_from_buffer(nft, text) == 0)
		return;
	why = nft_ctx_get_error_buffer(nft);
	child_fail(out, NFT_REFUSED, "%s: %.300s", what,
		   why && *why ? why : "libnftables does not say why");
}

/* In its own libnftables context: one context would take the elements of the dry
 * run for loaded ones. */
static void try_dry(int out, const char *document)
{
	struct nft_ctx *nft = open_library(out);

	nft_ctx_set_dry_run(nft, true);
	run(out, nft, document, "libnftables refuses a document");
	nft_ctx_free(nft);
}

static void load_documents(int out, struct nft_ctx *nft, char *json)
{
	for (char *at = json, *end; *at; at = end + 1) {
		size_t before = sent.n;

		end = strchr(at, '\n');
		if (!end)
			child_fail(out, NFT_REFUSED, "a document without an end");
		*end = '\0';
		try_dry(out, at);
		sent.on = true;
		run(out, nft, at, "the kernel refuses a document");
		sent.on = false;
		if (sent.failed || sent.n == before)
			child_fail(out, NFT_REFUSED, "libnftables sent nothing that could "
						     "be kept");
		if (sent.n - before > PB_NFT_TRANSACTION)
			child_fail(out, NFT_REFUSED, "a transaction of %zu bytes",
				   sent.n - before);
	}
}

static const char *list(int out, struct nft_ctx *nft)
{
	run(out, nft, "list ruleset", "listing");
	return nft_ctx_get_output_buffer(nft);
}

static void __attribute__((noreturn)) child_main(int out, char *json)
{
	struct report r = { .result = NFT_CAPTURED };
	const char *listing[2];
	struct rt_err err = { .err = 0 };
	struct nft_ctx *nft;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	enter_namespaces(out);
	nft = open_library(out);
	load_documents(out, nft, json);
	listing[0] = list(out, nft);
	if (nft_batch_check(sent.bytes, sent.n, &err) < 0)
		child_fail(out, NFT_REFUSED, "what libnftables sent: %s", err.text);
	nft_batch_clean((uint8_t *)sent.bytes, sent.n);
	/* load the same ruleset again, from the copy alone */
	if (unshare(CLONE_NEWNET) != 0)
		child_fail(out, NFT_NO_NAMESPACE, "no second network namespace: %s",
			   strerror(errno));
	if (nft_load(sent.bytes, sent.n, &err) < 0)
		child_fail(out, NFT_REFUSED, "replaying: %s", err.text);
	listing[1] = list(out, open_library(out));
	r.batch = (uint32_t)sent.n;
	for (unsigned i = 0; i < 2; i++) {
		if (!listing[i])
			child_fail(out, NFT_REFUSED, "libnftables lists nothing");
		r.listing[i] = (uint32_t)strlen(listing[i]);
	}
	child_end(out, &r, listing);
}

/* --- polc ------------------------------------------------------------------------------ */

static enum nft_capture_result refused(struct arena *a, const char **ret_why,
				       const char *what)
{
	*ret_why = arena_printf(a, "%s", what);
	return NFT_REFUSED;
}

/* Do both listings say what the documents said?  (A listing has no fixed order.) */
static const char *compare(struct arena *a, struct str json, const struct str listing[2],
			   struct str *ret_version)
{
	struct model want, is;
	const char *why = model_read(a, json, &want);

	for (unsigned i = 0; !why && i < 2; i++) {
		why = model_read(a, listing[i], &is);
		if (why)
			break;
		*ret_version = is.version;
		why = model_differs(a, &want, &is);
		if (why)
			why = arena_printf(a, "the kernel lists something else%s: %s",
					   i ? " after the replay" : "", why);
	}
	return why;
}

static enum nft_capture_result take(struct arena *a, const char *bytes, size_t n,
				    struct str json, struct nft_captured *ret,
				    const char **ret_why)
{
	struct str listing[2];
	const char *why;
	struct report r;

	if (n < sizeof(r))
		return refused(a, ret_why, "the trial ended early");
	memcpy(&r, bytes, sizeof(r));
	r.why[sizeof(r.why) - 1] = '\0';
	if (r.result != NFT_CAPTURED) {
		*ret_why = arena_printf(a, "%s", r.why);
		return r.result == NFT_NO_NAMESPACE ? NFT_NO_NAMESPACE : NFT_REFUSED;
	}
	if (n != sizeof(r) + (size_t)r.batch + r.listing[0] + r.listing[1])
		return refused(a, ret_why, "the trial ended early");
	bytes += sizeof(r);
	ret->batch = str_dup(a, (struct str){ bytes, r.batch });
	listing[0] = str_dup(a, (struct str){ bytes + r.batch, r.listing[0] });
	listing[1] = str_dup(a, (struct str){ bytes + r.batch + r.listing[0],
					      r.listing[1] });
	why = compare(a, json, listing, &ret->version);
	return why ? refused(a, ret_why, why) : NFT_CAPTURED;
}

enum nft_capture_result nft_capture(struct arena *a, struct str json,
				    struct nft_captured *ret, const char **ret_why)
{
	AUTO_FREE char *answer = NULL;
	enum nft_capture_result result;
	size_t n = 0;
	int p[2], status, r;
	pid_t pid;

	*ret = (struct nft_captured){ .batch = STR_NULL };
	if (pipe2(p, O_CLOEXEC) != 0)
		return refused(a, ret_why, strerror(errno));
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)close(p[0]);
		child_main(p[1], arena_printf(a, "%.*s", STR_ARG(json)));
	}
	(void)close(p[1]);
	if (pid < 0) {
		r = errno;
		(void)close(p[0]);
		return refused(a, ret_why, strerror(r));
	}
	r = io_read_all(p[0], PB_MAX_BUNDLE, &answer, &n);
	(void)close(p[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	result = r < 0 ? refused(a, ret_why, strerror(-r)) :
			 take(a, answer, n, json, ret, ret_why);
	return result;
}
