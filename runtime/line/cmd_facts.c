/*
 * Looks names up in commands.bin, whose tables are sorted and were checked when the
 * bundle was opened. Also says which path a word names.
 */
#include <ctype.h>
#include <limits.h>

#include "runtime/line/cmd_facts.h"

static int compare(const void *member, struct pb_str s, const char *p, size_t n)
{
	const char *q = pb_strp(member, s);
	size_t least = s.len < n ? s.len : n, i;

	/* most names differ in their first bytes: this loop is cheaper than a call */
	for (i = 0; i < least; i++)
		if (q[i] != p[i])
			return (unsigned char)q[i] < (unsigned char)p[i] ? -1 : 1;
	return s.len < n ? -1 : s.len > n;
}

/* The first record whose name is not less, in a table of records that begin with their
 * name and are sorted by it. */
static uint32_t first_from(const struct line_facts *f, struct pb_table t, size_t size,
			   const char *p, size_t n)
{
	uint32_t lo = 0, hi = t.count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pb_str *s = pb_at(f, t, size, mid);

		if (compare(f, *s, p, n) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const void *find(const struct line_facts *f, struct pb_table t, size_t size,
			const char *p, size_t n)
{
	uint32_t i = first_from(f, t, size, p, n);
	const struct pb_str *s;

	if (i == t.count)
		return NULL;
	s = pb_at(f, t, size, i);
	return compare(f, *s, p, n) == 0 ? s : NULL;
}

/* Does this name of the table end in '*', with the text before it beginning the given
 * name? */
static bool is_stem(const struct line_facts *f, struct pb_str s, const char *p, size_t n)
{
	const char *q = pb_strp(f, s);

	return s.len && s.len - 1 <= n && q[s.len - 1] == '*' &&
	       memcmp(q, p, s.len - 1) == 0;
}

/* The record's own table, or that of the program whose table it has. */
static const struct line_program *table_of(const struct line_facts *f,
					   const struct line_program *p)
{
	return p && p->as ? pb_at(f, f->programs, sizeof(*p), p->as - 1) : p;
}

const struct line_program *cmd_program(const struct line_facts *f, const char *name, size_t n)
{
	return table_of(f, find(f, f->programs, sizeof(struct line_program), name, n));
}

/* --- names by pattern ------------------------------------------------------------------- */

/*
 * The number of bytes of a version that the text ends in: "5", "-12", "3.11", "-5.2.1",
 * "3.13t". 0: none. *ret_least is the least that may be one: the last number alone.
 */
static size_t version_at_end(const char *p, size_t n, size_t *ret_least)
{
	size_t i = n, digits;
	bool dots = false;

	/* a build of its own: "python3.13t" */
	if (n > 2 && strchr("dmtu", p[n - 1]) && isdigit((unsigned char)p[n - 2]))
		i--;
	for (digits = i; digits && isdigit((unsigned char)p[digits - 1]); digits--)
		;
	if (digits == i)
		return 0;
	*ret_least = n - digits;
	i = digits;
	while (i && (isdigit((unsigned char)p[i - 1]) || p[i - 1] == '.'))
		dots |= p[--i] == '.';
	if (p[n - 1] > '9' && !dots)
		return 0;
	if (i && (p[i - 1] == '-' || p[i - 1] == '_'))
		i--;
	return n - i;
}

/* The first component of a GNU triplet names the processor. */
static bool is_processor(const char *p, size_t n)
{
	static const char *const names[] = {
		"aarch64", "alpha", "amd64", "arm", "avr", "bpf", "hppa", "i386", "i486", "i586",
		"i686", "ia64", "loongarch64", "m68k", "mips", "nios2", "powerpc", "ppc", "riscv",
		"s390", "sh4", "sparc", "wasm", "x86_64", "xtensa",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) <= n && memcmp(names[i], p, strlen(names[i])) == 0)
			return true;
	return false;
}

size_t cmd_version_at_end(const char *p, size_t n)
{
	size_t least = 0;

	return version_at_end(p, n, &least);
}

bool cmd_names_machine(const char *p, size_t n)
{
	const char *dash = memchr(p, '-', n);

	return dash && is_processor(p, (size_t)(dash - p));
}

/* The record of the name, or of the name without one of the versions that it may end in. */
static const struct line_program *without_version(const struct line_facts *f, const char *p,
						  size_t n)
{
	const struct line_program *is;
	size_t least = 0, most = version_at_end(p, n, &least);

	for (size_t k = least; most && k <= most && k < n; k++) {
		/* the number begins behind a letter, or after a mark */
		is = find(f, f->programs, sizeof(*is), p, n - k);
		if (is)
			return is;
	}
	return NULL;
}

/* The record of the program behind a name with a version, or with a triplet. */
static const struct line_program *by_pattern(const struct line_facts *f, const char *p, size_t n)
{
	const struct line_program *is = without_version(f, p, n);
	const char *dash = memchr(p, '-', n), *end = p + n;

	/* "perl5.36-x86_64-linux-gnu" */
	for (const char *d = dash; d && !is; d = memchr(d + 1, '-', (size_t)(end - d - 1)))
		if (is_processor(d + 1, (size_t)(end - d - 1))) {
			is = find(f, f->programs, sizeof(*is), p, (size_t)(d - p));
			if (!is)
				is = without_version(f, p, (size_t)(d - p));
		}
	if (is || !dash || !is_processor(p, (size_t)(dash - p)))
		return is;
	for (; dash && !is; dash = memchr(dash + 1, '-', (size_t)(end - dash - 1))) {
		is = find(f, f->programs, sizeof(*is), dash + 1, (size_t)(end - dash - 1));
		if (!is)
			is = without_version(f, dash + 1, (size_t)(end - dash - 1));
	}
	return is;
}

const struct line_program *cmd_program_called(const struct line_facts *f, const char *name,
					    size_t n, const struct line_program **ret_called,
					    bool *ret_by_pattern)
{
	const struct line_program *p = find(f, f->programs, sizeof(*p), name, n);

	*ret_by_pattern = false;
	if (!p) {
		p = by_pattern(f, name, n);
		*ret_by_pattern = p != NULL;
	}
	*ret_called = p;
	return table_of(f, p);
}

/* The first stem from record *i on that begins the name. Looks only at records that share
 * its first k bytes; *i is set to the record after it. */
static const void *next_stem(const struct line_facts *f, struct pb_table t, size_t size,
			     const char *p, size_t n, size_t k, uint32_t *i)
{
	while (*i < t.count) {
		const struct pb_str *s = pb_at(f, t, size, (*i)++);

		if (s->len < k || memcmp(pb_strp(f, *s), p, k) != 0)
			break;
		if (is_stem(f, *s, p, n))
			return s;
	}
	return NULL;
}

/* Stems are few, and most share their first two bytes with the name: "-O*". */
static const struct line_option *option_stem(const struct line_facts *f,
					   const struct line_program *p, const char *name,
					   size_t n)
{
	const size_t size = sizeof(struct line_option);
	const char one[2] = { n ? *name : '\0', '*' };
	const struct line_option *o, *longest = NULL;
	uint32_t i;

	/* of several stems the longest comes last, as '*' sorts low */
	if (n >= 2) {
		i = first_from(f, p->options, size, name, 2);
		while ((o = next_stem(f, p->options, size, name, n, 2, &i)))
			longest = o;
	}
	if (!longest && n)
		longest = find(f, p->options, size, one, 2);
	return longest ? longest : find(f, p->options, size, "*", 1);
}

const struct line_program *cmd_base_of(const struct line_facts *f, const struct line_program *p)
{
	return p->base ? pb_at(f, f->programs, sizeof(*p), p->base - 1) : NULL;
}

const struct line_program *cmd_subcommand(const struct line_facts *f,
					const struct line_program *p, const char *word,
					size_t n)
{
	char name[LINE_MAX_SUBCOMMAND];
	uint32_t k = p->name.len;

	if (!(p->flags & LINE_PF_SUBCOMMANDS) || !n || k + 1 + n > sizeof(name))
		return NULL;
	memcpy(name, pb_strp(f, p->name), k);
	name[k] = ' ';
	memcpy(name + k + 1, word, n);
	return cmd_program(f, name, k + 1 + n);
}

const struct line_option *cmd_known(const struct line_facts *f, const struct line_program *p,
				  const char *name, size_t n)
{
	const struct line_option *o;

	for (; p; p = cmd_base_of(f, p)) {
		o = find(f, p->options, sizeof(*o), name, n);
		if (!o && p->stems)
			o = option_stem(f, p, name, n);
		if (o)
			return o;
	}
	return NULL;
}

const struct line_option *cmd_table_option(const struct line_facts *f,
					 const struct line_program *p, const char *name,
					 size_t n)
{
	return p ? find(f, p->options, sizeof(struct line_option), name, n) : NULL;
}

uint32_t cmd_first_option(const struct line_facts *f, const struct line_program *p,
			  const char *name, size_t n)
{
	return first_from(f, p->options, sizeof(struct line_option), name, n);
}

bool cmd_has_long(const struct line_facts *f, const struct line_program *p)
{
	const size_t size = sizeof(struct line_option);

	for (; p; p = cmd_base_of(f, p)) {
		uint32_t i = first_from(f, p->options, size, "--", 2);
		const struct line_option *o = pb_at(f, p->options, size, i);

		if (i < p->options.count && o->name.len >= 2 &&
		    memcmp(pb_strp(f, o->name), "--", 2) == 0)
			return true;
		if (p->stems && (find(f, p->options, size, "*", 1) ||
				 find(f, p->options, size, "-*", 2)))
			return true;
	}
	return false;
}

uint32_t cmd_option_count(const struct line_facts *f, const struct line_program *p)
{
	uint32_t n = 0;

	for (; p; p = cmd_base_of(f, p))
		n += p->options.count;
	return n;
}

const struct line_option *cmd_option_at(const struct line_facts *f,
				      const struct line_program *p, uint32_t i)
{
	for (; i >= p->options.count; p = cmd_base_of(f, p))
		i -= p->options.count;
	return pb_at(f, p->options, sizeof(struct line_option), i);
}

bool cmd_in_words(const struct line_facts *f, struct pb_table words, const char *p,
		  size_t n)
{
	uint32_t i;

	for (i = 0; i < words.count; i++) {
		const struct line_word *w = pb_at(f, words, sizeof(*w), i);

		if (compare(f, w->text, p, n) == 0)
			return true;
	}
	return false;
}

const struct line_pin *cmd_pin(const struct line_facts *f, const char *name, size_t n)
{
	return find(f, f->pins, sizeof(struct line_pin), name, n);
}

bool cmd_when(const struct line_facts *f, uint32_t when, const char *p, size_t n)
{
	struct dfa_walk w;
	uint32_t tags;

	if (when >= f->whens.count)
		return true;
	dfa_start(&w, f, pb_at(f, f->whens, sizeof(struct pb_automaton), when));
	dfa_feed(&w, p, n);
	dfa_tags(&w, &tags);
	return tags > 0;
}

/* What the stems that begin with the first byte of the name say. */
static enum cmd_var by_stem(const struct line_facts *f, const char *p, size_t n)
{
	enum cmd_var is = CMD_VAR_OTHER;
	const struct line_var *v;
	uint32_t i = first_from(f, f->vars, sizeof(*v), p, 1);

	while ((v = next_stem(f, f->vars, sizeof(*v), p, n, 1, &i)))
		if (v->taint)
			return CMD_VAR_TAINT;
		else
			is = CMD_VAR_SAFE;
	return is;
}

enum cmd_var cmd_var(const struct line_facts *f, const char *p, size_t n)
{
	const struct line_var *v = find(f, f->vars, sizeof(*v), p, n);
	enum cmd_var is;

	if (v)
		return v->taint ? CMD_VAR_TAINT : CMD_VAR_SAFE;
	is = n ? by_stem(f, p, n) : CMD_VAR_OTHER;
	v = find(f, f->vars, sizeof(*v), "*", 1);
	if (v && is != CMD_VAR_TAINT)
		is = v->taint ? CMD_VAR_TAINT : CMD_VAR_SAFE;
	return is;
}

bool cmd_trusted_place(const char *p, size_t n)
{
	static const char *const places[] = { "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/",
					      "/usr/local/bin/" };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t k = strlen(places[i]);

		if (n > k && memcmp(p, places[i], k) == 0)
			return !memchr(p + k, '/', n - k);
	}
	return false;
}

