/*
 * L6 for networks, by brute force: pairs of policies that differ in one thing, of
 * blocks, names and ports that all have their edges in a small world.  Every request
 * of the world is asked under both.  Where one is answered differently diff finds
 * something or is in doubt; where one is answered milder it says so, which is what
 * --fail-on=widening gates.  Where none is, diff that says "differs" shows a
 * request.  SEED= RUNS= repeat a run.
 */
#include "compiler/analysis/diff.h"
#include "tests/prop/diff_says.h"
#include "tests/prop/laws.h"

#define MAX_RULES 7
#define ROLE "r1"

static struct {
	unsigned long same, differs, widens, doubts, needless, roles, gateways, reaches;
} seen;

/* --- texts --------------------------------------------------------------------------- */

/* Nested, beside each other, equal in other words; of the two families. */
static const char *const hosts[] = {
	"",		    "any",		"0.0.0.0/0",	    "10.0.0.0/8",
	"10.0.0.0/28",	    "10.0.0.0/29",	"10.0.0.8/29",	    "10.0.0.0/30",
	"10.0.0.4/30",	    "10.0.0.4/31",	"10.0.0.6/31",	    "10.0.0.5",
	"10.0.0.9",	    "10.0.0.14/31",	"::/0",		    "2001:db8::/32",
	"2001:db8::/125",   "2001:db8::4/126",	"2001:db8::4/127",  "2001:db8::5",
	"::ffff:0.0.0.0/96", "\"a.example\"",	"\"*.example\"",    "\"*.a.example\"",
	"\"x\"",	    "\"*.invalid\"",	"127.0.0.0/8",
};

/* Of a family or a name: `except` and `any` hold no empty text. */
#define FIRST_HOST 1

struct nrule {
	bool managed, in_role, final;
	uint32_t effect, proto, nhosts, host[2], nexcept, except[2], lo, hi; /* lo 0: any port */
};

struct nets {
	bool limited, locked;
	uint32_t otherwise, n; /* 0: nobody says it */
	struct nrule rule[MAX_RULES];
};

static uint32_t a_host(struct rnd *r)
{
	return FIRST_HOST + rnd_below(r, POL_LEN(hosts) - FIRST_HOST);
}

static void ports(struct rnd *r, struct nrule *x)
{
	x->lo = rnd_below(r, 5);
	x->hi = rnd_one_in(r, 2) ? x->lo : x->lo + rnd_below(r, 3);
	if (!x->lo)
		x->hi = 0;
}

static struct nrule a_rule(struct rnd *r)
{
	struct nrule x = { .managed = rnd_one_in(r, 3), .in_role = rnd_one_in(r, 5),
			   .effect = rnd_below(r, 3), .proto = rnd_below(r, 3),
			   .nhosts = rnd_below(r, 3), .nexcept = rnd_one_in(r, 3) ? 1 + rnd_below(r, 2) : 0 };
	int i;

	x.final = x.managed && x.effect != 1 && rnd_one_in(r, 4);
	for (i = 0; i < 2; i++) {
		x.host[i] = a_host(r);
		x.except[i] = a_host(r);
	}
	ports(r, &x);
	return x;
}

static struct nets a_policy(struct rnd *r)
{
	struct nets p = { .limited = !rnd_one_in(r, 6), .locked = rnd_one_in(r, 8),
			  .otherwise = rnd_one_in(r, 3) ? 1 + rnd_below(r, 3) : 0,
			  .n = 1 + rnd_below(r, MAX_RULES - 1) };
	uint32_t i;

	for (i = 0; i < p.n; i++)
		p.rule[i] = a_rule(r);
	return p;
}

/* One thing is another. */
static struct nets changed(struct rnd *r, const struct nets *old)
{
	struct nets p = *old;
	struct nrule *x = &p.rule[rnd_below(r, p.n)];

