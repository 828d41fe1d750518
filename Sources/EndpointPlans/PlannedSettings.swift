package import HTTPModel

/// The settings that endpoints of all kinds have. Nil stands for a default of the gateway.
package struct PlannedSettings: Sendable {
    @Placed package var bodyLimit: Int?
    /// Nanoseconds.
    @Placed package var deadline: Int?
    /// Request fields that go to all upstreams called.
    package var forward: [Located<HTTPFieldName>] = []
    /// The upstreams that get `Authorization`.
    package var credentials: [Located<String>] = []
    /// The upstreams that get `Cookie`.
    package var cookies: [Located<String>] = []
    /// Who may call. Nil: everyone may.
    package var requirement: PlannedRequirement?
    /// The names of the limits that a request must pass. Nil: none, unless a default of the program has some.
    package var rateLimits: [Located<String>]?
    /// Whether writes with cookies must come from an allowed origin.
    @Placed package var csrf: Bool?
    /// The most requests in flight.
    @Placed package var concurrency: Int?
    /// Whether answers may be compressed.
    @Placed package var compression: Bool?
    /// From when on a request is slow, in nanoseconds.
    @Placed package var slow: Int?

    package init() {}

    /// The names of the limits that the file gives; without any, an empty list.
    package var limits: [Located<String>] { rateLimits ?? [] }

    /// Returns the fields of an upstream that the client's own replace: identities are never mixed.
    package func credentialFields(for upstream: String) -> [HTTPFieldName] {
        var names: [HTTPFieldName] = []
        if credentials.contains(where: { $0.value == upstream }) { names.append(.authorization) }
        if cookies.contains(where: { $0.value == upstream }) { names.append(.cookie) }
        return names
    }
}
