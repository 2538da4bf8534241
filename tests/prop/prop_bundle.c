/*
 * Law: a bundle with a flipped byte is refused or harmless.  "Harmless" is
 * exact: if the reader still accepts it, then every member that it hands out
 * is byte for byte the one that was written.  Every byte of a small bundle is
 * flipped in turn, random ones of a bigger one, read as for a run (by the digests of
 * blocks) and as for polc (also by those of members); and with the digests made
 * right again, what the structure check lets through must be walkable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/bundle/members.h"
#include "tests/unit/bundle_first.h"
#include "tests/unit/bundle_sign.h"

static uint64_t state_;

static uint64_t rnd(void)
{
	state_ ^= state_ << 13;
	state_ ^= state_ >> 7;
	state_ ^= state_ << 17;
	return state_;
}

static uint64_t env_u64(const char *name, uint64_t none)
{
	const char *v = getenv(name);

	return v && *v ? strtoull(v, NULL, 0) : none;
}

static uint64_t runs(uint64_t usual)
{
	return env_u64("RUNS", usual);
}

static int parse(const uint8_t *bytes, size_t n, bool run, struct bundle *b)
{
	struct str s = { (const char *)bytes, n };
	struct rt_err err;

	return bundle_parse_gated(mk_malloced(s), n, run, NULL, NULL, b, &err);
}

static enum pb_filter_kind kind_of(const char *path)
{
	unsigned k = 0;

	while (!strstr(path, member_filters[k].name))
		k++;
	return (enum pb_filter_kind)k;
}

/* Everything that a run reads, compared with what was written. */
static void compare(struct bundle *b, const struct mk *m)
{
	struct rt_err err;

	for (size_t i = 0; i < m->out.members.n; i++) {
		const struct bk_member *want = &m->out.members.v[i];
		const struct bundle_member *is =
			bundle_member(b, str_from(want->path.p).p);

		if (!is) {
			const struct pb_map *map;
			const void *insns;
			size_t n;

			/* Only what is verified late may be damaged here, and
			   then whoever needs it is refused. */
			assert_non_null(strstr(want->path.p, "seccomp/"));
			assert_true(bundle_filter(b, kind_of(want->path.p), &insns, &n,
						  &map, &err) < 0);
			continue;
		}
		assert_int_equal(is->size, want->bytes.n);
		assert_memory_equal(is->data, want->bytes.p, is->size);
	}
}

static void flip(const struct mk *m, uint8_t *bytes, size_t n, size_t at, uint8_t mask,
		 size_t *ret_accepted)
{
	struct bundle b;

	bytes[at] ^= mask;
	for (int run = 0; run < 2; run++) {
		if (parse(bytes, n, run, &b) == 0) {
			compare(&b, m);
			bundle_release(&b);
			++*ret_accepted;
		}
	}
	bytes[at] ^= mask;
}

