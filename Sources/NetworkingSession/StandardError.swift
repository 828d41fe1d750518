import Glibc

/// The process's standard error.
enum StandardError {
    /// Writes a line with a single system call.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
