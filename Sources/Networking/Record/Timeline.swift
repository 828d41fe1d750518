import Rx

/// The parts of a request that asks for its timeline, and how much it may list.
package struct Timeline: Sendable {
    /// Maximum number of parts, of calls and of attempts per request. Further attempts are counted.
    static let limit = 256

    /// The first element is for calls that belong to no part.
    private var parts = [TimelinePart(name: nil, number: Int(CallContext.noPart))]
    private var callsLeft = Timeline.limit

    /// Adds a part that will be awaited. Call in the order of the plan.
    ///
    /// - Parameter number: unique among the request's parts.
    package mutating func plan(_ name: String, _ number: Int) {
        if parts.count <= Self.limit { parts.append(TimelinePart(name: name, number: number)) }
    }

    /// Records that a part is about to be subscribed to. Times are nanoseconds since the request arrived.
    package mutating func began(_ number: Int, at time: Int64) {
        if let index = index(of: number) { parts[index].began = time }
    }

    package mutating func ended(_ number: Int, _ kind: OutcomeKind?, at time: Int64) {
        guard let index = index(of: number) else { return }
        parts[index].ended = time
        parts[index].kind = kind
    }

    private func index(of number: Int) -> Int? {
        parts.lastIndex { $0.number == number && $0.name != nil }
    }

    /// Returns whether another call may be listed. If not, its first attempt is counted.
    mutating func call(of part: Int32) -> Bool {
        callsLeft -= 1
        if callsLeft < 0 { omitAttempt(of: part) }
        return callsLeft >= 0
    }

    /// Counts an attempt of a call that is not listed.
    mutating func omitAttempt(of part: Int32) { parts[index(of: Int(part)) ?? 0].omitted += 1 }

    /// Returns the parts in the order of the plan, after the calls of no part, if any.
    func parts(with attempts: [AttemptEntry], since started: RxTime) -> [TimelinePart] {
        var parts = parts
        for entry in attempts where entry.isListed && entry.call >= 0 {
            parts[index(of: Int(entry.part)) ?? 0].add(entry)
        }
        var left = Self.limit
        for index in parts.indices { parts[index].limitAttempts(to: &left) }
        if parts[0].calls.isEmpty, parts[0].omitted == 0 {
            parts.removeFirst()
        } else {
            parts[0].spanCalls(since: started)
        }
        return parts
    }
}

/// A part in a timeline. Times are nanoseconds since the gateway received the request.
package struct TimelinePart: Sendable {
    /// Nil for calls that belong to no part.
    package let name: String?
    fileprivate let number: Int
    /// Nil if the part was not begun.
    package fileprivate(set) var began: Int64?
    /// Nil if the part had not ended when the response was made.
    package fileprivate(set) var ended: Int64?
    package fileprivate(set) var kind: OutcomeKind?
    /// The attempts of each call, in the order in which the calls began.
    package fileprivate(set) var calls: [[AttemptEntry]] = []
    /// Number of attempts that exceeded a limit.
    package fileprivate(set) var omitted = 0

    fileprivate init(name: String?, number: Int) {
        self.name = name
        self.number = number
    }

    fileprivate mutating func add(_ entry: AttemptEntry) {
        omitted += Int(entry.omitted)
        if let index = calls.lastIndex(where: { $0[0].call == entry.call }) {
            calls[index].append(entry)
        } else {
            calls.append([entry])
        }
    }

    fileprivate mutating func limitAttempts(to left: inout Int) {
        for index in calls.indices {
            let excess = max(0, calls[index].count - left)
            calls[index].removeLast(excess)
            omitted += excess
            left -= calls[index].count
        }
        calls.removeAll(where: \.isEmpty)
    }

    /// Sets the time span from the first call's start to the last one's end.
    fileprivate mutating func spanCalls(since started: RxTime) {
        let attempts = calls.flatMap(\.self)
        let begins = attempts.map { $0.began.nanoseconds(since: started) }
        began = begins.min()
        let ends = zip(begins, attempts).compactMap { began, attempt in attempt.elapsed.map { began + $0 } }
        ended = ends.count == attempts.count ? ends.max() : nil
    }
}
