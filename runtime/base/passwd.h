/* /etc/passwd, read as text: a static program has no NSS, and a network user
 * who is not in the file is asked for HOME by name. */
#ifndef RUNTIME_BASE_PASSWD_H
#define RUNTIME_BASE_PASSWD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct passwd_entry {
	char name[64];
	uid_t uid;
	gid_t gid;
	char home[PATH_MAX];
};

/* In `text` (the file's bytes, NUL-terminated): by uid, or by name where it is
 * not NULL.  Lines that are no entries are skipped. */
bool passwd_find(const char *text, const char *name, uid_t uid,
		 struct passwd_entry *ret);
/* As above, in /etc/passwd: 1, 0 (also where there is none to read), or -errno. */
int passwd_lookup(const char *name, uid_t uid, struct passwd_entry *ret);
/* A decimal number that fits a uid and is not (uid_t)-1. */
bool passwd_number(const char *s, size_t len, uid_t *ret);

#endif
