/* polrun's side of the gateway: what records become, and who gets questions and answers. */
#include <errno.h>
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

#include "runtime/supervise/gateway.h"

/* A gateway whose other end is ours. */
struct pair {
	struct gateway g;
	struct denials d;
	int polgate, asker;
};

static void make_pair(struct pair *p)
{
	int fds[2];

	*p = (struct pair){ .g = GATEWAY_NONE, .asker = -1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	p->g.sock = fds[0];
	p->polgate = fds[1];
	p->g.init_pid = 77;
}

static void add_asker(struct pair *p)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
	p->g.ask = fds[0];
	p->asker = fds[1];
}

static void drop_pair(struct pair *p)
{
	gateway_release(&p->g);
	(void)close(p->polgate);
	if (p->asker >= 0) {
		(void)close(p->asker);
		(void)close(p->g.ask);
	}
	free(p->d.v);
}

static struct gate_record record_of(enum gate_what what, const char *name, uint16_t port)
{
	struct gate_record r = { .type = GATE_EVENT, .what = what, .port = port, .rule = 4, .count = 1 };

	(void)snprintf(r.name, sizeof(r.name), "%s", name);
	return r;
}

static void send_record(const struct pair *p, const struct gate_record *r)
{
	assert_int_equal(write(p->polgate, r, sizeof(*r)), sizeof(*r));
}

static void set_v4(struct gate_record *r, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	const uint8_t v4[4] = { a, b, c, d };

	r->has_addr = 1;
	r->addr[10] = r->addr[11] = 0xff;
	memcpy(r->addr + 12, v4, 4);
}

static void test_subjects(void **state)
{
	struct gate_record r = record_of(GATE_REFUSED, "evil.example", 443);
	char out[600];

	(void)state;
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp evil.example:443");
	(void)snprintf(r.text, sizeof(r.text), "other.example");
	r.why = GATE_W_SNI;
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp evil.example:443, TLS for other.example");
	(void)snprintf(r.text, sizeof(r.text), "more than one Host");
	r.why = GATE_W_HOST;
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp evil.example:443, more than one Host");
	r = record_of(GATE_NO_NAME, "evil.example", 0);
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "evil.example");
	r = record_of(GATE_REFUSED, "", 22);
	set_v4(&r, 10, 0, 0, 1);
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp 10.0.0.1:22");
	memset(r.addr, 0, sizeof(r.addr));
	r.addr[0] = 0x20;
	r.addr[15] = 1;
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp [2000::1]:22");
	r = record_of(GATE_REFUSED, "db.internal", 5432);
	r.why = GATE_W_GUARD;
	set_v4(&r, 10, 0, 0, 1);
	gateway_subject(&r, out, sizeof(out));
	assert_string_equal(out, "tcp db.internal:5432, which leads to 10.0.0.1");
	/* two names of any length are shown as a whole, in the list of denials as well */
	r = record_of(GATE_REFUSED, "", 65535);
	r.why = GATE_W_HOST;
	memset(r.name, 'a', 253);
	memset(r.text, 'b', 253);
	memcpy(r.text + 242, ".evil.test:65535", 17);
	gateway_subject(&r, out, sizeof(((struct denial *)0)->subject));
	assert_int_equal(strlen(out), 4 + 253 + 6 + strlen(", HTTP for ") + 258);
	assert_string_equal(out + strlen(out) - 16, ".evil.test:65535");
	/* what polgate sends is shown, never believed */
	r = record_of(GATE_REFUSED, "a\033[2Jb", 1);
	gateway_subject(&r, out, sizeof(out));
	assert_null(strchr(out, '\033'));
}

