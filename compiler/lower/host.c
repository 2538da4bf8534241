/*
 * Reads hosts and ports, as rules, exceptions and requests name them.  Names are in lower
 * case, in ASCII, without the last dot.
 */
#include "compiler/base/idna.h"
#include "compiler/lower/internal.h"

static bool bad(struct lower *l, const struct ast_value *v, const char *what,
		const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_HOST_PATTERN, v->at, "%s: '%.*s'", what,
				  STR_ARG(v->text));

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

static bool is_label_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Might a resolver read it as a part of an address: digits, or 0x and digits? */
static bool is_number(struct str s)
{
	bool hex = s.n >= 2 && s.p[0] == '0' && s.p[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < s.n; i++) {
		bool digit = s.p[i] >= '0' && s.p[i] <= '9';

		if (!digit && !(hex && s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	}
	return s.n > 0;
}

/* The name in ASCII and lower case. */
static bool to_ascii(struct lower *l, const struct ast_value *v, struct str name,
		     struct str *ret)
{
	const char *why;

	if (idna_to_ascii(l->a, name, ret, &why))
		return true;
	return bad(l, v, "no internationalized host name", why);
}

/*
 * Checks a host name: labels of 1 to 63 letters, digits, '-' and '_'; the last label is
 * not a number, since resolvers take "127.1" and "0x7f000001" for addresses.
 */
static bool check_name(struct lower *l, const struct ast_value *v, struct str name)
{
	size_t from = 0;
	struct str label = STR_NULL;

	if (!name.n || name.n > 253)
		return bad(l, v, "a host name has 1 to 253 bytes", NULL);
	for (size_t i = 0; i <= name.n; i++) {
		if (i < name.n && name.p[i] != '.') {
			if (name.p[i] == '*')
				return bad(l, v, "'*' inside of a host name",
					   "'*.example.com' is every name below "
					   "example.com; no other form is known");
			if (!is_label_byte(name.p[i]))
				return bad(
					l, v, "no host name",
					"a name has letters, digits, '-', '_' and '.'");
			continue;
		}
		label = str_sub(name, from, i - from);
		if (!label.n || label.n > 63)
			return bad(l, v, "a part of a host name has 1 to 63 bytes",
				   NULL);
		from = i + 1;
	}
	if (is_number(label))
		return bad(l, v, "a host name that ends in a number",
			   "an address is written as it is: 10.0.0.0/8");
	return true;
}

bool lower_address(struct lower *l, const struct ast_value *v, struct num_cidr *ret)
{
	bool host_bits = false;

	if (num_cidr(v->text, ret, &host_bits))
		return true;
	if (host_bits)
		return bad(l, v, "an address block with bits set behind its mask",
			   "write the first address of the block");
	return bad(l, v, "no address", NULL);
}

bool lower_name(struct lower *l, const struct ast_value *v, struct str text,
		struct str *ret)
{
	struct str name;

	if (!to_ascii(l, v, text, &name))
		return false;
	if (name.n > 1 && name.p[name.n - 1] == '.')
		name.n--;
	*ret = name;
	return check_name(l, v, name);
}

bool lower_host(struct lower *l, const struct ast_value *v, struct ir_net *ret)
{
	struct num_cidr cidr;
	bool host_bits = false, below;

	if (v->kind == AST_V_ANY ||
	    (v->kind == AST_V_STRING && str_eqz(v->text, "*"))) {
		ret->host = IR_HOST_ANY;
		return true;
	}
	if (v->kind == AST_V_ADDR ||
	    (v->text.n && (num_cidr(v->text, &cidr, &host_bits) || host_bits))) {
		ret->host = IR_HOST_CIDR;
		return lower_address(l, v, &ret->cidr);
	}
	if (v->kind == AST_V_GROUP && l->sink->errors)
		return false; /* sema has reported it */
	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW) {
		diag_add(l->sink, DIAG_KIND_OF_VALUE, v->at,
			 "a host is a text in double quotes, an address or 'any'");
		return false;
	}
	if (v->kind == AST_V_STRING && sema_has_root(v->text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at, "a root is no host: '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	below = str_starts(v->text, STR("*."));
	ret->host = below ? IR_HOST_BELOW : IR_HOST_NAME;
	return lower_name(l, v, below ? str_sub(v->text, 2, v->text.n - 2) : v->text,
			  &ret->name);
}

bool lower_port(struct lower *l, const struct ast_value *v, uint16_t *ret_lo,
		uint16_t *ret_hi)
{
	uint16_t lo, hi;

	if (!num_port_range(v->text, &lo, &hi) || lo == 0)
		return bad(l, v,
			   "a port is a number from 1 to 65535, or two with a '-'",
			   NULL);
	*ret_lo = lo;
	*ret_hi = hi;
	return true;
}
