/*
 * Random policies of the network for a live test, and what polgate and the kernel have to
 * do under them, by the evaluator.
 *   gate_oracle policy SEED DIR      writes m.pol, f.pol, p.pol and u.pol: sections of the
 *                                    network for a policy of four levels
 *   gate_oracle POLC-OPTIONS… FILE… net tcp 192.0.2.1:1
 *                                    for each line "HOST PORT ADDRESS…" of the standard
 *                                    input that line, and behind it
 *     nxdomain   the name does not exist in the run
 *     refused    the kernel refuses the port at once (ECONNREFUSED)
 *     reset      polgate refuses the connection: nobody is there who could be asked, or no
 *                address may be dialled
 *     ok         at least one address is dialled
 */
#include <arpa/inet.h>
#include <string.h>

#include "compiler/eval/grant.h"
#include "tests/conformance/oracle.h"
#include "tests/prop/gate_says.h"
#include "tests/prop/random_net.h"

/* --- policies --------------------------------------------------------------------- */

static void put_rule(struct rnd *r, struct buf *b, bool managed)
{
	static const char *const effects[] = { "allow", "allow", "allow", "allow", "ask", "deny" };
	struct net_rule x = { .effect = RND_PICK(r, effects), .secret = -1, .plain = true };
	struct net_rule other = { .effect = "deny" };

	buf_printf(b, "  %s%s ",
		   managed && x.effect[1] != 's' && rnd_one_in(r, 5) ? "final " : "", x.effect);
	net_head(r, b, &x);
	if (rnd_one_in(r, 4)) {
		buf_z(b, " except ");
		net_hosts(r, b, &other);
	}
	net_grant(r, b, &x);
	buf_ch(b, '\n');
}

/* One that names no host, with names as its exceptions: what they lead to is dialled, though
 * nobody may connect to these addresses themselves. */
static void put_hostless(struct rnd *r, struct buf *b)
{
	struct net_rule x = { .effect = "deny" };

	buf_printf(b, "  %s tcp any port %s except ", rnd_one_in(r, 3) ? "ask" : "deny",
		   RND_PICK(r, net_echo_ports));
	net_hosts(r, b, &x);
	buf_ch(b, '\n');
}

static int write_policy(const char *seed, const char *dir, struct arena *a)
{
	static const char *const files[] = { "m.pol", "f.pol", "p.pol", "u.pol" };
	static const char *const effects[] = { "allow", "ask", "deny" };
	struct rnd r = { .s = strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15u | 1, .a = a };

	for (int i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	for (size_t i = 0; i < POL_LEN(files); i++) {
		bool managed = i < 2, locked = managed && rnd_one_in(&r, 5);
		FILE *f = fopen(arena_printf(a, "%s/%s", dir, files[i]), "we");
		struct buf b;

		buf_init(&b, a);
		buf_printf(&b, "%snetwork %s{\n", locked ? "locked " : "",
			   i != 2 ? "" : rnd_one_in(&r, 4) ? "full " : "limited ");
		if (i == 2 && rnd_one_in(&r, 6))
			buf_printf(&b, "  otherwise %s\n", RND_PICK(&r, effects));
		for (uint32_t n = i == 2 ? 2 + rnd_below(&r, 4) : rnd_below(&r, 3); n > 0; n--)
			put_rule(&r, &b, managed);
		if (rnd_one_in(&r, 4))
			put_hostless(&r, &b);
		buf_z(&b, "}\n");
		if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f) != 0) {
			(void)fprintf(stderr, "gate_oracle: %s/%s cannot be written\n", dir, files[i]);
			return 2;
		}
	}
	return 0;
}

/* --- rows ------------------------------------------------------------------------- */

static bool read_address(const char *text, uint8_t ret[16])
{
	memset(ret, 0, 10);
	ret[10] = ret[11] = 0xff;
	return inet_pton(AF_INET, text, ret + 12) == 1 || inet_pton(AF_INET6, text, ret) == 1;
}

/* May the gateway dial it, where the policy lets the request pass? */
static bool may_dial(const struct gate_says *g, const struct guard *guard,
		     const struct eval_grant *w, const struct ir_request *q, const uint8_t addr[16])
{
	bool within = w->named;

	for (size_t i = 0; i < w->nwithin && !within; i++)
		within = guard_is_named(w->within[i]->addr, w->within[i]->bits, addr);
	if (guard_ask(guard, addr) != GUARD_PUBLIC && !within)
		return false;
	if (egress_index(addr))
		return false;
	return (q->is_addr || gate_about(g, addr, q->port) == IR_ALLOW) &&
	       gate_about_carried(g, addr, q->port) == IR_ALLOW;
}

static const char *outcome(const struct gate_says *g, const struct guard *guard,
			   const struct ir_request *q, char **save)
{
	struct eval_decision d;
	struct eval_grant w;
	uint8_t addr[16];
	bool any = false;

	if (!q->is_addr && !gate_leads_out(g, *q))
		return "nxdomain";
	eval_decide(g->ir, q, g->a, &d);
	eval_grant(g->ir, q, &d, g->a, &w);
	if (d.effect > IR_ASK)
		return "refused";
	if (d.effect == IR_ASK)
		return "reset";
	if (q->is_addr)
		return may_dial(g, guard, &w, q, q->addr) ? "ok" : "reset";
	for (char *t = strtok_r(NULL, " \n", save); t; t = strtok_r(NULL, " \n", save))
		any = any || (read_address(t, addr) && may_dial(g, guard, &w, q, addr));
	return any ? "ok" : "reset";
}

static int answer(struct options *o, struct arena *a)
{
	struct compilation c;
	struct gate_says g;
	struct guard guard = { .on = true };
	struct bundle b;
	char line[512];
	int status = oracle_open(o, a, &c, &b);

	if (status)
		return status;
	g = gate_says_of(c.ir, a);
	guard.on = c.ir->scalars[IR_S_NET_MODE].num == IR_NET_LIMITED;
	while (fgets(line, sizeof(line), stdin)) {
		struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .proto = IR_TCP,
					.before_guard = true };
		char copy[sizeof(line)], *save = NULL, *host, *port;

		memcpy(copy, line, sizeof(copy));
		host = strtok_r(copy, " \n", &save);
		port = strtok_r(NULL, " \n", &save);
		if (!host || !port)
			return 2;
		q.is_addr = read_address(host, q.addr);
		q.host = str_from(host);
		q.port = (uint16_t)strtoul(port, NULL, 10);
		printf("%.*s %s\n", (int)strcspn(line, "\n"), line, outcome(&g, &guard, &q, &save));
	}
	bundle_release(&b);
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a;
	int status;

	if (argc != 4 || strcmp(argv[1], "policy") != 0)
		return oracle_main(argc, argv, answer);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	status = write_policy(argv[2], argv[3], &a);
	arena_release(&a);
	return status;
}
