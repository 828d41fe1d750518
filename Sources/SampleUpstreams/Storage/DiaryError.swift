/// Why the diary cannot be opened, read or written.
public struct DiaryError: Error, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// What could not be done, and why: one sentence.
    public let message: String
    /// SQLite's extended result code; nil where it was not SQLite.
    public let code: Int32?

    public var description: String {
        "diary \(path): \(message)\(code.map { " (SQLite code \($0))" } ?? "")"
    }

    init(path: String, message: String, code: Int32? = nil) {
        self.path = path
        self.message = message
        self.code = code
    }
}
