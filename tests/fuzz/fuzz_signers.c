/*
 * A list of allowed signers.  Whoever is found stands on a line of the list, and
 * that line holds the key's own bytes; nobody is found without a reason.
 */
#include "tests/fuzz/law.h"

#include "runtime/bundle/signers.h"

/* ssh-ed25519, 32 bytes that are all 7 */
static const char key64[] =
	"AAAAC3NzaC1lZDI1NTE5AAAAIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = law_text(data, n);
	uint8_t blob[SSHKEY_MAX_BLOB];
	struct signers_query q = { .principal = "alice@example.com", .now = 1790000000 };
	struct signers_found found;
	struct sshkey key;
	struct rt_err err = { 0 };
	size_t blob_n;

	LAW(ssh_base64(key64, strlen(key64), false, blob, sizeof(blob), &blob_n));
	LAW(sshkey_parse(blob, blob_n, &key, &err) == 0);
	q.key = &key;
	for (int named = 0; named < 2; named++) {
		int r;

		memset(&err, 0, sizeof(err));
		q.principal = named ? "alice@example.com" : NULL;
		r = signers_find(text, n, &q, &found, &err);
		LAW(r == 0 || (r < 0 && err.text[0]));
		if (r == 0) {
			const char *p = text, *end = text + n, *nl = text;

			for (unsigned i = 1; p; i++) {
				nl = memchr(p, '\n', (size_t)(end - p));
				if (!nl)
					nl = end;
				if (i == found.line)
					break;
				p = nl < end ? nl + 1 : NULL;
			}
			LAW(p && memmem(p, (size_t)(nl - p), key64, strlen(key64)));
		}
	}
	free(text);
	return 0;
}
