/* What holds for every bundle that the reader accepts. */
#ifndef TESTS_FUZZ_BUNDLE_LAW_H
#define TESTS_FUZZ_BUNDLE_LAW_H

#include "tests/fuzz/law.h"

#include "runtime/bundle/reader.h"
#include "runtime/decide/bpf.h"
#include "runtime/decide/near.h"

static inline void law_decision(const struct bundle *b, const struct decision *d)
{
	LAW(d->effect < PB_EFFECT_COUNT && d->risk <= 3);
	LAW(d->rule == UINT32_MAX || bundle_rule(b, d->rule));
	for (uint32_t i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		LAW(bundle_rule(b, d->matched[i]));
}

static inline void law_filter(struct bundle *b, enum pb_filter_kind kind)
{
	struct seccomp_data data = { .nr = 59, .arch = 0xc000003eu };
	const struct pb_map *map;
	const void *insns;
	struct rt_err err = { 0 };
	uint32_t value;
	unsigned args;
	size_t n;

	if (bundle_filter(b, kind, &insns, &n, &map, &err) < 0) {
		LAW(err.text[0]);
		return;
	}
	for (data.nr = 0; data.nr < 460; data.nr += 7)
		LAW(bpf_run(insns, n, &data, &value, &args) < (int)n);
}

static inline void law_argv(const struct decide_ctx *c, const char *const *argv,
			     struct decision *d)
{
	size_t size = decide_block_size(c, 64), n = 0;
	void *block = malloc(size);

	LAW(block);
	while (argv[n])
		n++;
	decide_words(c, argv, n, block, size, NULL, d);
	law_decision(c->b, d);
	free(block);
}

/* Takes `bytes` over, as the reader does. `run`: read as for a run. */
static inline void law_bundle(uint8_t *bytes, size_t n, bool run)
{
	static const char *const argvs[][4] = {
		{ "git", "status", NULL }, { "/bin/sh", "-c", "x", NULL }, { "", NULL }
	};
	static const char *const lines[] = {
		"git push -f origin; rm -rf ~/x >/tmp/y", "a:b $x \"$@\" *.c", "$X b -c", "'"
	};
	static const char *const paths[] = { "/", "/home/u/project/.git/config", "/etc/passwd" };
	struct decide_ctx c = { .scope = PB_SANDBOX, .cwd = "/home/u/project" };
	static const uint8_t addr[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };
	static struct decide_near near;
	const struct decision *each;
	struct decision d;
	struct rt_err err = { 0 };
	struct bundle b;

	if (bundle_parse_gated(bytes, n, run, NULL, NULL, &b, &err) < 0) {
		LAW(err.text[0]);
		return;
	}
	c.b = &b;
	near = (struct decide_near){ .nmarks = 0 };
	for (int i = 0; i < PB_ROOT_COUNT; i++)
		c.roots.dir[i] = i == PB_ROOT_FS ? "/" : "/home/u/project";
	for (size_t i = 0; i < 3; i++) {
		law_argv(&c, argvs[i], &d);
		each = decide_file_each(&c, &near, paths[i]);
		for (unsigned k = 0; k < DECIDE_FILE_OPS; k++) {
			decide_file(&c, (uint8_t)(1u << k), paths[i], &d);
			law_decision(&b, &d);
			LAW(d.effect == each[k].effect && d.rule == each[k].rule &&
			    d.nmatched == each[k].nmatched);
		}
		decide_unix(&c, paths[i], i == 1, &d);
		law_decision(&b, &d);
		decide_net(&c, i == 1, addr, 443, &d);
		law_decision(&b, &d);
		decide_tool(&c, paths[i], &d);
		law_decision(&b, &d);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t size = decide_block_size(&c, strlen(lines[i]));
		void *block = malloc(size);

		LAW(block);
		decide_line(&c, lines[i], strlen(lines[i]), block, size, NULL, &d);
		law_decision(&b, &d);
		free(block);
	}
	decide_unparsed(&c, &d);
	law_decision(&b, &d);
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++)
		law_filter(&b, (enum pb_filter_kind)k);
	bundle_release(&b);
}

#endif
