import GatewayCore
import Resilience

/// Divides the requests that one loop may have in flight among the endpoints, so that one of them, waiting
/// for a slow upstream, leaves room for the others. Confined to the loop.
struct RequestAdmission {
    private var share: FairShare
    private var held: [Int]
    private let counters: RequestCounters

    /// - Parameters:
    ///   - capacity: requests in flight on the loop.
    ///   - endpoints: the number of endpoints.
    ///   - counters: count refusals.
    init(capacity: Int, endpoints: Int, counters: RequestCounters) {
        self.counters = counters
        share = FairShare(capacity: capacity)
        held = Array(repeating: 0, count: endpoints)
    }

    /// Refuses a request whose endpoint has no room.
    mutating func check(_ match: EndpointMatch) throws(GatewayError) {
        guard share.admitsAll || share.admits(holding: held[match.endpointNumber]) else {
            throw refused(.overloaded, by: .endpointShare)
        }
        guard !match.isLimited || match.hasRoom else {
            throw refused(.endpointOverloaded, by: .endpointLimit)
        }
    }

    /// Takes a place for a request that `check` has just admitted. Call `leave` once it is answered.
    ///
    /// - Returns: the place at an endpoint with a limit of its own; nil at any other.
    /// - Throws: another loop has taken the endpoint's last place since then.
    mutating func enter(_ match: EndpointMatch) throws(GatewayError) -> EndpointPlace? {
        let place = match.isLimited ? match.enter() : nil
        guard !match.isLimited || place != nil else {
            throw refused(.endpointOverloaded, by: .endpointLimit)
        }
        share.take()
        held[match.endpointNumber] += 1
        return place
    }

    mutating func leave(_ match: EndpointMatch, _ place: EndpointPlace? = nil) {
        place?.leave()
        share.giveBack()
        held[match.endpointNumber] -= 1
    }

    private func refused(_ error: GatewayError, by refusal: Refusal) -> GatewayError {
        counters.count(refusal)
        return error
    }
}
