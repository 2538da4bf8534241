/* What polquery's verbs about the state share: their command line, failures, times. */
#ifndef RUNTIME_STATE_VERB_H
#define RUNTIME_STATE_VERB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/err.h"
#include "runtime/base/json.h"
#include "runtime/base/optread.h"

/* Exit statuses: nothing was removed; trouble. */
enum { VERB_NONE = 1, VERB_TROUBLE = 2 };

/* Prints the failure and returns VERB_TROUBLE. */
int verb_fail(const struct rt_err *err);

enum { VERB_WHEN = 32 };
/* "2026-11-25T15:20:00Z"; "?" for an invalid time. */
void verb_when(int64_t when, char out[VERB_WHEN]);

/* What every one of them is asked: `list`, or another verb about the things with these
 * keys, or about all of them.  The strings are argv's. */
struct verb_line {
	const char *verb;
	const char *format; /* NULL, or as given */
	bool all, help;
	char **keys;
	int nkeys;
};

/* How a verb's keys look: the beginning, at least VERB_KEY_LEAST hexadecimal digits. */
enum { VERB_KEY_LEAST = 8 };
struct verb_keys {
	const char *noun;   /* "key" */
	const char *listed; /* the command that shows them */
	int most;           /* digits of a whole one */
};

/* Reads options, the verb, options and keys into *line.  `set` of the reader stores
 * what it gets for `to` in *line, too.  none: the message if there is no verb. */
int verb_read(const struct optread *reader, int argc, char **argv, void *to,
	      struct verb_line *line, const char *none, struct rt_err *err);
/* `--format` belongs to `list` and is text or json. */
int verb_check_format(const struct verb_line *line, struct rt_err *err);
int verb_check_keys(const struct verb_line *line, const struct verb_keys *keys,
		    struct rt_err *err);
bool verb_is_list(const struct verb_line *line);
bool verb_is_json(const struct verb_line *line);
/* Does the line name this thing, by the beginning of its key? */
bool verb_has_key(const struct verb_line *line, const char *key);

/* Ends the document, writes and releases it.  0 or -ENOMEM. */
int verb_print_json(FILE *out, struct json *j);

#endif
