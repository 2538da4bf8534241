/* The verbs of polc.  Each takes read options and returns an exit code. */
#ifndef COMPILER_CLI_CLI_H
#define COMPILER_CLI_CLI_H

#include "compiler/cli/compilation.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/output.h"

enum cli_exit cmd_check(struct options *o, struct arena *a);
enum cli_exit cmd_compile(struct options *o, struct arena *a);
enum cli_exit cmd_explain(struct options *o, struct arena *a);
enum cli_exit cmd_dump(struct options *o, struct arena *a);
enum cli_exit cmd_inspect(struct options *o, struct arena *a);
enum cli_exit cmd_effective(struct options *o, struct arena *a);
enum cli_exit cmd_diff(struct options *o, struct arena *a);
enum cli_exit cmd_fmt(struct options *o, struct arena *a);
enum cli_exit cmd_convert(struct options *o, struct arena *a);
enum cli_exit cmd_sign(struct options *o, struct arena *a);
enum cli_exit cmd_verify(struct options *o, struct arena *a);
enum cli_exit cmd_trust(struct options *o, struct arena *a);
enum cli_exit cmd_emit(struct options *o, struct arena *a);
enum cli_exit cmd_prove(struct options *o, struct arena *a);
enum cli_exit cmd_exposure(struct options *o, struct arena *a);
enum cli_exit cmd_init(struct options *o, struct arena *a);

/* Adds the files of --discover, if given, and checks that all files can be read. */
bool cli_sources(struct options *o, struct arena *a);
/*
 * Text from a file or a request, made safe for a terminal: bytes that are not
 * printable are written as \xNN, except newlines and tabs if `lines` is set.
 */
struct str cli_clean(struct arena *a, struct str s, bool lines);
/* Afterwards the file holds all of `bytes` (mode 0644) or its old content; false
 * after a message. */
bool cli_write(struct arena *a, const char *path, struct str bytes);
/* Prints a message about a file; the error `e` is named behind `what` unless it is 0.  A run may
 * have chosen the name, which is shown as plain text. */
void cli_say_path(const char *path, const char *what, int e);
/* Prints the message, as plain text: it may name such a file. */
void cli_say_err(const struct rt_err *err);
/* Finds the directory of a file that polc is to write (runtime/decide/output.h); false after a
 * message. */
bool cli_find_output(const char *path, struct output *ret);
/* Makes a new file (mode 0600) in that directory, and returns its name; *ret_fd is -1 if there is
 * none. */
const char *cli_temp(struct arena *a, const struct output *o, int *ret_fd);
/* Reads and checks a bundle; false after a message. */
bool cli_bundle(const char *path, struct bundle *ret);
/* Verifies every member, also those that no verb of polc reads. */
bool cli_members(struct bundle *b, struct rt_err *err);
/*
 * Prints the sink, and the internal error if there is one.  Returns the exit
 * status of a verb whose policy has errors: `errors` (1 or 2), or 70.
 */
enum cli_exit cli_refuse(struct compilation *c, enum cli_exit e,
			 enum cli_exit errors);

#endif
