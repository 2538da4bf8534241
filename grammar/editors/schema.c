/*
 * Writes grammar/yaml_keys.def as a JSON Schema (draft 7) for editors, to standard
 * output.  Editors read scalars as YAML 1.2 does, so a number or a boolean may stand
 * where a text is wanted.  doc/yaml.md says what the schema cannot express.
 */
#include <json-c/json.h>
#include <stdio.h>

#include "compiler/ast/ast.h"
#include "compiler/base/vec.h"
#include "compiler/frontend/yaml_keys.h"

#define NAME "[A-Za-z_][A-Za-z0-9_.-]*"

static struct arena arena;

/* --- small pieces ----------------------------------------------------- */

static struct json_object *object(void)
{
	return json_object_new_object();
}

static struct json_object *string(const char *z)
{
	return json_object_new_string(z);
}

/* Adds a member and returns the object, so that pieces nest. */
static struct json_object *with(struct json_object *o, const char *key,
				struct json_object *v)
{
	json_object_object_add(o, key, v);
	return o;
}

static struct json_object *list(void)
{
	return json_object_new_array();
}

static struct json_object *push(struct json_object *l, struct json_object *v)
{
	json_object_array_add(l, v);
	return l;
}

static struct json_object *any_of(struct json_object *a, struct json_object *b)
{
	return with(object(), "anyOf", push(push(list(), a), b));
}

static struct json_object *ref(const char *name)
{
	return with(object(), "$ref",
		    string(arena_printf(&arena, "#/definitions/%s", name)));
}

static struct json_object *array_of(struct json_object *items, bool empty)
{
	struct json_object *o = with(object(), "type", string("array"));

	with(o, "items", items);
	return empty ? o : with(o, "minItems", json_object_new_int(1));
}

static struct json_object *pattern(const char *p)
{
	return with(with(object(), "type", string("string")), "pattern", string(p));
}

static struct json_object *words(const char *const *v, size_t n)
{
	struct json_object *l = list();

	for (size_t i = 0; i < n; i++)
		push(l, string(v[i]));
	return with(object(), "enum", l);
}

/* --- scalars, by type --------------------------------------------------- */

static struct json_object *scalar_definition(void)
{
	struct json_object *types = list();

	push(push(push(types, string("string")), string("number")), string("boolean"));
	return with(object(), "type", types);
}

static struct json_object *pol_definition(void)
{
	struct json_object *o = with(object(), "type", string("object"));

	with(o, "properties",
	     with(object(), "pol", with(object(), "type", string("string"))));
	with(o, "required", push(list(), string("pol")));
	return with(o, "additionalProperties", json_object_new_boolean(false));
}

/* A name that is not a reserved word; `true` and `false` are names too. */
static struct json_object *word_definition(void)
{
	static const struct {
		const char *word;
		char class;
	} all[] = {
#define KW(token, spelling, class, group, doc) {spelling, #class[0]},
#include "grammar/keywords.def"
#undef KW
	};
	struct json_object *reserved = list();

	for (size_t i = 0; i < POL_LEN(all); i++)
		if (all[i].class == 'R')
			push(reserved, string(all[i].word));
	return any_of(
		with(object(), "type", string("boolean")),
		with(pattern("^" NAME "$"), "not", with(object(), "enum", reserved)));
}

static struct json_object *number(void)
{
	return any_of(with(with(object(), "type", string("number")), "minimum",
			   json_object_new_int(0)),
		      pattern("^(0x[0-9A-Fa-f]+|(0|[1-9][0-9]*)(\\.[0-9]+)?"
			      "(K|M|G|T|k|m|g|t|ms|s|h|d|%)?)$"));
}

static struct json_object *port(void)
{
	return any_of(with(with(object(), "type", string("integer")), "minimum",
			   json_object_new_int(0)),
		      pattern("^((0|[1-9][0-9]*)|[0-9]+-[0-9]+)$"));
}

static struct json_object *boolean(void)
{
	static const char *const v[] = {"true", "false"};

	return any_of(with(object(), "type", string("boolean")), words(v, POL_LEN(v)));
}

static struct json_object *choice(int set)
{
	struct json_object *l = list();

	for (size_t i = 0; i < yml_nwords; i++) {
		const char *w = yml_words[i].word;

		if ((int)yml_words[i].set != set)
			continue;
		push(l, string(w));
		if (strcmp(yml_camel(&arena, w), w))
			push(l, string(yml_camel(&arena, w)));
		if (strcmp(yml_snake(&arena, w), w))
			push(l, string(yml_snake(&arena, w)));
		if (strcmp(w, "true") == 0 || strcmp(w, "false") == 0)
			push(l, json_object_new_boolean(w[0] == 't'));
	}
	return with(object(), "enum", l);
}

