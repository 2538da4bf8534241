/* Reads polquery's command line.  Options of later versions are refused by name:
 * nothing is accepted and ignored. */
#include "runtime/query/query_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/approvals/approvals_verb.h"
#include "runtime/base/io.h"
#include "runtime/base/optread.h"
#include "runtime/bundle/format.h"
#include "runtime/query/hook_agent.h"
#include "runtime/state/left_verb.h"

enum id { ID_BUNDLE, ID_SCOPE, ID_SIGNERS, ID_REQUIRE, ID_FORMAT, ID_RUN, ID_RECORD, ID_YES, ID_HELP, ID_VERSION };

static const struct optspec table[] = {
	{ ID_BUNDLE, "bundle", 'b', OPTSPEC_ONE, 0, "FILE", "the compiled policy (required)" },
	{ ID_SCOPE, "scope", 0, OPTSPEC_ONE, 0, "host|sandbox",
	  "of requests that say none: host, for programs that only ask, or sandbox, for "
	  "what polrun would start" },
	{ ID_REQUIRE, "require-signed", 0, OPTSPEC_NONE, 0, NULL,
	  "refuse a bundle that no trusted key has signed" },
	{ ID_SIGNERS, "allowed-signers", 0, OPTSPEC_ONE, 0, "FILE",
	  "who may sign, instead of the default lists" },
	{ ID_FORMAT, "format", 0, OPTSPEC_ONE, 0, "text|json",
	  "how doctor says what it found (text)" },
	{ ID_RUN, "run", 0, OPTSPEC_ONE, 0, "FILE",
	  "hook: what is allowed is run by polrun under this bundle" },
	{ ID_RECORD, "record", 0, OPTSPEC_ONE, 0, "FILE",
	  "append each decided request and its decision, for polc diff --traffic" },
	{ ID_YES, "yes", 'y', OPTSPEC_NONE, 0, NULL,
	  "install, uninstall: change the settings without a question" },
	{ ID_HELP, "help", 'h', OPTSPEC_NONE, 0, NULL, "this text" },
	{ ID_VERSION, "version", 0, OPTSPEC_NONE, 0, NULL, "the version" },
};

#define AGENTS "claude-code|codex|gemini-cli|cursor|qwen-code|opencode|copilot-cli|pi"

static const struct optspec_word words[] = {
	{ "serve", "FILE", "answer at a unix socket" },
	{ "hook", AGENTS, "answer one message of an agent" },
	{ "install", AGENTS, "put the hook into the agent's settings" },
	{ "uninstall", AGENTS, "take it out again" },
	{ "doctor", AGENTS, "whether the hook is installed and answers" },
};

static const struct optspec_program *const subs[] = { &approvals_program, &left_program };

const struct optspec_program polquery_program = {
	.name = "polquery",
	.usage = "usage: polquery [OPTIONS] --bundle FILE <REQUESTS >DECISIONS\n"
		 "       polquery [OPTIONS] --bundle FILE serve SOCKET\n"
		 "       polquery [OPTIONS] --bundle FILE hook AGENT [--run FILE] [FIELD...]\n"
		 "       polquery [OPTIONS] install AGENT [--bundle FILE] [--run FILE]\n"
		 "       polquery [--yes] uninstall AGENT\n"
		 "       polquery [--format text|json] doctor [AGENT]\n"
		 "       polquery approvals list|revoke ... (see polquery approvals --help)\n"
		 "       polquery left list|seen ... (see polquery left --help)\n"
		 "\n"
		 "Answers requests under a compiled policy: one JSON object a line on stdin,\n"
		 "one JSON decision a line on stdout (doc/polquery.md). Nothing is run.\n"
		 "serve: the same at a unix socket, for many clients, until SIGTERM.\n"
		 "hook: answers one message of claude-code, codex, gemini-cli, cursor, qwen-code,\n"
		 "opencode, copilot-cli or pi;\n"
		 "fields of it that are to be ignored may be named. --run: polrun runs what is\n"
		 "allowed, under that bundle, which also decides where there is no --bundle.\n"
		 "install: shows the change of the agent's settings, asks, and makes it. doctor: whether the hook\n"
		 "is installed and answers (doc/agents.md).\n"
		 "\n",
	.end = "Exit status: 0 at the end of the requests, whatever was decided; 2 usage or\n"
	       "input and output; 4 a bundle that is not to be trusted.\n",
	.options = table,
	.n = sizeof(table) / sizeof(table[0]),
	.words = words,
	.nwords = sizeof(words) / sizeof(words[0]),
	.subs = subs,
	.nsubs = sizeof(subs) / sizeof(subs[0]),
};

