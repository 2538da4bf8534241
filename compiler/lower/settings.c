/*
 * Settings and carried keys: finds their rows, reads what files say about them, and
 * decides which value counts.  claims.c compares the levels.
 */
#include "compiler/lower/settings.h"

#include <stdlib.h>

#include "compiler/ir/value.h"
#include "compiler/lower/claims.h"

static const struct lower_spec specs[] = {
#define SETTING(part, key, type, order, acts, words) \
	{ IR_P_##part, key, LOWER_T_##type, LOWER_O_##order, acts, words },
#include "compiler/lower/settings.def"
#undef SETTING
};

/* --- keys ---------------------------------------------------------------------- */

static bool key_fits(const char *pattern, struct str key)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : 0, tail;

	if (!star)
		return str_eqz(key, pattern);
	tail = strlen(star + 1);
	return key.n > head + tail && memcmp(key.p, pattern, head) == 0 &&
	       memcmp(key.p + key.n - tail, star + 1, tail) == 0;
}

const struct lower_spec *lower_spec(enum ir_part part, struct str key)
{
	for (size_t i = 0; i < POL_LEN(specs); i++)
		if (specs[i].part == part && key_fits(specs[i].key, key))
			return &specs[i];
	return NULL;
}

void lower_no_key(struct lower *l, enum ir_part part, const char *prefix,
		  struct str key, struct span at)
{
	const char *words[POL_LEN(specs)];
	size_t n = 0, skip = strlen(prefix);
	size_t shown = skip && prefix[0] != '*' ? skip - 1 : 0; /* without its final '.' */
	struct diag *d = diag_add(l->sink, DIAG_UNKNOWN_KEY, at,
				  "'%s%s%.*s' has no key '%.*s'", ir_part_name(part),
				  shown ? " " : "", (int)shown, prefix, STR_ARG(key));

	for (size_t i = 0; i < POL_LEN(specs); i++)
		if (specs[i].part == part && !strncmp(specs[i].key, prefix, skip) &&
		    !strpbrk(specs[i].key + skip, part == IR_P_SETTING ? "*" : "*."))
			words[n++] = specs[i].key + skip;
	diag_did_you_mean(l->sink, d, key, words, n);
}

/* Does some row begin with this first word? */
static bool is_closed(struct str key)
{
	const char *dot = key.n ? memchr(key.p, '.', key.n) : NULL;
	size_t n = dot ? (size_t)(dot - key.p) + 1 : 0;

	for (size_t i = 0; n && i < POL_LEN(specs); i++)
		if (specs[i].part == IR_P_SETTING && strlen(specs[i].key) > n &&
		    memcmp(specs[i].key, key.p, n) == 0)
			return true;
	return false;
}

/* Is it words with dots between them? */
static bool is_key(struct str key)
{
	size_t word = 0;

	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];

		if (c == '.' && word == 0)
			return false;
		word = c == '.' ? 0 : word + 1;
		if (c != '.' && c != '_' && c != '-' && !(c >= '0' && c <= '9') &&
		    !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
			return false;
	}
	return word > 0 && key.n <= 255;
}

/* --- what is tighter ------------------------------------------------------------- */

static bool is_same(const struct claim *x, const struct claim *y)
{
	const struct ir_setting *a = x->value, *b = y->value;

	return ir_value_equal(&a->value, &b->value);
}

/*
 * The list, with the items of the claim that it does not yet have; the place is that of
 * the adding statement.
 */
static const void *add(const struct claims *c, const struct claim *x)
{
	const struct ir_setting *old = c->value, *more = x->value;
	struct ir_setting *ret = arena_dup(c->l->a, more, sizeof(*more));
	struct ir_value *list = &ret->value;
	size_t n = old ? old->value.nitems : 0;

	if (old && old->value.type != IR_V_LIST) {
		struct diag *d = diag_add(c->l->sink, DIAG_SETTING_VALUE, x->at.span,
					  "'+=' adds to a list, and '%.*s' is none",
					  STR_ARG(x->name));
		diag_note(c->l->sink, d, c->won->at.span, "its value is set here");
		return NULL;
	}
	*list = (struct ir_value){ .type = IR_V_LIST, .nitems = n };
	list->items = arena_array(c->l->a, n + more->value.nitems + 1,
				  sizeof(*list->items));
	for (size_t i = 0; i < n; i++)
		list->items[i] = old->value.items[i];
	for (size_t i = 0; i < more->value.nitems; i++)
		if (!lower_has(list, &more->value.items[i]))
			list->items[list->nitems++] = more->value.items[i];
	return ret;
}

