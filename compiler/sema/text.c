/* Small functions on strings and kinds that sema and lower share. */
#include "compiler/sema/internal.h"

#include <stdio.h>

static const struct {
	const char *name;
	int kind;
} sections[AST_SEC_COUNT] = {
	[AST_SEC_COMMAND] = { "command", IR_COMMAND },
	[AST_SEC_FILE] = { "file", IR_FILE },
	[AST_SEC_NETWORK] = { "network", IR_NET },
	[AST_SEC_UNIX] = { "unix", IR_UNIX },
	[AST_SEC_SYSCALL] = { "syscall", IR_SYSCALL },
	[AST_SEC_LIMITS] = { "limits", -1 },
	[AST_SEC_ENV] = { "env", -1 },
	[AST_SEC_AUDIT] = { "audit", -1 },
	[AST_SEC_SESSION] = { "session", -1 },
	[AST_SEC_RUNNER] = { "runner", -1 },
	[AST_SEC_TOOLS] = { "tools", IR_TOOL },
};

const char *sema_section_name(enum ast_section_kind section)
{
	return (unsigned)section < AST_SEC_COUNT ? sections[section].name : "?";
}

int sema_section_kind(enum ast_section_kind section)
{
	return (unsigned)section < AST_SEC_COUNT ? sections[section].kind : -1;
}

bool sema_root_prefix(struct str text, enum ir_root *ret_root, size_t *ret_len)
{
	for (int r = IR_ROOT_HOME; r < IR_ROOT_COUNT; r++) {
		const char *name = ir_root_name((enum ir_root)r);
		size_t n = strlen(name);

		if (text.n < n + 3 || text.p[0] != '$' || text.p[1] != '{' ||
		    memcmp(text.p + 2, name, n) != 0 || text.p[n + 2] != '}')
			continue;
		*ret_root = (enum ir_root)r;
		*ret_len = n + 3;
		return true;
	}
	return false;
}

bool sema_is_escape(struct str text, size_t i)
{
	return text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == '$';
}

bool sema_has_root(struct str text)
{
	enum ir_root root;
	size_t len;

	for (size_t i = 0; i < text.n; i++) {
		if (sema_is_escape(text, i))
			i++;
		else if (sema_root_prefix(str_sub(text, i, text.n - i), &root, &len))
			return true;
	}
	return false;
}

struct str sema_plain(struct arena *a, struct str text)
{
	struct buf b;

	if (!text.n || !memchr(text.p, '\\', text.n))
		return text;
	buf_init(&b, a);
	for (size_t i = 0; i < text.n; i++) {
		if (sema_is_escape(text, i))
			i++;
		buf_ch(&b, text.p[i]);
	}
	return str_dup(a, buf_view(&b));
}

struct ir_place sema_place(const struct sema *s, struct span at)
{
	struct ir_place ret = { .file = STR(""), .span = at };

	if (at.file != SOURCE_NONE) {
		struct source_pos pos = source_locate(s->map, at);

		ret.file = pos.file;
		ret.line = pos.line;
		ret.col = pos.col;
	}
	return ret;
}

struct str sema_dirname(struct str path)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return str_sub(path, 0, n);
}

/* Removes the last component of what has been written; false if there is none, or if it
 * is "..". */
static bool pop_component(struct buf *b, size_t floor)
{
	size_t n = b->n;

	if (n > floor && b->p[n - 1] == '/')
		n--;
	size_t end = n;
	while (n > floor && b->p[n - 1] != '/')
		n--;
	if (end == n || (end - n == 2 && memcmp(b->p + n, "..", 2) == 0))
		return false;
	b->n = n;
	return true;
}

struct str sema_normal(struct arena *a, struct str path)
{
	struct buf b;
	size_t floor = 0;

	buf_init(&b, a);
	if (path.n && path.p[0] == '/') {
		buf_ch(&b, '/');
		floor = 1;
	}
	for (size_t i = 0; i < path.n;) {
		size_t j = i;

		while (j < path.n && path.p[j] != '/')
			j++;
		struct str part = str_sub(path, i, j - i);
		i = j + 1;
		if (part.n == 0 || str_eqz(part, "."))
			continue;
		if (str_eqz(part, "..") && pop_component(&b, floor))
			continue;
		if (b.n > floor && b.p[b.n - 1] != '/')
			buf_ch(&b, '/');
		buf_str(&b, part);
	}
	if (b.n > floor && b.p[b.n - 1] == '/')
		b.n--;
	return str_dup(a, buf_view(&b));
}

struct ast_value *sema_append(struct ast_value ***tail, struct ast_value *v)
{
	v->next = NULL;
	**tail = v;
	*tail = &v->next;
	return v;
}
