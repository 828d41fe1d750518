/// An error while opening, reading or writing the sample data.
public struct SampleDataError: Error, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// What SQLite says.
    public let message: String
    /// SQLite's extended result code; nil if the error is not from SQLite.
    public let code: Int32?

    /// What is wrong, in words.
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
            path: path, message: "cannot \(what) the file: \(failure.message)",
            code: failure.code == 0 ? nil : failure.code)
    }
}
