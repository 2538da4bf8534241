/* What comes to the gateway in bytes: answers of DNS servers, the host's files, and
 * what the pump passes on. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/egress/dns_answer.h"
#include "runtime/egress/host_files.h"
#include "runtime/egress/pump.h"
#include "runtime/egress/relay_kept.h"
#include "tests/unit/egress_fixture.h"

/* --- answers of servers ------------------------------------------------------------------------ */

struct message {
	uint8_t b[1024];
	size_t n;
};

static void put(struct message *m, const void *p, size_t n)
{
	memcpy(m->b + m->n, p, n);
	m->n += n;
}

static void put_name(struct message *m, const char *name)
{
	while (*name) {
		uint8_t n = (uint8_t)strcspn(name, ".");

		put(m, &n, 1);
		put(m, name, n);
		name += n + (name[n] == '.');
	}
	put(m, "", 1);
}

static void put_record(struct message *m, const char *owner, uint16_t type, uint32_t ttl,
		       const void *data, uint16_t n)
{
	uint8_t head[10] = { (uint8_t)(type >> 8), (uint8_t)type, 0, 1,
			     (uint8_t)(ttl >> 24), (uint8_t)(ttl >> 16), (uint8_t)(ttl >> 8),
			     (uint8_t)ttl, (uint8_t)(n >> 8), (uint8_t)n };

	put_name(m, owner);
	put(m, head, 10);
	put(m, data, n);
	m->b[7]++;
}

/* An answer to our own question, as a server would begin it. */
static void begin(struct message *m, const char *name, enum dns_type type, unsigned rcode)
{
	uint8_t ask[DNS_ASK_MAX];
	size_t n = dns_ask(0x1234, name, type, ask);

	assert_true(n > 12 + 11);
	memset(m, 0, sizeof(*m));
	memcpy(m->b, ask, n - 11); /* without OPT */
	m->n = n - 11;
	m->b[2] |= 0x80;
	m->b[3] = (uint8_t)(0x80 | rcode);
	m->b[11] = 0;
}

static enum dns_answered read_it(struct dns_answer *a, const struct message *m,
				 const char *name, enum dns_type type)
{
	*a = (struct dns_answer){ .ttl = UINT32_MAX };
	return dns_answer_read(a, m->b, m->n, 0x1234, name, type);
}

static void cname(struct message *m, const char *owner, const char *to)
{
	struct message d = { 0 };

	put_name(&d, to);
	put_record(m, owner, 5, 30, d.b, (uint16_t)d.n);
}

static void test_answers_of_servers(void **state)
{
	static const uint8_t v4[4] = { 198, 51, 100, 7 }, v6[16] = { 0x20, 0x01, 0x0d, 0xb8 };
	struct dns_answer a;
	struct message m;

	(void)state;
	begin(&m, "a.example", DNS_A, 0);
	put_record(&m, "a.example", DNS_A, 60, v4, 4);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_ADDRESSES);
	assert_int_equal(a.count, 1);
	assert_int_equal(a.ttl, 60);
	assert_memory_equal(a.addr[0], address("198.51.100.7"), 16);
	/* not the question's name, identifier, or type */
	assert_int_equal(read_it(&a, &m, "b.example", DNS_A), DNS_A_FOREIGN);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_AAAA), DNS_A_FOREIGN);
	m.b[0] ^= 1;
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_FOREIGN);
	m.b[0] ^= 1;
	m.b[2] &= 0x7f; /* a query */
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_FOREIGN);

	/* over CNAMEs in any order; what belongs to another name does not count */
	begin(&m, "a.example", DNS_A, 0);
	put_record(&m, "c.example", DNS_A, 9, v4, 4);
	put_record(&m, "evil.example", DNS_A, 1, v4, 4);
	cname(&m, "b.example", "c.example");
	cname(&m, "A.Example", "b.example");
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_ADDRESSES);
	assert_int_equal(a.count, 1);
	assert_int_equal(a.ttl, 9);
	begin(&m, "a.example", DNS_A, 0);
	put_record(&m, "evil.example", DNS_A, 1, v4, 4);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_NONE);
	begin(&m, "a.example", DNS_A, 0); /* a loop */
	cname(&m, "a.example", "b.example");
	cname(&m, "b.example", "a.example");
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_FAILED);

	begin(&m, "a.example", DNS_AAAA, 0);
	put_record(&m, "a.example", DNS_AAAA, 60, v6, 16);
	put_record(&m, "a.example", DNS_AAAA, 60, v6, 4); /* of another length */
	assert_int_equal(read_it(&a, &m, "a.example", DNS_AAAA), DNS_A_ADDRESSES);
	assert_int_equal(a.count, 1);
	begin(&m, "a.example", DNS_A, DNS_NXDOMAIN);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_NONE);
	begin(&m, "a.example", DNS_A, DNS_SERVFAIL);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_FAILED);
	begin(&m, "a.example", DNS_A, 0);
	m.b[2] |= 0x02;
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_TRUNCATED);
	/* more than fit */
	begin(&m, "a.example", DNS_A, 0);
	for (int i = 0; i < 30; i++)
		put_record(&m, "a.example", DNS_A, 60, v4, 4);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_ADDRESSES);
	assert_int_equal(a.count, DNS_ANSWER_ADDRESSES);
}

