/// The file of the sample upstreams, each of which has tables of its own in it. Not thread-safe.
final class SampleDatabase {
    /// The tables, each step for files that have the steps before it; the file keeps how many it has had
    /// (`PRAGMA user_version`). Only ever added to.
    private static let steps = [
        DiaryStore.schema, WeatherStations.schema, PathStore.schema, UserDirectory.schema, TagStore.schema,
    ]

    let path: String
    private let database: SQLiteDatabase

    /// Opens the file; makes it, and the folders on its way, where they do not exist, and the tables that it lacks.
    ///
    /// - Parameter busyTimeout: how long a lock of another process is waited for, in milliseconds.
    init(path: String, busyTimeout: Int32 = 2000) throws(SampleDataError) {
        try Folders.make(for: path)
        do throws(SQLiteDatabase.Failure) {
            database = try SQLiteDatabase(path: path, busyTimeout: busyTimeout)
            // WAL: readers and the writer of another process do not wait for each other. FULL: a write that was
            // answered survives a loss of power.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            try Self.migrate(database)
        } catch {
            throw SampleDataError(path: path, doing: "open", error)
        }
        self.path = path
    }

    /// Two processes that open a file at once do not get in each other's way.
    private static func migrate(_ database: SQLiteDatabase) throws(SQLiteDatabase.Failure) {
        try database.transaction { () throws(SQLiteDatabase.Failure) in
            var version = 0
            try database.prepare("PRAGMA user_version").run([]) { version = $0.integer(0) ?? 0 }
            guard 0...steps.count ~= version else {
                throw SQLiteDatabase.Failure(
                    code: 0,
                    message: "its schema has version \(version), this program knows \(steps.count)")
            }
            for step in steps[version...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// A statement to be kept: its failures name the file.
    func prepare(_ text: String) throws(SampleDataError) -> Statement {
        do throws(SQLiteDatabase.Failure) {
            return Statement(try database.prepare(text), path: path)
        } catch {
            throw SampleDataError(path: path, doing: "open", error)
        }
    }

    /// All that `work` writes, or nothing of it.
    func transaction(_ work: () throws(SampleDataError) -> Void) throws(SampleDataError) {
        var failure: SampleDataError?
        do throws(SQLiteDatabase.Failure) {
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                do throws(SampleDataError) {
                    try work()
                } catch {
                    failure = error
                    throw SQLiteDatabase.Failure(code: 0, message: error.message)
                }
            }
        } catch {
            throw failure ?? SampleDataError(path: path, doing: "write", error)
        }
    }

    /// A prepared statement that names the file when it fails.
    struct Statement {
        private let statement: SQLiteDatabase.Statement
        private let path: String

        fileprivate init(_ statement: SQLiteDatabase.Statement, path: String) {
            self.statement = statement
            self.path = path
        }

        /// Calls `row` with each row that there is for `values`.
        func read(
            _ values: [SQLiteDatabase.Value], row: (SQLiteDatabase.Row) -> Void
        ) throws(SampleDataError) {
            do throws(SQLiteDatabase.Failure) {
                try statement.run(values, row: row)
            } catch {
                throw SampleDataError(path: path, doing: "read", error)
            }
        }

        func write(_ values: [SQLiteDatabase.Value]) throws(SampleDataError) {
            do throws(SQLiteDatabase.Failure) {
                try statement.run(values)
            } catch {
                throw SampleDataError(path: path, doing: "write", error)
            }
        }
    }
}
