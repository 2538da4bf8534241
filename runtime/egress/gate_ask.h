/*
 * Questions to a person, through polrun.  Connections that wait for the same answer
 * (rule, name or address, port) are one question.  A question that nobody answers within
 * the policy's time is answered with no; so is one too many.
 */
#ifndef RUNTIME_EGRESS_GATE_ASK_H
#define RUNTIME_EGRESS_GATE_ASK_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "runtime/egress/gate.h"

#define GATE_ASK_AT_ONCE 64

/* Somebody who waits; part of the caller's own struct. */
struct gate_ask_wait {
	LIST_ENTRY(gate_ask_wait) link;
	void (*done)(struct gate_ask_wait *w, bool yes);
	bool waits;
};

struct gate_question_one;

struct gate_ask {
	struct event_base *base;
	int fd; /* the control socket; -1: there is nobody to ask */
	uint32_t hold_ms, last_id, count;
	LIST_HEAD(gate_questions, gate_question_one) questions;
};

void gate_ask_init(struct gate_ask *a, struct event_base *base, int fd, uint32_t hold_ms);
void gate_ask_release(struct gate_ask *a);

/* Asks.  `r` says rule, name, address, port.  False: nobody can be asked; else w->done is
 * called, unless gate_ask_cancel() is called before. */
bool gate_ask_start(struct gate_ask *a, const struct gate_record *r,
		    struct gate_ask_wait *w);
void gate_ask_cancel(struct gate_ask_wait *w);
/* polrun's answer.  An unknown id is one that came too late. */
void gate_ask_answer(struct gate_ask *a, uint32_t id, bool yes);

#endif