static void test_records_are_counted(void **state)
{
	struct gate_record r;
	struct pair p;

	(void)state;
	make_pair(&p);
	r = record_of(GATE_CLOSED, "a.example", 443);
	r.up = 10;
	r.down = 300;
	send_record(&p, &r);
	r = record_of(GATE_REFUSED, "b.example", 80);
	r.count = 5;
	send_record(&p, &r);
	send_record(&p, &r);
	r = record_of(GATE_UNREACHED, "c.example", 443);
	r.why = GATE_W_RESOLVE;
	send_record(&p, &r);
	r = record_of(GATE_NO_NAME, "d.example", 0);
	send_record(&p, &r);
	assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	assert_int_equal(p.g.log.connections, 1);
	assert_int_equal(p.g.log.up, 10);
	assert_int_equal(p.g.log.down, 300);
	assert_int_equal(p.g.log.refused, 11);
	assert_int_equal(p.g.log.unreached, 1);
	assert_int_equal(p.g.log.n, 2); /* what was refused is among the denials */
	assert_int_equal(p.d.n, 2);
	assert_string_equal(p.d.v[0].op, "connect");
	assert_string_equal(p.d.v[0].subject, "tcp b.example:80");
	assert_int_equal(p.d.v[0].count, 10);
	assert_int_equal(p.d.v[0].rule, 4);
	assert_string_equal(p.d.v[1].op, "resolve");
	drop_pair(&p);
}

static void test_records_are_bounded(void **state)
{
	struct gate_record r = record_of(GATE_CLOSED, "a.example", 443);
	struct pair p;

	(void)state;
	make_pair(&p);
	for (int i = 0; i < GATEWAY_RECORDS_MAX + 50; i++) {
		send_record(&p, &r);
		assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	}
	assert_int_equal(p.g.log.n, GATEWAY_RECORDS_MAX);
	assert_int_equal(p.g.log.lost, 50);
	assert_int_equal(p.g.log.connections, GATEWAY_RECORDS_MAX + 50);
	drop_pair(&p);
}

/* A flood of different refusals fills the list; what stands for the rest is still there. */
static void test_a_flood_keeps_its_note(void **state)
{
	struct gate_record r = record_of(GATE_REFUSED, "", 443);
	struct pair p;
	uint64_t sum = 0;

	(void)state;
	make_pair(&p);
	for (int i = 0; i < DENIALS_MAX + 50; i++) {
		(void)snprintf(r.name, sizeof(r.name), "h%d.example", i);
		send_record(&p, &r);
		assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	}
	r.name[0] = '\0';
	(void)snprintf(r.text, sizeof(r.text), "many others");
	r.count = 5000;
	r.port = 0;
	send_record(&p, &r);
	assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	assert_int_equal(p.d.n, DENIALS_MAX + 1);
	assert_string_equal(p.d.v[DENIALS_MAX].subject, "many others");
	assert_int_equal(p.d.v[DENIALS_MAX].count, 5000);
	for (size_t i = 0; i < p.d.n; i++)
		sum += p.d.v[i].count;
	assert_int_equal(p.g.log.refused, DENIALS_MAX + 50 + 5000);
	assert_int_equal(sum + p.d.lost, p.g.log.refused);
	drop_pair(&p);
}

/* The run ends if polgate sends what it cannot mean. */
static void test_nonsense_is_an_error(void **state)
{
	const struct gate_record good = record_of(GATE_CLOSED, "a", 1);
	struct gate_record bad[5] = { good, good, good, good, good };
	struct pair p;

	(void)state;
	bad[0].what = 0;
	bad[1].what = GATE_WHAT_COUNT;
	bad[2].why = GATE_W_COUNT;
	bad[3].count = 0;
	bad[4].type = 99;
	for (size_t i = 0; i < 5; i++) {
		make_pair(&p);
		send_record(&p, &good);
		assert_int_equal(gateway_serve(&p.g, &p.d), 0);
		send_record(&p, &bad[i]);
		assert_int_equal(gateway_serve(&p.g, &p.d), -EPROTO);
		drop_pair(&p);
	}
	make_pair(&p);
	assert_int_equal(write(p.polgate, "short", 5), 5);
	assert_int_equal(gateway_serve(&p.g, &p.d), -EPROTO);
	drop_pair(&p);
	make_pair(&p);
	assert_int_equal(shutdown(p.polgate, SHUT_RDWR), 0);
	assert_int_equal(gateway_serve(&p.g, &p.d), -ECHILD);
	drop_pair(&p);
}

