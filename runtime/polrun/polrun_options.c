/* Reads polrun's command line.  Options end at the first word that is not an option, so
 * that polrun never takes the command's own options.  Options of later versions are
 * refused by name: nothing is accepted and ignored. */
#include "runtime/polrun/polrun_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/approvals/approval_session.h"
#include "runtime/base/io.h"
#include "runtime/base/optread.h"

enum id { ID_BUNDLE, ID_POLICY, ID_QUIET, ID_PROJECT, ID_USER, ID_ROLE, ID_REPORT, ID_RECORD, ID_PLAN, ID_STAGE, ID_ARTIFACTS, ID_DOCTOR, ID_EXPLAIN,
	  ID_YES, ID_VERBOSE, ID_SIGNERS, ID_REQUIRE, ID_LINE, ID_HELP, ID_VERSION, ID_ASK, ID_ASK_SOCKET, ID_SESSION, ID_PUBLISH };

static const struct optspec table[] = {
	{ ID_BUNDLE, "bundle", 'b', OPTSPEC_ONE, 0, "FILE", "the compiled policy" },
	{ ID_POLICY, "policy", 'p', OPTSPEC_ONE, 0, "FILE",
	  "a policy as text, compiled once (without -b and -p: what is found)" },
	{ ID_PROJECT, "project", 0, OPTSPEC_ONE, 0, "DIR", "the value of ${PROJECT_DIR}" },
	{ ID_REQUIRE, "require-signed", 0, OPTSPEC_NONE, 0, NULL,
	  "refuse a bundle that no trusted key has signed" },
	{ ID_SIGNERS, "allowed-signers", 0, OPTSPEC_ONE, 0, "FILE",
	  "who may sign, instead of the default lists" },
	{ ID_ROLE, "role", 0, OPTSPEC_ONE, 0, "NAME",
	  "refuse a bundle that was not compiled for this role" },
	{ ID_USER, "user", 0, OPTSPEC_ONE, 0, "NAME|UID", "as root: run as this user" },
	{ ID_RECORD, "record", 0, OPTSPEC_ONE, 0, "FILE",
	  "append the command and its decision, for polc diff --traffic" },
	{ ID_REPORT, "report", 0, OPTSPEC_ONE, 0, "FILE", "write a JSON report of the run" },
	{ ID_ARTIFACTS, "artifacts", 0, OPTSPEC_NONE, 0, NULL,
	  "in the report: each file that the run has made, changed or removed, with a digest" },
	{ ID_PLAN, "plan", 0, OPTSPEC_NONE, 0, NULL,
	  "show what would run and where; run nothing" },
	{ ID_STAGE, "stage", 0, OPTSPEC_NONE, 0, NULL,
	  "keep what the run writes aside: polrun review, commit, discard" },
	{ ID_EXPLAIN, "explain-denials", 0, OPTSPEC_NONE, 0, NULL,
	  "afterwards, say what was blocked and by which rule" },
	{ ID_VERBOSE, "verbose", 'v', OPTSPEC_NONE, 0, NULL,
	  "say what the bundle does not hold exactly, and totals of the run" },
	{ ID_QUIET, "quiet", 'q', OPTSPEC_NONE, 0, NULL,
	  "say only why a command was not run or was ended" },
	{ ID_YES, "yes", 'y', OPTSPEC_NONE, 0, NULL, "answer what the policy asks with yes" },
	{ ID_ASK, "ask", 0, OPTSPEC_ONE, 0, "tty|deny|fail",
	  "who answers else: a person at the terminal (tty), or nobody: denied, or 125 "
	  "(fail)" },
	{ ID_ASK_SOCKET, "ask-socket", 0, OPTSPEC_ONE, 0, "PATH",
	  "polquery's socket, which is asked about connections instead of the terminal" },
	{ ID_SESSION, "session", 0, OPTSPEC_ONE, 0, "ID",
	  "the session for which answers are remembered" },
	{ ID_PUBLISH, "publish", 'P', OPTSPEC_ONE, 0, "[PORT:]PORT",
	  "lead connections to this machine's loopback at the first port (else the same) to the "
	  "run's port; may be given several times" },
	{ ID_LINE, "", 'c', OPTSPEC_ONE, 0, "LINE",
	  "a shell line, run by the shell that the policy names" },
	{ ID_DOCTOR, "doctor", 0, OPTSPEC_NONE, 0, NULL,
	  "what this kernel and user can enforce" },
	{ ID_HELP, "help", 'h', OPTSPEC_NONE, 0, NULL, "this text" },
	{ ID_VERSION, "version", 0, OPTSPEC_NONE, 0, NULL, "the version" },
	{ OPTREAD_LATER, "runner", 0, OPTSPEC_ONE, 0, NULL, NULL },
	{ OPTREAD_LATER, "learn", 0, OPTSPEC_ONE, 0, NULL, NULL },
	{ OPTREAD_LATER, "allow-degraded", 0, OPTSPEC_ONE, 0, NULL, NULL },
};
#define NOPTIONS (sizeof(table) / sizeof(table[0]))