static int set_scope(struct query_options *o, const char *value, struct rt_err *err)
{
	char shown[60];

	io_escape(shown, sizeof(shown), value, strlen(value));
	if (o->scope)
		return rt_fail(err, EINVAL, "'--scope' is given twice");
	if (strcmp(value, "host") == 0)
		o->scope = PB_HOST;
	else if (strcmp(value, "sandbox") == 0)
		o->scope = PB_SANDBOX;
	else
		return rt_fail(err, EINVAL, "--scope: '%s' is neither 'host' nor 'sandbox'",
			       shown);
	return 0;
}

static int set_format(struct query_options *o, const char *value, struct rt_err *err)
{
	if (o->format)
		return rt_fail(err, EINVAL, "'--format' is given twice");
	o->format = value;
	o->json = strcmp(value, "json") == 0;
	return o->json || strcmp(value, "text") == 0 ? 0 :
		       rt_fail(err, EINVAL, "--format is text or json");
}

static int set(void *to, const struct optspec *opt, const char *value,
	       struct rt_err *err)
{
	struct query_options *o = to;

	switch ((enum id)opt->id) {
	case ID_BUNDLE:
		return optread_value(&o->bundle, opt, value, false, err);
	case ID_SCOPE:
		return set_scope(o, value, err);
	case ID_SIGNERS:
		return optread_value(&o->signers, opt, value, false, err);
	case ID_REQUIRE:
		o->require_signed = true;
		return 0;
	case ID_YES:
		o->yes = true;
		return 0;
	case ID_RUN:
		return optread_value(&o->run, opt, value, false, err);
	case ID_RECORD:
		return optread_value(&o->record, opt, value, false, err);
	case ID_FORMAT:
		return set_format(o, value, err);
	case ID_HELP:
		o->action = QUERY_HELP;
		return 0;
	case ID_VERSION:
		o->action = QUERY_VERSION;
		return 0;
	default:
		return rt_fail(err, EINVAL, "'--%s' is not supported by this version",
			       opt->name);
	}
}

/* argv: the verb and the name. */
static int take_agent(struct query_options *o, char *const *argv, struct rt_err *err)
{
	const char *name = argv[1];
	char shown[60], what[100], known[200] = "";

	(void)snprintf(what, sizeof(what), "'%.20s' needs the name of an agent", argv[0]);
	if (name && hook_agent_find(name) < HOOK_AGENT_COUNT) {
		o->agent = name;
		return 0;
	}
	if (name) {
		io_escape(shown, sizeof(shown), name, strlen(name));
		(void)snprintf(what, sizeof(what), "'%s' is none of the agents", shown);
	}
	for (unsigned a = 0; a < HOOK_AGENT_COUNT; a++)
		(void)snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", a ? ", " : "",
			       hook_agent_name((enum hook_agent)a));
	return rt_fail(err, EINVAL, "%s: %s", what, known);
}

static int take_socket(struct query_options *o, char **argv, int n, struct rt_err *err)
{
	if (n != 2 || !argv[1][0])
		return rt_fail(err, EINVAL, "'serve' needs the path of a socket, and "
			       "nothing else behind it");
	o->socket = argv[1];
	return 0;
}

/* The words after the agent: options that may also stand before, and for a hook fields. */
static int take_rest(struct query_options *o, char **argv, int n, struct rt_err *err)
{
	bool hook = o->action == QUERY_HOOK;
	int i = 2;

	for (; i < n && argv[i][0] == '-' && argv[i][1] == '-'; i++) {
		const char **slot = strcmp(argv[i], "--run") == 0 ? &o->run :
				    !hook && strcmp(argv[i], "--bundle") == 0 ? &o->bundle : NULL;

		if (!hook && strcmp(argv[i], "--yes") == 0) {
			o->yes = true;
			continue;
		}
		if (!slot)
			break;
		if (*slot)
			return rt_fail(err, EINVAL, "'%s' is given twice", argv[i]);
		if (i + 1 == n || !argv[i + 1][0])
			return rt_fail(err, EINVAL, "'%s' needs a value that is not empty", argv[i]);
		*slot = argv[++i];
	}
	o->fields = argv + i;
	for (; i < n; i++)
		if (!hook || strncmp(argv[i], "--", 2) == 0)
			return rt_fail(err, EINVAL, "'%.60s' is too much after '%s %s'", argv[i],
				       argv[0], argv[1]);
	return 0;
}

