import Locking
public import Rx

/// The record of calls for a request's line in the access log.
extension CallContext {
    /// The part number of calls outside all parts.
    static var noPart: Int32 { -1 }

    /// The request's own context.
    var owner: CallContext { root ?? self }

    /// The request's record, under its lock.
    @inline(__always)
    private func withRecord<Result>(
        _ body: (inout sending CallRecord) -> sending Result
    ) -> sending Result {
        // Not `owner.record`, which counts references.
        if let root { root.record.withLock(body) } else { record.withLock(body) }
    }

    /// Returns the context for a part's calls.
    ///
    /// - Parameter number: unique among the request's parts.
    package func forPart(_ number: Int) -> CallContext {
        CallContext(self, timeline, part: Int32(truncatingIfNeeded: number))
    }

    /// Returns the context for the part that subscribes to the call, which may have been created before the
    /// part began.
    func joining(_ current: CallContext?) -> CallContext {
        guard let current, current.part >= 0, current.part != part, current.owner === owner else {
            return self
        }
        return current.forwardsTheSame(as: self)
            ? current : CallContext(self, current.timeline, part: current.part)
    }

    /// Records the start of a call.
    ///
    /// - Parameter run: released when the call ends.
    /// - Returns: the index for `ended`; nil if the record is full.
    func began(_ settings: CallSettings, at time: RxTime, by run: any RunningCall) -> Int? {
        withRecord {
            $0.append(RecordedCall(by: settings, for: part, CallOutcome(began: time), in: run))
        }
    }

    /// Records that the part of this context waits for others (nil), or that it begins after them.
    @_spi(Records) public func partBegan(at time: RxTime?) {
        guard part != CallContext.noPart else { return }
        withRecord { $0.began(part, at: time) }
    }

    func ended(_ index: Int, _ outcome: CallOutcome) {
        withRecord { $0.end(index, outcome) }
    }

    /// Records the end of a call that is a part by itself.
    func ended(_ settings: CallSettings, part number: Int, _ outcome: CallOutcome) {
        let part = Int32(truncatingIfNeeded: number)
        withRecord { _ = $0.append(RecordedCall(by: settings, for: part, outcome)) }
    }

    /// Records the cancellation of a call, unless it has just ended on another thread.
    func cancelled(_ settings: CallSettings, part number: Int, _ outcome: CallOutcome) {
        let part = Int32(truncatingIfNeeded: number)
        withRecord { record in
            if part == CallContext.noPart || !record.hasCall(for: part) {
                record.append(RecordedCall(by: settings, for: part, outcome))
            }
        }
    }

    /// Returns when a part began that had to wait for others: `.some(nil)` if it never did; nil for other
    /// parts.
    @_spi(Records) public func lateBeginning(ofPart number: Int) -> RxTime?? {
        withRecord { $0.lateBeginning(of: number) }
    }

    /// Returns what the part's recorded calls have done so far.
    ///
    /// - Parameter number: nil for calls that belong to no part.
    package func calls(ofPart number: Int?) -> PartCalls {
        let part = number.map { Int32(truncatingIfNeeded: $0) } ?? CallContext.noPart
        let calls = withRecord { $0.calls(for: part) }
        return PartCalls(
            attempts: calls.reduce(0) { $0 + $1.attemptsSoFar }, status: calls.last?.status,
            hasAttemptsLeft: calls.last?.hasAttemptsLeft ?? false,
            mayBeRepeated: calls.allSatisfy(\.mayBeRepeated))
    }

    /// Gives the calls of one part to another, for a part that gets its final number late.
    package func moveCalls(ofPart old: Int, to new: Int) {
        let (old, new) = (Int32(truncatingIfNeeded: old), Int32(truncatingIfNeeded: new))
        withRecord { $0.move(old, to: new) }
    }

    /// Removes and returns the calls recorded so far. Calls in progress are returned in their current state.
    package func takeCalls() -> CallRecord {
        withRecord { $0.takeEnded() } ?? takeRunning()
    }

    /// Returns a copy of the calls recorded so far. Calls in progress are in their current state.
    package func recordedCalls() -> CallRecord {
        var record = withRecord { $0 }
        for (index, run) in record.running { record.end(index, run.outcomeSoFar) }
        return record
    }

    /// Returns a record that was taken.
    package func putBack(_ calls: CallRecord) { withRecord { $0 = calls } }

    @inline(never)
    private func takeRunning() -> CallRecord {
        for (index, run) in withRecord({ $0.running }) { ended(index, run.outcomeSoFar) }
        var taken = CallRecord()
        withRecord { swap(&taken, &$0) }
        return taken
    }
}
