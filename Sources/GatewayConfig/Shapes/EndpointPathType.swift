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
    ) throws(ScalarFault) -> [PathTemplate.Segment] {
        guard text.utf8.count <= 2000 else { throw .rule("a path has at most 2000 bytes") }
        let segments: [PathTemplate.Segment]
        do throws(PathTemplateError) {
            segments = try PathTemplate(text, allowsRest: allowsRest).segments
        } catch {
            throw .unfit(error.description)
        }
        // Parameters of other gateways, which are literals here.
        for case .literal(let bytes) in segments {
            if bytes.first == Byte.colon {
                let shown = Shown.text(String(decoding: bytes, as: UTF8.self))
                throw .unfit("has the segment \(shown); a parameter is written {NAME}")
            }
            if bytes == [UInt8(ascii: "*")] {
                throw .unfit(
                    allowsRest
                        ? "has the segment *; all that follows is {NAME...}"
                        : "has the segment *; a parameter is written {NAME}")
            }
        }
        return segments
    }
}
