import Locking
import Resilience

/// The descriptors of files that answers take, of all loops of a process: static files that are sent, and
/// answers that wait on disk.
///
/// Clients divide them by address: one alone gets half, and as much stays free. So a client that reads many
/// files slowly leaves some to the others, and files never take the descriptors of connections.
public final class FileDescriptors: Sendable {
    /// A descriptor in use, until the last reference to it is gone.
    public final class Place: Sendable {
        private let total: FileDescriptors
        private let client: AddressPrefix

        fileprivate init(_ total: FileDescriptors, _ client: AddressPrefix) {
            self.total = total
            self.client = client
        }

        deinit { total.giveBack(by: client) }
    }

    private let shares: Lock<FairShares<AddressPrefix>>

    /// - Parameter limit: how many the process may have open. Default: any number.
    public init(limit: Int = .max) {
        shares = Lock(FairShares(capacity: limit))
    }

    /// Takes a descriptor for a file that is sent to a client. Returns nil if the client has its share. On
    /// any thread.
    public func take(for client: AddressPrefix) -> Place? {
        shares.withLock { $0.take(for: client) } ? Place(self, client) : nil
    }

    private func giveBack(by client: AddressPrefix) {
        shares.withLock { $0.giveBack(by: client) }
    }
}