const struct optspec_program polrun_program = {
	.name = "polrun",
	.usage = "usage: polrun [OPTIONS] [--] COMMAND [ARG...]\n"
		 "       polrun [OPTIONS] -c 'LINE'\n"
		 "       polrun review|commit|discard ... (polrun review --help)\n"
		 "\n"
		 "Runs a command under a policy: the one of the project and the user, or the one that\n"
		 "-p or -b names.\n"
		 "\n",
	.end = "Exit status: the command's own; 128+N signal N; 124 time limit; 125 polrun\n"
	       "failed or refused; 126 denied by policy or not executable; 127 not found.\n",
	.options = table,
	.n = NOPTIONS,
};

static int set_ask(struct polrun_options *o, const char *value, struct rt_err *err)
{
	static const char *const words[] = { [ASK_TTY] = "tty", [ASK_DENY] = "deny",
					     [ASK_FAIL] = "fail" };
	char shown[60];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(value, words[i]) == 0) {
			o->ask = (enum ask_mode)i;
			return 0;
		}
	io_escape(shown, sizeof(shown), value, strlen(value));
	return rt_fail(err, EINVAL, "--ask: '%s' is neither 'tty' nor 'deny' nor 'fail'",
		       shown);
}

/* The port at the beginning of `text`, and where it ends; 0: it is none. */
static uint16_t read_port(const char *text, const char **ret_end)
{
	unsigned port = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && port <= UINT16_MAX; p++)
		port = port * 10 + (unsigned)(*p - '0');
	*ret_end = p;
	return port <= UINT16_MAX && *text != '0' ? (uint16_t)port : 0;
}

static int add_publish(struct polrun_options *o, const char *value, struct rt_err *err)
{
	struct publish_pair pair;
	const char *end;
	char shown[60];

	pair.host = pair.inside = read_port(value, &end);
	if (pair.host && *end == ':')
		pair.inside = read_port(end + 1, &end);
	if (!pair.host || !pair.inside || *end) {
		io_escape(shown, sizeof(shown), value, strlen(value));
		return rt_fail(err, EINVAL, "-P: '%s' is no port (1 to 65535) and no PORT:PORT of this machine and "
			       "of the run; a run is published on loopback alone", shown);
	}
	for (size_t i = 0; i < o->npublish; i++)
		if (o->publish[i].host == pair.host)
			return rt_fail(err, EINVAL, "-P: port %u of this machine is given twice", pair.host);
	if (o->npublish == FORWARD_GIVEN)
		return rt_fail(err, EINVAL, "-P: more than %d ports", FORWARD_GIVEN);
	o->publish[o->npublish++] = pair;
	return 0;
}

static int set(void *to, const struct optspec *opt, const char *value,
	       struct rt_err *err)
{
	struct polrun_options *o = to;
	const char **slot = NULL;

