/*
 * From statements to the IR: patterns, hosts, conditions.  Values, tests and
 * what is refused are in test_lower_values.c.
 */
#include <errno.h>

#include "tests/unit/sema_fixture.h"

/* --- globs as text --------------------------------------------------------- */

static void show_glob(struct buf *b, const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];

		switch (it->op) {
		case IR_G_BYTE:
			buf_ch(b, (char)it->byte);
			break;
		case IR_G_ONE:
			buf_z(b, "<?>");
			break;
		case IR_G_STAR:
			buf_z(b, "<*>");
			break;
		case IR_G_DEEP:
			buf_z(b, "<**>");
			break;
		case IR_G_DIRS:
			buf_z(b, "<dirs>");
			break;
		case IR_G_ALT:
			buf_ch(b, '(');
			for (size_t k = 0; k < it->nalts; k++) {
				buf_z(b, k ? "|" : "");
				show_glob(b, &it->alts[k]);
			}
			buf_ch(b, ')');
			break;
		}
	}
}

static const char *show_path(struct fx *f, const struct ir_path *p)
{
	struct buf b;

	buf_init(&b, &f->a);
	buf_printf(&b, "%s:", p->abstract ? "@" : ir_root_name(p->root));
	show_glob(&b, &p->glob);
	buf_z(&b, p->below ? " below" : "");
	return str_z(&f->a, buf_view(&b));
}

static const char *show_command(struct fx *f, const struct ir_command *c)
{
	struct buf b;

	buf_init(&b, &f->a);
	for (size_t i = 0; i < c->nwords; i++) {
		buf_z(&b, i ? " " : "");
		if (c->words[i].any_words)
			buf_z(&b, "<words>");
		else
			show_glob(&b, &c->words[i].glob);
	}
	buf_z(&b, c->tail ? " tail" : "");
	buf_z(&b, c->more ? " more" : "");
	return str_z(&f->a, buf_view(&b));
}

/* --- paths ----------------------------------------------------------------- */

static const struct {
	const char *rule, *want;
} paths[] = {
	{ "deny write \"/etc/x\"", "/:/etc/x below" },
	{ "allow read \"/etc/x\"", "/:/etc/x below" },
	{ "allow read \"/etc/x/\"", "/:/etc/x below" },
	{ "allow read \"/etc/x/**\"", "/:/etc/x below" },
	{ "allow read \"/etc/x/**/\"", "/:/etc/x below" },
	{ "allow read \"${HOME}\"", "HOME: below" },
	{ "allow read \"${HOME}/**\"", "HOME: below" },
	{ "allow read \"~/a\"", "HOME:/a below" },
	{ "deny read \"~\"", "HOME: below" },
	{ "allow read \"./a\"", "PROJECT_DIR:/a below" },
	{ "allow read \".\"", "PROJECT_DIR: below" },
	{ "allow read \"src/a\"", "PROJECT_DIR:/src/a below" },
	{ "deny read \"./a\"", "PROJECT_DIR:/a below" },
	{ "deny write \".env*\"", "/:/<dirs>.env<*> below" },
	{ "ask write \".env\"", "/:/<dirs>.env below" },
	{ "hide \"secret/x\"", "/:/<dirs>secret/x below" },
	{ "deny read \"**\"", "/: below" },
	{ "deny read \"/\"", "/: below" },
	{ "allow write \"src/**/*.ts\"", "PROJECT_DIR:/src/<dirs><*>.ts" },
	{ "deny write \"/src/**/*.ts\"", "/:/src/<dirs><*>.ts below" },
	{ "allow read \"/a*\"", "/:/a<*>" },
	{ "allow read \"/a*/**\"", "/:/a<*> below" },
	{ "allow read \"/a*/b\"", "/:/a<*>/b below" },
	{ "allow read \"/a?\"", "/:/a<?>" },
	{ "allow read \"/{a,b}\"", "/:/(a|b) below" },
	{ "allow read \"/x/{a,b*}\"", "/:/x/(a|b<*>)" },
	{ "allow read \"/a**b\"", "/:/a<**>b" },
	{ "allow read \"/**/**/a\"", "/:/<dirs>a below" },
	{ "allow read \"/a\\\\*b\"", "/:/a*b below" },
	{ "allow read \"/a\\\\{b\"", "/:/a{b below" },
	{ "allow read \"/a b\"", "/:/a b below" },
	{ "allow read \"/a|b\"", "/:/a|b below" },
	{ "allow read \"${TMPDIR}/a\"", "TMPDIR:/a below" },
	{ "allow read \"${SESSION_DIR}\"", "SESSION_DIR: below" },
	{ "allow read \"/x/.git\"", "/:/x/.git below" },
	{ "allow read \"/x/..a\"", "/:/x/..a below" },
	{ "allow read \"/x/...\"", "/:/x/... below" },
	{ "deny read \"/\\$x\"", "/:/$x below" },
	{ "deny read r\"/$x\"", "/:/$x below" },
	/* the pattern's own backslash before a dollar sign, and two of them */
	{ "deny read \"/\\\\\\$x\"", "/:/$x below" },
	{ "deny read \"/\\\\\\\\\\$x\"", "/:/\\$x below" },
	{ "deny read r\"/\\\\$x\"", "/:/\\$x below" },
};

