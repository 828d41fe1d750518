/// What a client would like beside what it asks for (RFC 7240): the preferences of all its Prefer lines.
///
///     Prefer: respond-async, wait=10
///     Prefer: timeline
public struct Preferences: Sendable, Hashable {
    /// By names in lower case.
    private let values: [String: String]

    /// Reads the Prefer lines. A preference that is malformed is left out; of one that is there twice the first counts.
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

    /// The preference's value: empty where it has none, which is the same; nil where it is not there.
    ///
    /// - Parameter name: in any case.
    public subscript(name: String) -> String? { values[name.lowercased()] }

    /// `token [ BWS "=" BWS word ] *( OWS ";" [ OWS parameter ] )`; the parameters are read and left out.
    private static func preference(_ member: ArraySlice<UInt8>) -> (name: String, value: String)? {
        var scanner = ParameterScanner(member)
        guard let name = scanner.token() else { return nil }
        guard let value = word(&scanner) else { return nil }
        while scanner.skipSemicolon() {
            if scanner.token() != nil, word(&scanner) == nil { return nil }
        }
        return scanner.isAtEnd ? (name.lowercased(), value) : nil
    }

    /// What is behind an equals sign: empty where there is none, nil where nothing is behind it.
    private static func word(_ scanner: inout ParameterScanner) -> String? {
        scanner.skipEquals() ? scanner.tokenOrQuoted() : ""
    }
}
