/*
 * Compares a piece of egress.bin with the evaluator: effect, rule, whether it is the run's
 * own loopback, and what it grants.  Part of the validation: it shares nothing with cell.c.
 */
#ifndef COMPILER_BACKEND_NFT_VERIFY_PIECE_H
#define COMPILER_BACKEND_NFT_VERIFY_PIECE_H

#include "compiler/backend/nft/region.h"
#include "compiler/eval/eval.h"

/* NULL, or in what the two differ.  `d` is what the evaluator says about `q`. */
const char *nft_verify_piece(const struct ir *ir, const struct pb_egress *e,
			     const struct pb_piece *p, const struct ir_request *q,
			     const struct eval_decision *d, struct arena *a);

/*
 * The same about an address to which a name has led: effect and rule, which is all that the
 * gateway reads there.  `d` is what the evaluator says there (compiler/eval/reached.h).
 */
const char *nft_verify_reached(const struct ir *ir, const struct pb_piece *p,
			       const struct eval_decision *d);

#endif
