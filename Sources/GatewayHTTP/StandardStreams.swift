import Glibc

/// Standard input, output and error.
package enum StandardStreams {
    /// Opens `/dev/null` for those that the process was started without. Otherwise the first socket or file gets their
    /// number, and what is meant for the log goes there.
    package static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
