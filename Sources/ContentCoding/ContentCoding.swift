/// A content coding that this module decodes (RFC 9110, 8.4.1). More may be added.
public struct ContentCoding: Sendable, Hashable, CustomStringConvertible {
    enum Format: Sendable { case gzip, deflate, brotli }

    let format: Format

    /// RFC 1952. `x-gzip` is an alias.
    public static let gzip = ContentCoding(format: .gzip)
    /// RFC 1950, or bare RFC 1951, which some servers send and browsers accept.
    public static let deflate = ContentCoding(format: .deflate)
    /// RFC 7932.
    public static let brotli = ContentCoding(format: .brotli)

    /// The registered name.
    public var description: String {
        switch format {
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        }
    }

    /// The most codings that may be stacked. More would only cost time.
    public static let maximumCount = 2

    /// Parses the values of Content-Encoding into codings, in the order in which they were applied.
    /// `identity` is skipped.
    ///
    /// - Parameter values: one list for each field line.
    /// - Throws: `.unknown` for an unknown coding, or for more than `maximumCount`.
    public static func list(
        _ values: some Sequence<ArraySlice<UInt8>>
    ) throws(ContentCodingError) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for value in values {
            for element in value.split(separator: UInt8(ascii: ",")) {
                let name = String(decoding: element, as: UTF8.self).lowercased()
                    .trimming { $0 == " " || $0 == "\t" }
                switch name {
                case "", "identity": continue
                case "gzip", "x-gzip": codings.append(.gzip)
                case "deflate": codings.append(.deflate)
                case "br": codings.append(.brotli)
                default: throw .unknown
                }
                guard codings.count <= maximumCount else { throw .unknown }
            }
        }
        return codings
    }
}

extension String {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> String {
        let start = drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}