/* A bundle without the bulk, so that each byte can have its turn. */
static void every_byte(bool first_format)
{
	size_t accepted = 0;
	struct bundle b;
	uint8_t *bytes;
	struct str s;
	struct mk m;

	mk_sample(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	if (first_format)
		s = mk_first_format(&m, s);
	bytes = mk_malloced(s);
	for (int run = 0; run < 2; run++) {
		assert_int_equal(parse(bytes, s.n, run, &b), 0);
		assert_int_equal(b.blocks != NULL, !first_format);
		compare(&b, &m);
		bundle_release(&b);
	}
	for (size_t i = 0; i < s.n; i++)
		flip(&m, bytes, s.n, i, (uint8_t)(1u << (i % 8)), &accepted);
	printf("%zu bytes flipped, %zu bundles accepted and harmless\n", s.n, accepted);
	/* ir.json, sources and the two filters are verified when they are used. */
	assert_true(accepted > 0 && accepted < 2 * s.n);
	free(bytes);
	mk_release(&m);
}

static void test_every_byte_of_a_small_bundle(void **state)
{
	(void)state;
	every_byte(false);
}

static void test_every_byte_of_one_of_the_first_format(void **state)
{
	(void)state;
	every_byte(true);
}

/*
 * The same of a signed one, by the way that polrun opens it: whatever is still
 * accepted has the same members and the same signer, so nothing that is
 * signed can be exchanged; of the signature no byte can.
 */
static void test_every_byte_of_a_small_signed_bundle(void **state)
{
	static const struct sig_spec good = { SIG_GOOD };
	struct sig_key key = sig_key(1);
	size_t accepted = 0;
	uint8_t *bytes;
	struct bundle was;
	struct str s;
	struct mk m;

	(void)state;
	mk_sample(&m);
	s = mk_signed(&m.a, mk_bundle(&m, MK_OPTIONS), &good, &key);
	assert_int_equal(parse((const uint8_t *)s.p, s.n, true, &was), 0);
	assert_int_equal(was.nsignatures, 1);
	bytes = mk_malloced(s);
	for (size_t i = 0; i < s.n; i++) {
		uint8_t mask = (uint8_t)(1 + rnd() % 255);
		struct bundle b;

		bytes[i] ^= mask;
		if (parse(bytes, s.n, i % 2, &b) == 0) {
			compare(&b, &m);
			assert_int_equal(b.nsignatures, 1);
			assert_true(sshkey_equal(&b.signatures[0].key,
						 &was.signatures[0].key));
			assert_string_equal(b.digest, was.digest);
			/* the manifest and the signature have one spelling */
			assert_true(i >= mk_signatures_at(s) + 1024);
			bundle_release(&b);
			accepted++;
		}
		bytes[i] ^= mask;
	}
	printf("%zu bytes flipped, %zu bundles accepted and harmless\n", s.n, accepted);
	assert_true(accepted > 0 && accepted < s.n);
	bundle_release(&was);
	free(bytes);
	mk_release(&m);
}

static void make_big(struct mk *m)
{
	mk_sample(m);
	for (size_t i = 0; i < 3000; i++)
		(void)mk_file(
			m, i % 2 ? IR_DENY : IR_ALLOW, IR_WRITE, (enum ir_root)(i % 3),
			arena_printf(&m->a, "/p%zu/%s", i, i % 3 ? "{b,c}" : "*.txt"));
}

static void test_random_bytes_of_a_big_bundle(void **state)
{
	size_t accepted = 0;
	uint8_t *bytes;
	struct str s;
	struct mk m;

	(void)state;
	make_big(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	bytes = mk_malloced(s);
	for (uint64_t i = 0; i < runs(1500); i++)
		flip(&m, bytes, s.n, (size_t)(rnd() % s.n), (uint8_t)(1 + rnd() % 255),
		     &accepted);
	printf("%zu bytes, %zu of the flips harmless\n", s.n, accepted);
	free(bytes);
	mk_release(&m);
}

/* Touches everything that the views promise, so that ASan sees a lie. */
static uint64_t walk(struct bundle *b)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->rules->rules.count; i++) {
		const struct pb_rule *r = bundle_rule(b, i);
		const struct pb_str s[] = { r->id, r->file, r->text, r->reason,
					    r->note };

		for (size_t k = 0; k < POL_LEN(s); k++)
			for (uint32_t j = 0; j < s[k].len; j++)
				sum += (uint8_t)pb_strp(b->rules, s[k])[j];
		for (uint32_t k = 0; k < r->lifted_count; k++)
			sum += *(const uint32_t *)pb_at(b->rules, b->rules->lifted, 4,
							r->lifted_off + k);
	}
	for (uint32_t i = 0; i < b->matcher->automata.count; i++) {
		const struct pb_automaton *a = pb_at(b->matcher, b->matcher->automata,
						     sizeof(*a), i);
		const uint8_t *base = (const uint8_t *)b->matcher;
		const struct pb_state *states = (const void *)(base + a->states);
		const uint32_t *moves = (const void *)(base + a->moves);
		const uint32_t *set_at = (const void *)(base + a->set_at);
		const uint32_t *tags = (const void *)(base + a->tags);
		uint32_t at = a->start;

		for (uint32_t k = 0; k < 2000; k++) {
			uint8_t cls = base[a->cls + k % 256];
			uint32_t to = states[at].other;

			for (uint32_t j = states[at].moves; j < states[at + 1].moves; j++)
				if (PB_MOVE_CLASS(moves[j]) == cls)
					to = PB_MOVE_STATE(moves[j]);
			at = to;
			to = states[at].set;
			for (uint32_t t = set_at[to]; t < set_at[to + 1]; t++)
				sum += bundle_rule(b, tags[t])->line;
		}
	}
	for (uint32_t i = 0; i < b->mounts->anchors.count; i++) {
		const struct pb_anchor *a = pb_at(b->mounts, b->mounts->anchors,
						  sizeof(*a), i);

		sum += bundle_rule(b, a->rule)->line + a->path.len;
		for (uint32_t j = 0; j < a->path.len; j++)
			sum += (uint8_t)pb_strp(b->mounts, a->path)[j];
	}
	for (uint32_t i = 0; i < b->limits->limits.count; i++) {
		const struct pb_limit *l = pb_at(b->limits, b->limits->limits,
						 sizeof(*l), i);

		sum += bundle_rule(b, l->rule)->line;
	}
	for (uint32_t i = 0; i < b->env->entries.count; i++) {
		const struct pb_env_entry *e = pb_at(b->env, b->env->entries,
						     sizeof(*e), i);

		for (uint32_t j = 0; j < e->name.len; j++)
			sum += (uint8_t)pb_strp(b->env, e->name)[j];
		for (uint32_t j = 0; j < e->value.len; j++)
			sum += (uint8_t)pb_strp(b->env, e->value)[j];
	}
	return sum;
}

