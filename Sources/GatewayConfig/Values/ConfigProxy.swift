package import HTTPModel

/// An endpoint whose requests pass through to an upstream, and whose responses pass back.
package struct ConfigProxy: Sendable, ConfigEndpointSettings {
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        package var httpMethod: HTTPMethod {
            switch self {
            case .get: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
        }
    }

    /// May end in a parameter for the rest of the request's path.
    package var path: Located<ConfigPath>
    package var upstream: Located<String>
    /// Where the rest of the path continues at the upstream, percent-encoded. Nil for the root of its URL.
    package var upstreamPath: Located<String>?
    /// Nil for all.
    package var methods: [Located<Method>]?
    package var requestHeaders = ConfigPassedHeaders()
    package var responseHeaders = ConfigPassedHeaders()
    package var bodyLimit: Located<ByteCount>?
    package var deadline: Located<Nanoseconds>?
    package var forward: [Located<HTTPFieldName>] = []
    package var credentials: [Located<String>] = []
    package var cookies: [Located<String>] = []
    package var concurrency: Located<ConfigSwitch<Int>>?
    package var compression: Located<Bool>?
    /// The form of failures that the gateway answers itself.
    package var envelope: Located<ConfigAnswer.Envelope>?

    /// Where the endpoint is declared: its path's key.
    package var place: ConfigPlace
    /// Its first member.
    package var start: ConfigPlace
    /// The number of endpoints of the other kind that the files have before it.
    package var precedingEndpoints = 0

    package var usedMethods: [Method] { methods?.map(\.value) ?? Method.allCases }
}

/// Header fields that pass in one direction, besides the standard ones.
package struct ConfigPassedHeaders: Sendable {
    package var added: [Located<HTTPFieldName>] = []
    /// Standard fields that do not pass.
    package var removed: [Located<HTTPFieldName>] = []
}

/// The settings that endpoints of all kinds have. Nil stands for a default of the gateway.
package protocol ConfigEndpointSettings {
    var bodyLimit: Located<ByteCount>? { get set }
    var deadline: Located<Nanoseconds>? { get set }
    /// Request fields that go to all upstreams called.
    var forward: [Located<HTTPFieldName>] { get set }
    /// The upstreams that get `Authorization`.
    var credentials: [Located<String>] { get set }
    /// The upstreams that get `Cookie`.
    var cookies: [Located<String>] { get set }
    /// The most requests in flight.
    var concurrency: Located<ConfigSwitch<Int>>? { get set }
    /// Whether answers may be compressed.
    var compression: Located<Bool>? { get set }
}
