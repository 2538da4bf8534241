/*
 * Which bundles must be signed, and which list of signers decides: absent,
 * empty, unreadable and badly kept lists, the system's and the user's, and
 * what only the manifest asks for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/bundle/manifest.h"
#include "compiler/bundle/sign.h"
#include "runtime/bundle/trust.h"
#include "tests/unit/bundle_sign.h"
#include "tests/unit/scratch_dir.h"

#define NOW 1800000000

static char dir[] = "/tmp/pol-test-trust.XXXXXX";
static const struct sig_spec good = { SIG_GOOD }, token = { SIG_GOOD_SK };
static struct sig_key alice, bob;
static struct mk mk;
static struct str plain;

static void put_file(const char *name, struct str s)
{
	scratch_put(name, s.p, s.n);
}

/* A list of one line with that key. */
static void list(const char *name, const char *before, const struct sig_key *k)
{
	char pub[512];

	sig_public(&good, k, pub);
	put_file(name, str_printf(&mk.a, "%s %s\n", before, pub));
}

/* Nothing of this machine has a say. */
static struct trust_options options(void)
{
	return (struct trust_options){ .now = NOW, .home = dir,
				       .system = "no-system-list" };
}

static void opens(const char *name, const struct trust_options *opt, struct trust *t)
{
	struct rt_err err = { 0 };
	struct bundle b;

	if (trust_open(name, true, opt, &b, t, &err) < 0)
		fail_msg("%s", err.text);
	bundle_release(&b);
}

/* `run`: as polrun opens it. */
static void refuses_as(bool run, const char *name, const struct trust_options *opt,
		       const char *why)
{
	struct rt_err err = { 0 };
	struct bundle b;
	struct trust t;

	if (trust_open(name, run, opt, &b, &t, &err) == 0)
		fail_msg("%s is accepted; expected: %s", name, why);
	if (!strstr(err.text, why) || !strstr(err.text, name))
		fail_msg("'%s' does not say '%s' of '%s'", err.text, why, name);
}

static void refuses(const char *name, const struct trust_options *opt, const char *why)
{
	refuses_as(false, name, opt, why);
	refuses_as(true, name, opt, why);
}

static void test_unsigned_bundles(void **state)
{
	struct trust_options o = options();
	struct trust t;

	(void)state;
	put_file("plain", plain);
	opens("plain", &o, &t);
	assert_false(t.trusted);
	o.require = true;
	refuses("plain", &o, "not signed");
	o = options();
	list("alice", "alice", &alice);
	o.file = "alice";
	refuses("plain", &o, "not signed");
}

static void test_a_signed_bundle_is_always_verified(void **state)
{
	struct trust_options o = options();
	struct trust t;

	(void)state;
	put_file("signed", mk_signed(&mk.a, plain, &good, &alice));
	refuses("signed", &o, "signed by a key that is not trusted here (SHA256:");
	refuses("signed", &o, "no list of signers: neither 'no-system-list' nor");
	o.home = NULL;
	refuses("signed", &o, "no list of signers: neither 'no-system-list'");
	o.home = "relative";
	refuses("signed", &o, "no list of signers: neither 'no-system-list'");
	list("alice", "alice", &alice);
	list("bob", "bob", &bob);
	o.file = "alice";
	opens("signed", &o, &t);
	assert_true(t.trusted && !t.by_system);
	assert_string_equal(t.list, "alice");
	assert_string_equal(t.by.who, "alice");
	o.file = "bob";
	refuses("signed", &o, "list of signers 'bob': no line of it has the key");
	o.file = "alice";
	o.principal = "bob";
	refuses("signed", &o, "sign as 'bob'");
}

