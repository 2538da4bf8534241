/*
 * The network's mode as polrun sees it: whose network it is, what it has to
 * say about it, and who loads the rules.
 */
#include "runtime/cli/network.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cli/before.h"

void network_fill(struct sandbox_run *run, bool say)
{
	unsigned mode = bundle_net_mode(run->bundle);

	run->host_network = mode == PB_NET_FULL;
	run->by_polnft = false;
	run->polnft_fd = -1;
	if (say && mode == PB_NET_LIMITED)
		fputs("polrun: network limited: nothing leaves the run before there is an "
		      "egress gateway; on its own loopback the rules decide\n", stderr);
}

bool network_by_polnft(struct sandbox_run *run, const struct rt_err *err)
{
	struct rt_err why = { 0 };
	int fd;

	if (strcmp(err->step, "nft") != 0 || run->by_polnft)
		return false;
	fd = before_open_polnft(&why);
	if (fd < 0) {
		fprintf(stderr, "polrun: %s\n", why.text);
		return false;
	}
	if (bundle_member(run->bundle, PB_NFT_BATCH))
		fprintf(stderr, "polrun: nft: %s: polnft loads the rules\n", err->text);
	run->polnft_fd = fd;
	run->by_polnft = true;
	return true;
}

void network_release(struct sandbox_run *run)
{
	if (run->by_polnft && run->polnft_fd >= 0)
		(void)close(run->polnft_fd);
	run->polnft_fd = -1;
}
