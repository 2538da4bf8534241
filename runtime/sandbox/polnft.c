/*
 * polnft: reads the documents of nft.json from the standard input, one per line, and
 * loads them with libnftables into the network namespace in which it was started.
 * polinit executes it when a bundle has no netlink messages or the kernel refuses them.
 * polrun and polinit are static and do not contain libnftables.
 */
#include <nftables/libnftables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/bundle/format.h"

static int fail(const char *what)
{
	(void)fprintf(stderr, "%s\n", what && *what ? what : "unknown error");
	return 1;
}

/* Each document is one transaction, and later ones depend on earlier ones. */
static int load(struct nft_ctx *nft, char *text)
{
	for (char *at = text, *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		if (!end)
			return fail("a document without an end");
		*end = '\0';
		if (nft_run_cmd_from_buffer(nft, at) != 0)
			return fail(nft_ctx_get_error_buffer(nft));
	}
	return 0;
}

int main(void)
{
	struct nft_ctx *nft;
	char *text = NULL;
	size_t len = 0;
	int r;

	if (isatty(0)) {
		(void)fputs("polnft: started by polrun only\n", stderr);
		return 125;
	}
	if (io_read_all(0, PB_MAX_BUNDLE, &text, &len) < 0)
		return fail("the documents cannot be read");
	if (strlen(text) != len || !len)
		return fail("no documents");
	nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!nft)
		return fail("libnftables gives no context");
	/* this also makes it read JSON */
	nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_JSON);
	if (nft_ctx_buffer_error(nft) != 0)
		return fail("libnftables gives no buffer");
	r = load(nft, text);
	nft_ctx_free(nft);
	free(text);
	return r;
}
