/*
 * polinject's configuration for tests/conformance/inject.py, on the standard output: a policy
 * that injects "HEADER: PREFIX SECRET" into requests to api.example, and the secret.  Beside that
 * host, other.example is allowed without injecting, and *.wild.example is a wildcard whose grant
 * injects, which no compiler writes.
 *   inject_made HEADER PREFIX SECRET
 * An empty SECRET leaves it out.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/egress/gate.h"
#include "runtime/bundle/format.h"

enum { DENY, INJECT, ALLOW, COUNT };

struct member {
	struct pb_egress head;
	struct pb_slab slab;
	struct pb_slab4 slab4;
	struct pb_pair pair;
	struct pb_ports lists[COUNT];
	struct pb_piece pieces[5];
	struct pb_host hosts[3];
	struct pb_class classes[COUNT];
	struct pb_grant grants[2];
	char text[4096];
};

static uint32_t used;

static struct pb_str text(struct member *m, const char *s)
{
	struct pb_str r = { (uint32_t)(offsetof(struct member, text) + used), (uint32_t)strlen(s) };

	memcpy(m->text + used, s, r.len);
	used += r.len + 1;
	return r;
}

#define TABLE(field, n) { offsetof(struct member, field), n }

static void fill(struct member *m, char **argv)
{
	m->head = (struct pb_egress){
		.head = { .magic = PB_MAGIC_EGRESS, .version = PB_FORMAT_VERSION, .size = sizeof(*m) },
		.slabs = TABLE(slab, 1), .slabs4 = TABLE(slab4, 1), .pairs = TABLE(pair, 1),
		.lists = TABLE(lists, COUNT), .pieces = TABLE(pieces, 5),
		.hosts = TABLE(hosts, 3), .classes = TABLE(classes, COUNT), .pools = TABLE(grants, 0),
		.ranges = TABLE(grants, 0), .grants = TABLE(grants, 2), .other_class = DENY,
		.guard = 1, .gate = PB_GATE_NEEDED | PB_GATE_REACHES,
	};
	m->pieces[0] = (struct pb_piece){ .hi = UINT16_MAX, .effect = PB_DENY };
	m->pieces[1] = (struct pb_piece){ .hi = 79, .effect = PB_DENY };
	m->pieces[2] = (struct pb_piece){ .hi = 80, .effect = PB_ALLOW, .grant = 1 };
	m->pieces[3] = (struct pb_piece){ .hi = UINT16_MAX, .effect = PB_DENY };
	m->pieces[4] = (struct pb_piece){ .hi = UINT16_MAX, .effect = PB_ALLOW };
	m->lists[DENY] = (struct pb_ports){ 0, 1 };
	m->lists[INJECT] = (struct pb_ports){ 1, 3 };
	m->lists[ALLOW] = (struct pb_ports){ 4, 1 };
	for (uint32_t i = 0; i < COUNT; i++)
		m->classes[i] = (struct pb_class){ i, DENY, PB_NO_POOL, 0 };
	m->hosts[0] = (struct pb_host){ text(m, "api.example"), 0, INJECT };
	m->hosts[1] = (struct pb_host){ text(m, "other.example"), 0, ALLOW };
	m->hosts[2] = (struct pb_host){ text(m, "wild.example"), 1, INJECT };
	m->grants[1].header = text(m, argv[1]);
	m->grants[1].prefix = text(m, argv[2]);
	m->grants[1].secret = text(m, "TOKEN");
}

int main(int argc, char **argv)
{
	static struct member m;
	static const char zeros[8];
	size_t n;
	struct gate_secret s = { .grant = 1 };
	struct gate_config c = { .magic = GATE_MAGIC, .size = sizeof(c), .egress_size = sizeof(m),
				 .rule_count = 8 };

	if (argc != 4)
		return 2;
	fill(&m, argv);
	n = strlen(argv[3]);
	s.size = (uint32_t)n;
	c.secret_count = n != 0;
	fwrite(&c, sizeof(c), 1, stdout);
	fwrite(&m, sizeof(m), 1, stdout);
	fwrite(zeros, 1, (8 - sizeof(m) % 8) % 8, stdout);
	if (n) {
		fwrite(&s, sizeof(s), 1, stdout);
		fwrite(argv[3], 1, n, stdout);
		fwrite(zeros, 1, (8 - (sizeof(s) + n) % 8) % 8, stdout);
	}
	return fflush(stdout) ? 1 : 0;
}
