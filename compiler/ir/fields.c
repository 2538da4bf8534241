/* Places and texts that a member of the IR may hold. */
#include "compiler/ir/fields.h"

bool ir_is_placed(const struct ir_place *p)
{
	return p->file.n && p->line >= 1 && p->col >= 1;
}

bool ir_is_some(struct str s)
{
	return s.n > 0;
}

bool ir_has_no_nul(struct str s)
{
	return !s.n || !memchr(s.p, 0, s.n);
}

bool ir_is_text(struct str s)
{
	return s.n && ir_has_no_nul(s);
}

bool ir_is_path(struct str s)
{
	return ir_is_text(s) && s.p[0] == '/';
}