/* --- paths ----------------------------------------------------------------------------- */

/* What becomes of a "..", which may leave through a symbolic link. */
enum dots { DOTS_REFUSED, DOTS_REMOVED, DOTS_KEPT };

/* Appends components. false at a ".." that is refused. */
static bool append(char *buf, size_t size, size_t *at, const char *p, size_t n, enum dots dots)
{
	const char *end = p + n;

	while (p < end) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		size_t k = (size_t)((slash ? slash : end) - p);

		bool up = k == 2 && p[0] == '.' && p[1] == '.' && dots != DOTS_KEPT;

		if (up && dots == DOTS_REFUSED)
			return false;
		while (up && *at && buf[--*at] != '/')
			;
		if (!up && k && !(k == 1 && p[0] == '.')) {
			if (size - *at < k + 2)
				return false;
			buf[(*at)++] = '/';
			memcpy(buf + *at, p, k);
			*at += k;
		}
		p += k + (slash != NULL);
	}
	buf[*at] = '\0';
	return true;
}

static bool is_one_of(const char *p, size_t n, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == n && memcmp(p, *names, n) == 0)
			return true;
	return false;
}

/*
 * Does the path go through a magic link of the kernel? The text does not tell where such
 * a link leads: to a directory or file of some process (/proc/PID/cwd), or to what a
 * descriptor has open.
 */
