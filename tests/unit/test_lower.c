/* From statements to the IR: patterns, conditions, values, tests. */
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

static void run_text(struct fx *f, const char *text)
{
	fx_init(f);
	fx_add(f, "p.pol", text, IR_PROJECT, false);
	if (!fx_run(f)) {
		fx_show(f);
		fail_msg("an error in: %s", text);
	}
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
};

static void test_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(paths); i++) {
		struct fx f;
		char text[200];

		snprintf(text, sizeof(text), "file { %s }", paths[i].rule);
		run_text(&f, text);
		assert_string_equal(show_path(&f, &fx_rule(&f, 0)->set.u.file.path),
				    paths[i].want);
		fx_release(&f);
	}
}

static void test_exceptions_match_as_the_other_side(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "file { deny write \"/a\" except \"x*\"  allow read \"/a\" except \"x*\" }\n"
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
	run_text(&f, "file { deny \"/a\"  hide \"/b\"  allow read, exec \"/c\", \"/d\"\n"
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
		run_text(&f, text);
		assert_string_equal(show_command(&f, &fx_rule(&f, 0)->set.u.command),
				    commands[i].want);
		fx_release(&f);
	}
}

static void test_quotes_in_a_pattern_are_a_warning(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "command { deny \"git commit -m 'x'\" }");
	assert_true(fx_said(&f, "P0211", "match themselves"));
	fx_release(&f);
	run_text(&f, "command { deny \"git commit -m \\\\'x\" }");
	assert_false(fx_said(&f, "P0211", "match themselves"));
	fx_release(&f);
}

/* --- network and sockets --------------------------------------------------- */

static void test_hosts_times_ports(void **state)
{
	const struct ir_net *n;
	struct fx f;

	(void)state;
	run_text(&f, "network limited { allow tcp \"GitHub.com.\", \"*.npmjs.com\" "
		 "port 22, 80-443\n allow udp 10.0.0.0/8\n deny any\n"
		 "allow \"db.x\" port 5 within 10.0.0.0/8\n"
		 "deny 10.0.0.0/8 except 10.1.0.0/16\n"
		 "allow tcp \"1.2.3.4\" port 1 }");
	assert_int_equal(fx_count(&f, IR_NET, IR_ALLOW), 7);
	n = &fx_rule(&f, 1)->set.u.net; /* the family rule is the first */
	assert_int_equal(n->host, IR_HOST_NAME);
	assert_true(str_eqz(n->name, "github.com"));
	assert_int_equal(n->port_lo, 22);
	n = &fx_rule(&f, 4)->set.u.net;
	assert_int_equal(n->host, IR_HOST_BELOW);
	assert_true(str_eqz(n->name, "npmjs.com"));
	assert_int_equal(n->port_lo, 80);
	assert_int_equal(n->port_hi, 443);
	n = &fx_rule(&f, 5)->set.u.net;
	assert_int_equal(n->protos, IR_UDP);
	assert_int_equal(n->cidr.bits, 104);
	assert_int_equal(n->port_lo, 0);
	assert_int_equal(n->port_hi, 65535);
	n = &fx_rule(&f, 6)->set.u.net;
	assert_int_equal(n->protos, IR_ANY_PROTO);
	assert_int_equal(n->host, IR_HOST_ANY);
	assert_int_equal(fx_rule(&f, 7)->set.u.net.nwithin, 1);
	assert_int_equal(fx_rule(&f, 8)->nexcept, 1);
	assert_int_equal(fx_rule(&f, 9)->set.u.net.host, IR_HOST_CIDR);
	fx_release(&f);
}

static void test_sockets(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "unix { deny \"/run/docker.sock\", \"@a/b*\", \"ssh.sock\"\n"
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
		run_text(&f, text);
		assert_string_equal(show_calls(&f), calls[i].want);
		fx_release(&f);
	}
}

