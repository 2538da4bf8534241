/* Decides how the doctor's findings are shown. */
#include "runtime/hooks/hook_say.h"

#include <stdio.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"

void hook_say(struct hook_look *l, enum hook_kind kind, const char *text,
	      const char *more)
{
	static const char *const kinds[] = {
		[HOOK_FINE] = "fine", [HOOK_NOTE] = "note", [HOOK_WRONG] = "wrong"
	};
	char shown[HOOK_SHOWN], line[2 * HOOK_SHOWN + 5000];

	io_plain(shown, sizeof(shown), more);
	(void)snprintf(line, sizeof(line), "%s%s", text, shown);
	if (kind == HOOK_WRONG)
		l->good = false;
	if (!l->json) {
		printf("%s: %s%s\n", hook_agent_name(l->agent),
		       kind == HOOK_NOTE ? "note: " : "", line);
		return;
	}
	json_object(l->json, NULL);
	json_cstr(l->json, "kind", kinds[kind]);
	json_cstr(l->json, "text", line);
	json_object_end(l->json);
}
