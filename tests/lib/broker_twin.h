/*
 * Two directories that begin alike: in one the broker makes the calls, in the other the
 * kernel does.  In paths and in the targets of links '@' at the beginning stands for the
 * directory.
 */
#ifndef TESTS_LIB_BROKER_TWIN_H
#define TESTS_LIB_BROKER_TWIN_H

#include <limits.h>
#include <stdbool.h>

#include "runtime/broker/broker.h"

#define TWIN_DEEP 20

struct twin {
	char base[64];     /* holds both */
	char root[2][128]; /* 0: the broker's; so deep that no ".." leaves what only it holds */
	int fd;            /* of root[0] */
	bool leave_alone;  /* what is not the broker's is not made by the kernel either */
	struct broker broker;
	struct broker_result last; /* of the broker */
};

struct twin_answer {
	int err;   /* 0 or an errno */
	int fd;    /* -1 or a descriptor, the caller's */
};

/* Everything is allowed. */
extern const struct broker_rules twin_allow_all;

/* 0 or -errno. */
int twin_init(struct twin *t, const struct broker_rules *rules);
/* Removes both directories. */
void twin_release(struct twin *t);

/* What the kernel makes of the call. */
void twin_plain(const struct broker_call *c, struct twin_answer *ret);
/* What the broker makes of it; what it leaves to the kernel the kernel makes. */
void twin_brokered(struct twin *t, const struct broker_call *c, struct twin_answer *ret);
/* The call in one of both, with its '@'s filled in; and in both. */
void twin_one(struct twin *t, unsigned which, const struct broker_call *c,
	      struct twin_answer *ret);
void twin_both(struct twin *t, const struct broker_call *c, struct twin_answer ret[2]);
/* Are both alike: names, types, modes, owners, sizes, contents, links, attributes?
 * `whole_of_it`: also what lies above, where ".." leads.  If not, `why` says where. */
bool twin_alike(const struct twin *t, bool whole_of_it, char *why, size_t cap);

#endif
