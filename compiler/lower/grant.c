/*
 * Reads what a network rule says about the connections that it lets through: proxy,
 * header, limits, how far the gateway looks.  Decides which rules a section's `via` is
 * for.  Which of several matching rules counts is decided with the rule itself
 * (backend/nft).
 */
#include "compiler/lower/claims.h"
#include "runtime/base/address_guard.h"

/* A proxy, and the secret with which it is spoken to. */
struct lower_via {
	struct str text, secret; /* as in struct ir_grant; both empty: `via none` */
};

static bool bad(struct lower *l, enum diag_code code, struct span at, const char *what,
		struct str text, const char *help)
{
	struct diag *d = text.p ? diag_add(l->sink, code, at, "%s: '%.*s'", what, STR_ARG(text)) :
				  diag_add(l->sink, code, at, "%s", what);

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

/* The text of a string as it is meant; false (and an error) if it has a root. */
static bool plain_text(struct lower *l, const struct ast_value *v, struct str *ret)
{
	if (v->kind == AST_V_STRING && sema_has_root(v->text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at, "a root cannot stand here: '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	*ret = v->kind == AST_V_STRING ? sema_plain(l->a, v->text) : v->text;
	return true;
}

/* Is it the name of a secret?  The secret has the name of a variable. */
static bool is_secret(struct lower *l, const struct ast_value *v)
{
	return lower_is_variable(v->text, false) ||
	       bad(l, DIAG_VALUE, v->at, "no name of a secret", v->text, NULL);
}

/* --- the proxy ---------------------------------------------------------------- */

static const char via_form[] = "write \"http://HOST:PORT\"";

static bool bad_via(struct lower *l, const struct ast_value *v, const char *what,
		    const char *help)
{
	return bad(l, DIAG_PROXY, v->at, what, v->text, help ? help : via_form);
}

/* Splits HOST:PORT at the last ':', or behind the brackets of an IPv6 address. */
static bool split_port(struct str all, struct str *ret_host, struct str *ret_port)
{
	size_t i = all.n;

	while (i > 0 && all.p[i - 1] != ':' && all.p[i - 1] != ']')
		i--;
	if (i == 0 || all.p[i - 1] != ':')
		return false;
	*ret_host = str_sub(all, 0, i - 1);
	*ret_port = str_sub(all, i, all.n - i);
	return true;
}

/* A name, an IPv4 address, or an IPv6 address in brackets: as text that is all of these. */
static bool via_host(struct lower *l, const struct ast_value *v, struct str host,
		     struct str *ret)
{
	bool brackets = host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
	struct str inner = brackets ? str_sub(host, 1, host.n - 2) : host;
	bool host_bits = false, address;
	struct num_cidr c;

	address = !memchr(inner.p, '/', inner.n) && num_cidr(inner, &c, &host_bits);
	*ret = lower_letters(l->a, host);
	if (address && brackets == (memchr(inner.p, ':', inner.n) != NULL))
		return true;
	if (address || brackets || memchr(host.p, ':', host.n))
		return bad_via(l, v, "a proxy's address that is none",
			       "an IPv6 address stands in brackets: \"http://[2001:db8::1]:3128\"");
	return host.n ? lower_name(l, v, host, ret) : bad_via(l, v, "a proxy has a host", NULL);
}

/* Reads "http://HOST:PORT". */
static bool read_proxy(struct lower *l, const struct ast_value *v, struct str *ret)
{
	static const char scheme[] = "http://";
	struct str text, rest, host, port;
	uint16_t lo, hi;

	if (!plain_text(l, v, &text))
		return false;
	if (memchr(text.p, '@', text.n))
		return bad(l, DIAG_PROXY, v->at, "a proxy's user and password do not belong into a policy",
			   STR_NULL, "write them into a file that only its owner may read: "
			   "via \"http://HOST:PORT\" user from secret NAME");
	if (!str_starts(lower_letters(l->a, text), STR(scheme)))
		return bad_via(l, v, "connections go through HTTP proxies only", NULL);
	rest = str_sub(text, strlen(scheme), text.n - strlen(scheme));
	for (size_t i = 0; i < rest.n; i++)
		if (strchr("/?#", rest.p[i]))
			return bad_via(l, v, "a proxy has no path", NULL);
	if (!split_port(rest, &host, &port) || !num_port_range(port, &lo, &hi) || lo != hi ||
	    lo == 0)
		return bad_via(l, v, "a proxy has a port from 1 to 65535", NULL);
	if (!via_host(l, v, host, &host))
		return false;
	*ret = str_printf(l->a, "%s%.*s:%u", scheme, STR_ARG(host), lo);
	return true;
}

/* Reads the value of `via`, and `user from secret` of `options`. */
static bool read_via(struct lower *l, const struct ast_value *v,
		     const struct ast_option *user, struct lower_via *ret)
{
	bool none = v && str_eqz(v->text, "none");

	*ret = (struct lower_via){ 0 };
	if (!v)
		return false; /* was reported when its text was resolved */
	if (v->next)
		return bad(l, DIAG_PROXY, v->next->at, "connections go through one proxy",
			   v->next->text, NULL);
	if (v->kind == AST_V_NAME && !none)
		return bad(l, DIAG_KIND_OF_VALUE, v->at, "a proxy is a text in double quotes, or 'none'",
			   v->text, "of a let: \"${NAME}\"");
	if (none && user)
		return bad(l, DIAG_PROXY, user->at, "no proxy asks for a user where there is none",
			   STR_NULL, NULL);
	if (!none && !read_proxy(l, v, &ret->text))
		return false;
	if (user)
		ret->secret = user->values->text;
	return !user || is_secret(l, user->values);
}

/* --- the section's proxy ---------------------------------------------------------- */

static bool same_via(const struct claim *x, const struct claim *y)
{
	const struct lower_via *a = x->value, *b = y->value;

	return str_eq(a->text, b->text) && str_eq(a->secret, b->secret);
}

/* One key for each level: a level's statement is about its own rules only. */
static const struct claim_kind via_kind = { .name = "via", .same = same_via };

static const struct ast_option *user_of(const struct ast_option *o)
{
	while (o && o->kind != AST_O_VIA_USER)
		o = o->next;
	return o;
}

static void read_default(struct lower *l, const struct sema_stmt *t)
{
	struct lower_via *via = ARENA_NEW(l->a, struct lower_via);
	struct claim *x;

	if (!read_via(l, t->stmt->values, user_of(t->stmt->options), via) || t->off || t->cut)
		return;
	if (t->unit->narrow) {
		lower_drop(l, t->text, "a narrow-only level allows nothing that a proxy could take out",
			   t->at, (struct ir_place){ .span = SPAN_NONE }, t->unit->level);
		return;
	}
	x = claim_new(l, &via_kind, t, str_from(ir_level_name(t->unit->level)), via);
	x->name = STR("network via");
	claim_add(l, x);
}

static void decide_default(struct claims *c)
{
	enum ir_level level = c->v.v[0]->t->unit->level;
	const struct claim *x = claims_plain(c, level, false);

	if (x)
		c->l->via[level] = x->value;
}

void lower_vias(struct lower *l)
{
	for (size_t i = 0; i < l->s->stmts.n; i++)
		if (l->s->stmts.v[i]->stmt->kind == AST_VIA)
			read_default(l, l->s->stmts.v[i]);
	claims_each(l, &via_kind, decide_default);
}

/* --- the header ------------------------------------------------------------------ */

/* A token of RFC 9110, 5.6.2. */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", s.p[i]))
			return false;
	return s.n > 0 && s.n <= 64;
}

/*
 * Headers that say where a request goes, where it ends, or what becomes of the connection
 * (RFC 9110, 7.2, 7.6.1, 8.6, 10.1.1): a second value of one of them would make two readers
 * see two different requests.
 */
static bool is_framing(struct str name)
{
	static const char *const names[] = {
		"host", "content-length", "transfer-encoding", "connection", "keep-alive",
		"upgrade", "te", "trailer", "expect", "via", "forwarded", "date",
		"content-encoding", "content-range", "http2-settings", "max-forwards",
	};

	for (size_t i = 0; i < POL_LEN(names); i++)
		if (str_eqz(name, names[i]))
			return true;
	return str_starts(name, STR("proxy-")) || str_starts(name, STR("x-forwarded-"));
}

static bool is_printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] >= 0x7f)
			return false;
	return s.n <= 128;
}

