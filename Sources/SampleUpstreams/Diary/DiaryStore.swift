/// The recorded weights, with one row for each half of a day that was ever written or deleted. Not thread-safe.
final class DiaryStore {
    /// One half of a day. A record without a weight was deleted.
    struct Record: Equatable {
        let day: CalendarDay
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

    private let selectRange: SampleDatabase.Statement
    private let upsert: SampleDatabase.Statement

    init(_ database: SampleDatabase) throws(SampleDataError) {
        selectRange = try database.prepare(
            "SELECT day, half, grams FROM weight WHERE day BETWEEN ?1 AND ?2 ORDER BY day")
        upsert = try database.prepare(
            "INSERT INTO weight (day, half, grams) VALUES (?1, ?2, ?3) "
                + "ON CONFLICT (day, half) DO UPDATE SET grams = excluded.grams")
    }

    func records(from first: CalendarDay, to last: CalendarDay) throws(SampleDataError) -> [Record] {
        var records: [Record] = []
        try selectRange.read([.text(first.description), .text(last.description)]) { row in
            guard let day = CalendarDay(row.text(0)), let half = DayHalf(rawValue: row.text(1)) else {
                return
            }
            records.append(Record(day: day, half: half, weight: row.integer(2).map(Weight.init(grams:))))
        }
        return records
    }

    /// Writes a weight; nil marks it as deleted.
    func set(_ weight: Weight?, on day: CalendarDay, _ half: DayHalf) throws(SampleDataError) {
        let grams = weight.map { SQLiteDatabase.Value.integer($0.grams) } ?? .null
        try upsert.write([.text(day.description), .text(half.rawValue), grams])
    }
}
