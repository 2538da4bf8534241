/* Shows and revokes remembered answers.  It never makes one. */
#include "runtime/approvals/approvals_verb.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/approvals/approvals.h"
#include "runtime/base/io.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/verb.h"

enum { KEY_SHOWN = 12 }; /* digits of a key in the list */

enum id { ID_FORMAT, ID_ALL, ID_SESSION, ID_HELP };

enum { LIST = 1 << 0, REVOKE = 1 << 1 };

static const struct optspec table[] = {
	{ ID_FORMAT, "format", 0, OPTSPEC_ONE, LIST, "text|json", "how they are listed (text)" },
	{ ID_ALL, "all", 0, OPTSPEC_NONE, REVOKE, NULL, "revoke every answer" },
	{ ID_SESSION, "session", 0, OPTSPEC_ONE, REVOKE, "ID",
	  "revoke those for polrun --session ID" },
	{ ID_HELP, "help", 'h', OPTSPEC_NONE, LIST | REVOKE, NULL, "this text" },
};

static const struct optspec_verb verbs[] = {
	{ "list", "[--format text|json]", "show the answers that polrun remembers" },
	{ "revoke", "KEY... | --all | --session ID", "take answers back" },
};

const struct optspec_program approvals_program = {
	.name = "approvals",
	.usage = "usage: polquery approvals list [--format text|json]\n"
		 "       polquery approvals revoke KEY...\n"
		 "       polquery approvals revoke --all | --session ID\n"
		 "\n"
		 "The answers that a person gave polrun for a session.\n"
		 "\n",
	.end = "KEY is what `list` shows, at least 8 digits of it.\n"
	       "Exit status: 0; 1 there was nothing to revoke; 2 trouble.\n",
	.options = table,
	.n = sizeof(table) / sizeof(table[0]),
	.verbs = verbs,
	.nverbs = sizeof(verbs) / sizeof(verbs[0]),
};

struct request {
	struct verb_line line;
	const char *session;
};

/* --- the command line ----------------------------------------------------------------- */

static int set(void *to, const struct optspec *opt, const char *value,
	       struct rt_err *err)
{
	struct request *r = to;

	switch ((enum id)opt->id) {
	case ID_FORMAT:
		return optread_value(&r->line.format, opt, value, false, err);
	case ID_SESSION:
		return optread_value(&r->session, opt, value, false, err);
	case ID_ALL:
		r->line.all = true;
		return 0;
	case ID_HELP:
	default:
		r->line.help = true;
		return 0;
	}
}

static const struct verb_keys keys = { "key", "polquery approvals list", APPROVALS_KEY };

static int check_revoke(const struct request *r, struct rt_err *err)
{
	const struct verb_line *l = &r->line;
	int e = verb_check_format(l, err);

	if (e < 0)
		return e;
	if ((l->nkeys > 0) + l->all + (r->session != NULL) != 1)
		return rt_fail(err, EINVAL, "revoke takes keys, or --all, or --session ID");
	if (r->session && !approval_session_id(r->session))
		return rt_fail(err, EINVAL, "--session: an ID has 1 to 128 of letters, "
			       "digits and ._:@-");
	return verb_check_keys(l, &keys, err);
}

static int check_list(const struct request *r, struct rt_err *err)
{
	if (r->line.nkeys || r->line.all || r->session)
		return rt_fail(err, EINVAL, "list takes nothing but --format");
	return verb_check_format(&r->line, err);
}

static int parse(int argc, char **argv, struct request *ret, struct rt_err *err)
{
	static const struct optread reader = { "polquery approvals", table,
					       sizeof(table) / sizeof(table[0]), set };
	static const char which[] = "approvals: list or revoke?";
	int r = verb_read(&reader, argc, argv, ret, &ret->line, which, err);

	if (r < 0 || ret->line.help)
		return r;
	if (verb_is_list(&ret->line))
		return check_list(ret, err);
	if (strcmp(ret->line.verb, "revoke") == 0)
		return check_revoke(ret, err);
	return rt_fail(err, EINVAL, which);
}