static bool read_inject(struct lower *l, const struct ast_option *inject,
			const struct ast_option *from, struct ir_grant *ret)
{
	const struct ast_value *v = inject->values;

	if (!from)
		return bad(l, DIAG_INJECT, inject->at, "what stands in the header is missing",
			   STR_NULL, "write 'inject header \"Authorization\" \"Bearer \" from secret NAME'");
	if (!v || !plain_text(l, v, &ret->header))
		return false;
	if (!is_token(ret->header))
		return bad(l, DIAG_INJECT, v->at, "no name of a header", v->text,
			   "a name is letters, digits and '-', at most 64 of them");
	if (is_framing(lower_letters(l->a, ret->header)))
		return bad(l, DIAG_INJECT, v->at,
			   "a header that says where a request goes or ends is not injected", v->text,
			   NULL);
	v = v->next;
	if (v && v->next)
		return bad(l, DIAG_INJECT, v->next->at, "a header has one prefix", v->next->text,
			   NULL);
	if (v && !plain_text(l, v, &ret->prefix))
		return false;
	if (v && !is_printable(ret->prefix))
		return bad(l, DIAG_INJECT, v->at,
			   "the prefix of a header is at most 128 printable characters", STR_NULL,
			   NULL);
	ret->secret = from->values->text;
	return is_secret(l, from->values);
}

