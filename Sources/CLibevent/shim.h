// What the C library declares is Glibc's, whichever module is built first: included here anew, a name would be of one module
// in one build and of another in the next.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

// Debian's event-config.h defines _GNU_SOURCE, which would change fd_set after Swift's Glibc module has
// fixed it: these two come first.
#include <sys/types.h>
#include <sys/time.h>

#include <event2/event.h>

// Swift's Glibc module has no eventfd: how other threads wake a loop.
#include <sys/eventfd.h>

// Nor accept4, a GNU extension: accepts with SOCK_NONBLOCK and SOCK_CLOEXEC in one call.
#include <sys/socket.h>
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// Nor the kernel's packet filters: how a listener lets no further handshake begin.
#include <linux/filter.h>
