// Declarations of the C library belong to Glibc's module. See CLibevent.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

#include <ares.h>
