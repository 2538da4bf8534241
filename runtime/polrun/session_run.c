/* Starts the sandbox, supervises it, and says what came of it. */
#include "runtime/polrun/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/approvals/ask_net.h"
#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/polrun/appeared.h"
#include "runtime/polrun/autogroup.h"
#include "runtime/polrun/before.h"
#include "runtime/polrun/env.h"
#include "runtime/polrun/features.h"
#include "runtime/polrun/foreign.h"
#include "runtime/polrun/lookup.h"
#include "runtime/polrun/messages.h"
#include "runtime/polrun/network.h"
#include "runtime/polrun/other_runs.h"
#include "runtime/polrun/published.h"
#include "runtime/polrun/record_entry.h"
#include "runtime/polrun/streams.h"
#include "runtime/polrun/told.h"
#include "runtime/sandbox/launch.h"
#include "runtime/state/state_dir.h"

int session_fail(const struct rt_err *err, int status)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text);
	fprintf(stderr, "polrun: %s\n", line[0] ? line : "failed");
	return status;
}

/* Then denials are not named, but no rule is weaker. */
static bool retry_without_listener(struct session *s, const struct rt_err *err)
{
	/* a record of a run that is not traced would lack its files */
	if (!s->run.want_listener || s->touched.v || !features_no_listener(stderr, err))
		return false;
	s->run.want_listener = false;
	s->run.trace = false;
	return true;
}

static struct told told_of(const struct session *s)
{
	return (struct told){
		.notes = s->notes, .trust = &s->trust, .run = &s->run, .view = &s->view, .entry = &s->entry,
		.here = &s->here, .dot_git = s->dot_git, .verbose = s->opt.verbose,
		.result = &s->result, .unreached = &s->unreached, .unpublished = &s->unpublished,
		.gateway = s->run.gateway ? &s->gateway.log : NULL, .project = -1,
	};
}

/* Closes what the set-up needed: an attacker who takes polrun over could use it. */
static void drop_descriptors(struct session *s)
{
	sandbox_view_close(&s->view);
	(void)close(s->polinit);
	s->polinit = -1;
	network_release(&s->run);
	staged_drop(&s->staged);
}

/* Tells of sockets that no rule allows and that nothing prevents. */
static void note_sockets(const struct session *s)
{
	const struct sandbox_node *n = sandbox_open_to_sockets(&s->run, &s->view);
	char path[300];

	if (!n)
		return;
	io_escape(path, sizeof(path), n->path, strlen(n->path));
	fprintf(s->notes, "polrun: without Landlock the command can make sockets in %s to which other runs connect\n", path);
}

static void note_other_runs(FILE *notes, const char *lost)
{
	if (lost[0])
		fprintf(notes, "polrun: %s\n", lost);
}

