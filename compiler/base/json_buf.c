/* Decides where the JSON writer's output goes in polc, and how it spells texts. */
#include "compiler/base/json_buf.h"

static void put(void *to, const char *s, size_t len)
{
	buf_add(to, s, len);
}

void json_buf_init(struct json *j, struct buf *b)
{
	json_init_put(j, put, b);
	j->layout = JSON_TIGHT;
	j->text = JSON_SHORT;
}

void json_buf_str(struct json *j, const char *key, struct str s)
{
	json_str(j, key, s.p, s.n);
}

void buf_json(struct buf *b, struct str s)
{
	struct json j;

	json_buf_init(&j, b);
	json_buf_str(&j, NULL, s);
}
