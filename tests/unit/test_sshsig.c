/*
 * Bundles whose signature, or whose list of signers, is right in all but one
 * field, and what ssh-keygen says of the same manifest and the same files: whatever we accept it accepts, and where
 * it accepts more, the row says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/bundle/sshsig.h"
#include "runtime/bundle/trust.h"
#include "tests/unit/bundle_sign.h"
#include "tests/unit/scratch_dir.h"

/* A row says only what differs from a good signature. */
#pragma GCC diagnostic ignored "-Woverride-init"

static char dir[] = "/tmp/pol-test-sshsig.XXXXXX";
static struct sig_key key;
static struct mk mk;
static struct str bundle, manifest;

/* What ssh-keygen says of the files `allowed` and `sig` for alice. */
static bool keygen_accepts(void)
{
	return system("ssh-keygen -Y verify -f allowed -I alice -n polc-bundle -s sig "
		      "<manifest >said 2>&1") == 0;
}

static void allow(const struct sig_spec *s, const struct sig_key *k)
{
	char line[600], pub[512];

	sig_public(s, k, pub);
	snprintf(line, sizeof(line), "alice %s\n", pub);
	scratch_put("allowed", line, strlen(line));
}

static int check(const char *text, size_t n, struct rt_err *err)
{
	/* an own allocation, so that ASan sees a read past the end */
	uint8_t *p = malloc(n ? n : 1);
	struct sshkey who;
	int r;

	assert_non_null(p);
	memcpy(p, text, n);
	memset(err, 0, sizeof(*err));
	r = sshsig_check(p, n, (const uint8_t *)manifest.p, manifest.n, &who, err);
	free(p);
	return r;
}

/* The verdict on the whole bundle is the one on the signature. */
static void same_in_a_bundle(const struct sig_spec *s, const char *text, size_t n,
			     bool ours, const char *why)
{
	struct str path = mk_signature_path(&mk.a, s, &key);
	struct str bytes = mk_with_signature(&mk.a, bundle, path,
					     (struct str){ text, n });
	struct rt_err err = { 0 };
	struct bundle b;
	int r = bundle_parse(mk_malloced(bytes), bytes.n, &b, &err);

	if ((r == 0) != ours || (why && !strstr(err.text, why)) ||
	    (r < 0 && !strstr(err.text, "signature 'signatures/")))
		fail_msg("in a bundle: %s", r == 0 ? "accepted" : err.text);
	if (r == 0)
		bundle_release(&b);
}

/* --- the fields of a signature ---------------------------------------------- */