/*
 * Is the value tighter than an unset one?  For a word, only the tightest is surely tighter
 * than whatever holds then.  A limit always is, because there is none so far.
 */
static bool is_tightest(const struct lower_spec *spec, const struct ir_value *v)
{
	const char *last = strrchr(spec->words, '|');

	return spec->order != LOWER_O_LATER ||
	       str_eqz(v->text, last ? last + 1 : spec->words);
}

static void tighten(struct claims *c, const struct claim *x, const struct ir_lock *by)
{
	const struct lower_spec *spec = &specs[x->row];
	const struct ir_setting *cur = c->value, *s = x->value;
	const char *why = x->append ? "a narrow-only level adds nothing" :
			  spec->order == LOWER_O_NONE ?
				      "a narrow-only level does not say this" :
				      "a narrow-only level only tightens";
	bool tightens = !x->append && spec->order != LOWER_O_NONE &&
			(cur ? lower_is_tighter(spec, &s->value, &cur->value) :
			       is_tightest(spec, &s->value));

	(void)by; /* the lock of a section locks all of its settings */
	if (tightens)
		claims_take(c, x, s);
	else if (s->level < IR_DEFAULT)
		lower_drop(c->l, s->source, why, s->at,
			   (struct ir_place){ .span = SPAN_NONE }, s->level);
}

static const struct claim_kind kind = {
	.name = "setting", .same = is_same, .add = add, .tighten = tighten
};

/* --- reading --------------------------------------------------------------------- */

struct claim *lower_setting(struct lower *l, const struct sema_stmt *t,
			    const struct lower_spec *spec, struct str key, struct span at)
{
	struct ir_setting *s = ARENA_NEW(l->a, struct ir_setting);
	struct claim *x;

	*s = (struct ir_setting){
		.part = spec->part,
		.key = key,
		.acts = spec->acts,
		.level = t->unit->level,
		.id = str_printf(l->a, "%s-%.*s", ir_part_name(spec->part), STR_ARG(key)),
		.at = sema_place(l->s, at),
		.source = t->text,
		.role = t->role,
	};
	x = claim_new(l, &kind, t, s->id, s);
	x->row = (int)(spec - specs);
	x->name = key;
	x->at = s->at;
	return x;
}

static bool is_list(enum lower_type t)
{
	return t == LOWER_T_ANY || t == LOWER_T_LIST || t == LOWER_T_NAMES ||
	       t == LOWER_T_REGEXES;
}

/* The value after `+=` as a list: a single value becomes a list of one. */
static struct ast_value *as_list(struct lower *l, const struct ast_value *v)
{
	struct ast_value *list = arena_dup(l->a, v, sizeof(*v));

	if (v->kind == AST_V_LIST)
		return list;
	*list = (struct ast_value){ .kind = AST_V_LIST, .at = v->at };
	list->items = arena_dup(l->a, v, sizeof(*v));
	list->items->next = NULL;
	return list;
}

void lower_say(struct lower *l, const struct sema_stmt *t, const struct lower_spec *spec,
	       struct str key, const struct ast_stmt *pair, const struct ast_value *v)
{
	struct claim *x = lower_setting(l, t, spec, key, pair->at);
	struct ir_value *value = &((struct ir_setting *)x->value)->value;

	if (!v)
		return; /* was reported when its text was resolved */
	if (pair->append && !is_list(spec->type)) {
		diag_add(l->sink, DIAG_SETTING_VALUE, pair->at,
			 "'+=' adds to a list, and '%.*s' is none", STR_ARG(key));
		return;
	}
	x->append = pair->append;
	x->locked |= pair->locked && t->unit->level <= IR_MANAGED_FILE;
	if (!lower_value(l, spec, key, x->append ? as_list(l, v) : v, value))
		return;
	x->plus = value->type == IR_V_LIST ? "+=" : NULL;
	claim_add(l, x);
}

void lower_read_setting(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_stmt *p = t->stmt;
	const struct lower_spec *spec = lower_spec(IR_P_SETTING, p->name);

	if (!is_key(p->name)) {
		diag_add(l->sink, DIAG_SETTING_KEY, p->name_at,
			 "a key is words with dots between them, not '%.*s'",
			 STR_ARG(p->name));
		return;
	}
	if (!spec && is_closed(p->name)) {
		lower_no_key(l, IR_P_SETTING, "", p->name, p->name_at);
		return;
	}
	lower_say(l, t, spec ? spec : lower_spec(IR_P_SETTING, STR("")), p->name, p,
		  p->values);
}