/* The port that the gateway dials: the rule's one port, else 443. */
static bool read_dial(struct lower *l, const struct sema_stmt *t,
		      const struct ast_option *inject, struct ir_grant *ret)
{
	const struct ast_value *proto = t->stmt->net.proto, *port = t->stmt->net.ports;
	uint16_t hi;

	ret->dial = 443;
	if (!proto || !str_eqz(proto->text, "tcp"))
		return bad(l, DIAG_INJECT, inject->at, "a header is injected into HTTP, which is tcp",
			   STR_NULL, "write 'allow tcp \"HOST\" inject …'");
	if (!port)
		return true;
	if (!lower_port(l, port, &ret->dial, &hi))
		return false;
	if (port->next || hi != ret->dial)
		return bad(l, DIAG_INJECT, port->next ? port->next->at : port->at,
			   "the gateway connects to one port of the host", STR_NULL,
			   "the run itself speaks plain HTTP to port 80; 'port' says where the "
			   "gateway speaks TLS (443 if you leave it out)");
	return true;
}

/* --- the rest ---------------------------------------------------------------------- */

static bool read_peek(struct lower *l, const struct ast_value *v, enum ir_peek *ret)
{
	static const char *const words[] = { "none", "tls", "http" };
	struct diag *d;

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (str_eqz(v->text, words[i])) {
			*ret = (enum ir_peek)(i + IR_PEEK_NONE);
			return true;
		}
	d = diag_add(l->sink, DIAG_VALUE, v->at,
		     "the gateway looks at 'none', 'tls' or 'http', not at '%.*s'",
		     STR_ARG(v->text));
	diag_did_you_mean(l->sink, d, v->text, words, POL_LEN(words));
	return false;
}

static bool read_limit(struct lower *l, const struct ast_option *o,
		       enum ir_scalar_type type, uint64_t max, uint64_t *ret)
{
	const struct ast_value *v = o->values;

	if (v && lower_number(type, v->text, ret) && *ret > 0 && *ret <= max)
		return true;
	return bad(l, DIAG_VALUE, v ? v->at : o->at,
		   v && lower_number(type, v->text, ret) && *ret == 0 ?
			   "a limit of 0 lets nothing through: write 'deny'" :
			   "no limit of connections or bytes",
		   v ? v->text : STR(""), lower_number_help(type));
}

