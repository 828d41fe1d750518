package import HTTPModel

/// An endpoint whose requests pass through to an upstream, and whose responses pass back.
package struct PlannedProxy: Sendable {
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
    package var path: Located<EndpointPath>
    package var upstream: Located<String>
    /// Where the rest of the path continues at the upstream, percent-encoded. Nil for the root of its URL.
    package var upstreamPath: Located<String>?
    /// Nil for all.
    package var methods: [Located<Method>]?
    package var requestHeaders = PassedHeaders()
    package var responseHeaders = PassedHeaders()
    package var settings = PlannedSettings()
    /// The form of failures that the gateway answers itself.
    @Placed package var envelope: PlannedAnswer.Envelope?

    /// Where the endpoint is declared: its path's key.
    package var place: ConfigPlace
    /// Its first member.
    package var start: ConfigPlace
    /// The number of endpoints of the other kind that the files have before it.
    package var precedingEndpoints = 0

    package init(
        _ path: Located<EndpointPath>, to upstream: Located<String>, at place: ConfigPlace, start: ConfigPlace
    ) {
        self.path = path
        self.upstream = upstream
        self.place = place
        self.start = start
    }

    package var usedMethods: [Method] { methods?.map(\.value) ?? Method.allCases }
}

/// Header fields that pass in one direction, besides the standard ones.
package struct PassedHeaders: Sendable {
    package var added: [Located<HTTPFieldName>] = []
    /// Standard fields that do not pass.
    package var removed: [Located<HTTPFieldName>] = []

    package init(added: [Located<HTTPFieldName>] = [], removed: [Located<HTTPFieldName>] = []) {
        self.added = added
        self.removed = removed
    }
}
