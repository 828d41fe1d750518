public import JSONBytes

/// A caller with an API key.
public struct APIKey: Sendable, Equatable {
    /// The name in the file.
    public let name: String
    /// A JSON object: `sub` with the name, and the claims of the line.
    public let claims: JSONFragment
}

/// What is wrong with a line of a file of API keys. The text shows no key, hash or value of a claim.
public struct APIKeyFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the line, from 1.
    public let line: Int
    /// What is wrong, in words.
    public let reason: String

    /// The line and what is wrong with it.
    public var description: String { "line \(line): \(reason)" }
}
