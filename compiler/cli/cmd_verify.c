/*
 * `polc verify`: would polrun --require-signed accept this bundle now, and by whose
 * signature?  Every member is verified, not only the members that a run uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "compiler/base/json_buf.h"
#include "compiler/cli/changes_json.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/roots.h"
#include "runtime/bundle/trust.h"

/* An absent file is CLI_TROUBLE; everything else about a bundle is a matter of trust. */
static bool is_there(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0)
		close(fd);
	else
		cli_say_path(path, "cannot be opened: ", errno);
	return fd >= 0;
}

static void print(const struct options *o, struct arena *a, const struct bundle *b,
		  const struct trust *t)
{
	char fp[SSHKEY_FINGERPRINT_CAP];
	struct json j;
	struct buf out;

	sshkey_fingerprint(&t->key, fp);
	if (!o->json) {
		printf("signed by %s with %s (%s:%u)\nmanifest %s, serial %" PRIu64
		       "\n",
		       t->by.who, fp, t->list, t->by.line, b->digest, b->serial);
		if (b->changes)
			changes_print(stdout, b->changes, "", CHANGES_MAX_LIST);
		return;
	}
	buf_init(&out, a);
	json_buf_init(&j, &out);
	json_object(&j, NULL);
	json_cstr(&j, "signed_by", t->by.who);
	json_cstr(&j, "key", fp);
	json_cstr(&j, "list", t->list);
	json_uint(&j, "line", t->by.line);
	json_bool(&j, "system", t->by_system);
	json_uint(&j, "signatures", b->nsignatures);
	json_cstr(&j, "digest", b->digest);
	json_uint(&j, "serial", b->serial);
	changes_json(&j, b->changes);
	json_object_end(&j);
	buf_ch(&out, '\n');
	fwrite(out.p, 1, out.n, stdout);
}

enum cli_exit cmd_verify(struct options *o, struct arena *a)
{
	struct trust_options opt = { .file = o->signers,
				     .require = true,
				     .principal = o->principal };
	struct rt_err err = { .err = 0 };
	enum cli_exit e = CLI_TRUST;
	struct trust t;
	struct bundle b;

	if (!is_there(o->bundle))
		return CLI_TROUBLE;
	opt.now = (int64_t)time(NULL);
	opt.home = str_z(a, roots_home(a));
	if (trust_open(o->bundle, false, &opt, &b, &t, &err) == 0) {
		if (bundle_check_time(&b, opt.now, &err) == 0 &&
		    cli_members(&b, &err)) {
			print(o, a, &b, &t);
			e = CLI_CLEAN;
		}
		bundle_release(&b);
	}
	if (e != CLI_CLEAN)
		cli_say_err(&err);
	return e;
}