/* The options that this file reads; NULL: the rule has none of this kind. */
struct says {
	const struct ast_option *via, *user, *inject, *from, *peek, *connections, *bytes;
};

static const struct ast_option *gather(const struct ast_stmt *stmt, struct says *ret)
{
	*ret = (struct says){
		.via = lower_option(stmt, AST_O_VIA),
		.user = lower_option(stmt, AST_O_VIA_USER),
		.inject = lower_option(stmt, AST_O_INJECT),
		.from = lower_option(stmt, AST_O_FROM_SECRET),
		.peek = lower_option(stmt, AST_O_PEEK),
		.connections = lower_option(stmt, AST_O_CONNECTIONS),
		.bytes = lower_option(stmt, AST_O_BYTES),
	};
	for (const struct ast_option *o = stmt->options; o; o = o->next)
		if (o->kind >= AST_O_PEEK && o->kind <= AST_O_BYTES)
			return o;
	return NULL;
}

/* Do the options belong to this rule, and to each other? */
static bool belong(struct lower *l, const struct ast_stmt *stmt, const struct says *s,
		   const struct ast_option *first)
{
	const char *word = first ? ast_option_rows[first->kind].words : "";
	struct str name = str_from(word);

	if (first && stmt->effect != AST_ALLOW && stmt->effect != AST_ASK)
		return bad(l, DIAG_OPTION, first->at,
			   "an option about connections does not belong to a rule that lets none "
			   "through", name, NULL);
	if (first && stmt->net.proto && str_eqz(stmt->net.proto->text, "udp"))
		return bad(l, DIAG_OPTION, first->at,
			   "an option about connections does not belong to a rule about datagrams",
			   name, "datagrams never leave a run");
	if (s->user && !s->via)
		return bad(l, DIAG_OPTION, s->user->at,
			   "'user from secret' says who a proxy is told that we are, and this rule "
			   "names no proxy", STR_NULL, "write 'via \"http://HOST:PORT\" user from secret NAME'");
	if (s->from && !s->inject)
		return bad(l, DIAG_OPTION, s->from->at,
			   "'from secret' says what stands in a header, and this rule injects none",
			   STR_NULL, "write 'inject header \"NAME\" from secret NAME'");
	return true;
}

bool lower_grant(struct lower *l, const struct sema_stmt *t, struct ir_grant *ret)
{
	struct says s;
	const struct ast_option *first = gather(t->stmt, &s);
	struct lower_via via;
	uint64_t connections = 0;
	bool ok = belong(l, t->stmt, &s, first);

	*ret = (struct ir_grant){ 0 };
	if (!first || !ok)
		return ok;
	if (s.via) {
		ok &= read_via(l, s.via->values, s.user, &via);
		ret->via = via.text.n ? via.text : STR("none");
		ret->via_secret = via.secret;
	}
	if (s.inject) {
		ok &= read_inject(l, s.inject, s.from, ret);
		ok &= read_dial(l, t, s.inject, ret);
	}
	if (s.inject && s.peek)
		ok &= bad(l, DIAG_OPTION, s.peek->at,
			  "a rule that injects a header reads HTTP, and 'peek' says nothing more",
			  STR_NULL, NULL);
	else if (s.peek)
		ok &= read_peek(l, s.peek->values, &ret->peek);
	if (s.connections)
		ok &= read_limit(l, s.connections, IR_T_COUNT, UINT32_MAX, &connections);
	if (s.bytes)
		ok &= read_limit(l, s.bytes, IR_T_SIZE, UINT64_MAX, &ret->bytes);
	ret->connections = (uint32_t)connections;
	return ok;
}

void lower_grant_drop(struct lower *l, const struct sema_stmt *t, struct ir_net *net)
{
	static const struct ir_grant nothing;
	const struct ir_lock *lock = &l->s->locked[IR_NET];
	bool narrow = t->unit->narrow;

	if ((net->nwithin || !ir_grant_equal(&net->grant, &nothing)) && !t->off && !t->cut)
		lower_drop(l, t->text,
			   narrow ? "a narrow-only level asks, and does not say what becomes of "
				    "connections" :
				    "below a lock a rule asks, and does not say what becomes of "
				    "connections",
			   t->at, narrow ? (struct ir_place){ .span = SPAN_NONE } : lock->at,
			   t->unit->level);
	net->grant = nothing;
	net->within = NULL;
	net->nwithin = 0;
}

