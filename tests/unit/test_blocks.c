/* Digests of blocks (runtime/bundle/blocks.h): each way finds what libsodium computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "runtime/bundle/blocks.h"

/* No block, a part of one, whole ones for some lanes, for all of them, for more. */
static const size_t sizes[] = {
	0, 1, 127, 128, 129, 4095, 4096, 4097, 2 * 4096, 3 * 4096 + 1, 4 * 4096, 5 * 4096 + 128,
	7 * 4096 + 4095, 8 * 4096, 9 * 4096, 10 * 4096 + 77, 16 * 4096, 31 * 4096 + 1
};

struct text {
	uint8_t *data; /* an allocation of exactly `size` bytes, so that ASan sees a read
	                  past the end */
	size_t size, n;
	uint8_t (*sums)[32];
};

static struct text text_of(size_t size)
{
	struct text t = { malloc(size ? size : 1), size, blocks_count(size), NULL };

	assert_non_null(t.data);
	t.sums = calloc(t.n + 1, sizeof(*t.sums));
	assert_non_null(t.sums);
	for (size_t i = 0; i < size; i++)
		t.data[i] = (uint8_t)(i * 2654435761u >> 13 ^ i >> 12);
	for (size_t i = 0; i < t.n; i++) {
		size_t at = i * BLOCKS_SIZE, left = size - at;

		assert_int_equal(crypto_generichash(t.sums[i], 32, t.data + at,
						    left < BLOCKS_SIZE ? left : BLOCKS_SIZE,
						    NULL, 0), 0);
	}
	return t;
}

static bool matches(enum blocks_way way, const struct text *t)
{
	return blocks_match(way, t->data, t->size, (const uint8_t (*)[32])t->sums);
}

static void test_the_number_of_blocks(void **state)
{
	(void)state;
	assert_int_equal(blocks_count(0), 0);
	assert_int_equal(blocks_count(1), 1);
	assert_int_equal(blocks_count(4096), 1);
	assert_int_equal(blocks_count(4097), 2);
	assert_true(blocks_count(SIZE_MAX) == SIZE_MAX / 4096 + 1);
}

static void test_each_way_finds_the_digests(void **state)
{
	(void)state;
	assert_true(blocks_can(BLOCKS_ONE) && blocks_can(blocks_best()));
	for (unsigned way = 0; way < BLOCKS_WAYS; way++) {
		if (!blocks_can(way)) {
			printf("way %u: this processor has it not\n", way);
			continue;
		}
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct text t = text_of(sizes[i]);

			if (!matches(way, &t))
				fail_msg("way %u does not find the digests of %zu bytes", way,
					 sizes[i]);
			free(t.data);
			free(t.sums);
		}
	}
}

/* In each block the first and the last byte and one between; in each digest as well. */
static void test_each_way_finds_a_changed_byte(void **state)
{
	size_t changes = 0;

	(void)state;
	for (unsigned way = 0; way < BLOCKS_WAYS; way++) {
		if (!blocks_can(way))
			continue;
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct text t = text_of(sizes[i]);

			for (size_t k = 0; k < 3 * t.n; k++) {
				size_t from = k / 3 * BLOCKS_SIZE, left = t.size - from;
				size_t last = (left < BLOCKS_SIZE ? left : BLOCKS_SIZE) - 1;
				size_t at = k % 3 == 0 ? 0 : k % 3 == 1 ? last : last / 2;
				uint8_t *sum = &t.sums[k / 3][at % 32];

				t.data[from + at] ^= (uint8_t)(1u << (k % 8));
				assert_false(matches(way, &t));
				t.data[from + at] ^= (uint8_t)(1u << (k % 8));
				*sum ^= 16;
				assert_false(matches(way, &t));
				*sum ^= 16;
				changes++;
			}
			assert_true(matches(way, &t));
			free(t.data);
			free(t.sums);
		}
	}
	printf("%zu changes found\n", changes);
	assert_true(changes > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_number_of_blocks),
		cmocka_unit_test(test_each_way_finds_the_digests),
		cmocka_unit_test(test_each_way_finds_a_changed_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
