/* `polc inspect`: shows what a bundle holds, read with the reader of the runtime. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/backend/table.h"
#include "compiler/base/json_buf.h"
#include "compiler/cli/changes_json.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"

static const char *hex(struct arena *a, const uint8_t b2[32])
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	for (i = 0; i < 32; i++)
		buf_printf(&b, "%02x", b2[i]);
	return str_z(a, buf_view(&b));
}

static void print_date(const char *what, int64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (seconds != INT64_MIN && gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		printf("%-11s %s\n", what, text);
}

static void print_text(struct arena *a, const struct bundle *b)
{
	char fp[SSHKEY_FINGERPRINT_CAP];
	size_t i;

	printf("%-11s %.*s\n%-11s %" PRIu64 "\n%-11s %s\n", "name",
	       STR_ARG(cli_clean(a, str_from(b->name), false)), "serial", b->serial,
	       "digest", b->digest);
	print_date("created", b->created);
	print_date("not before", b->not_before);
	print_date("not after", b->not_after);
	for (i = 0; i < b->nsignatures; i++) {
		sshkey_fingerprint(&b->signatures[i].key, fp);
		printf("%-11s with %s (whose key: polc verify)\n", "signed", fp);
	}
	if (!b->nsignatures)
		printf("%-11s no\n", "signed");
	if (b->changes)
		changes_print(stdout, b->changes, "", CHANGES_MAX_LIST);
	printf("\n%9s  %-64s  member\n", "bytes", "blake2b-256");
	printf("%9zu  %-64s  manifest.json\n", b->manifest_size, b->digest);
	for (i = 0; i < b->nmembers; i++)
		printf("%9zu  %-64s  %.*s\n", b->members[i].size,
		       hex(a, b->members[i].b2),
		       STR_ARG(cli_clean(a, str_from(b->members[i].path), false)));
}

static void print_json(struct arena *a, const struct bundle *b)
{
	char fp[SSHKEY_FINGERPRINT_CAP];
	struct json j;
	struct buf out;

	buf_init(&out, a);
	json_buf_init(&j, &out);
	json_object(&j, NULL);
	json_cstr(&j, "name", b->name);
	json_uint(&j, "serial", b->serial);
	json_cstr(&j, "digest", b->digest);
	json_uint(&j, "size", b->size);
	changes_json(&j, b->changes);
	json_array(&j, "signatures");
	for (size_t i = 0; i < b->nsignatures; i++) {
		sshkey_fingerprint(&b->signatures[i].key, fp);
		json_cstr(&j, NULL, fp);
	}
	json_array_end(&j);
	json_array(&j, "members");
	for (size_t i = 0; i < b->nmembers; i++) {
		json_object(&j, NULL);
		json_cstr(&j, "path", b->members[i].path);
		json_uint(&j, "size", b->members[i].size);
		json_cstr(&j, "blake2b", hex(a, b->members[i].b2));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	buf_ch(&out, '\n');
	fwrite(out.p, 1, out.n, stdout);
}

/* Verifies every member before it is shown. */
static bool members(struct arena *a, struct bundle *b, struct bk_output *ret)
{
	size_t i;

	ret->a = a;
	for (i = 0; i < b->nmembers; i++) {
		const struct bundle_member *m = bundle_member(b, b->members[i].path);
		struct bk_member out;

		if (!m) {
			fprintf(stderr, "polc: the member '%s' is damaged\n",
				b->members[i].path);
			return false;
		}
		out.path = str_from(m->path);
		out.bytes = (struct str){ (const char *)m->data, m->size };
		VEC_PUSH(a, &ret->members, out);
	}
	return true;
}

static enum cli_exit unknown_section(struct arena *a, const struct bundle *b,
				     const char *name)
{
	VEC(const char *) names = { NULL, 0, 0 };
	const struct backend *const *bk;
	const char *near;
	size_t i;

	for (bk = bk_table; *bk; bk++)
		VEC_PUSH(a, &names, (*bk)->name);
	for (i = 0; i < b->nmembers; i++)
		VEC_PUSH(a, &names, b->members[i].path);
	VEC_PUSH(a, &names, "ir");
	VEC_PUSH(a, &names, PB_MANIFEST);
	near = diag_suggest(str_from(name), names.v, names.n);
	fprintf(stderr, "polc: the bundle has no section '%s'", name);
	if (near)
		fprintf(stderr, ": did you mean '%s'?", near);
	else
		for (i = 0; i < names.n; i++)
			fprintf(stderr, "%s%s", i ? ", " : "; there are ", names.v[i]);
	fputc('\n', stderr);
	return CLI_TROUBLE;
}

/* The author of a bundle chooses its names and texts, so they are cleaned. */
static enum cli_exit print_backend(struct arena *a, const struct backend *bk,
				   const struct bk_output *emitted)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct str clean;

	if (!f) {
		fputs("polc: out of memory\n", stderr);
		return CLI_INTERNAL;
	}
	bk->print(f, emitted);
	if (fclose(f) != 0)
		return CLI_INTERNAL;
	clean = cli_clean(a, (struct str){ text, n }, true);
	free(text);
	if (clean.n)
		fwrite(clean.p, 1, clean.n, stdout);
	return CLI_CLEAN;
}

static enum cli_exit print_section(struct arena *a, struct bundle *b, const char *name)
{
	/* people who ask for the layer "net" want its ruleset */
	const struct backend *bk =
		passes_backend(str_from(strcmp(name, "nft") == 0 ? "net" : name));
	const char *path = strcmp(name, "ir") == 0 ? PB_IR : name;
	struct bk_output out = { .a = a };
	size_t i;

	if (!members(a, b, &out))
		return CLI_TROUBLE;
	if (bk)
		return print_backend(a, bk, &out);
	if (strcmp(name, PB_MANIFEST) == 0 || strcmp(name, "manifest") == 0) {
		fwrite(b->manifest, 1, b->manifest_size, stdout);
		return CLI_CLEAN;
	}
	for (i = 0; i < out.members.n; i++) {
		const struct bk_member *m = &out.members.v[i];

		if (str_eqz(m->path, path)) {
			if (m->bytes.n)
				fwrite(m->bytes.p, 1, m->bytes.n, stdout);
			return CLI_CLEAN;
		}
	}
	return unknown_section(a, b, name);
}

enum cli_exit cmd_inspect(struct options *o, struct arena *a)
{
	struct bundle b;
	enum cli_exit e = CLI_CLEAN;

	if (!cli_bundle(o->bundle, &b))
		return CLI_TROUBLE;
	if (o->section)
		e = print_section(a, &b, o->section);
	else if (o->json)
		print_json(a, &b);
	else
		print_text(a, &b);
	bundle_release(&b);
	return e;
}