/* --- with the rule's hosts ------------------------------------------------------------ */

/* "localhost" and the names below it: this machine, whatever the proxy. */
static bool is_local(const struct ir_net *net)
{
	return (net->host == IR_HOST_NAME || net->host == IR_HOST_BELOW) &&
	       guard_is_localhost(net->name.p, net->name.n);
}

bool lower_grant_host(struct lower *l, const struct sema_stmt *t,
		      const struct ast_value *v, bool soft, struct ir_net *net)
{
	struct ir_grant *g = &net->grant;
	struct span at = v ? v->at : t->stmt->at;
	struct str text = v ? v->text : STR_NULL;
	const struct lower_via *via = l->via[t->unit->level];

	if (g->header.n && net->host != IR_HOST_NAME)
		return bad(l, DIAG_INJECT, at, "a secret goes to one host, by its name", text,
			   "write 'allow tcp \"api.example.com\" inject …': below-patterns and "
			   "addresses would hand it to whoever has them");
	if (g->header.n && is_local(net))
		return bad(l, DIAG_INJECT, at, "nobody vouches for a name of this machine", text,
			   NULL);
	if (g->peek && net->host == IR_HOST_CIDR)
		return bad(l, DIAG_OPTION, at,
			   "'peek' compares a connection with the name of the rule, and this is "
			   "an address", text, NULL);
	if (g->via.n && !str_eqz(g->via, "none") && is_local(net))
		return bad(l, DIAG_PROXY, at, "no proxy reaches a name of this machine", text,
			   NULL);
	if (via && !soft && !lower_option(t->stmt, AST_O_VIA) && t->stmt->effect != AST_DENY &&
	    (net->protos & IR_TCP) && !is_local(net)) {
		g->via = via->text;
		g->via_secret = via->secret;
	}
	return true;
}

/* --- secrets ---------------------------------------------------------------------------- */

static bool check_secret(struct lower *l, const struct ir_rule *r, struct str name,
			 const char *use)
{
	const struct ir_env_secret *s = name.n ? ir_secret_find(l->ir, name) : NULL;
	struct diag *d;

	if (!name.n || (s && s->file))
		return true;
	if (s) {
		d = diag_add(l->sink, DIAG_UNSUPPORTED, s->at.span,
			     "%s the secret '%.*s', and this version reads such secrets from "
			     "files only", use, STR_ARG(name));
		diag_note(l->sink, d, r->at.span, "the rule is here");
		diag_help(l->sink, d, "write 'secret %.*s from file \"/…\"'", STR_ARG(name));
		return false;
	}
	d = diag_add(l->sink, DIAG_SECRET_UNDECLARED, r->at.span,
		     "%s the secret '%.*s', which nothing declares", use, STR_ARG(name));
	for (size_t i = 0; i < l->ir->env.n; i++)
		if (str_eq(l->ir->env.v[i].name, name))
			diag_note(l->sink, d, l->ir->env.v[i].at.span,
				  "this gives a variable its value, for every program to read");
	diag_help(l->sink, d, "write 'env { secret %.*s from file \"/…\" }' at a full level",
		  STR_ARG(name));
	return false;
}

/* Rules of one statement follow each other; one message is enough for them. */
void lower_grants_done(struct lower *l)
{
	const struct span *told = NULL;

	for (size_t i = 0; i < l->ir->rules.n; i++) {
		const struct ir_rule *r = l->ir->rules.v[i];

		if (r->kind != IR_NET ||
		    (told && told->off == r->at.span.off && told->file == r->at.span.file))
			continue;
		if (!check_secret(l, r, r->set.u.net.grant.secret, "a rule injects") ||
		    !check_secret(l, r, r->set.u.net.grant.via_secret,
				  "the proxy of a rule is told"))
			told = &r->at.span;
	}
}
