import Glibc

/// Standard input, output and error.
package enum StandardStreams {
    /// Opens `/dev/null` for those that are closed when the process starts. Otherwise the first socket or file would get their
    /// number, and log lines would go there.
    package static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // open returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
