public import HTTPModel
import Networking

/// Fields of requests that the access log has.
public struct LoggedFields: Sendable, Hashable, CustomStringConvertible {
    /// The names of the fields.
    public let names: [HTTPFieldName]

    /// No field.
    public static let none = LoggedFields()

    /// The most fields.
    package static let most = 8
    /// Fields that carry credentials in spite of their names. Whoever reads the log could act for the client.
    private static let secrets: Set<HTTPFieldName> = ["X-Forwarded-Client-Cert", "X-Amzn-Oidc-Data"]
    /// Fields that carry none.
    private static let harmless: Set<HTTPFieldName> = ["Idempotency-Key"]

    private init() { names = [] }

    /// - Throws: `Fault` for a text that is not a field name, for a name that carries credentials or is given
    ///   twice, and for more than 8 names.
    public init(_ texts: [String]) throws(Fault) {
        var names: [HTTPFieldName] = []
        for text in texts {
            guard let name = HTTPFieldName(text) else { throw Fault("\"\(text)\" is not a field name") }
            let isSecret = Self.secrets.contains(name) || Networking.Redaction.hides(name)
            guard !isSecret || Self.harmless.contains(name) else {
                throw Fault("\(name) carries credentials, which no log may have")
            }
            guard !names.contains(name) else { throw Fault("\(name) is given twice") }
            names.append(name)
        }
        guard names.count <= Self.most else { throw Fault("at most \(Self.most) fields are logged") }
        self.names = names
    }

    /// The value as text, for logs and messages.
    public var description: String { names.map(\.description).joined(separator: ", ") }

    /// Why names cannot be logged.
    public struct Fault: Error, CustomStringConvertible {
        /// What is wrong, in words.
        public let description: String

        init(_ description: String) { self.description = description }
    }
}