/* One value; for plurals also a list of values that is not empty. */
static struct json_object *one_or_more(struct json_object *one,
				       struct json_object *item)
{
	return any_of(one, array_of(item, false));
}

/* --- values, by type ------------------------------------------------------- */

static struct json_object *value_of(const struct yml_key *k);

/* The value of each NAME under a key that gives names. */
static struct json_object *named_value(const struct yml_key *k)
{
	switch ((int)k->sub) {
	case YML_S_FILE:
		return ref("part");
	case YML_S_TOOL:
		return any_of(ref("TOOL"), array_of(ref("TOOL"), true));
	case YML_S_TEST:
		return any_of(any_of(ref("scalar"), array_of(ref("scalar"), true)),
			      ref("TEST"));
	case YML_S_ALERT:
		return ref("ALERT");
	default:
		return strcmp(k->name, "group") ? ref("any") : ref("values");
	}
}

static struct json_object *names(const struct yml_key *k)
{
	static const char *const plain[] = {"let", "role", "alert"};
	struct json_object *o = with(object(), "type", string("object"));

	for (size_t i = 0; i < POL_LEN(plain); i++)
		if (strcmp(k->name, plain[i]) == 0)
			with(o, "propertyNames", pattern("^" NAME "$"));
	if (strcmp(k->name, "group") == 0)
		with(o, "propertyNames", pattern("^" NAME "$"));
	return with(o, "additionalProperties", named_value(k));
}

static struct json_object *items(const char *scope)
{
	return any_of(ref(scope), array_of(ref(scope), true));
}

static const char *scope_name(enum yml_scope scope)
{
	static const char *const v[] = {
		[YML_S_NONE] = "",
#define SCOPE(name, doc) [YML_S_##name] = #name,
#define KEY(scope, name, type, sub, flags, fn, arg, doc)
#define WORD(set, word, meaning)
#include "grammar/yaml_keys.def"
#undef SCOPE
#undef KEY
#undef WORD
	};

	return v[scope];
}

/* Sections that are either a list of statements or a mapping of something else. */
static struct json_object *mixed(const struct yml_key *k)
{
	struct json_object *map;

	if (k->type == YML_T_NETWORK)
		return any_of(any_of(ref("word"), ref("NETMODE")),
			      array_of(ref("NET"), true));
	map = with(object(), "type", string("object"));
	switch ((int)k->type) {
	case YML_T_ENV:
		with(map, "propertyNames", pattern("^" NAME "$"));
		with(map, "additionalProperties", ref("text"));
		return any_of(map, array_of(ref("ENV"), true));
	case YML_T_TOOLS:
		return any_of(with(map, "additionalProperties", ref("TOOLMETA")),
			      array_of(ref("TOOLS"), true));
	default: /* YML_T_RUNNER */
		with(map, "properties",
		     with(with(with(object(), "mode", ref("word")), "locked mode",
			       ref("word")),
			  "pol", ref("dsl")));
		with(map, "additionalProperties", items("BLOCK"));
		return any_of(map, array_of(ref("RUNNER"), true));
	}
}

static struct json_object *effect(void)
{
	static const char *const v[] = {"allow", "ask", "deny"};

	return words(v, POL_LEN(v));
}

static struct json_object *ops(void)
{
	static const char *const v[] = {"read", "write", "exec"};

	return one_or_more(words(v, POL_LEN(v)), words(v, POL_LEN(v)));
}

static struct json_object *risk_map(void)
{
	struct json_object *o = with(object(), "type", string("object"));

	with(o, "minProperties", json_object_new_int(1));
	return any_of(effect(), with(o, "additionalProperties", effect()));
}

/* The schema of a value without its alternative {pol: …}. */
static struct json_object *simple_value(const struct yml_key *k)
{
	switch ((int)k->type) {
	case YML_T_TEXT:
		return ref("scalar");
	case YML_T_WORD:
		return ref("word");
	case YML_T_NUMBER:
		return number();
	case YML_T_DATE:
		return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
	case YML_T_PORTS:
		return port();
	default:
		return ref("scalar");
	}
}

