/* /etc/passwd, read as text: a static program has no NSS. A network user who is not in
 * the file is told to set HOME. */
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

/* Reads one line, name:passwd:uid:gid:gecos:home:shell; false if it is no entry. */
bool passwd_entry_read(const char *line, size_t len, struct passwd_entry *ret);
/* Searches `text` (the file's bytes, NUL-terminated) by uid, or by name if that is not
 * NULL. Skips lines that are not entries. */
bool passwd_find(const char *text, const char *name, uid_t uid,
		 struct passwd_entry *ret);
/* The same in /etc/passwd: 1; 0 (also if there is no such file to read); or -errno. */
int passwd_lookup(const char *name, uid_t uid, struct passwd_entry *ret);
/* Reads a decimal number that fits a uid and is not (uid_t)-1. */
bool passwd_number(const char *s, size_t len, uid_t *ret);

#endif
