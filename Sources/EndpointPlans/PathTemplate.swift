import ASCIIText

/// The declared path of an endpoint: `/api/weights/{date}/{half}`.
///
/// A segment is either a literal or a parameter in braces, which matches exactly one segment. `{name...}`,
/// only at the end, matches the rest of the path. Literals are written decoded and compared byte by byte with
/// the percent-decoded segments of a request; case matters.
package struct PathTemplate: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        case literal([UInt8])
        case parameter(String)
        /// All segments from here on, which may be empty: `/files/{path...}` matches `/files/`, but not
        /// `/files`.
        case rest(String)

        package var parameter: String? {
            switch self {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    package let text: String
    package let segments: [Segment]

    package var parameterNames: [String] { segments.compactMap(\.parameter) }

    package var endsInRest: Bool {
        if case .rest? = segments.last { true } else { false }
    }

    /// - Parameter allowsRest: whether `{name...}` may be at the end.
    /// - Throws: an error phrased to follow the path: "has an empty segment".
    package init(_ text: String, allowsRest: Bool = true) throws(PathTemplateError) {
        guard text.utf8.first == Byte.slash else { throw PathTemplateError("does not begin with a slash") }
        self.text = text
        guard text.utf8.count > 1 else {
            segments = []
            return
        }
        var segments: [Segment] = []
        var names: Set<String> = []
        // Split by bytes, because a slash and a combining mark after it are one Character.
        for part in text.utf8.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false) {
            if case .rest(let name)? = segments.last {
                throw PathTemplateError("has a segment after {\(name)...}, which must be the last")
            }
            let segment = try Self.segment(Substring(part), allowsRest)
            if let name = segment.parameter, !names.insert(name).inserted {
                throw PathTemplateError("has the parameter {\(name)} twice")
            }
            segments.append(segment)
        }
        self.segments = segments
    }

    private static func segment(_ text: Substring, _ allowsRest: Bool) throws(PathTemplateError) -> Segment {
        guard !text.isEmpty else {
            throw PathTemplateError("has an empty segment; a path does not end with a slash")
        }
        if text.utf8.first == Byte.openBrace || text.utf8.last == Byte.closeBrace {
            var name = Substring(text.utf8.dropFirst().dropLast())
            let isRest = allowsRest && name.hasSuffix("...")
            if isRest { name = name.dropLast(3) }
            guard text.utf8.first == Byte.openBrace, text.utf8.last == Byte.closeBrace, isName(name) else {
                throw PathTemplateError(
                    "has a segment with braces in it; a parameter is a whole segment, {name}"
                        + (allowsRest ? " or {name...}" : "")
                        + ", with a name of letters, digits and _, and no digit first")
            }
            return isRest ? .rest(String(name)) : .parameter(String(name))
        }
        guard text != ".", text != ".." else {
            throw PathTemplateError("has the segment \(text), which no request can match")
        }
        guard text.utf8.allSatisfy(isLiteral) else {
            throw PathTemplateError(
                "has a segment with one of % ? # { } \\ or a blank; literals are written decoded")
        }
        return .literal(Array(text.utf8))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !ASCII.isDigit(first) else { return false }
        return text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case Byte.percent, Byte.questionMark, Byte.hash, Byte.openBrace, Byte.closeBrace, Byte.backslash:
            false
        default: byte > 0x20 && byte != 0x7f
        }
    }
}

extension [PathTemplate.Segment] {
    /// Returns which of the gateway's own paths the path of an endpoint would match; nil if it matches none.
    ///
    /// - Parameters:
    ///   - own: the paths, such as `/health/live`.
    ///   - shown: the path of the endpoint, for the message.
    package func conflict(with own: [String], _ shown: String) -> (neverRuns: Bool, message: String)? {
        let covered = own.filter(matches)
        guard !covered.isEmpty else { return nil }
        if allSatisfy({ $0.parameter == nil }) {
            return (true, "\(shown) never runs: the gateway itself answers at this path, with any method")
        }
        guard case .literal? = first else { return nil }
        return (
            false,
            "\(shown) gets no requests for \(covered.joined(separator: " and ")): the gateway itself answers them"
        )
    }

    /// Whether a request with this plain path, which is not `/`, can match.
    private func matches(_ path: String) -> Bool {
        var rest = path.utf8.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false)[...]
        for segment in self {
            if case .rest = segment { return !rest.isEmpty }
            guard let text = rest.popFirst() else { return false }
            if case .literal(let literal) = segment, !text.elementsEqual(literal) { return false }
        }
        return rest.isEmpty
    }
}

/// Why a path is not a template, phrased to follow the path. Shows no literal of the path.
package struct PathTemplateError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
