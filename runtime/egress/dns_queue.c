/* Decides whose query is answered next, and which are lost (dns_queue.h). */
#include "runtime/egress/dns_queue.h"

#include <string.h>

void dns_queue_init(struct dns_queue *q)
{
	TAILQ_INIT(&q->waiting);
	TAILQ_INIT(&q->free);
	for (uint32_t i = 0; i < DNS_QUEUE_SENDERS; i++)
		TAILQ_INSERT_TAIL(&q->free, &q->v[i], link);
}

static bool is_same(const struct dns_sender *s, int fd, const struct sockaddr_in6 *from,
		    socklen_t from_len)
{
	/* the port is at the same place in both families, and mostly enough */
	return s->from.sin6_port == from->sin6_port && s->fd == fd && s->from_len == from_len &&
	       memcmp(&s->from, from, from_len) == 0;
}

/* A free place, or that of the one that has most. */
static struct dns_sender *new_place(struct dns_queue *q)
{
	struct dns_sender *s = TAILQ_FIRST(&q->free), *most = TAILQ_FIRST(&q->waiting);

	if (s) {
		TAILQ_REMOVE(&q->free, s, link);
		return s;
	}
	TAILQ_FOREACH(s, &q->waiting, link)
		if (s->count > most->count)
			most = s;
	TAILQ_REMOVE(&q->waiting, most, link);
	return most;
}

struct dns_queued *dns_queue_add(struct dns_queue *q, int fd, const struct sockaddr_in6 *from,
				 socklen_t from_len)
{
	struct dns_sender *s;

	TAILQ_FOREACH(s, &q->waiting, link)
		if (is_same(s, fd, from, from_len))
			break;
	if (!s) {
		s = new_place(q);
		s->from = *from;
		s->from_len = from_len;
		s->fd = fd;
		s->first = s->count = 0;
		TAILQ_INSERT_TAIL(&q->waiting, s, link);
	}
	if (s->count == DNS_QUEUE_EACH)
		return NULL;
	s->count++;
	return &q->rings[s - q->v][(s->first + s->count - 1) % DNS_QUEUE_EACH];
}

const struct dns_queued *dns_queue_take(struct dns_queue *q, const struct dns_sender **ret_sender)
{
	struct dns_sender *s = TAILQ_FIRST(&q->waiting);
	const struct dns_queued *p;

	if (!s)
		return NULL;
	p = &q->rings[s - q->v][s->first];
	s->first = (s->first + 1) % DNS_QUEUE_EACH;
	s->count--;
	*ret_sender = s;
	TAILQ_REMOVE(&q->waiting, s, link);
	if (s->count > 0)
		TAILQ_INSERT_TAIL(&q->waiting, s, link);
	else
		TAILQ_INSERT_HEAD(&q->free, s, link); /* its pages are there */
	return p;
}