/* --- list ----------------------------------------------------------------------------- */

static void list_text(const struct approvals *a, int64_t now)
{
	char when[VERB_WHEN];

	for (size_t i = 0; i < a->n; i++) {
		const struct approval *p = &a->v[i];

		verb_when(p->when, when);
		printf("%.*s  %s  %-5s  %s  %s  %s\n", KEY_SHOWN, p->key, when,
		       approvals_counts(p, now) ? "holds" : "ended", p->session, p->rule,
		       p->what);
	}
}

static int list_json(const struct approvals *a, int64_t now)
{
	struct json j;
	char when[VERB_WHEN];

	json_init(&j);
	json_object(&j, NULL);
	json_array(&j, "approvals");
	for (size_t i = 0; i < a->n; i++) {
		const struct approval *p = &a->v[i];

		verb_when(p->when, when);
		json_object(&j, NULL);
		json_cstr(&j, "key", p->key);
		json_cstr(&j, "session", p->session);
		json_cstr(&j, "when", when);
		json_bool(&j, "holds", approvals_counts(p, now));
		json_cstr(&j, "bundle_digest", p->digest);
		json_cstr(&j, "rule", p->rule);
		json_cstr(&j, "command", p->what);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return verb_print_json(stdout, &j);
}

static int list(struct approvals *a, bool json, struct rt_err *err)
{
	int64_t now = time(NULL);
	int r = a->dirfd >= 0 ? approvals_load(a, err) : 0;

	if (r < 0)
		return r;
	if (!json)
		list_text(a, now);
	else
		r = list_json(a, now);
	if (r < 0 || fflush(stdout) != 0)
		return rt_fail_errno(err, r < 0 ? -r : errno, "writing the list");
	return 0;
}

/* --- revoke ----------------------------------------------------------------------------- */

static bool is_revoked(const struct approval *p, void *arg)
{
	const struct request *r = arg;

	if (r->line.all)
		return true;
	if (r->session)
		return approval_session_named(p->session) &&
		       strcmp(p->session + 3, r->session) == 0;
	return verb_has_key(&r->line, p->key);
}

static int take_back(struct approvals *a, struct request *r)
{
	struct rt_err err = { 0 };
	size_t n = 0;

	if (a->dirfd >= 0 && approvals_remove(a, is_revoked, r, &n, &err) < 0)
		return verb_fail(&err);
	/* a file that could not be read was replaced by an empty one */
	if (err.text[0])
		fprintf(stderr, "polquery: %s: nothing of it is left\n", err.text);
	printf("revoked: %zu\n", n);
	if (fflush(stdout) != 0)
		return VERB_TROUBLE;
	return n || r->line.all ? 0 : VERB_NONE;
}

/* --- the verb ----------------------------------------------------------------------------- */

static int open_store(struct approvals *a, struct rt_err *err)
{
	char dir[PATH_MAX];
	int r = state_dir_own(dir, err);

	if (r == 0)
		r = approvals_open(dir, a, err);
	return r == -ENOENT && !err->text[0] ? 0 : r;
}

int approvals_verb(int argc, char **argv)
{
	struct approvals a = { .dirfd = -1, .lock = -1 };
	struct request r = { .session = NULL };
	struct rt_err err = { 0 };
	int status;

	if (parse(argc, argv, &r, &err) < 0)
		return verb_fail(&err);
	if (r.line.help) {
		optspec_help(stdout, &approvals_program);
		return fflush(stdout) == 0 ? 0 : VERB_TROUBLE;
	}
	if (open_store(&a, &err) < 0)
		return verb_fail(&err);
	if (verb_is_list(&r.line))
		status = list(&a, verb_is_json(&r.line), &err) < 0 ? verb_fail(&err) : 0;
	else
		status = take_back(&a, &r);
	approvals_release(&a);
	return status;
}
