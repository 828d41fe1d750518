import Resilience
import Synchronization

/// Adds up what a request keeps in pieces that are too small to be charged one by one.
struct RequestMemory: ~Copyable, Sendable {
    /// Bytes of responses and composed values that no charge covers.
    private let kept = Atomic(0)
    /// Bytes of the bodies of calls that have not ended.
    private let sent = Atomic(0)
    /// How many of `sent` the charges cover.
    private let covered = Atomic(0)

    /// Adds a piece that stays until the answer is handed over.
    ///
    /// The sum is read and written in two steps, which are cheaper than one atomic step. Pieces that end at
    /// the same time on two loops may be counted as one.
    ///
    /// - Returns: 0, or the bytes to charge first. Then nothing is added.
    @inline(__always)
    func keep(_ bytes: Int) -> Int {
        let sum = kept.load(ordering: .relaxed) &+ bytes
        guard sum < BodyMemory.counted else { return sum }
        kept.store(sum, ordering: .relaxed)
        return 0
    }

    /// A charge covers all that was added, and the piece for which `keep(_:)` asked for it.
    func keptIsCharged() { kept.store(0, ordering: .relaxed) }

    /// Adds the body of a call, or takes it off once nothing can send it any more.
    func addSent(_ bytes: Int) { sent.wrappingAdd(bytes, ordering: .relaxed) }

    /// The bytes to charge before a further body is sent; 0 while they are few.
    var sentToCharge: Int {
        let open = sent.load(ordering: .relaxed) &- covered.load(ordering: .relaxed)
        return open < BodyMemory.counted ? 0 : open
    }

    /// A charge covers so many bytes more, to the end of the request.
    func sentIsCharged(_ bytes: Int) { covered.wrappingAdd(bytes, ordering: .relaxed) }
}

extension CallContext {
    /// Counts bytes that the request keeps until its answer is handed over: a small response, or a composed
    /// value.
    ///
    /// - Returns: 0, or the bytes to charge (`holdKept(_:)`) before these are kept. Then they are not counted
    ///   yet.
    @inline(__always)
    package func keep(_ bytes: Int) -> Int {
        // Not `root ?? self`, which counts references.
        guard let root else { return memory.keep(bytes) }
        return root.memory.keep(bytes)
    }

    /// Holds the charge that `keep(_:)` asked for.
    package func holdKept(_ charge: any AnyObject & Sendable) {
        (root ?? self).memory.keptIsCharged()
        hold(charge)
    }

    /// `GET /products/{id}`; nil in the context of a program that is not a gateway.
    package var endpointName: String? { origin?.endpoint }
}
