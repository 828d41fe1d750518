// Declarations of the C library belong to Glibc's module. See CLibevent.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

// Only the reader of replies and redisFormatCommandArgv are used: sockets and time-outs are those of EventIO.
#include <hiredis/hiredis.h>

// hiredis 1 has changed types that hiredis 0.14 (Debian 12) has. What differs is here.
#if HIREDIS_MAJOR >= 1
typedef size_t chiredis_count;

// RESP3, which nothing asks for. No object fails the reader.
static inline void *chiredis_refuse_double(const redisReadTask *task, double value, char *text, size_t count) {
    return NULL;
}

static inline void *chiredis_refuse_bool(const redisReadTask *task, int value) {
    return NULL;
}
#else
typedef int chiredis_count;
#endif

static inline redisReplyObjectFunctions chiredis_functions(
    void *(*text)(const redisReadTask *, char *, size_t), void *(*array)(const redisReadTask *, chiredis_count),
    void *(*integer)(const redisReadTask *, long long), void *(*null)(const redisReadTask *),
    void (*freed)(void *)) {
    return (redisReplyObjectFunctions){
        .createString = text,
        .createArray = array,
        .createInteger = integer,
        .createNil = null,
        .freeObject = freed,
#if HIREDIS_MAJOR >= 1
        .createDouble = chiredis_refuse_double,
        .createBool = chiredis_refuse_bool,
#endif
    };
}

// Returns the length, or a negative number.
static inline long long chiredis_format(char **text, int count, const char **words, const size_t *lengths) {
    return redisFormatCommandArgv(text, count, words, lengths);
}
