/* Looks at the run's listening sockets, and decides when to speak of one. */
#include "runtime/supervise/unpublished.h"

#define EVERY_MS 2000  /* between two looks: a port that is told was there at two of them */
#define LATER_MS 10000 /* when the run is older: programs that serve have begun by then */
#define FIRST_LOOKS 60
#define FIRST_PORT 1024    /* below, the run's programs may not listen: the gateway does */
#define FIRST_CHOSEN 32768 /* from here on the kernel chooses ports */

static bool is_over(const struct unpublished *u)
{
	return u->told || !u->say || (u->inside.fd4 < 0 && u->inside.fd6 < 0);
}

void unpublished_open(struct unpublished *u, pid_t pid)
{
	if (u->say)
		listening_open(&u->inside, pid);
}

int unpublished_wait(const struct unpublished *u, uint64_t now_ms, int ms)
{
	uint64_t until;

	if (is_over(u))
		return ms;
	until = u->next_ms > now_ms ? u->next_ms - now_ms : 0;
	return ms < 0 || until < (uint64_t)ms ? (int)until : ms;
}

/* The first port of both looks, or 0. */
static uint16_t stays(const struct unpublished *u, const struct ports *now)
{
	for (uint32_t port = FIRST_PORT; port < FIRST_CHOSEN; port++)
		if (ports_has(now, (uint16_t)port) && ports_has(&u->seen, (uint16_t)port) &&
		    !ports_has(&u->quiet, (uint16_t)port))
			return (uint16_t)port;
	return 0;
}

void unpublished_look(struct unpublished *u, uint64_t now_ms)
{
	struct ports now = { 0 };

	if (is_over(u) || now_ms < u->next_ms)
		return;
	u->looks++;
	u->next_ms = now_ms + (u->looks < FIRST_LOOKS ? EVERY_MS : LATER_MS);
	listening_look(&u->inside, &now);
	u->port = stays(u, &now);
	u->seen = now;
	if (u->port)
		u->told = u->say(u->arg, u->port);
	if (u->told)
		listening_close(&u->inside);
}
