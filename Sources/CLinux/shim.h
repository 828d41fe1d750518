// Linux's calls that glibc has no function for, or hides. Nothing is linked: these are a few instructions each.
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

// With _GNU_SOURCE alone it is O_PATH.
static const int linux_o_path = __O_PATH;

// openat2(2), Linux 5.6, beneath `folder`, through no link of any kind. -1 and errno; ENOSYS on an older kernel, EPERM where
// a seccomp filter does not know it.
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

// Bytes written to a TCP socket that its peer has not acknowledged (SIOCOUTQ, tcp(7)); -1 and errno.
static inline int linux_unacknowledged(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

// Milliseconds since a TCP socket last sent bytes (TCP_INFO, tcp(7)); -1 and errno.
static inline long linux_since_last_sent(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? (long)info.tcpi_last_data_sent : -1;
}