	switch (rnd_below(r, 12)) {
	case 0:
		*x = p.rule[--p.n];
		break;
	case 1:
		p.rule[p.n++] = a_rule(r);
		break;
	case 2:
		ports(r, x);
		break;
	case 3:
		x->proto = rnd_below(r, 3);
		break;
	case 4:
		x->effect = x->final ? x->effect : rnd_below(r, 3);
		break;
	case 5:
		x->nexcept = rnd_below(r, 3);
		break;
	case 6:
		x->except[rnd_below(r, 2)] = a_host(r);
		break;
	case 7:
		x->in_role = !x->in_role;
		break;
	case 8:
		x->managed = !x->managed;
		x->final &= x->managed;
		break;
	case 9:
		p.otherwise = rnd_below(r, 4);
		break;
	default:
		x->host[rnd_below(r, 2)] = a_host(r);
		x->nhosts = x->nhosts ? x->nhosts : 1;
	}
	return p;
}

static uint32_t host_at(const char *text)
{
	uint32_t i = FIRST_HOST;

	while (strcmp(hosts[i], text) != 0)
		i++;
	return i;
}

/* A name is allowed, and what a rule said about a block outside of the guard is said or not: where
   the name may lead is then all that differs. */
static void reach_pair(bool widens, struct nets *old, struct nets *new)
{
	*old = (struct nets){ .limited = true, .otherwise = 3, .n = 1 };
	old->rule[0] = (struct nrule){ .nhosts = 1, .host = { host_at("\"a.example\"") } };
	*new = *old;
	old = widens ? old : new;
	old->n = 2;
	old->rule[1] = (struct nrule){ .effect = 2, .nhosts = 1, .host = { host_at("2001:db8::/125") } };
}

static void put_hosts(struct buf *b, const uint32_t *v, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? ", " : " ", hosts[v[i]]);
}

static void put_rule(struct buf *b, const struct nrule *x)
{
	static const char *const effects[] = { "allow", "ask", "deny" };
	static const char *const protos[] = { "", " tcp", " udp" };

	buf_printf(b, "  %s%s%s", x->final ? "final " : "", effects[x->effect], protos[x->proto]);
	put_hosts(b, x->host, x->nhosts);
	if (!x->nhosts && !x->proto && !x->lo)
		buf_z(b, " any");
	if (x->lo && x->hi > x->lo)
		buf_printf(b, " port %u-%u", x->lo, x->hi);
	else if (x->lo)
		buf_printf(b, " port %u", x->lo);
	if (x->nexcept)
		buf_z(b, " except");
	put_hosts(b, x->except, x->nexcept);
	buf_ch(b, '\n');
}

/* The text of one level: rules of the role stand in it. */
static const char *level_text(struct arena *a, const struct nets *p, bool managed)
{
	static const char *const otherwise[] = { "", "  otherwise allow\n", "  otherwise ask\n",
						 "  otherwise deny\n" };
	struct buf b;
	uint32_t i;
	int role;

	buf_init(&b, a);
	for (role = 0; role < 2; role++) {
		if (role)
			buf_z(&b, "role " ROLE " {\n");
		if (managed)
			buf_printf(&b, "%snetwork {\n", p->locked && !role ? "locked " : "");
		else
			buf_printf(&b, "network%s {\n%s", role ? "" : p->limited ? " limited" : " full",
				   role ? "" : otherwise[p->otherwise]);
		for (i = 0; i < p->n; i++)
			if (p->rule[i].managed == managed && p->rule[i].in_role == (role == 1))
				put_rule(&b, &p->rule[i]);
		buf_z(&b, role ? "}\n}\n" : "}\n");
	}
	return str_z(a, buf_view(&b));
}

static struct pol texts(struct arena *a, const struct nets *p, const char *role)
{
	struct pol t = { .role = role };

	t.text[POL_MANAGED] = level_text(a, p, true);
	t.text[POL_USER] = level_text(a, p, false);
	t.text[POL_BASE] = "network disabled\n";
	t.text[POL_FLOOR] = "file { }\n";
	return t;
}

/* --- the world ------------------------------------------------------------------------- */

static const struct {
	uint8_t first, second, net, from, to; /* v4: first.second.0.from … */
	bool v6;
} blocks[] = {
	{ 10, 0, 0, 0, 16, false },  { 9, 9, 0, 9, 9, false },	 { 10, 7, 0, 0, 0, false },
	{ 127, 0, 0, 1, 1, false }, { 0x20, 1, 0xb8, 0, 8, true }, { 0x20, 1, 0xb9, 1, 1, true },
};

