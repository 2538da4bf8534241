/*
 * Which value of a setting or carried key counts (semantics 3.2): from level
 * 5 to level 1 a plain value replaces and `+=` adds to the list; a narrow-only
 * level only tightens, and what a managed level locked nobody below may say.
 */
#include "compiler/lower/internal.h"

#include <stdlib.h>

#include "compiler/ir/value.h"

static const struct lower_spec specs[] = {
#define SETTING(part, key, type, order, acts, words) \
	{ IR_P_##part, key, LOWER_T_##type, LOWER_O_##order, acts, words },
#include "compiler/lower/settings.def"
#undef SETTING
};

/* A key that this version knows nothing of: an agent reads it. */
static const struct lower_spec free_setting = {
	IR_P_SETTING, "", LOWER_T_ANY, LOWER_O_NONE, false, ""
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
	const char *words[POL_LEN(specs)], *near;
	size_t n = 0, skip = strlen(prefix);
	size_t shown = skip && prefix[0] != '*' ? skip - 1 : 0; /* without its '.' */
	struct diag *d = diag_add(l->sink, DIAG_UNKNOWN_KEY, at,
				  "'%s%s%.*s' has no key '%.*s'", ir_part_name(part),
				  shown ? " " : "", (int)shown, prefix, STR_ARG(key));

	for (size_t i = 0; i < POL_LEN(specs); i++)
		if (specs[i].part == part && !strncmp(specs[i].key, prefix, skip) &&
		    !strpbrk(specs[i].key + skip, part == IR_P_SETTING ? "*" : "*."))
			words[n++] = specs[i].key + skip;
	near = diag_suggest(key, words, n);
	if (near)
		diag_help(l->sink, d, "did you mean '%s'?", near);
}

/* Has some row this first word? */
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

/* Words with dots between them. */
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

/* --- reading --------------------------------------------------------------------- */

struct lower_say *lower_say(struct lower *l, struct lower_says *says,
			    const struct sema_stmt *t, const struct lower_spec *spec,
			    struct str key, struct span at)
{
	struct lower_say *s = ARENA_NEW(l->a, struct lower_say);
	const char *part = ir_part_name(spec->part);

	*s = (struct lower_say){ .spec = spec, .t = t };
	s->value = (struct ir_setting){
		.part = spec->part,
		.key = key,
		.acts = spec->acts,
		.level = t->unit->level,
		.locked = (t->orig->locked || t->section_locked) &&
			  t->unit->level <= IR_MANAGED_FILE,
		.id = str_printf(l->a, "%s-%.*s", part, STR_ARG(key)),
		.at = sema_place(l->s, at),
		.source = t->text,
		.role = t->role,
	};
	VEC_PUSH(l->a, &says->v, s);
	return s;
}

/* `+=` in a row that is no list, or with what is none. */
static bool is_list(struct lower *l, const struct lower_say *s, struct span at)
{
	enum lower_type t = s->spec->type;

	if (t == LOWER_T_ANY || t == LOWER_T_LIST || t == LOWER_T_NAMES ||
	    t == LOWER_T_REGEXES)
		return true;
	diag_add(l->sink, DIAG_SETTING_VALUE, at, "'+=' adds to a list, and '%.*s' is none",
		 STR_ARG(s->value.key));
	return false;
}

/* What stands behind `+=`, as a list: one value is a list of it. */
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

static void read_setting(struct lower *l, const struct sema_stmt *t,
			 struct lower_says *says)
{
	const struct ast_stmt *p = t->stmt;
	const struct lower_spec *spec = lower_spec(IR_P_SETTING, p->name);
	const struct ast_value *v = p->values;
	struct lower_say *s;
	size_t before = says->v.n;

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
	if (!v)
		return; /* reported when it was resolved */
	s = lower_say(l, says, t, spec ? spec : &free_setting, p->name, p->at);
	s->append = p->append;
	if (s->append && !is_list(l, s, p->at))
		says->v.n = before;
	else if (!lower_value(l, s->spec, p->name, s->append ? as_list(l, v) : v,
			      &s->value.value))
		says->v.n = before;
}

/* --- weighing ---------------------------------------------------------------------- */

/* The says on one key, in their order, and what has been made of them. */
struct weigh {
	struct lower *l;
	VEC(struct lower_say *) says;
	struct ir_setting cur;
	bool set;
};

static bool same_voice(const struct lower_say *x, const struct lower_say *y)
{
	return x->value.level == y->value.level &&
	       x->t->unit->narrow == y->t->unit->narrow;
}

/* A file overrides what it uses, and a chosen role its level. */
static bool overrides(const struct lower_say *x, const struct lower_say *y)
{
	if (!same_voice(x, y) || x->append)
		return false;
	if (x->value.role.n || y->value.role.n)
		return x->value.role.n && !y->value.role.n;
	return sema_imports(x->t->unit, y->t->unit);
}

static bool is_overridden(const struct weigh *w, const struct lower_say *s)
{
	for (size_t i = 0; i < w->says.n; i++)
		if (overrides(w->says.v[i], s))
			return true;
	return false;
}

static void conflict(struct lower *l, const struct lower_say *x,
		     const struct lower_say *y)
{
	struct diag *d = diag_add(l->sink, DIAG_SCALAR_CONFLICT, y->value.at.span,
				  "level '%s' gives '%.*s' two values",
				  ir_level_name(y->value.level), STR_ARG(y->value.key));

	diag_note(l->sink, d, x->value.at.span, "the other one is here");
	if (y->value.value.type == IR_V_LIST)
		diag_help(l->sink, d, "write '+=' to add to a list");
}

/* The plain value of a level's full or narrow-only files, or NULL. */
static const struct lower_say *plain(const struct weigh *w, int level, bool narrow)
{
	const struct lower_say *ret = NULL;

	for (size_t i = 0; i < w->says.n; i++) {
		const struct lower_say *s = w->says.v[i];

		if ((int)s->value.level != level || s->t->unit->narrow != narrow ||
		    s->append || is_overridden(w, s))
			continue;
		if (ret && !ir_value_equal(&ret->value.value, &s->value.value))
			conflict(w->l, ret, s);
		else if (!ret || s->value.locked)
			ret = s;
	}
	return ret;
}

static bool has(const struct ir_value *list, const struct ir_value *x)
{
	for (size_t i = 0; i < list->nitems; i++)
		if (ir_value_equal(&list->items[i], x))
			return true;
	return false;
}

/* The list and what it lacks of `more`; `cur` becomes the adding statement's. */
static void append(struct weigh *w, const struct lower_say *s)
{
	const struct ir_value *more = &s->value.value, *old = &w->cur.value;
	struct ir_value list = { .type = IR_V_LIST };

	if (w->set && old->type != IR_V_LIST) {
		struct diag *d = diag_add(w->l->sink, DIAG_SETTING_VALUE,
					  s->value.at.span,
					  "'+=' adds to a list, and '%.*s' is none",
					  STR_ARG(s->value.key));
		diag_note(w->l->sink, d, w->cur.at.span, "its value is set here");
		return;
	}
	list.items = arena_array(w->l->a, (w->set ? old->nitems : 0) + more->nitems + 1,
				 sizeof(*list.items));
	for (size_t i = 0; w->set && i < old->nitems; i++)
		list.items[list.nitems++] = old->items[i];
	for (size_t i = 0; i < more->nitems; i++)
		if (!has(&list, &more->items[i]))
			list.items[list.nitems++] = more->items[i];
	w->cur = s->value;
	w->cur.value = list;
	w->set = true;
}

static void drop(struct weigh *w, const struct lower_say *s, const char *why)
{
	if (s->value.level < IR_DEFAULT)
		lower_drop(w->l, s->value.source, why, s->value.at,
			   (struct ir_place){ .span = SPAN_NONE }, s->value.level);
}

/* Where nobody has spoken, only the tightest word is surely tighter than what
 * holds then; without a limit, each limit is. */
static bool is_tightest(const struct lower_spec *spec, const struct ir_value *v)
{
	const char *last = strrchr(spec->words, '|');

	return spec->order != LOWER_O_LATER ||
	       str_eqz(v->text, last ? last + 1 : spec->words);
}

static void narrow_level(struct weigh *w, int level)
{
	const struct lower_say *s = plain(w, level, true);
	bool tight = s && s->spec->order != LOWER_O_NONE &&
		     (w->set ? lower_is_tighter(s->spec, &s->value.value,
						&w->cur.value) :
			       is_tightest(s->spec, &s->value.value));

	if (tight) {
		w->cur = s->value;
		w->set = true;
	} else if (s) {
		drop(w, s, s->spec->order == LOWER_O_NONE ?
			     "a narrow-only level does not say this" :
			     "a narrow-only level only tightens");
	}
	for (size_t i = 0; i < w->says.n; i++)
		if ((int)w->says.v[i]->value.level == level && w->says.v[i]->t->unit->narrow &&
		    w->says.v[i]->append)
			drop(w, w->says.v[i], "a narrow-only level adds nothing");
}

static void full_level(struct weigh *w, int level)
{
	const struct lower_say *s = plain(w, level, false);

	if (s) {
		w->cur = s->value;
		w->set = true;
	}
	for (size_t i = 0; i < w->says.n; i++)
		if ((int)w->says.v[i]->value.level == level && !w->says.v[i]->t->unit->narrow &&
		    w->says.v[i]->append && !is_overridden(w, w->says.v[i]))
			append(w, w->says.v[i]);
}

/* Nobody below a locked value may speak of it. */
static void check_locks(const struct weigh *w)
{
	for (size_t i = 0; i < w->says.n; i++)
		for (size_t k = 0; w->says.v[i]->value.locked && k < w->says.n; k++) {
			const struct ir_setting *lock = &w->says.v[i]->value;
			const struct ir_setting *s = &w->says.v[k]->value;
			struct diag *d;

			if (s->level <= lock->level || s->level == IR_DEFAULT)
				continue;
			d = diag_add(w->l->sink, DIAG_SCALAR_LOCKED, s->at.span,
				     "'%.*s' is locked by level '%s'", STR_ARG(s->key),
				     ir_level_name(lock->level));
			diag_note(w->l->sink, d, lock->at.span, "it is locked here");
			diag_help(w->l->sink, d, "drop this line");
		}
}

static void weigh(struct weigh *w)
{
	struct {
		VEC(struct ir_setting) v;
	} over = { .v = { NULL, 0, 0 } };

	check_locks(w);
	for (int level = IR_DEFAULT; level >= IR_MANAGED; level--) {
		full_level(w, level);
		narrow_level(w, level);
	}
	if (!w->set)
		return;
	for (size_t i = 0; i < w->says.n; i++) {
		const struct ir_setting *s = &w->says.v[i]->value;

		w->cur.locked |= s->locked && s->level <= w->cur.level;
		if (s->at.span.off != w->cur.at.span.off ||
		    s->at.span.file != w->cur.at.span.file || s->level != w->cur.level)
			VEC_PUSH(w->l->a, &over.v, *s);
	}
	w->cur.over = over.v.v;
	w->cur.nover = over.v.n;
	VEC_PUSH(w->l->a, &w->l->ir->settings, w->cur);
}

/* --- what settings do here ------------------------------------------------------------ */

/* `images` is the set inside of which `image` is chosen. */
static void check_image(struct lower *l, const char *runner)
{
	const struct ir_setting *one = ir_setting_find(
		l->ir, IR_P_RUNNER, str_printf(l->a, "%s.image", runner));
	const struct ir_setting *set = ir_setting_find(
		l->ir, IR_P_RUNNER, str_printf(l->a, "%s.images", runner));
	struct diag *d;

	if (!one || !set || has(&set->value, &one->value))
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

	/* of one that nobody declares enough is said */
	if (!s || !l->ir->role.n || !sema_has_role(l->s, l->ir->role) || has(&s->value, &role))
		return;
	d = diag_add(l->sink, DIAG_ROLE_NOT_ALLOWED, s->at.span,
		     "the role '%.*s' (--role) is not one of the allowed roles",
		     STR_ARG(l->ir->role));
	diag_note(l->sink, d, SPAN_NONE, "they are set at level '%s'",
		  ir_level_name(s->level));
}

/* How an ask is answered: a word of permissions.mode as an effect. */
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
	ret.over = NULL;
	ret.nover = 0;
	return ret;
}