static void test_absent_empty_unreadable(void **state)
{
	struct trust_options o = options();

	(void)state;
	put_file("signed", mk_signed(&mk.a, plain, &good, &alice));
	o.file = "nothing-here";
	refuses("signed", &o, "'nothing-here' is not there");
	put_file("empty", STR(""));
	o.file = "empty";
	refuses("signed", &o, "'empty': it is empty");
	assert_int_equal(mkdir("d", 0755), 0);
	o.file = "d";
	refuses("signed", &o, "'d' is no regular file");
	list("alice", "alice", &alice);
	o.file = "alice/x";
	refuses("signed", &o, "'alice/x' cannot be read: Not a directory");
	assert_int_equal(symlink("alice", "link"), 0);
	o.file = "link";
	refuses("signed", &o, "'link' is a symbolic link");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	o.file = "fifo";
	refuses("signed", &o, "'fifo' is no regular file");
	if (getuid() == 0) { /* another user's group may be private: tests/live/private_group.sh */
		list("group", "alice", &alice);
		assert_int_equal(chmod("group", 0664), 0);
		o.file = "group";
		refuses("signed", &o, "'group' is writable by its group or others");
	}
	list("others", "alice", &alice);
	assert_int_equal(chmod("others", 0646), 0);
	o.file = "others";
	refuses("signed", &o, "'others' is writable by its group or others");
	put_file("big", STR("#"));
	assert_int_equal(truncate("big", SIGNERS_MAX_BYTES + 1), 0);
	o.file = "big";
	refuses("signed", &o, "'big' is larger than");
	if (getuid() == 0) {
		list("foreign", "alice", &alice);
		assert_int_equal(chown("foreign", 12345, 12345), 0);
		o.file = "foreign";
		refuses("signed", &o, "'foreign' belongs to uid 12345");
		o.file = NULL;
		o.system = "foreign";
		refuses("signed", &o, "it must be root's");
	}
}