/*
 * An attacker makes digests that agree: random words of the members change,
 * then the real writer packs them.
 */
static void test_hostile_members_are_refused_or_walkable(void **state)
{
	size_t accepted = 0;
	uint64_t n = runs(3000), sum = 0;
	struct mk m;

	(void)state;
	mk_sample(&m);
	assert_true(mk_emit(&m));
	for (uint64_t i = 0; i < n; i++) {
		struct bk_member *t = &m.out.members.v[rnd() % m.out.members.n];
		struct bk_member was = *t;
		struct arena scratch;
		struct bundle b;
		struct str s;
		uint32_t v;
		char *p;
		bool ok;

		arena_init(&scratch, ARENA_DEFAULT_BUDGET);
		m.ir->a = &scratch;
		p = arena_dup(&scratch, t->bytes.p, t->bytes.n);
		for (uint64_t k = rnd() % 3 + 1; k > 0; k--) {
			size_t at = (size_t)(rnd() % (t->bytes.n / 4)) * 4;

			memcpy(&v, p + at, 4);
			v = rnd() % 2 ? (uint32_t)rnd() : v + (uint32_t)(rnd() % 9) - 4;
			memcpy(p + at, &v, 4);
		}
		t->bytes.p = p;
		s = mk_write(&m, MK_OPTIONS, &ok);
		assert_true(ok);
		if (parse((const uint8_t *)s.p, s.n, i % 2, &b) == 0) {
			const struct pb_map *map;
			const void *insns;
			size_t count;

			sum += walk(&b);
			if (bundle_filter(
				    &b, (enum pb_filter_kind)(rnd() % PB_FILTER_COUNT),
				    &insns, &count, &map, NULL) == 0)
				sum += count;
			bundle_release(&b);
			accepted++;
		}
		*t = was;
		m.ir->a = &m.a;
		arena_release(&scratch);
	}
	printf("%zu of %llu hostile bundles are well formed (%llx)\n", accepted,
	       (unsigned long long)n, (unsigned long long)sum);
	assert_true(accepted < n);
	mk_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte_of_a_small_bundle),
		cmocka_unit_test(test_every_byte_of_one_of_the_first_format),
		cmocka_unit_test(test_every_byte_of_a_small_signed_bundle),
		cmocka_unit_test(test_random_bytes_of_a_big_bundle),
		cmocka_unit_test(test_hostile_members_are_refused_or_walkable),
	};

	state_ = env_u64("SEED", 0x9e3779b97f4a7c15u);
	printf("SEED=%llu\n", (unsigned long long)state_);
	if (state_ == 0)
		state_ = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
