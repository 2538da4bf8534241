/* OpenSSL for polinject (inject_tls.h). */
#include "runtime/egress/inject_tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/io.h"

#define CA_MAX ((size_t)16 * 1024 * 1024)

/* Adds each certificate of the text; how many. */
static int add_authorities(X509_STORE *store, const char *text, size_t n)
{
	BIO *bio = BIO_new_mem_buf(text, (int)n);
	X509 *x;
	int count = 0;

	if (!bio)
		return 0;
	while ((x = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
		count += X509_STORE_add_cert(store, x);
		X509_free(x);
	}
	/* the end of the text is the usual reason to stop */
	ERR_clear_error();
	BIO_free(bio);
	return count;
}

static bool configure(SSL_CTX *ctx)
{
	static const unsigned char http[] = "\x08http/1.1";

	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
				      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
					 SSL_OP_NO_TICKET);
	/* 112 bits at least: no RSA key of 1024 bits, no SHA-1 */
	SSL_CTX_set_security_level(ctx, 2);
	return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 &&
	       SSL_CTX_set_alpn_protos(ctx, http, sizeof(http) - 1) == 0;
}

SSL_CTX *inject_tls_init(int ca_fd, struct rt_err *err)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	SSL_CTX *ctx;
	int r = io_read_all(ca_fd, CA_MAX, &text, &n);

	/* the first gmtime(), which the check of a certificate makes, opens the file of the
	   local time */
	(void)setenv("TZ", "UTC0", 1);
	tzset();
	if (r < 0) {
		(void)rt_fail_errno(err, -r, "the certificate authorities");
		return NULL;
	}
	if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG |
				     OPENSSL_INIT_LOAD_SSL_STRINGS |
				     OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
			     NULL) != 1 ||
	    !(ctx = SSL_CTX_new(TLS_client_method()))) {
		(void)rt_fail(err, ENOMEM, "OpenSSL does not start");
		return NULL;
	}
	if (!configure(ctx)) {
		(void)rt_fail(err, EINVAL, "OpenSSL does not take its settings");
	} else if (add_authorities(SSL_CTX_get_cert_store(ctx), text, n) == 0) {
		(void)rt_fail(err, ENOENT,
			      "the file of certificate authorities has none");
	} else {
		return ctx;
	}
	SSL_CTX_free(ctx);
	return NULL;
}

SSL *inject_tls_open(SSL_CTX *ctx, int fd, const char *name)
{
	SSL *ssl = SSL_new(ctx);

	if (!ssl)
		return NULL;
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
				       X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	if (SSL_set1_host(ssl, name) != 1 || SSL_set_tlsext_host_name(ssl, name) != 1 ||
	    SSL_set_fd(ssl, fd) != 1) {
		SSL_free(ssl);
		return NULL;
	}
	SSL_set_connect_state(ssl);
	return ssl;
}

void inject_tls_reason(const SSL *ssl, char *out, size_t size)
{
	long verify = SSL_get_verify_result(ssl);
	unsigned long e = ERR_peek_error();
	const char *text = ERR_reason_error_string(e);

	if (verify != X509_V_OK)
		(void)snprintf(out, size, "its certificate is not accepted: %s",
			       X509_verify_cert_error_string(verify));
	else
		(void)snprintf(out, size, "no TLS: %s",
			       text ? text : "the connection has ended");
	ERR_clear_error();
}
