import ASCIIText

/// The content codings that a client accepts (RFC 9110 12.5.3).
package struct AcceptedCodings: Sendable, Hashable {
    /// Weights in thousandths, by coding.
    private var weights: [String: Int] = [:]

    /// Reads the Accept-Encoding lines and skips malformed members.
    public init(_ fields: HTTPFields) {
        for value in fields.valueBytes(of: .acceptEncoding) {
            for member in value.split(separator: UInt8(ascii: ",")) { read(member) }
        }
    }

    private mutating func read(_ member: ArraySlice<UInt8>) {
        var scanner = ParameterScanner(member)
        guard let coding = scanner.token()?.lowercased() else { return }
        var weight = 1000
        if scanner.skipSemicolon() {
            guard let name = scanner.token(), name == "q" || name == "Q", scanner.skip(Byte.equals),
                let text = scanner.token(), let read = AcceptedMediaTypes.weight(text)
            else { return }
            weight = read
        }
        guard !scanner.skipSemicolon(), scanner.isAtEnd else { return }
        weights[coding == "x-gzip" ? "gzip" : coding] = weight
    }

    /// Returns the coding that the client weighs most, and no less than `identity`; the first of equals. Nil
    /// without the field.
    public func best(of codings: [String]) -> String? {
        var best: (coding: String, weight: Int)?
        for coding in codings where prefers(coding) {
            let weight = weights[coding] ?? weights["*"] ?? 0
            if best.map({ weight > $0.weight }) ?? true { best = (coding, weight) }
        }
        return best?.coding
    }

    /// Whether the client accepts the coding and weighs it no less than `identity`. False without the field.
    public func prefers(_ coding: String) -> Bool {
        guard let weight = weights[coding] ?? weights["*"], weight > 0 else { return false }
        return weight >= weights["identity"] ?? 0
    }
}