static void test_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(paths); i++) {
		struct fx f;
		char text[200];

		snprintf(text, sizeof(text), "file { %s }", paths[i].rule);
		fx_run_text(&f, text);
		assert_string_equal(show_path(&f, &fx_rule(&f, 0)->set.u.file.path),
				    paths[i].want);
		fx_release(&f);
	}
}

static void test_exceptions_match_as_the_other_side(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "file { deny write \"/a\" except \"x*\"  "
		    "allow read \"/a\" except \"x*\" }\n"
		    "command { deny \"a *\" except \"a *\"  allow \"a *\" except \"a *\" }");
	/* in rank and text order: file deny, file allow, command deny, allow */
	assert_string_equal(show_path(&f, &fx_rule(&f, 0)->except[0].u.file.path),
			    "PROJECT_DIR:/x<*>");
	assert_string_equal(show_path(&f, &fx_rule(&f, 1)->except[0].u.file.path),
			    "/:/<dirs>x<*> below");
	assert_string_equal(show_command(&f, &fx_rule(&f, 2)->set.u.command),
			    "a <*> more");
	assert_string_equal(show_command(&f, &fx_rule(&f, 2)->except[0].u.command),
			    "a <*>");
	assert_string_equal(show_command(&f, &fx_rule(&f, 3)->set.u.command), "a <*>");
	assert_string_equal(show_command(&f, &fx_rule(&f, 3)->except[0].u.command),
			    "a <*> more");
	fx_release(&f);
}

static void test_operations_and_scratch(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "file { deny \"/a\"  hide \"/b\"  allow read, exec \"/c\", \"/d\"\n"
		    "scratch \"${HOME}\" }");
	assert_int_equal(fx_count(&f, IR_FILE, IR_DENY), 3);
	assert_int_equal(fx_count(&f, IR_FILE, IR_HIDE), 1);
	assert_int_equal(fx_count(&f, IR_FILE, IR_ALLOW), 6);
	assert_int_equal(fx_rule(&f, 3)->set.u.file.ops, IR_ALL_OPS);
	assert_true(fx_rule(&f, 8)->scratch);
	assert_int_equal(fx_rule(&f, 8)->set.u.file.ops, IR_READ);
	assert_int_equal(fx_rule(&f, 9)->set.u.file.ops, IR_WRITE);
	assert_int_equal(fx_rule(&f, 9)->scopes, IR_SANDBOX);
	fx_release(&f);
}

/* --- commands -------------------------------------------------------------- */

static const struct {
	const char *rule, *want;
} commands[] = {
	{ "allow \"npm run test:*\"", "npm run test tail" },
	{ "deny \"curl:*\"", "curl tail" },
	{ "deny \"rm *\"", "rm <*> more" },
	{ "deny \"*\"", "<*> more" },
	{ "allow \"rm *\"", "rm <*>" },
	{ "deny \"rm a*\"", "rm a<*>" },
	{ "deny \"rm ** x\"", "rm <words> x" },
	{ "allow \"rm **\"", "rm <words>" },
	{ "allow \"git push {-f|--force} origin feature/*\"",
	  "git push (-f|--force) origin feature/<*>" },
	{ "allow \"  a \t b  \"", "a b" },
	{ "allow \"a\\\\ b c\"", "a b c" },
	{ "allow \"a\\\\:*\"", "a:<*>" },
	{ "allow \"a\\\\\\\\:*\"", "a\\ tail" },
	{ "allow \"a,b\"", "a,b" },
	{ "deny \"a ?\"", "a <?>" },
	{ "deny \"* x\"", "<*> x" },
	{ "allow \"*:*\"", "<*> tail" },
	{ "ask \"./gradlew:*\"", "./gradlew tail" },
};

