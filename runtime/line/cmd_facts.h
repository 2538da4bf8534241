/* What the tables say about programs, options and variables; command.h declares what
 * other folders ask. For the files behind command.h only. */
#ifndef RUNTIME_LINE_CMD_FACTS_H
#define RUNTIME_LINE_CMD_FACTS_H

#include "runtime/line/cmd.h"

const struct line_option *cmd_known(const struct line_facts *f, const struct line_program *p,
				  const char *name, size_t n);
/* May the program's table know an option that begins with "--"? */
bool cmd_has_long(const struct line_facts *f, const struct line_program *p);
/* The table of the subcommand `word`, or NULL. */
const struct line_program *cmd_subcommand(const struct line_facts *f,
					const struct line_program *p, const char *word,
					size_t n);
/* The number of bytes of a version at the end of a program's name; 0: none. */
size_t cmd_version_at_end(const char *p, size_t n);
/* Does the name of a program begin with the processor of a GNU triplet? */
bool cmd_names_machine(const char *p, size_t n);
bool cmd_in_words(const struct line_facts *f, struct pb_table words, const char *p,
		  size_t n);
/* Are these bytes code, in a code place with this `when`? */
bool cmd_when(const struct line_facts *f, uint32_t when, const char *p, size_t n);
enum cmd_var { CMD_VAR_OTHER, CMD_VAR_SAFE, CMD_VAR_TAINT };
enum cmd_var cmd_var(const struct line_facts *f, const char *p, size_t n);
/* May this variable have the value (NULL: an unknown value)? No, if bash would evaluate
 * it. */
#define CMD_NUMBER "a value of this variable is arithmetic, which may run code"
bool cmd_may_have(const char *name, size_t n, const char *value, size_t value_n);

#endif
