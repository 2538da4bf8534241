/*
 * What polgate reports: each connection that ended, each thing that was refused.  A
 * command that makes a million refused connections must not make a million messages: at
 * most RECORD_RATE leave in a second.  The others wait and are merged with equal ones, so
 * that counts and bytes are kept.  When even the different ones are too many, they are
 * counted by what they are, without name and address.
 */
#ifndef RUNTIME_EGRESS_GATE_RECORD_H
#define RUNTIME_EGRESS_GATE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/egress/gate.h"

#define RECORD_RATE 400u    /* messages in a second */
#define RECORD_TICK_MS 50u
#define RECORD_WAITING 256u /* different ones that wait */

struct record_slot {
	uint64_t hash;
	struct gate_record r;
};

struct record {
	int fd; /* non-blocking SOCK_SEQPACKET */
	uint32_t tokens, waiting;
	struct record_slot slots[RECORD_WAITING];
	struct gate_record others[GATE_WHAT_COUNT]; /* count 0: none */
};

void record_init(struct record *r, int fd);
/* A record of this kind, for the caller to fill in. */
struct gate_record record_new(enum gate_what what, enum gate_why why, uint32_t rule);
/* The host name, cut if it is too long; `text` is escaped. */
void record_name(struct gate_record *rec, const char *name, size_t n);
void record_text(struct gate_record *rec, const char *text, size_t n);
/* Sends the record or keeps it for a later record_tick(). */
void record_add(struct record *r, const struct gate_record *rec);
/* To be called every RECORD_TICK_MS: sends what waits, as far as the rate allows. */
void record_tick(struct record *r);
/* Does something wait? */
bool record_waits(const struct record *r);
/* At the end: sends everything that waits, at most for `ms`. */
void record_flush(struct record *r, int ms);

#endif