/* Every prefix, every flipped byte, a pointer to itself: an answer or none, never more. */
static void test_broken_answers(void **state)
{
	static const uint8_t v4[4] = { 198, 51, 100, 7 };
	struct dns_answer a;
	struct message m, n;
	unsigned taken = 0;

	(void)state;
	begin(&m, "a.example", DNS_A, 0);
	cname(&m, "a.example", "b.example");
	put_record(&m, "b.example", DNS_A, 60, v4, 4);
	assert_int_equal(read_it(&a, &m, "a.example", DNS_A), DNS_A_ADDRESSES);
	for (size_t i = 0; i < m.n; i++) {
		n = m;
		n.n = i;
		assert_int_not_equal(read_it(&a, &n, "a.example", DNS_A), DNS_A_ADDRESSES);
	}
	for (size_t i = 0; i < m.n; i++)
		for (int v = 0; v < 256; v++) {
			n = m;
			n.b[i] = (uint8_t)v;
			taken += read_it(&a, &n, "a.example", DNS_A) == DNS_A_ADDRESSES;
			assert_true(a.count <= DNS_ANSWER_ADDRESSES);
		}
	assert_true(taken > 256); /* bytes that do not matter: the control */
	/* a name that points to itself, and one that points forward */
	begin(&m, "a.example", DNS_A, 0);
	m.b[7] = 1;
	n = m;
	put(&n, (const uint8_t[]){ 0xc0, (uint8_t)m.n, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4 },
	    16);
	assert_int_equal(read_it(&a, &n, "a.example", DNS_A), DNS_A_FAILED);
	n = m;
	put(&n, (const uint8_t[]){ 0xc0, (uint8_t)(m.n + 4), 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2,
				   3, 4 }, 16);
	assert_int_equal(read_it(&a, &n, "a.example", DNS_A), DNS_A_FAILED);
	/* the control: back to the question's name */
	n = m;
	put(&n, (const uint8_t[]){ 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4 }, 16);
	assert_int_equal(read_it(&a, &n, "a.example", DNS_A), DNS_A_ADDRESSES);
	assert_int_equal(dns_ask(1, "a..b", DNS_A, m.b), 0);
	assert_int_equal(dns_ask(1, "a.", DNS_A, m.b), 0);
}

/* --- the host's files -------------------------------------------------------------------------- */

static void test_resolv_and_hosts(void **state)
{
	static const char resolv[] = "# c\nsearch x.example\nnameserver 192.0.2.1 # one\n"
				     "nameserver nonsense\n nameserver 2001:db8::53\n"
				     "nameserver 192.0.2.3\nnameserver 192.0.2.4\noptions ndots:2 use-vc";
	static const char hosts[] = "127.0.0.1 localhost\n198.51.100.1\tA.example b.example#x\n"
				    "2001:db8::1 a.example\nbad a.example\n# 1.2.3.4 a.example\n"
				    "1.2.3 a.example\n198.51.100.2 a.example";
	struct host_files h;
	uint8_t addr[4][16];

	(void)state;
	assert_int_equal(host_files_parse(&h, resolv, hosts), 0);
	assert_int_equal(h.server_count, 3);
	assert_true(h.tcp_only);
	assert_memory_equal(&h.servers[0].sin6_addr, address("192.0.2.1"), 16);
	assert_memory_equal(&h.servers[1].sin6_addr, address("2001:db8::53"), 16);
	assert_int_equal(host_files_find(&h, "a.example", 4, addr), 3);
	assert_memory_equal(addr[0], address("198.51.100.1"), 16);
	assert_memory_equal(addr[1], address("2001:db8::1"), 16);
	assert_memory_equal(addr[2], address("198.51.100.2"), 16);
	assert_int_equal(host_files_find(&h, "b.example", 4, addr), 1);
	assert_int_equal(host_files_find(&h, "example", 4, addr), 0);
	assert_int_equal(host_files_find(&h, "a.example", 1, addr), 1);
	host_files_release(&h);
	/* no files: the resolver's default server, no names */
	assert_int_equal(host_files_parse(&h, NULL, NULL), 0);
	assert_int_equal(h.server_count, 1);
	assert_memory_equal(&h.servers[0].sin6_addr, address("127.0.0.1"), 16);
	assert_int_equal(host_files_find(&h, "localhost", 4, addr), 0);
	host_files_release(&h);
}

