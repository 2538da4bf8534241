/*
 * The digest by which equal facts are recognised.  A text goes in with its length and a list
 * with its count, so that no two inputs have the same bytes.  Where a statement stands does
 * not count: the block says nothing of it.
 */
#include "compiler/lower/ready.h"

#include <sodium.h>

#include "compiler/lower/ready_block.h"

/*
 * A member that is missing below would give two different policies the same block.  Whoever
 * adds one to a struct sees this, and adds it below as well.
 */
_Static_assert(sizeof(struct ir_when) == 24, "put_when() has every member");
_Static_assert(sizeof(struct ir_optspec) == 56, "put_option() has every member");
_Static_assert(sizeof(struct ir_code_place) == 32, "put_place() has every member");
_Static_assert(sizeof(struct ir_program) == 176, "put_program() has every member");
_Static_assert(sizeof(struct ir_var) == 64, "facts_key() has every member");
_Static_assert(sizeof(struct ir_pin) == 112, "facts_key() has every member");
_Static_assert(sizeof(struct ir_shell) == 80, "facts_key() has every member");

static void put_text(struct buf *b, struct str s)
{
	buf_u32(b, (uint32_t)s.n);
	buf_str(b, s);
}

static void put_texts(struct buf *b, const struct str *v, size_t n)
{
	buf_u32(b, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_text(b, v[i]);
}

static void put_when(struct buf *b, const struct ir_when *w)
{
	buf_u8(b, (uint8_t)(w->is | w->i << 1 | w->x << 2));
	put_text(b, w->text);
}

static void put_option(struct buf *b, const struct ir_optspec *o)
{
	const uint32_t v[] = { o->takes, o->says_takes, o->flags, o->same };

	put_text(b, o->name);
	buf_add(b, v, sizeof(v));
	put_when(b, &o->when);
}

static void put_place(struct buf *b, const struct ir_code_place *p)
{
	buf_u32(b, p->kind);
	buf_u32(b, p->operand);
	put_when(b, &p->when);
}

static void put_program(struct buf *b, const struct ir_program *p)
{
	const uint32_t v[] = { p->kind, p->flags, p->skip, (uint32_t)p->noptions,
			       (uint32_t)p->ncodes };

	put_text(b, p->name);
	buf_add(b, v, sizeof(v));
	for (size_t i = 0; i < p->noptions; i++)
		put_option(b, &p->options[i]);
	for (size_t i = 0; i < p->ncodes; i++)
		put_place(b, &p->codes[i]);
	put_texts(b, p->after, p->nafter);
	put_texts(b, p->ends, p->nends);
	put_texts(b, p->also, p->nalso);
	put_texts(b, p->defaults, p->ndefaults);
}

void facts_key(const struct ir *ir, uint8_t ret[FACTS_KEY_BYTES])
{
	struct arena tmp;
	struct buf b;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	buf_init(&b, &tmp);
	buf_u32(&b, (uint32_t)ir->programs.n);
	for (size_t i = 0; i < ir->programs.n; i++)
		put_program(&b, &ir->programs.v[i]);
	buf_u32(&b, (uint32_t)ir->vars.n);
	for (size_t i = 0; i < ir->vars.n; i++) {
		put_text(&b, ir->vars.v[i].name);
		buf_u8(&b, ir->vars.v[i].taint);
	}
	buf_u32(&b, (uint32_t)ir->pins.n);
	for (size_t i = 0; i < ir->pins.n; i++) {
		put_text(&b, ir->pins.v[i].name);
		put_text(&b, ir->pins.v[i].path);
		put_text(&b, ir->pins.v[i].sha256);
	}
	buf_u8(&b, ir->shell.level != 0);
	put_text(&b, ir->shell.name);
	put_text(&b, ir->shell.path);
	(void)crypto_generichash(ret, FACTS_KEY_BYTES, b.p, b.n, NULL, 0);
	arena_release(&tmp);
}

const struct line_facts *facts_ready_for(const struct ir *ir)
{
	uint8_t is[FACTS_KEY_BYTES];
	char hex[2 * FACTS_KEY_BYTES + 1];

	if (!facts_ready.size)
		return NULL;
	facts_key(ir, is);
	(void)sodium_bin2hex(hex, sizeof(hex), is, sizeof(is));
	return strcmp(hex, facts_ready.key) == 0 ? facts_ready.block : NULL;
}
