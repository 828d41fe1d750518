import AccessControl
public import HTTPModel

/// An API key for tests, and the line by which a gateway knows it.
///
///     let shop = try TestAPIKey("shop", claims: ["plan=pro"])
///     try await withGateway(.virtualTime) { gateway in
///         gateway.auth("partners", .apiKeys(APIKeySettings(lines: [shop.line])))
///         gateway.get("/stock", .require("partners")) { _ in .json(7) }
///     } _: { client in
///         #expect(try await client.get("/stock", shop.fields()).status == .ok)
///     }
///
/// If a file of the gateway names the keys' file, write the line there before the test.
public struct TestAPIKey: Sendable {
    /// The secret, which the client sends.
    public let key: String
    /// The line of the keys' file, without its end.
    public let line: String

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: who has it.
    ///   - claims: words such as `plan=pro`, as the file has them.
    /// - Throws: an error that says what is wrong with the name or a claim.
    public init(_ name: String, claims: [String] = []) throws {
        let made = try APIKeyMaker.make(name: name, claims: claims)
        (key, line) = (made.key, made.line)
    }

    /// Returns the field of a request with the key.
    ///
    /// - Parameter header: the name of the field.
    public func fields(_ header: HTTPFieldName = "X-API-Key") -> HTTPFields { [header: key] }
}
