/*
 * polnft-record: loads a ruleset for a trial and answers with the netlink messages by
 * which libnftables does that (record.h).  polc executes it when it compiles a limited
 * network.  It is a program of its own because it must replace libc's sendmsg(), and
 * because nothing else of polc needs libnftables.
 */
#include <errno.h>
#include <nftables/libnftables.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compiler/backend/nft/record.h"
#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/nft_batch.h"
#include "runtime/bundle/nft_load.h"

/* --- what libnftables sends ------------------------------------------------------- */

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

/* --- the answer -------------------------------------------------------------------- */

static void __attribute__((noreturn)) answer(struct record_answer *r,
					     const char *const listing[2])
{
	int e;

	memcpy(r->magic, RECORD_MAGIC, sizeof(r->magic));
	e = io_write_all(1, r, sizeof(*r));
	if (r->verdict == RECORD_DONE) {
		e = e < 0 ? e : io_write_all(1, sent.bytes, r->batch);
		for (unsigned i = 0; i < 2; i++)
			e = e < 0 ? e : io_write_all(1, listing[i], r->listing[i]);
	}
	_exit(e < 0);
}

static void __attribute__((noreturn, format(printf, 2, 3)))
fail(enum record_verdict verdict, const char *fmt, ...)
{
	struct record_answer r = { .verdict = verdict };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(r.why, sizeof(r.why), fmt, ap);
	va_end(ap);
	answer(&r, NULL);
}

/* --- the trial --------------------------------------------------------------------- */

static char *read_documents(void)
{
	char *text;
	size_t n;

	if (io_read_all(0, PB_MAX_BUNDLE, &text, &n) < 0 || !n || strlen(text) != n)
		fail(RECORD_REFUSED, "the documents cannot be read");
	return text;
}

static void enter_namespaces(void)
{
	int e;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0)
		return;
	e = errno;
	/* where user namespaces are off, polc may be root */
	if (unshare(CLONE_NEWNET) == 0)
		return;
	fail(RECORD_NO_NAMESPACE, "no user and network namespace: %s", strerror(e));
}

static struct nft_ctx *open_library(void)
{
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);

	if (!nft)
		fail(RECORD_REFUSED, "libnftables gives no context");
	nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_JSON);
	if (nft_ctx_buffer_output(nft) != 0 || nft_ctx_buffer_error(nft) != 0)
		fail(RECORD_REFUSED, "libnftables gives no buffers");
	return nft;
}

static void run(struct nft_ctx *nft, const char *text, const char *what)
{
	const char *why;

	if (nft_run_cmd_from_buffer(nft, text) == 0)
		return;
	why = nft_ctx_get_error_buffer(nft);
	fail(RECORD_REFUSED, "%s: %.300s", what,
	     why && *why ? why : "libnftables does not say why");
}

/* In its own libnftables context: one context would take the elements of the dry
 * run for loaded ones. */
static void try_dry(const char *document)
{
	struct nft_ctx *nft = open_library();

	nft_ctx_set_dry_run(nft, true);
	run(nft, document, "libnftables refuses a document");
	nft_ctx_free(nft);
}

static void load_documents(struct nft_ctx *nft, char *json)
{
	for (char *at = json, *end; *at; at = end + 1) {
		size_t before = sent.n;

		end = strchr(at, '\n');
		if (!end)
			fail(RECORD_REFUSED, "a document without an end");
		*end = '\0';
		try_dry(at);
		sent.on = true;
		run(nft, at, "the kernel refuses a document");
		sent.on = false;
		if (sent.failed || sent.n == before)
			fail(RECORD_REFUSED,
			     "libnftables sent nothing that could be kept");
		if (sent.n - before > PB_NFT_TRANSACTION)
			fail(RECORD_REFUSED, "a transaction of %zu bytes",
			     sent.n - before);
	}
}

static const char *list(struct nft_ctx *nft)
{
	run(nft, "list ruleset", "listing");
	return nft_ctx_get_output_buffer(nft);
}

int main(void)
{
	static const char alone[] = RECORD_PROGRAM ": started by polc only\n";
	struct record_answer r = { .verdict = RECORD_DONE };
	struct rt_err err = { .err = 0 };
	const char *listing[2];
	struct nft_ctx *nft;
	char *json;

	if (isatty(0)) {
		(void)io_write_all(2, alone, sizeof(alone) - 1);
		return 125;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	json = read_documents();
	enter_namespaces();
	nft = open_library();
	load_documents(nft, json);
	listing[0] = list(nft);
	if (nft_batch_check(sent.bytes, sent.n, &err) < 0)
		fail(RECORD_REFUSED, "what libnftables sent: %s", err.text);
	nft_batch_clean((uint8_t *)sent.bytes, sent.n);
	/* load the same ruleset again, from the copy alone */
	if (unshare(CLONE_NEWNET) != 0)
		fail(RECORD_NO_NAMESPACE, "no second network namespace: %s",
		     strerror(errno));
	if (nft_load(sent.bytes, sent.n, &err) < 0)
		fail(RECORD_REFUSED, "replaying: %s", err.text);
	listing[1] = list(open_library());
	r.batch = (uint32_t)sent.n;
	for (unsigned i = 0; i < 2; i++) {
		if (!listing[i])
			fail(RECORD_REFUSED, "libnftables lists nothing");
		r.listing[i] = (uint32_t)strlen(listing[i]);
	}
	answer(&r, listing);
}
