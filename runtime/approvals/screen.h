/*
 * The part of the terminal in which a question is drawn.  Nothing that a run has written to the terminal,
 * or set in it, can hide a part of the question or look like a part of it.
 */
#ifndef RUNTIME_APPROVALS_SCREEN_H
#define RUNTIME_APPROVALS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/approvals/tty.h"

struct screen {
	struct tty *t;
	bool own;        /* the question has a screen of its own; else the lines below the cursor */
	bool knows;      /* the terminal has answered: `row` and `col` are set */
	bool redraw;     /* after screen_close(): what was on the screen is lost (tty_redraw()) */
	int row, col;    /* the cursor's position before screen_open() */
	int mark;        /* the column to which the cursor was moved before the switch of screens (screen.c) */
	int rows, cols;  /* the size that the terminal has answered, else at most 24 and 80 */
	char text[32], ground[32]; /* the colours that were set for text and background; "": unknown */
};

/*
 * Takes over the terminal.  Call it after tty_begin().  With `own` the question gets an empty screen of
 * its own, and the processes that write to the terminal must be stopped (pause.h).  Without it the
 * question comes below the text that is on the screen.
 */
void screen_open(struct screen *s, struct tty *t, bool own);
/*
 * Call it each time before the question is shown.  Sets the terminal plain again, since another program may
 * have used it meanwhile (^Z), asks for its size, and clears the screen.
 */
void screen_begin(struct screen *s);
/* Sets the terminal plain, and clears the question's own screen, else the lines below the cursor. */
void screen_clear(const struct screen *s);
/* Restores the screen, modes and colours that screen_open() has found, as far as the terminal can. */
void screen_close(struct screen *s);
/* For a message instead of a question: sets the terminal plain and clears the screen from the cursor on.  It only
 * writes and asks the terminal nothing, so that the supervisor's filter allows it. */
void screen_set_plain(struct tty *t);

#endif
