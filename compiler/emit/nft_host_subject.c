/* Whose packets the table of the target nft-host decides, and how the table is called. */
#include "compiler/emit/nft_host_subject.h"

#include "compiler/base/buf.h"
#include "compiler/base/num.h"

#define MAX_TABLE 200u /* bytes; the kernel takes 255 */
#define MAX_NAME 32u   /* bytes of a user's name */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Every other byte becomes _XX, so that two names never become one table. */
static void add_word(struct buf *b, struct str s, const char *more)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_letter(s.p[i]) || (s.p[i] && strchr(more, s.p[i])))
			buf_ch(b, s.p[i]);
		else
			buf_printf(b, "_%02x", (unsigned char)s.p[i]);
}

/*
 * A number is taken as it is.  A name is looked up by nft, on the host that loads the
 * table: this machine may be another one.
 */
static const char *by_uid(struct str who, struct buf *match)
{
	uint64_t id;

	if (num_u64(who, &id)) {
		if (id == 0 || id >= UINT32_MAX)
			return "--uid takes a user that is not root: root removes any table";
		buf_printf(match, "meta skuid %u", (unsigned)id);
		return NULL;
	}
	if (str_eqz(who, "root"))
		return "--uid takes a user that is not root: root removes any table";
	if (!who.n || who.n > MAX_NAME || (who.p[0] >= '0' && who.p[0] <= '9') || who.p[0] == '-')
		return "--uid takes the name of a user or its number";
	for (size_t i = 0; i < who.n; i++)
		if (!is_letter(who.p[i]) && !strchr("_-.", who.p[i]))
			return "--uid takes the name of a user or its number";
	buf_printf(match, "meta skuid \"%.*s\"", STR_ARG(who));
	return NULL;
}

/* Is it NAME/NAME…, with nothing that a string of nft cannot hold? */
static bool is_path(struct str s, unsigned *ret_level)
{
	size_t from = 0;

	*ret_level = 0;
	for (size_t i = 0; i <= s.n; i++) {
		struct str part = str_sub(s, from, i - from);

		if (i < s.n && s.p[i] != '/') {
			if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\"$*", s.p[i]))
				return false;
			continue;
		}
		if (!part.n || str_eqz(part, ".") || str_eqz(part, ".."))
			return false;
		from = i + 1;
		++*ret_level;
	}
	return *ret_level < 256;
}

static const char *by_cgroup(struct str *path, struct buf *match)
{
	unsigned level;

	if (path->n && path->p[0] == '/')
		*path = str_sub(*path, 1, path->n - 1);
	if (!is_path(*path, &level))
		return "--cgroup takes the path of a cgroup below /sys/fs/cgroup, without '.', "
		       "'..', blanks, '\"', '$' and '*'";
	buf_printf(match, "socket cgroupv2 level %u \"%.*s\"", level, STR_ARG(*path));
	return NULL;
}

const char *host_subject(const struct ir *ir, const struct emit_options *o, struct arena *a,
			 struct host_subject *ret)
{
	struct str who = str_from(o->uid ? o->uid : o->cgroup);
	struct buf table, match;
	const char *why;

	if (!o->uid == !o->cgroup)
		return "nft-host wants either --uid NAME|UID or --cgroup PATH";
	if (!ir->name.n)
		return "the table is called like the policy, and this one has no name: "
		       "begin it with 'policy NAME'";
	buf_init(&match, a);
	buf_init(&table, a);
	why = o->uid ? by_uid(who, &match) : by_cgroup(&who, &match);
	if (why)
		return why;
	buf_z(&table, "pol-host-");
	add_word(&table, ir->name, "-.");
	buf_z(&table, o->uid ? "/uid/" : "/cgroup/");
	add_word(&table, who, "-./");
	if (table.n > MAX_TABLE)
		return "the policy's name and that of the user or cgroup are too long for a table";
	ret->table = buf_view(&table);
	ret->match = buf_view(&match);
	return NULL;
}
