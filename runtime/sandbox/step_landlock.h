/* The Landlock calls, as `mode` of the operations of that row. */
#ifndef RUNTIME_SANDBOX_STEP_LANDLOCK_H
#define RUNTIME_SANDBOX_STEP_LANDLOCK_H

enum landlock_part {
	LANDLOCK_PART_CREATE,  /* fd: ABI; v, w, aux: handled fs, net, scoped */
	LANDLOCK_PART_RULE,    /* path; v: rights */
	LANDLOCK_PART_COPIES,  /* aux: so many of init.copies; v: rights */
	LANDLOCK_PART_PROGRAMS, /* other, len: paths, each with its NUL; v: rights */
	LANDLOCK_PART_RESTRICT
};

#endif
