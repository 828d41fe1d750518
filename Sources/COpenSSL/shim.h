// What the C library declares is Glibc's, whichever module is built first: included here anew, a name would be of one module
// in one build and of another in the next.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

// As for libevent: what could define _GNU_SOURCE comes after these.
#include <sys/types.h>
#include <sys/time.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL that do more than name a number are not seen by Swift: here each as a function, named as the macro is.

static const uint64_t copenssl_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t copenssl_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_OP_NO_TLSv1_3 = SSL_OP_NO_TLSv1_3;
static const int copenssl_BIO_FLAGS_ANY = BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY;

static inline int copenssl_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void copenssl_CTX_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}

static inline void copenssl_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int copenssl_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int copenssl_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int copenssl_sk_X509_num(const STACK_OF(X509) *certificates) {
    return sk_X509_num(certificates);
}

static inline X509 *copenssl_sk_X509_value(const STACK_OF(X509) *certificates, int index) {
    return sk_X509_value(certificates, index);
}

static inline long copenssl_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

static inline EVP_PKEY *copenssl_EC_gen(const char *curve) {
    return EVP_EC_gen(curve);
}
