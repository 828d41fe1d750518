import Synchronization

/// The endpoint that a request's method and path match, with the values of its path parameters.
package final class EndpointMatch: Sendable {
    let endpoint: Endpoint
    /// The decoded segments that the template's parameters match, in the order of the template.
    let parameters: [ArraySlice<UInt8>]
    /// The index of the endpoint, less than `GatewayResponder.endpointCount`.
    package let endpointNumber: Int
    /// Whether the endpoint has a limit of its own, which `hasRoom`, `enter` and `leave` keep.
    package let isLimited: Bool

    init(_ endpoint: Endpoint, _ parameters: [ArraySlice<UInt8>] = []) {
        self.endpoint = endpoint
        self.parameters = parameters
        endpointNumber = endpoint.number
        isLimited = endpoint.settings.concurrency != nil
    }

    /// In bytes.
    package var bodyLimit: Int { endpoint.settings.bodyLimit }

    /// Whether the endpoint's own limit has room for another request.
    package var hasRoom: Bool {
        guard let limit = endpoint.settings.concurrency else { return true }
        return endpoint.requestsInFlight.load(ordering: .relaxed) < limit
    }

    /// Takes a place of the endpoint's own limit, if it has one. Returns false if none is left.
    package func enter() -> Bool {
        guard let limit = endpoint.settings.concurrency else { return true }
        guard endpoint.requestsInFlight.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
            leave()
            return false
        }
        return true
    }

    /// Gives the place back.
    package func leave() {
        guard endpoint.settings.concurrency != nil else { return }
        endpoint.requestsInFlight.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Returns the match with these values; `self`, without an allocation, if there are none.
    func with(_ parameters: [ArraySlice<UInt8>]) -> EndpointMatch {
        parameters.isEmpty ? self : EndpointMatch(endpoint, parameters)
    }
}
