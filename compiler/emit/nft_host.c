/*
 * The target nft-host: the network section of a policy as a table of the host's nftables,
 * for the processes of one user or of one cgroup.  It is the second best: addresses and
 * ports only, where a run of polrun has a namespace and a gateway.
 */
#include "compiler/emit/nft_host.h"

#include <arpa/inet.h>

#include "compiler/backend/common/util.h"
#include "compiler/backend/nft/region_make.h"
#include "compiler/backend/nft/ruleset.h"
#include "compiler/emit/nft_host_report.h"
#include "compiler/emit/nft_host_subject.h"

#define CHAIN "decide"

struct writer {
	struct buf *out;
	const struct ir *ir;
	const struct host_cells *c;
};

static const char *const families[2] = { "ip", "ip6" };
static const char *const protocols[2] = { "tcp", "udp" };

/* --- the guard ------------------------------------------------------------------------- */

/* v6 forms that carry a v4 address are refused as a whole. */
#define FORMS "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "2001::/32", "2002::/16"

static const char *const full4[] = { "0.0.0.0/32", "127.0.0.0/8", NULL };
static const char *const full6[] = { FORMS, NULL };
static const char *const limited4[] = {
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "100.100.100.200", "127.0.0.0/8",
	"168.63.129.16", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3", NULL
};
static const char *const limited6[] = {
	FORMS, "64:ff9b:1::/48", "100::/64", "2001:2::/48", "2001:10::/28", "2001:20::/28",
	"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", NULL
};

const char *const *const host_guarded[2][2] = { { full4, full6 }, { limited4, limited6 } };

/* --- texts ----------------------------------------------------------------------------- */

/* A string of nft has no escapes, and '$' is a variable in it. */
static void add_quoted(struct buf *b, struct str s)
{
	buf_ch(b, '"');
	for (size_t i = 0; i < s.n; i++)
		buf_ch(b, s.p[i] >= ' ' && s.p[i] <= '~' && !strchr("\"\\$", s.p[i]) ? s.p[i] :
										       '?');
	buf_ch(b, '"');
}

static void add_address(struct buf *b, region_addr a, unsigned family)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	region_bytes(a, bytes);
	buf_z(b, inet_ntop(family ? AF_INET6 : AF_INET, family ? bytes : bytes + 12, text,
			   sizeof(text)));
}

static void add_addresses(struct buf *b, const struct host_block *k, unsigned family)
{
	add_address(b, k->lo, family);
	if (k->lo == k->hi)
		return;
	buf_ch(b, '-');
	add_address(b, k->hi, family);
}

static void add_ports(struct buf *b, struct region_ports p)
{
	buf_printf(b, "%u", p.lo);
	if (p.lo != p.hi)
		buf_printf(b, "-%u", p.hi);
}

/* --- sets and rules -------------------------------------------------------------------- */

/* "a4t_12": accepted; 'g' behind the guard, 'r' rejected; tcp or udp; the rule's number. */
static void add_name(struct buf *b, enum host_stage s, const struct host_group *g,
		     unsigned family, unsigned proto)
{
	buf_printf(b, "%c%c%c_%u", "rag"[s], family ? '6' : '4', proto ? 'u' : 't', g->rule);
}

static void add_set(struct writer *w, enum host_stage s, const struct host_group *g,
		    unsigned family, unsigned proto)
{
	buf_z(w->out, "\tset ");
	add_name(w->out, s, g, family, proto);
	buf_printf(w->out, " {\n\t\ttype ipv%c_addr . inet_service\n\t\tflags interval\n"
			   "\t\telements = {", family ? '6' : '4');
	for (size_t i = 0; i < g->blocks[family][proto].n; i++) {
		const struct host_block *k = &g->blocks[family][proto].v[i];

		buf_z(w->out, i ? ",\n\t\t\t" : "\n\t\t\t");
		add_addresses(w->out, k, family);
		buf_z(w->out, " . ");
		add_ports(w->out, k->ports);
	}
	buf_z(w->out, "\n\t\t}\n\t}\n");
}

