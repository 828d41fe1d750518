internal import ASCIIText
internal import Sluice

/// The named places, and the posted paths. Not thread-safe.
final class PathStore {
    static let schema = """
        CREATE TABLE place (
            name TEXT PRIMARY KEY,
            name_en TEXT NOT NULL,
            category TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO place (name, name_en, category, latitude, longitude) VALUES
            ('반포동 집', 'Home in Banpo', 'home', 37.5, 127.0),
            ('강남역', 'Gangnam Station', 'transit', 37.49794, 127.02762),
            ('판교테크노밸리', 'Pangyo Techno Valley', 'work', 37.40206, 127.10841),
            ('광화문 사무실', 'Office at Gwanghwamun', 'work', 37.57108, 126.97685),
            ('서울숲', 'Seoul Forest', 'exercise', 37.54437, 127.03744),
            ('여의도한강공원', 'Yeouido Hangang Park', 'exercise', 37.52842, 126.93288),
            ('성수동 카페거리', 'Seongsu Café Street', 'cafe', 37.54229, 127.05648),
            ('광장시장', 'Gwangjang Market', 'food', 37.57004, 126.99951),
            ('홍대입구역', 'Hongik Univ. Station', 'transit', 37.55715, 126.92536),
            ('국립중앙박물관', 'National Museum of Korea', 'other', 37.52398, 126.98040);
        CREATE TABLE path_point (
            user TEXT NOT NULL,
            at INTEGER NOT NULL,                                 -- milliseconds since 1970
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            PRIMARY KEY (user, at)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX path_point_at ON path_point (at);
        """

    let places: [Place]
    private let database: SampleDatabase
    private let upsert: SampleDatabase.Statement
    private let selectRange: SampleDatabase.Statement

    init(_ database: SampleDatabase) throws(SampleDataError) {
        self.database = database
        upsert = try database.prepare(
            """
            INSERT INTO path_point (user, at, latitude, longitude) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (user, at) DO UPDATE SET latitude = excluded.latitude, longitude = excluded.longitude
            """)
        selectRange = try database.prepare(
            """
            SELECT user, at, latitude, longitude FROM path_point WHERE at BETWEEN ?1 AND ?2 ORDER BY user, at
            """)
        let all = try database.prepare(
            "SELECT name, name_en, category, latitude, longitude FROM place ORDER BY name")
        var places: [Place] = []
        try all.read([]) { row in
            places.append(
                Place(
                    name: row.text(0), englishName: row.text(1),
                    category: PlaceCategory(rawValue: row.text(2)) ?? .other,
                    coordinate: Coordinate(latitude: row.real(3), longitude: row.real(4))))
        }
        self.places = places
    }

    /// Stores the points of a path, all or none. A point replaces an earlier one of the same user and time.
    func add(_ path: DailyPath) throws(SampleDataError) {
        try database.transaction { () throws(SampleDataError) in
            for point in path.points {
                try upsert.write([
                    .text(path.user), .integer(point.at.millisecondsSince1970),
                    .real(point.coordinate.latitude), .real(point.coordinate.longitude),
                ])
            }
        }
    }

    /// Returns the points of a day (in UTC) by user, sorted by time.
    func points(on day: CalendarDate) throws(SampleDataError) -> [String: [PathPoint]] {
        let start = day.daysSince1970 * 86_400_000
        var points: [String: [PathPoint]] = [:]
        try selectRange.read([.integer(start), .integer(start + 86_399_999)]) { row in
            let point = PathPoint(
                at: InternetTime(millisecondsSince1970: row.integer(1) ?? 0),
                coordinate: Coordinate(latitude: row.real(2), longitude: row.real(3)))
            points[row.text(0), default: []].append(point)
        }
        return points
    }
}
