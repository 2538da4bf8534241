/* Writes a request in the words that `explain` takes, so that everybody can ask it again. */
#include "compiler/cli/request_words.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "compiler/cli/cli.h"
#include "compiler/target/target.h"

void request_put(struct request_words *w, struct str s)
{
	VEC_PUSH(w->a, &w->v, s);
}

void request_put_z(struct request_words *w, const char *z)
{
	request_put(w, str_from(z));
}

static void put_command(struct request_words *w, const struct ir_request *q)
{
	size_t i;

	if (q->unparsed || q->line.p) {
		request_put_z(w, "command");
		request_put(w, q->unparsed ? q->text : q->line);
		return;
	}
	request_put_z(w, "argv");
	request_put_z(w, "--");
	for (i = 0; i < q->nargv; i++)
		request_put(w, q->argv[i]);
}

static void put_net(struct request_words *w, const struct ir_request *q)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = memcmp(q->addr, mapped, sizeof(mapped)) == 0;
	char text[INET6_ADDRSTRLEN] = "";

	request_put_z(w, "net");
	request_put_z(w, q->proto == IR_UDP ? "udp" : "tcp");
	if (q->is_addr)
		inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? q->addr + 12 : q->addr, text,
			  sizeof(text));
	if (!q->is_addr)
		request_put(w, str_printf(w->a, "%.*s:%u", STR_ARG(q->host), q->port));
	else
		request_put(w, str_printf(w->a, v4 ? "%s:%u" : "[%s]:%u", text, q->port));
}

static void put_syscall(struct request_words *w, const struct ir_request *q)
{
	const struct target_call *call = target_call_by_nr(q->nr);
	struct buf b;
	size_t i, n = 6;

	buf_init(&b, w->a);
	if (call)
		buf_z(&b, call->name);
	else
		buf_printf(&b, "%u", q->nr);
	while (n && !q->args[n - 1])
		n--;
	for (i = 0; i < n; i++)
		buf_printf(&b, "%s0x%" PRIx64, i ? "," : "(", q->args[i]);
	if (n)
		buf_ch(&b, ')');
	request_put_z(w, "syscall");
	request_put(w, buf_view(&b));
}

void request_put_words(struct request_words *w, const struct ir_request *q)
{
	switch (q->kind) {
	case IR_COMMAND:
		put_command(w, q);
		break;
	case IR_FILE:
		request_put_z(w, "file");
		request_put_z(w, ir_op_name(q->op));
		request_put(w, q->path);
		break;
	case IR_NET:
		put_net(w, q);
		break;
	case IR_UNIX:
		request_put_z(w, "unix");
		request_put(w, q->abstract ? str_cat(w->a, STR("@"), q->path) : q->path);
		break;
	case IR_SYSCALL:
		put_syscall(w, q);
		break;
	case IR_TOOL:
		request_put_z(w, "tool");
		request_put(w, q->tool);
		break;
	case IR_KIND_COUNT:
		break;
	}
}

static bool is_plain(struct str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
			    "6789"
			    "-_./:=@,+%",
			    s.p[i]) ||
		    !s.p[i])
			return false;
	return s.n > 0;
}

/* Joins the words and quotes them for a shell. */
struct str request_joined(const struct request_words *w)
{
	struct buf b;
	size_t i, k;

	buf_init(&b, w->a);
	for (i = 0; i < w->v.n; i++) {
		struct str s = w->v.v[i];

		if (i)
			buf_ch(&b, ' ');
		if (is_plain(s)) {
			buf_str(&b, s);
			continue;
		}
		buf_ch(&b, '\'');
		for (k = 0; k < s.n; k++) {
			if (s.p[k] == '\'')
				buf_z(&b, "'\\'");
			buf_ch(&b, s.p[k]);
		}
		buf_ch(&b, '\'');
	}
	return cli_clean(w->a, buf_view(&b), false);
}