/* A denial is answered at once, so that no program waits. */
static void add_reject(struct writer *w, struct str id, bool tcp)
{
	buf_z(w->out, "log prefix ");
	add_quoted(w->out, id);
	buf_printf(w->out, " group %u counter reject with %s comment ", PB_NFT_GROUP,
		   tcp ? "tcp reset" : "icmpx admin-prohibited");
	add_quoted(w->out, id);
	buf_ch(w->out, '\n');
}

/* The same for tcp and for all else, of what `match` takes. */
static void reject_all(struct writer *w, const char *match, struct str id)
{
	buf_printf(w->out, "\t\t%smeta l4proto tcp ", match);
	add_reject(w, id, true);
	buf_printf(w->out, "\t\t%s", match);
	add_reject(w, id, false);
}

static void add_rule(struct writer *w, enum host_stage s, const struct host_group *g,
		     unsigned family, unsigned proto)
{
	const struct host_block *k = &g->blocks[family][proto].v[0];
	struct str id = ruleset_comment(w->ir, g->rule);

	if (g->blocks[family][proto].n > 1) {
		buf_printf(w->out, "\t\t%s daddr . %s dport @", families[family], protocols[proto]);
		add_name(w->out, s, g, family, proto);
		buf_ch(w->out, ' ');
	} else {
		buf_printf(w->out, "\t\t%s daddr ", families[family]);
		add_addresses(w->out, k, family);
		buf_printf(w->out, " %s dport ", protocols[proto]);
		add_ports(w->out, k->ports);
		buf_ch(w->out, ' ');
	}
	if (s == HOST_DENIED) {
		add_reject(w, id, proto == 0);
		return;
	}
	buf_z(w->out, "counter accept comment ");
	add_quoted(w->out, id);
	buf_ch(w->out, '\n');
}

static void each(struct writer *w, enum host_stage s,
		 void (*fn)(struct writer *w, enum host_stage s, const struct host_group *g,
			    unsigned family, unsigned proto),
		 size_t at_least)
{
	for (size_t i = 0; w->c->of[s] && i < w->c->n; i++)
		for (unsigned k = 0; w->c->of[s][i] && k < 4; k++)
			if (w->c->of[s][i]->blocks[k / 2][k % 2].n >= at_least)
				fn(w, s, w->c->of[s][i], k / 2, k % 2);
}

/* --- the whole ------------------------------------------------------------------------- */

static void add_guard_sets(struct writer *w, bool limited)
{
	for (unsigned family = 0; family < 2; family++) {
		buf_printf(w->out, "\tset guard%c {\n\t\ttype ipv%c_addr\n\t\tflags interval\n"
				   "\t\tauto-merge\n\t\telements = {", family ? '6' : '4',
			   family ? '6' : '4');
		for (const char *const *p = host_guarded[limited][family]; *p; p++)
			buf_printf(w->out, "%s%s",
				   p == host_guarded[limited][family] ? " " : ", ", *p);
		buf_z(w->out, " }\n\t}\n");
	}
}

static void add_guard(struct writer *w)
{
	struct str id = STR("(guard)");

	reject_all(w, "ip daddr @guard4 ", id);
	reject_all(w, "ip6 daddr @guard6 ", id);
	/* ISATAP: a v4 address after 0:5efe or 200:5efe */
	reject_all(w, "ip6 daddr & ::fdff:ffff:0:0 == ::5efe:0:0 ", id);
	/* the host's own addresses, broadcast and multicast */
	reject_all(w, "fib daddr type != unicast ", id);
}