static void test_command_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(commands); i++) {
		struct fx f;
		char text[200];

		snprintf(text, sizeof(text), "command { %s }", commands[i].rule);
		fx_run_text(&f, text);
		assert_string_equal(show_command(&f, &fx_rule(&f, 0)->set.u.command),
				    commands[i].want);
		fx_release(&f);
	}
}

static void test_quotes_in_a_pattern_are_a_warning(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "command { deny \"git commit -m 'x'\" }");
	assert_true(fx_said(&f, "P0211", "match themselves"));
	fx_release(&f);
	fx_run_text(&f, "command { deny \"git commit -m \\\\'x\" }");
	assert_false(fx_said(&f, "P0211", "match themselves"));
	fx_release(&f);
}

/* --- network and sockets --------------------------------------------------- */

static void test_hosts_times_ports(void **state)
{
	const struct ir_net *n;
	struct fx f;

	(void)state;
	fx_run_text(&f, "network limited { allow tcp \"GitHub.com.\", \"*.npmjs.com\" "
		    "port 22, 80-443\n allow udp 10.0.0.0/8\n deny any\n"
		    "allow \"db.x\" port 5 within 10.0.0.0/8\n"
		    "deny 10.0.0.0/8 except 10.1.0.0/16\n"
		    "allow tcp \"1.2.3.4\" port 1 }");
	assert_int_equal(fx_count(&f, IR_NET, IR_ALLOW), 7);
	n = &fx_rule(&f, 4)->set.u.net; /* the rules about sockets come first */
	assert_int_equal(n->host, IR_HOST_NAME);
	assert_true(str_eqz(n->name, "github.com"));
	assert_int_equal(n->port_lo, 22);
	n = &fx_rule(&f, 7)->set.u.net;
	assert_int_equal(n->host, IR_HOST_BELOW);
	assert_true(str_eqz(n->name, "npmjs.com"));
	assert_int_equal(n->port_lo, 80);
	assert_int_equal(n->port_hi, 443);
	n = &fx_rule(&f, 8)->set.u.net;
	assert_int_equal(n->protos, IR_UDP);
	assert_int_equal(n->cidr.bits, 104);
	assert_int_equal(n->port_lo, 0);
	assert_int_equal(n->port_hi, 65535);
	n = &fx_rule(&f, 9)->set.u.net;
	assert_int_equal(n->protos, IR_ANY_PROTO);
	assert_int_equal(n->host, IR_HOST_ANY);
	assert_int_equal(fx_rule(&f, 10)->set.u.net.nwithin, 1);
	assert_int_equal(fx_rule(&f, 11)->nexcept, 1);
	assert_int_equal(fx_rule(&f, 12)->set.u.net.host, IR_HOST_CIDR);
	fx_release(&f);
}

static void test_sockets(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "unix { deny \"/run/docker.sock\", \"@a/b*\", \"ssh.sock\"\n"
		    "allow \"${HOME}/x\" }");
	assert_string_equal(show_path(&f, &fx_rule(&f, 0)->set.u.unix_path),
			    "/:/run/docker.sock below");
	assert_string_equal(show_path(&f, &fx_rule(&f, 1)->set.u.unix_path), "@:a/b<*>");
	assert_string_equal(show_path(&f, &fx_rule(&f, 2)->set.u.unix_path),
			    "/:/<dirs>ssh.sock below");
	assert_string_equal(show_path(&f, &fx_rule(&f, 3)->set.u.unix_path),
			    "HOME:/x below");
	fx_release(&f);
}

/* --- system calls ---------------------------------------------------------- */

