/* Decides how polquery's verbs about the state are asked, and how they print. */
#include "runtime/state/verb.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "runtime/base/io.h"

int verb_fail(const struct rt_err *err)
{
	char line[sizeof(err->text) * 4];

	io_plain(line, sizeof(line), err->text[0] ? err->text : "failed");
	fprintf(stderr, "polquery: %s\n", line);
	return VERB_TROUBLE;
}

void verb_when(int64_t when, char out[VERB_WHEN])
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(out, VERB_WHEN, "%Y-%m-%dT%H:%M:%SZ", &tm))
		(void)snprintf(out, VERB_WHEN, "?");
}

bool verb_is_list(const struct verb_line *line)
{
	return strcmp(line->verb, "list") == 0;
}

bool verb_is_json(const struct verb_line *line)
{
	return line->format && strcmp(line->format, "json") == 0;
}

/* Options may come before or after the verb. */
int verb_read(const struct optread *reader, int argc, char **argv, void *to,
	      struct verb_line *line, const char *none, struct rt_err *err)
{
	int rest, r = optread(reader, argc, argv, to, &rest, err);

	if (r < 0 || line->help)
		return r;
	if (rest >= argc)
		return rt_fail(err, EINVAL, "%s", none);
	line->verb = argv[rest];
	argv += rest;
	argc -= rest;
	r = optread(reader, argc, argv, to, &rest, err);
	if (r < 0 || line->help)
		return r;
	line->keys = argv + rest;
	line->nkeys = argc - rest;
	return 0;
}

int verb_check_format(const struct verb_line *line, struct rt_err *err)
{
	if (line->format && !verb_is_list(line))
		return rt_fail(err, EINVAL, "--format is an option of list");
	if (line->format && !verb_is_json(line) && strcmp(line->format, "text") != 0)
		return rt_fail(err, EINVAL, "--format is text or json");
	return 0;
}

int verb_check_keys(const struct verb_line *line, const struct verb_keys *keys,
		    struct rt_err *err)
{
	char shown[80];

	for (int i = 0; i < line->nkeys; i++) {
		const char *key = line->keys[i];
		size_t n = strlen(key);

		if (n >= VERB_KEY_LEAST && n <= (size_t)keys->most &&
		    strspn(key, "0123456789abcdef") == n)
			continue;
		io_escape(shown, sizeof(shown), key, n);
		return rt_fail(err, EINVAL, "'%s' is no %s: %d to %d hexadecimal digits, as "
			       "`%s` shows them", shown, keys->noun, VERB_KEY_LEAST, keys->most,
			       keys->listed);
	}
	return 0;
}

bool verb_has_key(const struct verb_line *line, const char *key)
{
	for (int i = 0; i < line->nkeys; i++)
		if (strncmp(key, line->keys[i], strlen(line->keys[i])) == 0)
			return true;
	return false;
}

int verb_print_json(FILE *out, struct json *j)
{
	size_t n = 0;
	const char *text = json_finish(j, &n);

	if (text)
		(void)fwrite(text, 1, n, out);
	json_release(j);
	return text ? 0 : -ENOMEM;
}
