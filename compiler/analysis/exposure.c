/* Goes through the catalogue of exposures and adds up what can be reached. */
#include "compiler/analysis/exposure.h"

#include "compiler/analysis/exposure_box.h"
#include "compiler/analysis/exposure_path.h"
#include "compiler/analysis/exposure_run.h"
#include "compiler/target/target.h"

/* Names of the catalogue. */
enum { OPS_READ = IR_READ, OPS_WRITE = IR_WRITE, OPS_BOTH = IR_WRITE | IR_EXEC };

enum fact_id {
#define FACT(id, group, weight, title, does) FACT_##id,
#include "compiler/analysis/exposure.def"
	FACT_COUNT
};

static const struct exposure_fact facts[FACT_COUNT] = {
#define FACT(id, group, weight, title, does) { #id, EXPOSURE_##group, weight, title, does },
#include "compiler/analysis/exposure.def"
};

enum probe_kind { PROBE_PATH, PROBE_HOST, PROBE_RANGE, PROBE_WIDE, PROBE_CALL, PROBE_PROGRAM,
		  PROBE_VARIABLE, PROBE_LIMIT, PROBE_LINE };

/* A row of the catalogue; which members count depends on the kind. */
struct probe {
	enum fact_id fact;
	enum probe_kind kind;
	const char *text;     /* a pattern, a name, a line */
	unsigned ops;
	enum ir_root root;
	uint64_t num;         /* a port, the most that a limit may be */
	enum exposure_wide wide;
	const char *argument, *constant;
	bool flag;            /* one bit of the argument */
	const char *name;     /* of a program, in a command */
	bool exact;
	enum ir_scalar_id scalar;
};

