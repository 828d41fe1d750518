#ifndef CCONSOLE_H
#define CCONSOLE_H

#include <stddef.h>

// A file of the console.
struct CConsoleFile {
    // Such as "console.css".
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

size_t cconsole_count(void);

// `index` must be less than `cconsole_count()`.
struct CConsoleFile cconsole_at(size_t index);

#endif
