/* A limited network with rules of each kind, and the members that the back end makes of it. */
#ifndef TESTS_UNIT_NFT_FIXTURE_H
#define TESTS_UNIT_NFT_FIXTURE_H

#include "compiler/backend/nft/capture.h"
#include "compiler/backend/nft/net.h"
#include "tests/unit/sema_fixture.h"

static const char made_text[] = "network limited {\n"
			   "\tallow tcp 10.0.0.0/8, 192.0.2.1 port 80, 443 as web\n"
			   "\tdeny tcp 10.1.0.0/16 port 80 as d\n"
			   "\tallow ::1 as one\n"
			   "\tallow tcp \"a.example\", \"*.b.example\" port 443 as n\n"
			   "\tallow tcp \"localhost\" port 5432 within 127.0.0.0/8 as l\n}\n";

struct made {
	struct fx f;
	struct bk_output out;
	struct nft_captured c;
	bool has_batch;
};

/* What polc makes of it; the caller releases `f`. */
static inline void make(struct made *m)
{
	const char *why = "";

	fx_run_text(&m->f, made_text);
	m->out = (struct bk_output){ .a = &m->f.a };
	assert_true(bk_net.emit(m->f.ir, &m->out, &m->f.sink));
	m->has_batch = nft_capture(&m->f.a, bk_member(&m->out, PB_NFT_JSON)->bytes, &m->c,
				   &why) == NFT_CAPTURED;
	if (!m->has_batch)
		printf("no namespaces here: %s\n", why);
}

#endif
