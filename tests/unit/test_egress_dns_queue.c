/*
 * Queries that wait, by sender: who sends many loses its own, each is answered in turn, and the
 * room is fixed whatever comes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/dns_queue.h"

static struct dns_queue q;

/* A query `n` bytes long of the sender with this port.  False: it is lost. */
static bool add(uint16_t port, uint16_t n)
{
	struct sockaddr_in6 from = { .sin6_family = AF_INET6, .sin6_port = port };
	struct dns_queued *m = dns_queue_add(&q, 7, &from, sizeof(from));

	if (m)
		m->n = n;
	return m != NULL;
}

/* The port and the length of the next one; 0: none. */
static uint32_t take(void)
{
	const struct dns_sender *s;
	const struct dns_queued *m = dns_queue_take(&q, &s);

	return m ? (uint32_t)s->from.sin6_port << 16 | m->n : 0;
}

static uint32_t waiting(void)
{
	const struct dns_sender *s;
	uint32_t n = 0;

	TAILQ_FOREACH(s, &q.waiting, link)
		n++;
	return n;
}

static uint32_t one(uint16_t port, uint16_t n)
{
	return (uint32_t)port << 16 | n;
}

static void test_who_sends_many_loses_its_own(void **state)
{
	uint32_t taken = 0;

	(void)state;
	dns_queue_init(&q);
	for (uint16_t i = 1; i <= 1000; i++)
		assert_int_equal(add(5, i), i <= DNS_QUEUE_EACH);
	assert_true(add(6, 1));
	assert_false(add(5, 1));
	assert_true(add(6, 2));
	assert_int_equal(take(), one(5, 1));
	assert_int_equal(take(), one(6, 1));
	assert_true(add(5, 2000)); /* there is room again, at its end */
	assert_int_equal(take(), one(5, 2));
	assert_int_equal(take(), one(6, 2));
	for (uint16_t i = 3; i <= DNS_QUEUE_EACH; i++)
		assert_int_equal(take(), one(5, i));
	assert_int_equal(take(), one(5, 2000));
	assert_int_equal(take(), 0);
	while (add(6, 1))
		taken++;
	assert_int_equal(taken, DNS_QUEUE_EACH);
}

/* The port alone does not make a sender, nor does the address. */
static void test_what_a_sender_is(void **state)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = 9 }, other = six;
	struct sockaddr_in6 four = { 0 };
	const struct dns_sender *s;

	(void)state;
	dns_queue_init(&q);
	other.sin6_addr.s6_addr[15] = 1;
	((struct sockaddr_in *)&four)->sin_family = AF_INET;
	((struct sockaddr_in *)&four)->sin_port = 9;
	for (uint32_t i = 0; i < DNS_QUEUE_EACH; i++)
		assert_non_null(dns_queue_add(&q, 7, &six, sizeof(six)));
	assert_null(dns_queue_add(&q, 7, &six, sizeof(six)));
	assert_non_null(dns_queue_add(&q, 7, &other, sizeof(other)));
	assert_non_null(dns_queue_add(&q, 8, &six, sizeof(six)));
	assert_non_null(dns_queue_add(&q, 8, &four, sizeof(struct sockaddr_in)));
	assert_int_equal(waiting(), 4);
	assert_non_null(dns_queue_take(&q, &s));
	assert_int_equal(s->fd, 7);
	assert_int_equal(s->from_len, sizeof(six));
}

static void test_a_new_one_takes_the_place_of_the_one_with_most(void **state)
{
	bool seen = false, gone = true;
	uint32_t t;

	(void)state;
	dns_queue_init(&q);
	for (uint16_t i = 1; i <= DNS_QUEUE_SENDERS; i++)
		assert_true(add(i, 1));
	for (uint16_t i = 2; i <= 9; i++)
		assert_true(add(77, i));
	assert_true(add(1000, 1));
	assert_int_equal(waiting(), DNS_QUEUE_SENDERS);
	while ((t = take()) != 0) {
		seen = seen || t == one(1000, 1);
		gone = gone && t >> 16 != 77;
	}
	assert_true(seen && gone);
}

/* At random: nobody waits for longer than one turn of all, and each sender's come in order. */
static void test_turns(void **state)
{
	static uint16_t in[101], out[101];
	static uint32_t waits[101];
	uint32_t taken = 0, unused = 0;
	const struct dns_sender *s;

	(void)state;
	srand(7);
	dns_queue_init(&q);
	for (int i = 0; i < 300000; i++) {
		/* one of them sends half of all */
		uint16_t port = (uint16_t)(rand() % 2 ? 1 : 1 + rand() % 100);
		uint32_t t;

		if (rand() % 3) {
			(void)add(port, ++in[port]);
			continue;
		}
		t = take();
		if (t == 0)
			continue;
		taken++;
		port = (uint16_t)(t >> 16);
		assert_true((int16_t)((uint16_t)t - out[port]) > 0);
		out[port] = (uint16_t)t;
		waits[port] = 0;
		TAILQ_FOREACH(s, &q.waiting, link) {
			uint32_t other = s->from.sin6_port;

			waits[other] += other != port;
			assert_in_range(waits[other], 0, 100);
		}
	}
	assert_in_range(taken, 50000, 300000);
	while (take())
		;
	assert_int_equal(waiting(), 0);
	TAILQ_FOREACH(s, &q.free, link)
		unused++;
	assert_int_equal(unused, DNS_QUEUE_SENDERS);
}

/* New ones that come as fast as others are taken do not put off who waits. */
static void test_new_ones_wait_behind(void **state)
{
	uint16_t port = 1000, turns = 0;

	(void)state;
	dns_queue_init(&q);
	for (uint16_t i = 1; i <= 10; i++) {
		assert_true(add(1, i));
		assert_true(add(port++, 1));
	}
	for (uint16_t i = 1; i <= 10;) {
		i = (uint16_t)(i + (take() == one(1, i)));
		assert_true(add(port++, 1));
		assert_in_range(turns++, 0, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_sends_many_loses_its_own),
		cmocka_unit_test(test_what_a_sender_is),
		cmocka_unit_test(test_a_new_one_takes_the_place_of_the_one_with_most),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_new_ones_wait_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
