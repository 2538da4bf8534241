/* Strict readers of numbers, units, addresses and dates; they never read a part. */
#ifndef COMPILER_BASE_NUM_H
#define COMPILER_BASE_NUM_H

#include "compiler/base/str.h"

/* What a hexadecimal digit of either case stands for; -1 for every other byte, and for -1. */
int num_hex_digit(int c);
/* Decimal without leading zeros, or 0x hexadecimal; the whole text, no sign.  False
 * on overflow too. */
bool num_u64(struct str s, uint64_t *ret_v);
bool num_i64(struct str s, int64_t *ret_v);
/* A size in bytes; the unit is K, M, G, T (powers of 1024) or none. */
bool num_size(struct str s, uint64_t *ret_bytes);
/* A duration in milliseconds; the unit is ms, s, m, h or d.  Only 0 needs no unit. */
bool num_duration(struct str s, uint64_t *ret_ms);
/* A decimal number in thousandths ("2.5" is 2500); at most three decimals. */
bool num_milli(struct str s, uint64_t *ret_milli);
/* A range "1-65535" or a single port "80". */
bool num_port_range(struct str s, uint16_t *ret_lo, uint16_t *ret_hi);
/* An existing date YYYY-MM-DD, as days since 1970-01-01. */
bool num_date(struct str s, int64_t *ret_days);

/* An address block, v4 as v4-mapped v6 (::ffff:a.b.c.d). */
struct num_cidr {
	uint8_t addr[16]; /* zero after the first `bits` bits */
	uint8_t bits;     /* 0..128; a v4 /n is 96 + n */
};
/*
 * Reads "10.0.0.0/8", "::1", "1.2.3.4".  An address with bits set after the prefix is
 * an error (ret_host_bits true, result false).
 */
bool num_cidr(struct str s, struct num_cidr *ret, bool *ret_host_bits);

#endif
