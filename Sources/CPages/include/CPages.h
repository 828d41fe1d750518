#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>

// A file of Public/.
struct CPage {
    // Relative to Public/, such as "css/base.css".
    const char *path;
    const unsigned char *bytes;
    size_t length;
};

size_t cpages_count(void);

// `index` must be less than `cpages_count()`.
struct CPage cpages_at(size_t index);

#endif
