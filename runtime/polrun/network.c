/*
 * Handles the mode of the network in polrun: whose network it is, which message it
 * needs, and who loads the rules.
 */
#include "runtime/polrun/network.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/decide/hint.h"
#include "runtime/decide/rule_text.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/polrun/before.h"
#include "runtime/polrun/secrets.h"

void network_fill(struct sandbox_run *run)
{
	run->host_network = bundle_net_mode(run->bundle) == PB_NET_FULL &&
			    !bundle_net_gate(run->bundle);
	run->gateway = bundle_net_gateway(run->bundle);
	run->by_polnft = false;
	run->polnft_fd = -1;
}

bool network_asks(const struct sandbox_run *run)
{
	const struct pb_egress *e = run->bundle->egress;

	for (uint32_t i = 0; run->gateway && i < e->pieces.count; i++)
		if (((const struct pb_piece *)pb_at(e, e->pieces, sizeof(struct pb_piece), i))->effect ==
		    PB_ASK)
			return true;
	return false;
}

/* The host's certificate authorities: the file that its own programs use. */
static int open_authorities(struct rt_err *err)
{
	static const char *const files[] = {
		"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = sys_open(files[i], O_RDONLY | O_CLOEXEC, 0);

		if (fd >= 0)
			return fd;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return rt_fail_errno(err, errno, "%s", files[i]);
	}
	return rt_fail(err, ENOENT, "a rule injects a credential, and the host has no certificate "
		       "authorities (%s): install ca-certificates", files[0]);
}

int network_start_gateway(const struct sandbox_run *run, struct gateway *g, bool ask,
			  struct rt_err *err)
{
	AUTO_CLOSE int gate = -1, inject = -1, ca = -1;
	struct gateway_secrets via, header;
	struct gateway_programs p = { .inject = -1, .ca = -1, .via_secrets = &via,
				      .inject_secrets = &header };
	int r;

	if (!run->gateway)
		return 0;
	gate = before_open_polgate(err);
	if (gate < 0)
		return gate;
	p.gate = gate;
	r = secrets_take(run, SECRET_VIA, &via, err);
	if (r < 0)
		return r;
	r = secrets_take(run, SECRET_INJECT, &header, err);
	if (r == 0 && header.count) {
		p.inject = inject = before_open_polinject(err);
		p.ca = ca = inject < 0 ? inject : open_authorities(err);
		r = ca < 0 ? ca : 0;
	}
	if (r == 0)
		r = gateway_start(g, run, &p, ask ? GATE_ASK_POLRUN : GATE_ASK_NOBODY, err);
	secrets_release(&via);
	secrets_release(&header);
	return r;
}

void network_say(FILE *out, const struct sandbox_run *run)
{
	if (bundle_net_mode(run->bundle) == PB_NET_LIMITED && !run->gateway)
		fputs("polrun: network limited: no rule allows anything outside of the run's own "
		      "loopback\n", out);
	if (sandbox_unix_wall(run))
		fputs("polrun: network full: no unix socket can be made but connected pairs: "
		      "this kernel has no scope for the host's abstract ones (Landlock ABI "
		      "6, Linux 6.12)\n", out);
}

void network_off_say(FILE *out, const struct sandbox_run *run)
{
	/* the counters have neither names nor ports */
	static const struct hint_subject any = { .kind = PB_NET, .host = "HOST", .port = 443 };
	const struct bundle *b = run->bundle;
	const struct decision denied = { .effect = PB_DENY,
					 .rule = b->rules->scalar_first + (uint32_t)PB_S_NET_MODE };
	char rule[EXPLAIN_RULE_CAP];
	struct hint hint;

	hint_request(b, &any, &denied, &hint);
	fprintf(out, "polrun: the network is %s (%s), and the command asks for %s; to let it pass: %s\n",
		bundle_net_mode(b) == PB_NET_LIMITED ? "limited to the run's own loopback" : "off",
		explain_rule(b, denied.rule, rule), bundle_net_mode(b) == PB_NET_LIMITED ? "more" : "it",
		hint.text);
}

bool network_by_polnft(struct sandbox_run *run, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int fd;

	if (strcmp(err->step, "nft") != 0 || run->by_polnft)
		return false;
	fd = before_open_polnft(&why);
	if (fd < 0) {
		size_t at = strlen(err->text);

		/* put both reasons on one line */
		(void)snprintf(err->text + at, sizeof(err->text) - at, "; %s", why.text);
		return false;
	}
	if (bundle_member(run->bundle, PB_NFT_BATCH))
		fprintf(stderr, "polrun: nft: %s: polnft loads the rules\n", err->text);
	run->polnft_fd = fd;
	run->by_polnft = true;
	return true;
}

const char *network_mechanism(const struct sandbox_run *run)
{
	if (run->host_network)
		return sandbox_unix_wall(run) ?
			       "the host's; over: no unix socket but connected pairs, since "
			       "this kernel has no scope for abstract ones (Landlock ABI 6)" :
			       "the host's; its abstract sockets are closed by Landlock's "
			       "scope";
	if (run->gateway)
		return run->by_polnft ? "own namespace, rules in nftables (loaded by polnft); "
					"polgate resolves names and makes the connections" :
					"own namespace, rules in nftables; polgate resolves names "
					"and makes the connections";
	return run->by_polnft ? "own namespace with nothing but its loopback; polnft "
				"loaded its rules" :
				"own namespace with nothing but its loopback";
}

void network_release(struct sandbox_run *run)
{
	if (run->by_polnft && run->polnft_fd >= 0)
		(void)close(run->polnft_fd);
	run->polnft_fd = -1;
}
