/* Strict readers of numbers, units, addresses and dates; never partial. */
#ifndef COMPILER_BASE_NUM_H
#define COMPILER_BASE_NUM_H

#include "compiler/base/str.h"

/* Decimal without leading zeros or 0x hexadecimal, whole text, no sign; false
 * on overflow too. */
bool num_u64(struct str s, uint64_t *ret_v);
bool num_i64(struct str s, int64_t *ret_v);
/* A size with K M G T (1024) or none: bytes. */
bool num_size(struct str s, uint64_t *ret_bytes);
/* A duration with ms s m h d: milliseconds.  No unit is an error but for 0. */
bool num_duration(struct str s, uint64_t *ret_ms);
/* "2.5": thousandths (2500); at most three decimals. */
bool num_milli(struct str s, uint64_t *ret_milli);
/* "1-65535" or "80". */
bool num_port_range(struct str s, uint16_t *ret_lo, uint16_t *ret_hi);
/* YYYY-MM-DD that exists: days since 1970-01-01. */
bool num_date(struct str s, int64_t *ret_days);

/* An address block, v4 as v4-mapped v6 (::ffff:a.b.c.d). */
struct num_cidr {
	uint8_t addr[16]; /* bits past `bits` are zero */
	uint8_t bits;     /* 0..128; v4 /n is 96 + n */
};
/*
 * "10.0.0.0/8", "::1", "1.2.3.4".  Host bits that are set under the mask
 * are an error (ret_host_bits true, result false).
 */
bool num_cidr(struct str s, struct num_cidr *ret, bool *ret_host_bits);

#endif