static const struct field_row {
	const char *what;
	const char *why; /* NULL: accepted */
	bool keygen;     /* accepts it */
	struct sig_spec s;
} rows[] = {
	{ "good", NULL, true, { SIG_GOOD } },
	{ "sha256", NULL, true, { SIG_GOOD, .hash = "sha256", .hash_signed = "sha256" } },
	{ "a reserved field is ignored", NULL, true, { SIG_GOOD, .reserved = "later" } },
	{ "a reserved field that was signed", "not that of its key", false,
	  { SIG_GOOD, .reserved = "later", .reserved_signed = "later" } },
	{ "magic", "begin with 'SSHSIG'", false, { SIG_GOOD, .magic = "SSHSIH" } },
	{ "version 0", "version is 0", true, { SIG_GOOD, .version = 0 } },
	{ "version 2", "version is 2", false, { SIG_GOOD, .version = 2 } },
	{ "an RSA key", "'ssh-rsa' is not supported", false,
	  { SIG_GOOD, .key_type = "ssh-rsa" } },
	{ "an ECDSA key", "'ecdsa-sha2-nistp256' is not supported", false,
	  { SIG_GOOD, .key_type = "ecdsa-sha2-nistp256" } },
	{ "a certificate", "'ssh-ed25519-cert-v01@openssh.com' is not supported", false,
	  { SIG_GOOD, .key_type = "ssh-ed25519-cert-v01@openssh.com" } },
	{ "an unknown key type", "'ssh-what' is not supported", false,
	  { SIG_GOOD, .key_type = "ssh-what" } },
	{ "a short key", "not one of 32 bytes", false, { SIG_GOOD, .pk_n = 31 } },
	{ "a long key", "not one of 32 bytes", false, { SIG_GOOD, .pk_n = 33 } },
	{ "bytes behind the key", "follow the public key", false,
	  { SIG_GOOD, .key_more = 1 } },
	{ "another namespace", "namespace is 'file'", false,
	  { SIG_GOOD, .name_space = "file", .name_space_signed = "file" } },
	{ "no namespace", "namespace is ''", false,
	  { SIG_GOOD, .name_space = "", .name_space_signed = "" } },
	{ "a namespace that was not signed", "not that of its key", false,
	  { SIG_GOOD, .name_space_signed = "file" } },
	{ "a weak hash", "'sha1' is neither", false, { SIG_GOOD, .hash = "sha1" } },
	{ "no hash", "'' is neither", false, { SIG_GOOD, .hash = "" } },
	{ "another hash than was signed", "not that of its key", false,
	  { SIG_GOOD, .hash_signed = "sha256" } },
	{ "the algorithm of another key", "'ssh-rsa' is not the one of its key", false,
	  { SIG_GOOD, .type = "ssh-rsa" } },
	{ "that of a token", "is not the one of its key", false,
	  { SIG_GOOD, .type = SIG_SK } },
	{ "63 bytes", "63 bytes instead of 64", false, { SIG_GOOD, .sig_n = 63 } },
	{ "65 bytes", "65 bytes instead of 64", false, { SIG_GOOD, .sig_n = 65 } },
	{ "bytes in the signature's field", "inside of its field", false,
	  { SIG_GOOD, .sig_more = 1 } },
	{ "bytes behind it all", "bytes follow it", false, { SIG_GOOD, .more = 1 } },
	{ "another message", "not that of its key", false,
	  { SIG_GOOD, .other_message = true } },
	{ "a good token", NULL, true, { SIG_GOOD_SK } },
	{ "a token's sha256", NULL, true,
	  { SIG_GOOD_SK, .hash = "sha256", .hash_signed = "sha256" } },
	{ "a token's other application", NULL, true,
	  { SIG_GOOD_SK, .app = "ssh:pol", .app_signed = "ssh:pol" } },
	{ "an application that was not signed", "not that of its key", false,
	  { SIG_GOOD_SK, .app_signed = "ssh:other" } },
	{ "a token that nobody touched", "nobody touched", true,
	  { SIG_GOOD_SK, .flags = 0, .flags_signed = 0 } },
	{ "a touch that was not signed", "not that of its key", false,
	  { SIG_GOOD_SK, .flags_signed = 0 } },
	{ "a counter that was not signed", "not that of its key", false,
	  { SIG_GOOD_SK, .counter = 8 } },
	{ "a token's key without its field", "cut short", false,
	  { SIG_GOOD, .key_type = SIG_SK, .type = SIG_SK, .key_more = 4 } },
};

static void test_each_field_of_a_signature(void **state)
{
	struct sig_spec allowed;
	struct rt_err err;
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct field_row *r = &rows[i];
		size_t n = sig_make(&r->s, &key, manifest.p, manifest.n, text);
		bool ours = check(text, n, &err) == 0;

		if (ours != !r->why || (r->why && !strstr(err.text, r->why)))
			fail_msg("%s: %s", r->what, ours ? "accepted" : err.text);
		same_in_a_bundle(&r->s, text, n, ours, r->why);
		allowed = (struct sig_spec){ SIG_GOOD };
		if (r->s.sk)
			allowed = (struct sig_spec){ SIG_GOOD_SK, .app = r->s.app };
		allow(&allowed, &key);
		scratch_put("sig", text, n);
		if (keygen_accepts() != r->keygen)
			fail_msg("%s: ssh-keygen %s it", r->what,
				 r->keygen ? "refuses" : "accepts");
		assert_true(r->keygen || !ours);
	}
}

