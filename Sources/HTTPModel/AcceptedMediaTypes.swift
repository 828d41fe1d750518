import ASCIIText

/// The media types that a client accepts, with their weights (RFC 9110 12.5.1).
public struct AcceptedMediaTypes: Sendable, Hashable {
    struct Range: Sendable, Hashable {
        let type: MediaType
        /// In thousandths.
        let weight: Int

        /// How closely the range names the type; nil if it does not cover the type.
        func precision(for wanted: MediaType) -> Int? {
            if type.type == "*" { return type.subtype == "*" ? 0 : nil }
            guard type.type == wanted.type else { return nil }
            if type.subtype == "*" { return 1 }
            guard type.subtype == wanted.subtype else { return nil }
            guard type.parameters.allSatisfy(wanted.parameters.contains) else { return nil }
            return 2 + type.parameters.count
        }
    }

    private let ranges: [Range]?

    /// Reads the Accept lines and skips malformed members. Without any, every type is accepted.
    public init(_ fields: HTTPFields) {
        let values = fields.valueBytes(of: .accept)
        ranges = values.isEmpty ? nil : values.flatMap(Self.ranges(in:))
    }

    /// Returns the weight of a type, 0 to 1000; 0 if it is not accepted. The most precise range decides.
    public func weight(of type: MediaType) -> Int {
        guard let ranges else { return 1000 }
        var best: (precision: Int, weight: Int)?
        for range in ranges {
            guard let precision = range.precision(for: type) else { continue }
            if precision > best?.precision ?? -1 { best = (precision, range.weight) }
        }
        return best?.weight ?? 0
    }

    /// Whether the client wants failures as RFC 9457 problem details: it names `application/problem+json`
    /// without a wildcard and weighs it no less than `application/json`.
    public var prefersProblemJSON: Bool {
        guard let ranges else { return false }
        guard let problem = ranges.first(where: { $0.type.isSameType(as: .problemJSON) }), problem.weight > 0
        else {
            return false
        }
        let json = ranges.first { $0.type.isSameType(as: .json) }
        return problem.weight >= json?.weight ?? 0
    }

    private static func ranges(in value: ArraySlice<UInt8>) -> [Range] {
        ParameterScanner.members(of: value).compactMap { member in
            guard let type = MediaType(bytes: member) else { return nil }
            guard let weightAt = type.parameters.firstIndex(where: { $0.name == "q" }) else {
                return Range(type: type, weight: 1000)
            }
            guard let weight = weight(type.parameters[weightAt].value) else { return nil }
            let bare = MediaType(
                type: type.type, subtype: type.subtype, parameters: Array(type.parameters[..<weightAt]))
            return Range(type: bare, weight: weight)
        }
    }

    /// Reads a `qvalue` (RFC 9110 12.4.2), in thousandths.
    static func weight(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == Byte.zero || first == UInt8(ascii: "1"), bytes.count <= 5
        else { return nil }
        guard bytes.count == 1 || bytes[1] == Byte.point else { return nil }
        var weight = first == Byte.zero ? 0 : 1000
        var place = 100
        for digit in bytes.dropFirst(2) {
            guard ASCII.isDigit(digit) else { return nil }
            weight += Int(digit - Byte.zero) * place
            place /= 10
        }
        return weight <= 1000 ? weight : nil
    }
}
