/*
 * Decides which rules cannot match a request, by one text that each of them needs: the name of
 * the program and the word behind it, the fixed folders of a path, the host, the number of a
 * system call, the name of a tool.  A rule whose pattern has no such text is always tried.
 */
#include "compiler/eval/index.h"

#include "compiler/base/map.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/match_word.h"

/* What is listed; the rules have one list for each kind of request. */
enum {
	L_RISKS = IR_KIND_COUNT, /* of commands */
	L_INERT,
	L_COUNT
};

/* A text longer than this is not looked up, and a pattern with such a text is always tried. */
enum { MAX_TEXT = 1024 };

/*
 * The texts of paths depend on their root, those of addresses on their number of bits.  A
 * command with a second fixed word is found by both (SUB_WORDS), and if the words are not known
 * by the program (SUB_SOME).
 */
enum { SUB_NONE = 0, SUB_NAME = 200, SUB_BELOW, SUB_WORDS, SUB_SOME };

struct places {
	VEC(uint32_t) at; /* ascending */
};

struct eval_index {
	const struct ir *of; /* the policy that it describes */
	struct arena *a;
	struct map texts;    /* key -> struct places */
	struct places always[L_COUNT], files;
	bool bits[129];      /* is there a network of so many bits? */
};

/* The text that something needs, in a buffer as large as any. */
struct key {
	char text[MAX_TEXT + 2]; /* the list, the sub-list, the text */
	size_t n;
	bool none; /* it needs none, or one that is too long */
};

static void key_begin(struct key *k, int list, int sub)
{
	k->text[0] = (char)list;
	k->text[1] = (char)sub;
	k->n = 2;
	k->none = false;
}

static void key_add(struct key *k, const void *p, size_t n)
{
	if (k->none || n > sizeof(k->text) - k->n) {
		k->none = true;
		return;
	}
	if (n)
		memcpy(k->text + k->n, p, n);
	k->n += n;
}

static struct str key_text(const struct key *k)
{
	return (struct str){ k->text, k->n };
}

/* --- what a pattern needs ---------------------------------------------------------------- */

/* Adds the bytes at its beginning; their number. */
static size_t add_fixed(struct key *k, const struct ir_glob *g)
{
	size_t i;

	for (i = 0; i < g->n && g->v[i].op == IR_G_BYTE; i++)
		key_add(k, &g->v[i].byte, 1);
	return i;
}

/* A whole word of the pattern; false: it is none that is fixed. */
static bool add_word(struct key *k, const struct ir_command *c, size_t i)
{
	return i < c->nwords && !c->words[i].any_words &&
	       add_fixed(k, &c->words[i].glob) == c->words[i].glob.n;
}

/* The base name of the program; a pattern with a '/' may mean a file by another spelling. */
static void command_key(struct key *k, int list, const struct ir_command *c)
{
	key_begin(k, list, SUB_NONE);
	if (c->regex || !c->nwords || eval_glob_has_slash(&c->words[0].glob) || !add_word(k, c, 0))
		k->none = true;
}

/*
 * That and the second word.  Options of the command may stand between them, so it may be any
 * of its words.  False: the pattern has none that is fixed.
 */
static bool words_key(struct key *k, int list, const struct ir_command *c)
{
	command_key(k, list, c);
	k->text[1] = (char)SUB_WORDS;
	key_add(k, "", 1);
	return !k->none && add_word(k, c, 1) && !k->none;
}

/*
 * The names at the beginning of the pattern that are fixed as a whole: what it matches is
 * there or below.
 */
static void path_key(struct key *k, int list, const struct ir_path *p)
{
	key_begin(k, list, p->root);
	if (p->abstract) {
		k->none = true;
		return;
	}
	if (add_fixed(k, &p->glob) == p->glob.n || k->none)
		return;
	while (k->n > 2 && k->text[k->n - 1] != '/')
		k->n--;
	if (k->n > 2)
		k->n--;
}

static void mask(uint8_t addr[16], unsigned bits)
{
	for (unsigned i = bits; i < 128; i++)
		addr[i / 8] &= (uint8_t)~(0x80u >> (i % 8));
}

static void net_key(struct eval_index *x, struct key *k, const struct ir_net *n)
{
	uint8_t addr[16];

	switch (n->host) {
	case IR_HOST_NAME:
	case IR_HOST_BELOW:
		key_begin(k, IR_NET, n->host == IR_HOST_NAME ? SUB_NAME : SUB_BELOW);
		key_add(k, n->name.p, n->name.n);
		return;
	case IR_HOST_CIDR:
		memcpy(addr, n->cidr.addr, sizeof(addr));
		mask(addr, n->cidr.bits);
		key_begin(k, IR_NET, (int)n->cidr.bits);
		key_add(k, addr, sizeof(addr));
		x->bits[n->cidr.bits] = true;
		return;
	case IR_HOST_ANY:
		break;
	}
	k->none = true;
}

