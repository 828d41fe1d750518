/// A way to make content shorter that is undone on this side (RFC 9110 8.4.1). A set that may grow.
public struct ContentCoding: Sendable, Hashable, CustomStringConvertible {
    enum Format: Sendable { case gzip, deflate, brotli }

    let format: Format

    /// RFC 1952; `x-gzip` is the same.
    public static let gzip = ContentCoding(format: .gzip)
    /// RFC 1950, and RFC 1951 without the wrapping, as some servers send and browsers read.
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

    /// What Accept-Encoding may say: every coding that is undone here.
    public static let accepted = "gzip, deflate, br"

    /// More of them in a row than this are refused: nobody needs a third, but who wants to keep us busy.
    public static let mostInARow = 2

    /// What the values of Content-Encoding say, in the order in which the codings were applied; `identity` is none.
    ///
    /// - Parameter values: one a field line, each a list.
    /// - Throws: `.unknown`, also where there are more than `mostInARow`.
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
                guard codings.count <= mostInARow else { throw .unknown }
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
