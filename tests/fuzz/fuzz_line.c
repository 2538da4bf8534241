/*
 * A shell line.  It is unparsed and says why, or its words, each in single
 * quotes, are the same words again.
 */
#include "tests/fuzz/law.h"

#include "compiler/base/buf.h"
#include "runtime/decide/line.h"

static void quote(struct buf *b, const char *word)
{
	buf_ch(b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_z(b, "'\\''");
		else if (*word < ' ' || *word == 0x7f)
			/* what a line may not hold as it is; signed: UTF-8 too */
			buf_printf(b, "'$'\\x%02x''", (unsigned char)*word);
		else
			buf_ch(b, *word);
	}
	buf_z(b, "' ");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = law_text(data, n);
	struct line_words w, again;
	struct arena a;
	struct buf line;
	int r = line_split(text, n, &w);

	LAW(r == 0 || (r < 0 && (r != -7 || w.unparsed)));
	LAW(r < 0 || !w.unparsed || w.why[0]);
	if (r == 0 && !w.unparsed) {
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		buf_init(&line, &a);
		for (size_t i = 0; i < w.argc; i++)
			quote(&line, w.argv[i]);
		r = line_split(buf_view(&line).p, buf_view(&line).n, &again);
		/* quoting may make it longer than a line may be */
		if (r == 0) {
			LAW(!again.unparsed && again.argc == w.argc);
			for (size_t i = 0; i < w.argc; i++)
				LAW(strcmp(again.argv[i], w.argv[i]) == 0);
			LAW(!again.argv[again.argc]);
		}
		line_release(&again);
		arena_release(&a);
	}
	line_release(&w);
	free(text);
	return 0;
}
