/* Decides which records are sent at once, which wait, and which become one. */
#include "runtime/egress/gate_record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/io.h"

static const uint32_t per_tick = RECORD_RATE * RECORD_TICK_MS / 1000;

void record_init(struct record *r, int fd)
{
	r->fd = fd;
	r->tokens = per_tick;
	r->waiting = 0;
	memset(r->others, 0, sizeof(r->others));
}

struct gate_record record_new(enum gate_what what, enum gate_why why, uint32_t rule)
{
	return (struct gate_record){ .type = GATE_EVENT, .what = what, .why = why,
				     .rule = rule, .count = 1 };
}

void record_name(struct gate_record *rec, const char *name, size_t n)
{
	if (n >= sizeof(rec->name))
		n = sizeof(rec->name) - 1;
	memcpy(rec->name, name, n);
	memset(rec->name + n, 0, sizeof(rec->name) - n);
}

void record_text(struct gate_record *rec, const char *text, size_t n)
{
	size_t len;

	io_escape(rec->text, sizeof(rec->text), text, n);
	len = strlen(rec->text);
	memset(rec->text + len, 0, sizeof(rec->text) - len);
}

/* What makes two records equal: all but the source port and what is summed up. */
static bool same(const struct gate_record *a, const struct gate_record *b)
{
	return a->what == b->what && a->why == b->why && a->rule == b->rule &&
	       a->error == b->error && a->port == b->port && a->udp == b->udp &&
	       a->has_addr == b->has_addr && memcmp(a->addr, b->addr, 16) == 0 &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->text, b->text) == 0;
}

/* Only to find an equal one fast: if it is the same for many, the search takes longer. */
static uint64_t hash(const struct gate_record *a)
{
	uint64_t h = 14695981039346656037u;
	const uint32_t numbers[] = { a->what, a->why, a->rule, a->error, a->port, a->udp };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		h = (h ^ numbers[i]) * 1099511628211u;
	for (size_t i = 0; i < 16; i++)
		h = (h ^ a->addr[i]) * 1099511628211u;
	for (const char *s = a->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 1099511628211u;
	return h;
}

static void add_up(struct gate_record *to, const struct gate_record *from)
{
	to->count += from->count;
	to->up += from->up;
	to->down += from->down;
	to->ms += from->ms;
}

static bool send_one(struct record *r, const struct gate_record *rec)
{
	if (r->tokens == 0 || send(r->fd, rec, sizeof(*rec), MSG_DONTWAIT | MSG_NOSIGNAL) !=
				      (ssize_t)sizeof(*rec))
		return false;
	r->tokens--;
	return true;
}

void record_add(struct record *r, const struct gate_record *rec)
{
	uint64_t h = hash(rec);
	struct gate_record *other;

	for (uint32_t i = 0; i < r->waiting; i++)
		if (r->slots[i].hash == h && same(&r->slots[i].r, rec)) {
			add_up(&r->slots[i].r, rec);
			return;
		}
	if (send_one(r, rec))
		return;
	if (r->waiting < RECORD_WAITING) {
		r->slots[r->waiting++] = (struct record_slot){ h, *rec };
		return;
	}
	other = &r->others[rec->what < GATE_WHAT_COUNT ? rec->what : 0];
	if (other->count == 0) {
		*other = record_new((enum gate_what)rec->what, (enum gate_why)rec->why,
				    rec->rule);
		other->count = 0;
		record_text(other, "many others", 11);
	}
	/* of different ones nothing is left but their number */
	if (other->rule != rec->rule)
		other->rule = UINT32_MAX;
	add_up(other, rec);
}

void record_tick(struct record *r)
{
	uint32_t sent = 0;

	r->tokens = per_tick;
	while (sent < r->waiting && send_one(r, &r->slots[sent].r))
		sent++;
	r->waiting -= sent;
	memmove(r->slots, r->slots + sent, r->waiting * sizeof(r->slots[0]));
	for (size_t i = 0; i < GATE_WHAT_COUNT; i++)
		if (r->others[i].count > 0 && send_one(r, &r->others[i]))
			r->others[i].count = 0;
}

bool record_waits(const struct record *r)
{
	bool waits = r->waiting > 0;

	for (size_t i = 0; i < GATE_WHAT_COUNT; i++)
		waits = waits || r->others[i].count > 0;
	return waits;
}

void record_flush(struct record *r, int ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLOUT };

	/* each turn sends something, or has waited for room */
	for (int i = 0; record_waits(r) && i < (int)RECORD_WAITING * 2; i++) {
		record_tick(r);
		if (record_waits(r) && poll(&p, 1, ms) <= 0)
			break;
	}
}