static bool is_magic(const char *path)
{
	static const char *const links[] = { "cwd", "root", "exe", "fd", "map_files", NULL };
	static const char *const plain[] = { "1", "2", NULL };
	const char *p;

	if (strncmp(path, "/dev/fd/", 8) == 0)
		return !is_one_of(path + 8, strlen(path + 8), plain);
	if (strncmp(path, "/proc/", 6) != 0)
		return false;
	for (p = path + 6; *p; p += *p == '/') {
		size_t n = strcspn(p, "/");

		if (is_one_of(p, n, links))
			return true;
		p += n;
	}
	return false;
}

/* One of the command's own descriptors, which every command may use. */
static bool is_own_descriptor(const char *path)
{
	static const char fd[] = "/proc/self/fd/";
	const size_t n = sizeof(fd) - 1;

	return strncmp(path, fd, n) == 0 && path[n] && !path[n + strspn(path + n, "0123456789")];
}

struct path_text {
	const char *p;
	size_t n;
	bool home, magic; /* magic: a path through such a link is its own name */
	enum dots dots;
};

/* Removes a link of the process itself from the beginning of the text, as its target is
 * known. */
static bool skip_prefix(const char *link, const char **text, size_t *n)
{
	size_t k = strlen(link);

	if (*n < k || memcmp(*text, link, k) != 0 || (*n > k && (*text)[k] != '/'))
		return false;
	*text += k;
	*n -= k;
	return true;
}

