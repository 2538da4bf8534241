/* Decides which connections one question to a person stands for. */
#include "runtime/egress/gate_ask.h"

#include <event2/event_struct.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct gate_question_one {
	LIST_ENTRY(gate_question_one) link;
	LIST_HEAD(, gate_ask_wait) waits;
	struct gate_ask *a;
	struct gate_record r; /* `id` is the question's */
	struct event timer;
};

void gate_ask_init(struct gate_ask *a, struct event_base *base, int fd, uint32_t hold_ms)
{
	*a = (struct gate_ask){ .base = base, .fd = fd, .hold_ms = hold_ms };
	LIST_INIT(&a->questions);
}

static void end_question(struct gate_question_one *q, bool yes)
{
	struct gate_ask_wait *w;

	/* first out of the list: what is called may ask anew */
	LIST_REMOVE(q, link);
	q->a->count--;
	(void)event_del(&q->timer);
	while ((w = LIST_FIRST(&q->waits)) != NULL) {
		gate_ask_cancel(w);
		w->done(w, yes);
	}
	free(q);
}

void gate_ask_release(struct gate_ask *a)
{
	while (!LIST_EMPTY(&a->questions)) {
		struct gate_question_one *q = LIST_FIRST(&a->questions);

		while (!LIST_EMPTY(&q->waits))
			gate_ask_cancel(LIST_FIRST(&q->waits));
		end_question(q, false);
	}
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	end_question(arg, false);
}

static bool same(const struct gate_record *a, const struct gate_record *b)
{
	return a->rule == b->rule && a->port == b->port && a->has_addr == b->has_addr &&
	       memcmp(a->addr, b->addr, sizeof(a->addr)) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

static struct gate_question_one *find(const struct gate_ask *a,
				      const struct gate_record *r)
{
	struct gate_question_one *q;

	LIST_FOREACH(q, &a->questions, link)
		if (same(&q->r, r))
			return q;
	return NULL;
}

static struct gate_question_one *ask(struct gate_ask *a, const struct gate_record *r)
{
	struct timeval tv = { a->hold_ms / 1000, (suseconds_t)(a->hold_ms % 1000) * 1000 };
	struct gate_question_one *q;

	if (a->fd < 0 || a->count >= GATE_ASK_AT_ONCE)
		return NULL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->a = a;
	q->r = *r;
	q->r.type = GATE_ASK;
	q->r.id = ++a->last_id;
	LIST_INIT(&q->waits);
	(void)evtimer_assign(&q->timer, a->base, on_timer, q);
	if (event_add(&q->timer, &tv) != 0 ||
	    send(a->fd, &q->r, sizeof(q->r), MSG_DONTWAIT | MSG_NOSIGNAL) !=
		    (ssize_t)sizeof(q->r)) {
		(void)event_del(&q->timer);
		free(q);
		return NULL;
	}
	LIST_INSERT_HEAD(&a->questions, q, link);
	a->count++;
	return q;
}

bool gate_ask_start(struct gate_ask *a, const struct gate_record *r,
		    struct gate_ask_wait *w)
{
	struct gate_question_one *q = find(a, r);

	if (!q)
		q = ask(a, r);
	if (!q)
		return false;
	LIST_INSERT_HEAD(&q->waits, w, link);
	w->waits = true;
	return true;
}

void gate_ask_cancel(struct gate_ask_wait *w)
{
	if (w->waits)
		LIST_REMOVE(w, link);
	w->waits = false;
}

void gate_ask_answer(struct gate_ask *a, uint32_t id, bool yes)
{
	struct gate_question_one *q;

	LIST_FOREACH(q, &a->questions, link)
		if (q->r.id == id)
			break;
	if (q)
		end_question(q, yes);
}
