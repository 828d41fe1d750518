/// The database of the sample upstreams, with separate tables for each. Not thread-safe.
final class SampleDatabase {
    /// In order; only append. `PRAGMA user_version` is the number of migrations that a file has had.
    private static let migrations = [
        DiaryStore.schema, WeatherStations.schema, PathStore.schema, UserDirectory.schema, TagStore.schema,
        DiaryStore.visitorSchema,
    ]

    let path: String
    private let database: SQLiteDatabase

    /// Opens the file. Creates the file, its folders and its tables if missing. `busyTimeout` is in
    /// milliseconds.
    init(path: String, busyTimeout: Int32 = 2000) throws(SampleDataError) {
        try DataFolder.create(for: path)
        do throws(SQLiteDatabase.Failure) {
            database = try SQLiteDatabase(path: path, busyTimeout: busyTimeout)
            // WAL: readers and another process's writer do not block each other. FULL: commits survive a
            // power failure.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            try Self.migrate(database)
        } catch {
            throw SampleDataError(path: path, doing: "open", error)
        }
        self.path = path
    }

    /// Runs the missing migrations in one transaction, so that two processes can open the same file at once.
    private static func migrate(_ database: SQLiteDatabase) throws(SQLiteDatabase.Failure) {
        try database.transaction { () throws(SQLiteDatabase.Failure) in
            var version = 0
            try database.prepare("PRAGMA user_version").run([]) { version = $0.integer(0) ?? 0 }
            guard 0...migrations.count ~= version else {
                throw SQLiteDatabase.Failure(
                    code: 0,
                    message:
                        "its schema has version \(version), but this program supports up to \(migrations.count)"
                )
            }
            for migration in migrations[version...] { try database.execute(migration) }
            try database.execute("PRAGMA user_version = \(migrations.count)")
        }
    }

    func prepare(_ text: String) throws(SampleDataError) -> Statement {
        do throws(SQLiteDatabase.Failure) {
            return Statement(try database.prepare(text), path: path)
        } catch {
            throw SampleDataError(path: path, doing: "open", error)
        }
    }

    /// Runs `work` in a transaction, which is rolled back if it throws.
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

    /// A prepared statement with errors that name the file.
    struct Statement {
        private let statement: SQLiteDatabase.Statement
        private let path: String

        fileprivate init(_ statement: SQLiteDatabase.Statement, path: String) {
            self.statement = statement
            self.path = path
        }

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
