import Glibc

/// The process's standard error.
enum StandardError {
    /// Writes a line, in one piece if the system takes it so.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
