/* Writes the report: what was measured, and null for what this version cannot measure.
 * mechanisms[] says how each thing was enforced or measured. */
#include "runtime/polrun/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/approvals/ask.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/trust.h"
#include "runtime/decide/rule_text.h"
#include "runtime/polrun/carried.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/features.h"
#include "runtime/polrun/left.h"
#include "runtime/polrun/limit_hit.h"
#include "runtime/polrun/network.h"
#include "runtime/polrun/read_only.h"
#include "runtime/polrun/report_net.h"
#include "runtime/polrun/report_rule.h"
#include "runtime/polrun/staged.h"
#include "runtime/supervise/denial_hint.h"

enum { LOCK_MS = 5000 };

static void denial_object(struct json *j, const struct bundle *b, const struct denial *d)
{
	char text[700];

	json_object(j, NULL);
	json_cstr(j, "layer", d->layer);
	json_cstr(j, "op", d->op);
	json_cstr(j, "subject", d->subject);
	if (d->err && strerrorname_np(d->err))
		json_cstr(j, "errno", strerrorname_np(d->err));
	else
		json_null(j, "errno"); /* nobody saw the kernel's answer */
	json_uint(j, "count", d->count);
	report_rule(j, "rule", b, d->rule);
	json_cstr(j, "hint", denial_hint(b, d, text, sizeof(text)) ? text : NULL);
	json_object_end(j);
}

/* Lists who answered the policy's asks. */
static void answered_list(struct json *j, unsigned by)
{
	static const struct { unsigned bit; const char *name; } names[] = {
		{ ASK_BY_YES, "yes" }, { ASK_BY_MODE, "mode" },
		{ ASK_BY_SESSION, "session" }, { ASK_BY_PERSON, "person" },
	};

	json_array(j, "answered_by");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (by & names[i].bit)
			json_cstr(j, NULL, names[i].name);
	json_array_end(j);
}

static void decision_object(struct json *j, const struct report *r)
{
	const struct decision *d = r->entry ? &r->entry->d : NULL;

	if (!d) {
		json_null(j, "decision");
		return;
	}
	json_object(j, "decision");
	json_cstr(j, "effect", explain_effect(d->effect));
	report_rule(j, "rule", r->bundle, d->rule);
	json_cstr(j, "risk", d->unparsed ? NULL : explain_risk(d->risk));
	json_bool(j, "unparsed", d->unparsed);
	answered_list(j, r->answered);
	json_object_end(j);
}

static void numbers(struct json *j, const struct report *r)
{
	const struct supervise_result *s = r->result;

	json_int(j, "exit_code", r->status);
	if (s && s->signal)
		json_int(j, "signal", s->signal);
	else
		json_null(j, "signal");
	decision_object(j, r);
	if (s) {
		json_uint(j, "wall_ms", s->wall_ms);
		json_uint(j, "cpu_ms", s->cpu_ms);
		json_uint(j, "memory_peak_bytes", s->memory_peak_bytes);
	} else {
		json_null(j, "wall_ms");
		json_null(j, "cpu_ms");
		json_null(j, "memory_peak_bytes");
	}
	json_null(j, "processes_peak");
	json_null(j, "stdout_bytes");
	json_null(j, "stderr_bytes");
	json_null(j, "truncated");
}

/* Lists what git, an editor or a shell would trust and was not there before. */
static void left_list(struct json *j, const struct left *l)
{
	char path[LEFT_TEXT];

	json_array(j, "left");
	for (size_t i = 0; l && i < l->found.n; i++) {
		const struct left_item *it = &l->found.v[i];

		if (it->kind >= LEFT_CUT)
			continue;
		io_escape(path, sizeof(path), it->path, strlen(it->path));
		json_object(j, NULL);
		json_cstr(j, "path", path);
		json_cstr(j, "kind", left_word(it->kind));
		json_object_end(j);
	}
	json_array_end(j);
}

/* The kernel counted what the command tried to reach, without the addresses. */
static void unreached_object(struct json *j, const struct report *r)
{
	struct denial d = { .layer = "network", .op = "connect", .subject = "outside",
			    .err = ENETUNREACH, .count = r->unreached,
			    .rule = r->bundle->rules->scalar_first + (uint32_t)PB_S_NET_MODE };

	denial_object(j, r->bundle, &d);
}

