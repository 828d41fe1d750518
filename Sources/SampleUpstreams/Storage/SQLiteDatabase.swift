internal import CSQLite

// The only file that calls SQLite.

/// A connection to a database file. Not thread-safe (`SQLITE_OPEN_NOMUTEX`).
///
/// `init` opens the handle and `deinit` closes it. Statements retain their database.
final class SQLiteDatabase {
    private let handle: OpaquePointer

    struct Failure: Error {
        /// The extended result code.
        let code: Int32
        /// SQLite's message, which does not name the file.
        let message: String
    }

    /// Opens or creates the file. Statements wait up to `busyTimeout` milliseconds for a lock of another
    /// process.
    init(path: String, busyTimeout: Int32) throws(Failure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw Failure(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        guard code == SQLITE_OK else {
            let failure = Failure(code: code, message: String(cString: sqlite3_errmsg(opened)))
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyTimeout)
    }

    deinit {
        // close_v2 closes the connection once the last statement is finalized.
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return no rows, separated by semicolons.
    func execute(_ statements: String) throws(Failure) {
        try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    /// Runs `work` in a transaction, which is rolled back if it throws. Takes the write lock at the start.
    func transaction(_ work: () throws(Failure) -> Void) throws(Failure) {
        try execute("BEGIN IMMEDIATE")
        do throws(Failure) {
            try work()
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    func prepare(_ text: String) throws(Failure) -> Statement {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
        guard let prepared else { throw Failure(code: SQLITE_MISUSE, message: "an empty statement") }
        return Statement(database: self, handle: prepared)
    }

    /// Throws SQLite's error unless `code` is one of its three success codes.
    private func check(_ code: Int32) throws(Failure) {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    enum Value {
        case text(String)
        case integer(Int)
        case real(Double)
        case null
    }

    /// A prepared statement. `deinit` finalizes it before it releases its database.
    final class Statement {
        private let database: SQLiteDatabase
        private let handle: OpaquePointer

        fileprivate init(database: SQLiteDatabase, handle: OpaquePointer) {
            self.database = database
            self.handle = handle
        }

        deinit { sqlite3_finalize(handle) }

        /// Runs the statement with these parameters and calls `row` for each row.
        func run(_ values: [Value], row: (Row) -> Void = { _ in }) throws(Failure) {
            defer {
                sqlite3_reset(handle)
                sqlite3_clear_bindings(handle)
            }
            for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
            while true {
                let code = sqlite3_step(handle)
                try database.check(code)
                guard code == SQLITE_ROW else { return }
                row(Row(handle: handle))
            }
        }

        private func bind(_ value: Value, at index: Int32) throws(Failure) {
            switch value {
            case .text(let text):
                // -1 is SQLITE_TRANSIENT, a macro that Swift does not import. SQLite then copies the text.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                try database.check(sqlite3_bind_text(handle, index, text, -1, transient))
            case .integer(let number): try database.check(sqlite3_bind_int64(handle, index, Int64(number)))
            case .real(let number): try database.check(sqlite3_bind_double(handle, index, number))
            case .null: try database.check(sqlite3_bind_null(handle, index))
            }
        }
    }

    /// The current row of a statement; valid until the statement's next step.
    struct Row {
        fileprivate let handle: OpaquePointer

        func text(_ column: Int32) -> String {
            sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
        }

        /// 0 if the column is not a number.
        func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

        func integer(_ column: Int32) -> Int? {
            guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
            return Int(sqlite3_column_int64(handle, column))
        }
    }
}
