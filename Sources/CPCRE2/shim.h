// Patterns and texts are UTF-8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
