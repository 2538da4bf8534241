/*
 * What a DNS server answers to polgate's own question for the addresses of a.example, behind one
 * byte that chooses the type.  Whatever it says: at most so many addresses, all v4 or none, an
 * address only where the verdict says so, and the same verdict for the same bytes.
 */
#include "runtime/egress/dns_answer.h"
#include "tests/fuzz/law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct dns_answer a = { .ttl = UINT32_MAX }, b = { .ttl = UINT32_MAX };
	enum dns_answered v;
	enum dns_type type;
	struct law_input in;
	uint16_t id;

	if (n < 3)
		return 0;
	in = law_begin(data, n);
	type = in.choice & 1 ? DNS_A : DNS_AAAA;
	id = (uint16_t)(in.p[0] << 8 | in.p[1]); /* a guess is not what is tried here */
	v = dns_answer_read(&a, in.p, in.n, id, "a.example", type);
	LAW(a.count <= DNS_ANSWER_ADDRESSES);
	LAW((v == DNS_A_ADDRESSES) == (a.count > 0) || v == DNS_A_FAILED);
	LAW(v != DNS_A_ADDRESSES || a.ttl <= INT32_MAX);
	for (size_t i = 0; type == DNS_A && i < a.count; i++)
		LAW(memcmp(a.addr[i], mapped, sizeof(mapped)) == 0);
	LAW(dns_answer_read(&b, in.p, in.n, id, "a.example", type) == v &&
	    b.count == a.count);
	/* for another identifier it is nobody's answer */
	LAW(dns_answer_read(&b, in.p, in.n, (uint16_t)(id + 1), "a.example", type) ==
	    DNS_A_FOREIGN);
	law_end(&in);
	return 0;
}
