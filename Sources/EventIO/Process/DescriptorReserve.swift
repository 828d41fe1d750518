internal import Synchronization

/// Descriptors that clients, upstreams and files leave to listeners that accept from the reserve, so that a
/// program whose descriptors are used up can still be asked why. Held until the last reference is gone.
package final class DescriptorReserve: Sendable {
    private static let total = Atomic<Int32>(0)
    /// The descriptors of all reserves of the process. At most an eighth of its descriptors is kept.
    static var held: Int32 { total.load(ordering: .relaxed) }

    private let count: Int32

    package init(_ count: Int) {
        self.count = Int32(clamping: count)
        Self.total.add(self.count, ordering: .relaxed)
    }

    deinit { Self.total.subtract(count, ordering: .relaxed) }

    /// Returns how many descriptors a reserve really keeps.
    package static func kept(_ count: Int, of descriptors: Int) -> Int { min(count, descriptors / 8) }
}
