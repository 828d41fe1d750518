private import CLinux
import Glibc

/// The process's standard output, which `print` and C libraries write to.
package enum StandardOutput {
    /// Redirects standard output into a new pipe, and makes `print` write each line as it ends.
    ///
    /// - Returns: the end to read from, and a duplicate of the original standard output. The caller closes
    ///   both. The reader meets the end of the pipe after `restore`, once child processes that have inherited
    ///   it have ended, too.
    /// - Throws: `SocketError` if no descriptor is left.
    package static func redirect() throws(SocketError) -> (reader: Int32, original: Int32) {
        let original = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard original >= 0 else { throw SocketError(.file, errno, subject: "standard output") }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            let code = errno
            close(original)
            throw SocketError(.file, code, subject: "standard output")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // What was printed before belongs to the original.
        _ = linux_flush_output()
        dup2(ends[1], STDOUT_FILENO)
        close(ends[1])
        _ = linux_buffer_lines()
        return (ends[0], original)
    }

    /// Writes what has been printed into the pipe, and makes this descriptor the standard output again.
    package static func restore(_ original: Int32) {
        _ = linux_flush_output()
        dup2(original, STDOUT_FILENO)
        close(original)
    }
}