static void test_errnos(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "syscall { deny bpf  deny ptrace with ENOSYS  allow mount }");
	assert_int_equal(fx_rule(&f, 0)->err, 1);
	assert_int_equal(fx_rule(&f, 1)->err, 38);
	assert_int_equal(fx_rule(&f, 2)->err, 0);
	fx_release(&f);
}

static void test_the_mode_leaves_four_families(void **state)
{
	static const struct {
		const char *mode;
		bool rule;
	} rows[] = { { "disabled", true }, { "limited", true }, { "full", false } };

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct fx f;
		char text[64];

		snprintf(text, sizeof(text), "command { deny \"x\" }\nnetwork %s\n",
			 rows[i].mode);
		run_text(&f, text);
		if (rows[i].rule) {
			const struct ir_rule *r = fx_rule(&f, 1);

			assert_true(str_eqz(r->id, "network-mode"));
			assert_int_equal(r->at.line, 2);
			assert_int_equal(r->err, 97);
			assert_string_equal(show_calls(&f), "socket !((((a0==0x1 | a0==0x2)"
					    " | a0==0xa) | (a0==0x10 & a2==0)))");
		}
		assert_int_equal(fx_count(&f, IR_SYSCALL, IR_DENY), rows[i].rule);
		fx_release(&f);
	}
}

/* --- values and faults ----------------------------------------------------- */