static void show_cond(struct buf *b, const struct ir_cond *c)
{
	static const char *const cmps[] = { "==", "!=", "<", "<=", ">", ">=" };

	if (!c) {
		buf_z(b, "any");
		return;
	}
	switch (c->op) {
	case IR_C_TRUE:
		buf_z(b, "true");
		break;
	case IR_C_FALSE:
		buf_z(b, "false");
		break;
	case IR_C_NOT:
		buf_z(b, "!(");
		show_cond(b, c->a);
		buf_z(b, ")");
		break;
	case IR_C_AND:
	case IR_C_OR:
		buf_z(b, "(");
		show_cond(b, c->a);
		buf_z(b, c->op == IR_C_AND ? " & " : " | ");
		show_cond(b, c->b);
		buf_z(b, ")");
		break;
	case IR_C_CMP:
		if (c->mask == (c->width == 32 ? UINT32_MAX : UINT64_MAX))
			buf_printf(b, "a%u%s%#llx", c->arg, cmps[c->cmp],
				   (unsigned long long)c->value);
		else
			buf_printf(b, "a%u/%#llx%s%#llx", c->arg,
				   (unsigned long long)c->mask, cmps[c->cmp],
				   (unsigned long long)c->value);
		break;
	}
}

static const char *show_calls(struct fx *f)
{
	struct buf b;

	buf_init(&b, &f->a);
	for (size_t i = 0; i < f->ir->rules.n; i++) {
		const struct ir_rule *r = f->ir->rules.v[i];

		if (r->kind != IR_SYSCALL || r->level == IR_DEFAULT)
			continue;
		buf_z(&b, b.n ? "; " : "");
		buf_str(&b, r->set.u.syscall.name);
		buf_z(&b, r->scopes == IR_ALL_SCOPES ? " " :
		      r->scopes == IR_SANDBOX ? "/sandbox " : "/host ");
		show_cond(&b, r->set.u.syscall.cond);
	}
	return str_z(&f->a, buf_view(&b));
}

static const struct {
	const char *rule, *want;
} calls[] = {
	{ "deny ptrace", "ptrace any" },
	{ "deny ptrace, bpf", "ptrace any; bpf any" },
	{ "deny socket(AF_PACKET, *, *)", "socket a0==0x11" },
	{ "deny socket(AF_PACKET)", "socket a0==0x11" },
	{ "deny socket(domain)", "socket any" },
	{ "deny socket(AF_INET or AF_INET6)", "socket (a0==0x2 | a0==0xa)" },
	{ "deny socket([AF_INET, 5-7])", "socket (a0==0x2 | (a0>=0x5 & a0<=0x7))" },
	{ "deny socket(not AF_UNIX)", "socket !(a0==0x1)" },
	{ "deny ioctl(*, TIOCSTI)", "ioctl a1==0x5412" },
	{ "deny ioctl(3, TIOCSTI)", "ioctl (a0==0x3 & a1==0x5412)" },
	{ "deny clone(flags) when flags & CLONE_NEWUSER", "clone a0/0x10000000!=0" },
	{ "deny clone(flags & CLONE_NEWUSER)", "clone a0/0x10000000!=0" },
	{ "deny clone when CLONE_NEWNS | CLONE_NEWUSER == flags & 0x10020000",
	  "clone a0/0x10020000==0x10020000" },
	{ "deny openat(AT_FDCWD)", "openat a0==0xffffff9c" },
	{ "deny openat when flags & O_CREAT and mode >= 8",
	  "openat (a2/0x40!=0 & a3/0xffff>=0x8)" },
	{ "deny mmap when 4096 < len", "mmap a1>0x1000" },
	{ "deny kill when pid in [1, 5-9]",
	  "kill (a0==0x1 | (a0>=0x5 & a0<=0x9))" },
	{ "deny bpf when scope == sandbox", "bpf/sandbox any" },
	{ "deny bpf when scope != sandbox", "bpf/host any" },
	{ "deny bpf when scope in [sandbox, host]", "bpf any" },
	{ "deny bpf when cmd == 1 and scope == sandbox", "bpf/sandbox a0==0x1" },
	{ "deny bpf when cmd == 1 or scope == sandbox",
	  "bpf/sandbox any; bpf/host a0==0x1" },
	{ "deny bpf when not (scope == sandbox and cmd == 1)",
	  "bpf/sandbox !(a0==0x1); bpf/host any" },
};

static void test_system_calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(calls); i++) {
		struct fx f;
		char text[200];

		snprintf(text, sizeof(text), "syscall { %s }", calls[i].rule);
		fx_run_text(&f, text);
		assert_string_equal(show_calls(&f), calls[i].want);
		fx_release(&f);
	}
}

