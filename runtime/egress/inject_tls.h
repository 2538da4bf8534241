/*
 * Verified TLS to a server: the one place that uses OpenSSL's settings.
 */
#ifndef RUNTIME_EGRESS_INJECT_TLS_H
#define RUNTIME_EGRESS_INJECT_TLS_H

#include <openssl/ssl.h>
#include <stddef.h>

#include "runtime/base/err.h"

/*
 * Reads the certificate authorities (PEM, at most 16 MiB) and makes what all
 * connections share: TLS 1.2 or newer, the server's certificate is always verified, no
 * sessions are kept. NULL: `err` says why.  The host's openssl.cnf and all variables of
 * the environment do not count.
 */
SSL_CTX *inject_tls_init(int ca_fd, struct rt_err *err);

/* A client's end over the connected socket: SNI and the certificate's name are `name`.
 * NULL: no memory. */
SSL *inject_tls_open(SSL_CTX *ctx, int fd, const char *name);

/* Why the hand-shake failed, as a few words. */
void inject_tls_reason(const SSL *ssl, char *out, size_t size);

#endif
