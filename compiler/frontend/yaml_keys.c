/* The table of keys, their spellings, and suggestions for misspelled keys. */
#include "compiler/frontend/yaml_keys.h"

#include "compiler/base/buf.h"
#include "compiler/base/vec.h"
#include "compiler/diag/diag.h"
#include "compiler/frontend/dsl_start.h"

/* FLAGS of the table: flags, classes, and the classes that need the key. */
#define CLASS_SHIFT 8
#define MUST_SHIFT 32
#define LOCKABLE YML_LOCKABLE
#define APPEND YML_APPEND
#define REPEATS YML_REPEATS
#define NEEDED YML_NEEDED
#define OWN YML_OWN
#define OF(c) ((uint64_t)YML_C_##c << CLASS_SHIFT)
#define HEAD(c) (YML_HEAD | OF(c))
#define MUST(c) (OF(c) | (uint64_t)YML_C_##c << MUST_SHIFT)

const struct yml_key yml_keys[] = {
#define SCOPE(name, doc)
#define KEY(scope, name, type, sub, flags, fn, arg, doc)          \
	{YML_S_##scope,                                           \
	 name,                                                    \
	 YML_T_##type,                                            \
	 YML_S_##sub,                                             \
	 (unsigned)((uint64_t)(flags)&0xff),                      \
	 (unsigned)((uint64_t)(flags) >> CLASS_SHIFT & 0xffffff), \
	 (unsigned)((uint64_t)(flags) >> MUST_SHIFT),             \
	 YML_DO_##fn,                                             \
	 arg,                                                     \
	 doc},
#define WORD(set, word, meaning)
#include "grammar/yaml_keys.def"
#undef SCOPE
#undef KEY
#undef WORD
};
const size_t yml_nkeys = POL_LEN(yml_keys);

static const char *const scope_docs[YML_SCOPES] = {
	[YML_S_NONE] = "",
#define SCOPE(name, doc) [YML_S_##name] = doc,
#define KEY(scope, name, type, sub, flags, fn, arg, doc)
#define WORD(set, word, meaning)
#include "grammar/yaml_keys.def"
#undef SCOPE
#undef KEY
#undef WORD
};

const struct yml_word yml_words[] = {
#define SCOPE(name, doc)
#define KEY(scope, name, type, sub, flags, fn, arg, doc)
#define WORD(set, word, meaning) {YML_W_##set, word, meaning},
#include "grammar/yaml_keys.def"
#undef SCOPE
#undef KEY
#undef WORD
};
const size_t yml_nwords = POL_LEN(yml_words);

const char *yml_scope_doc(enum yml_scope scope)
{
	return scope_docs[scope];
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

const char *yml_camel(struct arena *a, const char *name)
{
	struct buf b;

	buf_init(&b, a);
	for (const char *p = name; *p; p++) {
		if (*p == '-' && p[1] >= 'a' && p[1] <= 'z')
			buf_ch(&b, (char)(*++p - 'a' + 'A'));
		else
			buf_ch(&b, *p);
	}
	return str_z(a, buf_view(&b));
}

/* Adjacent capitals are one word: memoryMB becomes memory_mb. */
const char *yml_snake(struct arena *a, const char *name)
{
	struct buf b;

	buf_init(&b, a);
	for (const char *p = name; *p; p++) {
		if (is_upper(*p) && p > name && !is_upper(p[-1]))
			buf_ch(&b, '_');
		if (*p == '-')
			buf_ch(&b, '_');
		else
			buf_ch(&b, is_upper(*p) ? (char)(*p - 'A' + 'a') : *p);
	}
	return str_z(a, buf_view(&b));
}

/* Scope and spelling as one text. */
static struct str slot_of(char *to, size_t size, enum yml_scope scope, struct str name)
{
	to[0] = (char)('!' + scope);
	if (name.n > size - 1)
		name.n = size - 1;
	memcpy(to + 1, name.p, name.n);
	return (struct str){to, name.n + 1};
}

#define MAX_KEY 64u

void yml_index(struct map *m, struct arena *a)
{
	map_init(m, a);
	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];
		const char *spellings[] = {k->name, yml_camel(a, k->name),
					   yml_snake(a, k->name)};
		char slot[MAX_KEY];

		for (size_t s = 0; s < POL_LEN(spellings); s++)
			map_put(m,
				str_dup(a, slot_of(slot, sizeof(slot), k->scope,
						   str_from(spellings[s]))),
				(void *)k);
	}
}

const struct yml_key *yml_find(const struct map *m, enum yml_scope scope,
			       struct str name)
{
	char slot[MAX_KEY];

	if (name.n >= MAX_KEY - 1)
		return NULL;
	return map_get(m, slot_of(slot, sizeof(slot), scope, name));
}

const struct yml_key *yml_key_of(enum yml_scope scope, enum yml_reader read, int arg)
{
	for (size_t i = 0; i < yml_nkeys; i++)
		if (yml_keys[i].scope == scope && yml_keys[i].read == read &&
		    yml_keys[i].arg == arg)
			return &yml_keys[i];
	return NULL;
}

const char *yml_suggest(struct arena *a, enum yml_scope scope, struct str name)
{
	const char **words = arena_array(a, 2 * yml_nkeys, sizeof(*words));
	size_t n = 0;

	for (size_t i = 0; i < yml_nkeys; i++) {
		if (yml_keys[i].scope != scope)
			continue;
		words[n++] = yml_keys[i].name;
		words[n++] = memchr(name.p, '_', name.n)
				     ? yml_snake(a, yml_keys[i].name)
				     : yml_camel(a, yml_keys[i].name);
	}
	return diag_suggest(name, words, n);
}