/* "hook AGENT [--run FILE] [FIELD...]", "install AGENT ...", "uninstall AGENT ..." */
static int take_hook(struct query_options *o, char **argv, int n, struct rt_err *err)
{
	int r = take_agent(o, argv, err);

	o->action = strcmp(argv[0], "hook") == 0 ? QUERY_HOOK :
		    strcmp(argv[0], "install") == 0 ? QUERY_INSTALL : QUERY_UNINSTALL;
	if (r == 0)
		r = take_rest(o, argv, n, err);
	if (r < 0)
		return r;
	if (o->run && hook_agent_find(o->agent) == HOOK_QWEN)
		return rt_fail(err, EINVAL, "--run: qwen-code takes no other command from a hook: run it under "
			       "polrun");
	if (o->run && hook_agent_find(o->agent) == HOOK_OPENCODE)
		return rt_fail(err, EINVAL, "--run: the plugin of opencode hands back no other command: run "
			       "opencode itself under polrun");
	if (o->run && hook_agent_find(o->agent) == HOOK_PI)
		return rt_fail(err, EINVAL, "--run: the extension of pi hands back no other command: run pi itself "
			       "under polrun");
	if (o->run && hook_agent_find(o->agent) == HOOK_CURSOR)
		return rt_fail(err, EINVAL, "--run: cursor takes no other command from the hook that "
			       "it asks about commands: run cursor itself under polrun");
	if (o->action == QUERY_UNINSTALL && (o->run || o->bundle || o->signers || o->scope ||
					     o->require_signed))
		return rt_fail(err, EINVAL, "'uninstall' takes no option but --yes");
	if (!o->bundle)
		o->bundle = o->run;
	return 0;
}

/* Help may be asked for after a verb as well as before it. */
static bool asks_for_help(const char *word)
{
	return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

static bool is_verb(const char *word)
{
	for (size_t i = 0; i < polquery_program.nwords; i++)
		if (strcmp(word, words[i].name) == 0)
			return true;
	return false;
}

/* Takes what follows the options: nothing, or a verb with its words. */
static int take_words(struct query_options *o, char **argv, int n, struct rt_err *err)
{
	char shown[60];

	if (n == 0)
		return 0;
	if (is_verb(argv[0]) && asks_for_help(argv[1])) {
		o->action = QUERY_HELP;
		return 0;
	}
	if (strcmp(argv[0], "serve") == 0) {
		o->action = QUERY_SERVE;
		return take_socket(o, argv, n, err);
	}
	if (strcmp(argv[0], "hook") == 0 || strcmp(argv[0], "install") == 0 ||
	    strcmp(argv[0], "uninstall") == 0)
		return take_hook(o, argv, n, err);
	if (strcmp(argv[0], "doctor") == 0) {
		o->action = QUERY_DOCTOR;
		if (n > 2)
			return rt_fail(err, EINVAL, "'doctor' takes one agent, or none");
		return n == 1 ? 0 : take_agent(o, argv, err);
	}
	io_escape(shown, sizeof(shown), argv[0], strlen(argv[0]));
	return rt_fail(err, EINVAL, "'%s' is too much: requests are read from stdin", shown);
}

int query_options_parse(int argc, char **argv, struct query_options *ret,
			struct rt_err *err)
{
	static const struct optread reader = { "polquery", table,
					       sizeof(table) / sizeof(table[0]), set };
	struct query_options o = { .action = QUERY_ANSWER };
	int rest, r = optread(&reader, argc, argv, &o, &rest, err);

	if (r == 0 && o.action == QUERY_ANSWER)
		r = take_words(&o, argv + rest, argc - rest, err);
	if (r < 0)
		return r;
	if (o.action == QUERY_DOCTOR &&
	    (o.bundle || o.signers || o.require_signed || o.scope || o.record))
		return rt_fail(err, EINVAL, "'doctor' takes no options but --format: those that "
			       "stand in the agents' settings count");
	if (o.run && o.action != QUERY_HOOK && o.action != QUERY_INSTALL)
		return rt_fail(err, EINVAL, "--run is an option of hook and install");
	if (o.record && (o.action == QUERY_INSTALL || o.action == QUERY_UNINSTALL))
		return rt_fail(err, EINVAL, "--record is an option of what decides requests, not of "
			       "install and uninstall");
	if (o.yes && o.action != QUERY_INSTALL && o.action != QUERY_UNINSTALL)
		return rt_fail(err, EINVAL, "--yes is an option of install and uninstall");
	if (o.action < QUERY_DOCTOR && o.format)
		return rt_fail(err, EINVAL, "--format is an option of doctor");
	if (o.action < QUERY_DOCTOR && o.action != QUERY_UNINSTALL && !o.bundle)
		return rt_fail(err, EINVAL,
			       "no bundle: name the compiled policy with --bundle FILE "
			       "('polc compile POLICY -o FILE' makes it)");
	if (!o.scope)
		o.scope = PB_HOST;
	*ret = o;
	return 0;
}
