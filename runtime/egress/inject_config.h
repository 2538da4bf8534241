/*
 * What polinject is given at its start: egress.bin and the secrets of its grants.
 */
#ifndef RUNTIME_EGRESS_INJECT_CONFIG_H
#define RUNTIME_EGRESS_INJECT_CONFIG_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/bundle/format.h"
#include "runtime/egress/gate.h"
#include "runtime/egress/inject_head.h"

struct inject_config {
	const struct pb_egress *egress;
	/* By the number of the grant; NULL: it injects nothing. */
	const struct gate_secret **secrets;
	uint32_t rule_count;
};

/*
 * Reads and checks all of the sealed file; what it points to stays mapped until the
 * end.  Each grant with a header must have its secret, of printable ASCII without
 * blanks at its ends, and no other grant may have one.  0 or -errno.
 */
int inject_config_read(struct inject_config *ret, int fd, struct rt_err *err);

/*
 * The header that a rule injects into requests to this very name (lower case), or
 * false: no rule about exactly this name injects one.
 */
bool inject_config_find(const struct inject_config *c, const char *name,
			struct inject_header *ret);

#endif
