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
#include "runtime/approvals/ask.h"
#include "runtime/approvals/ask_net.h"
#include "runtime/base/io.h"
#include "runtime/base/stack.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/trust.h"
#include "runtime/entry/entry.h"
#include "runtime/entry/roots.h"
#include "runtime/polrun/appeared.h"
#include "runtime/polrun/ask_path.h"
#include "runtime/polrun/before.h"
#include "runtime/polrun/carried.h"
#include "runtime/polrun/chosen.h"
#include "runtime/polrun/config_lock.h"
#include "runtime/polrun/env.h"
#include "runtime/polrun/exactness.h"
#include "runtime/polrun/features.h"
#include "runtime/polrun/foreign.h"
#include "runtime/polrun/left.h"
#include "runtime/polrun/lookup.h"
#include "runtime/polrun/network.h"
#include "runtime/polrun/polrun_options.h"
#include "runtime/polrun/preview.h"
#include "runtime/polrun/record_entry.h"
#include "runtime/polrun/report.h"
#include "runtime/polrun/report_file.h"
#include "runtime/polrun/run_user.h"
#include "runtime/polrun/secrets.h"
#include "runtime/polrun/state_view.h"
#include "runtime/polrun/streams.h"
#include "runtime/polrun/told.h"
#include "runtime/state/state_dir.h"

enum { EXIT_REFUSED = 125 };

struct session {
	struct polrun_options opt;
	struct chosen chosen;
	struct bundle bundle;
	struct trust trust;
	struct roots roots;
	struct run_user user;
	struct entry entry;
	bool decided;
	struct sandbox_run run;
	struct sandbox_ahead ahead;
	struct sandbox_view view;
	struct exactness_here here;
	struct walls walls;
	struct unreached unreached;
	struct config_lock locks;
	struct gateway gateway;
	pid_t asker; /* asks about connections; 0: none */
	char ask_at[ASK_PATH_CAP]; /* the socket of --ask-socket; "": none */
	unsigned answered; /* enum ask_by */
	char **envp;
	char *exec_path;
	struct chosen_kept kept;
	FILE *notes; /* what is said that is no refusal: stderr, or with -q nowhere */
	char state[PATH_MAX], answers[PATH_MAX]; /* where remembered answers are kept */
	int polinit, report;
	struct traffic record;
	struct touched touched; /* empty: nothing of it is recorded */
	bool made_report;
	struct supervise_result result;
	bool ran;
	size_t *appeared;
	size_t nappeared;
	struct left left;
	char dot_git[300]; /* why git will not work, or empty */
};

static int fail(const struct rt_err *err, int status)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text);
	fprintf(stderr, "polrun: %s\n", line[0] ? line : "failed");
	return status;
}

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
	const char *const own[] = { s->report >= 0 ? s->opt.report : NULL, s->state, s->answers,
				    s->record.fd >= 0 ? s->opt.record : NULL };

	if (r == 0)
		r = chosen_keep(&s->chosen, &s->opt, own, sizeof(own) / sizeof(own[0]), s->roots.cwd,
				&s->kept, err);
	if (r < 0)
		return r;
	run->kept = (const char *const *)s->kept.v;
	run->nkept = s->kept.n;
	run->nbelieved = s->kept.nbelieved;
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

	if (status == 0)
		status = lookup_program(&s->run, &s->view, env_get(s->envp, "PATH"),
					&s->exec_path, &err);
	before_check_dot_git(s->roots.project, &s->view, s->dot_git, sizeof(s->dot_git));
	p.program = s->exec_path;
	p.why_not = status ? err.text : NULL;
	preview_print(stdout, &p);
	if (lookup_check_cwd(&s->run, &s->view, s->roots.project, &err) < 0)
		printf("refused   %s\n", err.text);
	return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
}

/* --- run ---------------------------------------------------------------------------- */

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
		.result = &s->result, .unreached = &s->unreached,
		.gateway = s->run.gateway ? &s->gateway.log : NULL,
	};
}

/* Closes what the set-up needed: an attacker who takes polrun over could use it. */
static void drop_descriptors(struct session *s)
{
	sandbox_view_close(&s->view);
	(void)close(s->polinit);
	s->polinit = -1;
	network_release(&s->run);
}

/* No listener could be had: without one nobody decides names, so that the view is another. */
#define ANOTHER_VIEW (-1)

