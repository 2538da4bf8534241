/* Names denials on stderr.  Decides which of them matter, and their wording.  Everything
 * from the command or the bundle is escaped before it is printed. */
#include "runtime/supervise/explain_denials.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/egress/gate.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/supervise/denial_hint.h"

enum { FEW = 3, MANY = 20 };

/* ENOSYS means "there is no such call", and makes the program use another call. */
static bool is_fallback(const struct denial *d)
{
	return d->err == ENOSYS;
}

static bool is_read(const struct denial *d)
{
	return strcmp(d->layer, "file") == 0 && strcmp(d->op, "read") == 0;
}

/* Runtimes look there for the limits of a container, and do without. */
static bool is_of_the_machine(const struct denial *d)
{
	return is_read(d) && (strncmp(d->subject, "/sys", 4) == 0 ||
			      strncmp(d->subject, "/proc", 5) == 0);
}

/* A rule of a policy, not of the library, and not what holds where no rule is. */
static bool is_written_rule(const struct bundle *b, const struct denial *d)
{
	const struct pb_rule *r = bundle_rule(b, d->rule);

	return r && r->level != PB_DEFAULT && r->kind != PB_SCALAR;
}

static bool is_floor(const struct bundle *b, const struct denial *d)
{
	return bundle_is_floor(b, d->rule) && strcmp(d->op, "write") == 0;
}

/* Would a person who looks for the reason of a failure, or for what a run that worked did
 * not get, want to see it? */
static bool matters(const struct bundle *b, const struct denial *d, const struct explain_how *how)
{
	if (how->verbose && how->asked)
		return true;
	if (is_floor(b, d) || (how->asked && is_written_rule(b, d)))
		return true;
	if (is_fallback(d) || !(how->asked || how->failed))
		return false;
	if (is_written_rule(b, d))
		return true;
	if (how->failed)
		return !is_of_the_machine(d);
	return !is_read(d); /* settings that a program looks for, and does without */
}

/* The rule speaks of a directory in which a link lies that leads to the path. */
static void print_link(FILE *out, const struct sandbox_view *v, const struct denial *e)
{
	char text[sizeof(e->subject)];

	for (size_t i = 0; v && strcmp(e->layer, "file") == 0 && i < v->ndenied; i++) {
		const struct sandbox_denied *d = &v->denied[i];

		io_escape(text, sizeof(text), d->path, strlen(d->path));
		if (!d->link || d->rule != e->rule || !view_at(e->subject, text))
			continue;
		io_escape(text, sizeof(text), d->link, strlen(d->link));
		fprintf(out, " (the link %s leads there)", text);
		return;
	}
}

static void print_denial(FILE *out, const struct bundle *b, const struct denial *e,
			 const struct explain_how *how)
{
	char rule[EXPLAIN_RULE_CAP], text[100], would[700]; /* the report has the whole text */

	fprintf(out, "polrun: blocked: %s %s",
		strcmp(e->layer, "seccomp") == 0 ? "system call" : e->op, e->subject);
	if (e->setting[0])
		fprintf(out, " (%s)", e->setting);
	if (e->count > 1)
		fprintf(out, " (%" PRIu64 " times)", e->count);
	fprintf(out, ": %s", !bundle_rule(b, e->rule) && e->cause ? e->cause :
			     explain_rule(b, e->rule, rule));
	if (explain_rule_reason(b, e->rule, text, sizeof(text)) ||
	    explain_rule_text(b, e->rule, text, sizeof(text)))
		fprintf(out, ": %s", text);
	else if (!bundle_rule(b, e->rule) && e->err) /* what could not be done */
		fprintf(out, " (%s)", strerror(e->err));
	if (strcmp(e->layer, "network") == 0 && e->why == GATE_W_ASK)
		fputs(" (it asks, and nobody said yes)", out);
	print_link(out, how->view, e);
	if ((how->verbose || how->failed) && denial_hint(b, e, would, sizeof(would)))
		fprintf(out, "; to let it pass: %s", would);
	fputc('\n', out);
}

/* The number of the denial from which on `most` of those that matter were met last. */
static uint64_t since(const struct bundle *b, const struct denials *d,
		      const struct explain_how *how, size_t most)
{
	uint64_t from = UINT64_MAX;

	for (size_t k = 0; k < most; k++) {
		uint64_t best = 0;

		for (size_t i = 0; i < d->n; i++)
			if (d->v[i].last < from && d->v[i].last > best && matters(b, &d->v[i], how))
				best = d->v[i].last;
		if (!best)
			break;
		from = best;
	}
	return from;
}

static void print_rest(FILE *out, const struct denials *d, const struct explain_how *how,
		       uint64_t requests, size_t kinds)
{
	if (kinds)
		fprintf(out, "polrun: %" PRIu64 " other %s blocked (%zu different)%s\n",
			requests, requests == 1 ? "request was" : "requests were", kinds,
			!how->asked ? ": --explain-denials names them" :
			how->verbose ? "" : ", most likely in passing: -v names them");
	if (d->lost)
		fprintf(out, "polrun: blocked: %" PRIu64 " more that were not kept\n", d->lost);
}

void explain_denials(FILE *out, const struct bundle *b, const struct denials *d,
		     const struct explain_how *how)
{
	size_t most = how->verbose && how->asked ? d->n : how->asked ? MANY : FEW, kinds = 0;
	uint64_t from = since(b, d, how, most), requests = 0;
	bool named = false;

	for (int fallback = 0; fallback < 2; fallback++)
		for (size_t i = 0; i < d->n; i++) {
			const struct denial *e = &d->v[i];

			if (is_fallback(e) != (fallback == 1))
				continue;
			if (matters(b, e, how) && e->last >= from) {
				print_denial(out, b, e, how);
				named = true;
			} else if (how->asked || !is_fallback(e)) {
				requests += e->count;
				kinds++;
			}
		}
	if (named || how->asked || (how->failed && kinds + d->lost))
		print_rest(out, d, how, requests, kinds);
}
