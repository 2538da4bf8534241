/* Chooses who answers an ask.  If nobody can, the answer is no. */
#include "runtime/approvals/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/approvals/approval_key.h"
#include "runtime/approvals/ask_text.h"
#include "runtime/approvals/dialog.h"
#include "runtime/approvals/tty.h"
#include "runtime/base/io.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/state/state_dir.h"

/* If one line asks more questions, none is asked: nobody would read them all. */
enum { MAX_QUESTIONS = 32 };

enum { EXIT_FAILED = 125, EXIT_DENIED = 126 };

struct question {
	const struct cmd_part *part;
	char key[APPROVALS_KEY + 1];
	bool remember;
};

struct asking {
	const struct ask *in;
	char session[APPROVAL_SESSION]; /* "": no session */
	struct approvals store;          /* dirfd -1: no store */
	struct question *q;
	size_t n;
	unsigned by;                     /* enum ask_by */
};

/* --- what is to be answered ----------------------------------------------------------- */

static bool is_answered_by_option(struct asking *a, const struct cmd_part *p)
{
	const struct ask *in = a->in;
	bool mode = entry_ask_answer(in->ctx) == PB_ALLOW;

	if (p->needs_person || (!in->yes && !mode))
		return false;
	a->by |= in->yes ? ASK_BY_YES : ASK_BY_MODE;
	return true;
}

/* True if there is this question already: the same command twice in a line is asked
 * once. */
static bool is_known(const struct asking *a, const char *key)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->q[i].key, key) == 0)
			return true;
	return false;
}

/* False if there are more questions than anybody would answer. */
static bool collect(struct asking *a)
{
	const struct ask *in = a->in;
	unsigned char line[APPROVAL_LINE];

	approval_line(in->ctx, in->entry, a->session, in->path, line);
	for (const struct cmd_part *p = in->entry->parts.first; p; p = p->next) {
		struct question *q = &a->q[a->n];
		char key[APPROVALS_KEY + 1];

		if (p->effect != PB_ASK || is_answered_by_option(a, p))
			continue;
		approval_key(in->ctx->b, line, p, key);
		if (is_known(a, key))
			continue;
		if (a->n == MAX_QUESTIONS)
			return false;
		*q = (struct question){ .part = p };
		memcpy(q->key, key, sizeof(key));
		a->n++;
	}
	return true;
}

/* --- what was answered before ----------------------------------------------------------- */

static void warn(const char *what, const struct rt_err *err)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text);
	fprintf(stderr, "polrun: %s: %s\n", what, line);
}

/* Reads the store.  If it cannot be read, there are no answers, and a message says so. */
static void read_store(struct asking *a)
{
	struct rt_err err = { 0 };
	int r = approvals_open(a->in->dir, &a->store, &err);

	if (r == 0)
		r = approvals_load(&a->store, &err);
	if (r < 0 && r != -ENOENT)
		warn("remembered answers do not count", &err);
}

static void drop_remembered(struct asking *a)
{
	int64_t now = time(NULL);
	size_t left = 0;

	for (size_t i = 0; i < a->n; i++)
		if (a->q[i].part->needs_person || !a->session[0] ||
		    !approvals_has(&a->store, a->q[i].key, a->session, now))
			a->q[left++] = a->q[i];
		else
			a->by |= ASK_BY_SESSION;
	a->n = left;
}

static void remember(struct asking *a)
{
	struct rt_err err = { 0 };

	for (size_t i = 0; i < a->n; i++) {
		struct approval p;

		if (!a->q[i].remember)
			continue;
		approval_make(a->in->ctx->b, a->q[i].part->rule, a->q[i].key, a->session, &p);
		entry_show_part(a->in->entry, a->q[i].part, p.what, sizeof(p.what));
		if (!p.what[0])
			(void)snprintf(p.what, sizeof(p.what), "-");
		if (approvals_add(&a->store, &p, &err) < 0) {
			warn("the answer counts once, it cannot be remembered", &err);
			return;
		}
	}
}

/* --- the questions ------------------------------------------------------------------------ */

static bool show_question(struct ask_out *out, const void *q)
{
	return ask_text(out, q);
}

static void show_details(struct ask_out *out, const void *q)
{
	ask_text_details(out, q);
}

static bool ask_all(struct asking *a, struct screen *s, size_t *ret_i)
{
	for (size_t i = 0; i < a->n; i++) {
		struct question *q = &a->q[i];
		struct ask_question text = {
			.ctx = a->in->ctx, .entry = a->in->entry, .part = q->part,
			.session = a->session[0] && !q->part->needs_person ? a->session :
									      NULL,
			.number = (unsigned)i + 1, .of = (unsigned)a->n,
		};
		const struct dialog d = { show_question, show_details, &text,
					  text.session != NULL };
		enum dialog_answer is = dialog_ask(s, &d);

		*ret_i = i;
		if (is == DIALOG_NO)
			return false;
		q->remember = is == DIALOG_SESSION;
	}
	return true;
}

