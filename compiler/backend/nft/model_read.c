/*
 * Decides what a listed ruleset means: sets become ranges of addresses and ports,
 * rules become conjunctions over them.  One unknown form makes the whole ruleset
 * unreadable.
 */
#include "compiler/backend/nft/model.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "compiler/base/map.h"
#include "runtime/bundle/format.h"

struct reader {
	struct arena *a;
	struct model *m;
	struct map sets; /* by name */
	const char *why;
};

static bool fail(struct reader *r, const char *what, json_object *o)
{
	if (!r->why)
		r->why = arena_printf(r->a, "%s: %.200s", what,
				      o ? json_object_to_json_string_ext(
						  o, JSON_C_TO_STRING_PLAIN) : "null");
	return false;
}

static json_object *member(json_object *o, const char *key)
{
	json_object *v = NULL;

	return o && json_object_is_type(o, json_type_object) &&
			       json_object_object_get_ex(o, key, &v) ?
		       v : NULL;
}

static struct str text_of(struct reader *r, json_object *o)
{
	if (!o || !json_object_is_type(o, json_type_string))
		return STR_NULL;
	return str_dup(r->a, (struct str){ json_object_get_string(o),
					   (size_t)json_object_get_string_len(o) });
}

static bool is_text(json_object *o, const char *want)
{
	return o && json_object_is_type(o, json_type_string) &&
	       strcmp(json_object_get_string(o), want) == 0;
}

/* Is this exactly {"key": value}, with both strings as given? */
static bool is_pair(json_object *o, const char *outer, const char *key, const char *want)
{
	return is_text(member(member(o, outer), key), want);
}

/* --- elements ------------------------------------------------------------------ */

static bool read_number(json_object *o, uint64_t limit, uint64_t *ret)
{
	int64_t v;

	if (!o || !json_object_is_type(o, json_type_int))
		return false;
	v = json_object_get_int64(o);
	if (v < 0 || (uint64_t)v > limit)
		return false;
	*ret = (uint64_t)v;
	return true;
}

static bool read_ports(struct reader *r, json_object *o, uint16_t *lo, uint16_t *hi)
{
	json_object *range = member(o, "range");
	uint64_t a, b;

	if (!range) {
		if (!read_number(o, UINT16_MAX, &a))
			return fail(r, "no port", o);
		*lo = *hi = (uint16_t)a;
		return true;
	}
	if (!json_object_is_type(range, json_type_array) ||
	    json_object_array_length(range) != 2 ||
	    !read_number(json_object_array_get_idx(range, 0), UINT16_MAX, &a) ||
	    !read_number(json_object_array_get_idx(range, 1), UINT16_MAX, &b) || a > b)
		return fail(r, "no range of ports", o);
	*lo = (uint16_t)a;
	*hi = (uint16_t)b;
	return true;
}

static bool read_address(struct reader *r, json_object *o, struct num_cidr *ret)
{
	struct str s = text_of(r, o);
	bool bits;

	return (s.n && num_cidr(s, ret, &bits) && ret->bits == 128) ||
	       fail(r, "no address", o);
}

static bool read_prefix(struct reader *r, json_object *o, struct num_cidr *ret)
{
	region_addr size;
	uint64_t len;

	if (!read_address(r, member(o, "addr"), ret))
		return false;
	if (!read_number(member(o, "len"), 128, &len))
		return fail(r, "no length of a prefix", o);
	if (region_of(ret->addr) >= REGION_V4_LO && region_of(ret->addr) <= REGION_V4_HI)
		len += 96;
	if (len > 128)
		return fail(r, "no length of a prefix", o);
	ret->bits = (uint8_t)len;
	size = ret->bits ? ((region_addr)1 << (128 - len)) - 1 : ~(region_addr)0;
	return region_last(ret) - region_first(ret) == size ||
	       fail(r, "bits behind the mask of a prefix", o);
}

