/*
 * What polrun and polgate, the process that it starts for a limited network, tell each
 * other.  Both are programs of one build on one machine, so the messages have the
 * machine's own layout; either side still checks each message, since polgate reads what
 * the network and the command send.
 *
 * polgate has no arguments and an empty environment.  Its descriptors:
 *   0-2  /dev/null
 *   3    the control socket, SOCK_SEQPACKET: one message is one struct below
 *   4    a sealed memfd: struct gate_config, then the bytes of the bundle's egress.bin
 *
 * Order: polrun starts polgate beside the set-up of the sandbox.  When polinit has made
 * the sockets, polrun sends GATE_SOCKETS with them.  polgate confines itself and answers
 * GATE_READY (or GATE_FAILED); the command starts after that.  Then polgate sends one
 * GATE_EVENT for each connection that ended and each thing that it refused, and GATE_ASK
 * for a connection that waits for a person.  polgate ends when the socket hangs up, or
 * after GATE_END; if it ends before, polrun ends the run.
 */
#ifndef RUNTIME_EGRESS_GATE_H
#define RUNTIME_EGRESS_GATE_H

#include <stdint.h>

#define GATE_MAGIC 0x45544147u /* "GATE" */
#define GATE_CONTROL 3
#define GATE_CONFIG 4

/* Ports inside of the run on which the gateway listens (127.0.0.1 and ::1).  The command
 * cannot bind ports below 1024, so it can neither take nor share them. */
#define GATE_PORT 1
#define GATE_DNS_PORT 53

/* The sockets that polinit makes in the run's network namespace. */
enum gate_socket {
	GATE_TCP4, GATE_TCP6,         /* listening: redirected connections */
	GATE_DNS_UDP4, GATE_DNS_UDP6,
	GATE_DNS_TCP4, GATE_DNS_TCP6, /* listening */
	GATE_NFLOG,                   /* NETLINK_NETFILTER, bound to the group of denials */
	GATE_SOCKET_COUNT
};

struct gate_config {
	uint32_t magic, size;      /* of this struct */
	uint32_t egress_size;      /* bytes of egress.bin that follow */
	uint32_t rule_count;       /* records of the rule table: bounds rule numbers */
	uint32_t otherwise_rule;   /* number of the scalar `network otherwise` */
	uint32_t ask;              /* enum gate_asking */
	uint32_t max_connections;  /* 0: the default */
	uint32_t secret_count;     /* struct gate_secret, after egress.bin */
};

/*
 * A secret that a grant names: egress.bin, padded to 8 bytes, is followed by
 * `secret_count` of these, each with its bytes, padded to 8 again.  polgate gets those of
 * upstream proxies only ("user:password"), polinject those of injected headers.
 */
struct gate_secret {
	uint32_t grant; /* number in pb_egress.grants */
	uint32_t size;  /* bytes; never 0, without NUL and line ends */
};
#define GATE_SECRET_MAX 65536u

enum gate_asking {
	GATE_ASK_NOBODY, /* an ask is refused at once */
	GATE_ASK_POLRUN  /* GATE_ASK is answered by GATE_ANSWER */
};

enum gate_type {
	/* polrun to polgate */
	GATE_SOCKETS = 1, /* struct gate_message and SCM_RIGHTS: the sockets whose bits are
	                     set in `value`, in the order of enum gate_socket */
	GATE_ANSWER,      /* struct gate_message: `id`, `value`: enum gate_answer */
	GATE_END,         /* struct gate_message: the run has ended.  polgate sends the
	                     records that it still has, and ends at once */
	/* polgate to polrun */
	GATE_READY,       /* struct gate_message */
	GATE_FAILED,      /* struct gate_record: `text` */
	GATE_ASK,         /* struct gate_record: `id` */
	GATE_EVENT        /* struct gate_record */
};

enum gate_answer { GATE_NO, GATE_YES };

struct gate_message {
	uint32_t type, id;
	uint32_t value, zero;
};

enum gate_what {
	GATE_CLOSED = 1,  /* a connection that was let through has ended */
	GATE_REFUSED,     /* a rule (or the guard) refused a connection */
	GATE_NO_NAME,     /* DNS said NXDOMAIN to a name that no rule allows */
	GATE_DROPPED,     /* the kernel's table refused a packet (NFLOG) */
	GATE_UNREACHED,   /* allowed, but the name or the address could not be reached */
	GATE_WHAT_COUNT
};

/* Why something was refused or not reached. */
enum gate_why {
	GATE_W_RULE,      /* `rule` denies it; 0 */
	GATE_W_ASK,       /* `rule` asks, and nobody said yes in time */
	GATE_W_GUARD,     /* the name leads to an address that only `within` may name */
	GATE_W_SNI,       /* TLS for another name, or for none */
	GATE_W_HOST,      /* HTTP for another host, or for none */
	GATE_W_PROTOCOL,  /* neither: the port's protocol was not spoken */
	GATE_W_LIMIT,     /* the rule's limit of connections or bytes, or the gateway's own */
	GATE_W_RESOLVE,   /* the name has no address (or its servers do not answer) */
	GATE_W_CONNECT,   /* `error` is the errno of connect() */
	GATE_W_TIMEOUT,
	GATE_W_NO_NAME,   /* a pool address that no name in this run has */
	GATE_W_POOL,      /* too many names */
	GATE_W_COUNT
};

#define GATE_TEXT 272 /* a host name of any length with its port, or words */

struct gate_record {
	uint32_t type, id;
	uint32_t what, why;     /* enum gate_what, enum gate_why */
	uint32_t rule;          /* number of the rule or scalar that decided; UINT32_MAX: none */
	uint32_t error;         /* errno, or 0 */
	uint16_t port, source;  /* of the destination; of the command's end */
	uint8_t udp, has_addr, zero[2];
	uint8_t addr[16];       /* dialled, or asked for if it is no pool address; v4 mapped */
	uint64_t up, down;      /* bytes from and to the command */
	uint64_t ms;            /* from accept to the end */
	uint64_t count;         /* how many equal ones this record stands for, at least 1 */
	char name[256];         /* the host name, or empty; ends with NUL */
	char text[GATE_TEXT];   /* SNI, Host or failure, escaped by polgate; ends with NUL */
};

/* polrun's supervisor passes a GATE_ASK on to the process that asks the person, and its
 * answer (a GATE_ANSWER) back. */
struct gate_question {
	int32_t init_pid; /* of the run, on the host */
	uint32_t zero;
	struct gate_record record;
};

#endif
