/* libevent mentions these functions, and polgate calls none of what uses them: names are
 * resolved by gate_lookup.c.  Defined here, they keep libc's own out of the program, and
 * with them the loading of libraries.  Linked into polgate only. */
#include <netdb.h>
#include <stddef.h>

int getaddrinfo(const char *restrict node, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict ret)
{
	(void)node, (void)service, (void)hints, (void)ret;
	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

struct servent *getservbyname(const char *name, const char *proto)
{
	(void)name, (void)proto;
	return NULL;
}

struct protoent *getprotobynumber(int proto)
{
	(void)proto;
	return NULL;
}