/* May only a word or a number stand here, because the language takes nothing else? */
static bool is_strict(const struct yml_key *k)
{
	return (k->type == YML_T_WORD || k->type == YML_T_DATE ||
		k->type == YML_T_NUMBER) &&
	       (k->flags & YML_HEAD || k->classes || k->scope == YML_S_ALERT ||
		k->scope == YML_S_POLICY || k->scope == YML_S_NETMODE) &&
	       !(k->scope == YML_S_POLICY && strcmp(k->name, "name"));
}

/* Lists of configuration files that may be empty; then they name nothing. */
static bool may_be_empty(const struct yml_key *k)
{
	static const enum yml_scope scopes[] = {
		YML_S_SANDBOX,   YML_S_DOCKER,     YML_S_OVERRIDES, YML_S_CLOUD,
		YML_S_WORKSPACE, YML_S_FILESYSTEM, YML_S_NETMODE,   YML_S_AGENTS,
	};

	for (size_t i = 0; i < POL_LEN(scopes); i++)
		if (k->scope == scopes[i])
			return true;
	return k->scope == YML_S_FILE &&
	       (k->type == YML_T_HOSTS || k->type == YML_T_PORTS);
}

/* A list of values; for an option that may be repeated also a list of such lists. */
static struct json_object *lists(const struct yml_key *k)
{
	bool again = k->classes && !(k->flags & YML_HEAD) &&
		     yml_is_repeatable((enum ast_opt_kind)k->arg, k->type);
	struct json_object *one =
		array_of(any_of(simple_value(k), ref("pol")), may_be_empty(k));

	return again ? any_of(one, array_of(array_of(any_of(simple_value(k), ref("pol")),
						     false), false)) : one;
}

static struct json_object *value_of(const struct yml_key *k)
{
	const char *sub = scope_name(k->sub);

	switch ((int)k->type) {
	case YML_T_BOOL:
		return boolean();
	case YML_T_EFFECT:
		return effect();
	case YML_T_OPS:
		return ops();
	case YML_T_EXPR:
		return ref("scalar");
	case YML_T_DSL:
		return ref("dsl");
	case YML_T_DEFAULT_RISK:
		return risk_map();
	case YML_T_CHOICE:
		return choice(k->arg);
	case YML_T_CHOICES:
		return one_or_more(choice(k->arg), choice(k->arg));
	case YML_T_MAP:
	case YML_T_RISKS:
		return ref(sub);
	case YML_T_ITEMS:
	case YML_T_PAIRS:
	case YML_T_BODY:
	case YML_T_MAPS:
	case YML_T_SESSION:
		return items(sub);
	case YML_T_NAMED:
		return names(k);
	case YML_T_SETTINGS:
		return with(object(), "type", string("object"));
	case YML_T_NETWORK:
	case YML_T_ENV:
	case YML_T_RUNNER:
	case YML_T_TOOLS:
		return mixed(k);
	case YML_T_WORDS:
		return any_of(any_of(ref("word"), ref("pol")),
			      array_of(any_of(ref("word"), ref("pol")), false));
	default:
		break;
	}
	if (is_strict(k))
		return simple_value(k);
	if (!yml_is_plural(k->type))
		return any_of(simple_value(k), ref("pol"));
	return any_of(any_of(simple_value(k), ref("pol")), lists(k));
}

/* --- mappings ----------------------------------------------------------------- */

/* All spellings of a key, with its marks. */
static size_t spellings(const struct yml_key *k, const char *out[12])
{
	const char *plain[] = {k->name, yml_camel(&arena, k->name),
			       yml_snake(&arena, k->name)};
	size_t n = 0, once = 0;

	for (size_t i = 0; i < POL_LEN(plain); i++) {
		bool known = false;

		for (size_t j = 0; j < n; j++)
			known |= strcmp(out[j], plain[i]) == 0;
		if (!known)
			out[n++] = plain[i];
	}
	once = n;
	for (size_t i = 0; i < once; i++) {
		if (k->flags & YML_LOCKABLE)
			out[n++] = arena_printf(&arena, "locked %s", out[i]);
		if (k->flags & YML_APPEND)
			out[n++] = arena_printf(&arena, "%s +=", out[i]);
		if ((k->flags & YML_LOCKABLE) && (k->flags & YML_APPEND))
			out[n++] = arena_printf(&arena, "locked %s +=", out[i]);
	}
	return n;
}

static struct json_object *required(const char *name)
{
	return with(object(), "required", push(list(), string(name)));
}

