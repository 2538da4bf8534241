/* Chooses who answers a question about a connection, and keeps the answers of this run.
 * If nobody can answer, the answer is no. */
#include "runtime/approvals/ask_net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/approvals/approval_key.h"
#include "runtime/approvals/ask_confine.h"
#include "runtime/approvals/ask_socket.h"
#include "runtime/approvals/dialog.h"
#include "runtime/approvals/look.h"
#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"
#include "runtime/state/state_dir.h"

enum { KEPT_MAX = 1024, END_MS = 3000 };

/* An answer of this run. */
struct kept {
	char key[APPROVALS_KEY + 1];
	bool yes;
};

struct asker {
	struct ask_net in;
	int sock, look; /* to polrun, and to the process that looks at the run's */
	pid_t polruns; /* polrun's process group */
	char session[APPROVAL_SESSION]; /* "": no session */
	struct kept kept[KEPT_MAX];
	size_t n;
	bool told; /* why nobody could be asked at the socket */
};

/* One question, as it is shown. */
struct shown {
	const struct asker *a;
	const struct gate_record *r;
	char to[400], program[300];
};

/* --- the question's text --------------------------------------------------------------- */

static void write_target(const struct gate_record *r, char *out, size_t cap)
{
	char addr[HOST_TEXT], host[300];
	bool v4 = host_text(r->addr, addr);

	io_escape(host, sizeof(host), r->name, strlen(r->name));
	if (!host[0])
		(void)snprintf(host, sizeof(host), v4 ? "%s" : "[%s]", addr);
	(void)snprintf(out, cap, "%s %s:%u", r->udp ? "udp" : "tcp", host, r->port);
}

static bool show_question(struct ask_out *out, const void *arg)
{
	const struct shown *s = arg;
	const struct bundle *b = s->a->in.ctx->b;
	char rule[EXPLAIN_RULE_CAP], text[1000];

	ask_put(out, "\npolrun: the policy asks before this connection is made\n");
	ask_putf(out, "  to       %s\n", s->to);
	ask_put_field(out, "program", s->program[0] ? s->program : "not known");
	ask_putf(out, "  by       %s\n", explain_rule(b, s->r->rule, rule));
	if (explain_rule_reason(b, s->r->rule, text, sizeof(text)))
		ask_putf(out, "  reason   %s\n", text);
	return true;
}

static void show_details(struct ask_out *out, const void *arg)
{
	const struct shown *s = arg;
	const struct asker *a = s->a;

	ask_putf(out, "  to       %s\n", s->to);
	ask_put_field(out, "program", s->program[0] ? s->program : "not known");
	ask_put_rule(out, a->in.ctx->b, s->r->rule);
	ask_putf(out, "  bundle   %s\n", a->in.ctx->b->digest);
	ask_put(out, "  once     holds for this host and port until the run ends\n");
	if (a->session[0])
		ask_putf(out, "  session  %s: remembered would be this host and port, for this rule, "
			 "under this bundle\n", a->session);
}

/* --- answers ---------------------------------------------------------------------------- */

static void add(crypto_generichash_state *h, const void *p, size_t n)
{
	uint64_t len = n;

	(void)crypto_generichash_update(h, (const unsigned char *)&len, sizeof(len));
	(void)crypto_generichash_update(h, p, n);
}

/* Two questions are the same if host, port, rule, bundle and session are: an answer covers
 * what was shown, and no other service of the host. */
static void make_key(const struct asker *a, const struct gate_record *r,
		     char ret[APPROVALS_KEY + 1])
{
	const struct bundle *b = a->in.ctx->b;
	const struct pb_rule *rule = bundle_rule(b, r->rule);
	unsigned char out[APPROVALS_KEY / 2];
	crypto_generichash_state h;

	(void)crypto_generichash_init(&h, NULL, 0, sizeof(out));
	add(&h, "pol-approval-net-2", 18);
	add(&h, b->digest, strlen(b->digest));
	add(&h, a->session, strlen(a->session));
	add(&h, rule ? pb_strp(b->rules, rule->id) : "", rule ? rule->id.len : 0);
	add(&h, &r->udp, 1);
	add(&h, &r->port, sizeof(r->port));
	add(&h, r->name, strlen(r->name));
	/* a name is asked for whatever its address is */
	add(&h, r->addr, r->name[0] ? 0 : sizeof(r->addr));
	(void)crypto_generichash_final(&h, out, sizeof(out));
	(void)sodium_bin2hex(ret, APPROVALS_KEY + 1, out, sizeof(out));
}

