import EndpointPlans
import HTTPModel
import Networking
import Synchronization

/// The endpoint that a request's method and path match, with the values of its path parameters.
package final class EndpointMatch: Sendable {
    let endpoint: Endpoint
    let parameters: PathParameters
    /// Takes the place of the handler, for requests that pass through middleware but that no endpoint takes.
    package enum Substitute: Sendable {
        /// 404 or 405.
        case error(GatewayError)
        /// 204 with this `Allow`, for OPTIONS.
        case allow(String)
        /// The request is for a static file.
        case file
    }

    let substitute: Substitute?
    /// The index of the endpoint, less than `GatewayResponder.endpointCount`.
    package let endpointNumber: Int
    /// Whether the endpoint has a limit of its own, which `hasRoom` and `enter` keep.
    package let isLimited: Bool

    init(_ endpoint: Endpoint, _ parameters: PathParameters = .none) {
        self.endpoint = endpoint
        self.parameters = parameters
        substitute = nil
        endpointNumber = endpoint.number
        isLimited = endpoint.settings.concurrency != nil
    }

    /// The same endpoint's middleware with something else than its handler. Does not count as a request of
    /// the endpoint, but as one of `number`.
    private init(_ other: EndpointMatch, _ substitute: Substitute, number: Int) {
        endpoint = other.endpoint
        parameters = other.parameters
        self.substitute = substitute
        endpointNumber = number
        isLimited = false
    }

    func with(_ substitute: Substitute, number: Int) -> EndpointMatch {
        EndpointMatch(self, substitute, number: number)
    }

    /// Returns the match for a static file at a path that no endpoint has; nil for any other request.
    package var forFile: EndpointMatch? {
        guard case .error(let error) = substitute, error.code == .notFound else { return nil }
        return EndpointMatch(self, .file, number: endpointNumber)
    }

    /// The endpoint's path template; nil if the endpoint does not take the request.
    var route: String? { substitute == nil ? endpoint.template.text : nil }

    /// The endpoint's method and path template, for messages: `GET /products/{id}`.
    package var name: String { endpoint.origin.endpoint }

    /// In bytes.
    package var bodyLimit: Int { endpoint.settings.bodyLimit }

    /// Whether the handler reads the body as it arrives.
    package var streamsBody: Bool { endpoint.settings.streamsBody }

    /// Whether `GatewayResponder.refusal` may refuse a request by its head.
    package var checksHead: Bool { endpoint.settings.plan?.readsBody == true && substitute == nil }

    /// Whether `GatewayResponder.admit` may refuse a request. Where no endpoint is, nobody is asked for
    /// credentials: paths are not secret.
    package var hasAccess: Bool { access != nil }

    var access: AccessPlan? { substitute == nil ? endpoint.settings.access : nil }

    /// Whether answers may be compressed.
    package var compresses: Bool { endpoint.settings.compresses }

    /// From when on a request is slow; nil for the gateway's own time.
    package var slowLimit: Duration? { endpoint.settings.slow }

    /// Whether the endpoint's own limit has room for another request.
    package var hasRoom: Bool {
        guard let limit = endpoint.settings.concurrency else { return true }
        return endpoint.requestsInFlight.load(ordering: .relaxed) < limit
    }

    /// Takes a place of the endpoint's own limit. Returns nil if none is left, or if the endpoint has no
    /// limit.
    package func enter() -> EndpointPlace? {
        guard let limit = endpoint.settings.concurrency else { return nil }
        guard endpoint.requestsInFlight.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
            endpoint.requestsInFlight.wrappingSubtract(1, ordering: .relaxed)
            return nil
        }
        return EndpointPlace(at: endpoint)
    }

    /// Returns the match with these values; `self`, without an allocation, for an empty list.
    func with(_ parameters: PathParameters) -> EndpointMatch {
        parameters.isEmpty ? self : EndpointMatch(endpoint, parameters)
    }
}