/* --- nobody ------------------------------------------------------------------------------- */

static int not_answered(const struct asking *a, const struct cmd_part *part, const char *why,
			struct rt_err *err)
{
	char what[110], rule[ENTRY_WHY];

	entry_show_part(a->in->entry, part, what, sizeof(what));
	entry_show_why(a->in->ctx, a->in->entry, part, rule);
	(void)rt_fail(err, EACCES, "%s: not run: the policy asks first (%.240s)%s%s", what,
		      rule, !part || part->needs_person ?
		      "; only a person can answer this" : "; -y answers yes", why);
	entry_add_hint(a->in->ctx, part, err);
	return a->in->mode == ASK_FAIL ? EXIT_FAILED : EXIT_DENIED;
}

static int denied(const struct asking *a, const struct cmd_part *part, struct rt_err *err)
{
	char what[110], rule[ENTRY_WHY];

	entry_show_part(a->in->entry, part, what, sizeof(what));
	entry_show_why(a->in->ctx, a->in->entry, part, rule);
	(void)rt_fail(err, EACCES, "%s: not run: it was asked, and not allowed (%s)", what,
		      rule);
	return EXIT_DENIED;
}

/* The directory also holds the terminal's lock. */
static int open_store(struct asking *a, struct rt_err *err)
{
	int r;

	if (a->store.dirfd >= 0)
		return 0;
	r = state_dir_make(a->in->dir, err);
	if (r == 0)
		r = approvals_open(a->in->dir, &a->store, err);
	return r;
}

static int at_terminal(struct asking *a, struct rt_err *err)
{
	struct tty t = { .fd = -1 };
	struct screen screen;
	struct rt_err why = { 0 };
	char text[460];
	size_t i = 0;
	int r = tty_open(&t, &why);

	if (r == -ENXIO)
		return not_answered(a, a->q[0].part, "", err);
	/* starting again is faster than any person, and ^C must not reach the waiting
	 * child as well */
	if (r == 0 && a->in->ahead)
		sandbox_ahead_release(a->in->ahead);
	if (r == 0)
		r = open_store(a, &why);
	if (r == 0)
		r = approvals_lock_terminal(&a->store, t.device ? t.device : 1,
					    tty_interrupted, &why);
	if (r == 0)
		r = tty_begin(&t, &why);
	if (r == -EINTR) {
		tty_close(&t);
		return denied(a, a->q[0].part, err);
	}
	if (r < 0) {
		tty_close(&t);
		(void)snprintf(text, sizeof(text), "; nobody is asked: %s", why.text);
		return not_answered(a, a->q[0].part, text, err);
	}
	a->by |= ASK_BY_PERSON;
	screen_open(&screen, &t, false);
	r = ask_all(a, &screen, &i) ? 0 : denied(a, a->q[i].part, err);
	screen_close(&screen);
	tty_close(&t);
	if (r == 0)
		remember(a);
	return r;
}

/* Does the line do only what its parts do, and may options answer all of them? */
static bool is_answered(const struct asking *a)
{
	bool asks = false;

	for (const struct cmd_part *p = a->in->entry->parts.first; p; p = p->next)
		asks |= p->effect == PB_ASK;
	return asks && !a->in->entry->d.needs_person;
}

static int settle(struct asking *a, struct rt_err *err)
{
	bool few = collect(a);

	if (a->n == 0)
		return is_answered(a) ? 0 : not_answered(a, NULL, "", err);
	if (!few)
		return not_answered(a, a->q[0].part, "; more of its commands ask than "
				    "anybody would answer", err);
	read_store(a);
	drop_remembered(a);
	if (a->n == 0)
		return 0;
	if (a->in->plan || a->in->mode != ASK_TTY)
		return not_answered(a, a->q[0].part, "", err);
	return at_terminal(a, err);
}

int ask_verdict(const struct ask *in, unsigned *ret_by, struct rt_err *err)
{
	struct asking a = { .in = in, .store = { .dirfd = -1, .lock = -1 } };
	int status = entry_verdict(in->ctx, in->entry, err);

	*ret_by = 0;
	if (status != ENTRY_ASKS)
		return status;
	a.q = calloc(MAX_QUESTIONS + 1, sizeof(*a.q));
	if (!a.q) {
		(void)rt_fail(err, ENOMEM, "out of memory");
		return EXIT_FAILED;
	}
	if (!approval_session(in->session, a.session))
		a.session[0] = '\0';
	status = settle(&a, err);
	*ret_by = a.by;
	approvals_release(&a.store);
	free(a.q);
	return status;
}
