internal import Sluice

/// The recorded weights, with one row for each half of a day that was ever written or deleted. Not
/// thread-safe.
///
/// A weight is recorded for one visitor of the demo's page, or for everybody. A visitor has the weights that
/// it has recorded, and for all other halves everybody's.
final class DiaryStore {
    /// One half of a day. A record without a weight was deleted.
    struct Record: Equatable {
        let day: CalendarDate
        let half: DayHalf
        let weight: Weight?
    }

    static let schema = """
        CREATE TABLE weight (
            day TEXT NOT NULL,                                   -- YYYY-MM-DD
            half TEXT NOT NULL CHECK (half IN ('am', 'pm')),
            grams INTEGER,                                       -- NULL: deleted, for good
            PRIMARY KEY (day, half)
        ) STRICT, WITHOUT ROWID;
        """

    /// The weights that were recorded before there were visitors belong to everybody.
    static let visitorSchema = """
        CREATE TABLE visitor (
            id TEXT NOT NULL PRIMARY KEY,
            used INTEGER NOT NULL                                -- rises with each write
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX visitor_used ON visitor (used);
        CREATE TABLE visitor_weight (
            visitor TEXT NOT NULL,                               -- empty: everybody
            day TEXT NOT NULL,
            half TEXT NOT NULL CHECK (half IN ('am', 'pm')),
            grams INTEGER,
            PRIMARY KEY (visitor, day, half)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO visitor_weight SELECT '', day, half, grams FROM weight;
        DROP TABLE weight;
        """

    /// The number of visitors whose weights are kept. One more replaces the visitor whose last write is the
    /// oldest.
    static let visitorLimit = 1024
    /// The halves that one visitor may have written or deleted.
    static let recordLimit = 1000

    private let database: SampleDatabase
    private let selectRange: SampleDatabase.Statement
    private let upsert: SampleDatabase.Statement
    private let count: SampleDatabase.Statement
    private let useVisitor: SampleDatabase.Statement
    private let forgetWeights: SampleDatabase.Statement
    private let forgetVisitors: SampleDatabase.Statement
    private let visitorLimit: Int

    init(_ database: SampleDatabase, visitorLimit: Int = DiaryStore.visitorLimit) throws(SampleDataError) {
        self.database = database
        self.visitorLimit = visitorLimit
        // A visitor's own records come last, so they replace everybody's records.
        selectRange = try database.prepare(
            "SELECT day, half, grams FROM visitor_weight WHERE visitor IN ('', ?3) AND day BETWEEN ?1 AND ?2 "
                + "ORDER BY visitor, day")
        upsert = try database.prepare(
            "INSERT INTO visitor_weight (visitor, day, half, grams) VALUES (?1, ?2, ?3, ?4) "
                + "ON CONFLICT (visitor, day, half) DO UPDATE SET grams = excluded.grams")
        count = try database.prepare("SELECT count(*) FROM visitor_weight WHERE visitor = ?1")
        useVisitor = try database.prepare(
            "INSERT INTO visitor (id, used) VALUES (?1, (SELECT coalesce(max(used), 0) + 1 FROM visitor)) "
                + "ON CONFLICT (id) DO UPDATE SET used = excluded.used")
        let forgotten = "(SELECT id FROM visitor ORDER BY used DESC LIMIT -1 OFFSET ?1)"
        forgetWeights = try database.prepare("DELETE FROM visitor_weight WHERE visitor IN \(forgotten)")
        forgetVisitors = try database.prepare("DELETE FROM visitor WHERE id IN \(forgotten)")
    }

    /// Runs `work` without writes of other processes in between. What it has written is undone if it throws.
    func transaction(_ work: () throws(SampleDataError) -> Void) throws(SampleDataError) {
        try database.transaction(work)
    }

    /// Returns the records that a visitor has, one for each half.
    func records(
        from first: CalendarDate, to last: CalendarDate, of visitor: SampleVisitor? = nil
    ) throws(SampleDataError) -> [Record] {
        var records: [Record] = []
        let values = [first.description, last.description, visitor?.id ?? ""]
        try selectRange.read(values.map { .text($0) }) { row in
            guard let day = CalendarDate(row.text(0)), let half = DayHalf(rawValue: row.text(1)) else {
                return
            }
            records.append(Record(day: day, half: half, weight: row.integer(2).map(Weight.init(grams:))))
        }
        return records
    }

    /// Whether a visitor has as many records as it may have.
    func isFull(for visitor: SampleVisitor) throws(SampleDataError) -> Bool {
        var records = 0
        try count.read([.text(visitor.id)]) { records = $0.integer(0) ?? 0 }
        return records >= Self.recordLimit
    }

    /// Writes a weight of a visitor or, for nil, of everybody; a nil weight marks it as deleted.
    func set(
        _ weight: Weight?, on day: CalendarDate, _ half: DayHalf, of visitor: SampleVisitor? = nil
    ) throws(SampleDataError) {
        let grams = weight.map { SQLiteDatabase.Value.integer($0.grams) } ?? .null
        let key = [visitor?.id ?? "", day.description, half.rawValue].map { SQLiteDatabase.Value.text($0) }
        try upsert.write(key + [grams])
        guard let visitor else { return }
        try useVisitor.write([.text(visitor.id)])
        for statement in [forgetWeights, forgetVisitors] { try statement.write([.integer(visitorLimit)]) }
    }
}
