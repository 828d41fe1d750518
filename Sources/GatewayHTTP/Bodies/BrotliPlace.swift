import EventIO
import GatewayCore
import Locking
import Resilience

/// A place among the br decoders of the process, which clients share fairly. Given back with this object.
final class BrotliPlace: Sendable {
    private static let places = Lock(FairShares<AddressPrefix>(capacity: CodedBody.mostBrotli))

    private let client: AddressPrefix

    /// Returns nil if the client has its share.
    init?(for client: AddressPrefix) {
        guard Self.places.withLock({ $0.take(for: client) }) else { return nil }
        self.client = client
    }

    deinit { Self.places.withLock { $0.giveBack(by: client) } }
}
