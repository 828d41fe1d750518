import HTTPModel

/// The path of a file relative to a root, made from a request's path. It cannot lead out of the root.
struct FilePath: Hashable, Sendable {
    /// `css/page.css`: names that do not begin with a dot, separated by one slash.
    let text: String

    /// The longest path, in bytes: PATH_MAX without NUL and `.gz`.
    static let mostBytes = 4092
    /// The longest name, in bytes: NAME_MAX without `.gz`.
    static let mostBytesOfName = 252

    /// Nil if the path has an empty name (`//`), a name that begins with a dot (such as `..`), an encoded
    /// slash, a backslash, a control character, an invalid escape or invalid UTF-8, or is too long.
    ///
    /// - Parameter raw: the percent-encoded path of the request.
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
            // Split before decoding, so that an encoded slash is not a separator.
            guard let name = try? PercentEncoding.decode(encoded), let first = name.first,
                first != UInt8(ascii: "."), name.count <= Self.mostBytesOfName,
                !name.contains(where: PercentEncoding.isForbiddenInSegment)
            else { return nil }
            text += name
        }
        guard text.count <= Self.mostBytes, let text = String(validating: text, as: UTF8.self) else {
            return nil
        }
        self.text = text
    }

    private static let index = "index.html"
}
