internal import Sluice

/// A user's portrait as SVG: the initials in a circle whose color comes from the name. Equal profiles have
/// equal pictures.
struct UserPicture {
    /// White text has a contrast of 4.5:1 or more on each.
    private static let colors = [
        "#0b6b66", "#4254c5", "#9a4600", "#17703b", "#7a3fb0", "#a8326e", "#3b5f7a", "#6b5a00",
    ]

    let text: String
    let tag: EntityTag

    init(of profile: UserDirectory.Profile) {
        // Letters need no escape in XML.
        let initials = profile.englishName.split(separator: " ").compactMap(\.first).filter(\.isLetter)
        let color = Self.colors[Int(Self.hash(profile.name) % UInt64(Self.colors.count))]
        text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">\
            <circle cx="48" cy="48" r="48" fill="\(color)"/>\
            <text x="48" y="48" dy=".35em" fill="#fff" font-family="sans-serif" font-size="38" font-weight="700" \
            text-anchor="middle">\(String(initials.prefix(2)))</text></svg>

            """
        tag = EntityTag(Self.hash(text))
    }

    /// FNV-1a, the same in every run.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
