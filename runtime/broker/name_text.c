/* Keeps short paths in place, and long ones on the heap. */
#include "runtime/broker/name_text.h"

#include <stdlib.h>
#include <string.h>

void name_text_init(struct name_text *t)
{
	t->s = t->here;
	t->cap = sizeof(t->here);
	t->here[0] = '\0';
}

void name_text_release(struct name_text *t)
{
	if (t->cap && t->s != t->here)
		free(t->s);
	name_text_init(t);
}

bool name_text_room(struct name_text *t, size_t size)
{
	size_t cap;
	char *s;

	if (!t->cap)
		name_text_init(t);
	if (size <= t->cap)
		return true;
	if (size > NAME_TEXT_MOST)
		return false;
	for (cap = t->cap; cap < size;)
		cap *= 2;
	s = t->s == t->here ? malloc(cap) : realloc(t->s, cap);
	if (!s)
		return false;
	if (t->s == t->here)
		memcpy(s, t->here, sizeof(t->here));
	t->s = s;
	t->cap = cap;
	return true;
}
