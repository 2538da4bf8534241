/*
 * What a ruleset that was read back does with a packet, how two rulesets differ,
 * and how a ruleset is printed.
 */
#include "compiler/backend/nft/model.h"

/* --- asking ---------------------------------------------------------------------------------- */

static bool set_holds(const struct model_set *s, region_addr addr, uint16_t port)
{
	size_t lo = 0, hi = s->elements.n;

	/* find the first element that begins above the address */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->elements.v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* elements with one range of addresses are neighbours; others do not overlap */
	for (; lo-- > 0 && s->elements.v[lo].hi >= addr;)
		if (port >= s->elements.v[lo].port_lo && port <= s->elements.v[lo].port_hi)
			return true;
	return false;
}

static bool rule_matches(const struct model_rule *r, unsigned proto, region_addr addr,
			 uint16_t port)
{
	unsigned family = addr >= REGION_V4_LO && addr <= REGION_V4_HI ? 4 : 6;
	bool in = !r->ports.n;

	if (r->replies || r->proto != proto || (r->family && r->family != family))
		return false;
	for (size_t i = 0; !in && i < r->ports.n; i++)
		in = port >= r->ports.v[i].lo && port <= r->ports.v[i].hi;
	return in && (!r->set || set_holds(r->set, addr, port) != r->outside);
}

static const struct model_rule *first_match(const struct model *m, bool nat, unsigned proto,
					    region_addr addr, uint16_t port)
{
	for (size_t i = 0; i < m->rules.n; i++)
		if (m->rules.v[i].nat == nat &&
		    rule_matches(&m->rules.v[i], proto, addr, port))
			return &m->rules.v[i];
	return NULL;
}

int model_ask(const struct model *m, unsigned proto, region_addr addr, uint16_t port)
{
	const struct model_rule *r = first_match(m, false, proto, addr, port);

	return r ? (int)(r - m->rules.v) : -1;
}

uint16_t model_redirect(const struct model *m, unsigned proto, region_addr addr,
			uint16_t port)
{
	const struct model_rule *r = first_match(m, true, proto, addr, port);

	return r ? r->to : 0;
}

bool model_records(const struct model_rule *r)
{
	return r->counter && (r->verdict == MODEL_ACCEPT || r->verdict == MODEL_REDIRECT ||
			      (r->log && r->group == PB_NFT_GROUP &&
			       str_eq(r->prefix, r->comment)));
}

/* --- comparing -------------------------------------------------------------------------------- */

static bool same_set(const struct model_set *x, const struct model_set *y)
{
	if (!x || !y)
		return x == y;
	if (!str_eq(x->name, y->name) || x->v6 != y->v6 || x->pairs != y->pairs ||
	    x->interval != y->interval || x->elements.n != y->elements.n)
		return false;
	for (size_t i = 0; i < x->elements.n; i++) {
		const struct model_element *a = &x->elements.v[i];
		const struct model_element *b = &y->elements.v[i];

		if (a->lo != b->lo || a->hi != b->hi || a->port_lo != b->port_lo ||
		    a->port_hi != b->port_hi)
			return false;
	}
	return true;
}

static bool same_ports(const struct model_rule *x, const struct model_rule *y)
{
	if (x->ports.n != y->ports.n)
		return false;
	for (size_t i = 0; i < x->ports.n; i++)
		if (x->ports.v[i].lo != y->ports.v[i].lo ||
		    x->ports.v[i].hi != y->ports.v[i].hi)
			return false;
	return true;
}

static bool same_rule(const struct model_rule *x, const struct model_rule *y)
{
	return str_eq(x->comment, y->comment) && x->nat == y->nat && x->to == y->to &&
	       x->outside == y->outside && x->replies == y->replies &&
	       x->family == y->family && x->proto == y->proto &&
	       (x->set ? y->set && str_eq(x->set->name, y->set->name) : !y->set) &&
	       same_ports(x, y) && x->log == y->log && x->counter == y->counter &&
	       str_eq(x->prefix, y->prefix) && x->group == y->group &&
	       x->verdict == y->verdict;
}