/* A list of the caller's own is none of the system's. */
static void test_the_systems_list_is_roots(void **state)
{
	struct trust_options o = options();
	pid_t pid;
	int status;

	(void)state;
	put_file("signed", mk_signed(&mk.a, plain, &good, &alice));
	list("mine", "alice", &alice);
	o.system = "mine";
	if (getuid() != 0) {
		refuses("signed", &o, "it must be root's");
		return;
	}
	assert_int_equal(chown("mine", 12345, 12345), 0);
	assert_int_equal(chmod(".", 0755), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rt_err err = { 0 };
		struct bundle b;
		struct trust t;
		bool named, system;

		if (setgid(12345) != 0 || setuid(12345) != 0)
			_exit(2);
		system = trust_open("signed", false, &o, &b, &t, &err) < 0 &&
			 strstr(err.text, "it must be root's");
		o.system = "no-system-list";
		o.file = "mine";
		named = trust_open("signed", false, &o, &b, &t, &err) == 0;
		_exit(system && named ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void user_list(const char *before, const struct sig_key *k)
{
	(void)mkdir(".config", 0755);
	(void)mkdir(".config/pol", 0755);
	list(".config/pol/allowed_signers", before, k);
}

static void test_the_users_list(void **state)
{
	struct trust_options o = options();
	struct trust t;

	(void)state;
	put_file("signed", mk_signed(&mk.a, plain, &good, &alice));
	user_list("me", &alice);
	opens("signed", &o, &t);
	assert_true(t.trusted && !t.by_system);
	assert_string_equal(t.by.who, "me");
	user_list("me", &bob);
	refuses("signed", &o, "no line of it has the key");
	/* The one that was named is the only one. */
	user_list("me", &alice);
	list("bob", "bob", &bob);
	o.file = "bob";
	refuses("signed", &o, "list of signers 'bob'");
	assert_int_equal(unlink(".config/pol/allowed_signers"), 0);
}

static void test_the_systems_list(void **state)
{
	struct trust_options o = options();
	struct trust t;

	(void)state;
	if (getuid() != 0)
		skip();
	put_file("signed", mk_signed(&mk.a, plain, &good, &alice));
	put_file("plain", plain);
	list("system", "admin", &alice);
	o.system = "system";
	opens("signed", &o, &t);
	assert_true(t.trusted && t.by_system);
	assert_string_equal(t.by.who, "admin");
	/* It asks nothing of a bundle without a managed level. */
	opens("plain", &o, &t);
	assert_false(t.trusted);
	/* Where it says no, the user's may say yes. */
	list("system", "admin", &bob);
	refuses("signed", &o, "'system': no line of it has the key");
	user_list("me", &alice);
	opens("signed", &o, &t);
	assert_true(t.trusted && !t.by_system);
	/* Where it is not to be trusted nobody is asked. */
	assert_int_equal(chmod("system", 0666), 0);
	refuses("signed", &o, "'system' is writable");
	o.file = ".config/pol/allowed_signers";
	refuses("signed", &o, "'system' is writable");
	assert_int_equal(unlink(".config/pol/allowed_signers"), 0);
	assert_int_equal(unlink("system"), 0);
}

static void test_a_managed_bundle_needs_the_systems_list(void **state)
{
	struct trust_options o = options();
	struct str s, sig;
	struct trust t;
	struct mk m;

	(void)state;
	mk_sample(&m);
	m.ir->files.v[0].level = IR_MANAGED;
	s = mk_bundle(&m, MK_OPTIONS);
	sig = mk_signed(&m.a, s, &good, &alice);
	put_file("managed", s);
	put_file("managed-signed", sig);
	list("alice", "alice", &alice);
	/* Without a list of the system's there is no such demand. */
	opens("managed", &o, &t);
	o.file = "alice";
	opens("managed-signed", &o, &t);
	if (getuid() == 0) {
		list("system", "admin", &bob);
		o.system = "system";
		refuses("managed-signed", &o,
			"level 'managed', and 'system' allows none of its keys");
		o.file = NULL;
		user_list("me", &alice);
		refuses("managed-signed", &o, "allows none of its keys");
		refuses("managed", &o, "level 'managed' and is not signed");
		put_file("system", STR(""));
		refuses("managed-signed", &o, "allows none of its keys");
		refuses("managed", &o, "level 'managed' and is not signed");
		list("system", "admin", &alice);
		opens("managed-signed", &o, &t);
		assert_true(t.by_system);
		assert_int_equal(chmod("system", 0666), 0);
		refuses("managed", &o, "'system' is writable");
		assert_int_equal(unlink(".config/pol/allowed_signers"), 0);
	}
	mk_release(&m);
}

static void test_several_signatures(void **state)
{
	struct sig_spec bad = { SIG_GOOD };
	struct str pa = mk_signature_path(&mk.a, &good, &alice);
	struct str pb = mk_signature_path(&mk.a, &good, &bob), two;
	bool alice_first = str_cmp(pa, pb) < 0;
	const struct sig_key *first = alice_first ? &alice : &bob;
	const struct sig_key *last = alice_first ? &bob : &alice;
	struct trust_options o = options();
	struct trust t;

	(void)state;
	list("alice", "alice", &alice);
	list("bob", "bob", &bob);
	two = mk_signed(&mk.a, mk_signed(&mk.a, plain, &good, last), &good, first);
	put_file("two", two);
	o.file = "alice";
	opens("two", &o, &t);
	o.file = "bob";
	opens("two", &o, &t);
	assert_string_equal(t.by.who, "bob");
	/* One of them is bad: which one does not matter. */
	bad.other_message = true;
	for (int i = 0; i < 2; i++) {
		two = mk_signed(&mk.a, plain, i ? &bad : &good, last);
		put_file("bad", mk_signed(&mk.a, two, i ? &good : &bad, first));
		refuses("bad", &o, "it is not that of its key");
		o.file = "alice";
	}
	two = mk_signed(&mk.a, mk_signed(&mk.a, plain, &good, first), &good, last);
	put_file("order", two);
	refuses("order", &o, "repeated or out of order");
	two = mk_signed(&mk.a, mk_signed(&mk.a, plain, &good, first), &good, first);
	put_file("twice", two);
	refuses("twice", &o, "repeated or out of order");
}

static void test_names_and_places_of_signatures(void **state)
{
	struct str manifest = mk_manifest(plain), text, s;
	struct trust_options o = options();
	char armour[8192];
	size_t at;

	(void)state;
	text.p = armour;
	text.n = sig_make(&good, &alice, manifest.p, manifest.n, armour);
	put_file("name", mk_with_signature(&mk.a, plain, STR("signatures/a.sshsig"),
					   text));
	refuses("name", &o, "is not called by its key");
	put_file("name", mk_with_signature(
				 &mk.a, plain, mk_signature_path(&mk.a, &good, &bob),
				 text));
	refuses("name", &o, "is not called by its key");
	put_file("name", mk_with_signature(&mk.a, plain, STR("signatures/x"), STR("")));
	refuses("name", &o, "does not begin");
	/* Behind another member it is one that the manifest does not list. */
	s = mk_signed(&mk.a, plain, &good, &alice);
	at = mk_signatures_at(plain);
	s = str_cat(&mk.a, str_sub(plain, 0, plain.n - 1024),
		    str_cat(&mk.a, str_sub(s, at, 1024),
			    str_sub(plain, plain.n - 1024, 1024)));
	put_file("late", s);
	refuses_as(false, "late", &o, "is not in the manifest");
	/* it reads no sources, and sees by the length that there is more */
	refuses_as(true, "late", &o, "bytes follow the end of the archive");
}

static void test_the_manifest_asks_for_a_signature(void **state)
{
	struct bundle_options opt = MK_OPTIONS;
	struct trust_options o = options();
	struct str s, sig;
	struct trust t;
	struct mk m;

	(void)state;
	mk_sample(&m);
	opt.signatures = 1;
	s = mk_bundle(&m, opt);
	sig = mk_signed(&m.a, s, &token, &alice);
	put_file("asks", s);
	refuses("asks", &o, "asks for a signature, and it has none");
	put_file("asks", sig);
	refuses("asks", &o, "no list of signers");
	{
		char pub[512];

		sig_public(&token, &alice, pub);
		put_file("tokens", str_printf(&m.a, "alice %s\n", pub));
	}
	o.file = "tokens";
	opens("asks", &o, &t);
	mk_release(&m);
}

/* What polc puts in stands where the reader wants it, in any order of signing. */
static void test_signatures_are_added_in_order(void **state)
{
	struct str manifest = mk_manifest(plain), both[2];
	const struct sig_key *keys[2] = { &alice, &bob };
	char text[2][8192];
	size_t n[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		n[i] = sig_make(&good, keys[i], manifest.p, manifest.n, text[i]);
	for (int i = 0; i < 2; i++) {
		both[i] = plain;
		/* the last one again: it takes its own place */
		for (int k = 0; k < 3; k++) {
			int who = (i + k) % 2;
			struct str s = { text[who], n[who] };
			struct bundle b;

			assert_int_equal(bundle_parse(mk_malloced(both[i]), both[i].n,
						      &b, NULL), 0);
			assert_true(bundle_add_signature(&mk.a, &b, s, &both[i],
							 &mk.sink));
			bundle_release(&b);
		}
	}
	assert_int_equal(both[0].n, plain.n + (size_t)2 * 1024);
	assert_int_equal(both[0].n, both[1].n);
	assert_memory_equal(both[0].p, both[1].p, both[0].n);
	/* polrun would refuse it: it is not put in. */
	{
		struct bundle b;
		struct str s = { text[0], n[0] - 1 };

		assert_int_equal(bundle_parse(mk_malloced(plain), plain.n, &b, NULL),
				 0);
		assert_false(bundle_add_signature(&mk.a, &b, s, &both[0], &mk.sink));
		bundle_release(&b);
	}
}

static int setup(void **state)
{
	(void)state;
	alice = sig_key(1);
	bob = sig_key(2);
	(void)umask(022);
	if (scratch_enter(dir) != 0)
		return -1;
	mk_sample(&mk);
	plain = mk_bundle(&mk, MK_OPTIONS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mk_release(&mk);
	return scratch_leave(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsigned_bundles),
		cmocka_unit_test(test_a_signed_bundle_is_always_verified),
		cmocka_unit_test(test_absent_empty_unreadable),
		cmocka_unit_test(test_the_systems_list_is_roots),
		cmocka_unit_test(test_the_users_list),
		cmocka_unit_test(test_the_systems_list),
		cmocka_unit_test(test_a_managed_bundle_needs_the_systems_list),
		cmocka_unit_test(test_several_signatures),
		cmocka_unit_test(test_names_and_places_of_signatures),
		cmocka_unit_test(test_the_manifest_asks_for_a_signature),
		cmocka_unit_test(test_signatures_are_added_in_order),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
