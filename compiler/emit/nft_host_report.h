/* What the target nft-host reports. */
#ifndef COMPILER_EMIT_NFT_HOST_REPORT_H
#define COMPILER_EMIT_NFT_HOST_REPORT_H

#include "compiler/emit/nft_host_cells.h"
#include "compiler/emit/report.h"

/* One line for each statement that the table cannot say, and what else to know. */
void host_report(const struct ir *ir, const struct host_cells *c, struct emit_report *r);

#endif
