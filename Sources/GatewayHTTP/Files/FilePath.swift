import HTTPModel

/// The path of a request as that of a file beneath a root. Whatever it says, it leads nowhere else.
struct FilePath: Hashable, Sendable {
    /// `css/page.css`: names that do not begin with a dot, with one slash between them.
    let text: String

    /// As the kernel takes it (PATH_MAX with its NUL, and room for `.gz`).
    static let mostBytes = 4092
    /// Of a name (NAME_MAX), with the same room.
    static let mostBytesOfName = 252

    /// Nil where no file can be at that path: an empty name within it (`//`), one that begins with a dot (`..` among them), an
    /// encoded slash, a backslash, a control character, an escape that is none, what is no UTF-8, or too much of it.
    ///
    /// - Parameter raw: as it came, percent-encoded.
    init?(_ raw: ArraySlice<UInt8>) {
        guard raw.first == UInt8(ascii: "/") else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(raw.count + Self.index.utf8.count)
        let names = raw.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (place, encoded) in names.enumerated() {
            if place > 0 { text.append(UInt8(ascii: "/")) }
            if encoded.isEmpty, place == names.count - 1 {
                text += Self.index.utf8
                break
            }
            // Each on its own, so that what is decoded is no separator.
            guard let name = try? PercentEncoding.decode(encoded), let first = name.first,
                first != UInt8(ascii: "."), name.count <= Self.mostBytesOfName,
                !name.contains(where: Self.isForbidden)
            else { return nil }
            text += name
        }
        guard text.count <= Self.mostBytes, let text = String(validating: text, as: UTF8.self) else {
            return nil
        }
        self.text = text
    }

    private static let index = "index.html"

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }
}
