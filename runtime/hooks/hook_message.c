/* Releases what a message owns. */
#include "runtime/hooks/hook_message.h"

#include <stdlib.h>

#include "runtime/query/query_json.h"

void hook_message_release(struct hook_message *m)
{
	for (size_t i = 0; i < m->nkept; i++)
		free(m->kept[i]);
	free(m->kept);
	free(m->requests);
	if (m->json)
		query_json_release(m->json);
	free(m->json);
	*m = (struct hook_message){ .agent = HOOK_AGENT_COUNT };
}
