/// User profiles by name. Not thread-safe.
final class UserDirectory {
    struct Profile: Equatable {
        let id: Int
        let name: String
        let koreanName: String
        let englishName: String
        let level: Int
        let tier: String
        let joinedOn: String
        let introduction: String
    }

    static let schema = """
        CREATE TABLE user_profile (
            name TEXT PRIMARY KEY,
            id INTEGER NOT NULL UNIQUE,
            name_ko TEXT NOT NULL,
            name_en TEXT NOT NULL,
            level INTEGER NOT NULL,
            tier TEXT NOT NULL,
            joined_on TEXT NOT NULL,                             -- YYYY-MM-DD
            introduction TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO user_profile (name, id, name_ko, name_en, level, tier, joined_on, introduction) VALUES
            ('GREEN', 1001, '김초록', 'Green Kim', 42, 'GOLD', '2021-03-14', '반응형으로 생각하는 개발자입니다.'),
            ('BLUE', 1002, '이파랑', 'Blue Lee', 27, 'SILVER', '2022-07-01', '한강에서 달리기를 좋아해요.'),
            ('RED', 1003, '박빨강', 'Red Park', 63, 'PLATINUM', '2020-01-09', 'Coffee first, streams second.'),
            ('VIOLET', 1004, '최보라', 'Violet Choi', 8, 'BRONZE', '2026-05-20', '이제 막 시작했습니다!'),
            ('하늘', 1005, '정하늘', 'Haneul Jeong', 35, 'GOLD', '2023-11-11', '구름 사진을 모읍니다.');
        """

    private let select: SampleDatabase.Statement

    init(_ database: SampleDatabase) throws(SampleDataError) {
        select = try database.prepare(
            """
            SELECT id, name, name_ko, name_en, level, tier, joined_on, introduction FROM user_profile
            WHERE name = ?1
            """)
    }

    /// Returns the profile with this name, which is case-sensitive.
    func profile(_ name: String) throws(SampleDataError) -> Profile? {
        var profile: Profile?
        try select.read([.text(name)]) { row in
            profile = Profile(
                id: row.integer(0) ?? 0, name: row.text(1), koreanName: row.text(2), englishName: row.text(3),
                level: row.integer(4) ?? 0, tier: row.text(5), joinedOn: row.text(6),
                introduction: row.text(7))
        }
        return profile
    }
}
