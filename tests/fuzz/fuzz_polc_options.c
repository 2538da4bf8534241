/*
 * polc's command line, a word a line, the first byte is the verb.  It is refused
 * with a message, or every word has its place: there is something to read.
 */
#include "tests/fuzz/law.h"

#include "compiler/cli/options_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *said = NULL, *text, **argv;
	size_t said_n = 0;
	struct options o;
	struct arena a;
	FILE *err = open_memstream(&said, &said_n);
	int argc;
	bool ok;

	if (!n) {
		fclose(err);
		free(said);
		return 0;
	}
	text = law_text(data + 1, n - 1);
	argv = law_words(text, &argc);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	memset(&o, 0, sizeof(o));
	ok = options_read(&o, &a, (enum cli_verb)(data[0] % CLI_VERB_COUNT), argc - 1,
			  argv + 1, err);
	fclose(err);
	LAW(ok ? said_n == 0 : said_n > 0);
	if (ok && !o.help && !o.version)
		LAW(o.inputs.n || o.bundle || o.discover || o.nsides || o.reproduce);
	arena_release(&a);
	free(argv);
	free(text);
	free(said);
	return 0;
}