static bool read_addresses(struct reader *r, json_object *o, struct model_element *ret)
{
	json_object *range = member(o, "range"), *prefix = member(o, "prefix");
	struct num_cidr c, d;

	if (range) {
		if (!json_object_is_type(range, json_type_array) ||
		    json_object_array_length(range) != 2)
			return fail(r, "no range of addresses", o);
		if (!read_address(r, json_object_array_get_idx(range, 0), &c) ||
		    !read_address(r, json_object_array_get_idx(range, 1), &d))
			return false;
		ret->lo = region_of(c.addr);
		ret->hi = region_of(d.addr);
		return ret->lo <= ret->hi || fail(r, "a range that ends early", o);
	}
	if (!(prefix ? read_prefix(r, prefix, &c) : read_address(r, o, &c)))
		return false;
	ret->lo = region_first(&c);
	ret->hi = region_last(&c);
	return true;
}

static bool read_element(struct reader *r, struct model_set *s, json_object *o)
{
	struct model_element e = { .port_hi = UINT16_MAX };
	json_object *pair = member(o, "concat");
	bool v4;

	if (s->pairs) {
		if (!pair || !json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 2)
			return fail(r, "no pair", o);
		if (!read_ports(r, json_object_array_get_idx(pair, 1), &e.port_lo,
				&e.port_hi))
			return false;
		o = json_object_array_get_idx(pair, 0);
	}
	if (!read_addresses(r, o, &e))
		return false;
	v4 = e.lo >= REGION_V4_LO && e.hi <= REGION_V4_HI;
	if (v4 == s->v6)
		return fail(r, "an address of another family than the set's", o);
	VEC_PUSH(r->a, &s->elements, e);
	return true;
}

static bool read_elements(struct reader *r, struct model_set *s, json_object *o)
{
	if (!o)
		return true;
	if (!json_object_is_type(o, json_type_array))
		return fail(r, "no elements", o);
	for (size_t i = 0; i < json_object_array_length(o); i++)
		if (!read_element(r, s, json_object_array_get_idx(o, i)))
			return false;
	return true;
}

/* --- sets ------------------------------------------------------------------------- */

static bool is_ours(json_object *o)
{
	return is_text(member(o, "family"), "inet") &&
	       is_text(member(o, "table"), PB_NFT_TABLE);
}

static bool read_type(struct model_set *s, json_object *type)
{
	json_object *first = type;

	s->pairs = type && json_object_is_type(type, json_type_array);
	if (s->pairs) {
		if (json_object_array_length(type) != 2 ||
		    !is_text(json_object_array_get_idx(type, 1), "inet_service"))
			return false;
		first = json_object_array_get_idx(type, 0);
	}
	s->v6 = is_text(first, "ipv6_addr");
	return s->v6 || is_text(first, "ipv4_addr");
}

static bool read_set(struct reader *r, json_object *o)
{
	struct model_set *s = ARENA_NEW(r->a, struct model_set);
	json_object *flags = member(o, "flags");

	s->name = text_of(r, member(o, "name"));
	if (!is_ours(o) || !s->name.n || s->name.p[0] == '#' || map_get(&r->sets, s->name) ||
	    !read_type(s, member(o, "type")))
		return fail(r, "a set of another kind", o);
	if (flags) {
		s->interval = json_object_is_type(flags, json_type_array) &&
			      json_object_array_length(flags) == 1 &&
			      is_text(json_object_array_get_idx(flags, 0), "interval");
		if (!s->interval)
			return fail(r, "unknown flags of a set", o);
	}
	VEC_PUSH(r->a, &r->m->sets, s);
	(void)map_put(&r->sets, s->name, s);
	return read_elements(r, s, member(o, "elem"));
}

static bool read_more(struct reader *r, json_object *o)
{
	struct model_set *s = map_get(&r->sets, text_of(r, member(o, "name")));

	if (!is_ours(o) || !s)
		return fail(r, "elements of no set", o);
	return read_elements(r, s, member(o, "elem"));
}

/* --- rules --------------------------------------------------------------------------- */

static bool take_set(struct reader *r, struct model_rule *rule, json_object *right,
		     bool pairs, unsigned family)
{
	struct str name = text_of(r, right);

	if (name.n < 2 || name.p[0] != '@' || rule->set)
		return fail(r, "no set to look into", right);
	rule->set = map_get(&r->sets, str_sub(name, 1, name.n - 1));
	if (!rule->set || rule->set->pairs != pairs || rule->set->v6 != (family == 6))
		return fail(r, "a set of another kind", right);
	rule->family = family;
	return true;
}

