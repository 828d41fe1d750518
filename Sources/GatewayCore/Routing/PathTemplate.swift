/// The declared path of an endpoint: `/api/weights/{date}/{half}`.
///
/// A segment is either a literal or a parameter in braces, which matches exactly one segment. `{name...}`,
/// only at the end, matches the rest of the path. Literals are written decoded and compared byte by byte with
/// the percent-decoded segments of a request; case matters.
struct PathTemplate: Sendable, Equatable {
    enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case parameter(String)
        /// All segments from here on, which may be empty: `/files/{path...}` matches `/files/`, but not
        /// `/files`.
        case rest(String)
    }

    let text: String
    let segments: [Segment]

    var parameterNames: [String] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    var endsInRest: Bool {
        if case .rest? = segments.last { true } else { false }
    }

    /// - Throws: an error phrased to follow the path: "must begin with a slash".
    init(_ text: String) throws(PathTemplateError) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw PathTemplateError("must begin with a slash")
        }
        self.text = text
        guard text != "/" else {
            segments = []
            return
        }
        var segments: [Segment] = []
        var names: Set<String> = []
        // Split by bytes, because a slash and a combining mark after it are one Character.
        for part in text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            if case .rest(let name)? = segments.last {
                throw PathTemplateError("has the parameter {\(name)...} before its end")
            }
            let segment = try Self.segment(Substring(part))
            switch segment {
            case .literal: break
            case .parameter(let name), .rest(let name):
                guard names.insert(name).inserted else {
                    throw PathTemplateError("has the parameter {\(name)} twice")
                }
            }
            segments.append(segment)
        }
        self.segments = segments
    }

    private static func segment(_ text: Substring) throws(PathTemplateError) -> Segment {
        if text.isEmpty {
            throw PathTemplateError("has an empty segment; a path must not end with a slash")
        }
        let opens = text.utf8.first == UInt8(ascii: "{")
        let closes = text.utf8.last == UInt8(ascii: "}")
        if opens || closes {
            var name = Substring(text.utf8.dropFirst().dropLast())
            let isRest = name.hasSuffix("...")
            if isRest { name = name.dropLast(3) }
            guard opens, closes, isName(name) else {
                throw PathTemplateError(
                    "has the segment \(text); a parameter is a whole segment, {name} or {name...}, with a name of "
                        + "letters, digits and _"
                )
            }
            return isRest ? .rest(String(name)) : .parameter(String(name))
        }
        if text == "." || text == ".." {
            throw PathTemplateError("has the segment \(text), which no request can match")
        }
        if let byte = text.utf8.first(where: { !isLiteral($0) }) {
            throw PathTemplateError(
                "has \"\(Character(Unicode.Scalar(byte)))\" in the segment \(text); literals are written decoded,"
                    + " of visible characters other than % ? # { } \\")
        }
        return .literal(Array(text.utf8))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default:
                false
            }
        }
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "\\"):
            false
        default:
            byte > 0x20 && byte != 0x7f
        }
    }
}

struct PathTemplateError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
