/// What users wrote, in an SQLite file: one row for each half of a day that was ever written or deleted.
/// Not thread-safe.
final class DiaryStore {
    /// One half of one day; no weight means that it was deleted.
    struct Record: Equatable {
        let day: CalendarDay
        let half: DayHalf
        let weight: Weight?
    }

    /// The version of the schema below, kept in the file (`PRAGMA user_version`).
    private static let schemaVersion = 1

    private static let schema = """
        CREATE TABLE weight (
            day TEXT NOT NULL,                                   -- YYYY-MM-DD
            half TEXT NOT NULL CHECK (half IN ('am', 'pm')),
            grams INTEGER,                                       -- NULL: deleted, for good
            PRIMARY KEY (day, half)
        ) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 1;
        """

    private let path: String
    private let selectRange: SQLiteDatabase.Statement
    private let upsert: SQLiteDatabase.Statement

    /// Opens the file; makes it, and the folders on its way, where they do not exist.
    ///
    /// - Parameter busyTimeout: how long a lock of another process is waited for, in milliseconds.
    init(path: String, busyTimeout: Int32 = 2000) throws(DiaryError) {
        try Folders.make(for: path)
        do throws(SQLiteDatabase.Failure) {
            let database = try SQLiteDatabase(path: path, busyTimeout: busyTimeout)
            // WAL: readers and the writer of another process do not wait for each other. FULL: a write that was
            // answered survives a loss of power.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            let version = try Self.schema(of: database)
            guard version == Self.schemaVersion else {
                throw SQLiteDatabase.Failure(
                    code: 0,
                    message: "its schema has version \(version), this program knows \(Self.schemaVersion)")
            }
            selectRange = try database.prepare(
                "SELECT day, half, grams FROM weight WHERE day BETWEEN ?1 AND ?2 ORDER BY day")
            upsert = try database.prepare(
                "INSERT INTO weight (day, half, grams) VALUES (?1, ?2, ?3) "
                    + "ON CONFLICT (day, half) DO UPDATE SET grams = excluded.grams")
        } catch {
            throw DiaryError(path: path, doing: "open", error)
        }
        self.path = path
    }

    /// Makes the schema in a new file; gives the version that the file has. Two processes that open a new
    /// file at once do not get in each other's way.
    private static func schema(of database: SQLiteDatabase) throws(SQLiteDatabase.Failure) -> Int {
        try database.execute("BEGIN IMMEDIATE")
        var version = 0
        do throws(SQLiteDatabase.Failure) {
            try database.prepare("PRAGMA user_version").run([]) { version = $0.integer(0) ?? 0 }
            if version == 0 {
                try database.execute(schema)
                version = schemaVersion
            }
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
        return version
    }

    /// What was written or deleted on the days from `first` to `last`, by day.
    func records(from first: CalendarDay, to last: CalendarDay) throws(DiaryError) -> [Record] {
        var records: [Record] = []
        do throws(SQLiteDatabase.Failure) {
            try selectRange.run([.text(first.description), .text(last.description)]) { row in
                guard let day = CalendarDay(row.text(0)), let half = DayHalf(rawValue: row.text(1)) else {
                    return
                }
                records.append(Record(day: day, half: half, weight: row.integer(2).map(Weight.init(grams:))))
            }
        } catch {
            throw DiaryError(path: path, doing: "read", error)
        }
        return records
    }

    /// Writes a weight, or that there is none.
    func set(_ weight: Weight?, on day: CalendarDay, _ half: DayHalf) throws(DiaryError) {
        do throws(SQLiteDatabase.Failure) {
            let grams = weight.map { SQLiteDatabase.Value.integer($0.grams) } ?? .null
            try upsert.run([.text(day.description), .text(half.rawValue), grams])
        } catch {
            throw DiaryError(path: path, doing: "write", error)
        }
    }
}

extension DiaryError {
    fileprivate init(path: String, doing what: String, _ failure: SQLiteDatabase.Failure) {
        self.init(
            path: path, message: "cannot \(what) it: \(failure.message)",
            code: failure.code == 0 ? nil : failure.code)
    }
}
