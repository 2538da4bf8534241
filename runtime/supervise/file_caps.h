/*
 * The capabilities that get around the permissions of files.  No run has one; polrun may: somebody
 * gave it to an ordinary user, or polrun is root of a user namespace.  What polrun does to files for a
 * run it does without them.  They are those that setfsuid(2) takes from root, unless a bit
 * (SECBIT_NO_SETUID_FIXUP) forbids that.
 */
#ifndef RUNTIME_SUPERVISE_FILE_CAPS_H
#define RUNTIME_SUPERVISE_FILE_CAPS_H

/* Gives them up for good.  0 or -errno. */
int file_caps_drop(void);
/* 1: this process acts with one of them; 0; -errno. */
int file_caps_has(void);

#endif
