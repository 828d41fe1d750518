/// A client's preferences (RFC 7240), from all its Prefer lines.
///
///     Prefer: respond-async, wait=10
///     Prefer: timeline
package struct Preferences: Sendable, Hashable {
    /// Values by lowercase name.
    private let values: [String: String]

    /// Reads the Prefer lines. Malformed preferences are skipped. If a name repeats, its first preference
    /// counts.
    public init(_ fields: HTTPFields) {
        var values: [String: String] = [:]
        for line in fields.valueBytes(of: .prefer) {
            for member in ParameterScanner.members(of: line) {
                guard let (name, value) = Self.preference(member), values[name] == nil else { continue }
                values[name] = value
            }
        }
        self.values = values
    }

    /// The value of the preference with that name, in any case. Empty if it has no value, nil if it is
    /// absent.
    public subscript(name: String) -> String? { values[name.lowercased()] }

    /// Reads `token [ BWS "=" BWS word ] *( OWS ";" [ OWS parameter ] )` and drops the parameters.
    private static func preference(_ member: ArraySlice<UInt8>) -> (name: String, value: String)? {
        var scanner = ParameterScanner(member)
        guard let name = scanner.token() else { return nil }
        guard let value = word(&scanner) else { return nil }
        while scanner.skipSemicolon() {
            if scanner.token() != nil, word(&scanner) == nil { return nil }
        }
        return scanner.isAtEnd ? (name.lowercased(), value) : nil
    }

    /// Reads `[ BWS "=" BWS word ]`. Empty without an equals sign, nil if no word follows it.
    private static func word(_ scanner: inout ParameterScanner) -> String? {
        scanner.skipEquals() ? scanner.tokenOrQuoted() : ""
    }
}
