// The files of Public/, taken in by the compiler, so that the program works alone. A file that is added to Public/ is added
// here, in both lists; a test holds them to be the same.
#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../../Public/index.html"
};

#define PAGE(path, name) {path, name, sizeof name}

static const struct CPage pages[] = {
    PAGE("index.html", index_html),
};

size_t cpages_count(void) { return sizeof pages / sizeof *pages; }

struct CPage cpages_at(size_t index) { return pages[index]; }