/* --- pump ---------------------------------------------------------------------------------------- */

static struct pump pump;

static void pair_of_tcp(int ret[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(l, (void *)&a, sizeof(a)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (void *)&a, &n), 0);
	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(ret[0], (void *)&a, sizeof(a)), 0);
	ret[1] = accept(l, NULL, NULL);
	(void)close(l);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fcntl(ret[i], F_SETFL, O_NONBLOCK), 0);
}

/* Everything passes, in order, whatever the reader's speed; with and without pipes. */
static void test_the_pump_keeps_every_byte(void **state)
{
	static uint8_t out[1 << 16];
	int in[2], on[2], one = 1;

	(void)state;
	for (uint32_t pipes = 0; pipes < 2; pipes++) {
		uint64_t sent = 0, got = 0;
		struct pump_way w;
		enum pump_result r = PUMP_WAIT;

		pump_init(&pump, pipes);
		pair_of_tcp(in);
		pair_of_tcp(on);
		assert_int_equal(setsockopt(in[1], SOL_SOCKET, SO_OOBINLINE, &one, sizeof(one)),
				 0);
		pump_way_init(&w, in[1], on[0]);
		while (r != PUMP_END) {
			ssize_t n;

			for (int i = 0; i < 8 && sent < (4u << 20); i++) {
				for (size_t k = 0; k < sizeof(out); k++)
					out[k] = (uint8_t)((sent + k) * 31 >> 3);
				/* some of it as urgent */
				n = send(in[0], out, 1 + sent % 40000,
					 MSG_DONTWAIT | (i == 3 ? MSG_OOB : 0));
				sent += n > 0 ? (uint64_t)n : 0;
				if (sent >= (4u << 20))
					assert_int_equal(shutdown(in[0], SHUT_WR), 0);
			}
			w.readable = w.writable = true;
			r = pump_run(&pump, &w);
			assert_true(r != PUMP_BROKEN && r != PUMP_SPENT);
			for (;;) {
				n = recv(on[1], out, 1 + got % 9999, MSG_DONTWAIT);
				if (n <= 0)
					break;
				for (ssize_t k = 0; k < n; k++)
					if (out[k] != (uint8_t)((got + (uint64_t)k) * 31 >> 3))
						fail_msg("byte %llu", (unsigned long long)got + (unsigned long long)k);
				got += (uint64_t)n;
			}
		}
		while (got < sent) {
			ssize_t n = recv(on[1], out, sizeof(out), 0);

			if (n > 0)
				got += (uint64_t)n;
		}
		assert_int_equal(w.total, sent);
		assert_true(recv(on[1], out, 1, 0) == 0 || errno == EAGAIN);
		pump_way_release(&pump, &w);
		assert_int_equal(pump.open, pipes);
		pump_release(&pump);
		for (int i = 0; i < 2; i++) {
			(void)close(in[i]);
			(void)close(on[i]);
		}
	}
}