static struct gate_message next_message(int fd)
{
	struct gate_message m = { 0 };

	assert_int_equal(recv(fd, &m, sizeof(m), MSG_DONTWAIT), sizeof(m));
	return m;
}

static void test_without_an_asker_the_answer_is_no(void **state)
{
	struct gate_record r = record_of(0, "a.example", 443);
	struct gate_message m;
	struct pair p;

	(void)state;
	make_pair(&p);
	r.type = GATE_ASK;
	r.id = 9;
	send_record(&p, &r);
	assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	m = next_message(p.polgate);
	assert_int_equal(m.type, GATE_ANSWER);
	assert_int_equal(m.id, 9);
	assert_int_equal(m.value, GATE_NO);
	drop_pair(&p);
}

static void test_questions_are_passed_on(void **state)
{
	struct gate_record r = record_of(0, "a.example", 443);
	struct gate_message m = { .type = GATE_ANSWER, .id = 9, .value = GATE_YES };
	struct gate_question q;
	struct pair p;

	(void)state;
	make_pair(&p);
	add_asker(&p);
	assert_int_equal(gateway_hear_answer(&p.g), 0); /* nothing there */
	r.type = GATE_ASK;
	r.id = 9;
	send_record(&p, &r);
	assert_int_equal(gateway_serve(&p.g, &p.d), 0);
	assert_int_equal(recv(p.asker, &q, sizeof(q), MSG_DONTWAIT), sizeof(q));
	assert_int_equal(q.init_pid, 77);
	assert_string_equal(q.record.name, "a.example");
	assert_int_equal(write(p.asker, &m, sizeof(m)), sizeof(m));
	assert_int_equal(gateway_hear_answer(&p.g), 0);
	m = next_message(p.polgate);
	assert_int_equal(m.id, 9);
	assert_int_equal(m.value, GATE_YES);
	/* another value is no yes */
	m = (struct gate_message){ .type = GATE_ANSWER, .id = 10, .value = 7 };
	assert_int_equal(write(p.asker, &m, sizeof(m)), sizeof(m));
	assert_int_equal(gateway_hear_answer(&p.g), 0);
	assert_int_equal(next_message(p.polgate).value, GATE_NO);
	assert_int_equal(shutdown(p.asker, SHUT_RDWR), 0);
	assert_int_equal(gateway_hear_answer(&p.g), -ECHILD);
	drop_pair(&p);
}

/* A flood of questions must not hold the supervisor up. */
static void test_a_flood_of_questions_is_refused(void **state)
{
	struct gate_record r = record_of(0, "a.example", 443);
	int no = 0, questions = 0;
	struct gate_question q;
	struct gate_message m;
	struct pair p;

	(void)state;
	make_pair(&p);
	add_asker(&p);
	r.type = GATE_ASK;
	for (uint32_t i = 0; i < 2000; i++) {
		r.id = i;
		send_record(&p, &r);
		assert_int_equal(gateway_serve(&p.g, &p.d), 0);
		while (recv(p.polgate, &m, sizeof(m), MSG_DONTWAIT) > 0)
			no += m.value == GATE_NO;
	}
	while (recv(p.asker, &q, sizeof(q), MSG_DONTWAIT) > 0)
		questions++;
	assert_int_equal(no + questions, 2000);
	assert_true(no > 0 && questions > 0);
	drop_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_records_are_counted),
		cmocka_unit_test(test_records_are_bounded),
		cmocka_unit_test(test_a_flood_keeps_its_note),
		cmocka_unit_test(test_nonsense_is_an_error),
		cmocka_unit_test(test_without_an_asker_the_answer_is_no),
		cmocka_unit_test(test_questions_are_passed_on),
		cmocka_unit_test(test_a_flood_of_questions_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