/* A block of addresses that stands in the rule itself becomes a set of its own. */
static bool take_block(struct reader *r, struct model_rule *rule, json_object *right,
		       unsigned family)
{
	struct model_set *s = ARENA_NEW(r->a, struct model_set);

	s->name = str_printf(r->a, "#%zu", r->m->rules.n + 1);
	s->v6 = family == 6;
	s->interval = true;
	VEC_PUSH(r->a, &r->m->sets, s);
	rule->set = s;
	rule->family = family;
	return read_element(r, s, right);
}

static unsigned daddr_family(json_object *left)
{
	json_object *p = member(left, "payload");

	if (!is_text(member(p, "field"), "daddr"))
		return 0;
	return is_text(member(p, "protocol"), "ip")  ? 4 :
	       is_text(member(p, "protocol"), "ip6") ? 6 :
						       0;
}

static unsigned dport_proto(json_object *left)
{
	json_object *p = member(left, "payload");

	if (!is_text(member(p, "field"), "dport"))
		return 0;
	return is_text(member(p, "protocol"), "tcp") ? IR_TCP :
	       is_text(member(p, "protocol"), "udp") ? IR_UDP :
						       0;
}

static bool take_ports(struct reader *r, struct model_rule *rule, json_object *right)
{
	json_object *set = member(right, "set");
	struct model_ports p;

	if (!set) {
		if (!read_ports(r, right, &p.lo, &p.hi))
			return false;
		VEC_PUSH(r->a, &rule->ports, p);
		return true;
	}
	if (!json_object_is_type(set, json_type_array))
		return fail(r, "no set of ports", right);
	for (size_t i = 0; i < json_object_array_length(set); i++) {
		if (!read_ports(r, json_object_array_get_idx(set, i), &p.lo, &p.hi))
			return false;
		VEC_PUSH(r->a, &rule->ports, p);
	}
	return true;
}

static bool read_state(struct reader *r, struct model_rule *rule, json_object *match)
{
	json_object *right = member(match, "right");

	rule->replies = is_text(member(match, "op"), "in") &&
			json_object_is_type(right, json_type_array) &&
			json_object_array_length(right) == 2 &&
			is_text(json_object_array_get_idx(right, 0), "established") &&
			is_text(json_object_array_get_idx(right, 1), "related");
	return rule->replies || fail(r, "an unknown state", match);
}

/* 0 for neither.  A host without /etc/protocols lists the number. */
static unsigned l4proto(json_object *o)
{
	int64_t n = json_object_is_type(o, json_type_int) ? json_object_get_int64(o) : 0;

	if (n == IPPROTO_TCP || is_text(o, "tcp"))
		return IR_TCP;
	return n == IPPROTO_UDP || is_text(o, "udp") ? IR_UDP : 0;
}

static bool read_meta(struct reader *r, struct model_rule *rule, json_object *key,
		      json_object *right)
{
	bool four = is_text(right, "ipv4");

	if (is_text(key, "nfproto") && !rule->family && (four || is_text(right, "ipv6"))) {
		rule->family = four ? 4 : 6;
		return true;
	}
	if (is_text(key, "l4proto") && !rule->proto) {
		rule->proto = l4proto(right);
		return rule->proto || fail(r, "an unknown protocol", right);
	}
	return fail(r, "an unknown match", key);
}

static bool read_match(struct reader *r, struct model_rule *rule, json_object *match)
{
	json_object *left = member(match, "left"), *right = member(match, "right");
	json_object *pair = member(left, "concat"), *meta = member(left, "meta");
	unsigned family, proto;

	if (is_pair(left, "ct", "key", "state"))
		return read_state(r, rule, match);
	family = daddr_family(left);
	if (is_text(member(match, "op"), "!=") && rule->nat && family && !rule->family) {
		rule->outside = true;
		return take_block(r, rule, right, family);
	}
	if (!is_text(member(match, "op"), "=="))
		return fail(r, "an unknown comparison", match);
	if (meta)
		return read_meta(r, rule, member(meta, "key"), right);
	if (pair && json_object_is_type(pair, json_type_array) &&
	    json_object_array_length(pair) == 2) {
		family = daddr_family(json_object_array_get_idx(pair, 0));
		proto = dport_proto(json_object_array_get_idx(pair, 1));
		if (!family || !proto || rule->proto)
			return fail(r, "an unknown pair", match);
		rule->proto = proto;
		return take_set(r, rule, right, true, family);
	}
	if (family && !rule->family)
		return text_of(r, right).n && text_of(r, right).p[0] == '@' ?
			       take_set(r, rule, right, false, family) :
			       take_block(r, rule, right, family);
	proto = dport_proto(left);
	if (!proto || rule->proto)
		return fail(r, "an unknown match", match);
	rule->proto = proto;
	return take_ports(r, rule, right);
}

