/* Gives the caller's session its share of the processors back when a run has ended. */
#ifndef RUNTIME_POLRUN_AUTOGROUP_H
#define RUNTIME_POLRUN_AUTOGROUP_H

struct autogroup {
	int fd; /* -1: the kernel has no such groups */
	int nice;
};

/* Before polrun can open no file any more. */
void autogroup_note(struct autogroup *a);
/* After everything of the run has ended. */
void autogroup_give_back(struct autogroup *a);

#endif