static const struct kept *find_kept(const struct asker *a, const char *key)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->kept[i].key, key) == 0)
			return &a->kept[i];
	return NULL;
}

static void keep(struct asker *a, const char *key, bool yes)
{
	if (a->n == KEPT_MAX)
		return; /* it is asked again */
	memcpy(a->kept[a->n].key, key, sizeof(a->kept[a->n].key));
	a->kept[a->n++].yes = yes;
}

static bool is_remembered(const struct asker *a, const char *key)
{
	struct approvals store = { .dirfd = -1, .lock = -1 };
	struct rt_err err = { 0 };
	bool yes = a->session[0] && approvals_open(a->in.dir, &store, &err) == 0 &&
		   approvals_load(&store, &err) == 0 &&
		   approvals_has(&store, key, a->session, time(NULL));

	approvals_release(&store);
	return yes;
}

static void remember(struct asker *a, struct approvals *store, const struct shown *s,
		     const char *key)
{
	struct approval p;
	struct rt_err err = { 0 };
	char line[sizeof(err.text) * 4];

	approval_make(a->in.ctx->b, s->r->rule, key, a->session, &p);
	(void)snprintf(p.what, sizeof(p.what), "%s", s->to);
	if (approvals_add(store, &p, &err) == 0)
		return;
	io_plain(line, sizeof(line), err.text);
	fprintf(stderr, "polrun: the answer counts for this run, it cannot be remembered: %s\n",
		line);
}

/* --- the terminal ----------------------------------------------------------------------- */

/* The group in the terminal's foreground, or -1 if the terminal belongs to neither polrun nor its
 * run. */
static pid_t foreground_of(const struct asker *a, int tty, pid_t init)
{
	pid_t is = tcgetpgrp(tty);

	return is > 0 && (is == a->polruns || look_owns_group(a->look, init, is)) ? is : -1;
}

/* The run's group may have ended while the user was asked; without a foreground group the
 * caller's script could not read its terminal any more. */
static void give_foreground(const struct asker *a, int tty, pid_t to)
{
	if (tcsetpgrp(tty, to) != 0)
		(void)tcsetpgrp(tty, a->polruns);
}

static enum dialog_answer ask_at(struct asker *a, struct approvals *store, const struct shown *s,
				 struct tty *t, bool *ret_redraw)
{
	const bool person = bundle_rule(a->in.ctx->b, s->r->rule) &&
			    (bundle_rule(a->in.ctx->b, s->r->rule)->flags & PB_F_ANSWER);
	const struct dialog d = { show_question, show_details, s, a->session[0] && !person };
	struct screen screen;
	enum dialog_answer is;
	struct rt_err err = { 0 };

	if (approvals_lock_terminal(store, t->device ? t->device : 1, tty_interrupted, &err) < 0 ||
	    tty_begin(t, &err) < 0)
		return DIALOG_NO;
	screen_open(&screen, t, true);
	is = dialog_ask(&screen, &d);
	screen_close(&screen);
	*ret_redraw = screen.redraw;
	return is;
}

/* With the run stopped and the terminal ours. */
static enum dialog_answer ask_now(struct asker *a, const struct shown *s, struct approvals *store,
				  bool *ret_redraw)
{
	struct tty t = { .fd = -1 };
	struct rt_err err = { 0 };
	enum dialog_answer is = DIALOG_NO;

	if (tty_open(&t, &err) < 0)
		return DIALOG_NO;
	t.keeps_on = true;
	t.hangup = a->sock;
	t.until_ms = sys_now_ms() + a->in.hold_ms;
	if (state_dir_make(a->in.dir, &err) == 0 && approvals_open(a->in.dir, store, &err) == 0)
		is = ask_at(a, store, s, &t, ret_redraw);
	tty_close(&t);
	if (is != DIALOG_NO && !look_stands(a->look)) {
		fprintf(stderr, "polrun: the answer does not count: a program of the run went on while "
			"the question was shown\n");
		is = DIALOG_NO;
	}
	return is;
}

