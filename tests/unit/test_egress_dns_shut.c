/*
 * Senders that are kept out of a socket's queue: exactly these, by address and port, in both
 * families, until they are heard again.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/egress/dns_shut.h"

static struct dns_shut shut;

/* A UDP socket on the loopback, at a port that the kernel chooses or at this one. */
static int at(int family, const char *addr, in_port_t port, struct sockaddr_in6 *ret)
{
	socklen_t len = sizeof(*ret);
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	*ret = (struct sockaddr_in6){ .sin6_family = (sa_family_t)family, .sin6_port = port };
	assert_int_equal(inet_pton(family, addr,
				   family == AF_INET ?
					   (void *)&((struct sockaddr_in *)ret)->sin_addr :
					   (void *)&ret->sin6_addr),
			 1);
	assert_int_equal(bind(fd, (struct sockaddr *)ret,
			      family == AF_INET ? sizeof(struct sockaddr_in) : len),
			 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
	return fd;
}

/* Does a datagram of this one arrive? */
static bool is_heard(int server, const struct sockaddr_in6 *to, int from)
{
	char in[8];

	assert_int_equal(sendto(from, "query", 5, 0, (const struct sockaddr *)to,
				to->sin6_family == AF_INET ? sizeof(struct sockaddr_in) :
							     sizeof(*to)),
			 5);
	return recv(server, in, sizeof(in), MSG_DONTWAIT) == 5;
}

static void check_family(int family, const char *addr)
{
	struct sockaddr_in6 server, loud, quiet;
	int s = at(family, addr, 0, &server), a = at(family, addr, 0, &loud),
	    b = at(family, addr, 0, &quiet);

	memset(&shut, 0, sizeof(shut));
	dns_shut_close(&shut, s); /* nobody */
	assert_true(is_heard(s, &server, a));
	dns_shut_add(&shut, &loud);
	assert_true(is_heard(s, &server, a)); /* only noted */
	dns_shut_close(&shut, s);
	for (int i = 0; i < 3; i++) {
		assert_false(is_heard(s, &server, a));
		assert_true(is_heard(s, &server, b));
	}
	dns_shut_add(&shut, &loud);
	assert_int_equal(shut.count, 1);
	dns_shut_add(&shut, &quiet);
	dns_shut_close(&shut, s);
	assert_false(is_heard(s, &server, a));
	assert_false(is_heard(s, &server, b));
	dns_shut_open(&shut, s);
	assert_true(is_heard(s, &server, a));
	assert_true(is_heard(s, &server, b));
	dns_shut_add(&shut, &quiet); /* the first is forgotten */
	dns_shut_close(&shut, s);
	assert_true(is_heard(s, &server, a));
	assert_false(is_heard(s, &server, b));
	(void)close(s), (void)close(a), (void)close(b);
}

static void test_who_is_noted_is_not_heard(void **state)
{
	(void)state;
	check_family(AF_INET, "127.0.0.1");
	check_family(AF_INET6, "::1");
}

/* Who shares the port, at another address of the loopback, is somebody else. */
static void test_the_address_counts(void **state)
{
	struct sockaddr_in6 server, loud, quiet;
	int s = at(AF_INET, "127.0.0.1", 0, &server), a = at(AF_INET, "127.0.0.1", 0, &loud),
	    b = at(AF_INET, "127.0.0.2", loud.sin6_port, &quiet);

	(void)state;
	memset(&shut, 0, sizeof(shut));
	dns_shut_add(&shut, &loud);
	dns_shut_close(&shut, s);
	assert_false(is_heard(s, &server, a));
	assert_true(is_heard(s, &server, b));
	(void)close(s), (void)close(a), (void)close(b);
}

/* As many as there is room for, and no more: the others are heard. */
static void test_the_room_is_fixed(void **state)
{
	struct sockaddr_in6 server, from[3], one = { .sin6_family = AF_INET };
	int s = at(AF_INET, "127.0.0.1", 0, &server), fd[3];

	(void)state;
	memset(&shut, 0, sizeof(shut));
	for (int i = 0; i < 3; i++)
		fd[i] = at(AF_INET, "127.0.0.1", 0, &from[i]);
	dns_shut_add(&shut, &from[0]);
	for (uint32_t i = 2; i < DNS_SHUT_MOST; i++) {
		((struct sockaddr_in *)&one)->sin_addr.s_addr = htonl(i);
		dns_shut_add(&shut, &one);
	}
	dns_shut_add(&shut, &from[1]);
	assert_int_equal(shut.count, DNS_SHUT_MOST);
	dns_shut_add(&shut, &from[2]);
	assert_int_equal(shut.count, DNS_SHUT_MOST);
	dns_shut_close(&shut, s);
	assert_true(shut.is_attached);
	assert_false(is_heard(s, &server, fd[0]));
	assert_false(is_heard(s, &server, fd[1]));
	assert_true(is_heard(s, &server, fd[2]));
	for (int i = 0; i < 3; i++)
		(void)close(fd[i]);
	(void)close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_noted_is_not_heard),
		cmocka_unit_test(test_the_address_counts),
		cmocka_unit_test(test_the_room_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