static void refused(const char *text, size_t n, const char *why)
{
	struct rt_err err;

	if (check(text, n, &err) == 0 || !strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_the_armour(void **state)
{
	static const struct sig_spec good = { SIG_GOOD };
	char text[8192], t[16384];
	size_t n = sig_make(&good, &key, manifest.p, manifest.n, text);
	struct rt_err err;
	int len;

	(void)state;
	assert_int_equal(check(text, n, &err), 0);
	refused("", 0, "does not begin");
	refused(text + 1, n - 1, "does not begin");
	refused(text, n - 1, "does not end");
	refused(text, 30, "does not end");
	len = snprintf(t, sizeof(t), "%smore\n", text);
	refused(t, (size_t)len, "does not end");
	len = snprintf(t, sizeof(t), "\n%s", text);
	refused(t, (size_t)len, "does not begin");
	memcpy(t, text, n);
	t[40] = '!';
	refused(t, n, "not base64");
	t[40] = ' ';
	refused(t, n, "not base64");
	t[40] = '\0';
	refused(t, n, "not base64");
	/* Bytes that a lenient decoder takes for others, or passes over. */
	for (size_t i = strlen("-----BEGIN SSH SIGNATURE-----\n"); i < n - 27; i++) {
		for (int c = 0; c < 256; c++) {
			memcpy(t, text, n);
			t[i] = (char)c;
			if (t[i] != text[i] && check(t, n, &err) == 0)
				fail_msg("byte %zu as %02x", i, c);
		}
	}
	memset(t, 'A', sizeof(t));
	refused(t, SSHSIG_MAX_ARMOUR + 1, "longer than");
}

static void test_every_cut_and_every_bit(void **state)
{
	static const struct sig_spec specs[] = { { SIG_GOOD }, { SIG_GOOD_SK } };
	struct sig_bytes blob, b;
	char text[8192];
	struct rt_err err;
	size_t n;

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		sig_blob(&specs[s], &key, (const uint8_t *)manifest.p, manifest.n, &blob);
		for (size_t i = 0; i < blob.n; i++) {
			n = sig_armour(blob.b, i, text);
			assert_true(check(text, n, &err) < 0);
			assert_true(err.text[0] != '\0');
		}
		for (size_t i = 0; i < blob.n * 8; i++) {
			b = blob;
			b.b[i / 8] ^= (uint8_t)(1u << (i % 8));
			n = sig_armour(b.b, b.n, text);
			if (check(text, n, &err) == 0)
				fail_msg("bit %zu of spec %zu", i, s);
		}
	}
}

/* --- the fields of a list -------------------------------------------------------- */

/* %K is the key, %O another one, %R an RSA one, %S the key's bytes as a token's. */
static const struct list_row {
	const char *text;
	const char *why; /* NULL: accepted */
	bool keygen;
} lists[] = {
	{ "alice %K\n", NULL, true },
	{ "alice %K", NULL, true },
	{ "alice %K a comment, \"quoted # of any kind\n", NULL, true },
	{ "  alice\t \t%K\n", NULL, true },
	{ "# who\n\n \nalice %K\n", NULL, true },
	{ "alice %K x\r\n", NULL, true },
	{ "\"alice\" %K\n", NULL, true },
	{ "\"bob b,alice\" %K\n", NULL, true },
	{ "bob,a*e %K\n", NULL, true },
	{ "al?ce %K\n", NULL, true },
	{ "!bob,* %K\n", NULL, true },
	{ "bob %K\n", "sign as 'alice'", false },
	{ "Alice %K\n", "sign as 'alice'", false },
	{ "*,!alice %K\n", "sign as 'alice'", false },
	{ "alic %K\n", "sign as 'alice'", false },
	{ "alice?* %K\n", "sign as 'alice'", false },
	{ "alice %O\n", "no line of it has the key SHA256:", false },
	{ "alice %S\n", "no line of it has the key SHA256:", false },
	{ "alice %R\nalice %K\n", NULL, true },
	{ "bob %K\nalice %K\n", NULL, true },
	{ "what is this\nalice %K\n", NULL, true },
	{ "", "it is empty", false },
	{ "\n# nobody\n", "it is empty", false },
	{ "alice\n", "line 1 has no key", false },
	{ "alice ssh-ed25519\n", "line 1 has no key", false },
	{ "alice ssh-ed25519 AAAA!\n", "line 1 has a key that is not base64", false },
	{ "alice ssh-ed25519 AAAA\n", "line 1 has a key of another type", false },
	{ "alice sk-%K\n", "unknown option or key type 'sk-ssh-ed25519'", false },
	{ "\"alice %K\n", "quote that does not end", false },
	{ "al\"ice\" %K\n", "quote in the middle", true },
	{ "alice namespaces=\"polc-bundle\" %K\n", NULL, true },
	{ "alice NameSpaces=\"git,polc-bundle\" %K\n", NULL, true },
	{ "alice namespaces=\"polc-*\" %K\n", NULL, true },
	{ "alice namespaces=\"git\" %K\n", "other namespaces", false },
	{ "alice namespaces=\"*,!polc-bundle\" %K\n", "other namespaces", false },
	{ "alice namespaces=\"\" %K\n", "other namespaces", false },
	{ "alice namespaces=polc-bundle %K\n", "not in double quotes", false },
	{ "alice namespaces=\"git\",namespaces=\"polc-bundle\" %K\n", "namespaces twice",
	  false },
	{ "alice namespaces=\"polc-bundle %K\n", "quote that does not end", false },
	{ "alice valid-after=\"20010101\" %K\n", NULL, true },
	{ "alice valid-after=\"200101010203Z\" %K\n", NULL, true },
	{ "alice Valid-After=\"20010101020304UTC\" %K\n", NULL, true },
	{ "alice valid-after=\"20900101\" %K\n", "not valid yet (valid-after)", false },
	{ "alice valid-after=\"2001\" %K\n", "is no time for valid-after", false },
	{ "alice valid-after=\"20010231\" %K\n", "is no time for valid-after", true },
	{ "alice valid-after=\"2001010x\" %K\n", "is no time for valid-after", false },
	{ "alice valid-after=\"20010101\",valid-after=\"20020101\" %K\n",
	  "valid-after twice", false },
	{ "alice valid-before=\"20900101Z\" %K\n", NULL, true },
	{ "alice valid-before=\"20020101Z\" %K\n", "has expired (valid-before)", false },
	{ "alice valid-before=\"99\" %K\n", "is no time for valid-before", false },
	{ "alice valid-after=\"20010101Z\",valid-before=\"20900101Z\" %K\n", NULL, true },
	{ "alice valid-after=\"20900101Z\",valid-before=\"20010101Z\" %K\n",
	  "not after its valid-after", false },
	{ "alice valid-before=\"20010101Z\" %K\nalice valid-after=\"20010102Z\" %K\n", NULL,
	  true },
	{ "alice cert-authority %K\n", "cert-authority", false },
	{ "alice cert-authority,namespaces=\"polc-bundle\" %K\n", "cert-authority", false },
	{ "alice no-touch-required %K\n", "unknown option or key type 'no-touch-required'",
	  false },
	{ "alice namespaces=\"polc-bundle\", %K\n", "options that cannot be read", false },
	{ "alice namespaces=\"polc-bundle\"x %K\n", "options that cannot be read", false },
};

static char *expand(const char *text)
{
	static const struct sig_spec good = { SIG_GOOD }, sk = { SIG_GOOD_SK };
	static const char rsa[] =
		"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7nZ7YV4Wm1h2hQ0zXPHBYFZfKJ7eyuzs3"
		"ZlOQy6CzyrlXd9w0fX7zIYBXk7nOsXc1b0+1ujN0f7Yx3o1s8nTnbYyQ2o1u3ZfKJ7eyuzs3";
	struct sig_key other = sig_key(9);
	char *out = calloc(1, 8192), pub[512];
	size_t at = 0;

	assert_non_null(out);
	for (const char *p = text; *p; p++) {
		if (p[0] != '%') {
			out[at++] = *p;
			continue;
		}
		p++;
		if (*p == 'R')
			snprintf(pub, sizeof(pub), "%s", rsa);
		else
			sig_public(*p == 'S' ? &sk : &good, *p == 'O' ? &other : &key,
				   pub);
		at += (size_t)sprintf(out + at, "%s", pub);
	}
	return out;
}

static int find(const char *text, size_t n, const char *who, int64_t now,
		struct signers_found *f, struct rt_err *err)
{
	static const struct sig_spec good = { SIG_GOOD };
	struct sig_bytes blob;
	struct sshkey k;
	struct signers_query q = { .key = &k, .principal = who, .now = now };
	char *p = malloc(n ? n : 1);
	int r;

	assert_non_null(p);
	memcpy(p, text, n);
	sig_blob_of_key(&good, &key, &blob);
	assert_int_equal(sshkey_parse(blob.b, blob.n, &k, NULL), 0);
	memset(err, 0, sizeof(*err));
	r = signers_find(p, n, &q, f, err);
	free(p);
	return r;
}

/* The verdict on a signed bundle is the one on the list. */
static void same_for_a_bundle(bool ours, const char *why)
{
	struct trust_options opt = { .file = "allowed", .principal = "alice",
				     .now = (int64_t)time(NULL) };
	struct rt_err err = { 0 };
	struct trust t;
	struct bundle b;
	int r = trust_open("signed.polb", false, &opt, &b, &t, &err);

	if ((r == 0) != ours || (why && !strstr(err.text, why)))
		fail_msg("a signed bundle: %s", r == 0 ? "accepted" : err.text);
	if (r == 0) {
		assert_true(t.trusted && !t.by_system);
		assert_string_equal(t.by.who, "alice");
		bundle_release(&b);
	}
}

static void test_each_field_of_a_list(void **state)
{
	static const struct sig_spec good = { SIG_GOOD };
	char sig[8192];
	struct signers_found f;
	struct rt_err err;
	struct str bytes = mk_signed(&mk.a, bundle, &good, &key);

	(void)state;
	scratch_put("sig", sig, sig_make(&good, &key, manifest.p, manifest.n, sig));
	scratch_put("signed.polb", bytes.p, bytes.n);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct list_row *r = &lists[i];
		char *text = expand(r->text);
		bool ours = find(text, strlen(text), "alice", (int64_t)time(NULL), &f,
				 &err) == 0;

		if (ours != !r->why || (r->why && !strstr(err.text, r->why)))
			fail_msg("%s: %s", r->text, ours ? "accepted" : err.text);
		scratch_put("allowed", text, strlen(text));
		same_for_a_bundle(ours, r->why);
		if (keygen_accepts() != r->keygen)
			fail_msg("%s: ssh-keygen %s it", r->text,
				 r->keygen ? "refuses" : "accepts");
		assert_true(r->keygen || !ours);
		free(text);
	}
}

