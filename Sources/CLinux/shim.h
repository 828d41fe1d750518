// Linux system calls that glibc has no function for, or hides, and functions that libdispatch has no header for. All are
// inline, so nothing else is linked.

// Without this import, Swift takes types of the headers below, such as `stat`, for types of this module if it loads this
// module before Glibc. Then it hides their members from files that import only Glibc.
#pragma clang module import SwiftGlibc

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

// glibc names it O_PATH, but only with _GNU_SOURCE.
static const int linux_o_path = __O_PATH;

// Opens a path beneath `folder`, following no links, by openat2(2) of Linux 5.6. Returns -1 and sets errno on failure:
// ENOSYS on older kernels, EPERM if a seccomp filter blocks the call.
static inline int linux_open_beneath(int folder, const char *path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

// Returns the bytes written to a TCP socket that its peer has not acknowledged (SIOCOUTQ, tcp(7)), or -1 and errno.
static inline int linux_unacknowledged(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

// Returns the milliseconds since a TCP socket last sent data (TCP_INFO, tcp(7)), or -1 and errno.
static inline long linux_since_last_sent(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? (long)info.tcpi_last_data_sent : -1;
}

// Makes the standard output of C and Swift write each line as it ends, even if it is not a terminal (setvbuf(3)). In C,
// because Swift takes `stdout` for a variable that any thread may set.
static inline int linux_buffer_lines(void) {
    return setvbuf(stdout, NULL, _IOLBF, 0);
}

// Writes what the standard output of C and Swift holds.
static inline int linux_flush_output(void) {
    return fflush(stdout);
}

// Whether the process began on the calling thread. glibc hides gettid without _GNU_SOURCE.
static inline int linux_is_main_thread(void) {
    return (pid_t)syscall(SYS_gettid) == getpid();
}

// How a run loop serves the main queue. libdispatch exports both functions for CoreFoundation, whose run loop polls the
// descriptor, an eventfd, and calls the callback. No public function of libdispatch serves the main queue and returns.
// Weak, so that a program still links and runs with a libdispatch that lacks them. Then its main thread only waits.
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *unused) __attribute__((weak));

// Returns the descriptor that is readable while the main queue has work, or -1. libdispatch owns it.
static inline int linux_main_queue_descriptor(void) {
    if (&_dispatch_get_main_queue_handle_4CF == NULL || &_dispatch_main_queue_callback_4CF == NULL) return -1;
    return _dispatch_get_main_queue_handle_4CF();
}

// Runs the work that is on the main queue. Does nothing within such work. Call it on the main thread.
static inline void linux_serve_main_queue(void) {
    _dispatch_main_queue_callback_4CF(NULL);
}
