/* polc's verbs as data: --help, the manual and the completions show them. */
#include "compiler/cli/verbs.h"

const struct optspec_verb cli_verbs[CLI_VERB_COUNT] = {
	[CLI_CHECK] = { "check", "[OPTIONS] [POLICY...]",
		"resolve a policy, run its tests, show enforcement gaps" },
	[CLI_COMPILE] = { "compile", "[OPTIONS] POLICY... -o OUT.polb",
		"check, verify and write a bundle for polrun" },
	[CLI_EXPLAIN] = { "explain", "[OPTIONS] [POLICY...] REQUEST",
		"the decision for one request, and why" },
	[CLI_DUMP] = { "dump", "[OPTIONS] POLICY... --after PASS",
		"the tree, the IR or an artefact after a pass" },
	[CLI_INSPECT] = { "inspect", "[OPTIONS] BUNDLE",
		"what a bundle holds" },
	[CLI_EFFECTIVE] = { "effective", "[OPTIONS] [POLICY...]",
		"the resolved policy: each value, who says it, what it "
			    "overrode" },
	[CLI_FMT] = { "fmt", "[OPTIONS] FILE...",
		"the canonical layout of policy texts" },
	[CLI_CONVERT] = { "convert", "--to pol|yaml FILE",
		"a text in the other spelling" },
	[CLI_SIGN] = { "sign", "--key KEY [-o OUT.polb] BUNDLE",
		"add a signature to a bundle" },
	[CLI_VERIFY] = { "verify", "[OPTIONS] BUNDLE",
		"is the bundle whole, current and signed by whom it should be" },
	[CLI_TRUSTED] = { "trust", "FILE... | --revoke FILE... | --list",
		"let a project's policy file, as it is now, allow things as well" },
	[CLI_INIT] = { "init", "[DIR]",
		"a first policy for a project, with tests that pass" },
	[CLI_EMIT] = { "emit", "--to nft-host (--uid WHO | --cgroup PATH) POLICY...",
		"the policy in another engine's language, and what is lost" },
	[CLI_PROVE] = { "prove", "[OPTIONS] POLICY... 'ASSERTION'",
		"is the assertion true of all requests, or of which is it not" },
	[CLI_EXPOSURE] = { "exposure", "[OPTIONS] [POLICY...]",
		"what an attacker inside can still reach, and a score" },
	[CLI_DIFF] = { "diff", "[OPTIONS] OLD NEW",
		"what two policies decide differently, with a request for each" },
};

const struct optspec_program *options_program(void)
{
	static struct optspec_program p = {
		.name = "polc",
		.usage = "polc: the policy compiler\n\n  polc VERB [OPTIONS] ...\n\n",
		.verbs = cli_verbs,
		.nverbs = CLI_VERB_COUNT,
	};

	p.options = options_specs(&p.n);
	return &p;
}