static const char *const names[] = { "a.example", "b.example", "c.a.example", "x", "y.invalid", "x.y" };

/* They lead to guarded addresses, and in a sandbox to its own loopback. */
static const char *const guarded[] = { "localhost", "w.localhost", "ip6-loopback" };

struct world {
	struct law *l;
	const struct ir *ir[2];
	struct arena *a;
	unsigned long differ, widen;
	struct ir_request shown;
};

/* Does each policy let some name of the world pass on this port? */
static bool names_pass(struct world *w, const struct ir_request *q, struct arena *a)
{
	return diff_names_pass(w->ir[0], q, names, POL_LEN(names), a) &&
	       diff_names_pass(w->ir[1], q, names, POL_LEN(names), a);
}

static void ask(struct world *w, struct ir_request *q)
{
	struct eval_decision d[2];
	bool widens, narrows, reach;
	struct arena tmp;
	int s;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	for (s = 0; s < 2; s++)
		d[s] = law_decide(w->l, w->ir[s], q, &tmp);
	widens = diff_gateway_widens(w->ir[0], w->ir[1], q, &tmp);
	narrows = diff_gateway_widens(w->ir[1], w->ir[0], q, &tmp);
	reach = diff_reach_widens(w->ir[0], w->ir[1], q, &tmp) && names_pass(w, q, &tmp);
	narrows |= diff_reach_widens(w->ir[1], w->ir[0], q, &tmp) && names_pass(w, q, &tmp);
	seen.reaches += reach && d[0].effect == d[1].effect;
	widens |= reach;
	arena_release(&tmp);
	if (d[0].effect == d[1].effect && d[0].needs_person == d[1].needs_person && !widens &&
	    !narrows)
		return;
	w->differ++;
	seen.gateways += widens;
	if (widens) {
		if (!w->widen++)
			w->shown = *q;
		return;
	}
	if (d[1].effect == d[0].effect && d[1].needs_person == d[0].needs_person) {
		if (w->differ == 1)
			w->shown = *q;
		return;
	}
	if (d[1].effect > d[0].effect || (d[1].effect == d[0].effect && d[1].needs_person)) {
		if (w->differ == 1)
			w->shown = *q;
		return;
	}
	if (!w->widen++)
		w->shown = *q;
}

static void ask_ports(struct world *w, struct ir_request q)
{
	for (q.port = 1; q.port <= 8; q.port++)
		for (q.proto = IR_TCP; q.proto <= IR_UDP; q.proto = (enum ir_proto)(q.proto << 1))
			ask(w, &q);
}

static void ask_world(struct world *w, enum ir_scope scope, const struct diff_where *where)
{
	struct ir_request q = { .kind = IR_NET, .scope = scope, .roots = where->roots,
				.cwd = where->cwd };
	size_t i;
	unsigned k;

	for (i = 0; i < POL_LEN(names) + POL_LEN(guarded); i++) {
		q.host = str_from(i < POL_LEN(names) ? names[i] : guarded[i - POL_LEN(names)]);
		ask_ports(w, q);
	}
	q.host = STR_NULL;
	q.is_addr = true;
	for (i = 0; i < POL_LEN(blocks); i++)
		for (k = blocks[i].from; k <= blocks[i].to; k++) {
			memset(q.addr, 0, sizeof(q.addr));
			if (blocks[i].v6) {
				q.addr[0] = blocks[i].first;
				q.addr[1] = blocks[i].second;
				q.addr[2] = 0x0d;
				q.addr[3] = blocks[i].net;
			} else {
				q.addr[10] = q.addr[11] = 0xff;
				q.addr[12] = blocks[i].first;
				q.addr[13] = blocks[i].second;
			}
			q.addr[15] = (uint8_t)k;
			ask_ports(w, q);
		}
}

/* --- diff ------------------------------------------------------------------------------- */

