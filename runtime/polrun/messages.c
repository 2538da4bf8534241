/*
 * A terminal keeps what a program has set after the program has ended: concealed text, the same colour for text
 * and background, or an unfinished control string, in which the terminal takes the next message for the window's title.
 * The command could hide polrun's messages about it in this way, and the user would not notice, since most prompts
 * set their own colours and title.  So polrun sets the terminal plain before its first message (an earlier run may
 * have changed it), and before the first message after the run.  If there is no message, the terminal stays as the
 * command has left it.
 */
#include "runtime/polrun/messages.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/approvals/screen.h"
#include "runtime/approvals/tty.h"
#include "runtime/base/io.h"

static struct tty terminal; /* standard error, only for tty_write() */
static bool at_terminal, must_set_plain;

static ssize_t write_message(void *cookie, const char *text, size_t n)
{
	(void)cookie;
	if (must_set_plain)
		screen_set_plain(&terminal);
	must_set_plain = false;
	/* fopencookie(3): an error is 0 here, and never negative */
	return io_write_all(STDERR_FILENO, text, n) < 0 ? 0 : (ssize_t)n;
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
