/*
 * The plan: everything that polinit does, as an ordered list of operations that polrun
 * prepares before the clone.  It is one block of memory, sent over the status socket
 * and executed by one loop (steps.c).  Each operation names a row of the step table.
 * polinit decides nothing.
 */
#ifndef RUNTIME_SANDBOX_PLAN_H
#define RUNTIME_SANDBOX_PLAN_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/bundle/format.h"
#include "runtime/sandbox/step.h"

#define PLAN_MAGIC 0x4e414c50u /* "PLAN" */
#define PLAN_MAX (32u * 1024 * 1024)
#define PLAN_MAX_SLOTS 4096u
#define PLAN_CHUNK (60u * 1024) /* bytes in one message */
#define PLAN_CHUNK_LEAST 4096u  /* every socket buffer holds more than this */

/* Who executes an operation. */
enum plan_phase {
	PLAN_INIT,   /* polinit, before the fork of the target */
	PLAN_TARGET, /* the target, before it executes the command */
	PLAN_REAPER  /* polinit, after the fork */
};

enum plan_flag {
	PLAN_F_RO = 1,
	PLAN_F_NOEXEC = 2,
	PLAN_F_CHECK = 4,  /* compare dev and ino */
	PLAN_F_COVER = 8,  /* keep a second clone in slot `aux` */
	PLAN_F_GIVEN = 16, /* the tree's descriptor is inherited: `fd` */
	PLAN_F_MASKS = 32, /* the path lies below the masks, not the new root */
	PLAN_F_SCRATCH = 64, /* the source lies below the scratch directory */
	PLAN_F_DIR = 128,
	PLAN_F_MAYBE = 256, /* if the path does not exist, do nothing */
	PLAN_F_MADE = 1024, /* the place belongs to the run: nobody else can swap it */
	PLAN_F_BROKER = 2048, /* mounted read-only over a writable clone, kept in slot `aux` */
	PLAN_F_SPECIAL = 512 /* an effect that depends on the row: see step_*.c */
};

/* Strings and blobs are offsets into the pool; 0 is none. */
struct plan_op {
	uint16_t step;   /* enum step_id */
	uint16_t phase;  /* enum plan_phase */
	uint32_t flags;
	uint32_t path;   /* relative to the new root (or what a flag says) */
	uint32_t other;  /* link target, text, source, options */
	uint32_t len;    /* length of `other` if it is a blob */
	uint32_t mode;
	int32_t fd;      /* slot of a tree, inherited descriptor, resource */
	uint32_t aux;
	uint64_t v, w;   /* dev and ino; masks of rights; limits */
};

struct plan_head {
	uint32_t magic, size; /* of the whole plan */
	uint32_t nops, pool;  /* offset of the pool */
	uint32_t argv, argc, envp, envc; /* strings, one after the other */
	uint32_t exec_path;
	uint32_t nslots;
	uint32_t listener;    /* the filter is loaded with a listener */
	uint32_t umask;
	uint32_t more; /* another plan follows */
	uint32_t tell; /* when it is done: SANDBOX_MOUNTED */
};

/* What the bundle says, in the form in which the plan needs it. */
struct plan_policy {
	const struct sock_filter *filter;
	size_t nfilter;
	bool listener;
	struct pb_landlock_abi landlock; /* abi 0: no Landlock */
	struct { int resource; uint64_t value; } rlimits[10];
	size_t nrlimits;
	uint64_t disk; /* bytes; 0: no limit */
	/* the rules of a limited network: netlink messages, or JSON documents for
	 * polnft */
	const void *nft;
	size_t nft_len;
	int polnft; /* descriptor of polnft; -1: `nft` holds messages */
	bool unix_wall; /* load a second filter: sandbox_unix_wall() */
};

struct plan {
	struct plan_op *ops;
	size_t nops, cap;
	char *pool;
	size_t npool, pool_cap;
	struct plan_head head;
	int err; /* the first failure, -errno */
	/* descriptors that the child inherits; the plan owns them */
	int *fds;
	size_t nfds, fds_cap;
};

void plan_init(struct plan *p);
void plan_release(struct plan *p);
/* Appends an operation that is zero except for step and phase.  Never NULL: after a
 * failure it returns a dummy, and `err` is set. */
struct plan_op *plan_add(struct plan *p, enum step_id step, enum plan_phase phase);
uint32_t plan_str(struct plan *p, const char *s);
uint32_t plan_strn(struct plan *p, const char *s, size_t len);
uint32_t plan_blob(struct plan *p, const void *data, size_t len);
uint32_t plan_strings(struct plan *p, const char *const *v, uint32_t *ret_n);
void plan_take_fd(struct plan *p, int fd);
/* Returns the plan as one malloc'ed block of head.size bytes. */
int plan_finish(struct plan *p, void **ret, size_t *ret_size);

/* Checks every offset of a received plan, once. */
int plan_check(const void *bytes, size_t size, struct rt_err *err);

static inline const struct plan_op *plan_ops(const struct plan_head *h)
{
	return (const struct plan_op *)(const void *)(h + 1);
}

static inline const char *plan_at(const struct plan_head *h, uint32_t off)
{
	return (const char *)h + h->pool + off;
}

#endif
