public import EventIO
internal import Metrics
internal import Synchronization

/// Counts the bytes of request bodies in the memory of one loop.
public final class BodyBudget: Sendable {
    private let loop: EventLoop
    private let limit: Atomic<Int>
    /// Bytes that arrive, and small bodies. Changed on the loop only, by a load and a store: small requests
    /// pay for no more.
    private let own = Atomic(0)
    /// Bytes of all `BodyCharge`s, which are released on any thread.
    private let charged = Atomic(0)

    /// Creates a budget of `limit` bytes for the requests of a loop.
    public init(limit: Int, loop: EventLoop) {
        self.limit = Atomic(limit)
        self.loop = loop
    }

    /// The bytes in memory. From any thread.
    public var inUse: Int { own.load(ordering: .relaxed) + charged.load(ordering: .relaxed) }

    /// The limit that is in use. From any thread.
    public var limitInUse: Int { limit.load(ordering: .relaxed) }

    func setLimit(_ bytes: Int) { limit.store(bytes, ordering: .relaxed) }

    // MARK: On the loop

    /// Reserves memory for bytes that have arrived. Returns false if the limit would be exceeded.
    func reserve(_ count: Int) -> Bool {
        guard inUse + count <= limit.load(ordering: .relaxed) else { return false }
        own.store(own.load(ordering: .relaxed) + count, ordering: .relaxed)
        return true
    }

    /// Counts so many bytes more, or fewer, whatever the limit.
    func add(_ count: Int) { own.store(own.load(ordering: .relaxed) + count, ordering: .relaxed) }

    func release(_ count: Int) {
        own.store(own.load(ordering: .relaxed) - count, ordering: .relaxed)
        if count >= EventLoop.largeMemory { loop.largeMemoryWasFreed() }
    }

    /// Moves a complete body from the reserved bytes to a charge of its own.
    ///
    /// - Parameter isCoded: whether its handler may decode it.
    func charge(_ body: [UInt8], isCoded: Bool) -> BodyCharge {
        own.store(own.load(ordering: .relaxed) - body.count, ordering: .relaxed)
        // The room that an array has grown by is memory too.
        let size = max(body.count, body.capacity)
        charged.wrappingAdd(size, ordering: .relaxed)
        let addresses = body.withUnsafeBytes { bytes in
            let start = UInt(bitPattern: bytes.baseAddress)
            return start..<start + UInt(bytes.count)
        }
        return BodyCharge(self, size, addresses: isCoded ? 0..<UInt.max : addresses)
    }

    // MARK: On any thread

    func take(_ count: Int) -> Bool {
        let all = charged.wrappingAdd(count, ordering: .relaxed).newValue + own.load(ordering: .relaxed)
        if all <= limit.load(ordering: .relaxed) { return true }
        charged.wrappingSubtract(count, ordering: .relaxed)
        loop.metrics.name().shared(.httpRefused, ["bodies"]).add()
        return false
    }

    func giveBack(_ count: Int) {
        charged.wrappingSubtract(count, ordering: .relaxed)
        loop.reportLargeMemoryFreed()
    }
}