/* The status, or ANOTHER_VIEW. */
static int start_and_supervise(struct session *s)
{
	AUTO_CLOSE int project = -1;
	const struct told told = told_of(s);
	struct sandbox_child child = { .listener = -1, .root_fd = -1 };
	struct streams streams = { 0 };
	struct rt_err err = { 0 };
	int r, flags[3];

	streams_note(flags);
	if (supervise_block_signals(&err) < 0 ||
	    streams_bridge(&s->run, &s->view, &streams, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	s->walls.view = &s->view;
	s->run.meanwhile = walls_meanwhile;
	s->run.meanwhile_arg = &s->walls;
	do {
		memset(&err, 0, sizeof(err));
		r = sandbox_start(&s->run, &s->view, &child, &err);
	} while (r < 0 &&
		 ((retry_without_listener(s, &err) && !s->view.brokers) ||
		  network_by_polnft(&s->run, &err)));
	if (r < 0 && s->view.brokers && !s->run.want_listener) {
		(void)streams_finish(&streams, &err);
		walls_release(&s->walls);
		return ANOTHER_VIEW;
	}
	if (r < 0) {
		features_refuse(stderr, &s->bundle, &err);
		r = EXIT_REFUSED;
		(void)streams_finish(&streams, &err);
		return r;
	}
	if (child.listener < 0) {
		s->run.want_listener = false;
		s->touched.lost += s->touched.v != NULL;
	}
	drop_descriptors(s);
	bundle_forget_commands(&s->bundle);
	if (s->run.root_run)
		project = open(s->roots.project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	memset(&err, 0, sizeof(err));
	s->ran = true;
	s->result.touched = s->touched.v ? &s->touched : NULL;
	told_arm(&told, &s->unreached, s->report >= 0);
	if (!s->run.trace) /* else the rename itself is recorded */
		config_lock_begin(&s->locks, &s->bundle, &s->view);
	r = supervise(&s->run, &s->view, &child, &s->walls, &s->unreached,
		      &s->gateway, &s->result, &err);
	streams_give_back(flags);
	if (r < 0)
		fprintf(stderr, "polrun: %s%s%s\n", err.step, err.step[0] ? ": " : "",
			err.text);
	else if (err.text[0])
		fprintf(stderr, "polrun: %s\n", err.text);
	config_lock_end(&s->locks, &s->view, &s->result.denials);
	told_end(&told);
	if (s->result.status != 0 && project >= 0) /* it may be the reason */
		foreign_say(s->notes, project, s->roots.project);
	appeared_say(s->notes, &s->bundle, &s->view, s->appeared, &s->nappeared);
	left_end(&s->left, &s->view, s->appeared, s->nappeared, s->notes);
	if (streams_finish(&streams, &err) < 0 ||
	    record_network(&s->record, &s->run.ctx, &s->gateway.log, &err) < 0 ||
	    record_touched(&s->record, &s->run.ctx, &s->touched, &err) < 0)
		s->result.status = fail(&err, EXIT_REFUSED);
	if (s->opt.verbose)
		told_totals(&told);
	return s->result.status;
}

static int run_command(struct session *s)
{
	struct rt_err err = { 0 };
	struct told told;
	int status = lookup_check_cwd(&s->run, &s->view, s->roots.project, &err) < 0 ?
			     EXIT_REFUSED : 0;

	free(s->exec_path);
	s->exec_path = NULL;
	if (status == 0)
		status = lookup_program(&s->run, &s->view, env_get(s->envp, "PATH"),
					&s->exec_path, &err);
	if (status != 0)
		return fail(&err, status);
	free(s->appeared);
	s->appeared = calloc(s->view.ncreatable + 1, sizeof(*s->appeared));
	if (!s->appeared) {
		(void)rt_fail(&err, ENOMEM, "out of memory");
		return fail(&err, EXIT_REFUSED);
	}
	s->run.exec_path = s->exec_path;
	before_check_dot_git(s->roots.project, &s->view, s->dot_git, sizeof(s->dot_git));
	told = told_of(s);
	told_begin(&told);
	left_begin(&s->left, s->state, s->roots.project, &s->view, s->notes);
	status = start_and_supervise(s);
	if (!s->ran)
		left_cancel(&s->left);
	return status;
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
	};

	if (report_write(s->report, &r, &err) < 0)
		return fail(&err, status ? status : EXIT_REFUSED);
	return status;
}

/* Called twice: the project, and later what git reads there, are known only now. */
static int check_report(struct session *s, bool view, struct rt_err *err)
{
	const char *path = s->opt.report;

	if (s->report < 0 || (view ? report_check_view(path, &s->bundle, &s->view, err) :
			      report_check(path, s->roots.project, &s->run.ctx, err)) == 0)
		return 0;
	if (s->made_report)
		(void)unlink(s->opt.report);
	(void)close(s->report);
	s->report = -1;
	return -err->err;
}

static int with_view(struct session *s)
{
	const struct state_view_dir dirs[STATE_VIEW_DIRS] = {
		{ s->state, "answers to what the policy asks are remembered" },
		{ s->chosen.places.cache, "compiled policies are kept" },
		{ s->chosen.places.config, "the user's policies are" },
	};
	struct rt_err err = { 0 };

	sandbox_view_release(&s->view);
	if (state_view_make(&s->run, dirs, s->opt.action == OPT_RUN, &s->view, &err) < 0 ||
	    (s->opt.ask_socket && ask_path_check(&s->run, &s->view, s->opt.ask_socket, s->ask_at,
						 &err) < 0) ||
	    (s->opt.action == OPT_RUN && secrets_check_view(&s->run, &s->view, &err) < 0) ||
	    check_report(s, true, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	s->run.broker = s->view.brokers;
	if (s->opt.action == OPT_RUN)
		sandbox_ahead_view(&s->run, &s->view);
	exactness_find_here(&s->run, &s->view, &s->here);
	return s->opt.action == OPT_PLAN ? show_plan(s) : run_command(s);
}

static int with_bundle(struct session *s)
{
	struct rt_err err = { 0 };
	int status;

	if (s->polinit < 0)
		s->polinit = before_open_polinit(&err);
	if (s->polinit < 0 || (!s->roots.home && find_place(s, &err) < 0) ||
	    rt_roots_check_project(&s->roots, &s->bundle, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	s->run.ctx.b = &s->bundle;
	s->run.ctx.scope = PB_SANDBOX;
	s->run.ctx.cwd = s->roots.cwd;
	rt_roots_decide(&s->roots, &s->run.ctx.roots);
	if (check_report(s, false, &err) < 0 ||
	    carried_check_role(&s->bundle, s->opt.role, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	if (entry_decide(&s->run.ctx, s->opt.line, s->opt.argv, s->opt.argc, &s->entry,
			 &err) < 0)
		return fail(&err, EXIT_REFUSED);
	s->decided = true;
	if (record_entry(&s->record, &s->opt, &s->run.ctx, &s->entry.d, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	/* A denied command needs no view. */
	if (s->opt.action == OPT_RUN) {
		status = verdict(s, false, &err);
		if (status)
			return fail(&err, status);
	}
	if (fill_run(s, &err) < 0 ||
	    (s->opt.ask_socket && ask_path_find(s->opt.ask_socket, s->ask_at, &err) < 0) ||
	    start_gateway(s, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	do
		status = with_view(s);
	while (status == ANOTHER_VIEW);
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

/* Call it once, before anything in the bundle is trusted. */
static int open_bundle(struct session *s, struct rt_err *err)
{
	int r = s->opt.bundle ? 0 : find_place(s, err);

	if (r == 0 && !s->opt.bundle)
		r = rt_roots_check_project(&s->roots, NULL, err);
	return r < 0 ? r : chosen_open(&s->chosen, &s->opt, &s->bundle, &s->trust, err);
}

static void release(struct session *s)
{
	sandbox_ahead_release(&s->ahead);
	if (s->decided)
		entry_release(&s->entry);
	walls_release(&s->walls);
	gateway_release(&s->gateway);
	ask_net_end(s->gateway.ask, s->asker);
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
	struct session s = { .opt = *opt, .polinit = -1, .report = -1, .record = TRAFFIC_NONE, .ahead = SANDBOX_AHEAD_NONE,
			     .walls = WALLS_NONE, .unreached = UNREACHED_NONE,
			     .gateway = GATEWAY_NONE,
			     .locks = CONFIG_LOCK_NONE,
			     .left = { .top = -1, .fd = -1 }, .chosen.cache = { .dir = -1, .polc = -1 },
			     .notes = opt->quiet ? fopen("/dev/null", "we") : stderr };
	struct rt_err err = { 0 };
	int status;

	if (!s.notes)
		s.notes = stderr;
	go_ahead(&s);
	s.run.ahead = &s.ahead;
	if (open_bundle(&s, &err) < 0 || record_open(&s.record, opt, &err) < 0 ||
	    record_begin(&s.touched, opt, &err) < 0) {
		release(&s);
		return fail(&err, EXIT_REFUSED);
	}
	if (opt->report) {
		s.report = report_open(opt->report, &s.made_report, &err);
		if (s.report < 0) {
			release(&s);
			return fail(&err, EXIT_REFUSED);
		}
	}
	status = with_bundle(&s);
	if (s.report >= 0 && opt->action == OPT_RUN)
		status = write_report(&s, status);
	if (s.report >= 0)
		(void)close(s.report);
	traffic_close(&s.record);
	release(&s);
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
	if (streams_clean(&err) < 0 || polrun_options_parse(argc, argv, &opt, &err) < 0)
		return fail(&err, EXIT_REFUSED);
	switch (opt.action) {
	case OPT_HELP:
		optspec_help(stdout, &polrun_program);
		return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	case OPT_VERSION:
		puts("polrun " POL_VERSION);
		return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	case OPT_DOCTOR:
		features_probe(&f);
		return features_print(stdout, &f) ? 0 : EXIT_REFUSED;
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
	return EXIT_REFUSED;
}
