/* Reads resolv.conf and hosts as resolvers do; decides nothing. */
#include "runtime/egress/host_files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"

/* The next word of the line at *at, which it moves behind the word; 0: there is none. */
static size_t word(const char **at, const char **ret)
{
	*at += strspn(*at, " \t\r\f\v");
	*ret = *at;
	*at += strcspn(*at, " \t\r\f\v\n#;");
	return (size_t)(*at - *ret);
}

static bool is(const char *p, size_t n, const char *s)
{
	return strlen(s) == n && memcmp(p, s, n) == 0;
}

/* fe80::1%eth0 has a scope. */
static bool read_server(const char *p, size_t n, struct sockaddr_in6 *ret)
{
	char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 2], *scope;

	*ret = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(53) };
	if (n >= sizeof(text))
		return false;
	memcpy(text, p, n);
	text[n] = '\0';
	scope = strchr(text, '%');
	if (scope) {
		*scope++ = '\0';
		ret->sin6_scope_id = if_nametoindex(scope);
		if (ret->sin6_scope_id == 0)
			return false;
	}
	return host_address(text, ret->sin6_addr.s6_addr);
}

static void parse_resolv(struct host_files *h, const char *p)
{
	const char *w, *end;
	size_t n;

	for (; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		n = word(&p, &w);
		if (is(w, n, "nameserver")) {
			n = word(&p, &w);
			if (n && h->server_count < HOST_SERVERS &&
			    read_server(w, n, &h->servers[h->server_count]))
				h->server_count++;
		} else if (is(w, n, "options")) {
			while ((n = word(&p, &w)) > 0)
				if (is(w, n, "use-vc"))
					h->tcp_only = true;
		}
	}
	if (h->server_count == 0 && read_server("127.0.0.1", 9, &h->servers[0]))
		h->server_count = 1;
}

/* Counts with `entries` NULL, else fills it. */
static uint32_t parse_hosts(const char *p, char *text, struct host_entry *entries)
{
	char name[EGRESS_NAME_MAX + 1], number[INET6_ADDRSTRLEN];
	const char *w, *end;
	uint32_t count = 0, at = 0;
	uint8_t addr[16];
	size_t n;

	for (; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "\n");
		n = word(&p, &w);
		if (n == 0 || n >= sizeof(number))
			continue;
		memcpy(number, w, n);
		number[n] = '\0';
		if (!host_address(number, addr))
			continue;
		while ((n = word(&p, &w)) > 0) {
			if (!egress_host_name(name, (const uint8_t *)w, n) ||
			    count == HOST_MAX_ENTRIES)
				continue;
			if (entries) {
				entries[count].name = at;
				entries[count].order = count;
				memcpy(entries[count].addr, addr, 16);
				memcpy(text + at, name, n + 1);
			}
			at += (uint32_t)n + 1;
			count++;
		}
	}
	return count;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct host_files *h = arg;
	const struct host_entry *x = a, *y = b;
	int r = strcmp(h->text + x->name, h->text + y->name);

	return r ? r : (x->order > y->order) - (x->order < y->order);
}

int host_files_parse(struct host_files *h, const char *resolv, const char *hosts)
{
	*h = (struct host_files){ 0 };
	parse_resolv(h, resolv ? resolv : "");
	if (!hosts)
		return 0;
	h->entry_count = parse_hosts(hosts, NULL, NULL);
	h->text = malloc(strlen(hosts) + 1);
	h->entries = calloc((size_t)h->entry_count + 1, sizeof(h->entries[0]));
	if (!h->text || !h->entries) {
		host_files_release(h);
		return -ENOMEM;
	}
	(void)parse_hosts(hosts, h->text, h->entries);
	qsort_r(h->entries, h->entry_count, sizeof(h->entries[0]), by_name, h);
	return 0;
}

int host_files_read(struct host_files *h, const char *resolv_path, const char *hosts_path)
{
	AUTO_FREE char *resolv = NULL;
	AUTO_FREE char *hosts = NULL;
	size_t n;

	/* a file that is not there, or cannot be read, says nothing */
	if (io_read_file(resolv_path, HOST_MAX_FILE, &resolv, &n) < 0)
		resolv = NULL;
	if (io_read_file(hosts_path, HOST_MAX_FILE, &hosts, &n) < 0)
		hosts = NULL;
	return host_files_parse(h, resolv, hosts);
}

void host_files_release(struct host_files *h)
{
	free(h->text);
	free(h->entries);
	*h = (struct host_files){ 0 };
}

size_t host_files_find(const struct host_files *h, const char *name, size_t most,
		       uint8_t (*ret)[16])
{
	uint32_t lo = 0, hi = h->entry_count;
	size_t n = 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(h->text + h->entries[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < h->entry_count && n < most &&
	       strcmp(h->text + h->entries[lo].name, name) == 0; lo++)
		memcpy(ret[n++], h->entries[lo].addr, 16);
	return n;
}