static const struct probe probes[] = {
#define PATH(id, of, at, pattern) \
	{ FACT_##id, PROBE_PATH, .text = pattern, .ops = OPS_##of, .root = IR_ROOT_##at },
#define HOST(id, host, port) { FACT_##id, PROBE_HOST, .text = host, .num = port },
#define RANGE(id, cidr) { FACT_##id, PROBE_RANGE, .text = cidr },
#define ANYHOST(id, which) { FACT_##id, PROBE_WIDE, .wide = EXPOSURE_##which },
#define CALL(id, call) { FACT_##id, PROBE_CALL, .text = call },
#define CALL_VALUE(id, call, arg, value) \
	{ FACT_##id, PROBE_CALL, .text = call, .argument = arg, .constant = value },
#define CALL_FLAG(id, call, arg, value) \
	{ FACT_##id, PROBE_CALL, .text = call, .argument = arg, .constant = value, .flag = true },
#define PROGRAM(id, pattern, command) \
	{ FACT_##id, PROBE_PROGRAM, .text = pattern, .name = command },
#define VARIABLE(id, pattern, only) \
	{ FACT_##id, PROBE_VARIABLE, .text = pattern, .exact = only },
#define LIMIT(id, key, most) \
	{ FACT_##id, PROBE_LIMIT, .scalar = IR_S_##key, .num = most },
#define COMMAND(id, command) { FACT_##id, PROBE_PROGRAM, .name = command },
#define LINE(id, line) { FACT_##id, PROBE_LINE, .text = line },
#include "compiler/analysis/exposure.def"
};

/* Sockets that have the same owner and weight are one fact. */
static const struct socket {
	enum ir_root root;
	const char *pattern;
	unsigned weight;
	const char *whose, *gives;
} sockets[] = {
#define SOCKET(at, pattern, weight, whose, gives) \
	{ IR_ROOT_##at, pattern, weight, whose, gives },
#include "compiler/target/sockets.def"
#undef SOCKET
};

static const struct {
	const char *name, *title;
} groups[EXPOSURE_GROUP_COUNT] = {
	[EXPOSURE_WRITE] = { "write", "what is written now and run later" },
	[EXPOSURE_READ] = { "read", "secrets that can be read" },
	[EXPOSURE_NET] = { "network", "hosts that take what is sent" },
	[EXPOSURE_RUN] = { "run", "programs that may run" },
	[EXPOSURE_SOCKET] = { "socket", "sockets of the host's services" },
	[EXPOSURE_CALL] = { "syscall", "system calls with a bad history" },
	[EXPOSURE_ENV] = { "env", "the environment" },
	[EXPOSURE_LIMIT] = { "limits", "limits that are missing" },
};

const char *exposure_group_name(enum exposure_group g)
{
	return groups[g].name;
}

const char *exposure_group_title(enum exposure_group g)
{
	return groups[g].title;
}

/* --- rows of the catalogue ---------------------------------------------------------- */

static struct exposure_reach path_at(const struct exposure_asker *q, enum ir_kind kind,
				     unsigned ops, enum ir_root root, struct str pattern)
{
	static const char *const words[] = { [IR_READ] = "read", [IR_WRITE] = "write",
					     [OPS_BOTH] = "write and exec" };
	struct exposure_reach ret = exposure_path(q, kind, ops, root, pattern);
	const char *place = ir_root_name(root);

	if (root == IR_ROOT_FS)
		ret.what = pattern;
	else
		ret.what = str_printf(q->a, "${%s}%.*s", place, STR_ARG(pattern));
	if (ops)
		ret.what = str_printf(q->a, "%s %.*s", words[ops], STR_ARG(ret.what));
	return ret;
}

/* A pattern of HOME also counts below every other home: a policy may spell it out. */
static struct exposure_reach path(const struct exposure_asker *q, enum ir_kind kind,
				  unsigned ops, enum ir_root root, const char *pattern)
{
	struct exposure_reach ret = path_at(q, kind, ops, root, str_from(pattern));

	if (root == IR_ROOT_HOME && ret.grade != EXPOSURE_OPEN)
		exposure_add(&ret, path_at(q, kind, ops, IR_ROOT_FS,
					   str_printf(q->a, "/home/*%s", pattern)));
	return ret;
}

static struct ir_net every_net(void)
{
	return (struct ir_net){ .protos = IR_ANY_PROTO, .host = IR_HOST_ANY,
				.port_hi = UINT16_MAX };
}

static struct exposure_reach host(const struct exposure_asker *q, const struct probe *p)
{
	struct ir_net set = every_net();
	struct str name = str_from(p->text);
	struct exposure_reach ret;

	if (str_starts(name, STR("*."))) {
		set.host = IR_HOST_BELOW;
		set.name = str_sub(name, 2, name.n - 2);
	} else if (name.n) {
		set.host = IR_HOST_NAME;
		set.name = name;
	}
	if (p->num)
		set.port_lo = set.port_hi = (uint16_t)p->num;
	ret = exposure_net(q, &set);
	ret.what = name;
	if (p->num)
		ret.what = str_printf(q->a, "%s port %llu", name.n ? p->text : "some host,",
				      (unsigned long long)p->num);
	return ret;
}

static struct exposure_reach range(const struct exposure_asker *q, const struct probe *p)
{
	struct ir_net set = every_net();
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	bool host_bits;

	set.host = IR_HOST_CIDR;
	if (!num_cidr(str_from(p->text), &set.cidr, &host_bits))
		return ret;
	ret = exposure_net(q, &set);
	ret.what = str_from(p->text);
	return ret;
}

/* A call that the compiler's table does not name is always refused. */
static struct exposure_reach call(const struct exposure_asker *q, const struct probe *p)
{
	const struct target_call *t = target_call_by_name(str_from(p->text));
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };
	struct ir_cond *cond;
	uint64_t value;
	int arg;

	if (!t)
		return ret;
	if (!p->argument) {
		ret = exposure_call(q, t->nr, NULL);
		ret.what = str_from(p->text);
		return ret;
	}
	arg = target_call_arg(t, str_from(p->argument));
	if (arg < 0 || !target_constant(str_from(p->constant), &value))
		return ret;
	cond = ARENA_NEW(q->a, struct ir_cond);
	*cond = (struct ir_cond){ .op = IR_C_CMP, .cmp = IR_EQ, .arg = (uint8_t)arg,
				  .width = t->args[arg].width };
	cond->value = value & t->args[arg].mask;
	cond->mask = p->flag ? cond->value : t->args[arg].mask;
	ret = exposure_call(q, t->nr, cond);
	ret.what = str_printf(q->a, "%s with %s %s", p->text, p->argument, p->constant);
	return ret;
}

static struct exposure_reach try(const struct exposure_asker *q, const struct probe *p)
{
	struct exposure_reach ret = { .grade = EXPOSURE_CLOSED };

	switch (p->kind) {
	case PROBE_PATH:
		return path(q, IR_FILE, p->ops, p->root, p->text);
	case PROBE_HOST:
		return host(q, p);
	case PROBE_RANGE:
		return range(q, p);
	case PROBE_WIDE:
		return exposure_net_wide(q, p->wide);
	case PROBE_CALL:
		return call(q, p);
	case PROBE_PROGRAM:
		ret = exposure_program(q, p->text, p->name);
		ret.what = str_from(p->text ? p->text : p->name);
		return ret;
	case PROBE_VARIABLE:
		ret = exposure_variable(q, p->text, p->exact);
		break;
	case PROBE_LIMIT:
		ret = exposure_limit(q, p->scalar, p->num);
		ret.what = str_from(ir_scalar_key(p->scalar));
		return ret;
	case PROBE_LINE:
		ret = exposure_line(q, p->text);
		break;
	}
	ret.what = str_from(p->text);
	return ret;
}

/* --- the sum ------------------------------------------------------------------------- */

static bool is_same_rule(const struct exposure_by *x, const struct exposure_by *y)
{
	return str_eq(x->id, y->id) && str_eq(x->at.file, y->at.file) &&
	       x->at.line == y->at.line && x->at.col == y->at.col && str_eq(x->text, y->text);
}

static void meet(struct exposure_finding *f, struct exposure_reach one, struct arena *a)
{
	struct exposure_way way = { .reach = one };

	if (one.grade == EXPOSURE_CLOSED)
		return;
	if (one.grade > f->grade)
		f->grade = one.grade;
	for (size_t i = 0; i < f->ways.n; i++) {
		if (!is_same_rule(&f->ways.v[i].reach.by, &one.by))
			continue;
		f->ways.v[i].more++;
		exposure_add(&f->ways.v[i].reach, one);
		return;
	}
	VEC_PUSH(a, &f->ways, way);
}

static void count(const struct exposure_finding *f, struct arena *a,
		  struct exposure_result *ret)
{
	struct exposure_finding own = *f;

	ret->most += f->fact->weight;
	if (f->grade == EXPOSURE_CLOSED)
		return;
	own.score = f->fact->weight;
	if (f->grade == EXPOSURE_ASKED)
		own.score = (own.score + 1) / 2;
	ret->score += own.score;
	VEC_PUSH(a, &ret->findings, own);
}

static void of_group(const struct exposure_asker *q, enum exposure_group g,
		     struct exposure_result *ret)
{
	for (size_t i = 0; i < FACT_COUNT; i++) {
		struct exposure_finding f = { .fact = &facts[i] };

		if (facts[i].group != g)
			continue;
		for (size_t k = 0; k < POL_LEN(probes); k++)
			if (probes[k].fact == (enum fact_id)i)
				meet(&f, try(q, &probes[k]), q->a);
		count(&f, q->a, ret);
	}
}

static bool is_same(const struct socket *x, const struct socket *y)
{
	return strcmp(x->whose, y->whose) == 0;
}

/* Is it the first of its fact? */
static bool is_first(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same(&sockets[k], &sockets[i]))
			return false;
	return true;
}

static void of_sockets(const struct exposure_asker *q, struct exposure_result *ret)
{
	for (size_t i = 0; i < POL_LEN(sockets); i++) {
		struct exposure_fact *fact = ARENA_NEW(q->a, struct exposure_fact);
		struct exposure_finding f = { .fact = fact };

		if (!is_first(i))
			continue;
		*fact = (struct exposure_fact){ "SOCKET", EXPOSURE_SOCKET, sockets[i].weight,
						sockets[i].whose, sockets[i].gives };
		for (size_t k = i; k < POL_LEN(sockets); k++)
			if (is_same(&sockets[i], &sockets[k]))
				meet(&f, path(q, IR_UNIX, 0, sockets[k].root,
					      sockets[k].pattern), q->a);
		count(&f, q->a, ret);
	}
}

void exposure(const struct ir *ir, const struct exposure_where *where, struct arena *a,
	      struct exposure_result *ret)
{
	unsigned given_up = 0;
	struct exposure_asker q = { ir, where, a, &given_up };

	*ret = (struct exposure_result){ .score = 0 };
	for (int g = 0; g < EXPOSURE_GROUP_COUNT; g++) {
		if (g == EXPOSURE_SOCKET)
			of_sockets(&q, ret);
		else
			of_group(&q, (enum exposure_group)g, ret);
	}
}
