/* Decides which server may answer a question about a connection, and which text is a yes. */
#include "runtime/approvals/ask_socket.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"

enum { TRY_AGAIN_MS = 20, ANSWER_CAP = 64 };

/* polquery writes these bytes (runtime/polquery/query_questions.c). */
static const char said_run[] = "{\"effect\":\"allow\",\"for\":\"run\"}\n";
static const char said_session[] = "{\"effect\":\"allow\",\"for\":\"session\"}\n";
static const char said_deny[] = "{\"effect\":\"deny\"}\n";

/* --- the question ---------------------------------------------------------------------- */

static void put_rule(struct json *j, const struct bundle *b, uint32_t number)
{
	const struct pb_rule *r = bundle_rule(b, number);
	char id[256], file[1024], text[1024];

	explain_rule_id(b, number, id, sizeof(id));
	json_object(j, "rule");
	json_cstr(j, "id", id);
	json_cstr(j, "level", explain_level(r ? r->level : 0));
	if (r && r->line) {
		io_escape(file, sizeof(file), pb_strp(b->rules, r->file), r->file.len);
		json_cstr(j, "file", file);
		json_uint(j, "line", r->line);
	} else { /* nobody said it: the built-in value */
		json_null(j, "file");
		json_null(j, "line");
	}
	json_cstr(j, "text", explain_rule_text(b, number, text, sizeof(text)) ? text : NULL);
	json_object_end(j);
}

size_t ask_socket_line(const struct ask_socket_question *q, char *buf, size_t cap)
{
	char host[300], program[600], reason[1024];
	struct json j;
	size_t n = 0;

	json_init_fixed(&j, buf, cap);
	j.layout = JSON_TIGHT;
	io_escape(host, sizeof(host), q->host, strlen(q->host));
	io_escape(program, sizeof(program), q->program, strlen(q->program));
	json_object(&j, NULL);
	json_object(&j, "question");
	json_cstr(&j, "kind", "net");
	json_cstr(&j, "proto", q->udp ? "udp" : "tcp");
	json_cstr(&j, "host", host);
	json_uint(&j, "port", q->port);
	json_cstr(&j, "program", program[0] ? program : NULL);
	put_rule(&j, q->b, q->rule);
	json_cstr(&j, "reason",
		  explain_rule_reason(q->b, q->rule, reason, sizeof(reason)) ? reason : NULL);
	json_uint(&j, "hold_ms", q->hold_ms);
	json_object_end(&j);
	json_object_end(&j);
	return json_finish(&j, &n) ? n : 0;
}

/* --- the connection --------------------------------------------------------------------- */

/* Waits for the events.  False: it is too late, or the run has ended. */
static bool wait_for(int fd, short events, int hangup, int64_t until_ms)
{
	for (;;) {
		struct pollfd p[] = { { fd, events, 0 }, { hangup, 0, 0 } };
		int64_t left = until_ms - sys_now_ms();
		int n;

		if (left <= 0)
			return false;
		n = poll(p, 2, left < INT32_MAX ? (int)left : INT32_MAX);
		if ((n < 0 && errno != EINTR) || (n > 0 && p[1].revents))
			return false;
		if (n > 0 && p[0].revents)
			return true;
	}
}

/* Only polquery of the same user, or of root, speaks for the person. */
static int check_server(int fd, struct rt_err *err)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t n = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
		return rt_fail_errno(err, errno, "its server");
	return peer.uid == 0 || peer.uid == geteuid() ?
		       0 : rt_fail(err, EPERM, "its server is another user's");
}

/* A connected socket, or -errno. */
static int connect_to(const char *path, int hangup, int64_t until_ms, struct rt_err *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return rt_fail_errno(err, errno, "a socket");
	if (strlen(path) >= sizeof(to.sun_path))
		return rt_fail(err, ENAMETOOLONG, "the path is longer than 107 bytes");
	memcpy(to.sun_path, path, strlen(path));
	while (SYS_RETRY(connect(fd, (const struct sockaddr *)&to, sizeof(to))) < 0) {
		struct pollfd p = { hangup, 0, 0 };

		if (errno != EAGAIN)
			return rt_fail_errno(err, errno, "connecting to it");
		/* many wait at its door, and nothing says when there is room */
		if (sys_now_ms() >= until_ms || poll(&p, 1, TRY_AGAIN_MS) > 0)
			return rt_fail(err, ETIMEDOUT, "it takes no connections");
	}
	r = check_server(fd, err);
	return r < 0 ? r : io_steal_fd(&fd);
}

static bool send_all(int fd, const char *text, size_t n, int hangup, int64_t until_ms)
{
	while (n) {
		ssize_t k = SYS_RETRY(send(fd, text, n, MSG_NOSIGNAL));

		if (k > 0) {
			text += k;
			n -= (size_t)k;
		} else if (errno != EAGAIN || !wait_for(fd, POLLOUT, hangup, until_ms)) {
			return false;
		}
	}
	return true;
}

/* --- the answer ------------------------------------------------------------------------- */

static enum ask_socket_answer answer_of(const char *text, size_t n, struct rt_err *err)
{
	if (n == sizeof(said_run) - 1 && memcmp(text, said_run, n) == 0)
		return ASK_SOCKET_RUN;
	if (n == sizeof(said_session) - 1 && memcmp(text, said_session, n) == 0)
		return ASK_SOCKET_SESSION;
	if (n != sizeof(said_deny) - 1 || memcmp(text, said_deny, n) != 0)
		(void)rt_fail(err, EPROTO, "what it says is no answer");
	return ASK_SOCKET_NO;
}

enum ask_socket_answer ask_socket_hear(int fd, int hangup, int64_t until_ms,
				       struct rt_err *err)
{
	char text[ANSWER_CAP];
	size_t n = 0;

	while (n < sizeof(text) && wait_for(fd, POLLIN, hangup, until_ms)) {
		ssize_t k = SYS_RETRY(recv(fd, text + n, sizeof(text) - n, 0));

		if (k < 0 && errno == EAGAIN)
			continue;
		if (k <= 0) {
			(void)rt_fail(err, EPIPE, "it hangs up without an answer");
			return ASK_SOCKET_NO;
		}
		n += (size_t)k;
		if (memchr(text, '\n', n))
			return answer_of(text, n, err);
	}
	if (n == sizeof(text))
		(void)rt_fail(err, EPROTO, "what it says is no answer");
	return ASK_SOCKET_NO;
}

enum ask_socket_answer ask_socket(const char *path, const struct ask_socket_question *q,
				  int hangup, int64_t until_ms, struct rt_err *err)
{
	char line[ASK_SOCKET_LINE + 1];
	size_t n = ask_socket_line(q, line, sizeof(line));
	AUTO_CLOSE int fd = -1;

	if (!n) {
		(void)rt_fail(err, E2BIG, "the question is too long");
		return ASK_SOCKET_NO;
	}
	fd = connect_to(path, hangup, until_ms, err);
	if (fd < 0)
		return ASK_SOCKET_NO;
	if (!send_all(fd, line, n, hangup, until_ms)) {
		(void)rt_fail(err, EPIPE, "it does not take the question");
		return ASK_SOCKET_NO;
	}
	return ask_socket_hear(fd, hangup, until_ms, err);
}