static const struct {
	const char *text, *code, *say;
} faults[] = {
	{ "file { deny read \"/a/../b\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/./b\" }", "P0203", "'.'" },
	{ "file { deny read \"/a//b\" }", "P0203", "'//'" },
	{ "file { deny read \"..\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/{b,..}/c\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/{b,}/c\" }", "P0203", "empty name" },
	{ "file { deny read \"/a/.{,git}\" }", "P0203", "'.'" },
	{ "file { deny read \"\" }", "P0203", "no path" },
	{ "file { deny read \"~bob/x\" }", "P0203", "another user's home" },
	{ "file { deny read \"${HOME}x\" }", "P0203", "no whole name" },
	{ "file { deny read \"/x/${HOME}\" }", "P0104", "only begin a path" },
	{ "file { deny read \"/{a\" }", "P0203", "without its '}'" },
	{ "file { deny read \"/a}\" }", "P0203", "without its '{'" },
	{ "file { deny read \"/a\\\\\" }", "P0203", "backslash at the end" },
	{ "file { deny read \"/{**,a}/b\" }", "P0203", "inside of braces" },
	{ "file { deny read \"/a***b\" }", "P0203", "more than two" },
	{ "file { scratch \"/a*\" }", "P0203", "names none" },
	{ "command { deny \"\" }", "P0202", "no words" },
	{ "command { deny \":*\" }", "P0202", "no words" },
	{ "command { deny \"a :*\" }", "P0202", "without its word" },
	{ "command { deny \"a**b\" }", "P0202", "inside of a word" },
	{ "command { deny \"{a b|c}\" }", "P0202", "a blank inside of braces" },
	{ "command { deny \"** rm\" }", "P0202", "for the program" },
	{ "command { deny \"rm **:*\" }", "P0202", "behind '**'" },
	{ "command { deny \"rm ${HOME}\" }", "P0104", "no value in a command" },
	{ "command { risk hgh \"x\" }", "P0205", "no class of risk" },
	{ "command { otherwise by risk { low allow medium ask high deny } }", "P0209",
	  "'critical' is missing" },
	{ "command { otherwise by risk { low ask medium allow high deny critical deny } }",
	  "P0209", "milder" },
	{ "command { otherwise by risk { low ask low ask medium ask high deny "
	  "critical deny } }", "P0209", "twice" },
	{ "command { program a { skip 1 } }", "P0207", "'skip' does not belong" },
	{ "command { wrapper a { tranparent } }", "P0125", "did you mean 'transparent'?" },
	{ "network limted", "P0205", "did you mean 'limited'?" },
	{ "network limited { allow tcp \"a..b\" }", "P0204", "1 to 63" },
	{ "network limited { allow tcp \"a*.b\" }", "P0204", "'*' inside" },
	{ "network limited { allow tcp \"a b\" }", "P0204", "no host name" },
	{ "network limited { allow tcp \"a.12\" }", "P0204", "ends in a number" },
	{ "network limited { allow tcp 10.0.0.1/8 }", "P0204", "bits set behind" },
	{ "network limited { allow tcp \"a\" port 0 }", "P0204", "from 1 to 65535" },
	{ "network limited { allow tcp \"a\" port 70000 }", "P0204", "from 1 to 65535" },
	{ "network limited { allow tcp 10.0.0.0/8 within 10.0.0.0/8 }", "P0204", "'within'" },
	{ "network limited { deny tcp \"a\" within 10.0.0.0/8 }", "P0207", "'within'" },
	{ "syscall { deny ptrce }", "P0120", "did you mean 'ptrace'?" },
	{ "syscall { deny socket(AF_INTE) }", "P0122", "did you mean 'AF_INET'?" },
	{ "syscall { deny socket(*, *, *, *) }", "P0121", "has 3 arguments" },
	{ "syscall { deny socket(protocol) }", "P0206", "another argument" },
	{ "syscall { deny bpf with EPRM }", "P0123", "did you mean 'EPERM'?" },
	{ "syscall { deny clone when flag & 1 }", "P0122", "did you mean 'flags'?" },
	{ "syscall { deny clone when flags }", "P0206", "no condition" },
	{ "syscall { deny socket when domain == type }", "P0206", "two arguments" },
	{ "syscall { deny socket(0x100000000) }", "P0206", "32 bits" },
	{ "syscall { deny kill when pid < -1 }", "P0206", "without a sign" },
	{ "syscall { deny clone when flags & 4 == 3 }", "P0206", "outside of the mask" },
	{ "syscall { deny clone when flags & 0 }", "P0206", "no bit" },
	{ "syscall { deny bpf when scope == sandbox and scope == host }", "P0206",
	  "never holds" },
	{ "command { deny \"x\" when scope == moon }", "P0206", "'sandbox' or 'host'" },
	{ "command { deny \"x\" when flags & 1 }", "P0122", "no meaning" },
	{ "limits { time 60 }", "P0205", "a duration has a unit" },
	{ "limits { memory 60s }", "P0205", "'60s'" },
	{ "limits { time 0s }", "P0205", "nothing could run" },
	{ "limits { tme 60s }", "P0125", "did you mean 'time'?" },
	{ "limits { time += 60s }", "P0205", "adds to a list" },
	{ "env { keep \"A=B\" }", "P0205", "no name of a variable" },
	{ "env { set A.B = \"x\" }", "P0205", "no name of a variable" },
	{ "test \"t\" { net tcp \"a\" port 1-9 => deny }", "P0210", "one port" },
	{ "test \"t\" { file read \"/x/../y\" => deny }", "P0210", "'..'" },
	{ "test \"t\" { net tcp \"a\" => deny }", "P0210", "one port" },
	{ "test \"t\" { syscall socket(*) => deny }", "P0210", "one value" },
	{ "test \"t\" { syscall sockt => deny }", "P0120", "did you mean 'socket'?" },
	{ "test \"t\" { command \"x\" => deny by nope }", "P0124", "no rule is named" },
	{ "test \"t\" { command \"ls ${HOME}\" => deny }", "P0104", "no value" },
};

static void test_every_fault_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(faults); i++)
		fx_expect(faults[i].text, IR_PROJECT, false, faults[i].code,
			  faults[i].say);
}

