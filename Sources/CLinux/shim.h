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
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#if __has_include(<linux/fs.h>)
#include <linux/fs.h>
#endif
#if __has_include(<linux/magic.h>)
#include <linux/magic.h>
#endif
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

// Opens like linux_open_beneath, on the file system of `folder`, if the kernel has the path in memory (Linux 5.12). Returns -1
// and EAGAIN if it would have to wait for a disk, and another code if the kernel cannot tell or nothing is there.
static inline int linux_open_cached(int folder, const char *path, int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_CACHED)
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | RESOLVE_CACHED,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
    errno = EAGAIN;
    return -1;
#endif
}

// Reads what the kernel has in memory (preadv2(2) with RWF_NOWAIT), perhaps less than `count`. Returns -1 and sets errno if
// that is nothing, or if the file system cannot tell.
static inline ssize_t linux_read_cached(int file, void *room, size_t count, long long offset) {
#if defined(SYS_preadv2) && defined(RWF_NOWAIT)
    struct iovec vector = {.iov_base = room, .iov_len = count};
    return syscall(SYS_preadv2, file, &vector, 1, (long)offset, (long)(offset >> 32 >> 32), RWF_NOWAIT);
#else
    errno = EAGAIN;
    return -1;
#endif
}

// Whether a file is on a local file system, where opening, fstat and closing wait for nobody else. Others, such as NFS and
// FUSE, may ask another program.
static inline int linux_is_local(int file) {
    struct statfs status;
    if (fstatfs(file, &status) != 0) return 0;
    switch ((unsigned)status.f_type) {
#ifdef EXT4_SUPER_MAGIC
    case EXT4_SUPER_MAGIC: case BTRFS_SUPER_MAGIC: case TMPFS_MAGIC: case F2FS_SUPER_MAGIC: case OVERLAYFS_SUPER_MAGIC:
#endif
    case 0x58465342:  // XFS, whose number is in no header
        return 1;
    default:
        return 0;
    }
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
