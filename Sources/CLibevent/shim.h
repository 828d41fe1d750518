// Declarations of the C library belong to Glibc's module. If the headers below declared them again, the module that
// Swift finds a name in would depend on the order of the build.
#if __has_feature(modules)
#pragma clang module import SwiftGlibc
#endif

// These two come first: Debian's event-config.h defines _GNU_SOURCE, which would make fd_set differ from the one in
// Swift's Glibc module.
#include <sys/types.h>
#include <sys/time.h>

#include <event2/event.h>

// eventfd, by which other threads wake a loop, is missing from Swift's Glibc module.
#include <sys/eventfd.h>

// So is accept4, a GNU extension that sets SOCK_NONBLOCK and SOCK_CLOEXEC in the same call.
#include <sys/socket.h>
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// So are the kernel's packet filters, by which a listener stops new handshakes.
#include <linux/filter.h>