static void test_errnos(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "syscall { deny bpf  deny ptrace with ENOSYS  allow mount }");
	assert_int_equal(fx_rule(&f, 0)->err, 1);
	assert_int_equal(fx_rule(&f, 1)->err, 38);
	assert_int_equal(fx_rule(&f, 2)->err, 0);
	fx_release(&f);
}

/* What every mode denies, and what `disabled` and `limited` deny beside it. */
#define OTHER_FAMILIES                                                        \
	"socket !(((a0==0x1 | (a0==0x2 | a0==0xa)) | (a0==0x10 & a2==0))); "  \
	"socketpair !(a0==0x1)"
#define OTHER_PROTOCOLS                                                       \
	"socket ((a0==0x2 | a0==0xa) & (a1/0xf==0x3 | a1/0xf==0xa)); "        \
	"socket ((a0==0x2 | a0==0xa) & !(((a1/0xf==0x3 | a1/0xf==0xa) | "     \
	"((a1/0xf==0x1 & (a2==0 | a2==0x6)) | (a1/0xf==0x2 & (a2==0 | a2==0x11))))))"

static void test_the_mode_leaves_four_families(void **state)
{
	static const struct {
		const char *mode, *calls;
	} rows[] = {
		{ "disabled", OTHER_FAMILIES "; " OTHER_PROTOCOLS },
		{ "limited", OTHER_FAMILIES "; " OTHER_PROTOCOLS },
		{ "full", OTHER_FAMILIES },
	};
	static const uint16_t errs[] = { EAFNOSUPPORT, EAFNOSUPPORT, EPERM, EPROTONOSUPPORT };

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct fx f;
		char text[64];
		uint32_t n;

		snprintf(text, sizeof(text), "command { deny \"x\" }\nnetwork %s\n",
			 rows[i].mode);
		fx_run_text(&f, text);
		assert_string_equal(show_calls(&f), rows[i].calls);
		n = (uint32_t)fx_count(&f, IR_SYSCALL, IR_DENY);
		for (uint32_t k = 0; k < n; k++) {
			const struct ir_rule *r = fx_rule(&f, 1 + k);

			assert_true(str_eqz(r->id, "network-mode"));
			assert_int_equal(r->at.line, 2);
			assert_int_equal(r->err, errs[k]);
		}
		fx_release(&f);
	}
}

/* Rules of a long statement show its beginning; its id is of the whole. */
static void test_a_long_statement_is_shown_short(void **state)
{
	enum { PATHS = 200 };
	char text[2][PATHS * 24 + 64];
	struct fx f;

	(void)state;
	for (int t = 0; t < 2; t++) {
		size_t n = (size_t)snprintf(text[t], sizeof(text[t]),
					    "file { allow read ");

		for (int i = 0; i < PATHS; i++)
			n += (size_t)snprintf(text[t] + n, sizeof(text[t]) - n,
					      "\"/opt/\xc3\xa4/%03d\", ", i);
		snprintf(text[t] + n, sizeof(text[t]) - n, "\"/last%d\" }", t);
	}
	fx_init(&f);
	fx_add(&f, "a.pol", text[0], IR_MANAGED, false);
	fx_add(&f, "b.pol", text[1], IR_PROJECT, false);
	if (!fx_run(&f))
		fx_show(&f);
	assert_non_null(f.ir);
	for (size_t i = 0; i < f.ir->rules.n; i++) {
		const struct ir_rule *r = f.ir->rules.v[i];

		assert_true(r->text.n <= 1004);
		if (r->kind == IR_FILE)
			assert_true(str_ends(r->text, STR(" \xe2\x80\xa6")));
		/* never cut inside of a character */
		for (size_t k = 0; k < r->text.n; k++)
			if ((unsigned char)r->text.p[k] == 0xc3)
				assert_int_equal((unsigned char)r->text.p[k + 1], 0xa4);
	}
	assert_false(str_eq(fx_rule(&f, 0)->id,
			    f.ir->rules.v[PATHS + 2]->id));
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_long_statement_is_shown_short),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_exceptions_match_as_the_other_side),
		cmocka_unit_test(test_operations_and_scratch),
		cmocka_unit_test(test_command_patterns),
		cmocka_unit_test(test_quotes_in_a_pattern_are_a_warning),
		cmocka_unit_test(test_hosts_times_ports),
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_system_calls),
		cmocka_unit_test(test_errnos),
		cmocka_unit_test(test_the_mode_leaves_four_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