/* --- which counts ---------------------------------------------------------------- */

static void decide(struct claims *c)
{
	struct ir_setting cur;

	claims_decide(c, NULL);
	if (!c->won)
		return;
	cur = *(const struct ir_setting *)c->value;
	cur.over = arena_array(c->l->a, c->v.n, sizeof(*cur.over));
	for (size_t i = 0; i < c->v.n; i++) {
		const struct claim *x = c->v.v[i];
		struct ir_setting *s = x->value;

		s->locked = x->locked;
		cur.locked |= s->locked && s->level <= cur.level;
		if (s->at.span.off != cur.at.span.off ||
		    s->at.span.file != cur.at.span.file || s->level != cur.level)
			cur.over[cur.nover++] = *s;
	}
	VEC_PUSH(c->l->a, &c->l->ir->settings, cur);
}

/* --- what settings do here ------------------------------------------------------------ */

/* `images` lists the values that `image` may have. */
static void check_image(struct lower *l, const char *runner)
{
	const struct ir_setting *one = ir_setting_find(
		l->ir, IR_P_RUNNER, str_printf(l->a, "%s.image", runner));
	const struct ir_setting *set = ir_setting_find(
		l->ir, IR_P_RUNNER, str_printf(l->a, "%s.images", runner));
	struct diag *d;

	if (!one || !set || lower_has(&set->value, &one->value))
		return;
	d = diag_add(l->sink, DIAG_IMAGE, one->at.span,
		     "the image '%.*s' is not one of '%s images'",
		     STR_ARG(one->value.text), runner);
	diag_note(l->sink, d, set->at.span, "the images are named here");
}

static void check_role(struct lower *l)
{
	const struct ir_setting *s =
		ir_setting_find(l->ir, IR_P_SETTING, STR("agents.allowedRoles"));
	struct ir_value role = { .type = IR_V_TEXT, .text = l->ir->role };
	struct diag *d;

	/* a role that nobody declares was reported elsewhere */
	if (!s || !l->ir->role.n || !sema_has_role(l->s, l->ir->role) ||
	    lower_has(&s->value, &role))
		return;
	d = diag_add(l->sink, DIAG_ROLE_NOT_ALLOWED, s->at.span,
		     "the role '%.*s' (--role) is not one of the allowed roles",
		     STR_ARG(l->ir->role));
	diag_note(l->sink, d, SPAN_NONE, "they are set at level '%s'",
		  ir_level_name(s->level));
}

/* How an ask is answered: the effect for a word of permissions.mode. */
static enum ir_effect answer_of(struct str word)
{
	if (str_eqz(word, "auto-accept"))
		return IR_ALLOW;
	return str_eqz(word, "strict") ? IR_DENY : IR_ASK;
}

static struct ir_scalar answer_scalar(const struct lower *l, const struct ir_setting *s)
{
	struct ir_scalar ret = l->ir->scalars[IR_S_ASK_ANSWER];

	ret.set = true;
	ret.effect = answer_of(s->value.text);
	ret.level = s->level;
	ret.locked = s->locked;
	ret.at = s->at;
	ret.source = s->source;
	ret.role = s->role;
	return ret;
}

static void permissions_mode(struct lower *l)
{
	const struct ir_setting *s =
		ir_setting_find(l->ir, IR_P_SETTING, STR("permissions.mode"));
	struct ir_scalar new;

	if (!s)
		return;
	new = answer_scalar(l, s);
	new.over = arena_array(l->a, s->nover + 1, sizeof(*new.over));
	for (size_t i = 0; i < s->nover; i++)
		new.over[new.nover++] = answer_scalar(l, &s->over[i]);
	l->ir->scalars[IR_S_ASK_ANSWER] = new;
}

/* --- the whole -------------------------------------------------------------------------- */

static int by_part_and_key(const void *x, const void *y)
{
	const struct ir_setting *a = x, *b = y;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return str_cmp(a->key, b->key);
}

void lower_settings(struct lower *l)
{
	claims_each(l, &kind, decide);
	if (l->ir->settings.n > 1)
		qsort(l->ir->settings.v, l->ir->settings.n,
		      sizeof(*l->ir->settings.v), by_part_and_key);
	check_image(l, "container");
	check_image(l, "cloud");
	check_role(l);
	permissions_mode(l);
}