/* Days since 1970 of a YYYY-MM-DD, which the front end has checked. */
static int64_t day_of(struct str s)
{
	int64_t y = 0, m, d, era;

	for (size_t i = 0; i < 4; i++)
		y = y * 10 + (s.p[i] - '0');
	m = (s.p[5] - '0') * 10 + (s.p[6] - '0');
	d = (s.p[8] - '0') * 10 + (s.p[9] - '0');
	y -= m <= 2;
	era = y / 400;
	return era * 146097 + (y - era * 400) * 365 + (y - era * 400) / 4 -
	       (y - era * 400) / 100 + (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1 - 719468;
}

/* After its last day a policy allows nothing, as its bundle would not be valid. */
static void add_end(struct writer *w)
{
	struct str last = w->ir->until;
	char match[64];

	if (w->ir->expires.n && (!last.n || str_cmp(w->ir->expires, last) < 0))
		last = w->ir->expires;
	if (last.n != 10)
		return;
	(void)snprintf(match, sizeof(match), "meta time >= %lld ",
		       (long long)((day_of(last) + 1) * 86400));
	reject_all(w, match, STR("(expired)"));
}

static void add_table(struct writer *w, const struct host_subject *who, bool limited)
{
	enum ir_scalar_id rest = IR_S_NET_MODE;

	if (w->ir->scalars[IR_S_NET_MODE].num != IR_NET_DISABLED)
		(void)region_otherwise(w->ir, &rest);
	buf_printf(w->out, "table inet %.*s {\n", STR_ARG(who->table));
	for (unsigned s = 0; s < HOST_STAGE_COUNT; s++)
		each(w, (enum host_stage)s, add_set, 2);
	add_guard_sets(w, limited);
	buf_z(w->out, "\tchain " CHAIN " {\n");
	add_end(w);
	buf_z(w->out, "\t\tct state established,related accept comment \"" RULESET_REPLIES "\"\n");
	if (w->c->loopback && w->ir->scalars[IR_S_NET_MODE].num == IR_NET_DISABLED)
		buf_z(w->out, "\t\tip daddr 127.0.0.0/8 counter accept comment \"(loopback)\"\n"
			      "\t\tip6 daddr ::1 counter accept comment \"(loopback)\"\n");
	each(w, HOST_DENIED, add_rule, 1);
	each(w, HOST_NAMED, add_rule, 1);
	add_guard(w);
	each(w, HOST_ANY, add_rule, 1);
	reject_all(w, "", ruleset_comment(w->ir, bk_rule_of_scalar(w->ir, rest)));
	/* a packet without a socket of the user's is not looked at: so no "!= … return" */
	buf_printf(w->out, "\t}\n\tchain out {\n\t\ttype filter hook output priority %d; "
			   "policy accept;\n\t\t%.*s goto " CHAIN "\n\t}\n}\n", PB_NFT_PRIO,
		   STR_ARG(who->match));
}

const char *emit_nft_host(const struct ir *ir, const struct emit_options *o, struct buf *out,
			  struct emit_report *r)
{
	enum ir_mode mode = (enum ir_mode)ir->scalars[IR_S_NET_MODE].num;
	struct host_cells c = { .a = out->a, .ir = ir, .loopback = o->loopback };
	struct writer w = { out, ir, &c };
	struct host_subject who;
	struct region region;
	const char *why = host_subject(ir, o, out->a, &who);

	if (why)
		return why;
	if (mode != IR_NET_DISABLED && !region_make(ir, out->a, &region))
		return "the network rules cross each other too often: write the same addresses "
		       "and ports in fewer rules";
	/* made and deleted, so that the first load and every later one are one transaction */
	buf_printf(out, "table inet %.*s\ndelete table inet %.*s\n", STR_ARG(who.table),
		   STR_ARG(who.table));
	if (mode == IR_NET_FULL && !ir->until.n && !ir->expires.n &&
	    !region_needs_gate(ir, &region)) {
		buf_z(out, "# network full, and nothing is denied: no rule is needed\n");
		emit_add(r, &ir->scalars[IR_S_NET_MODE].at, false,
			 "network full, and nothing is denied: no rule is needed");
		return NULL;
	}
	if (mode != IR_NET_DISABLED)
		host_cells(&c, &region);
	host_report(ir, &c, r);
	add_table(&w, &who, mode != IR_NET_FULL);
	return NULL;
}