	switch ((enum id)opt->id) {
	case ID_BUNDLE:
		slot = &o->bundle;
		break;
	case ID_POLICY:
		slot = &o->policy;
		break;
	case ID_PROJECT:
		slot = &o->project;
		break;
	case ID_USER:
		slot = &o->user;
		break;
	case ID_RECORD:
		slot = &o->record;
		break;
	case ID_REPORT:
		slot = &o->report;
		break;
	case ID_SIGNERS:
		slot = &o->signers;
		break;
	case ID_REQUIRE:
		o->require_signed = true;
		return 0;
	case ID_ROLE:
		slot = &o->role;
		break;
	case ID_ASK:
		return set_ask(o, value, err);
	case ID_ASK_SOCKET:
		slot = &o->ask_socket;
		break;
	case ID_SESSION:
		slot = &o->session;
		break;
	case ID_PUBLISH:
		return add_publish(o, value, err);
	case ID_LINE:
		slot = &o->line;
		break;
	case ID_PLAN:
		o->action = OPT_PLAN;
		return 0;
	case ID_STAGE:
		o->stage = true;
		return 0;
	case ID_ARTIFACTS:
		o->artifacts = true;
		return 0;
	case ID_DOCTOR:
		o->action = OPT_DOCTOR;
		return 0;
	case ID_HELP:
		o->action = OPT_HELP;
		return 0;
	case ID_VERSION:
		o->action = OPT_VERSION;
		return 0;
	case ID_EXPLAIN:
		o->explain = true;
		return 0;
	case ID_QUIET:
		o->quiet = true;
		return 0;
	case ID_VERBOSE:
		o->verbose = true;
		return 0;
	case ID_YES:
		o->yes = true;
		return 0;
	default:
		return rt_fail(err, EINVAL, "'--%s' is not supported by this version",
			       opt->name);
	}
	return optread_value(slot, opt, value, opt->id == ID_LINE, err);
}

static int check_whole(const struct polrun_options *o, struct rt_err *err)
{
	if (o->action == OPT_HELP || o->action == OPT_VERSION ||
	    o->action == OPT_DOCTOR)
		return 0;
	if (o->bundle && o->policy)
		return rt_fail(err, EINVAL, "-b and -p: a run has one policy");
	if (o->verbose && o->quiet)
		return rt_fail(err, EINVAL, "-v and -q contradict each other");
	if (o->artifacts && !o->report)
		return rt_fail(err, EINVAL, "--artifacts: the files are listed in the report: name its "
			       "file with --report");
	if (o->artifacts && o->stage)
		return rt_fail(err, EINVAL, "--artifacts: with --stage nothing is changed until polrun "
			       "commit, and polrun review lists it");
	if (!o->bundle && (o->require_signed || o->signers))
		return rt_fail(err, EINVAL, "what polrun compiles itself is not signed: name a "
			       "bundle with -b");
	if (o->session && !approval_session_id(o->session))
		return rt_fail(err, EINVAL, "--session: an ID has 1 to 128 of letters, "
			       "digits and ._:@-");
	if (o->line && o->argc)
		return rt_fail(err, EINVAL, "-c takes the whole line: '%.60s' is too much",
			       o->argv[0]);
	if (!o->line && !o->argc)
		return rt_fail(err, EINVAL, "no command (see polrun --help)");
	if (!o->line && !o->argv[0][0])
		return rt_fail(err, EINVAL, "the command's name is empty");
	return 0;
}

int polrun_options_parse(int argc, char **argv, struct polrun_options *ret, struct rt_err *err)
{
	static const struct optread reader = { "polrun", table, NOPTIONS, set };
	struct polrun_options o = { .action = OPT_RUN };
	int i, r = optread(&reader, argc, argv, &o, &i, err);

	if (r < 0)
		return r;
	o.argv = argv + i;
	o.argc = argc - i;
	r = check_whole(&o, err);
	if (r < 0)
		return r;
	*ret = o;
	return 0;
}
