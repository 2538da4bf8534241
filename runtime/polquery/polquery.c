/* polquery: verifies a bundle as polrun does, then answers requests, one line for each
 * line, until its input ends or, with a socket, until it is told to stop.  It runs
 * nothing, and writes no files except its own records and, with `install`, the settings of
 * an agent. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/approvals/approvals_verb.h"
#include "runtime/base/io.h"
#include "runtime/base/stack.h"
#include "runtime/bundle/verified.h"
#include "runtime/hooks/hook.h"
#include "runtime/hooks/hook_doctor.h"
#include "runtime/hooks/hook_install.h"
#include "runtime/polquery/query_input.h"
#include "runtime/polquery/query_serve.h"
#include "runtime/query/query.h"
#include "runtime/query/query_options.h"
#include "runtime/state/left_verb.h"
#include "runtime/traffic/traffic.h"

/* As in polc: 2 for trouble, 4 for trust. */
enum { EXIT_TROUBLE = 2, EXIT_TRUST = 4 };

static int fail(const struct rt_err *err, int status)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text[0] ? err->text : "failed");
	fprintf(stderr, "polquery: %s\n", line);
	return status;
}

static int trouble(const char *what)
{
	struct rt_err err = { 0 };

	(void)rt_fail_errno(&err, errno, "%s", what);
	return fail(&err, EXIT_TROUBLE);
}

/* Answers that wait to be written. */
struct answers {
	char buf[16 * 1024];
	size_t n;
};

static int write_answers(struct answers *a)
{
	int r = io_write_all(STDOUT_FILENO, a->buf, a->n);

	a->n = 0;
	return r;
}

static int give_answer(struct answers *a, const char *text, size_t n)
{
	int r = n > sizeof(a->buf) - a->n ? write_answers(a) : 0;

	if (r < 0 || n > sizeof(a->buf))
		return r < 0 ? r : io_write_all(STDOUT_FILENO, text, n);
	memcpy(a->buf + a->n, text, n);
	a->n += n;
	return 0;
}

/* Has written all answers before it reads more, since the client may wait for them. */
static int answer_all(struct query *q, struct query_input *in, struct answers *a)
{
	for (;;) {
		const char *text = NULL;
		char *line;
		size_t n;
		int r = query_input_ready(in) ? 0 : write_answers(a);

		if (r == 0)
			switch (query_input_line(in, &line, &n)) {
			case QUERY_LINE:
				text = query_answer(q, line, n, &n);
				break;
			case QUERY_TOO_LONG:
				text = query_too_long(q, QUERY_MAX_LINE, &n);
				break;
			case QUERY_END:
				return 0;
			case QUERY_WAIT: /* a non-blocking stdin must have all input ready */
			case QUERY_FAILED:
			default:
				return trouble("reading requests");
			}
		if (r == 0 && !text) {
			(void)write_answers(a);
			errno = ENOMEM;
			return trouble("answering");
		}
		if (r == 0)
			r = give_answer(a, text, n);
		if (r < 0) {
			errno = -r;
			return trouble("writing answers");
		}
	}
}

/* A missing file is trouble; every other problem with it is a matter of trust. */
static int open_bundle(const struct query_options *opt, struct bundle *b)
{
	struct verified_options o = { .path = opt->bundle,
				      .signers = opt->signers,
				      .require = opt->require_signed };
	struct rt_err err = { 0 };
	struct trust t;
	int fd = open(opt->bundle, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		(void)rt_fail_errno(&err, errno, "bundle '%.150s' cannot be opened",
				    opt->bundle);
		return fail(&err, EXIT_TROUBLE);
	}
	(void)close(fd);
	return verified_open(&o, b, &t, &err) < 0 ? fail(&err, EXIT_TRUST) : 0;
}

static int answer_stdin(struct query *q)
{
	struct query_input in;
	struct answers a;
	int status;

	a.n = 0;
	query_input_init(&in, STDIN_FILENO, QUERY_MAX_LINE);
	status = answer_all(q, &in, &a);
	query_input_release(&in);
	return status;
}

static int serve(struct query *q, const char *path)
{
	struct rt_err err = { 0 };

	return query_serve(q, path, &err) < 0 ? fail(&err, EXIT_TROUBLE) : 0;
}

static int answer(const struct query_options *opt)
{
	struct traffic record = TRAFFIC_NONE;
	struct rt_err err = { 0 };
	struct bundle b;
	struct query q;
	int status = open_bundle(opt, &b);

	if (status)
		return status;
	if (query_init(&q, &b, opt->scope, &err) < 0) {
		bundle_release(&b);
		return fail(&err, EXIT_TRUST);
	}
	if (opt->record && query_record(&q, &record, opt->record, &err) < 0)
		status = fail(&err, EXIT_TROUBLE);
	if (!status)
		status = opt->action == QUERY_SERVE ? serve(&q, opt->socket) : answer_stdin(&q);
	traffic_close(&record);
	query_release(&q);
	bundle_release(&b);
	return status;
}

/* Not a part of main(): if the stack is small, there may be no room for its locals. */
static __attribute__((noinline)) int act(int argc, char **argv)
{
	struct query_options opt;
	struct rt_err err = { 0 };

	/* a peer that has gone must be an error like any other */
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && strcmp(argv[1], "approvals") == 0)
		return approvals_verb(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "left") == 0)
		return left_verb(argc - 1, argv + 1);
	if (query_options_parse(argc, argv, &opt, &err) < 0)
		return fail(&err, EXIT_TROUBLE);
	switch (opt.action) {
	case QUERY_HELP:
		optspec_help(stdout, &polquery_program);
		return fflush(stdout) == 0 ? 0 : EXIT_TROUBLE;
	case QUERY_VERSION:
		puts("polquery " POL_VERSION);
		return fflush(stdout) == 0 ? 0 : EXIT_TROUBLE;
	case QUERY_HOOK:
		return hook_run(&opt);
	case QUERY_INSTALL:
	case QUERY_UNINSTALL:
		return hook_install(&opt);
	case QUERY_DOCTOR:
		return hook_doctor(&opt);
	case QUERY_ANSWER:
	case QUERY_SERVE:
	default:
		return answer(&opt);
	}
}

int main(int argc, char **argv)
{
	char text[160];
	size_t n = stack_complaint("polquery", text, sizeof(text));

	if (n) {
		(void)io_write_all(STDERR_FILENO, text, n);
		return EXIT_TROUBLE;
	}
	return act(argc, argv);
}
