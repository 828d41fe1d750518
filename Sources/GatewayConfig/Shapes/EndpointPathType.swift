import ASCIIText
import EndpointPlans

extension ValueType where Value == EndpointPath {
    /// The path of an endpoint.
    static let endpointPath = path(allowsRest: false)

    /// The path of an endpoint whose requests pass through.
    static let proxyPath = path(allowsRest: true)

    private static func path(allowsRest: Bool) -> ValueType {
        ValueType(.type("string", [("pattern", .text("^/"))]), unknown: nil) { (scalar) throws(ScalarFault) in
            try path(scalar, allowsRest: allowsRest)
        }
    }

    private static func path(_ scalar: YAMLScalar, allowsRest: Bool) throws(ScalarFault) -> EndpointPath {
        guard !scalar.isUnknown else {
            return EndpointPath(text: scalar.text, segments: [], shown: scalar.text, isUnknown: true)
        }
        // The value of a variable adds no parameter.
        let addsBraces = scalar.substitution?.pieces.contains { piece in
            if case .literal(let text) = piece { text.utf8.contains(Byte.openBrace) } else { false }
        }
        guard addsBraces != true else { throw .unfit("has braces in the value of a variable") }
        return EndpointPath(
            text: scalar.text, segments: try EndpointPath.segments(scalar.text, allowsRest: allowsRest),
            shown: scalar.substitution?.written ?? scalar.text, isUnknown: false)
    }
}

extension EndpointPath {
    fileprivate static func segments(
        _ text: String, allowsRest: Bool
    ) throws(ScalarFault) -> [Segment] {
        guard text.utf8.first == Byte.slash else { throw .unfit("does not begin with a slash") }
        guard text.utf8.count <= 2000 else { throw .rule("a path has at most 2000 bytes") }
        guard text.utf8.count > 1 else { return [] }
        var segments: [Segment] = []
        var names: Set<String> = []
        // Split by bytes, because a slash and a combining mark after it are one Character.
        for part in text.utf8.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false) {
            if case .rest? = segments.last {
                throw .unfit("has a segment after {NAME...}, which must be the last")
            }
            let segment = try segment(Substring(part), allowsRest: allowsRest)
            if let name = segment.parameter, !names.insert(name).inserted {
                throw .unfit("has a parameter twice")
            }
            segments.append(segment)
        }
        return segments
    }

    private static func segment(_ text: Substring, allowsRest: Bool) throws(ScalarFault) -> Segment {
        guard !text.isEmpty else { throw .unfit("has an empty segment; a path does not end with a slash") }
        if text.utf8.first == Byte.openBrace || text.utf8.last == Byte.closeBrace {
            var name = Substring(text.utf8.dropFirst().dropLast())
            let isRest = allowsRest && name.hasSuffix("...")
            if isRest { name = name.dropLast(3) }
            guard text.utf8.first == Byte.openBrace, text.utf8.last == Byte.closeBrace, isName(name) else {
                throw .unfit(
                    "has a segment with braces in it; a parameter is a whole segment, {name}, with a name of "
                        + "letters, digits and _")
            }
            return isRest ? .rest(String(name)) : .parameter(String(name))
        }
        guard text != ".", text != ".." else {
            throw .unfit("has the segment \(text), which no request can match")
        }
        if text.utf8.first == Byte.colon {
            throw .unfit("has the segment \(Shown.text(String(text))); a parameter is written {NAME}")
        }
        guard text != "*" else {
            throw .unfit(
                allowsRest
                    ? "has the segment *; all that follows is {NAME...}"
                    : "has the segment *; a parameter is written {NAME}")
        }
        guard text.utf8.allSatisfy(isLiteral) else {
            throw .unfit("has a segment with one of % ? # { } \\ or a blank; literals are written decoded")
        }
        return .literal(String(text))
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