/* What is looked at leaves the socket, up to a limit of a connection and one of all. */
static void test_what_is_kept(void **state)
{
	static char text[RELAY_KEPT_MAX];
	struct relay_kept k = { 0 }, other = { 0 };
	size_t all = 0;
	int in[2];

	(void)state;
	pair_of_tcp(in);
	assert_int_equal(relay_kept_read(&k, in[1], &all), KEPT_NONE);
	assert_int_equal(send(in[0], "abcdef", 6, 0), 6);
	assert_int_equal(relay_kept_read(&k, in[1], &all), KEPT_MORE);
	assert_int_equal(send(in[0], "gh", 2, 0), 2);
	assert_int_equal(relay_kept_read(&k, in[1], &all), KEPT_MORE);
	assert_int_equal(k.n, 8);
	assert_memory_equal(k.p, "abcdefgh", 8);
	assert_int_equal(recv(in[1], text, sizeof(text), MSG_DONTWAIT), -1);
	k.pass = 5;
	relay_kept_sent(&k, 3, &all);
	assert_int_equal(k.pass, 2);
	assert_memory_equal(k.p, "defgh", 5);
	k.pass = 5;
	relay_kept_sent(&k, 5, &all);
	assert_null(k.p);
	assert_int_equal(all, 0);
	/* no more than one connection may have */
	for (size_t sent = 0; sent < sizeof(text);) {
		ssize_t n = send(in[0], text, sizeof(text) - sent, MSG_DONTWAIT);

		sent += n > 0 ? (size_t)n : 0;
		assert_true(relay_kept_read(&k, in[1], &all) <= KEPT_NONE);
	}
	while (relay_kept_read(&k, in[1], &all) == KEPT_MORE)
		;
	assert_int_equal(k.n, RELAY_KEPT_MAX);
	assert_int_equal(send(in[0], "i", 1, 0), 1);
	assert_int_equal(relay_kept_read(&k, in[1], &all), KEPT_NONE);
	/* nor more than all may have */
	all += RELAY_KEPT_ALL - RELAY_KEPT_MAX;
	assert_int_equal(relay_kept_read(&other, in[1], &all), KEPT_FULL);
	relay_kept_release(&k, &all);
	assert_int_equal(relay_kept_read(&other, in[1], &all), KEPT_MORE);
	assert_int_equal(other.n, 1);
	/* the end, once */
	(void)shutdown(in[0], SHUT_WR);
	assert_int_equal(relay_kept_read(&other, in[1], &all), KEPT_MORE);
	assert_true(other.eof);
	assert_int_equal(relay_kept_read(&other, in[1], &all), KEPT_NONE);
	relay_kept_release(&other, &all);
	(void)close(in[0]);
	(void)close(in[1]);
}

static void test_the_pump_stops_at_its_budget(void **state)
{
	char text[32];
	int in[2], on[2];
	struct pump_way w;

	(void)state;
	for (uint32_t pipes = 0; pipes < 2; pipes++) {
		pump_init(&pump, pipes);
		pair_of_tcp(in);
		pair_of_tcp(on);
		pump_way_init(&w, in[1], on[0]);
		w.budget = 0;
		w.readable = w.writable = true;
		assert_int_equal(send(in[0], "abcdefgh", 8, 0), 8);
		assert_int_equal(pump_run(&pump, &w), PUMP_SPENT);
		assert_int_equal(pump_peek(&pump, in[1]), 8);
		assert_memory_equal(pump.buffer, "abcdefgh", 8);
		w.budget = 3;
		assert_int_equal(pump_run(&pump, &w), PUMP_SPENT);
		assert_int_equal(w.total, 3);
		assert_int_equal(recv(on[1], text, sizeof(text), 0), 3);
		assert_memory_equal(text, "abc", 3);
		assert_int_equal(pump_peek(&pump, in[1]), 5);
		w.budget = 100;
		assert_int_equal(pump_run(&pump, &w), PUMP_WAIT);
		assert_int_equal(recv(on[1], text, sizeof(text), 0), 5);
		assert_memory_equal(text, "defgh", 5);
		assert_int_equal(w.budget, 95);
		/* a reset is told */
		(void)setsockopt(in[0], SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 },
				 sizeof(struct linger));
		(void)close(in[0]);
		w.readable = true;
		assert_int_equal(pump_run(&pump, &w), PUMP_BROKEN);
		pump_way_release(&pump, &w);
		pump_release(&pump);
		(void)close(in[1]);
		(void)close(on[0]);
		(void)close(on[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_of_servers),
		cmocka_unit_test(test_broken_answers),
		cmocka_unit_test(test_resolv_and_hosts),
		cmocka_unit_test(test_the_pump_keeps_every_byte),
		cmocka_unit_test(test_what_is_kept),
		cmocka_unit_test(test_the_pump_stops_at_its_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
