#include <string.h>

/* TODO: the reviewer should find this one. */
void copy(char *to, const char *from)
{
	strcpy(to, from);
}
