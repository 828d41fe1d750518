import HTTPModel
import Locking
public import Rx

/// The record of calls for a request's line in the access log.
extension CallContext {
    /// The part number of calls outside all parts.
    static var noPart: Int32 { -1 }

    /// The request's own context.
    var owner: CallContext { root ?? self }

    /// The number of the part that the context is for; nil outside all parts.
    package var partNumber: Int? { part < 0 ? nil : Int(part) }

    /// The request's log, under its lock.
    @inline(__always)
    func withLog<Result>(_ body: (inout sending AttemptLog) -> sending Result) -> sending Result {
        // Not `owner.log`, which counts references.
        if let root { root.log.withLock(body) } else { log.withLock(body) }
    }

    /// Returns the context for a part's calls.
    ///
    /// - Parameter number: unique among the request's parts.
    package func forPart(_ number: Int) -> CallContext {
        CallContext(self, part: Int32(truncatingIfNeeded: number))
    }

    /// Returns the context for the part that subscribes to the call, which may have been created before the
    /// part began.
    func joining(_ current: CallContext?) -> CallContext {
        guard let current, current.part >= 0, current.part != part, current.owner === owner else {
            return self
        }
        return current.forwardsTheSame(as: self) ? current : CallContext(self, part: current.part)
    }

    /// Records the start of a call.
    ///
    /// - Parameter run: released when the call ends.
    /// - Returns: the index for `ended`; nil if the log is full.
    func began(
        _ call: TransportCall, at time: RxTime, by run: any RunningCall
    ) -> Int? {
        withLog {
            $0.append(
                CallEntry(
                    settings: call.settings, sentMethod: call.method, target: call.target, part: part,
                    began: time, run: run))
        }
    }

    /// Records that the part of this context waits for others (nil), or that it begins after them.
    @_spi(Records) public func partBegan(at time: RxTime?) {
        guard part != CallContext.noPart else { return }
        withLog { $0.began(part, at: time) }
    }

    func ended(_ index: Int, _ call: CallEntry) {
        withLog { $0.end(index, call) }
    }

    /// Records the end of a call that is a part by itself, or its cancellation unless it has just ended on
    /// another thread.
    func ended(_ call: consuming CallEntry, part number: Int, isCancelled: Bool = false) {
        let part = Int32(truncatingIfNeeded: number)
        call.part = part
        // Moved into the log: a closure copies what it only reads.
        var entry: CallEntry? = consume call
        withLog { log in
            let isKnown = isCancelled && part != CallContext.noPart && !log.calls(for: part).isEmpty
            if !isKnown, let call = entry.take() { log.append(call) }
        }
    }

    /// Returns when a part began that had to wait for others: `.some(nil)` if it never did; nil for other
    /// parts.
    @_spi(Records) public func lateBeginning(ofPart number: Int) -> RxTime?? {
        withLog { $0.lateBeginning(of: number) }
    }

    /// Returns what the part's recorded calls have done so far.
    ///
    /// - Parameter number: nil for calls that belong to no part.
    package func calls(ofPart number: Int?) -> PartCalls {
        let part = number.map { Int32(truncatingIfNeeded: $0) } ?? CallContext.noPart
        let calls = withLog { $0.calls(for: part) }.map { $0.run?.entrySoFar ?? $0 }
        return PartCalls(
            attempts: calls.reduce(0) { $0 + $1.attempts }, status: calls.last?.status,
            hasAttemptsLeft: calls.last?.hasAttemptsLeft ?? false,
            mayBeRepeated: calls.allSatisfy(\.mayBeRepeated))
    }

    /// Gives the calls of one part to another, for a part that gets its final number late.
    package func moveCalls(ofPart old: Int, to new: Int) {
        let (old, new) = (Int32(truncatingIfNeeded: old), Int32(truncatingIfNeeded: new))
        withLog { $0.move(old, to: new) }
    }

    /// Removes and returns the log. Calls in progress are in their current state, and change nothing later.
    package func takeLog() -> AttemptLog {
        if let log = withLog({ $0.running.isEmpty ? $0.take() : nil }) { return log }
        for (index, run) in withLog({ $0.running }) { ended(index, run.entrySoFar) }
        return withLog { $0.take() }
    }

    /// Returns a copy of the log. Calls in progress are in their current state.
    package func copyLog() -> AttemptLog {
        var log = withLog { $0 }
        for (index, run) in log.running { log.end(index, run.entrySoFar) }
        return log
    }

    /// Returns a log that was taken.
    package func putBack(_ log: consuming AttemptLog) {
        let log = log
        withLog { $0 = log }
    }
}

/// The timeline of a request that asks for it.
extension CallContext {
    /// Returns the context of a request with a timeline.
    package func timed() -> CallContext {
        withLog { $0.timeline = Timeline() }
        return CallContext(self, isTimed: true)
    }

    /// Changes the timeline, if there is one.
    package func withTimeline(_ change: (inout Timeline) -> Void) {
        withLog { log in
            guard var timeline = log.timeline.take() else { return }
            change(&timeline)
            log.timeline = timeline
        }
    }

    /// Returns the parts of the timeline so far.
    ///
    /// - Parameter started: when the request arrived, on the clock of calls.
    package func timelineParts(since started: RxTime) -> [TimelinePart] {
        withLog { $0.timelineParts(since: started) }
    }
}

extension TransportCall {
    /// Whether the call's request asks for its timeline. Checked for every call without a retain.
    package var isTimed: Bool { context?.isTimed ?? false }

    /// Returns the call for the part that subscribes to it. The call may be older than the part.
    @inline(never)
    func joiningPart(of current: CallContext?) -> TransportCall {
        guard let context else { return self }
        let joined = context.joining(current)
        return joined === context ? self : with(joined)
    }
}
