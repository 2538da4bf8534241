/*
 * Landlock is the second wall behind the view.  For each ABI version it grants what
 * the view grants, and it can take nothing away below a grant.  So it enforces only
 * allow rules; the view enforces denies.
 *
 * The ruleset handles no ports at any ABI version: in a sandbox, 127.0.0.0/8 belongs
 * to the run and is free, and Landlock's port rules know no address.
 */
#include "compiler/backend/landlock/landlock.h"

#include <inttypes.h>

#include "compiler/backend/common/util.h"
#include "runtime/bundle/check.h"

#define LAYER "landlock"

/* Bookworm's header stops at ABI 2 (linux/landlock.h of 6.18 has them all). */
#define FS(bit) ((uint64_t)1 << (bit))
#define FS_EXECUTE FS(0)
#define FS_WRITE_FILE FS(1)
#define FS_READ_FILE FS(2)
#define FS_READ_DIR FS(3)
#define FS_REMOVE_DIR FS(4)
#define FS_REMOVE_FILE FS(5)
#define FS_MAKE_CHAR FS(6)
#define FS_MAKE_DIR FS(7)
#define FS_MAKE_REG FS(8)
#define FS_MAKE_SOCK FS(9)
#define FS_MAKE_FIFO FS(10)
#define FS_MAKE_BLOCK FS(11)
#define FS_MAKE_SYM FS(12)
#define FS_REFER FS(13)
#define FS_TRUNCATE FS(14)
#define FS_IOCTL_DEV FS(15)
#define SCOPE_ABSTRACT_UNIX ((uint64_t)1 << 0)
#define SCOPE_SIGNAL ((uint64_t)1 << 1)

/* What each ABI version added: a right, and the operation to which it belongs. */
static const struct {
	uint32_t abi;
	enum ir_op op;
	bool of_files; /* the right can also be granted on a file */
	uint64_t right;
} rights[] = {
	{ 1, IR_EXEC, true, FS_EXECUTE },
	{ 1, IR_WRITE, true, FS_WRITE_FILE },
	{ 1, IR_READ, true, FS_READ_FILE },
	{ 1, IR_READ, false, FS_READ_DIR },
	{ 1, IR_WRITE, false,
	  FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR | FS_MAKE_REG |
		  FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM },
	{ 2, IR_WRITE, false, FS_REFER },
	{ 3, IR_WRITE, true, FS_TRUNCATE },
	{ 5, IR_WRITE, true, FS_IOCTL_DEV },
};

static const struct {
	uint32_t abi;
	uint64_t scoped;
} scopes[] = {
	{ 6, SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL },
};

#define LAST_ABI 7u /* of Linux 6.15; newer kernels accept it too */

static void add_right(struct pb_landlock_abi *a, enum ir_op op, bool of_files,
		      uint64_t right)
{
	a->handled_fs |= right;
	if (op == IR_READ) {
		a->read_dir |= right;
		a->read_file |= of_files ? right : 0;
	} else if (op == IR_WRITE) {
		a->write_dir |= right;
		a->write_file |= of_files ? right : 0;
	} else {
		a->exec_dir |= right;
		a->exec_file |= of_files ? right : 0;
	}
}

static struct pb_landlock_abi abi_of(uint32_t abi)
{
	struct pb_landlock_abi a = { .abi = abi };

	for (size_t i = 0; i < POL_LEN(rights); i++) {
		if (rights[i].abi <= abi)
			add_right(&a, rights[i].op, rights[i].of_files,
				  rights[i].right);
	}
	for (size_t i = 0; i < POL_LEN(scopes); i++) {
		if (scopes[i].abi <= abi)
			a.scoped |= scopes[i].scoped;
	}
	return a;
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	(void)sink;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind == IR_FILE && (r->scopes & IR_SANDBOX) &&
		    r->effect == IR_ALLOW)
			bk_note(report, r, LAYER, BK_EXACT,
				"second wall: grants what the view grants");
	}
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct pb_landlock h = { .head = { PB_MAGIC_LANDLOCK, PB_FORMAT_VERSION, 0,
					   0 } };
	struct buf b;

	(void)ir;
	(void)sink;
	h.abis = (struct pb_table){ sizeof(h), LAST_ABI };
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	for (uint32_t abi = 1; abi <= LAST_ABI; abi++) {
		struct pb_landlock_abi a = abi_of(abi);

		buf_add(&b, &a, sizeof(a));
	}
	bk_add_member(out, PB_LANDLOCK, &b);
	return true;
}

static const struct pb_landlock *open_member(const struct bk_output *in,
					     struct rt_err *err)
{
	const struct bk_member *m = bk_member(in, PB_LANDLOCK);

	if (!m || bundle_check_landlock(m->bytes.p, m->bytes.n, err) < 0)
		return NULL;
	return (const void *)m->bytes.p;
}

static void print(FILE *out, const struct bk_output *in)
{
	const struct pb_landlock *h = open_member(in, NULL);
	const struct pb_landlock_abi *v;

	if (!h)
		return;
	v = (const void *)((const char *)h + h->abis.off);
	for (uint32_t i = 0; i < h->abis.count; i++)
		(void)fprintf(out,
			      "abi %u handled fs=%#" PRIx64 " net=%#" PRIx64
			      " scoped=%#" PRIx64 " dir r=%#" PRIx64 " w=%#" PRIx64
			      " x=%#" PRIx64 " file r=%#" PRIx64 " w=%#" PRIx64
			      " x=%#" PRIx64 "\n",
			      v[i].abi, v[i].handled_fs, v[i].handled_net, v[i].scoped,
			      v[i].read_dir, v[i].write_dir, v[i].exec_dir,
			      v[i].read_file, v[i].write_file, v[i].exec_file);
}

/*
 * Every handled right must belong to exactly one operation on directories, so that
 * granting all three operations gives all rights and leaving one out takes away
 * exactly its own.  No version may lose a right of the version before it.
 */
static const char *verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	struct rt_err err = { .err = 0 };
	const struct pb_landlock *h = open_member(in, &err);
	const struct pb_landlock_abi *v;

	(void)ir;
	if (!h)
		return err.err ? arena_printf(a, "%s", err.text) :
				 PB_LANDLOCK " is missing";
	v = (const void *)((const char *)h + h->abis.off);
	for (uint32_t i = 0; i < h->abis.count; i++) {
		uint64_t r = v[i].read_dir, w = v[i].write_dir, x = v[i].exec_dir;

		if ((r | w | x) != v[i].handled_fs || (r & w) || (r & x) || (w & x))
			return arena_printf(a, "ABI %u: rights of no or two operations",
					    v[i].abi);
		if ((v[i].read_file & ~r) || (v[i].write_file & ~w) ||
		    (v[i].exec_file & ~x))
			return arena_printf(a,
					    "ABI %u: a file has more than a directory",
					    v[i].abi);
		if (i > 0 && ((v[i - 1].handled_fs & ~v[i].handled_fs) ||
			      (v[i - 1].scoped & ~v[i].scoped)))
			return arena_printf(a, "ABI %u loses a right", v[i].abi);
	}
	return NULL;
}

const struct backend bk_landlock = {
	.name = "landlock",
	.check = check,
	.emit = emit,
	.print = print,
	.verify = verify,
};
