/* polrun: verifies a bundle, decides the command, builds the view, starts the sandbox,
 * supervises it and reports.  Every refusal ends here, with one line that starts with
 * "polrun: " and the exit status that doc/polrun.md gives. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/approvals/approvals.h"
#include "runtime/approvals/ask_net.h"
#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/base/stack.h"
#include "runtime/base/sys.h"
#include "runtime/polrun/ask_path.h"
#include "runtime/polrun/before.h"
#include "runtime/polrun/carried.h"
#include "runtime/polrun/env.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/features.h"
#include "runtime/polrun/lookup.h"
#include "runtime/polrun/messages.h"
#include "runtime/polrun/network.h"
#include "runtime/polrun/preview.h"
#include "runtime/polrun/published.h"
#include "runtime/polrun/record_entry.h"
#include "runtime/polrun/report.h"
#include "runtime/polrun/report_file.h"
#include "runtime/polrun/secrets.h"
#include "runtime/polrun/session.h"
#include "runtime/polrun/stage_verb.h"
#include "runtime/polrun/state_view.h"
#include "runtime/polrun/streams.h"
#include "runtime/state/state_dir.h"

/* --- before the sandbox ---------------------------------------------------------- */

static int find_user(struct session *s, struct rt_err *err)
{
	int r = run_user_find(s->opt.user, &s->user, err);

	if (r < 0)
		return r;
	s->run.root_run = s->user.root_run;
	s->run.uid = getuid();
	s->run.gid = getgid();
	return 0;
}

static int find_roots(struct session *s, struct rt_err *err)
{
	struct roots_input in = {
		.home_env = getenv("HOME"),
		.pwd_env = getenv("PWD"),
		.project = s->opt.project,
		.pw = s->user.known ? &s->user.pw : NULL,
		.prefer_passwd = s->opt.user != NULL,
		.agent_env = getenv("SSH_AUTH_SOCK"),
		.uid = s->run.uid,
	};
	/* with --user this variable belongs to somebody else, like HOME */
	const char *xdg = s->opt.user ? NULL : getenv("XDG_STATE_HOME");
	int r = rt_roots_find(&in, &s->roots, err);

	if (r == 0 && !state_dir_path(s->roots.home, xdg, s->state))
		r = rt_fail(err, ENAMETOOLONG, "XDG_STATE_HOME or HOME is too long");
	if (r < 0)
		return r;
	approvals_file(s->state, s->answers);
	return chosen_places(&s->chosen, &s->opt, &s->roots, s->state, err);
}

static int find_place(struct session *s, struct rt_err *err)
{
	int r = find_user(s, err);

	return r < 0 ? r : find_roots(s, err);
}

static int verdict(struct session *s, bool plan, struct rt_err *err)
{
	const struct ask in = {
		.ctx = &s->run.ctx, .entry = &s->entry, .mode = s->opt.ask,
		.yes = s->opt.yes, .plan = plan, .session = s->opt.session,
		.dir = s->state, .path = getenv("PATH"), .ahead = &s->ahead,
	};

	return ask_verdict(&in, &s->answered, err);
}

static int fill_run(struct session *s, struct rt_err *err)
{
	struct sandbox_run *run = &s->run;
	char pwd[PATH_MAX];
	struct env_input env = {
		.env = s->bundle.env,
		.environ = environ,
		.roots = &run->ctx.roots,
		.user = s->roots.user,
		.pwd = rt_roots_pwd(&s->roots, pwd),
	};
	int r = env_build(&env, &s->envp, err);
	const char *const own[] = { s->report.fd >= 0 ? s->opt.report : NULL, s->state, s->answers,
				    s->record.file.fd >= 0 ? s->opt.record : NULL };

	if (r == 0)
		r = chosen_keep(&s->chosen, &s->opt, own, sizeof(own) / sizeof(own[0]), s->roots.cwd,
				&s->kept, err);
	if (r < 0)
		return r;
	run->kept = (const char *const *)s->kept.v;
	run->nkept = s->kept.n;
	run->nbelieved = s->kept.nbelieved;
	run->remembered = s->state;
	run->bundle = &s->bundle;
	run->cwd = s->roots.cwd;
	run->project_link = s->roots.project_link;
	run->argv = s->entry.argv;
	run->envp = (const char *const *)s->envp;
	run->user_name = s->roots.user;
	run->trace = s->opt.explain;
	/* a run finds out when it starts */
	run->want_listener = s->opt.action != OPT_PLAN || features_has_listener();
	run->landlock_abi = sys_landlock_abi();
	run->umask = umask(0);
	(void)umask(run->umask);
	run->polinit_fd = s->polinit;
	network_fill(run);
	return 0;
}

