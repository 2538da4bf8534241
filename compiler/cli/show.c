/* Words for parts of the IR.  The callers decide what is shown and where. */
#include "compiler/cli/show.h"

#include <inttypes.h>

#include "compiler/cli/cli.h"
#include "compiler/ir/value.h"

struct str show_place(struct arena *a, const struct ir_place *at)
{
	if (!at->line)
		return STR("built in");
	return str_printf(a, "%.*s:%u", STR_ARG(at->file), at->line);
}

struct str show_point(struct arena *a, const struct ir_place *at)
{
	struct str s = show_place(a, at);

	return at->line && at->col ? str_printf(a, "%.*s:%u", STR_ARG(s), at->col) : s;
}

struct str show_cut(struct arena *a, struct str s)
{
	enum { WIDTH = 100 };
	size_t n = WIDTH;

	s = cli_clean(a, s, false);
	if (s.n <= WIDTH)
		return s;
	while (n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return str_printf(a, "%.*s…", (int)n, s.p);
}

/* Writes the number in the largest unit that divides it. */
static struct str in_units(struct arena *a, uint64_t n, const char *const *units,
			   const uint64_t *sizes, size_t count)
{
	size_t i;

	for (i = count; i-- > 1;)
		if (n && n % sizes[i] == 0)
			break;
	return str_printf(a, "%" PRIu64 "%s", n / sizes[i], units[i]);
}

static struct str size_text(struct arena *a, uint64_t n)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	static const uint64_t sizes[] = { 1, 1u << 10, 1u << 20, 1u << 30,
					 (uint64_t)1 << 40};

	return in_units(a, n, units, sizes, POL_LEN(units));
}

static struct str duration_text(struct arena *a, uint64_t ms)
{
	static const char *const units[] = { "ms", "s", "m", "h", "d" };
	static const uint64_t sizes[] = { 1, 1000, 60000, 3600000, 86400000 };

	return in_units(a, ms, units, sizes, POL_LEN(units));
}

static struct str milli_text(struct arena *a, uint64_t n)
{
	char text[32];
	size_t len;

	len = (size_t)snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, n / 1000,
			       n % 1000);
	while (len > 1 && text[len - 1] == '0' && text[len - 2] != '.')
		len--;
	return str_dup(a, (struct str){ text, len });
}

static struct str by_risk_text(struct arena *a, const struct ir_scalar *s)
{
	struct buf b;
	int i;

	buf_init(&b, a);
	buf_z(&b, "by risk {");
	for (i = 0; i < IR_RISK_COUNT; i++)
		buf_printf(&b, " %s %s", ir_risk_name((enum ir_risk)i),
			   ir_effect_name(s->effects[i]));
	buf_z(&b, " }");
	return buf_view(&b);
}

struct str show_scalar(struct arena *a, enum ir_scalar_id id, const struct ir_scalar *s)
{
	bool limit = strcmp(ir_scalar_section(id), "limits") == 0;

	if (limit && !s->set)
		return STR("none");
	if (s->by_risk)
		return by_risk_text(a, s);
	switch (ir_scalar_type(id)) {
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
		return str_from(ir_effect_name(s->effect));
	case IR_T_MODE:
		return str_from(ir_mode_name((enum ir_mode)s->num));
	case IR_T_SIZE:
		return size_text(a, s->num);
	case IR_T_DURATION:
		return duration_text(a, s->num);
	case IR_T_MILLI:
		return milli_text(a, s->num);
	case IR_T_COUNT:
		return str_printf(a, "%" PRIu64, s->num);
	case IR_T_NAME:
		return s->text;
	}
	return STR("?");
}

struct str show_value(struct arena *a, const struct ir_value *v)
{
	struct buf b;

	buf_init(&b, a);
	ir_value_json(&b, v);
	return buf_view(&b);
}
