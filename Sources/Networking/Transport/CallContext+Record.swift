import Locking

/// What calls note for their request's line in the access log.
extension CallContext {
    /// The part of calls that are made for none.
    static var noPart: Int32 { -1 }

    private var owner: CallContext { root ?? self }

    /// The same for the calls of a part.
    ///
    /// - Parameter number: no other part's of the request.
    package func forPart(_ number: Int) -> CallContext {
        CallContext(self, timeline, part: Int32(truncatingIfNeeded: number))
    }

    /// The same for the part of the request that subscribes to the call, where that is another: a call may be made before
    /// there are parts.
    func joining(_ current: CallContext?) -> CallContext {
        guard let current, current.part >= 0, current.part != part, current.owner === owner else {
            return self
        }
        return current.forwardsTheSame(as: self)
            ? current : CallContext(self, current.timeline, part: current.part)
    }

    /// A call begins.
    ///
    /// - Parameter run: let go of when the call ends.
    /// - Returns: its index for `ended`; nil where it is one too many.
    func began(_ upstream: Upstream, by run: any RunningCall) -> Int? {
        owner.record.withLock { $0.append(RecordedCall(to: upstream, for: part, by: run)) }
    }

    func ended(_ index: Int, _ outcome: CallOutcome) {
        owner.record.withLock { $0.end(index, outcome) }
    }

    /// A call that is a part by itself has ended.
    func ended(_ upstream: Upstream, part number: Int, _ outcome: CallOutcome) {
        let part = Int32(truncatingIfNeeded: number)
        owner.record.withLock { _ = $0.append(RecordedCall(to: upstream, for: part, outcome)) }
    }

    /// Nobody wants it any more. It may have ended just now, on another thread.
    func cancelled(_ upstream: Upstream, part number: Int, _ outcome: CallOutcome) {
        let part = Int32(truncatingIfNeeded: number)
        owner.record.withLock { record in
            if !record.hasCall(for: part) { record.append(RecordedCall(to: upstream, for: part, outcome)) }
        }
    }

    /// Takes the calls so far, those that have not ended as they are now.
    package func takeCalls() -> CallRecord {
        owner.record.withLock({ $0.isEmpty }) ? CallRecord() : takeRecord()
    }

    @inline(never)
    private func takeRecord() -> CallRecord {
        for (index, run) in owner.record.withLock({ $0.running }) { ended(index, run.soFar) }
        var taken = CallRecord()
        owner.record.withLock { swap(&taken, &$0) }
        return taken
    }
}