static void broken(struct law *l, unsigned long run, const struct pol t[2],
		   const struct ir_request *q, const char *why)
{
	law_show(&t[0]);
	law_show(&t[1]);
	if (q)
		law_show_request(q);
	if (q && q->is_addr)
		printf("address %u.%u.%u.%u\n", q->addr[12], q->addr[13], q->addr[14], q->addr[15]);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
	fail_msg("%s", why);
}

static void check_findings(struct law *l, unsigned long run, const struct pol t[2],
			   const struct world *w, const struct diff_result *r)
{
	size_t i;

	for (i = 0; i < r->findings.n; i++) {
		const char *why = diff_finding_fails(w->ir[0], w->ir[1], &r->findings.v[i], w->a);

		if (why)
			broken(l, run, t, &r->findings.v[i].request, why);
	}
}

static void one_pair(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	const char *role;
	struct nets old, new;
	struct pol t[2];
	struct world w = { .l = l, .a = a };
	struct diff_result res;
	int i;

	for (i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	role = rnd_one_in(&r, 3) ? ROLE : NULL;
	old = a_policy(&r);
	new = changed(&r, &old);
	/* a quarter: a rule of the role is another, in turn tighter and wider, and nothing else
	   speaks, so that it is seen for certain */
	if ((l->seed + run) % 4 == 3) {
		bool widens = (l->seed + run) / 4 % 2 == 0;

		role = ROLE;
		old = (struct nets){ .limited = true, .otherwise = 3, .n = 1 };
		old.rule[0] = (struct nrule){ .managed = rnd_one_in(&r, 2), .in_role = true };
		new = old;
		(widens ? &old : &new)->rule[0].effect = 2;
	}
	if ((l->seed + run) % 40 == 1)
		reach_pair((l->seed + run) / 40 % 2 == 0, &old, &new);
	t[0] = texts(a, &old, role);
	t[1] = texts(a, &new, role);
	w.ir[0] = law_ir(l, &t[0], a);
	w.ir[1] = w.ir[0] ? law_ir(l, &t[1], a) : NULL;
	if (!w.ir[1])
		return;
	for (i = 0; i < IR_ROOT_COUNT; i++)
		where.roots.dir[i] = i == IR_ROOT_FS ? STR("/") : STR("/h/p");
	ask_world(&w, IR_SANDBOX, &where);
	ask_world(&w, IR_HOST, &where);
	diff_policies(w.ir[0], w.ir[1], &where, a, &res);
	if (w.differ && !res.findings.n && !res.doubts.n)
		broken(l, run, t, &w.shown, "diff says alike, and this request is answered otherwise");
	if (w.widen && !diff_says_widening(&res))
		broken(l, run, t, &w.shown, "diff sees no widening, and this request is answered milder");
	check_findings(l, run, t, &w, &res);
	seen.roles += w.differ && role;
	seen.differs += w.differ > 0;
	seen.widens += w.widen > 0;
	seen.same += !w.differ && !res.findings.n && !res.doubts.n;
	seen.doubts += res.doubts.n > 0;
	seen.needless += res.doubts.n > 0 && !w.differ;
	l->bites += w.differ > 0;
}

static bool is_in_a_role(void)
{
	return seen.roles > 0;
}

static void test_L6_what_the_world_tells_apart(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L6 networks", 400, 0);
	l.met = is_in_a_role;
	law_repeat(&l, one_pair);
	printf("%lu differ, %lu of them widen, %lu in the role; %lu alike; %lu in doubt, %lu without need; "
	       "the gateway may dial more for %lu requests, names may lead to more for %lu\n",
	       seen.differs, seen.widens, seen.roles, seen.same, seen.doubts, seen.needless, seen.gateways, seen.reaches);
	law_end(&l);
	if (!law_is_whole(&l))
		return;
	assert_true(seen.gateways > 0 && seen.reaches > 0);
	assert_true(seen.differs > l.runs / 5 && seen.widens > l.runs / 10);
	/* an answer that is always in doubt is none */
	assert_true(seen.same > l.runs / 20);
	assert_true(seen.doubts < l.runs / 10 + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L6_what_the_world_tells_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
