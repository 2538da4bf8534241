/*
 * Scalars: reads what files say about every mode, limit and `base` (defaults.c: `otherwise` and
 * `opaque`), and decides what counts.
 */
#include "compiler/lower/claims.h"
#include "compiler/lower/defaults.h"
#include "compiler/lower/scalar_claim.h"

/* --- what files say ---------------------------------------------------------------- */

static const char *const mode_words[] = { "disabled", "limited", "full" };

static void mode(struct lower *l, const struct sema_stmt *t)
{
	struct diag *d;

	for (size_t i = 0; i < POL_LEN(mode_words); i++)
		if (str_eqz(t->stmt->name, mode_words[i])) {
			scalar_claim(l, t, IR_S_NET_MODE)->num = i;
			return;
		}
	d = diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
		     "the network is 'disabled', 'limited' or 'full', not '%.*s'",
		     STR_ARG(t->stmt->name));
	diag_did_you_mean(l->sink, d, t->stmt->name, mode_words, POL_LEN(mode_words));
}

/* What other tools call these limits. */
static const char *limit_elsewhere(struct str name)
{
	static const struct {
		const char *there, *here;
	} words[] = {
		{ "timeout", "time" },      { "wall", "time" },         { "wall-time", "time" },
		{ "duration", "time" },     { "cpu-time", "cpu" },      { "cputime", "cpu" },
		{ "mem", "memory" },        { "ram", "memory" },        { "rss", "memory" },
		{ "as", "memory" },         { "nproc", "processes" },   { "pids", "processes" },
		{ "procs", "processes" },   { "tasks", "processes" },   { "nofile", "files" },
		{ "open-files", "files" },  { "fds", "files" },         { "fsize", "file-size" },
	};

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (str_eqz(name, words[i].there))
			return words[i].here;
	return NULL;
}

static void unknown_limit(struct lower *l, const struct ast_stmt *p)
{
	const char *keys[IR_SCALAR_COUNT];
	struct diag *d;
	size_t n = 0;

	if (str_eqz(p->name, "require")) {
		diag_add(l->sink, DIAG_UNSUPPORTED, p->at,
			 "'require' is not supported by this version");
		return;
	}
	for (int id = 0; id < IR_SCALAR_COUNT; id++)
		if (!strcmp(ir_scalar_section((enum ir_scalar_id)id), "limits"))
			keys[n++] = ir_scalar_key((enum ir_scalar_id)id);
	d = diag_add(l->sink, DIAG_UNKNOWN_KEY, p->name_at,
		     "'limits' has no key '%.*s'", STR_ARG(p->name));
	if (limit_elsewhere(p->name))
		diag_help(l->sink, d, "here it is called '%s'", limit_elsewhere(p->name));
	else
		diag_did_you_mean(l->sink, d, p->name, keys, n);
}

static void limit(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_stmt *p = t->stmt;
	const struct ast_value *v = p->values;
	enum ir_scalar_id id = 0;
	uint64_t num = 0;

	while (id < IR_SCALAR_COUNT && !(!strcmp(ir_scalar_section(id), "limits") &&
					 str_eqz(p->name, ir_scalar_key(id))))
		id++;
	if (id == IR_SCALAR_COUNT) {
		unknown_limit(l, p);
		return;
	}
	if (p->append) {
		diag_add(l->sink, DIAG_VALUE, p->at,
			 "'+=' adds to a list, and '%.*s' is one number",
			 STR_ARG(p->name));
		return;
	}
	if (!v || !lower_number(ir_scalar_type(id), v->text, &num)) {
		struct diag *d =
			diag_add(l->sink, DIAG_VALUE, v ? v->at : p->at,
				 "'%.*s' is no value of '%.*s'",
				 STR_ARG(v ? v->text : STR("")), STR_ARG(p->name));
		diag_help(l->sink, d, "%s", lower_number_help(ir_scalar_type(id)));
		return;
	}
	if (num == 0) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "with a limit of 0 for '%.*s' nothing could run",
			 STR_ARG(p->name));
		return;
	}
	scalar_claim(l, t, id)->num = num;
}

/* How long a connection waits for a person; the gateway holds none for longer. */
static void hold(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_value *v = t->stmt->values;
	uint64_t num = 0;
	bool read = v && lower_number(IR_T_DURATION, v->text, &num);
	struct diag *d;

	if (read && num > 0 && num <= IR_MAX_HOLD) {
		scalar_claim(l, t, IR_S_NET_HOLD)->num = num;
		return;
	}
	d = diag_add(l->sink, DIAG_VALUE, v ? v->at : t->stmt->at,
		     "a connection waits at most %us for a person, not '%.*s'",
		     IR_MAX_HOLD / 1000, STR_ARG(v ? v->text : STR("")));
	diag_help(l->sink, d, read && num == 0 ?
			  "write 'deny' where nobody may be asked" :
			  "write a span of time with its unit: hold 10s");
}

static void read_stmt(struct lower *l, const struct sema_stmt *t)
{
	switch ((int)t->stmt->kind) {
	case AST_OTHERWISE:
	case AST_OTHERWISE_BY_RISK:
	case AST_OPAQUE:
		default_read(l, t);
		break;
	case AST_MODE:
		if (t->section == AST_SEC_NETWORK)
			mode(l, t);
		break;
	case AST_HOLD:
		hold(l, t);
		break;
	case AST_PAIR:
		if (t->section == AST_SEC_LIMITS)
			limit(l, t);
		break;
	default:
		break;
	}
}

