/* Host names with libidn2.  What else a host name may be is decided by its readers. */
#include "compiler/base/idna.h"

#include <idn2.h>

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* Letters of ASCII only; libidn2 does the others. */
static struct str in_lower_case(struct arena *a, struct str s)
{
	char *p = arena_dup(a, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	return (struct str){ p, s.n };
}

bool idna_to_ascii(struct arena *a, struct str name, struct str *ret, const char **ret_why)
{
	char *ascii = NULL;
	int err;

	if (is_ascii(name)) {
		*ret = in_lower_case(a, name);
		return true;
	}
	if (memchr(name.p, 0, name.n)) {
		*ret_why = "a name holds no NUL";
		return false;
	}
	/* without STD 3: libidn2 would leave out '*' and the like instead of refusing it */
	err = idn2_to_ascii_8z(str_z(a, name), &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (err != IDN2_OK) {
		*ret_why = arena_printf(a, "libidn2: %s", idn2_strerror(err));
		return false;
	}
	*ret = in_lower_case(a, str_from(ascii));
	idn2_free(ascii);
	return true;
}