static bool read_log(struct reader *r, struct model_rule *rule, json_object *log)
{
	uint64_t group;

	if (!read_number(member(log, "group"), UINT16_MAX, &group))
		return fail(r, "a log without a group", log);
	rule->log = true;
	rule->group = (unsigned)group;
	rule->prefix = text_of(r, member(log, "prefix"));
	return true;
}

/* Reads an expression that ends a rule of this chain; false if it is none. */
static bool read_verdict(struct model_rule *rule, json_object *e)
{
	json_object *reject = member(e, "reject"), *redirect = member(e, "redirect");
	uint64_t port;

	if (rule->nat) {
		rule->verdict = MODEL_REDIRECT;
		if (!redirect || json_object_object_length(redirect) != 1 ||
		    !read_number(member(redirect, "port"), UINT16_MAX, &port) || port == 0)
			return false;
		rule->to = (uint16_t)port;
		return true;
	}
	if (json_object_object_get_ex(e, "accept", NULL)) {
		rule->verdict = MODEL_ACCEPT;
		return true;
	}
	if (is_text(member(reject, "type"), "tcp reset")) {
		rule->verdict = MODEL_RESET;
		return true;
	}
	rule->verdict = MODEL_PROHIBITED;
	return is_text(member(reject, "type"), "icmpx") &&
	       is_text(member(reject, "expr"), "admin-prohibited");
}

static bool read_expression(struct reader *r, struct model_rule *rule, json_object *e,
			    bool last)
{
	json_object *counter;

	if (member(e, "match"))
		return read_match(r, rule, member(e, "match"));
	if (member(e, "log"))
		return read_log(r, rule, member(e, "log"));
	if (json_object_object_get_ex(e, "counter", &counter)) {
		rule->counter = true;
		return !counter || read_number(member(counter, "packets"), INT64_MAX,
					       &rule->packets) ||
		       fail(r, "a counter without a count", e);
	}
	return (last && read_verdict(rule, e)) || fail(r, "an unknown expression", e);
}

static bool read_rule(struct reader *r, json_object *o)
{
	json_object *expr = member(o, "expr");
	struct model_rule rule = { .comment = text_of(r, member(o, "comment")),
				   .nat = is_text(member(o, "chain"), PB_NFT_NAT) };
	size_t n;

	if (!is_ours(o) || (!rule.nat && !is_text(member(o, "chain"), PB_NFT_CHAIN)) || !expr ||
	    !json_object_is_type(expr, json_type_array))
		return fail(r, "a rule of another chain", o);
	n = json_object_array_length(expr);
	for (size_t i = 0; i < n; i++) {
		json_object *e = json_object_array_get_idx(expr, i);

		if (!e || !json_object_is_type(e, json_type_object) ||
		    json_object_object_length(e) != 1)
			return fail(r, "an unknown expression", e);
		if (!read_expression(r, &rule, e, i + 1 == n))
			return false;
	}
	/* no other rule may accept packets that are neither tcp nor udp */
	if (rule.replies ? rule.proto || rule.set || rule.family || rule.nat : !rule.proto)
		return fail(r, "a rule without a protocol", o);
	VEC_PUSH(r->a, &r->m->rules, rule);
	return true;
}

/* --- objects ---------------------------------------------------------------------------- */

