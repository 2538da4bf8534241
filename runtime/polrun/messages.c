/*
 * A terminal keeps what a program has set, also when the program has ended: concealed text, colours that are
 * alike, a control string that has no end yet, which would take a message for the window's title.  The command
 * could so hide what polrun says about it, and most prompts set their own colours and title, so nothing looks
 * odd.  Therefore the terminal is set plain before polrun's first message, and before the first one after the
 * run.  A run about which nothing is said leaves the terminal as the command has left it.
 */
#include "runtime/polrun/messages.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/approvals/screen.h"
#include "runtime/approvals/tty.h"
#include "runtime/base/io.h"

static struct tty terminal; /* standard error, only to be written to */
static bool at_terminal, must_set_plain;

static ssize_t write_message(void *cookie, const char *text, size_t n)
{
	(void)cookie;
	if (must_set_plain)
		screen_set_plain(&terminal);
	must_set_plain = false;
	return io_write_all(STDERR_FILENO, text, n) < 0 ? -1 : (ssize_t)n;
}

void messages_begin(void)
{
	FILE *to;

	if (!tty_is_stderr(&terminal))
		return;
	to = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_message });
	if (!to)
		return;
	(void)setvbuf(to, NULL, _IONBF, 0);
	stderr = to;
	at_terminal = must_set_plain = true;
}

void messages_after_run(void)
{
	must_set_plain = at_terminal;
}
