/*
 * polrun's command line, a word a line.  It is refused with a message, or what
 * is to be done has what it needs: a run has a bundle and a command.
 */
#include "tests/fuzz/law.h"

#include "runtime/polrun/polrun_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = law_text(data, n);
	struct polrun_options opt;
	struct rt_err err = { 0 };
	int argc;
	char **argv = law_words(text, &argc);

	if (polrun_options_parse(argc, argv, &opt, &err) < 0) {
		LAW(err.text[0]);
	} else if (opt.action == OPT_RUN || opt.action == OPT_PLAN) {
		LAW(opt.bundle);
		LAW((opt.line != NULL) != (opt.argc > 0));
		LAW(opt.argc == 0 || (opt.argv >= argv && opt.argv + opt.argc == argv + argc));
	}
	free(argv);
	free(text);
	return 0;
}