/* The gateway starts while the view is made. */
static int start_gateway(struct session *s, struct rt_err *err)
{
	const struct ask_net in = {
		.ctx = &s->run.ctx, .mode = s->opt.ask, .yes = s->opt.yes,
		.session = s->opt.session, .dir = s->state,
		.socket = s->ask_at[0] ? s->ask_at : NULL,
		.hold_ms = s->bundle.egress ? s->bundle.egress->hold_ms : 0,
	};
	bool asks = network_asks(&s->run);
	int r = s->opt.action == OPT_RUN ?
			network_start_gateway(&s->run, &s->gateway, asks, err) : 0;

	if (r < 0 || s->opt.action != OPT_RUN || !asks)
		return r;
	s->gateway.ask = ask_net_start(&in, &s->asker, err);
	return s->gateway.ask < 0 ? s->gateway.ask : 0;
}

/* --- plan ------------------------------------------------------------------------- */

static int show_plan(struct session *s)
{
	struct rt_err err = { 0 };
	struct preview p = { .run = &s->run, .trust = &s->trust, .view = &s->view, .entry = &s->entry,
			  .here = &s->here, .dot_git = s->dot_git };
	int status = verdict(s, true, &err);

	if (status == 0 && lookup_path_inside(s->envp, &s->view) < 0)
		status = SESSION_REFUSED;
	if (status == 0)
		status = lookup_program(&s->run, &s->view, envp_get(s->envp, "PATH"),
					&s->exec_path, &err);
	before_check_dot_git(s->roots.project, &s->view, s->dot_git, sizeof(s->dot_git));
	p.program = s->exec_path;
	p.why_not = status ? err.text : NULL;
	preview_print(stdout, &p);
	published_preview(stdout, &s->run, &s->opt);
	if (s->opt.stage)
		staged_preview(stdout, &s->run, &s->view, s->state);
	if (lookup_check_cwd(&s->run, &s->view, s->roots.project, &err) < 0)
		printf("refused   %s\n", err.text);
	return fflush(stdout) == 0 ? 0 : SESSION_REFUSED;
}

/* --- the order of it all --------------------------------------------------------- */

static int write_report(struct session *s, int status)
{
	struct rt_err err = { 0 };
	struct report r = {
		.bundle = &s->bundle, .trust = &s->trust,
		.entry = s->decided ? &s->entry : NULL,
		.answered = s->answered,
		.run = s->ran ? &s->run : NULL,
		.view = &s->view,
		.result = s->ran ? &s->result : NULL,
		.here = &s->here, .status = status, .unreached = s->unreached.n,
		.gateway = s->ran && s->run.gateway ? &s->gateway.log : NULL,
		.appeared = s->appeared, .nappeared = s->nappeared,
		.left = s->ran ? &s->left : NULL,
		.unordered = s->unordered, .unknown_open = s->unknown_open,
		.staged = s->ran ? &s->staged : NULL,
		.written = { .view = &s->view, .effects = s->ran ? &s->effects : NULL,
			     .artifacts = s->opt.artifacts ? &s->artifacts : NULL,
			     .staged = s->staged.on },
	};

	if (report_write(s->report.fd, &r, &err) < 0 ||
	    output_check_kept(&s->report, "report", &err) < 0)
		return session_fail(&err, status ? status : SESSION_REFUSED);
	return status;
}

/* What git reads in the project is known only now. */
static int check_outputs(struct session *s, struct rt_err *err)
{
	struct output *const out[] = { &s->report, &s->record.file };
	const char *const kinds[] = { "report", "record" };
	const char *const paths[] = { s->opt.report, s->opt.record };

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++) {
		if (out[i]->fd < 0 || output_check_view(out[i], kinds[i], paths[i], &s->bundle,
							&s->view, err) == 0)
			continue;
		output_remove(out[i]);
		return -err->err;
	}
	/* if polrun is killed, the report of an earlier run must not pass for that of this one */
	if (s->report.fd >= 0 && s->opt.action == OPT_RUN && SYS_RETRY(ftruncate(s->report.fd, 0)) != 0)
		return rt_fail_errno(err, errno, "the report");
	return 0;
}

