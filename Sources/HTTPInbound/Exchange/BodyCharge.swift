internal import Synchronization

/// The memory of a large request body, charged to `InboundLimits.bufferedBodies` of its loop until this
/// object is released. Whoever keeps the body keeps this too. Released on any thread.
public final class BodyCharge: Sendable {
    /// Smaller bodies have no charge of their own. They count until their request has been answered.
    static let least = 16 * 1024

    private let budget: BodyBudget
    private let amount: Atomic<Int>
    /// The addresses of the body; all addresses if other memory may belong to it.
    private let addresses: Range<UInt>

    init(_ budget: BodyBudget, _ amount: Int, addresses: Range<UInt>) {
        self.budget = budget
        self.amount = Atomic(amount)
        self.addresses = addresses
    }

    deinit { budget.giveBack(amount.load(ordering: .relaxed)) }

    /// Charges more, for what is made of the body. Returns false, and charges nothing, if that exceeds the
    /// limit.
    public func grow(by count: Int) -> Bool {
        guard budget.take(count) else { return false }
        amount.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    /// Whether one of these pieces of an answer may be a part of the body, so that the body stays in memory
    /// until the piece is sent.
    public func isShared(by pieces: [ArraySlice<UInt8>]) -> Bool {
        pieces.contains { piece in
            piece.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else { return false }
                return addresses.contains(UInt(bitPattern: start))
            }
        }
    }
}

/// The memory of the request bodies of a loop, for what a reader collects of a streamed body. Used from any
/// thread.
public struct BodyMemory: Sendable {
    let budget: BodyBudget

    /// Returns a charge that grows with what is collected, and is kept as long.
    public func charge() -> BodyCharge { BodyCharge(budget, 0, addresses: 0..<UInt.max) }
}