static void lists(struct json *j, const struct report *r)
{
	const struct supervise_result *s = r->result;
	struct limit_hit hit[LIMIT_HITS];
	size_t nhit = s ? limit_hits(r->bundle, s, hit) : 0;

	json_array(j, "limits_hit");
	for (size_t i = 0; i < nhit; i++) {
		json_object(j, NULL);
		json_cstr(j, "limit", limit_word(hit[i].kind));
		report_rule(j, "rule", r->bundle, hit[i].rule);
		json_object_end(j);
	}
	json_array_end(j);
	if (s && s->wall) {
		char path[600];
		const struct sandbox_wall *w = s->wall;

		io_escape(path, sizeof(path), w->path, strlen(w->path));
		json_object(j, "wall_gone");
		json_cstr(j, "path", path);
		report_rule(j, "rule", r->bundle, w->rule);
		json_object_end(j);
	} else {
		json_null(j, "wall_gone");
	}
	json_array(j, "denials");
	for (size_t i = 0; s && i < s->denials.n; i++)
		denial_object(j, r->bundle, &s->denials.v[i]);
	if (r->entry && r->entry->d.effect != PB_ALLOW && !s && r->status == 126) {
		struct denial d = { .layer = "command",
				    .op = "exec",
				    .count = 1,
				    .rule = r->entry->d.rule };

		if (r->entry->argc)
			entry_show(r->entry, d.subject, sizeof(d.subject));
		denial_object(j, r->bundle, &d);
	}
	if (r->unreached && !r->run->trace)
		unreached_object(j, r);
	json_array_end(j);
	report_net(j, r->bundle, r->gateway);
	left_list(j, r->left);
	read_only_list(j, r->run, r->view);
	report_written(j, &r->written);
	json_cstr(j, "staged", r->staged && r->staged->made && !r->staged->empty ?
			       r->staged->stage.id : NULL);
	json_cstr(j, "runner", r->run ? "native" : NULL);
}

static void how(struct json *j, const char *what, const char *text)
{
	char line[LEFT_TEXT + 200];

	(void)snprintf(line, sizeof(line), "%s: %s", what, text);
	json_cstr(j, NULL, line);
}

/* Says which of the searches before and after the run were incomplete. */
static void left_mechanisms(struct json *j, const struct report *r)
{
	const struct left_item it = { .kind = r->left ? r->left->incomplete : LEFT_KINDS,
				      .path = (char *)(uintptr_t)(r->left ? r->left->project : "") };
	char text[LEFT_TEXT];

	if (!r->left)
		return;
	if (r->view->project.repos.cut || r->view->project.repos.failed)
		how(j, "under", "not all of the project was searched for repositories before "
		    "the run: those that were not found were not kept as they are");
	for (size_t i = 0; i < r->view->ntrees; i++) {
		const struct sandbox_tree *t = &r->view->trees[i];

		if (!t->repos.cut && !t->repos.failed)
			continue;
		io_escape(text, 600, t->path, strlen(t->path));
		how(j, "under: not all of this tree was searched for repositories before the run, "
		    "and those that were not found were not kept as they are", text);
	}
	if (it.kind < LEFT_KINDS) {
		left_say(&it, text);
		how(j, "left", text);
	}
	if (r->left->names_cut)
		how(j, "left", "not all new names in the project were looked at");
	if (r->left->found.more) {
		(void)snprintf(text, sizeof(text), "%" PRIu64 " more have appeared",
			       r->left->found.more);
		how(j, "left", text);
	}
}

static void describe_no_landlock(const struct report *r, char *ret, size_t cap)
{
	const struct sandbox_node *n = r->view ? sandbox_open_to_sockets(r->run, r->view) : NULL;
	char path[200];

	if (n)
		io_escape(path, sizeof(path), n->path, strlen(n->path));
	(void)snprintf(ret, cap, "missing; the mount view alone holds%s%s",
		       n ? "; under: other runs can connect to sockets that the command makes in " : "", n ? path : "");
}

