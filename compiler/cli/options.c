/*
 * The table of polc's options: which verbs have an option, what it takes and what its
 * help says.  The reader, --help, the manual and suggestions are made from it.
 */
#include "compiler/cli/options.h"

#include <stdlib.h>
#include <unistd.h>

#include "compiler/cli/options_ids.h"

#define V(verb) (1u << (verb))
#define V_ALL (V(CLI_VERB_COUNT) - 1u)
#define V_POLICY (V(CLI_CHECK) | V(CLI_COMPILE) | V(CLI_EXPLAIN) | V(CLI_DUMP) | \
		  V(CLI_EFFECTIVE) | V(CLI_DIFF) | V(CLI_EMIT) | V(CLI_PROVE) | \
		  V(CLI_EXPOSURE))

/* Extra rows of the table, for verbs where an option takes other values. */
enum { ROW_FORMAT_EFFECTIVE = OPT_COUNT, ROW_FORMAT_DIFF, ROW_FORMAT_EXPOSURE,
       ROW_FAIL_ON_DIFF, ROW_TO_EMIT, ROW_AGAINST_COMPILE, ROW_COUNT };

static const struct optspec specs[ROW_COUNT] = {
	[OPT_MANAGED] = { OPT_MANAGED, "managed", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			  "a policy that speaks at level 'managed'" },
	[OPT_MANAGED_FILE] = { OPT_MANAGED_FILE, "managed-file", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			       "one that speaks at level 'managed-file'" },
	[OPT_PROJECT] = { OPT_PROJECT, "project", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			  "one that speaks at level 'project'" },
	[OPT_USER] = { OPT_USER, "user", 0, OPTSPEC_ONE, V_POLICY, "FILE",
		       "one that speaks at level 'user'" },
	[OPT_ROLE] = { OPT_ROLE, "role", 0, OPTSPEC_ONE, V_POLICY, "NAME",
		       "the role whose sections count" },
	[OPT_DISCOVER] = { OPT_DISCOVER, "discover", 0, OPTSPEC_MAYBE, V_POLICY, "DIR",
			   "find the policies that polrun would find from DIR" },
	[OPT_FALLBACK] = { OPT_FALLBACK, "fallback", 0, OPTSPEC_ONE, V_POLICY, "std/NAME",
			   "with --discover: this one if the user has none (polrun: std/profile/local)" },
	[OPT_SCOPE] = { OPT_SCOPE, "scope", 0, OPTSPEC_ONE, V_POLICY, "sandbox|host",
			"where the request is made (sandbox)" },
	[OPT_ROOT] = { OPT_ROOT, "root", 0, OPTSPEC_ONE, V_POLICY, "NAME=DIR",
		       "the value of HOME, PROJECT_DIR, GIT_COMMON_DIR, TMPDIR, SESSION_DIR or SSH_AUTH_SOCK" },
	[OPT_FAIL_ON] = { OPT_FAIL_ON, "fail-on", 0, OPTSPEC_ONE, V(CLI_CHECK),
			  "error|warning", "which findings make the exit status 1 (error)" },
	[ROW_FAIL_ON_DIFF] = { OPT_FAIL_ON, "fail-on", 0, OPTSPEC_ONE, V(CLI_DIFF),
			       "any|widening",
			       "which differences make the exit status 1 (any)" },
	[OPT_AGAINST] = { OPT_AGAINST, "against", 0, OPTSPEC_ONE, V(CLI_CHECK), "CEILING",
			  "prove that nothing is allowed that this policy or bundle (also REV:FILE) does not "
			  "allow" },
	[OPT_VERBOSE] = { OPT_VERBOSE, "verbose", 'v', OPTSPEC_NONE,
			  V_POLICY & ~V(CLI_EXPOSURE), NULL,
			  "also what there is to say about the standard library" },
	[OPT_OUTPUT] = { OPT_OUTPUT, "output", 'o', OPTSPEC_ONE, V(CLI_COMPILE) | V(CLI_SIGN),
			 "OUT.polb", "the bundle to write" },
	[OPT_SERIAL] = { OPT_SERIAL, "serial", 0, OPTSPEC_ONE, V(CLI_COMPILE), "N",
			 "instead of the policy's own serial" },
	[OPT_EXPIRES] = { OPT_EXPIRES, "expires", 0, OPTSPEC_ONE, V(CLI_COMPILE), "YYYY-MM-DD",
			  "instead of the policy's own date" },
	[OPT_NOT_BEFORE] = { OPT_NOT_BEFORE, "not-before", 0, OPTSPEC_ONE, V(CLI_COMPILE), "YYYY-MM-DD",
			     "the first day on which the bundle is valid" },
	[OPT_PREVIOUS] = { OPT_PREVIOUS, "previous", 0, OPTSPEC_ONE, V(CLI_COMPILE), "OLD.polb",
			   "the bundle that this one follows, with a lower serial" },
	[ROW_AGAINST_COMPILE] = { OPT_AGAINST, "against", 0, OPTSPEC_ONE, V(CLI_COMPILE), "OLD.polb",
				  "the same, and state in the manifest what this one permits "
				  "beyond it" },
	[OPT_REPRODUCE] = { OPT_REPRODUCE, "reproduce", 0, OPTSPEC_ONE, V(CLI_COMPILE), "OLD.polb",
			    "compile its own sources, and compare; nothing is written" },
	[OPT_SIGN] = { OPT_SIGN, "sign", 0, OPTSPEC_ONE, V(CLI_COMPILE), "KEY",
		       "sign with this key file (ssh-keygen), and ask for a signature" },
	[OPT_KEY] = { OPT_KEY, "key", 0, OPTSPEC_ONE, V(CLI_SIGN), "KEY",
		      "a private key, or a public one of an agent (required)" },
	[OPT_SIGNERS] = { OPT_SIGNERS, "allowed-signers", 0, OPTSPEC_ONE, V(CLI_VERIFY), "FILE",
			  "who may sign (/etc/pol, then ~/.config/pol)" },
	[OPT_PRINCIPAL] = { OPT_PRINCIPAL, "principal", 'I', OPTSPEC_ONE, V(CLI_VERIFY), "WHO",
			    "who must have signed (anybody of the list)" },
	[OPT_CREATED] = { OPT_CREATED, "created", 0, OPTSPEC_ONE, V(CLI_COMPILE), "SECONDS",
			  "time since 1970 for the manifest (SOURCE_DATE_EPOCH)" },
	[OPT_NO_SOURCES] = { OPT_NO_SOURCES, "no-sources", 0, OPTSPEC_NONE, V(CLI_COMPILE), NULL,
			     "leave the policy texts out of the bundle" },
	[OPT_NO_NFT_BATCH] = { OPT_NO_NFT_BATCH, "no-nft-batch", 0, OPTSPEC_NONE, V(CLI_COMPILE), NULL,
			       "no trial of the network rules: polnft loads them" },
	[OPT_INPUTS] = { OPT_INPUTS, "inputs", 0, OPTSPEC_ONE, V(CLI_COMPILE), "FILE",
			 "write here which files were read, with their digests" },
	[OPT_CWD] = { OPT_CWD, "cwd", 0, OPTSPEC_ONE, V(CLI_EXPLAIN), "DIR",
		      "working directory of a command (the project)" },
	[OPT_WHY_NOT] = { OPT_WHY_NOT, "why-not", 0, OPTSPEC_MAYBE, V(CLI_EXPLAIN),
			  "managed|managed-file|project|user",
			  "also the smallest rule of this level (user) that would allow it, and what "
			  "else that would allow" },
	[OPT_AFTER] = { OPT_AFTER, "after", 0, OPTSPEC_ONE, V(CLI_DUMP), "PASS",
			"the pass whose result is printed (required)" },
	[OPT_SECTION] = { OPT_SECTION, "section", 0, OPTSPEC_ONE, V(CLI_INSPECT) | V(CLI_EFFECTIVE),
			  "NAME", "one section of the policy or the bundle" },
	[OPT_FORMAT] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE,
			 V(CLI_CHECK) | V(CLI_EXPLAIN) | V(CLI_INSPECT) | V(CLI_VERIFY) |
				 V(CLI_PROVE),
			 "text|json", "how results are printed (text)" },
	[ROW_FORMAT_EFFECTIVE] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE, V(CLI_EFFECTIVE),
				   "text|json|yaml", "how the policy is printed (text)" },
	[ROW_FORMAT_DIFF] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE, V(CLI_DIFF),
			      "text|json|markdown|html", "how differences are printed (text)" },
	[ROW_FORMAT_EXPOSURE] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE, V(CLI_EXPOSURE),
				  "text|json|markdown", "how findings are printed (text)" },
	[OPT_COLOR] = { OPT_COLOR, "color", 0, OPTSPEC_ONE, V_ALL, "auto|always|never",
			"colours in diagnostics (auto)" },
	[OPT_WRITE] = { OPT_WRITE, "write", 'w', OPTSPEC_NONE, V(CLI_FMT), NULL,
			"write the result back to each file that it changes" },
	[OPT_CHECK] = { OPT_CHECK, "check", 0, OPTSPEC_NONE, V(CLI_FMT), NULL,
			"name the files that would change; exit status 1 if there are any" },
	[OPT_DIFF] = { OPT_DIFF, "diff", 0, OPTSPEC_NONE, V(CLI_FMT), NULL,
		       "show what would change as a unified diff" },
	[OPT_TO] = { OPT_TO, "to", 0, OPTSPEC_ONE, V(CLI_CONVERT), "pol|yaml",
		     "the spelling that is wanted (required)" },
	[ROW_TO_EMIT] = { OPT_TO, "to", 0, OPTSPEC_ONE, V(CLI_EMIT), "nft-host",
			  "the engine whose language is wanted (required)" },
	[OPT_TRAFFIC] = { OPT_TRAFFIC, "traffic", 0, OPTSPEC_ONE, V(CLI_DIFF), "FILE",
			  "requests that polrun or polquery recorded: how many a change decides "
			  "otherwise (may be given several times)" },
	[OPT_MAX] = { OPT_MAX, "max", 0, OPTSPEC_ONE, V(CLI_EXPOSURE), "N",
		      "exit status 1 if the score is above N, in any role" },
	[OPT_UID] = { OPT_UID, "uid", 0, OPTSPEC_ONE, V(CLI_EMIT), "NAME|UID",
		      "nft-host: the user whose processes are held" },
	[OPT_CGROUP] = { OPT_CGROUP, "cgroup", 0, OPTSPEC_ONE, V(CLI_EMIT), "PATH",
			 "nft-host: or the cgroup, below /sys/fs/cgroup" },
	[OPT_LOOPBACK] = { OPT_LOOPBACK, "loopback", 0, OPTSPEC_NONE, V(CLI_EMIT), NULL,
			   "nft-host: the host's loopback stands for the run's own" },
	[OPT_STRICT] = { OPT_STRICT, "strict", 0, OPTSPEC_NONE, V(CLI_EMIT), NULL,
			 "exit status 1 if something cannot be said" },
	[OPT_LIST] = { OPT_LIST, "list", 0, OPTSPEC_NONE, V(CLI_TRUSTED), NULL,
		       "the files that this user trusts" },
	[OPT_REVOKE] = { OPT_REVOKE, "revoke", 0, OPTSPEC_NONE, V(CLI_TRUSTED), NULL,
			 "take back the trust in each FILE" },
	[OPT_HELP] = { OPT_HELP, "help", 'h', OPTSPEC_NONE, V_ALL, NULL, "this text" },
	[OPT_VERSION] = { OPT_VERSION, "version", 0, OPTSPEC_NONE, V_ALL, NULL, "the version" },
};

const char *const options_requests[] = {
	"command", "argv", "file", "net", "unix", "syscall", "tool", "setting",
	"env", "limit", "mount", "publish", NULL
};

const struct optspec *options_specs(size_t *ret_n)
{
	*ret_n = ROW_COUNT;
	return specs;
}

void options_help(FILE *out, enum cli_verb verb)
{
	optspec_print(out, specs, ROW_COUNT, (int)verb);
}

bool options_colour(const struct options *o, FILE *out)
{
	const char *no = getenv("NO_COLOR");

	if (o->color != CLI_COLOR_AUTO)
		return o->color == CLI_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(out));
}

bool options_wants_bundle(enum cli_verb v)
{
	return v == CLI_INSPECT || v == CLI_SIGN || v == CLI_VERIFY;
}
