public import Sluice

/// A visitor of the demo's page, named by a random ID. The faults that a visitor sets and the weights that a
/// visitor records concern only requests with the same ID.
public struct SampleVisitor: Hashable, RequestValue {
    /// The field of requests that carries the ID.
    public static let field: HTTPFieldName = "Demo-Visitor"
    /// What an id must be.
    public static let rule = "16 to 64 letters, digits and hyphens"

    let id: String

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText id: String) {
        let isValid = id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard isValid, (16...64).contains(id.utf8.count) else { return nil }
        self.id = id
    }

    /// Returns the visitor of a request to an upstream, whom the field or the query names; nil if neither
    /// does. A page names itself in the query: with a field of its own, a browser would ask for permission
    /// before each request (Fetch, CORS-preflight).
    static func read(_ request: GatewayRequest) throws -> SampleVisitor? {
        let (field, query) = try request.parameters(
            .field(ifPresent: "\(field)", as: Self.self), .query(ifPresent: "visitor", as: Self.self))
        guard field == nil || query == nil else {
            throw GatewayError.invalidRequest("Both the field Demo-Visitor and the query name a visitor")
        }
        return field ?? query
    }
}

extension GatewayRequest {
    /// Returns the visitor of the demo's page who sent the request to the gateway; nil for other clients.
    public func visitor() throws -> SampleVisitor? {
        try parameter(.field(ifPresent: "\(SampleVisitor.field)", as: SampleVisitor.self))
    }
}
