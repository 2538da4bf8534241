/* Names connections: where they went, by which rule, how much and how long, and why one that
 * was allowed could not be made. */
#include "runtime/polrun/report_net.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/polrun/report_rule.h"

enum { FEW = 3, WHY = GATE_TEXT + 40 };

/* Why an allowed connection ended, or never began. */
static const char *why_of(const struct gate_record *r, char out[WHY])
{
	char text[GATE_TEXT];

	io_escape(text, sizeof(text), r->text, strlen(r->text));
	switch ((enum gate_why)r->why) {
	case GATE_W_RESOLVE:
		(void)snprintf(out, WHY, "the name has no address%s%s", text[0] ? ": " : "", text);
		break;
	case GATE_W_TIMEOUT:
		(void)snprintf(out, WHY, "no answer in time");
		break;
	case GATE_W_CONNECT:
		(void)snprintf(out, WHY, "%s%s%s", text, text[0] && r->error ? ": " : "",
			       r->error ? strerror((int)r->error) : text[0] ? "" : "not connected");
		break;
	case GATE_W_LIMIT:
		(void)snprintf(out, WHY, "the limit of its rule%s%s", text[0] ? ": " : "", text);
		break;
	case GATE_W_RULE:
	case GATE_W_ASK:
	case GATE_W_GUARD:
	case GATE_W_SNI:
	case GATE_W_HOST:
	case GATE_W_PROTOCOL:
	case GATE_W_NO_NAME:
	case GATE_W_POOL:
	case GATE_W_COUNT:
	default:
		(void)snprintf(out, WHY, "%s", text);
		break;
	}
	return out;
}

static void put_address(struct json *j, const struct gate_record *r)
{
	char addr[HOST_TEXT] = "";

	if (r->has_addr)
		(void)host_text(r->addr, addr);
	json_cstr(j, "address", addr[0] ? addr : NULL);
}

static void connection(struct json *j, const struct bundle *b, const struct gate_record *r)
{
	char name[sizeof(r->name) * 4], why[WHY];

	io_escape(name, sizeof(name), r->name, strlen(r->name));
	json_object(j, NULL);
	json_cstr(j, "name", name[0] ? name : NULL);
	put_address(j, r);
	json_uint(j, "port", r->port);
	report_rule(j, "rule", b, r->rule);
	json_bool(j, "reached", r->what == GATE_CLOSED);
	if (r->what == GATE_CLOSED)
		json_null(j, "why");
	else
		json_cstr(j, "why", why_of(r, why));
	json_uint(j, "bytes_up", r->up);
	json_uint(j, "bytes_down", r->down);
	json_uint(j, "ms", r->ms);
	json_uint(j, "count", r->count);
	json_object_end(j);
}

void report_net(struct json *j, const struct bundle *b, const struct gateway_log *log)
{
	if (!log) {
		json_null(j, "connections");
		json_null(j, "network");
		return;
	}
	json_array(j, "connections");
	for (size_t i = 0; i < log->n; i++)
		connection(j, b, &log->v[i]);
	json_array_end(j);
	json_object(j, "network");
	json_uint(j, "connections", log->connections);
	json_uint(j, "refused", log->refused);
	json_uint(j, "unreached", log->unreached);
	json_uint(j, "bytes_up", log->up);
	json_uint(j, "bytes_down", log->down);
	json_uint(j, "not_listed", log->lost);
	json_object_end(j);
}

static const char *s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void report_net_totals(FILE *out, const struct gateway_log *log)
{
	fprintf(out, "polrun: network: %" PRIu64 " connection%s, %" PRIu64 " bytes out, %" PRIu64
		" in; %" PRIu64 " refused, %" PRIu64 " not reached\n", log->connections,
		s(log->connections), log->up, log->down, log->refused, log->unreached);
}

void report_net_unreached(FILE *out, const struct gateway_log *log)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n && n < FEW; i++) {
		const struct gate_record *r = &log->v[i];
		char subject[600], why[WHY];
		struct gate_record plain = *r;

		if (r->what != GATE_UNREACHED)
			continue;
		n++;
		plain.text[0] = '\0';
		gateway_subject(&plain, subject, sizeof(subject));
		fprintf(out, "polrun: allowed, but not reached: %s: %s\n", subject, why_of(r, why));
	}
}
