/*
 * Where a question is drawn, so that nothing that a run has written or set can hide a part of it
 * or stand beside it.
 */
#ifndef RUNTIME_APPROVALS_SCREEN_H
#define RUNTIME_APPROVALS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/approvals/tty.h"

struct screen {
	struct tty *t;
	bool own;        /* an empty screen; else the lines below the cursor */
	bool knows;      /* the terminal has answered: the cursor before, the colours */
	bool redraw;     /* after screen_close(): what was on the screen is lost (tty_redraw()) */
	int row, col;    /* the cursor before */
	int mark;        /* the column in which the cursor was left on the other screen */
	int rows, cols;  /* the terminal's size: its own word, else at most 24 and 80 */
	char text[32], ground[32]; /* the colours that were set for text and background; "": unknown */
};

/*
 * Takes the terminal over: after tty_begin().  With `own` the question has an empty screen of its
 * own; the processes that write to the terminal must stand still (pause.h).  Without, it comes
 * below what is there.
 */
void screen_open(struct screen *s, struct tty *t, bool own);
/*
 * Before the question is shown, each time: sets the terminal plain again, since other programs can have
 * had it (^Z), asks for its size, and clears the screen.
 */
void screen_begin(struct screen *s);
/* Clears the screen: an own one, else the lines below the cursor. */
void screen_clear(const struct screen *s);
/* Gives the terminal back as it was. */
void screen_close(struct screen *s);
/* Without a question: sets the terminal plain and clears what is below the cursor.  It only writes, so it
 * can be called under the filter of the supervisor. */
void screen_set_plain(struct tty *t);

#endif
