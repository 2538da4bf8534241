/* One spelling for each host name; what is none is refused (name.h). */
#include "runtime/egress/name.h"

#include <string.h>

#define LABEL_MAX 63

char egress_host_byte(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
		return (char)c;
	return 0;
}

/* Digits, or "0x" and hex digits (or none): inet_aton() reads both. */
static bool is_number(const char *label, size_t n)
{
	bool hex = n >= 2 && label[0] == '0' && label[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < n; i++)
		if (!(label[i] >= '0' && label[i] <= '9') &&
		    !(hex && label[i] >= 'a' && label[i] <= 'f'))
			return false;
	return true;
}

bool egress_host_name(char *out, const uint8_t *p, size_t n)
{
	char name[EGRESS_NAME_MAX + 1];
	size_t label = 0;

	if (n == 0 || n > EGRESS_NAME_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '.') {
			if (i == label)
				return false;
			label = i + 1;
			name[i] = '.';
			continue;
		}
		name[i] = egress_host_byte(p[i]);
		if (!name[i] || i - label >= LABEL_MAX)
			return false;
	}
	if (label == n || is_number(name + label, n - label))
		return false;
	name[n] = '\0';
	memcpy(out, name, n + 1);
	return true;
}