static void rule_key(struct eval_index *x, struct key *k, const struct ir_rule *r)
{
	switch (r->kind) {
	case IR_FILE:
	case IR_UNIX:
		path_key(k, (int)r->kind, ir_set_path(r->kind, &r->set));
		return;
	case IR_NET:
		net_key(x, k, &r->set.u.net);
		return;
	case IR_SYSCALL:
		key_begin(k, IR_SYSCALL, SUB_NONE);
		key_add(k, &r->set.u.syscall.nr, sizeof(r->set.u.syscall.nr));
		return;
	case IR_TOOL:
		key_begin(k, IR_TOOL, SUB_NONE);
		if (add_fixed(k, &r->set.u.tool.glob) < r->set.u.tool.glob.n)
			k->none = true;
		return;
	case IR_COMMAND:
	case IR_KIND_COUNT:
		break;
	}
	k->none = true;
}

/* --- making it --------------------------------------------------------------------------- */

static void put(struct eval_index *x, int list, const struct key *k, size_t at)
{
	struct places *p = k->none ? &x->always[list] : map_get(&x->texts, key_text(k));

	if (!p) {
		p = ARENA_NEW(x->a, struct places);
		map_put(&x->texts, str_dup(x->a, key_text(k)), p);
	}
	VEC_PUSH(x->a, &p->at, (uint32_t)at);
}

/* A pattern of commands: by both words, or by the program. */
static void put_command(struct eval_index *x, int list, const struct ir_command *c, size_t at)
{
	struct key both, k;

	command_key(&k, list, c);
	if (!words_key(&both, list, c)) {
		put(x, list, &k, at);
		return;
	}
	put(x, list, &both, at);
	k.text[1] = (char)SUB_SOME;
	put(x, list, &k, at);
}

const struct ir *eval_index_add(const struct ir *ir, struct arena *a)
{
	struct eval_index *x;
	struct ir *own;
	struct key k;

	if (ir->index && ir->index->of == ir)
		return ir;
	x = ARENA_NEW(a, struct eval_index);
	own = ARENA_NEW(a, struct ir);
	*own = *ir;
	own->index = x;
	x->of = own;
	x->a = a;
	map_init(&x->texts, a);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_COMMAND) {
			put_command(x, IR_COMMAND, &r->set.u.command, i);
			continue;
		}
		rule_key(x, &k, r);
		put(x, (int)r->kind, &k, i);
		if (r->kind == IR_FILE)
			VEC_PUSH(a, &x->files.at, (uint32_t)i);
	}
	for (size_t i = 0; i < ir->risks.n; i++)
		if (ir->risks.v[i].kind == IR_COMMAND)
			put_command(x, L_RISKS, &ir->risks.v[i].set.u.command, i);
	for (size_t i = 0; i < ir->inert.n; i++)
		put_command(x, L_INERT, &ir->inert.v[i].set.u.command, i);
	return own;
}

/* --- asking ------------------------------------------------------------------------------- */

/* The index, if it is about the rules that this policy has. */
static const struct eval_index *index_of(const struct ir *ir)
{
	return ir->index && ir->index->of == ir ? ir->index : NULL;
}

static struct eval_few all_of(size_t n)
{
	return (struct eval_few){ .n = n };
}

static struct eval_few list_of(const struct places *p)
{
	static const uint32_t none[1];

	return (struct eval_few){ .at = p->at.n ? p->at.v : none, .n = p->at.n };
}

/* Both, in order and each once. */
static struct eval_few merge(struct eval_few x, const struct places *p, struct arena *a)
{
	uint32_t *to = arena_array(a, x.n + p->at.n, sizeof(*to));
	size_t i = 0, k = 0, n = 0;

	while (i < x.n && k < p->at.n) {
		k += x.at[i] == p->at.v[k];
		if (k < p->at.n)
			to[n++] = x.at[i] < p->at.v[k] ? x.at[i++] : p->at.v[k++];
	}
	while (i < x.n)
		to[n++] = x.at[i++];
	while (k < p->at.n)
		to[n++] = p->at.v[k++];
	return (struct eval_few){ .at = to, .n = n };
}

static void look_up(const struct eval_index *x, const struct key *k, struct arena *a,
		    struct eval_few *to)
{
	const struct places *p = k->none ? NULL : map_get(&x->texts, key_text(k));

	if (p)
		*to = merge(*to, p, a);
}

/*
 * Looks up what the key has, with the word behind it.  A pattern that ends in ":*" needs the
 * text before one of the colons.
 */
static void look_up_word(const struct eval_index *x, const struct key *begin, struct str word,
			 struct arena *a, struct eval_few *to)
{
	struct key k;

	for (size_t i = 0; i <= word.n; i++) {
		if (i < word.n && word.p[i] != ':')
			continue;
		k = *begin;
		key_add(&k, word.p, i);
		look_up(x, &k, a, to);
	}
}

