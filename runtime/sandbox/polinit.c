/*
 * polinit: polrun executes it by descriptor inside the new namespaces, with the number
 * of the status socket as the only argument.  Started from a shell it only says that it
 * is of no use there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/sandbox/init.h"

int main(int argc, char **argv)
{
	char *end = NULL;
	long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
	int type = 0;
	socklen_t len = sizeof(type);

	if (fd < 3 || fd > 1 << 20 || *end || getpid() != 1 ||
	    getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
	    type != SOCK_SEQPACKET) {
		(void)fputs("polinit: started by polrun only\n", stderr);
		return 125;
	}
	return init_main((int)fd);
}