/*
 * Does the path go on behind a descriptor, or up from the folder of descriptors? /dev/fd is a
 * link to /proc/self/fd, so /dev/fd/../root is /proc/self/root.
 */
static bool leaves_descriptors(const char *text, size_t n)
{
	size_t k;

	if (!skip_prefix("/dev/fd", &text, &n))
		return false;
	while (n && *text == '/') {
		text++;
		n--;
	}
	for (k = 0; k < n && isdigit((unsigned char)text[k]); k++)
		;
	return k < n;
}

static bool resolve(const struct cmd_world *w, const char *dir, struct path_text t, char *buf,
		    size_t size)
{
	const char *text = t.p;
	size_t n = t.n;
	bool home = t.home;
	size_t at = 0;

	if (size < 2 || memchr(text, '\0', n))
		return false;
	/* most programs do not take "-" for a name: `cd -`, `cat -` */
	if (!home && n == 1 && text[0] == '-')
		return false;
	buf[0] = '\0';
	if (!home && skip_prefix("/proc/self/cwd", &text, &n)) {
		if (!dir || dir[0] != '/' || !append(buf, size, &at, dir, strlen(dir), t.dots))
			return false;
	} else if (!home && skip_prefix("/proc/self/root", &text, &n)) {
		/* an absolute path, or "/" itself */
	} else if (t.magic && !home && leaves_descriptors(text, n)) {
		skip_prefix("/dev/fd", &text, &n);
		if (!append(buf, size, &at, "/proc/self/fd", 13, t.dots))
			return false;
	} else if (home || (n && text[0] != '/')) {
		if (home)
			dir = w->home;
		if (!dir || dir[0] != '/' || !append(buf, size, &at, dir, strlen(dir), t.dots))
			return false;
	} else if (!n) {
		return false;
	}
	if (!append(buf, size, &at, text, n, t.dots))
		return false;
	if (!at)
		memcpy(buf, "/", 2);
	return t.magic ? !is_own_descriptor(buf) : !is_magic(buf);
}

bool cmd_resolve(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		 bool home, char *buf, size_t size)
{
	return resolve(w, dir, (struct path_text){ text, n, home, false, DOTS_REFUSED }, buf, size);
}

bool cmd_resolve_loosely(const struct cmd_world *w, const char *dir, const char *text,
			 size_t n, bool home, char *buf, size_t size)
{
	return resolve(w, dir, (struct path_text){ text, n, home, false, DOTS_REMOVED }, buf, size);
}

bool cmd_resolve_named(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, char *buf, size_t size)
{
	return resolve(w, dir, (struct path_text){ text, n, home, true, DOTS_REMOVED }, buf, size);
}

bool cmd_resolve_given(const struct cmd_world *w, const char *dir, const char *text, size_t n,
		       bool home, bool named, char buf[CMD_GIVEN_MAX])
{
	struct path_text t = { text, n, home, named, DOTS_REMOVED };
	char given[CMD_GIVEN_MAX];

	if (!resolve(w, dir, t, buf, PATH_MAX))
		return false;
	if (!memmem(text, n, "..", 2) && !(dir && strstr(dir, "..")))
		return true;
	/* what is magic is told by the path without ".." */
	t.magic = true;
	t.dots = DOTS_KEPT;
	/* a longer path is none to the kernel */
	if (resolve(w, dir, t, given, sizeof(given)))
		memcpy(buf, given, strlen(given) + 1);
	return true;
}

bool cmd_may_have(const char *name, size_t n, const char *value, size_t value_n)
{
	static const char *const names[] = { "RANDOM", "SRANDOM", "SECONDS", "OPTIND", "HISTCMD" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			break;
	if (i == sizeof(names) / sizeof(names[0]))
		return true;
	for (i = 0; value && i < value_n; i++)
		if (!isdigit((unsigned char)value[i]))
			return false;
	return value != NULL;
}
