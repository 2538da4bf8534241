/*
 * A signature file.  No bytes but those that the key made are a signature over
 * the message: whatever verifies names the seed's key, and does not verify over
 * another message.  What is taken out of the armour parses or says why not.
 */
#include "tests/fuzz/law.h"

#include "runtime/bundle/sshsig.h"

/* of the key that made corpus/sshsig/good */
#include "tests/fuzz/sshsig_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint8_t msg[] = "message\n";
	uint8_t *text = (uint8_t *)law_text(data, n);
	uint8_t blob[SSHSIG_MAX_BLOB];
	char print[SSHKEY_FINGERPRINT_CAP];
	struct rt_err err = { 0 };
	struct sshkey key;
	struct sshsig sig;
	size_t blob_n = 0;
	int r = sshsig_dearmour(text, n, blob, &blob_n, &err);

	LAW(r < 0 ? err.text[0] != 0 : blob_n <= sizeof(blob));
	if (r == 0) {
		memset(&err, 0, sizeof(err));
		r = sshsig_parse(blob, blob_n, &sig, &err);
		LAW(r == 0 || err.text[0]);
		LAW(r < 0 || (sig.sig > blob && sig.sig + 64 <= blob + blob_n));
	}
	memset(&err, 0, sizeof(err));
	r = sshsig_check(text, n, msg, sizeof(msg) - 1, &key, &err);
	LAW(r == 0 || (r < 0 && err.text[0]));
	if (r == 0) {
		sshkey_fingerprint(&key, print);
		LAW(strcmp(print, SSHSIG_SEED_KEY) == 0);
		LAW(sshsig_check(text, n, msg, sizeof(msg) - 2, &key, &err) < 0);
	}
	free(text);
	return 0;
}
