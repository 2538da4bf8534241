/*
 * Policies from texts: a folder with files, a standard library of its own
 * (or the real one), and the passes parse, resolve, lower.
 */
#ifndef TESTS_UNIT_SEMA_FIXTURE_H
#define TESTS_UNIT_SEMA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/lower/lower.h"
#include "compiler/sema/sema.h"

struct fx {
	struct arena a;
	struct diag_sink sink;
	struct source_map map;
	struct sema s;
	struct ir *ir;
	char dir[64];
	struct sema_input in[8];
	size_t nin;
};

static inline const char *fx_path(struct fx *f, const char *name)
{
	return arena_printf(&f->a, "%s/%s", f->dir, name);
}

static inline void fx_write(struct fx *f, const char *name, const char *text)
{
	const char *path = fx_path(f, name);
	FILE *out;

	for (const char *p = strchr(path + strlen(f->dir) + 1, '/'); p;
	     p = strchr(p + 1, '/')) {
		char *d = strndup(path, (size_t)(p - path));
		(void)mkdir(d, 0700);
		free(d);
	}
	out = fopen(path, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
	assert_int_equal(fclose(out), 0);
}

static inline void fx_init(struct fx *f)
{
	memset(f, 0, sizeof(*f));
	arena_init(&f->a, ARENA_DEFAULT_BUDGET);
	diag_init(&f->sink, &f->a);
	f->sink.limit = 1000;
	source_init(&f->map, &f->a);
	snprintf(f->dir, sizeof(f->dir), "/tmp/pol-sema-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	fx_write(f, "std/base.pol", "network disabled\n");
	fx_write(f, "std/floor.pol", "network disabled\n");
	sema_init(&f->s, &f->a, &f->sink, &f->map, fx_path(f, "std"));
}

static inline void fx_release(struct fx *f)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", f->dir);
	assert_int_equal(system(cmd), 0);
	arena_release(&f->a);
}

static inline void fx_add(struct fx *f, const char *name, const char *text,
			  enum ir_level level, bool discovered)
{
	fx_write(f, name, text);
	f->in[f->nin++] = (struct sema_input){ .path = fx_path(f, name),
					       .name = str_from(name), .level = level,
					       .discovered = discovered,
					       .cmdline_level = !discovered };
}

/* Runs the three passes; f->ir is NULL after an error. */
static inline bool fx_run(struct fx *f)
{
	const char *broken;

	f->ir = NULL;
	if (!sema_load(&f->s, f->in, f->nin))
		return false;
	sema_resolve(&f->s);
	f->ir = lower_policy(&f->s);
	if (!f->ir)
		return false;
	broken = ir_verify(f->ir, &f->a);
	if (broken)
		fail_msg("the IR is broken: %s", broken);
	return true;
}

/* Is there a message with this code whose text or notes hold `text`? */
static inline bool fx_said(const struct fx *f, const char *code, const char *text)
{
	for (size_t i = 0; i < f->sink.list.n; i++) {
		const struct diag *d = f->sink.list.v[i];

		if (strcmp(diag_code_name(d->code), code) != 0)
			continue;
		if (memmem(d->text.p, d->text.n, text, strlen(text)))
			return true;
		for (size_t k = 0; k < d->parts.n; k++)
			if (memmem(d->parts.v[k].text.p, d->parts.v[k].text.n, text,
				   strlen(text)))
				return true;
	}
	return false;
}

static inline void fx_show(const struct fx *f)
{
	diag_render(stderr, &f->sink, &f->map, false);
}

/* One text at level project, which must lower; fx_release() is the caller's. */
static inline void fx_run_text(struct fx *f, const char *text)
{
	fx_init(f);
	fx_add(f, "p.pol", text, IR_PROJECT, false);
	if (!fx_run(f)) {
		fx_show(f);
		fail_msg("an error in: %s", text);
	}
}

/* One text at level project must give exactly this message. */
static inline void fx_expect(const char *text, enum ir_level level, bool discovered,
			     const char *code, const char *say)
{
	struct fx f;
	bool ok;

	fx_init(&f);
	fx_add(&f, "p.pol", text, level, discovered);
	ok = fx_run(&f);
	if (ok || !fx_said(&f, code, say)) {
		fx_show(&f);
		fail_msg("no %s '%s' for: %s", code, say, text);
	}
	fx_release(&f);
}

/* The number of rules of a kind and effect. */
static inline size_t fx_count(const struct fx *f, enum ir_kind kind, enum ir_effect e)
{
	size_t n = 0;

	for (size_t i = 0; i < f->ir->rules.n; i++)
		n += f->ir->rules.v[i]->kind == kind && f->ir->rules.v[i]->effect == e &&
		     f->ir->rules.v[i]->level != IR_DEFAULT;
	return n;
}

/* The n-th rule above level 5. */
static inline const struct ir_rule *fx_rule(const struct fx *f, size_t n)
{
	for (size_t i = 0; i < f->ir->rules.n; i++)
		if (f->ir->rules.v[i]->level != IR_DEFAULT && n-- == 0)
			return f->ir->rules.v[i];
	fail_msg("there are not so many rules");
	return NULL;
}

#endif
