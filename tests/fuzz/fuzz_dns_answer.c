/*
 * What a DNS server answers to polgate's own question for the addresses of a.example, behind one
 * byte that chooses the type.  Whatever it says: at most so many addresses, all v4 or none, an
 * address only where the verdict says so, and the same verdict for the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/egress/dns_answer.h"
#include "tests/fuzz/law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct dns_answer a = { .ttl = UINT32_MAX }, b = { .ttl = UINT32_MAX };
	enum dns_answered v;
	enum dns_type type;
	uint8_t *copy;
	uint16_t id;

	if (n < 3)
		return 0;
	type = data[0] & 1 ? DNS_A : DNS_AAAA;
	copy = malloc(n - 1);
	LAW(copy);
	memcpy(copy, data + 1, n - 1);
	id = (uint16_t)(copy[0] << 8 | copy[1]); /* a guess is not what is tried here */
	v = dns_answer_read(&a, copy, n - 1, id, "a.example", type);
	LAW(a.count <= DNS_ANSWER_ADDRESSES);
	LAW((v == DNS_A_ADDRESSES) == (a.count > 0) || v == DNS_A_FAILED);
	LAW(v != DNS_A_ADDRESSES || a.ttl <= INT32_MAX);
	for (size_t i = 0; type == DNS_A && i < a.count; i++)
		LAW(memcmp(a.addr[i], mapped, sizeof(mapped)) == 0);
	LAW(dns_answer_read(&b, copy, n - 1, id, "a.example", type) == v &&
	    b.count == a.count);
	/* for another identifier it is nobody's answer */
	LAW(dns_answer_read(&b, copy, n - 1, (uint16_t)(id + 1), "a.example", type) ==
	    DNS_A_FOREIGN);
	free(copy);
	return 0;
}
