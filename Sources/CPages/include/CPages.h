#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>

// A file of Public/.
struct CPage {
    // From Public/: "css/base.css".
    const char *path;
    const unsigned char *bytes;
    size_t length;
};

size_t cpages_count(void);

// `index` is less than `cpages_count`.
struct CPage cpages_at(size_t index);

#endif