static void test_whose_key_it_is(void **state)
{
	static const char *const nobody[] = {
		"alice,!alice %K\n", "!*,alice %K\n",    "*,!* %K\n",
		"al?ce,!al* %K\n",   "\"a b,!a*\" %K\n",
	};
	static const char *const somebody[] = {
		"alice,!bob %K\n",       "*,!x %K\n",       "*@corp,!root@corp %K\n",
		"!alice,alice,bob %K\n", "?*,!x*,!0* %K\n",
	};
	struct signers_found f;
	struct rt_err err;
	char *text = expand("# one\n\"alice,b*\" %K\n");

	(void)state;
	assert_int_equal(find(text, strlen(text), NULL, 0, &f, &err), 0);
	assert_int_equal(f.line, 2);
	assert_string_equal(f.who, "alice,b*");
	assert_int_equal(find(text, strlen(text), "bob", 0, &f, &err), 0);
	assert_string_equal(f.who, "bob");
	free(text);
	/* Without a name any will do, but there must be one. */
	text = expand("!alice %K\n");
	assert_true(find(text, strlen(text), NULL, 0, &f, &err) < 0);
	assert_non_null(strstr(err.text, "allows nobody"));
	free(text);
	for (size_t i = 0; i < sizeof(nobody) / sizeof(*nobody); i++) {
		text = expand(nobody[i]);
		assert_true(find(text, strlen(text), NULL, 0, &f, &err) < 0);
		assert_non_null(strstr(err.text, "allows nobody"));
		free(text);
	}
	for (size_t i = 0; i < sizeof(somebody) / sizeof(*somebody); i++) {
		text = expand(somebody[i]);
		assert_int_equal(find(text, strlen(text), NULL, 0, &f, &err), 0);
		free(text);
	}
	text = expand("alice %K\n");
	text[3] = '\0';
	assert_true(find(text, 90, "alice", 0, &f, &err) < 0);
	assert_non_null(strstr(err.text, "NUL byte"));
	free(text);
}