static int with_view(struct session *s)
{
	const struct state_view_dir dirs[STATE_VIEW_DIRS] = {
		{ s->state, "answers to what the policy asks are remembered" },
		{ s->chosen.places.cache, "compiled policies are kept" },
		{ s->chosen.places.config, "the user's policies are" },
	};
	struct rt_err err = { 0 };

	staged_cancel(&s->staged, &s->run);
	sandbox_view_release(&s->view);
	if (state_view_make(&s->run, dirs, s->opt.action == OPT_RUN, &s->view, &err) < 0 ||
	    (s->opt.ask_socket && ask_path_check(&s->run, &s->view, s->opt.ask_socket, s->ask_at,
						 &err) < 0) ||
	    (s->opt.action == OPT_RUN && secrets_check_view(&s->run, &s->view, &err) < 0) ||
	    check_outputs(s, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	s->run.broker = s->view.brokers;
	if (s->opt.stage && s->opt.action == OPT_RUN &&
	    staged_begin(&s->staged, &s->run, &s->view, s->state, s->opt.bundle, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	if (s->opt.action == OPT_RUN)
		sandbox_ahead_view(&s->run, &s->view);
	exactness_find_here(&s->run, &s->view, &s->here);
	return s->opt.action == OPT_PLAN ? show_plan(s) : session_run(s);
}

/* The policy decides which files may be written, so it must be known where the run takes
 * place before polrun opens them. */
static int open_outputs(struct session *s, struct rt_err *err)
{
	if (s->polinit < 0)
		s->polinit = before_open_polinit(err);
	if (s->polinit < 0 || (!s->roots.home && find_place(s, err) < 0) ||
	    rt_roots_check_project(&s->roots, &s->bundle, err) < 0)
		return -err->err;
	s->run.ctx.b = &s->bundle;
	s->run.ctx.scope = PB_SANDBOX;
	s->run.ctx.cwd = s->roots.cwd;
	rt_roots_decide(&s->roots, &s->run.ctx.roots);
	if (record_open(&s->record, &s->opt, &s->run.ctx, err) < 0 ||
	    record_begin(&s->touched, &s->opt, err) < 0)
		return -err->err;
	if (s->opt.report && report_open(&s->report, s->opt.report, &s->run.ctx, err) < 0)
		return -err->err;
	if (s->report.fd < 0 || s->record.file.fd < 0 || !output_same(&s->report, &s->record.file))
		return 0;
	return rt_fail(err, EINVAL, "--record and --report name the same file: the report would "
		       "replace the record");
}

static int with_bundle(struct session *s)
{
	struct rt_err err = { 0 };
	int status;

	if (carried_check_role(&s->bundle, s->opt.role, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	if (entry_decide(&s->run.ctx, s->opt.line, s->opt.argv, s->opt.argc, &s->entry,
			 &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	s->decided = true;
	if (record_entry(&s->record, &s->opt, &s->run.ctx, &s->entry.d, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	/* A denied command needs no view. */
	if (s->opt.action == OPT_RUN) {
		status = verdict(s, false, &err);
		if (status)
			return session_fail(&err, status);
	}
	if (fill_run(s, &err) < 0 ||
	    (s->opt.ask_socket && ask_path_find(s->opt.ask_socket, s->ask_at, &err) < 0) ||
	    start_gateway(s, &err) < 0 ||
	    (s->opt.action == OPT_RUN &&
	     published_start(&s->run, &s->opt, s->notes, &s->publish, &err) < 0))
		return session_fail(&err, SESSION_REFUSED);
	do
		status = with_view(s);
	while (status == SESSION_ANOTHER_VIEW);
	return status;
}

/*
 * Starts the child early: reading and deciding take about as long as the kernel needs
 * for the namespaces.  Not done if another user's ids or trees are needed, nor if a
 * regular file on 0-2 may still be replaced by a pipe (streams_bridge).
 */
static void go_ahead(struct session *s)
{
	struct rt_err err;
	struct stat st;

	if (s->opt.action != OPT_RUN || s->opt.user || geteuid() == 0 ||
	    getuid() != geteuid() || getgid() != getegid())
		return;
	for (int fd = 0; fd < 3; fd++)
		if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode))
			return;
	s->polinit = before_open_polinit(&err);
	if (s->polinit < 0)
		return;
	s->run.uid = getuid();
	s->run.gid = getgid();
	s->run.polinit_fd = s->polinit;
	sandbox_ahead(&s->run, &s->ahead);
}

/* A repository below another project has its own policies, and a run in that project can make
 * one: so it is said whose policies are left behind. */
static void tell_outer_project(const struct session *s)
{
	AUTO_FREE char *outer = place_outer_project(s->roots.project, s->roots.home);
	char shown[2][PATH_MAX];

	if (!outer || s->opt.quiet || s->opt.project)
		return;
	io_escape(shown[0], sizeof(shown[0]), outer, strlen(outer));
	io_escape(shown[1], sizeof(shown[1]), s->roots.project, strlen(s->roots.project));
	fprintf(stderr, "polrun: the policies in %s/.pol do not hold here: %s is a project of its own; "
			"--project %s if they should\n", shown[0], shown[1], shown[0]);
}

/* Call it once, before anything in the bundle is trusted. */
static int open_bundle(struct session *s, struct rt_err *err)
{
	bool found = !s->opt.bundle;
	int r = found ? find_place(s, err) : 0;

	if (r == 0 && found)
		r = rt_roots_check_project(&s->roots, NULL, err);
	if (r == 0)
		r = chosen_open(&s->chosen, &s->opt, &s->bundle, &s->trust, err);
	if (r == 0 && found && !s->opt.policy)
		tell_outer_project(s);
	return r;
}

static void release(struct session *s)
{
	struct rt_err none = { 0 };

	(void)streams_finish(&s->streams, &none);
	sandbox_ahead_release(&s->ahead);
	if (s->ran)
		staged_release(&s->staged);
	else
		staged_cancel(&s->staged, &s->run);
	if (s->decided)
		entry_release(&s->entry);
	walls_release(&s->walls);
	gateway_release(&s->gateway);
	publish_end(&s->publish);
	ask_net_end(s->gateway.ask, s->asker);
	effects_release(&s->effects);
	artifacts_release(&s->artifacts);
	sandbox_view_release(&s->view);
	rt_roots_release(&s->roots);
	env_free(s->envp);
	free(s->exec_path);
	chosen_release(&s->chosen, &s->kept);
	free(s->appeared);
	left_release(&s->left);
	free(s->result.denials.v);
	touched_release(&s->touched);
	bundle_release(&s->bundle);
	if (s->polinit >= 0)
		(void)close(s->polinit);
}

static int session(const struct polrun_options *opt)
{
	struct session s = { .opt = *opt, .polinit = -1, .report = OUTPUT_NONE, .record = TRAFFIC_NONE, .ahead = SANDBOX_AHEAD_NONE,
			     .walls = WALLS_NONE, .unreached = UNREACHED_NONE,
			     .unpublished = UNPUBLISHED_NONE, .publish = PUBLISH_NONE,
			     .gateway = GATEWAY_NONE,
			     .locks = CONFIG_LOCK_NONE, .staged = STAGED_NONE,
			     .left = { .top = -1, .fd = -1 }, .chosen.cache = { .dir = -1, .polc = -1 },
			     .notes = opt->quiet ? fopen("/dev/null", "we") : stderr };
	struct rt_err err = { 0 };
	int status;

	if (!s.notes)
		s.notes = stderr;
	go_ahead(&s);
	s.run.ahead = &s.ahead;
	if (open_bundle(&s, &err) < 0 || open_outputs(&s, &err) < 0) {
		traffic_close(&s.record);
		release(&s);
		return session_fail(&err, SESSION_REFUSED);
	}
	status = with_bundle(&s);
	if (s.report.fd >= 0 && opt->action == OPT_RUN)
		status = write_report(&s, status);
	if (s.record.file.fd >= 0 && output_check_kept(&s.record.file, "record", &err) < 0)
		status = session_fail(&err, status ? status : SESSION_REFUSED);
	output_close(&s.report);
	traffic_close(&s.record);
	release(&s);
	if (s.ran)
		terminal_end(&s.terminal, s.result.signal);
	return status;
}

/* Not a part of main(): if the stack is small, there may be no room for its locals. */
static __attribute__((noinline)) int act(int argc, char **argv)
{
	struct polrun_options opt;
	struct rt_err err = { 0 };
	struct features f;
	/* If the parent ignores SIGCHLD, the kernel would discard the exit statuses. */
	(void)signal(SIGCHLD, SIG_DFL);
	/* A report larger than the caller's file size limit must be an error, not
	 * polrun's end. */
	(void)signal(SIGXFSZ, SIG_IGN);
	messages_begin();
	if (argc > 1 && stage_verb_is(argv[1]))
		return streams_clean(&err) < 0 ? session_fail(&err, SESSION_REFUSED) :
						 stage_verb(argc - 1, argv + 1);
	if (streams_clean(&err) < 0 || polrun_options_parse(argc, argv, &opt, &err) < 0)
		return session_fail(&err, SESSION_REFUSED);
	switch (opt.action) {
	case OPT_HELP:
		optspec_help(stdout, &polrun_program);
		return fflush(stdout) == 0 ? 0 : SESSION_REFUSED;
	case OPT_VERSION:
		puts("polrun " POL_VERSION);
		return fflush(stdout) == 0 ? 0 : SESSION_REFUSED;
	case OPT_DOCTOR:
		features_probe(&f);
		return features_print(stdout, &f) ? 0 : SESSION_REFUSED;
	case OPT_RUN:
	case OPT_PLAN:
	default:
		return session(&opt);
	}
}

int main(int argc, char **argv)
{
	char text[160];
	size_t n = stack_complaint("polrun", text, sizeof(text));

	if (!n)
		return act(argc, argv);
	(void)io_write_all(STDERR_FILENO, text, n);
	return SESSION_REFUSED;
}
