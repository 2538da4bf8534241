/* Strict readers: they read the whole text or nothing, and never overflow silently. */
#include "compiler/base/num.h"

#include <arpa/inet.h>

static bool digit(int c)
{
	return c >= '0' && c <= '9';
}

int num_hex_digit(int c)
{
	if (digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool num_u64(struct str s, uint64_t *ret_v)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
		base = 16;
		s = str_sub(s, 2, s.n);
	}
	/* some read a leading zero as octal: refuse it */
	if (s.n == 0 || (base == 10 && s.n > 1 && s.p[0] == '0'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int d = base == 16 ? num_hex_digit(s.p[i]) :
			digit(s.p[i]) ? s.p[i] - '0' : -1;

		if (d < 0 || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*ret_v = v;
	return true;
}

bool num_i64(struct str s, int64_t *ret_v)
{
	bool neg = s.n > 0 && s.p[0] == '-';
	uint64_t v;

	if (!num_u64(neg ? str_sub(s, 1, s.n) : s, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + (neg ? 1 : 0))
		return false;
	*ret_v = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* Splits "12.5G" into its number and its unit. */
static void split_unit(struct str s, struct str *num, struct str *unit)
{
	size_t i = 0;

	while (i < s.n && (digit(s.p[i]) || s.p[i] == '.'))
		i++;
	*num = str_sub(s, 0, i);
	*unit = str_sub(s, i, s.n);
}

struct unit {
	const char *name;
	uint64_t factor;
};

static bool with_unit(struct str s, const struct unit *units, size_t n, uint64_t *ret)
{
	struct str num, unit;
	uint64_t v;

	split_unit(s, &num, &unit);
	if (!num_u64(num, &v))
		return false;
	for (size_t i = 0; i < n; i++)
		if (str_eqz(unit, units[i].name))
			return !__builtin_mul_overflow(v, units[i].factor, ret);
	return false;
}

bool num_size(struct str s, uint64_t *ret_bytes)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "K", 1024ull },
		{ "M", 1024ull * 1024 },
		{ "G", 1024ull * 1024 * 1024 },
		{ "T", 1024ull * 1024 * 1024 * 1024 },
	};
	uint64_t v;

	if (!with_unit(s, units, sizeof(units) / sizeof(units[0]), &v))
		return false;
	*ret_bytes = v;
	return true;
}

bool num_duration(struct str s, uint64_t *ret_ms)
{
	static const struct unit units[] = {
		{ "ms", 1 },	     { "s", 1000 },
		{ "m", 60 * 1000 },  { "h", 3600ull * 1000 },
		{ "d", 24ull * 3600 * 1000 },
	};
	uint64_t v;

	if (str_eqz(s, "0"))
		v = 0;
	else if (!with_unit(s, units, sizeof(units) / sizeof(units[0]), &v))
		return false;
	*ret_ms = v;
	return true;
}

bool num_milli(struct str s, uint64_t *ret_milli)
{
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;
	struct str whole = dot ? str_sub(s, 0, (size_t)(dot - s.p)) : s;
	struct str frac = dot ? str_sub(s, whole.n + 1, s.n) : STR_NULL;
	uint64_t v, f = 0;

	if (whole.n == 0 || !digit(whole.p[0]) || (whole.n > 1 && whole.p[1] == 'x'))
		return false;
	if (!num_u64(whole, &v) || __builtin_mul_overflow(v, 1000u, &v))
		return false;
	if (dot) {
		if (frac.n == 0 || frac.n > 3)
			return false;
		for (size_t i = 0; i < 3; i++) {
			if (i < frac.n && !digit(frac.p[i]))
				return false;
			f = f * 10 + (uint64_t)(i < frac.n ? frac.p[i] - '0' : 0);
		}
	}
	if (__builtin_add_overflow(v, f, &v))
		return false;
	*ret_milli = v;
	return true;
}

bool num_port_range(struct str s, uint16_t *ret_lo, uint16_t *ret_hi)
{
	const char *dash = s.n ? memchr(s.p, '-', s.n) : NULL;
	struct str a = dash ? str_sub(s, 0, (size_t)(dash - s.p)) : s;
	struct str b = dash ? str_sub(s, a.n + 1, s.n) : s;
	uint64_t lo, hi;

	if (!num_u64(a, &lo) || !num_u64(b, &hi))
		return false;
	if (lo > hi || hi > 65535)
		return false;
	*ret_lo = (uint16_t)lo;
	*ret_hi = (uint16_t)hi;
	return true;
}

/* Days from 1970-01-01 to a date of the proleptic Gregorian calendar. */
static int64_t days_from_civil(int64_t y, unsigned m, unsigned d)
{
	int64_t era;
	unsigned yoe, doy, doe;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	yoe = (unsigned)(y - era * 400);
	doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
	doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + (int64_t)doe - 719468;
}

/* Reads a part of a date, which keeps its leading zeros. */
static bool date_part(struct str s, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (!digit(s.p[i]))
			return false;
		*ret = *ret * 10 + (uint64_t)(s.p[i] - '0');
	}
	return true;
}

bool num_date(struct str s, int64_t *ret_days)
{
	static const unsigned len[] = { 31, 28, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };
	uint64_t y, m, d;
	unsigned last;

	if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-')
		return false;
	if (!date_part(str_sub(s, 0, 4), &y) || !date_part(str_sub(s, 5, 2), &m) ||
	    !date_part(str_sub(s, 8, 2), &d))
		return false;
	if (m < 1 || m > 12 || d < 1)
		return false;
	last = len[m - 1];
	if (m == 2 && (y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)))
		last++;
	if (d > last)
		return false;
	*ret_days = days_from_civil((int64_t)y, (unsigned)m, (unsigned)d);
	return true;
}

bool num_cidr(struct str s, struct num_cidr *ret, bool *ret_host_bits)
{
	const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
	struct str addr = slash ? str_sub(s, 0, (size_t)(slash - s.p)) : s;
	struct num_cidr c = { .bits = 128 };
	char z[INET6_ADDRSTRLEN];
	uint64_t bits;
	bool v4;

	*ret_host_bits = false;
	if (addr.n == 0 || addr.n >= sizeof(z))
		return false;
	memcpy(z, addr.p, addr.n);
	z[addr.n] = '\0';
	v4 = memchr(z, ':', addr.n) == NULL;
	if (v4) {
		memset(c.addr + 10, 0xff, 2);
		if (inet_pton(AF_INET, z, c.addr + 12) != 1)
			return false;
	} else if (inet_pton(AF_INET6, z, c.addr) != 1) {
		return false;
	}
	if (slash) {
		if (!num_u64(str_sub(s, addr.n + 1, s.n), &bits) ||
		    bits > (v4 ? 32 : 128))
			return false;
		c.bits = (uint8_t)(bits + (v4 ? 96 : 0));
	}
	for (unsigned i = c.bits; i < 128; i++)
		if (c.addr[i / 8] & (0x80u >> (i % 8)))
			*ret_host_bits = true;
	if (*ret_host_bits)
		return false;
	*ret = c;
	return true;
}