/* The caller's TZ must not move the day on which a key ends. */
static void test_local_days_are_the_systems(void **state)
{
	static const char *const zones[] = { "AAA-14", "BBB+12", "CCC-167", "UTC0" };
	struct tm tm = { .tm_year = 120, .tm_mday = 2, .tm_isdst = -1 };
	char *text = expand("alice valid-before=\"20200102\" %K\n");
	struct signers_found f;
	struct rt_err err;
	int64_t end;

	(void)state;
	(void)unsetenv("TZ");
	end = (int64_t)mktime(&tm);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(setenv("TZ", zones[i], 1), 0);
		assert_int_equal(find(text, strlen(text), NULL, end, &f, &err), 0);
		assert_true(find(text, strlen(text), NULL, end + 1, &f, &err) < 0);
		assert_string_equal(getenv("TZ"), zones[i]);
	}
	(void)unsetenv("TZ");
	free(text);
}

static void test_patterns_take_linear_time(void **state)
{
	char list[2001], name[1001];

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		memcpy(list + 2 * i, "*a", 2);
	memset(name, 'a', 1000);
	list[2000] = name[1000] = '\0';
	assert_true(signers_match(list, 2000, name, 1000));
	name[999] = 'b';
	assert_false(signers_match(list, 2000, name, 1000));
	assert_false(signers_match("", 0, "x", 1));
	assert_false(signers_match(",,", 2, "x", 1));
}

static int setup(void **state)
{
	(void)state;
	key = sig_key(1);
	if (scratch_enter(dir) != 0)
		return -1;
	(void)umask(022);
	mk_sample(&mk);
	bundle = mk_bundle(&mk, MK_OPTIONS);
	manifest = mk_manifest(bundle);
	scratch_put("manifest", manifest.p, manifest.n);
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
		cmocka_unit_test(test_each_field_of_a_signature),
		cmocka_unit_test(test_the_armour),
		cmocka_unit_test(test_every_cut_and_every_bit),
		cmocka_unit_test(test_each_field_of_a_list),
		cmocka_unit_test(test_whose_key_it_is),
		cmocka_unit_test(test_local_days_are_the_systems),
		cmocka_unit_test(test_patterns_take_linear_time),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
