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
#include "runtime/base/json.h"
#include "runtime/base/optread.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/verb.h"

/* How long the beginning of a key must be to name one answer, and how much is shown. */
enum { KEY_LEAST = 8, KEY_SHOWN = 12 };

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
	const char *verb;
	const char *format, *session;
	bool all, help;
	char **keys;
	int nkeys;
};

/* --- the command line ----------------------------------------------------------------- */

static int set(void *to, const struct optspec *opt, const char *value,
	       struct rt_err *err)
{
	struct request *r = to;

	switch ((enum id)opt->id) {
	case ID_FORMAT:
		return optread_value(&r->format, opt, value, false, err);
	case ID_SESSION:
		return optread_value(&r->session, opt, value, false, err);
	case ID_ALL:
		r->all = true;
		return 0;
	case ID_HELP:
	default:
		r->help = true;
		return 0;
	}
}

static int check_key(const char *key, struct rt_err *err)
{
	size_t n = strlen(key);
	char shown[80];

	if (n >= KEY_LEAST && n <= APPROVALS_KEY && strspn(key, "0123456789abcdef") == n)
		return 0;
	io_escape(shown, sizeof(shown), key, n);
	return rt_fail(err, EINVAL, "'%s' is no key: %d to %d hexadecimal digits, as `polquery "
		       "approvals list` shows them", shown, KEY_LEAST, APPROVALS_KEY);
}

static int check_revoke(const struct request *r, struct rt_err *err)
{
	int said = (r->nkeys > 0) + r->all + (r->session != NULL), e = 0;

	if (r->format)
		return rt_fail(err, EINVAL, "--format is an option of list");
	if (said != 1)
		return rt_fail(err, EINVAL, "revoke takes keys, or --all, or --session ID");
	if (r->session && !approval_session_id(r->session))
		return rt_fail(err, EINVAL, "--session: an ID has 1 to 128 of letters, "
			       "digits and ._:@-");
	for (int i = 0; i < r->nkeys && e == 0; i++)
		e = check_key(r->keys[i], err);
	return e;
}

static int check_list(const struct request *r, struct rt_err *err)
{
	if (r->nkeys || r->all || r->session)
		return rt_fail(err, EINVAL, "list takes nothing but --format");
	if (r->format && strcmp(r->format, "text") != 0 && strcmp(r->format, "json") != 0)
		return rt_fail(err, EINVAL, "--format is text or json");
	return 0;
}

/* Options may come before or after the verb. */
static int parse(int argc, char **argv, struct request *ret, struct rt_err *err)
{
	static const struct optread reader = { "polquery approvals", table,
					       sizeof(table) / sizeof(table[0]), set };
	int rest, r = optread(&reader, argc, argv, ret, &rest, err);

	if (r < 0 || ret->help)
		return r;
	if (rest >= argc)
		return rt_fail(err, EINVAL, "approvals: list or revoke?");
	ret->verb = argv[rest];
	argv += rest;
	argc -= rest;
	r = optread(&reader, argc, argv, ret, &rest, err);
	if (r < 0 || ret->help)
		return r;
	ret->keys = argv + rest;
	ret->nkeys = argc - rest;
	if (strcmp(ret->verb, "list") == 0)
		return check_list(ret, err);
	if (strcmp(ret->verb, "revoke") == 0)
		return check_revoke(ret, err);
	return rt_fail(err, EINVAL, "approvals: list or revoke?");
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
	const char *text;
	char when[VERB_WHEN];
	size_t n = 0;
	int r;

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
	text = json_finish(&j, &n);
	r = text ? 0 : -ENOMEM;
	if (text)
		(void)fwrite(text, 1, n, stdout);
	json_release(&j);
	return r;
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

	if (r->all)
		return true;
	if (r->session)
		return approval_session_named(p->session) &&
		       strcmp(p->session + 3, r->session) == 0;
	for (int i = 0; i < r->nkeys; i++)
		if (strncmp(p->key, r->keys[i], strlen(r->keys[i])) == 0)
			return true;
	return false;
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
	return n || r->all ? 0 : VERB_NONE;
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
	struct request r = { .verb = NULL };
	struct rt_err err = { 0 };
	int status;

	if (parse(argc, argv, &r, &err) < 0)
		return verb_fail(&err);
	if (r.help) {
		optspec_help(stdout, &approvals_program);
		return fflush(stdout) == 0 ? 0 : VERB_TROUBLE;
	}
	if (open_store(&a, &err) < 0)
		return verb_fail(&err);
	if (strcmp(r.verb, "revoke") == 0)
		status = take_back(&a, &r);
	else
		status = list(&a, r.format && !strcmp(r.format, "json"), &err) < 0 ?
				 verb_fail(&err) : 0;
	approvals_release(&a);
	return status;
}