/* The patterns with a second word, if each word of the command is known.  False: one is not. */
static bool by_words(const struct eval_index *x, int list, const struct eval_asked *q,
		     struct str name, struct arena *a, struct eval_few *to)
{
	struct str word;
	struct key k;

	if (!eval_words_are_literal(q))
		return false;
	key_begin(&k, list, SUB_WORDS);
	key_add(&k, name.p, name.n);
	key_add(&k, "", 1);
	for (uint32_t i = 1; i < q->part->nwords; i++)
		if (eval_word_text(q, &q->part->words[i], a, &word))
			look_up_word(x, &k, word, a, to);
	return true;
}

static struct eval_few by_program(const struct eval_index *x, int list,
				  const struct eval_asked *q, size_t all, struct arena *a)
{
	struct eval_few few = all_of(all);
	struct str word, name;
	struct key k;

	if (!x || !eval_word_text(q, &q->part->words[0], a, &word))
		return few;
	few = list_of(&x->always[list]);
	name = eval_base_name(word);
	key_begin(&k, list, SUB_NONE);
	look_up_word(x, &k, name, a, &few);
	if (by_words(x, list, q, name, a, &few))
		return few;
	key_begin(&k, list, SUB_SOME);
	look_up_word(x, &k, name, a, &few);
	return few;
}

struct eval_few eval_few_commands(const struct eval_asked *q, struct arena *a)
{
	return by_program(index_of(q->ir), IR_COMMAND, q, q->ir->rules.n, a);
}

struct eval_few eval_few_risks(const struct eval_asked *q, struct arena *a)
{
	return by_program(index_of(q->ir), L_RISKS, q, q->ir->risks.n, a);
}

struct eval_few eval_few_inert(const struct eval_asked *q, struct arena *a)
{
	return by_program(index_of(q->ir), L_INERT, q, q->ir->inert.n, a);
}

struct eval_few eval_few_files(const struct ir *ir)
{
	const struct eval_index *x = index_of(ir);

	return x ? list_of(&x->files) : all_of(ir->rules.n);
}

/* Looks up each folder in which the path lies, and the path, below each root. */
static void by_path(const struct eval_index *x, const struct ir_request *req, struct arena *a,
		    struct eval_few *to)
{
	struct str path = req->path;
	struct key k;

	for (int root = 0; root < IR_ROOT_COUNT; root++) {
		struct str dir = req->roots.dir[root];
		size_t at = str_eqz(dir, "/") ? 0 : dir.n;

		if (!dir.p || !str_starts(path, dir))
			continue;
		for (size_t i = at; i <= path.n; i++) {
			if (i > at && i < path.n && path.p[i] != '/')
				continue;
			key_begin(&k, (int)req->kind, root);
			key_add(&k, path.p + at, i - at);
			look_up(x, &k, a, to);
		}
	}
}

static void by_host(const struct eval_index *x, const struct ir_request *req, struct arena *a,
		    struct eval_few *to)
{
	struct key k;

	for (unsigned bits = 0; bits <= 128 && req->is_addr; bits++) {
		uint8_t addr[16];

		if (!x->bits[bits])
			continue;
		memcpy(addr, req->addr, sizeof(addr));
		mask(addr, bits);
		key_begin(&k, IR_NET, (int)bits);
		key_add(&k, addr, sizeof(addr));
		look_up(x, &k, a, to);
	}
	if (req->is_addr)
		return;
	key_begin(&k, IR_NET, SUB_NAME);
	key_add(&k, req->host.p, req->host.n);
	look_up(x, &k, a, to);
	for (size_t i = 0; i < req->host.n; i++) {
		if (req->host.p[i] != '.')
			continue;
		key_begin(&k, IR_NET, SUB_BELOW);
		key_add(&k, req->host.p + i + 1, req->host.n - i - 1);
		look_up(x, &k, a, to);
	}
}

struct eval_few eval_few_rules(const struct ir *ir, const struct ir_request *req,
			       struct arena *a)
{
	const struct eval_index *x = index_of(ir);
	struct eval_few few = all_of(ir->rules.n);
	struct key k;

	if (!x || req->kind == IR_COMMAND || req->kind >= IR_KIND_COUNT)
		return few;
	few = list_of(&x->always[req->kind]);
	if (req->kind == IR_FILE || (req->kind == IR_UNIX && !req->abstract)) {
		by_path(x, req, a, &few);
	} else if (req->kind == IR_NET) {
		by_host(x, req, a, &few);
	} else if (req->kind == IR_SYSCALL) {
		key_begin(&k, IR_SYSCALL, SUB_NONE);
		key_add(&k, &req->nr, sizeof(req->nr));
		look_up(x, &k, a, &few);
	} else if (req->kind == IR_TOOL) {
		key_begin(&k, IR_TOOL, SUB_NONE);
		key_add(&k, req->tool.p, req->tool.n);
		look_up(x, &k, a, &few);
	}
	return few;
}