/* True if the run's pid 1 is gone: then no program waits for the answer. */
static bool has_ended(pid_t init)
{
	char path[64];
	AUTO_CLOSE int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)init);
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	return fd < 0 && errno == ENOENT;
}

/* Asks the person while the run stands still.  It is stopped first: a program that reads the
 * terminal in the background would be stopped by the kernel, and never continued. */
static bool at_terminal(struct asker *a, pid_t init, struct shown *s, const char *key)
{
	AUTO_CLOSE int front = sys_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0);
	struct approvals store = { .dirfd = -1, .lock = -1 };
	pid_t was = front < 0 ? -1 : foreground_of(a, front, init);
	enum dialog_answer is = DIALOG_NO;
	bool redraw = false;

	if (was < 0)
		return false;
	if (!look_stop(a->look, init)) {
		if (!has_ended(init))
			fprintf(stderr, "polrun: nobody is asked: the programs of the run did not stop\n");
		return false;
	}
	if (tcgetpgrp(front) == was && tcsetpgrp(front, getpgrp()) == 0) {
		is = ask_now(a, s, &store, &redraw);
		give_foreground(a, front, was);
	}
	/* polrun ends the run when this process ends */
	if (!look_go_on(a->look))
		_exit(125);
	if (redraw)
		tty_redraw(front);
	if (is == DIALOG_SESSION)
		remember(a, &store, s, key);
	approvals_release(&store);
	return is != DIALOG_NO;
}

/* --- the socket ------------------------------------------------------------------------- */

/* Once a run: the next questions fail in the same way. */
static void say_why_not(struct asker *a, const struct rt_err *err)
{
	char line[sizeof(err->text) * 4];

	if (!err->err || a->told)
		return;
	a->told = true;
	io_plain(line, sizeof(line), err->text);
	fprintf(stderr, "polrun: --ask-socket: %s: the answer is no\n", line);
}

static void remember_here(struct asker *a, const struct shown *s, const char *key)
{
	struct approvals store = { .dirfd = -1, .lock = -1 };
	struct rt_err err = { 0 };

	if (a->session[0] && state_dir_make(a->in.dir, &err) == 0 &&
	    approvals_open(a->in.dir, &store, &err) == 0)
		remember(a, &store, s, key);
	approvals_release(&store);
}

static bool at_socket(struct asker *a, const struct shown *s, const char *key)
{
	const struct gate_record *r = s->r;
	char addr[HOST_TEXT];
	struct ask_socket_question q = {
		.b = a->in.ctx->b, .rule = r->rule, .udp = r->udp, .host = r->name,
		.port = r->port, .program = s->program, .hold_ms = a->in.hold_ms,
	};
	enum ask_socket_answer is;
	struct rt_err err = { 0 };

	if (!r->name[0]) {
		(void)host_text(r->addr, addr);
		q.host = addr;
	}
	is = ask_socket(a->in.socket, &q, a->sock, sys_now_ms() + a->in.hold_ms, &err);
	say_why_not(a, &err);
	if (is == ASK_SOCKET_SESSION)
		remember_here(a, s, key);
	return is != ASK_SOCKET_NO;
}

/* --- the process ------------------------------------------------------------------------ */

/* A program may speak for the person, except where only a person may answer. */
static bool ask_person(struct asker *a, pid_t init, struct shown *s, const char *key, bool person)
{
	look_caller(a->look, init, s->r->source, s->r->port, s->program, sizeof(s->program));
	return a->in.socket && !person ? at_socket(a, s, key) : at_terminal(a, init, s, key);
}