static void permissions_mode(struct lower *l)
{
	const struct ir_setting *s =
		ir_setting_find(l->ir, IR_P_SETTING, STR("permissions.mode"));
	struct ir_scalar *to = &l->ir->scalars[IR_S_ASK_ANSWER];
	struct ir_scalar new;

	if (!s)
		return;
	new = answer_scalar(l, s);
	new.over = arena_array(l->a, s->nover + 1, sizeof(*new.over));
	for (size_t i = 0; i < s->nover; i++)
		new.over[new.nover++] = answer_scalar(l, &s->over[i]);
	*to = new;
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
	struct lower_says says = { .v = { NULL, 0, 0 } };
	struct map keys;

	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];
		size_t before = says.v.n;

		if (t->stmt->kind == AST_SETTING)
			read_setting(l, t, &says);
		else
			lower_carried(l, t, &says);
		if (t->off || t->cut) /* read for its faults */
			says.v.n = before;
	}
	map_init(&keys, l->a);
	for (size_t i = 0; i < says.v.n; i++) {
		struct ir_setting *s = &says.v.v[i]->value;
		struct str key = str_printf(l->a, "%d %.*s", s->part, STR_ARG(s->key));
		struct weigh *w = map_get(&keys, key);

		if (!w) {
			w = ARENA_NEW(l->a, struct weigh);
			*w = (struct weigh){ .l = l };
			map_put(&keys, key, w);
		}
		VEC_PUSH(l->a, &w->says, says.v.v[i]);
	}
	for (size_t i = 0; i < keys.n; i++)
		weigh(keys.e[i].value);
	if (l->ir->settings.n > 1)
		qsort(l->ir->settings.v, l->ir->settings.n,
		      sizeof(*l->ir->settings.v), by_part_and_key);
	check_image(l, "container");
	check_image(l, "cloud");
	check_role(l);
	permissions_mode(l);
}
