/// Why the sample upstreams' data cannot be opened, read or written.
public struct SampleDataError: Error, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// What could not be done, and why: one sentence.
    public let message: String
    /// SQLite's extended result code; nil where it was not SQLite.
    public let code: Int32?

    public var description: String {
        "sample data \(path): \(message)\(code.map { " (SQLite code \($0))" } ?? "")"
    }

    init(path: String, message: String, code: Int32? = nil) {
        self.path = path
        self.message = message
        self.code = code
    }

    init(path: String, doing what: String, _ failure: SQLiteDatabase.Failure) {
        self.init(
            path: path, message: "cannot \(what) it: \(failure.message)",
            code: failure.code == 0 ? nil : failure.code)
    }
}