static bool read_chain(struct reader *r, json_object *o)
{
	json_object *prio = member(o, "prio");
	bool nat = is_text(member(o, "name"), PB_NFT_NAT);
	bool *has = nat ? &r->m->has_nat : &r->m->has_chain;

	if (*has || !is_ours(o) || (!nat && !is_text(member(o, "name"), PB_NFT_CHAIN)) ||
	    !is_text(member(o, "type"), nat ? "nat" : "filter") ||
	    !is_text(member(o, "hook"), "output") ||
	    !is_text(member(o, "policy"), nat ? "accept" : "drop") || !prio ||
	    !json_object_is_type(prio, json_type_int) ||
	    json_object_get_int64(prio) != (nat ? PB_NFT_NAT_PRIO : PB_NFT_PRIO))
		return fail(r, "an unknown chain", o);
	return *has = true;
}

static bool read_table(struct reader *r, json_object *o)
{
	if (r->m->has_table || !is_text(member(o, "family"), "inet") ||
	    !is_text(member(o, "name"), PB_NFT_TABLE) || member(o, "flags"))
		return fail(r, "another table", o);
	return r->m->has_table = true;
}

static bool read_object(struct reader *r, json_object *o)
{
	static const struct {
		const char *key;
		bool (*read)(struct reader *r, json_object *o);
	} kinds[] = {
		{ "table", read_table }, { "chain", read_chain }, { "set", read_set },
		{ "element", read_more }, { "rule", read_rule },
	};
	json_object *add = member(o, "add"), *info = member(o, "metainfo");

	if (info) {
		r->m->version = text_of(r, member(info, "version"));
		return true;
	}
	for (size_t i = 0; i < POL_LEN(kinds); i++) {
		json_object *v = member(add ? add : o, kinds[i].key);

		if (v)
			return kinds[i].read(r, v);
	}
	return fail(r, "an unknown object", o);
}

static bool read_document(struct reader *r, struct str text)
{
	json_tokener *tok = json_tokener_new();
	json_object *doc = NULL, *v;
	bool ok;

	if (tok && text.n <= INT32_MAX)
		doc = json_tokener_parse_ex(tok, text.p, (int)text.n);
	ok = doc != NULL;
	v = member(doc, "nftables");
	ok = v && json_object_is_type(v, json_type_array);
	if (!ok)
		(void)fail(r, "no document of libnftables", NULL);
	for (size_t i = 0; ok && i < json_object_array_length(v); i++)
		ok = read_object(r, json_object_array_get_idx(v, i));
	json_object_put(doc);
	if (tok)
		json_tokener_free(tok);
	return ok;
}

static int by_lo(const void *x, const void *y)
{
	const struct model_element *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->port_lo > b->port_lo) - (a->port_lo < b->port_lo);
}

static int by_name(const void *x, const void *y)
{
	return str_cmp((*(struct model_set *const *)x)->name,
		       (*(struct model_set *const *)y)->name);
}

/* Sorts the elements.  They must not overlap, except that elements with the same
 * range of addresses may have different ports. */
static void sort_elements(struct reader *r, struct model_set *s)
{
	if (s->elements.n)
		qsort(s->elements.v, s->elements.n, sizeof(*s->elements.v), by_lo);
	for (size_t i = 1; i < s->elements.n; i++) {
		const struct model_element *x = &s->elements.v[i - 1];
		const struct model_element *y = &s->elements.v[i];
		bool same = x->lo == y->lo && x->hi == y->hi && x->port_hi < y->port_lo;

		if (y->lo <= x->hi && !same)
			(void)fail(r, "elements of a set overlap", NULL);
	}
}

const char *model_read(struct arena *a, struct str text, struct model *ret)
{
	struct reader r = { .a = a, .m = ret };
	size_t from = 0;

	*ret = (struct model){ .has_table = false };
	map_init(&r.sets, a);
	while (from < text.n && !r.why) {
		const char *nl = memchr(text.p + from, '\n', text.n - from);
		size_t end = nl ? (size_t)(nl - text.p) : text.n;

		if (!read_document(&r, str_sub(text, from, end - from)))
			break;
		from = end + 1;
	}
	if (!r.why && (!ret->has_table || !ret->has_chain || !ret->has_nat))
		r.why = "the table or one of its chains is missing";
	for (size_t i = 0; i < ret->sets.n; i++)
		sort_elements(&r, ret->sets.v[i]);
	if (ret->sets.n)
		qsort(ret->sets.v, ret->sets.n, sizeof(*ret->sets.v), by_name);
	return r.why;
}
