// Declarations of the C library belong to Glibc's module. If the headers below declared them again, the module that
// Swift finds a name in would depend on the order of the build.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

// These two come before any header that may define _GNU_SOURCE, as in CLibevent.
#include <sys/types.h>
#include <sys/time.h>

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift imports only simple macros. Each of these functions wraps the OpenSSL macro that it is named after.

static const uint64_t copenssl_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t copenssl_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_OP_NO_TLSv1_3 = SSL_OP_NO_TLSv1_3;
static const unsigned long copenssl_XN_FLAG_ONELINE = XN_FLAG_ONELINE;
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

static inline int copenssl_CTX_set_groups(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

static inline int copenssl_set_sigalgs(SSL *ssl, const char *list) {
    return (int)SSL_set1_sigalgs_list(ssl, list);
}

static inline void copenssl_CTX_set_max_cert_list(SSL_CTX *context, long most) {
    SSL_CTX_set_max_cert_list(context, most);
}

static inline STACK_OF(X509) *copenssl_sk_X509_new(void) {
    return sk_X509_new_null();
}

static inline void copenssl_sk_X509_free(STACK_OF(X509) *certificates) {
    sk_X509_pop_free(certificates, X509_free);
}

static inline int copenssl_sk_GENERAL_NAME_num(const STACK_OF(GENERAL_NAME) *names) {
    return sk_GENERAL_NAME_num(names);
}

static inline GENERAL_NAME *copenssl_sk_GENERAL_NAME_value(const STACK_OF(GENERAL_NAME) *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

// The value of a DNS name or a URI.
static inline const ASN1_STRING *copenssl_GENERAL_NAME_text(const GENERAL_NAME *name) {
    return name->type == GEN_DNS || name->type == GEN_URI ? name->d.ia5 : NULL;
}

// The value of an IP address.
static inline const ASN1_STRING *copenssl_GENERAL_NAME_address(const GENERAL_NAME *name) {
    return name->type == GEN_IPADD ? name->d.ip : NULL;
}

// Makes a MAC context one of HMAC with SHA-256 and this key. The parameters keep the pointers to their names.
static inline int copenssl_MAC_set_key(EVP_MAC_CTX *context, unsigned char *key, size_t length) {
    OSSL_PARAM parameters[3];
    parameters[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, length);
    parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    parameters[2] = OSSL_PARAM_construct_end();
    return EVP_MAC_CTX_set_params(context, parameters);
}