/* The status, or SESSION_ANOTHER_VIEW. */
static int start_and_supervise(struct session *s)
{
	AUTO_CLOSE int project = -1;
	AUTO_CLOSE int names_lock = -1;
	AUTO_CLOSE int open_list = -1;
	AUTO_CLOSE int open_lock = -1;
	struct told told = told_of(s);
	struct sandbox_child child = { .listener = -1, .root_fd = -1, .copies_fd = -1 };
	struct autogroup autogroup;
	struct rt_err err = { 0 };
	char state[PATH_MAX];
	int r;

	streams_note(&s->streams);
	if (supervise_block_signals(&err) < 0 ||
	    streams_bridge(&s->run, &s->view, &s->streams, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	s->walls.view = &s->view;
	/* root that names a user has capabilities that this user has not */
	s->walls.uid = s->run.root_run || geteuid() ? sandbox_ids_of(&s->run).uid_out : 0;
	s->run.meanwhile = walls_meanwhile;
	s->run.meanwhile_arg = &s->walls;
	do {
		memset(&err, 0, sizeof(err));
		r = sandbox_start(&s->run, &s->view, &child, &err);
	} while (r < 0 &&
		 ((retry_without_listener(s, &err) && !s->view.brokers) ||
		  network_by_polnft(&s->run, &err)));
	if (r == 0)
		r = staged_started(&s->staged, child.init_pid, &err);
	if (r < 0 && s->view.brokers && !s->run.want_listener) {
		walls_release(&s->walls);
		return SESSION_ANOTHER_VIEW;
	}
	if (r < 0) {
		if (strncmp(err.step, "overlay", 7) == 0) /* no rule would be missing */
			fprintf(stderr, "polrun: refused: %s\n", err.text);
		else
			features_refuse(stderr, &s->bundle, &err);
		r = SESSION_REFUSED;
		(void)streams_finish(&s->streams, &err);
		return r;
	}
	if (child.listener < 0) {
		s->run.want_listener = false;
		s->touched.lost += s->touched.v != NULL;
	}
	drop_descriptors(s);
	bundle_forget_commands(&s->bundle);
	/* the supervisor opens nothing by a path; O_PATH is no event for who watches the directory */
	project = open(s->roots.project, (s->run.root_run ? O_RDONLY : O_PATH) | O_DIRECTORY | O_CLOEXEC);
	told.project = project;
	memset(&err, 0, sizeof(err));
	s->ran = true;
	s->result.touched = s->touched.v ? &s->touched : NULL;
	s->effects.digest = s->opt.artifacts ? stage_digest_fd : NULL;
	s->result.effects = s->report.fd >= 0 && !s->staged.on ? &s->effects : NULL;
	told_arm(&told, &s->unreached, s->report.fd >= 0);
	if (!s->opt.quiet)
		told_arm_unpublished(&told, &s->unpublished);
	published_arm(&s->run, &s->opt, &s->unpublished);
	if (!s->run.trace) /* else the rename itself is recorded */
		config_lock_begin(&s->locks, &s->bundle, &s->view);
	note_sockets(s);
	terminal_begin(&s->terminal, child.command_pid);
	autogroup_note(&autogroup);
	if (s->view.brokers && state_dir_path(s->roots.home, NULL, state)) {
		names_lock = other_runs_open_lock(state, s->roots.project, s->unordered);
		other_runs_open_list(state, &open_list, &open_lock, s->unknown_open);
		note_other_runs(s->notes, s->unordered);
		note_other_runs(s->notes, s->unknown_open);
	}
	s->run.names_lock = names_lock;
	s->run.open_list = open_list;
	s->run.open_lock = open_lock;
	r = supervise(&s->run, &s->view, &child, &s->walls, &s->unreached, &s->unpublished,
		      &s->gateway, &s->publish, &s->terminal, &s->result, &err);
	publish_end(&s->publish); /* what the run has sent arrives before polrun says anything */
	streams_give_back(&s->streams);
	autogroup_give_back(&autogroup);
	/* a question that still stands has the terminal, and a screen on which nothing else is to be said */
	ask_net_end(s->gateway.ask, s->asker);
	s->gateway.ask = -1;
	s->asker = 0;
	terminal_give_back(&s->terminal, r < 0 || s->result.exit_code < 0);
	messages_after_run();
	if (r < 0)
		fprintf(stderr, "polrun: %s%s%s\n", err.step, err.step[0] ? ": " : "",
			err.text);
	else if (err.text[0])
		fprintf(stderr, "polrun: %s\n", err.text);
	config_lock_end(&s->locks, &s->view, &s->result.denials);
	told_end(&told);
	if (s->result.status != 0 && s->run.root_run && project >= 0) /* it may be the reason */
		foreign_say(s->notes, project, s->roots.project);
	appeared_say(s->notes, &s->bundle, &s->view, s->appeared, &s->nappeared);
	left_end(&s->left, &s->view, s->appeared, s->nappeared, s->notes);
	staged_end(&s->staged, s->result.status, s->notes);
	artifacts_end(&s->artifacts, &s->effects);
	effects_settle(&s->effects);
	if (streams_finish(&s->streams, &err) < 0 ||
	    record_network(&s->record, &s->run.ctx, &s->gateway.log, &err) < 0 ||
	    record_touched(&s->record, &s->run.ctx, &s->touched, &err) < 0)
		s->result.status = session_fail(&err, SESSION_REFUSED);
	if (s->opt.verbose)
		told_totals(&told);
	return s->result.status;
}

static int no_artifacts(struct rt_err *err, int r)
{
	(void)rt_fail_errno(err, -r, "--artifacts");
	return session_fail(err, SESSION_REFUSED);
}

int session_run(struct session *s)
{
	struct rt_err err = { 0 };
	struct told told;
	int r;
	int status = lookup_check_cwd(&s->run, &s->view, s->roots.project, &err) < 0 ?
			     SESSION_REFUSED : 0;

	free(s->exec_path);
	s->exec_path = NULL;
	if (status == 0 && lookup_path_inside(s->envp, &s->view) < 0) {
		(void)rt_fail(&err, ENOMEM, "out of memory");
		status = SESSION_REFUSED;
	}
	if (status == 0)
		status = lookup_program(&s->run, &s->view, envp_get(s->envp, "PATH"),
					&s->exec_path, &err);
	if (status != 0)
		return session_fail(&err, status);
	free(s->appeared);
	s->appeared = calloc(s->view.ncreatable + 1, sizeof(*s->appeared));
	if (!s->appeared) {
		(void)rt_fail(&err, ENOMEM, "out of memory");
		return session_fail(&err, SESSION_REFUSED);
	}
	s->run.exec_path = s->exec_path;
	before_check_dot_git(s->roots.project, &s->view, s->dot_git, sizeof(s->dot_git));
	told = told_of(s);
	told_begin(&told);
	left_begin(&s->left, s->state, s->roots.project, &s->bundle, &s->view, s->notes);
	r = s->opt.artifacts ? artifacts_begin(&s->artifacts, &s->view) : 0;
	status = r < 0 ? no_artifacts(&err, r) : start_and_supervise(s);
	if (!s->ran) { /* it may be tried once more, in another way */
		left_cancel(&s->left);
		left_release(&s->left);
	}
	return status;
}
