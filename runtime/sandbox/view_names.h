/*
 * Where some names are written and others are not.  A directory of the host is then
 * brokered: it is mounted read-only, and polrun decides and makes each writing call
 * (runtime/broker).  Where that cannot be, nothing is written there.
 */
#ifndef RUNTIME_SANDBOX_VIEW_NAMES_H
#define RUNTIME_SANDBOX_VIEW_NAMES_H

#include "runtime/sandbox/view_place.h"

/* What becomes of the directory above a name. */
enum view_above {
	VIEW_ABOVE_HERE,  /* that name in it is not written */
	VIEW_ABOVE_BELOW, /* nor are names anywhere below it */
	VIEW_ABOVE_OPENS  /* names below it can be written */
};

/* Takes writing away from place i, or leaves it to be decided by name, as its wishes and
 * those of the places above say.  `host`: it shows the host's object. */
void view_restrict(struct view_builder *b, size_t i, bool host);
/* Some names here or below can be written although the place as a whole cannot: a wildcard
 * opens them, or the names of the tree above are decided one by one anyway. */
void view_open_names(const struct view_builder *b, struct view_place *p,
		     const struct view_place *up, bool host);
/* A rule with a wildcard is about names below a writable tree of the run's own, the kept place
 * above: its names are decided one by one then.  0 or -ENOMEM; b->again is set if that is new. */
int view_restrict_own(struct view_builder *b, size_t i);
/* Is it a name that alone may be written, in a directory that is shown, and that no mount can be
 * made on: because it is absent, or a file, and a wildcard is about names there?  Its directory
 * then has names that can be written: this one. */
bool view_opens_alone(const struct view_builder *b, const struct view_place *p,
		      const struct view_place *up);
/* Makes the nearest existing directory above `path` a place of its own and marks it; b->again
 * or b->at_once is set if that is new.  `by` is the rule. */
int view_mark_above(struct view_builder *b, const char *path, uint32_t by,
		    enum view_above what);
/* Is the name one in a .git that is absent?  Who makes the repository makes it as well (git
 * init); what has appeared is told afterwards. */
bool view_makes_repository(const struct view_builder *b, const struct view_place *p);
/* The rule with a wildcard that keeps some names at the path (`host`: outside), below it or
 * around it from being read (`start`: executed); VIEW_NO_RULE. */
uint32_t view_kept_by(const struct view_builder *b, const char *path, const char *host,
		      bool start);
/* Marks the nodes in which polrun opens files for reading, starts programs, or opens files for
 * writing, because Landlock must not give that right there: a rule with a wildcard takes it away
 * from some names, or it would hold in a tree further in that must not have it.  Fails with
 * -EOPNOTSUPP if this host cannot decide names and a rule needs it. */
int view_opens(struct view_builder *b);
/* Is it only that the name is not written (`lost`), in a tree that is? */
bool view_by_name(const struct view_builder *b, const struct view_place *p,
		  const struct view_place *up, uint8_t lost);

#endif
