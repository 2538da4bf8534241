/*
 * The queue of messages: which are kept, which are only counted, and the table of
 * codes.  render.c and json.c decide how a message looks.
 */
#include "compiler/diag/diag.h"

#include <assert.h>
#include <stdarg.h>

static const struct {
	const char *name, *summary;
	enum diag_severity severity;
} codes[] = {
#define DIAG(name, code, severity, summary) { code, summary, DIAG_##severity },
#include "compiler/diag/codes.def"
#undef DIAG
};

const char *diag_code_name(enum diag_code code)
{
	assert(code < DIAG_CODE_COUNT);
	return codes[code].name;
}

const char *diag_code_summary(enum diag_code code)
{
	assert(code < DIAG_CODE_COUNT);
	return codes[code].summary;
}

enum diag_severity diag_code_severity(enum diag_code code)
{
	assert(code < DIAG_CODE_COUNT);
	return codes[code].severity;
}

const char *diag_severity_name(enum diag_severity s)
{
	static const char *const names[] = {
		[DIAG_NOTE] = "note",
		[DIAG_WARNING] = "warning",
		[DIAG_ERROR] = "error",
	};

	assert(s < POL_LEN(names));
	return names[s];
}

void diag_init(struct diag_sink *s, struct arena *a)
{
	*s = (struct diag_sink){ .a = a, .limit = DIAG_DEFAULT_LIMIT };
	map_init(&s->seen, a);
}

/* A message may quote the policy text, where one word may be a MiB long. */
#define HEAD_BYTES 400u
#define TAIL_BYTES 160u

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The beginning and the end of the text, cut between characters. */
static struct str shortened(struct arena *a, struct str s)
{
	static const struct str dots = { " \xe2\x80\xa6 ", 5 };
	size_t head = HEAD_BYTES, tail = s.n - TAIL_BYTES;

	while (head > 0 && is_continuation(s.p[head]))
		head--;
	while (tail < s.n && is_continuation(s.p[tail]))
		tail++;
	return str_cat(a, str_cat(a, str_sub(s, 0, head), dots),
		       str_sub(s, tail, s.n - tail));
}

static struct str format(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	assert(n >= 0);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	if ((size_t)n > HEAD_BYTES + TAIL_BYTES + 40)
		return shortened(a, (struct str){ p, (size_t)n });
	return (struct str){ p, (size_t)n };
}

/*
 * The same fault at the same place is reported once.  Messages without a place are
 * compared by their texts.
 */
static bool is_repeated(struct diag_sink *s, const struct diag *d)
{
	uint32_t head[4] = { (uint32_t)d->code, d->at.file, d->at.off, d->at.len };
	size_t n = d->at.file == SOURCE_NONE ? d->text.n : 0;
	char *p = arena_alloc(s->a, sizeof(head) + n + 1);
	struct str key = { p, sizeof(head) + n };

	memcpy(p, head, sizeof(head));
	if (n)
		memcpy(p + sizeof(head), d->text.p, n);
	return map_put(&s->seen, key, s) != NULL;
}

struct diag *diag_add(struct diag_sink *s, enum diag_code code, struct span at,
		      const char *fmt, ...)
{
	struct diag *d = ARENA_NEW(s->a, struct diag);
	va_list ap;

	d->code = code;
	d->severity = diag_code_severity(code);
	d->at = at;
	va_start(ap, fmt);
	d->text = format(s->a, fmt, ap);
	va_end(ap);

	if (is_repeated(s, d))
		return d;
	switch (d->severity) {
	case DIAG_ERROR:
		if (s->errors++ >= s->limit)
			return d;
		break;
	case DIAG_WARNING:
		s->warnings++;
		break;
	case DIAG_NOTE:
		s->notes++;
		break;
	}
	VEC_PUSH(s->a, &s->list, d);
	return d;
}

static void add_part(struct diag_sink *s, struct diag *d, struct span at,
		     struct str label, struct str text)
{
	struct diag_part part = { .at = at, .label = label, .text = text };

	VEC_PUSH(s->a, &d->parts, part);
}

void diag_note(struct diag_sink *s, struct diag *d, struct span at,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_part(s, d, at, STR("note"), format(s->a, fmt, ap));
	va_end(ap);
}

void diag_help(struct diag_sink *s, struct diag *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_part(s, d, SPAN_NONE, STR("help"), format(s->a, fmt, ap));
	va_end(ap);
}
