import ASCIIText

/// A URI or a reference to one (RFC 3986), as the parts between its delimiters.
///
/// `HTTPURL` reads strictly what a gateway calls. This one names schemas: any scheme, or none.
struct SchemaURI: Hashable, Sendable, CustomStringConvertible {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    /// Splits any text (RFC 3986 appendix B).
    init(_ text: String) {
        var rest = text.utf8[...]
        func string(_ part: Substring.UTF8View) -> String { String(Substring(part)) }
        if let hash = rest.firstIndex(of: Byte.hash) {
            fragment = string(rest[rest.index(after: hash)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: Byte.questionMark) {
            query = string(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: Byte.colon), Self.isScheme(rest[..<colon]) {
            scheme = string(rest[..<colon]).lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: Byte.slash) ?? rest.endIndex
            authority = string(rest[..<end])
            rest = rest[end...]
        }
        path = string(rest)
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, ASCII.isLetter(first) else { return false }
        return text.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
    }

    var description: String {
        var text = scheme.map { "\($0):" } ?? ""
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// The text without a fragment: the name of a resource.
    var resource: String {
        var uri = self
        uri.fragment = nil
        return uri.description
    }

    /// Resolves a reference against this URI (RFC 3986 5.2.2).
    func resolving(_ text: String) -> SchemaURI {
        var target = SchemaURI(text)
        if target.scheme != nil {
            target.path = Self.withoutDotSegments(target.path)
            return target
        }
        target.scheme = scheme
        if target.authority != nil {
            target.path = Self.withoutDotSegments(target.path)
            return target
        }
        target.authority = authority
        if target.path.isEmpty {
            target.path = path
            target.query = target.query ?? query
        } else if target.path.utf8.first == Byte.slash {
            target.path = Self.withoutDotSegments(target.path)
        } else {
            target.path = Self.withoutDotSegments(folder + target.path)
        }
        return target
    }

    /// The path up to its last slash (RFC 3986 5.2.3).
    private var folder: String {
        if authority != nil, path.isEmpty { return "/" }
        guard let slash = path.utf8.lastIndex(of: Byte.slash) else { return "" }
        return String(path[...slash])
    }

    /// RFC 3986 5.2.4. A path without dots, such as `isbn:123` of a URN, stays as it is.
    private static func withoutDotSegments(_ path: String) -> String {
        guard path.utf8.contains(Byte.point) else { return path }
        let isAbsolute = path.utf8.first == Byte.slash
        let segments = path.utf8.split(separator: Byte.slash, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        var kept: [String] = []
        for (index, segment) in segments.dropFirst(isAbsolute ? 1 : 0).enumerated() {
            let isLast = index == segments.count - (isAbsolute ? 2 : 1)
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }
}