/* For "one of the heads of these classes must be there". */
static struct json_object *head_of(enum yml_scope scope, unsigned classes)
{
	struct json_object *l = list();
	const char *v[12];

	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];
		size_t n;

		if (k->scope != scope || !(k->flags & YML_HEAD) ||
		    !(k->classes & classes))
			continue;
		n = spellings(k, v);
		for (size_t s = 0; s < n; s++)
			push(l, required(v[s]));
	}
	return l;
}

/* An option demands one of its heads; a head demands the options that it needs. */
static void add_dependencies(struct json_object *to, const struct yml_key *k)
{
	struct json_object *all = list();
	const char *v[12];
	size_t n = spellings(k, v);

	if (!(k->flags & YML_HEAD)) {
		for (size_t s = 0; s < n; s++)
			with(to, v[s],
			     with(object(), "anyOf", head_of(k->scope, k->classes)));
		json_object_put(all);
		return;
	}
	for (size_t i = 0; i < yml_nkeys; i++)
		if (yml_keys[i].scope == k->scope && (yml_keys[i].must & k->classes))
			push(all, string(yml_keys[i].name));
	for (size_t s = 0; s < n && json_object_array_length(all); s++)
		with(to, v[s], json_object_get(all));
	if (k->scope == YML_S_NET && strcmp(k->name, "effect") == 0)
		with(to, k->name, any_of(required("proto"), required("port")));
	json_object_put(all);
}

static struct json_object *properties(enum yml_scope scope,
				      struct json_object *dependencies,
				      struct json_object *needed)
{
	struct json_object *o = object();
	const char *v[12];

	for (size_t i = 0; i < yml_nkeys; i++) {
		const struct yml_key *k = &yml_keys[i];
		size_t n;

		if (k->scope != scope)
			continue;
		n = spellings(k, v);
		for (size_t s = 0; s < n; s++)
			with(o, v[s], with(value_of(k), "description", string(k->doc)));
		if (k->flags & YML_NEEDED)
			push(needed, string(k->name));
		if (k->classes)
			add_dependencies(dependencies, k);
	}
	return o;
}

static struct json_object *scope_definition(enum yml_scope scope)
{
	struct json_object *o = with(object(), "type", string("object"));
	struct json_object *needed = list(), *dependencies = object();
	struct json_object *heads = head_of(scope, ~0u);

	with(o, "description", string(yml_scope_doc(scope)));
	with(o, "properties", properties(scope, dependencies, needed));
	with(o, "additionalProperties", json_object_new_boolean(false));
	if (json_object_array_length(needed))
		with(o, "required", json_object_get(needed));
	if (json_object_object_length(dependencies))
		with(o, "dependencies", json_object_get(dependencies));
	/* a rate of a session stands in a list beside pairs */
	if (json_object_array_length(heads) && scope != YML_S_SESSION)
		with(o, "oneOf", json_object_get(heads));
	json_object_put(needed);
	json_object_put(dependencies);
	json_object_put(heads);
	if (scope == YML_S_NETMODE)
		with(o, "oneOf",
		     push(push(list(), required("mode")), required("enabled")));
	return o;
}

static struct json_object *definitions(void)
{
	struct json_object *o = object();

	with(o, "scalar", scalar_definition());
	with(o, "pol", pol_definition());
	with(o, "word", word_definition());
	with(o, "text", any_of(ref("scalar"), ref("pol")));
	with(o, "values", one_or_more(ref("text"), ref("text")));
	with(o, "dsl", any_of(ref("scalar"), array_of(ref("dsl"), true)));
	with(o, "any", with(object(), "not", with(object(), "type", string("null"))));
	with(o, "part", any_of(ref("FILE"), array_of(ref("FILE"), true)));
	for (int s = YML_S_NONE + 1; s < YML_SCOPES; s++)
		with(o, scope_name((enum yml_scope)s),
		     scope_definition((enum yml_scope)s));
	return o;
}

int main(void)
{
	struct json_object *o = object();
	const char *text;

	arena_init(&arena, ARENA_DEFAULT_BUDGET);
	with(o, "$schema", string("http://json-schema.org/draft-07/schema#"));
	with(o, "title", string("A policy of polc in YAML"));
	with(o, "anyOf",
	     push(push(list(), ref("part")), with(object(), "type", string("null"))));
	with(o, "definitions", definitions());
	text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_PRETTY_TAB |
			   JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (fputs(text, stdout) == EOF || fputc('\n', stdout) == EOF || fflush(stdout))
		return 1;
	json_object_put(o);
	arena_release(&arena);
	return 0;
}