static bool settle(struct asker *a, const struct gate_question *q)
{
	struct shown s = { .a = a, .r = &q->record };
	const struct pb_rule *rule = bundle_rule(a->in.ctx->b, q->record.rule);
	const bool person = !rule || (rule->flags & PB_F_ANSWER);
	const enum pb_effect mode = entry_ask_answer(a->in.ctx);
	const struct kept *old;
	char key[APPROVALS_KEY + 1];
	bool yes;

	make_key(a, &q->record, key);
	old = find_kept(a, key);
	if (old)
		return old->yes;
	write_target(&q->record, s.to, sizeof(s.to));
	if (mode == PB_DENY)
		yes = false;
	else if (!person && (a->in.yes || mode == PB_ALLOW || is_remembered(a, key)))
		yes = true;
	else if (a->in.mode != ASK_TTY)
		yes = false;
	else
		yes = ask_person(a, q->init_pid, &s, key, person);
	keep(a, key, yes);
	return yes;
}

static void __attribute__((noreturn)) serve(struct asker *a)
{
	struct gate_question q;

	for (;;) {
		struct pollfd p = { a->sock, POLLIN, 0 };
		struct gate_message answer = { .type = GATE_ANSWER };
		ssize_t n;

		if (poll(&p, 1, -1) < 0 && errno == EINTR)
			continue;
		n = SYS_RETRY(recv(a->sock, &q, sizeof(q), 0));
		if (n != (ssize_t)sizeof(q))
			_exit(0);
		q.record.name[sizeof(q.record.name) - 1] = '\0';
		answer.id = q.record.id;
		answer.value = settle(a, &q) ? GATE_YES : GATE_NO;
		if (SYS_RETRY(send(a->sock, &answer, sizeof(answer), MSG_NOSIGNAL)) < 0)
			_exit(0);
	}
}

/* Closes what polrun holds: the command's streams too, whose readers wait for the last
 * writer.  stderr stays, for a warning. */
static bool let_go(int sock)
{
	int null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

	return null >= 0 && SYS_RETRY(dup2(null, 0)) >= 0 && SYS_RETRY(dup2(null, 1)) >= 0 &&
	       (sock <= 3 || sys_close_range(3, (unsigned)sock - 1, 0) >= 0) &&
	       sys_close_range((unsigned)sock + 1, ~0u, 0) >= 0;
}

static void __attribute__((noreturn)) become_asker(const struct ask_net *in, int sock)
{
	static struct asker a;
	struct rt_err err = { 0 };
	sigset_t ttou;

	a.in = *in;
	a.sock = sock;
	a.polruns = getpgrp();
	if (!approval_session(in->session, a.session))
		a.session[0] = '\0';
	/* a group of its own, so that ^C at a question reaches nothing else */
	(void)sigemptyset(&ttou);
	(void)sigaddset(&ttou, SIGTTOU);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 || setpgid(0, 0) < 0 ||
	    sigprocmask(SIG_SETMASK, &ttou, NULL) < 0 || !let_go(sock))
		_exit(125);
	a.look = -1;
	if (in->mode == ASK_TTY) {
		a.look = look_start(sock);
		/* behind the walls no folder can be made; if it cannot be made now, nobody is asked */
		(void)state_dir_make(in->dir, &err);
	}
	if (ask_confine(in->dir, in->mode == ASK_TTY && in->socket, &err) < 0)
		_exit(125);
	serve(&a);
}

int ask_net_start(const struct ask_net *in, pid_t *ret_pid, struct rt_err *err)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "a socket for questions");
	pid = fork();
	if (pid == 0) {
		(void)close(pair[0]);
		become_asker(in, pair[1]);
	}
	(void)close(pair[1]);
	if (pid < 0 || fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0) {
		int e = errno;

		(void)close(pair[0]);
		return rt_fail_errno(err, e, "a process for questions");
	}
	*ret_pid = pid;
	return pair[0];
}

void ask_net_end(int sock, pid_t pid)
{
	if (sock >= 0)
		(void)close(sock);
	if (pid > 0)
		sys_end_child(pid, END_MS);
}
