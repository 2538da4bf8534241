/* Scripts of sed and awk: which can only compute and print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/line/lang.h"

typedef bool reads(const char *p, size_t n);

static void all(reads *prints, const char *const *texts, bool want)
{
	for (; *texts; texts++)
		if (prints(*texts, strlen(*texts)) != want)
			fail_msg("%s: %s", want ? "it only prints" : "it does more", *texts);
}

static void test_sed_that_only_prints(void **state)
{
	static const char *const t[] = {
		"", "p", "s/foo/bar/g", "1,40p;200,240p", "/BEGIN/,/END/p", "/^#/d;/^$/d", "$=", "=",
		"N; s/\\n/\\t/", "1!G;h;$!d", "s|/usr|/opt|g", "s#https\\?://##; s#/.*##",
		"s/\\([a-z]*\\)@/\\1 at /2p", "y/abc/xyz/;p", ":a;N;$!ba;s/\\n/ /g", "0~3p", "2,~4p",
		"/x/I,+2p", "\\%a/b%d", "/a/{s/b/c/;p}", "/a/{\np\n}", "1i\\    return None",
		"1i\\\n  text; e rm\\\n  more", "$a last line", "2c\\\nw x", "l 5;q 3", "#n\np", "# e rm",
		"s/[^/]*$//", "s/[[:space:]]*$//", "s/[[:alpha:]_]/x/", "s/[]/]/x/", "s/[\\/]/x/",
		"s/a\\\nb/c/", "s/a/b\\\nc/", "s,a\\,b,w,", "s/w/e/", "/w/p", "s/e/w x/p", "P;D", "a e rm",
		"s/^\\(.*\\)$/\"\\1\"/", "s/\xc3\xa9/e/g", "s/x/y/ ; s/y/z/", NULL };

	(void)state;
	all(lang_sed_prints, t, true);
}

static void test_sed_that_does_more(void **state)
{
	static const char *const t[] = {
		"e", "e rm x", "1e rm x", "$!e rm", "p;e rm", "p\ne rm", "/x/e rm", "/x/I e rm",
		"\\%x%e rm", "1,/x/{e rm\n}", "w x", "/x/w /etc/x", "W x", "r /etc/shadow", "R x", "F",
		"s/a/b/e", "s/a/b/ge", "s/a/b/e;p", "s/a/b/w x", "s/a/b/pw x", "s,a,b,w x", "sxaxbxe",
		"s/a/b/ e", "s a b e", "s/[/]/]/e", "s/[/e x/", "s/[]/e/w x/]/",
		/* what a release may take for text or a label */
		"i\\ \ne rm", ":a e rm", "b e rm", ":a;s/x/a\\\ne rm/", "# \\\ne rm", "p}e rm",
		"s/[\\]/]/x/", "s/[[:alpha:]/]x/e/", "s/[[:alpha:]/e x/",
		/* what does not end */
		"s/a/b", "s/a", "/a", "a\\", "1i", "y/a/b", "s/a/b\\", "s/a\nb/c/", "1,", "!",
		/* no command of sed */
		"k", "s/a/b/k", "v 4.2", "M", "src/app.py", "s(a(b(", "s\\a\\b\\",
		"s/\xc3\\/b/w x/", NULL };

	(void)state;
	all(lang_sed_prints, t, false);
}

static void test_awk_that_only_prints(void **state)
{
	static const char *const t[] = {
		"", "{print $1}", "NR>1 {s+=$3} END {print s/NR}", "/^root/ {print $7}", "length > 100",
		"{ if ($3 > 100) print $1, $3 }", "$3 > 10.0 {print $2, $11}", "!seen[$0]++",
		"{print $1 \" -> \" $2}", "{printf \"%s | %s\\n\", $1, $2}", "{print (a > b)}",
		"{ print ($1 > 5 ? \"a\" : \"b\") }", "/a|b/ {print}", "$0 ~ /a>b/ {print}",
		"{print} # > x | y", "{print a || b}", "{ print x; if (y > 3) n++ }",
		"{ for (i = 1; i < NF; i++) if ($i > m) m = $i } END { print m / 2 }",
		"/[|>]/ {print}", "/\\/>/ {print}", "{ print \"system(x)\" }", "{print \"a@b\", \"getline\"}",
		"BEGIN { print \"\\\"> x\\\\\" }", "{print a[b > c]}", "function f(x) { return x > 1 }\n{print f(1)}",
		"{ environ = 1; print \"ENVIRON > x\" }", NULL };

	(void)state;
	all(lang_awk_prints, t, true);
}

static void test_awk_that_does_more(void **state)
{
	static const char *const t[] = {
		"BEGIN{system(\"rm x\")}", "BEGIN{system (\"rm x\")}", "BEGIN{system\\\n(\"rm x\")}",
		"{print > \"x\"}", "{print >> \"x\"}", "{print $1, $2 > $3}", "{print(a)(b) > \"x\"}",
		"{print | \"sh\"}", "{print |& \"sh\"}", "{printf \"x\" > \"y\"}", "{print a, \n b > \"x\"}",
		"BEGIN{\"ls\" | getline x}", "BEGIN{while ((getline l < \"/etc/shadow\") > 0) print l}",
		"{print ENVIRON[\"X\"]}", "{for (k in SYMTAB) print k}", "@load \"x\"", "@include \"x\"", "BEGIN{f=\"x\"; @f()}", "BEGIN{ARGV[1]=\"/etc/shadow\"; ARGC=2}",
		"{print \"a\" > \"b\" ? c : d}", "if (x) print; else print > \"x\"",
		/* a pattern or a division: what looks like a text may be none */
		"{print (a)/\">\"/system(\"rm x\")}", "{x = i++ / 2; print \"|\"}", "{print length / 2 \">\"}",
		"/[/]/ {print > \"x\"}", "/[]/>]/ {print}", "{print /a\n>/}",
		/* what does not end */
		"{print \">", "{print /a>", "{print \"|\"", "print \"|\"}", "{print \"a\\\n|\"}",
		"{print `>`}", "# \\\n{print \"|\"}", "{print \"\xc3\\\" > x\"}", NULL };

	(void)state;
	all(lang_awk_prints, t, false);
}

/* Each script, cut anywhere, and with any byte after it, ends. */
static void test_scripts_that_are_cut(void **state)
{
	static const char text[] = "/[[:a:]\\]x/I{s/a[^]]b/\\//gp;y,a,b,\n};:a;ba;i\\\n t\n$!N#";
	static const char awk[] = "/[^]a]/{print(\"a\\\"b\">c)|\"x\"||d/e}#x\n{system(\"y\")}";
	char copy[sizeof(text) + sizeof(awk)];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++)
		for (int c = 1; c < 256; c++) {
			/* nothing behind the text is read: sanitizers would say so */
			char *p = test_malloc(n + 1);

			memcpy(p, text, n);
			p[n] = (char)c;
			(void)lang_sed_prints(p, n + 1);
			(void)lang_awk_prints(p, n + 1);
			test_free(p);
		}
	for (size_t n = 0; n < sizeof(awk); n++) {
		memcpy(copy, awk, n);
		(void)lang_awk_prints(copy, n);
	}
	assert_false(lang_awk_prints(awk, sizeof(awk) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sed_that_only_prints),
		cmocka_unit_test(test_sed_that_does_more),
		cmocka_unit_test(test_awk_that_only_prints),
		cmocka_unit_test(test_awk_that_does_more),
		cmocka_unit_test(test_scripts_that_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
