/// Tags, and the tags that people have given to each other's cards. Not thread-safe.
final class TagStore {
    struct Tag: Equatable {
        let id: Int
        let name: String
        let englishName: String
        let icon: String
    }

    struct ReceivedTag: Equatable {
        let id: Int
        let tag: Tag
        let sender: String
        let englishSender: String
        let receivedAt: String
    }

    /// The tags of a card, if they are visible.
    enum Card: Equatable {
        case unknown
        /// The owner has blocked the card.
        case blocked
        /// Newest tag first.
        case open([ReceivedTag])
    }

    static let schema = """
        CREATE TABLE tag (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            name_en TEXT NOT NULL,
            icon TEXT NOT NULL
        ) STRICT;
        INSERT INTO tag (id, name, name_en, icon) VALUES
            (1, '성실한 개미', 'Diligent ant', '🐜'), (2, '따뜻한 난로', 'Warm stove', '🔥'),
            (3, '빛나는 아이디어', 'Shining idea', '💡'), (4, '든든한 나무', 'Steady tree', '🌳'),
            (5, '유쾌한 돌고래', 'Cheerful dolphin', '🐬'), (6, '차분한 바다', 'Calm sea', '🌊'),
            (7, '빠른 치타', 'Swift cheetah', '🐆'), (8, '다정한 고양이', 'Kind cat', '🐱');
        CREATE TABLE card (
            uuid TEXT PRIMARY KEY,                               -- lower case
            is_blocked INTEGER NOT NULL CHECK (is_blocked IN (0, 1))
        ) STRICT, WITHOUT ROWID;
        INSERT INTO card (uuid, is_blocked) VALUES
            ('3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c01', 0), ('3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c02', 0),
            ('3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c03', 1);
        CREATE TABLE received_tag (
            id INTEGER PRIMARY KEY,
            card TEXT NOT NULL REFERENCES card (uuid),
            tag INTEGER NOT NULL REFERENCES tag (id),
            sender TEXT NOT NULL,
            sender_en TEXT NOT NULL,
            received_at TEXT NOT NULL
        ) STRICT;
        INSERT INTO received_tag (id, card, tag, sender, sender_en, received_at) VALUES
            (1, '3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c01', 3, '이파랑', 'Blue Lee', '2026-10-02T09:12:00Z'),
            (2, '3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c01', 7, '박빨강', 'Red Park', '2026-10-17T01:40:00Z'),
            (3, '3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c01', 8, '정하늘', 'Haneul Jeong', '2026-11-03T12:05:00Z'),
            (4, '3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c03', 1, '최보라', 'Violet Choi', '2026-11-05T07:30:00Z');
        """

    private let selectAll: SampleDatabase.Statement
    private let selectCard: SampleDatabase.Statement
    private let selectReceived: SampleDatabase.Statement

    init(_ database: SampleDatabase) throws(SampleDataError) {
        selectAll = try database.prepare("SELECT id, name, name_en, icon FROM tag ORDER BY id")
        selectCard = try database.prepare("SELECT is_blocked FROM card WHERE uuid = ?1")
        selectReceived = try database.prepare(
            """
            SELECT tag.id, tag.name, tag.name_en, tag.icon, received_tag.id, sender, sender_en, received_at
            FROM received_tag JOIN tag ON tag.id = received_tag.tag
            WHERE card = ?1 ORDER BY received_at DESC
            """)
    }

    func all() throws(SampleDataError) -> [Tag] {
        var tags: [Tag] = []
        try selectAll.read([]) { tags.append(Self.tag(in: $0)) }
        return tags
    }

    /// Returns the tags of a card. `uuid` is in lower case.
    func card(_ uuid: String) throws(SampleDataError) -> Card {
        var isBlocked: Bool?
        try selectCard.read([.text(uuid)]) { isBlocked = $0.integer(0) == 1 }
        guard let isBlocked else { return .unknown }
        guard !isBlocked else { return .blocked }
        var received: [ReceivedTag] = []
        try selectReceived.read([.text(uuid)]) { row in
            received.append(
                ReceivedTag(
                    id: row.integer(4) ?? 0, tag: Self.tag(in: row), sender: row.text(5),
                    englishSender: row.text(6), receivedAt: row.text(7)))
        }
        return .open(received)
    }

    private static func tag(in row: SQLiteDatabase.Row) -> Tag {
        Tag(id: row.integer(0) ?? 0, name: row.text(1), englishName: row.text(2), icon: row.text(3))
    }
}