/* Reads `base` of a policy that was named. */
static void read_base(struct lower *l, struct sema_unit *u)
{
	struct ast_stmt *p = u->named && u->policy ? u->policy->body : NULL;

	for (; p; p = p->next) {
		struct sema_stmt *t;

		if (p->kind != AST_PAIR || !str_eqz(p->name, "base"))
			continue;
		t = ARENA_NEW(l->a, struct sema_stmt);
		*t = (struct sema_stmt){ .orig = p, .stmt = p, .unit = u,
					 .at = sema_place(l->s, p->at) };
		t->text = str_printf(l->a, "base %.*s", STR_ARG(p->values->text));
		scalar_claim(l, t, IR_S_BASE)->text = p->values->text;
	}
}

/* --- which counts -------------------------------------------------------------------- */

/* Is the one of these two about this scope alone, and the other about both?  Then it counts. */
static bool is_about_scope(const struct claim *x, const struct claim *y)
{
	return lower_option(x->t->stmt, AST_O_WHEN) && !lower_option(y->t->stmt, AST_O_WHEN);
}

/*
 * All statements of one file about a key must agree and count as one; those of its role
 * are another one.
 */
static void join_voices(struct claims *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->v.n; i++) {
		struct claim *x = c->v.v[i], *same = NULL;

		for (size_t k = n; k-- > 0 && !same && c->v.v[k]->t->unit == x->t->unit;)
			if (str_eq(c->v.v[k]->t->role, x->t->role))
				same = c->v.v[k];
		if (!same) {
			c->v.v[n++] = x;
			continue;
		}
		if (is_about_scope(x, same)) {
			x->locked |= same->locked;
			*same = *x;
			continue;
		}
		if (!scalar_is_same(same, x) && !is_about_scope(same, x) && !scalar_is_second(x))
			claims_conflict(c->l, same, x);
		same->locked |= x->locked;
	}
	c->v.n = n;
}

/* The lock of the section that contains the scalar. */
static const struct ir_lock *lock_of(const struct claims *c)
{
	const struct sema_stmt *t = c->v.v[0]->t;
	int section = t->in_section ? sema_section_kind(t->section) : -1;

	return section < 0 ? NULL : &c->l->s->locked[section];
}

/*
 * The mode whose statement closes sockets.  Every mode closes the same families, so the
 * highest level that gives a mode does it: a mode that a lower, narrow-only level
 * tightens must not bring that rule down to its own level, where an allow of a higher
 * one would override it.  Where nobody but the library gives one it is the floor's: a
 * family such as AF_VSOCK belongs to no network namespace, and what leads around a
 * disabled network takes more than an allow.
 */
static const struct claim *closes_sockets(const struct claims *c)
{
	const struct claim *ret = c->won;

	for (size_t i = 0; i < c->v.n && ret; i++) {
		const struct sema_unit *u = c->v.v[i]->t->unit;

		if (!u->narrow && (u->level < ret->t->unit->level ||
				   (u->level == ret->t->unit->level && u->floor)))
			ret = c->v.v[i];
	}
	return ret;
}

static void decide(struct claims *c)
{
	struct ir_scalar *ret = &c->l->ir->scalars[c->v.v[0]->row];

	c->value = ret;
	join_voices(c);
	claims_decide(c, lock_of(c));
	*ret = *(const struct ir_scalar *)c->value;
	ret->locked = c->won && c->won->locked;
	ret->over = arena_array(c->l->a, c->v.n, sizeof(*ret->over));
	for (size_t i = 0; i < c->v.n; i++) {
		struct ir_scalar *s = c->v.v[i]->value;

		s->locked = c->v.v[i]->locked;
		if (c->v.v[i] != c->won)
			ret->over[ret->nover++] = *s;
	}
	if (c->v.v[0]->row == IR_S_NET_MODE)
		c->l->mode = closes_sockets(c);
}

/* Where one statement decides for both scopes, there is one value. */
static void join_scopes(struct lower *l, enum ir_scalar_id id, enum ir_scalar_id inside)
{
	struct ir_scalar *scalars = l->ir->scalars;
	const struct claims *host = claims_find(l, &scalar_kind, scalars[id].id);
	const struct claims *own = claims_find(l, &scalar_kind, scalars[inside].id);
	const struct claim x = { .value = &scalars[id] }, y = { .value = &scalars[inside] };

	if (host && own && host->won && own->won && host->won->t == own->won->t && scalar_is_same(&x, &y)) {
		scalars[inside] = ir_new(l->a)->scalars[inside];
	} else if (host && host->won && !(own && own->won) && lower_option(host->won->t->stmt, AST_O_WHEN)) {
		/* a statement about scope host alone leaves the built-in value inside */
		struct ir_scalar built_in = scalars[inside];

		built_in.set = true;
		built_in.level = scalars[id].level;
		built_in.at = scalars[id].at;
		built_in.source = scalars[id].source;
		built_in.role = scalars[id].role;
		scalars[inside] = built_in;
	}
}

void lower_scalars(struct lower *l)
{
	default_begin(l);
	for (size_t i = 0; i < l->s->units.n; i++)
		read_base(l, l->s->units.v[i]);
	for (size_t i = 0; i < l->s->stmts.n; i++)
		if (l->s->stmts.v[i]->in_section)
			read_stmt(l, l->s->stmts.v[i]);
	for (int id = 0; id < IR_SCALAR_COUNT; id++) {
		struct claims *c = claims_find(l, &scalar_kind, l->ir->scalars[id].id);

		if (c)
			decide(c);
	}
	join_scopes(l, IR_S_COMMAND_OTHERWISE, IR_S_SANDBOX_OTHERWISE);
	join_scopes(l, IR_S_COMMAND_OPAQUE, IR_S_SANDBOX_OPAQUE);
	l->ir->base_none = str_eqz(l->ir->scalars[IR_S_BASE].text, "none");
}
