/* At which ports a namespace listens, from the kernel's tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/egress/listening.h"

static int table(const char *text)
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

#define HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define LINE4(addr, st) "   0: " addr " 00000000:0000 " st " 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n"
#define LINE6(addr, st) \
	"   0: " addr " 00000000000000000000000000000000:0000 " st " 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n"

static void test_listening_ports_are_those_that_loopback_reaches(void **state)
{
	struct listening l = {
		table(HEAD LINE4("0100007F:1435", "0A") LINE4("00000000:0050", "0A") LINE4("0200007F:1436", "0A")
		      LINE4("0100A8C0:1437", "0A") LINE4("0100007F:1438", "01") LINE4("0100007F:1439", "0A")),
		table(HEAD LINE6("00000000000000000000000001000000:0BB8", "0A")
		      LINE6("00000000000000000000000000000000:0BB9", "0A")
		      LINE6("0000000000000000FFFF00000100007F:0BBA", "0A")
		      LINE6("000080FE00000000000000000100A8C0:0BBB", "0A")),
	};
	static struct ports p, want;

	(void)state;
	listening_look(&l, &p);
	listening_look(&l, &p); /* each look reads from the beginning */
	ports_add(&want, 0x1435);
	ports_add(&want, 0x50);
	ports_add_range(&want, 0xbb8, 0xbba);
	assert_memory_equal(&p, &want, sizeof(p));
	listening_close(&l);
}

static void test_many_lines_and_cut_ones(void **state)
{
	static char text[200 * 1000] = HEAD;
	static struct ports p;
	struct listening l = LISTENING_NONE;
	size_t n = strlen(text);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%4u: 0100007F:%04X 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0"
				      "        0 %u 1 0000000000000000 100 0 0 10 0                     \n",
				      i, 2000 + i, i * 7919);
	(void)snprintf(text + n, sizeof(text) - n, "   1: 0100007F:FF");
	l.fd4 = table(text);
	listening_look(&l, &p);
	for (uint32_t port = 0; port < 65536; port++)
		assert_int_equal(ports_has(&p, (uint16_t)port), port >= 2000 && port < 3000);
	listening_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listening_ports_are_those_that_loopback_reaches),
		cmocka_unit_test(test_many_lines_and_cut_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
