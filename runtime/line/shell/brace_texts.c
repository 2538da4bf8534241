/* Memory and steps for the texts that braces expand to. */
#include "runtime/line/shell/brace_texts.h"

bool shell_brace_work(struct shell *s, size_t n)
{
	if (s->brace_work < n) {
		s->brace_work = 0;
		return shell_limit(s, "the braces of the line are too many");
	}
	s->brace_work -= (uint32_t)n;
	return true;
}

/* Memory until the word is done, from the far end of the block. */
void *shell_brace_scratch(struct shell *s, size_t n)
{
	n = (n + 7) & ~(size_t)7;
	if ((size_t)(s->mem_end - s->mem) < n) {
		shell_bytes(s, n);
		return NULL;
	}
	s->mem_end -= n;
	return s->mem_end;
}

bool shell_brace_make(struct shell *s, size_t n, struct texts *ret)
{
	*ret = (struct texts){ .n = 0 };
	ret->v = shell_brace_scratch(s, (n < MAX_WORDS ? n : MAX_WORDS) * sizeof(*ret->v));
	return ret->v != NULL;
}
