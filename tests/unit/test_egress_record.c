/* Which records the gateway sends, and what it makes of packets that the kernel has logged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/egress/gate_record.h"
#include "runtime/egress/nflog.h"
#include "tests/unit/reach_fixture.h"

/* --- records -------------------------------------------------------------------------------- */

static unsigned read_all(int fd, uint64_t *ret_count)
{
	struct gate_record r;
	unsigned n = 0;

	while (recv(fd, &r, sizeof(r), MSG_DONTWAIT) == sizeof(r)) {
		n++;
		*ret_count += r.count;
	}
	return n;
}

static void test_a_flood_of_refusals_is_few_messages(void **state)
{
	static struct record rec;
	struct gate_record r = record_new(GATE_REFUSED, GATE_W_RULE, 7);
	uint64_t count = 0;
	unsigned messages;
	char name[32];
	int s[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	record_init(&rec, s[0]);
	record_name(&r, "a.example", 9);
	for (int i = 0; i < 100000; i++)
		record_add(&rec, &r);
	assert_true(record_waits(&rec));
	record_tick(&rec);
	assert_false(record_waits(&rec));
	messages = read_all(s[1], &count);
	assert_true(messages <= RECORD_RATE * RECORD_TICK_MS / 1000 + 1);
	assert_int_equal(count, 100000);
	/* all different: the first have their names, of the others the number is kept */
	count = 0;
	for (int i = 0; i < 100000; i++) {
		(void)snprintf(name, sizeof(name), "n%d.example", i);
		record_name(&r, name, strlen(name));
		record_add(&rec, &r);
	}
	for (int i = 0; i < 100 && record_waits(&rec); i++) {
		record_tick(&rec);
		messages += read_all(s[1], &count);
	}
	assert_false(record_waits(&rec));
	assert_int_equal(count, 100000);
	assert_true(messages < 1000);
	/* nobody reads: nothing blocks, nothing is lost but names */
	for (int i = 0; i < 10000; i++) {
		(void)snprintf(name, sizeof(name), "m%d.example", i);
		record_name(&r, name, strlen(name));
		record_add(&rec, &r);
		record_tick(&rec);
	}
	count = 0;
	for (int i = 0; i < 10000 && record_waits(&rec); i++) {
		(void)read_all(s[1], &count);
		record_tick(&rec);
	}
	(void)read_all(s[1], &count);
	assert_int_equal(count, 10000);
	(void)close(s[0]);
	(void)close(s[1]);
}

static void test_records_of_different_things_are_not_merged(void **state)
{
	static struct record rec;
	struct gate_record r = record_new(GATE_CLOSED, GATE_W_RULE, 1), got;
	uint64_t up = 0;
	int s[2], n = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	record_init(&rec, s[0]);
	rec.tokens = 0;
	r.up = 3;
	record_name(&r, "a.example", 9);
	record_add(&rec, &r);
	record_add(&rec, &r);
	r.port = 1;
	record_add(&rec, &r);
	record_text(&r, "x\x1b[2J", 5);
	record_add(&rec, &r);
	r.rule = 2;
	record_add(&rec, &r);
	record_flush(&rec, 100);
	while (recv(s[1], &got, sizeof(got), MSG_DONTWAIT) == sizeof(got)) {
		n++;
		up += got.up;
		assert_null(strchr(got.text, 0x1b));
	}
	assert_int_equal(n, 4);
	assert_int_equal(up, 15);
	(void)close(s[0]);
	(void)close(s[1]);
}
/* --- logged packets ---------------------------------------------------------------------------- */

static void test_refused_packets(void **state)
{
	static const char *const lines[] = { "allow a.example 443", "deny 198.51.100.0/24 22",
					     NULL };
	uint8_t tcp4[24] = { 0x45, [9] = 6, [20] = 0x80, [21] = 1, [22] = 0, [23] = 22 };
	uint8_t tcp6[44] = { 0x60, [6] = 6, [40] = 0x80, [41] = 1, [42] = 0, [43] = 80 };
	struct gate_record r;
	struct world w;

	(void)state;
	make_world(&w, lines);
	memcpy(tcp4 + 16, address("198.51.100.9") + 12, 4);
	assert_true(nflog_packet(&w.policy, tcp4, sizeof(tcp4), &r));
	assert_int_equal(r.rule, 2);
	assert_int_equal(r.port, 22);
	assert_int_equal(r.source, 0x8001);
	assert_true(r.has_addr);
	memcpy(tcp6 + 24, named(&w, "a.example", true), 16);
	assert_true(nflog_packet(&w.policy, tcp6, sizeof(tcp6), &r));
	assert_string_equal(r.name, "a.example");
	assert_int_equal(r.rule, 0);
	assert_int_equal(r.port, 80);
	assert_false(r.has_addr);
	memcpy(tcp6 + 24, address("fd70:6f6c::777"), 16);
	assert_true(nflog_packet(&w.policy, tcp6, sizeof(tcp6), &r));
	assert_int_equal(r.why, GATE_W_NO_NAME);
	tcp4[9] = 1;
	assert_true(nflog_packet(&w.policy, tcp4, sizeof(tcp4), &r));
	assert_string_equal(r.text, "protocol 1");
	/* cut anywhere */
	for (size_t n = 0; n < sizeof(tcp6); n++)
		assert_int_equal(nflog_packet(&w.policy, tcp6, n, &r), n >= 40);
	free_world(&w);
}

/* Packets of the kernel's log: its numbers tell of those that it could not deliver. */
static size_t log_message(uint8_t *to, uint32_t number)
{
	static const uint8_t packet[24] = { 0x45, [9] = 6, [16] = 198, 51, 100, 9, [20] = 0x80,
					    [21] = 1, [22] = 0, [23] = 22 };
	struct nlmsghdr h = { .nlmsg_type = NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET };
	struct nfattr seq = { .nfa_len = 8, .nfa_type = NFULA_SEQ };
	struct nfattr data = { .nfa_len = sizeof(struct nfattr) + sizeof(packet),
			       .nfa_type = NFULA_PAYLOAD };
	uint32_t wire = htonl(number);
	size_t n = sizeof(h);

	memset(to + n, 0, sizeof(struct nfgenmsg));
	n += sizeof(struct nfgenmsg);
	/* the kernel writes the packet first */
	memcpy(to + n, &data, sizeof(data));
	memcpy(to + n + sizeof(data), packet, sizeof(packet));
	n += data.nfa_len;
	memcpy(to + n, &seq, sizeof(seq));
	memcpy(to + n + sizeof(seq), &wire, 4);
	n += seq.nfa_len;
	h.nlmsg_len = (uint32_t)n;
	memcpy(to, &h, sizeof(h));
	return n;
}

struct logged {
	uint64_t packets, lost;
};

static void on_logged(void *arg, const struct gate_record *rec)
{
	struct logged *l = arg;

	assert_int_equal(rec->what, GATE_DROPPED);
	if (rec->why == GATE_W_LIMIT) {
		assert_true(!rec->has_addr && !rec->name[0] && strstr(rec->text, "flood"));
		l->lost += rec->count;
	} else {
		assert_int_equal(rec->port, 22);
		l->packets += rec->count;
	}
}

static void test_packets_that_are_missing_are_counted(void **state)
{
	static const char *const lines[] = { "allow a.example 443", NULL };
	/* 0: an overrun; else a packet of this number less 1; what is missing until then */
	static const struct {
		uint64_t number, lost;
	} rows[] = { { 1, 0 }, { 2, 0 }, { 5, 2 }, { 0, 3 }, { 0, 4 }, { 9, 5 }, { 10, 5 },
		     /* more overruns than packets: no gap is negative */
		     { 0, 6 }, { 0, 7 }, { 12, 7 }, { 13, 7 },
		     /* older ones and the turn of the numbers */
		     { 3, 7 }, { 0xffffffff, 7 }, { 0x100000000, 7 }, { 1, 7 }, { 3, 8 } };
	struct nflog_lost lost = { 0 };
	struct logged seen = { 0 };
	uint64_t packets = 0;
	struct world w;

	(void)state;
	make_world(&w, lines);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t data[128];

		if (rows[i].number == 0) {
			nflog_overrun(&lost, on_logged, &seen);
		} else {
			packets++;
			nflog_read(&lost, &w.policy, data,
				   log_message(data, (uint32_t)(rows[i].number - 1)),
				   on_logged, &seen);
		}
		assert_int_equal(seen.packets, packets);
		if (seen.lost != rows[i].lost)
			fail_msg("row %zu: %llu are missing", i, (unsigned long long)seen.lost);
	}
	free_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_flood_of_refusals_is_few_messages),
		cmocka_unit_test(test_records_of_different_things_are_not_merged),
		cmocka_unit_test(test_refused_packets),
		cmocka_unit_test(test_packets_that_are_missing_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
