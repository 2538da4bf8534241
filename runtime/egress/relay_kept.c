/* Decides how much memory the bytes have that are looked at. */
#include "runtime/egress/relay_kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { FIRST = 2048 }; /* most hellos and heads are shorter */

static bool grow(struct relay_kept *k, size_t *all)
{
	size_t room = k->room ? k->room * 2 : FIRST;
	uint8_t *p;

	if (room > RELAY_KEPT_MAX)
		room = RELAY_KEPT_MAX;
	if (*all + room - k->room > RELAY_KEPT_ALL)
		return false;
	p = realloc(k->p, room);
	if (!p)
		return false;
	*all += room - k->room;
	k->p = p;
	k->room = room;
	return true;
}

enum relay_kept_result relay_kept_read(struct relay_kept *k, int fd, size_t *all)
{
	ssize_t n;

	if (k->eof || k->n == RELAY_KEPT_MAX)
		return KEPT_NONE;
	if (k->n == k->room && !grow(k, all))
		return KEPT_FULL;
	do
		n = recv(fd, k->p + k->n, k->room - k->n, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? KEPT_NONE : KEPT_BROKEN;
	k->eof = n == 0;
	k->n += (size_t)n;
	return KEPT_MORE;
}

void relay_kept_release(struct relay_kept *k, size_t *all)
{
	*all -= k->room;
	free(k->p);
	k->p = NULL;
	k->n = k->room = k->pass = 0;
}

void relay_kept_sent(struct relay_kept *k, size_t n, size_t *all)
{
	k->n -= n;
	k->pass -= n;
	if (k->n == 0)
		relay_kept_release(k, all);
	else
		memmove(k->p, k->p + n, k->n);
}
