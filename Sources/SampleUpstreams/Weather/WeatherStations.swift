/// The weather stations on the Korean weather agency's grid of 5 km cells. Not thread-safe.
final class WeatherStations {
    static let schema = """
        CREATE TABLE weather_station (
            nx INTEGER NOT NULL,
            ny INTEGER NOT NULL,
            name TEXT NOT NULL,
            name_en TEXT NOT NULL,
            PRIMARY KEY (nx, ny)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO weather_station (nx, ny, name, name_en) VALUES
            (60, 127, '서울', 'Seoul'), (98, 76, '부산', 'Busan'), (89, 90, '대구', 'Daegu'),
            (55, 124, '인천', 'Incheon'), (58, 74, '광주', 'Gwangju'), (67, 100, '대전', 'Daejeon'),
            (102, 84, '울산', 'Ulsan'), (66, 103, '세종', 'Sejong'), (60, 120, '수원', 'Suwon'),
            (73, 134, '춘천', 'Chuncheon'), (92, 131, '강릉', 'Gangneung'), (69, 107, '청주', 'Cheongju'),
            (55, 106, '홍성', 'Hongseong'), (63, 89, '전주', 'Jeonju'), (50, 67, '목포', 'Mokpo'),
            (91, 106, '안동', 'Andong'), (90, 77, '창원', 'Changwon'), (52, 38, '제주', 'Jeju'),
            (127, 127, '울릉', 'Ulleung');
        """

    private let nearest: SampleDatabase.Statement

    init(_ database: SampleDatabase) throws(SampleDataError) {
        // 15 cells are 75 km.
        nearest = try database.prepare(
            """
            SELECT 1 FROM weather_station
            WHERE (nx - ?1) * (nx - ?1) + (ny - ?2) * (ny - ?2) <= 15 * 15 LIMIT 1
            """)
    }

    func cover(_ point: GridPoint) throws(SampleDataError) -> Bool {
        var isCovered = false
        try nearest.read([.integer(point.nx), .integer(point.ny)]) { _ in isCovered = true }
        return isCovered
    }
}

/// A cell of the weather agency's grid.
public struct GridPoint: Equatable, Sendable {
    /// Eastward, 1 to 149.
    public let nx: Int
    /// Northward, 1 to 253.
    public let ny: Int

    /// Creates a point.
    public init(nx: Int, ny: Int) {
        self.nx = nx
        self.ny = ny
    }

    /// The columns of the grid.
    public static let columns = 1...149
    /// The rows of the grid.
    public static let rows = 1...253
    /// The point of Seoul.
    public static let seoul = GridPoint(nx: 60, ny: 127)
}
