import Networking
import Synchronization

/// The place of a request at an endpoint with a limit of its own. It stays taken as long as the request, or
/// one of its calls that go on after it, holds it.
package final class EndpointPlace: RequestPlace {
    private let endpoint: Endpoint
    private let holders = Atomic(1)

    /// - Parameter endpoint: the endpoint, which has counted the request.
    init(at endpoint: Endpoint) { self.endpoint = endpoint }

    /// The request has ended, or only its client delays it.
    package func leave() {
        guard holders.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
        endpoint.requestsInFlight.wrappingSubtract(1, ordering: .relaxed)
    }

    package func hold() -> any AnyObject & Sendable { Hold(of: self) }

    /// Takes the place again if the request left first, because another thread cancelled its call.
    private func enter() {
        guard holders.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
        endpoint.requestsInFlight.wrappingAdd(1, ordering: .relaxed)
    }

    private final class Hold: Sendable {
        private let place: EndpointPlace

        init(of place: EndpointPlace) {
            self.place = place
            place.enter()
        }

        deinit { place.leave() }
    }
}
