/* Decides whether a format of printf also sets variables. */
#include "runtime/line/lang.h"

#include <string.h>

bool lang_printf_counts(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != '%')
			continue;
		while (++i < n && p[i] && strchr("#0- +'123456789.*hjlLtz", p[i]))
			;
		if (i < n && p[i] == 'n')
			return true;
	}
	return false;
}