static void test_limits_have_their_units(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "limits { cpu 2.5 memory 4G processes 100 time 2m file-size 512 }");
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_CPU].num, 2500);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_MEMORY].num, (uint64_t)4 << 30);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_PROCESSES].num, 100);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_TIME].num, 120000);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_FILE_SIZE].num, 512);
	assert_false(f.ir->scalars[IR_S_LIMIT_DISK].set);
	assert_true(str_eqz(f.ir->scalars[IR_S_LIMIT_TIME].id, "limits-time"));
	fx_release(&f);
}

static void test_in_language_tests_are_requests(void **state)
{
	const struct ir_test_case *c;
	struct fx f;

	(void)state;
	run_text(&f, "command { deny \"x\" as no-x }\n"
		 "test \"t\" when scope == host {\n"
		 "command \"x 'a b'\" => deny by no-x\n"
		 "command \"x $HOME\" => ask\n"
		 "argv \"x\", \"a b\" => deny\n"
		 "file write \"${PROJECT_DIR}/a\" => deny\n"
		 "file read \"src/a\" => deny\n"
		 "net udp 10.0.0.1 port 53 => deny\n"
		 "unix \"@abc\" => deny\n"
		 "syscall socket(AF_INET|0, -1) => allow\n"
		 "tool web => ask }");
	assert_int_equal(f.ir->tests.n, 1);
	assert_int_equal(f.ir->tests.v[0].scopes, IR_HOST);
	assert_int_equal(f.ir->tests.v[0].ncases, 9);
	c = f.ir->tests.v[0].cases;
	assert_int_equal(c[0].request.nargv, 2);
	assert_true(str_eqz(c[0].request.argv[1], "a b"));
	assert_true(str_eqz(c[0].by, "no-x"));
	assert_true(c[1].request.unparsed);
	assert_int_equal(c[2].request.nargv, 2);
	assert_true(str_eqz(c[3].request.path, "${PROJECT_DIR}/a"));
	assert_true(str_eqz(c[4].request.path, "${PROJECT_DIR}/src/a"));
	assert_true(c[5].request.is_addr);
	assert_int_equal(c[5].request.proto, IR_UDP);
	assert_true(c[6].request.abstract);
	assert_true(str_eqz(c[6].request.path, "abc"));
	assert_int_equal(c[7].request.nr, 41);
	assert_int_equal(c[7].request.args[0], 2);
	assert_int_equal(c[7].request.args[1], UINT64_MAX);
	assert_int_equal(c[8].request.kind, IR_TOOL);
	fx_release(&f);
}

static void test_a_rule_without_a_network_is_a_warning(void **state)
{
	struct fx f;

	(void)state;
	run_text(&f, "network { allow tcp \"a.example\" port 443 }");
	assert_true(fx_said(&f, "P0320", "the network is disabled"));
	fx_release(&f);
}

/* The library that is shipped: it lowers, and says nothing. */
static void test_the_standard_library_is_clean(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	f.s.stdlib_dir = POL_STDLIB_DIR;
	f.in[f.nin++] = (struct sema_input){ .path = POL_STDLIB_DIR "/base.pol" };
	if (!fx_run(&f) || f.sink.list.n)
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.sink.list.n, 0);
	assert_true(f.ir->rules.n > 100);
	assert_true(f.ir->tests.n >= 4);
	assert_true(VEC_LAST(&f.ir->rules)[0]->floor);
	fx_release(&f);
	fx_init(&f);
	f.s.stdlib_dir = POL_STDLIB_DIR;
	fx_add(&f, "p.pol", "use std/dev/git, std/dev/c, std/dev/node, std/dev/python\n",
	       IR_USER, false);
	if (!fx_run(&f) || f.sink.list.n)
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.sink.list.n, 0);
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		cmocka_unit_test(test_every_fault_has_its_message),
		cmocka_unit_test(test_limits_have_their_units),
		cmocka_unit_test(test_in_language_tests_are_requests),
		cmocka_unit_test(test_a_rule_without_a_network_is_a_warning),
		cmocka_unit_test(test_the_standard_library_is_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
