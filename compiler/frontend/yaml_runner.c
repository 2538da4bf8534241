/* The section `runner`: routes, and the runners with what is known of each. */
#include "compiler/frontend/yaml_internal.h"

#define B (y->b)

void yml_do_route(struct yml *y, const struct yml_entry *e)
{
	struct ast_value *classes = yml_values(y, YML_T_WORDS, e->value);
	const struct yml_node *to = yml_part(e, "to"), *other = yml_part(e, "else");
	enum ast_effect effect = AST_ALLOW;
	struct str name;

	if (!yml_word(y, to, &name) || (other && !yml_effect(y, other, &effect)) ||
	    !classes)
		return;
	yml_add(y, AST_STMT(B, AST_ROUTE, e->node->at, .name = name, .name_at = to->at,
			    .values = classes, .has_else = other != NULL,
			    .effect = effect, .locked = e->locked));
}

static void add_block(struct yml *y, struct span at, const struct yml_node *name,
		      const struct yml_node *body, bool locked)
{
	struct ast_stmts outer = y->out, inner;
	struct str text;

	y->out = (struct ast_stmts){ 0 };
	yml_read_maps(y, body, YML_S_BLOCK);
	inner = y->out;
	y->out = outer;
	if (yml_word(y, name, &text))
		yml_add(y,
			AST_STMT(B, AST_RUNNER, at, .name = text, .name_at = name->at,
				 .body = inner.head, .locked = locked));
}

void yml_do_block(struct yml *y, const struct yml_entry *e)
{
	add_block(y, e->node->at, e->value, yml_part(e, "body"), e->locked);
}

/* `mode: …` and NAME: BODY for each runner. */
void yml_read_runner(struct yml *y, const struct yml_node *n)
{
	struct map seen;

	map_init(&seen, y->a);
	for (const struct yml_item *i = n->items; i && !yml_stop(y); i = i->next) {
		struct str name = i->key->text;
		struct yml_node key = *i->key;
		struct yml_entry e = { .name = i->key,
				       .value = i->value,
				       .node = n,
				       .at = yml_join(i->key, i->value) };

		if (yml_is_second(y, &seen, i->key))
			continue;
		if (str_starts(name, STR("locked "))) {
			e.locked = true;
			key.text = name = str_sub(name, 7, name.n - 7);
		}
		if (e.locked && str_eqz(name, "pol")) {
			diag_add(y->sink, DIAG_YAML_PLACE, i->key->at,
				 "'locked' cannot stand with 'pol'");
		} else if (str_eqz(name, "mode")) {
			if (yml_word(y, i->value, &name))
				yml_add(y, AST_STMT(B, AST_MODE, e.at, .name = name,
						    .name_at = i->value->at,
						    .locked = e.locked));
		} else if (str_eqz(name, "pol")) {
			e.key = yml_find(&y->keys, YML_S_RUNNER, name);
			yml_do_dsl(y, &e);
		} else {
			add_block(y, e.at, &key, i->value, e.locked);
		}
	}
}