static void mechanisms(struct json *j, const struct report *r)
{
	char line[700], rule[EXPLAIN_RULE_CAP], path[200], lacks[200];
	struct limit_hit hit[LIMIT_HITS];
	size_t nhit = r->result ? limit_hits(r->bundle, r->result, hit) : 0;

	json_array(j, "mechanisms");
	trust_describe(r->trust, line, sizeof(line));
	how(j, "bundle", line);
	if (r->run) {
		how(j, "files", "mount view");
		if (r->result && r->result->walls)
			how(j, "walls", r->result->walls);
		features_landlock_lacks(r->run->landlock_abi, lacks, sizeof(lacks));
		(void)snprintf(line, sizeof(line), "ABI %d%s%s", r->run->landlock_abi,
			       lacks[0] ? ", as second wall " : "", lacks);
		if (!r->run->landlock_abi)
			describe_no_landlock(r, line, sizeof(line));
		how(j, "Landlock", line);
		how(j, "network", network_mechanism(r->run));
		how(j, "system calls",
		    !r->run->want_listener ?
			    "seccomp without a listener: denials have no name" :
		    r->run->trace ? "seccomp, trace filter with a listener" :
				    "seccomp, enforce filter with a listener");
		if (r->staged && r->staged->on)
			how(j, "staged", !r->staged->made ? "the run could write no tree of the host" :
			    r->staged->empty ? "overlayfs; the run has changed nothing" :
			    "overlayfs; polrun review, commit, discard");
		if (r->run->root_run)
			how(j, "user", "a uid that owns nothing, idmapped trees");
	}
	if (r->result && r->result->denials.lost) {
		(void)snprintf(line, sizeof(line), "%zu more were not recorded",
			       (size_t)r->result->denials.lost);
		how(j, "denials", line);
	}
	if (r->result) {
		how(j, "wall_ms", "monotonic clock of the supervisor");
		how(j, "cpu_ms", "rusage of the command and what it waited for");
		how(j, "memory_peak_bytes", "largest resident set of one process");
		for (size_t i = 0; i < nhit; i++)
			if (hit[i].likely)
				how(j, "limits_hit", "memory is inferred: the command failed, and its "
				    "largest process had three quarters of the limit or more");
	}
	if (r->unordered[0])
		how(j, "other runs", r->unordered);
	if (r->unknown_open[0])
		how(j, "other runs", r->unknown_open);
	report_written_how(j, &r->written);
	left_mechanisms(j, r);
	for (size_t i = 0; i < r->nappeared; i++) {
		size_t k = r->appeared[i];
		const char *p = r->view->creatable[k].path;

		io_escape(path, sizeof(path), p, strlen(p));
		(void)snprintf(line, sizeof(line), "under: %s has appeared (%s)", path,
			       explain_rule(r->bundle, r->view->creatable[k].rule, rule));
		json_cstr(j, NULL, line);
	}
	for (size_t i = 0; r->here && i < r->here->n; i++) {
		(void)snprintf(line, sizeof(line), "%s: %s: %s",
			       exactness_word(r->here->v[i].x),
			       explain_rule(r->bundle, r->here->v[i].rule, rule),
			       r->here->v[i].why);
		json_cstr(j, NULL, line);
	}
	for (uint32_t i = 0; r->bundle && carried_secret(r->bundle, &i, line, sizeof(line));)
		json_cstr(j, NULL, line);
	if (r->bundle && carried_values(r->bundle, line, sizeof(line)))
		json_cstr(j, NULL, line);
	for (uint32_t i = 0; r->bundle && i < r->bundle->rules->rules.count; i++) {
		const struct pb_rule *p = bundle_rule(r->bundle, i);
		char note[200];

		if (!exactness_is_first(r->bundle, i))
			continue;
		io_escape(note, sizeof(note), pb_strp(r->bundle->rules, p->note),
			  p->note.len);
		(void)snprintf(line, sizeof(line), "%s: %s%s%s", exactness_word(p->exactness),
			       explain_rule(r->bundle, i, rule), note[0] ? ": " : "",
			       note);
		json_cstr(j, NULL, line);
	}
	json_array_end(j);
}

int report_write(int fd, const struct report *r, struct rt_err *err)
{
	struct json j;
	const char *text;
	size_t len = 0;
	int e = 0;

	json_init(&j);
	json_object(&j, NULL);
	numbers(&j, r);
	lists(&j, r);
	mechanisms(&j, r);
	if (r->bundle)
		json_uint(&j, "serial", r->bundle->serial);
	else
		json_null(&j, "serial");
	json_cstr(&j, "bundle_digest", r->bundle ? r->bundle->digest : NULL);
	json_object_end(&j);
	text = json_finish(&j, &len);
	if (!text)
		e = rt_fail(err, ENOMEM, "the report: out of memory");
	/* two runs that end together would mix their reports */
	else if ((e = io_lock(fd, LOCK_EX, LOCK_MS)) == -EBUSY)
		e = rt_fail(err, EBUSY, "the report is not written: another program holds a lock "
			    "on it");
	else if (e < 0)
		e = rt_fail_errno(err, -e, "locking the report");
	else if (SYS_RETRY(ftruncate(fd, 0)) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		e = rt_fail_errno(err, errno, "the report");
	else if ((e = io_write_all(fd, text, len)) != 0) {
		e = rt_fail_errno(err, -e, "the report");
		/* half a report could be taken for a whole one */
		(void)SYS_RETRY(ftruncate(fd, 0));
	}
	json_release(&j);
	return e;
}
