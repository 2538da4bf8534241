/*
 * What polc and polnft-record, the program that it starts, tell each other.
 *
 * polnft-record has no arguments and an empty environment.
 *   standard input   nft.json: documents of libnftables, one per line, without NUL
 *   standard output  one struct record_answer, the batch, the two listings, and no more
 *   exit status      0 if the answer is complete, whatever its verdict is
 *
 * polnft-record enters a user and a network namespace of its own.  It tries the
 * documents dry, loads them for real while it keeps a copy of what libnftables sends,
 * and lists the ruleset.  Then it loads the copy into a second, empty namespace and
 * lists the ruleset again.  It does not judge the listings: polc compares them with
 * the documents.
 *
 * Both programs are of one installation and run on one machine, so the answer has the
 * machine's own layout.  polc believes nothing else: an answer that is shorter or longer
 * than it says, or another exit status, is a failure.
 */
#ifndef COMPILER_BACKEND_NFT_RECORD_H
#define COMPILER_BACKEND_NFT_RECORD_H

#include <stdint.h>

#define RECORD_PROGRAM "polnft-record"
/* The first bytes of each answer, without a NUL. */
#define RECORD_MAGIC "record 1"

enum record_verdict { /* never 0 */
	RECORD_DONE = 1,
	RECORD_NO_NAMESPACE,
	RECORD_REFUSED
};

struct record_answer {
	char magic[8];
	uint32_t verdict;
	uint32_t batch;      /* bytes; of the form that nft_batch_check() takes */
	uint32_t listing[2]; /* bytes of JSON: after the documents, after the copy */
	char why[400];       /* a line with its NUL, unless RECORD_DONE */
};

#endif
