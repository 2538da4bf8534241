/* Checks rules.bin: the rule table to which the numbers in every other member refer. */
#include <string.h>

#include "runtime/bundle/check.h"

static int check_enums(const struct check *c, const struct pb_rule *r, uint32_t i)
{
	bool record = r->kind == PB_SCALAR || r->kind == PB_RISK;

	if (r->kind >= PB_KIND_COUNT || r->effect >= PB_EFFECT_COUNT)
		return check_bad(c, "rule %u has an unknown kind or effect", i);
	if (r->level > PB_DEFAULT || (r->level == 0 && !record))
		return check_bad(c, "rule %u has an unknown level", i);
	if (r->flags &
	    ~(PB_F_FINAL | PB_F_FLOOR | PB_F_SCRATCH | PB_F_SOFT | PB_F_ANSWER |
	      PB_F_HOST))
		return check_bad(c, "rule %u has an unknown flag", i);
	if (r->scopes & ~(PB_SANDBOX | PB_HOST))
		return check_bad(c, "rule %u has an unknown scope", i);
	if (r->ops & ~(PB_READ | PB_WRITE | PB_EXEC))
		return check_bad(c, "rule %u has an unknown operation", i);
	if (r->err > 4095)
		return check_bad(c, "rule %u has no valid errno", i);
	if (r->exactness > PB_X_ADVISORY || r->by_risk > 1)
		return check_bad(c, "rule %u has an unknown exactness or default", i);
	for (int k = 0; k < 4; k++) {
		if (r->effects[k] > PB_DENY)
			return check_bad(c, "rule %u has an unknown effect by risk", i);
	}
	if (r->zero[0] || r->zero[1])
		return check_bad(c, "rule %u has bytes that must be zero", i);
	return 0;
}

static int check_strings(struct check *c, const struct pb_rule *r,
			 const struct pb_rule *before)
{
	const struct pb_str s[5] = { r->id, r->file, r->text, r->reason, r->note };
	const struct pb_str was[5] = { before->id, before->file, before->text,
				       before->reason, before->note };

	/* The rules of one statement share their strings: look once. */
	for (int k = 0; k < 5; k++) {
		if (s[k].off == was[k].off && s[k].len == was[k].len)
			continue;
		CHECK_TRY(check_string(c, s[k], "a string of a rule"));
	}
	return 0;
}

static int check_parts(const struct check *c, const struct pb_rules *h)
{
	uint64_t sum = (uint64_t)h->ir_rules + h->scalar_count + h->risk_count;

	if (sum != h->rules.count || h->scalar_first != h->ir_rules ||
	    h->risk_first != h->scalar_first + h->scalar_count)
		return check_bad(c,
				 "rules, scalars and risk facts do not fill the table");
	if (h->scalar_count <= PB_S_SANDBOX_OPAQUE)
		return check_bad(c, "a scalar that every decision needs is missing");
	for (int k = 0; k < 6; k++) {
		if (h->locked[k] > PB_DEFAULT)
			return check_bad(c, "a lock has an unknown level");
	}
	return 0;
}

static int check_mode(const struct check *c, const struct pb_rules *h,
		      const struct pb_rule *v)
{
	if (v[h->scalar_first + PB_S_NET_MODE].value > PB_NET_FULL)
		return check_bad(c, "the network has an unknown mode");
	return 0;
}

static bool kind_fits(const struct pb_rules *h, const struct pb_rule *r, uint32_t i)
{
	if (i < h->ir_rules)
		return r->kind <= PB_TOOL;
	if (i < h->risk_first)
		return r->kind == PB_SCALAR;
	return r->kind == PB_RISK;
}

int bundle_check_rules(const void *data, size_t size, struct rt_err *err)
{
	static const struct pb_rule none;
	struct check c = { .data = data, .size = size, .member = PB_RULES, .err = err };
	const struct pb_rules *h = data;
	const struct pb_rule *v, *before = &none;
	const uint32_t *lifted;

	CHECK_TRY(check_head(&c, PB_MAGIC_RULES, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->rules, sizeof(*v), PB_MAX_RULES, "rules"));
	CHECK_TRY(check_table(&c, h->lifted, sizeof(*lifted), UINT32_MAX,
			      "lifted rules"));
	CHECK_TRY(check_parts(&c, h));
	CHECK_TRY(check_string(&c, h->policy, "the policy's name"));
	CHECK_TRY(check_string(&c, h->role, "the role's name"));
	v = (const void *)(c.data + h->rules.off);
	CHECK_TRY(check_mode(&c, h, v));
	lifted = (const void *)(c.data + h->lifted.off);
	for (uint32_t i = 0; i < h->lifted.count; i++) {
		if (lifted[i] >= h->ir_rules)
			return check_bad(&c, "a lifting rule's number is too large");
	}
	for (uint32_t i = 0; i < h->rules.count; i++, before = v + i - 1) {
		CHECK_TRY(check_enums(&c, v + i, i));
		CHECK_TRY(check_strings(&c, v + i, before));
		if (!kind_fits(h, v + i, i))
			return check_bad(&c, "rule %u has a kind of another part", i);
		if (v[i].lifted_off > h->lifted.count ||
		    v[i].lifted_count > h->lifted.count - v[i].lifted_off)
			return check_bad(&c, "rule %u is lifted by no rule", i);
	}
	return 0;
}