const char *model_differs(struct arena *a, const struct model *x, const struct model *y)
{
	if (x->has_nat != y->has_nat)
		return "only one has the chain that redirects";
	if (x->sets.n != y->sets.n)
		return arena_printf(a, "%zu sets and %zu", x->sets.n, y->sets.n);
	for (size_t i = 0; i < x->sets.n; i++)
		if (!same_set(x->sets.v[i], y->sets.v[i]))
			return arena_printf(a, "set %.*s", STR_ARG(x->sets.v[i]->name));
	if (x->rules.n != y->rules.n)
		return arena_printf(a, "%zu rules and %zu", x->rules.n, y->rules.n);
	for (size_t i = 0; i < x->rules.n; i++)
		if (!same_rule(&x->rules.v[i], &y->rules.v[i]))
			return arena_printf(a, "rule %zu, %.*s", i + 1,
					    STR_ARG(x->rules.v[i].comment));
	return NULL;
}

/* --- printing --------------------------------------------------------------------------------- */

static void print_ports(FILE *out, uint16_t lo, uint16_t hi)
{
	(void)fprintf(out, lo == hi ? "%u" : "%u-%u", lo, hi);
}

static void print_addr(FILE *out, region_addr a)
{
	uint8_t b[16];

	region_bytes(a, b);
	if (a >= REGION_V4_LO && a <= REGION_V4_HI) {
		(void)fprintf(out, "%u.%u.%u.%u", b[12], b[13], b[14], b[15]);
		return;
	}
	for (size_t i = 0; i < 16; i += 2)
		(void)fprintf(out, "%s%x", i ? ":" : "", b[i] << 8 | b[i + 1]);
}

/* Is the set a block that stands in a rule?  Then it is printed with the rule. */
static bool is_block(const struct model_set *s)
{
	return s->name.p[0] == '#';
}

static void print_addrs(FILE *out, const struct model_element *e)
{
	print_addr(out, e->lo);
	if (e->hi == e->lo)
		return;
	(void)fputc('-', out);
	print_addr(out, e->hi);
}

static void print_set(FILE *out, const struct model_set *s)
{
	if (is_block(s))
		return;
	(void)fprintf(out, "set %.*s", STR_ARG(s->name));
	for (size_t i = 0; i < s->elements.n; i++) {
		const struct model_element *e = &s->elements.v[i];

		(void)fputs(i ? ", " : ": ", out);
		print_addrs(out, e);
		if (s->pairs) {
			(void)fputs(" port ", out);
			print_ports(out, e->port_lo, e->port_hi);
		}
	}
	(void)fputc('\n', out);
}

static void print_rule(FILE *out, const struct model_rule *r)
{
	static const char *const verdicts[] = { "accept", "reset", "prohibited", "redirect" };

	(void)fputs(r->nat ? "nat " : "rule ", out);
	if (r->replies)
		(void)fputs("replies", out);
	else
		(void)fputs(r->proto == IR_TCP ? "tcp" : "udp", out);
	if (r->set && is_block(r->set)) {
		(void)fputs(r->outside ? " not to " : " to ", out);
		print_addrs(out, &r->set->elements.v[0]);
	} else if (r->set) {
		(void)fprintf(out, " to @%.*s", STR_ARG(r->set->name));
	} else if (r->family) {
		(void)fprintf(out, " to ipv%u", r->family);
	}
	for (size_t i = 0; i < r->ports.n; i++) {
		(void)fputs(i ? "," : " port ", out);
		print_ports(out, r->ports.v[i].lo, r->ports.v[i].hi);
	}
	(void)fprintf(out, " %s", verdicts[r->verdict]);
	if (r->verdict == MODEL_REDIRECT)
		(void)fprintf(out, " to port %u", r->to);
	(void)fprintf(out, "  %.*s\n", STR_ARG(r->comment));
}

void model_print(FILE *out, const struct model *m)
{
	for (size_t i = 0; i < m->sets.n; i++)
		print_set(out, m->sets.v[i]);
	for (size_t i = 0; i < m->rules.n; i++)
		print_rule(out, &m->rules.v[i]);
}
