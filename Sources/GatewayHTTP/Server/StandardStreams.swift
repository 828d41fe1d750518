import Glibc

package enum StandardStreams {
    /// Opens `/dev/null` for streams that are closed when the process starts: otherwise the first sockets or
    /// files would get their numbers, and log lines would go there.
    package static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // open returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
