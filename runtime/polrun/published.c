/* Decides which ports are published: -P publishes what no rule denies, and a rule's ports are published
 * when the run listens there. */
#include "runtime/polrun/published.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"

static const struct pb_publish_entry *entry_at(const struct bundle *b, uint32_t i)
{
	return b->publish && i < b->publish->entries.count ?
		       pb_at(b->publish, b->publish->entries, sizeof(struct pb_publish_entry), i) : NULL;
}

/* Adds the ports of the rules that allow, or of those that deny.  True if there are such rules. */
static bool add_rules(const struct bundle *b, bool deny, struct ports *ret)
{
	const struct pb_publish_entry *e;
	bool any = false;

	for (uint32_t i = 0; (e = entry_at(b, i)); i++)
		if (!e->deny == !deny) {
			ports_add_range(ret, e->lo, e->hi);
			any = true;
		}
	return any;
}

/* The rule that denies the port, or NULL. */
static const struct pb_publish_entry *denies(const struct bundle *b, uint16_t port)
{
	const struct pb_publish_entry *e;

	for (uint32_t i = 0; (e = entry_at(b, i)); i++)
		if (e->deny && port >= e->lo && port <= e->hi)
			return e;
	return NULL;
}

static const char *denied_by(const struct bundle *b, const struct pb_publish_entry *e, char *buf, size_t size)
{
	char text[300], file[300];

	io_escape(text, sizeof(text), pb_strp(b->publish, e->text), e->text.len);
	io_escape(file, sizeof(file), pb_strp(b->publish, e->file), e->file.len);
	(void)snprintf(buf, size, "denied by rule '%s' at %s:%u", text, file, e->line);
	return buf;
}

/* A rule is about the port of the run and about that of this machine. */
static int check_given(const struct bundle *b, const struct publish_pair *g, struct rt_err *err)
{
	const struct pb_publish_entry *e = denies(b, g->host);
	char by[700];

	if (!e)
		e = denies(b, g->inside);
	return e ? rt_fail(err, EPERM, "-P %u:%u: %s", g->host, g->inside, denied_by(b, e, by, sizeof(by))) : 0;
}

const char *published_way(const struct bundle *b, uint16_t port, char *buf, size_t size)
{
	const struct pb_publish_entry *e = denies(b, port);
	char by[700];

	if (e)
		(void)snprintf(buf, size, "to publish it is %s", denied_by(b, e, by, sizeof(by)));
	else
		(void)snprintf(buf, size, "polrun -P %u, or a policy's network { publish tcp port %u }, publishes "
			       "it on this machine's loopback", port, port);
	return buf;
}

int published_start(const struct sandbox_run *run, const struct polrun_options *opt, FILE *notes,
		    struct publish *ret, struct rt_err *err)
{
	AUTO_FREE struct ports *wanted = calloc(2, sizeof(*wanted));
	struct publish_want want = { .given = opt->publish, .ngiven = opt->npublish, .quiet = opt->quiet,
				     .gateway = run->gateway };
	const struct bundle *b = run->bundle;
	int r = 0;

	if (!wanted)
		return rt_fail(err, ENOMEM, "no memory for published ports");
	for (size_t i = 0; i < opt->npublish && r == 0; i++)
		r = check_given(b, &opt->publish[i], err);
	if (r < 0)
		return r;
	if (run->host_network) {
		if (opt->npublish)
			fprintf(notes, "polrun: network full: the run has this machine's ports itself, and -P "
				"publishes nothing\n");
		return 0;
	}
	if (add_rules(b, false, &wanted[0]))
		want.wanted = &wanted[0];
	(void)add_rules(b, true, &wanted[1]);
	for (size_t i = 0; i < sizeof(wanted->v) / sizeof(wanted->v[0]); i++)
		wanted[0].v[i] &= ~wanted[1].v[i];
	return publish_start(ret, &want, err);
}

void published_arm(const struct sandbox_run *run, const struct polrun_options *opt, struct unpublished *u)
{
	const struct pb_publish_entry *e;

	(void)add_rules(run->bundle, false, &u->quiet);
	/* a denied port is not published, and the note says why */
	for (uint32_t i = 0; (e = entry_at(run->bundle, i)); i++)
		for (uint32_t port = e->lo; e->deny && port <= e->hi; port++)
			ports_remove(&u->quiet, (uint16_t)port);
	for (size_t i = 0; i < opt->npublish; i++)
		ports_add(&u->quiet, opt->publish[i].inside);
}

void published_preview(FILE *out, const struct sandbox_run *run, const struct polrun_options *opt)
{
	const struct pb_publish_entry *e;
	struct rt_err err;

	for (size_t i = 0; i < opt->npublish; i++)
		if (check_given(run->bundle, &opt->publish[i], &err) < 0)
			fprintf(out, "refused   %s\n", err.text);
		else if (!run->host_network)
			fprintf(out, "publish   127.0.0.1:%u and [::1]:%u lead to port %u of the run\n",
				opt->publish[i].host, opt->publish[i].host, opt->publish[i].inside);
	for (uint32_t i = 0; !run->host_network && (e = entry_at(run->bundle, i)); i++)
		if (e->deny)
			fprintf(out, "publish   never ports %u to %u\n", e->lo, e->hi);
		else if (geteuid() == 0 || e->hi >= PUBLISH_UNPRIVILEGED)
			fprintf(out, "publish   127.0.0.1 and [::1] lead to ports %u to %u of the run where it "
				"listens\n", geteuid() == 0 || e->lo >= PUBLISH_UNPRIVILEGED ? e->lo : PUBLISH_UNPRIVILEGED,
				e->hi);
}
