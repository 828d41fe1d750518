import HTTPModel
import Locking
import Rx

/// The timeline of one client request: its parts, their calls, and the attempts of each call (`AttemptLog`).
///
/// Created only for requests that record a timeline; all others pay for one nil check. Calls find it in the
/// `CallContext`. A part's calls are those subscribed to while the part is, and calls made in response to
/// them. A call shared by several parts (`share()`) belongs to the first; a handler's own call belongs to
/// none.
///
/// Any thread may record. After `close()`, nothing is recorded.
///
/// (`package` declarations here use no type of another module: that module would have to be imported as
/// `package`, and the compiler would no longer specialize this one for its users.)
package final class RequestTimeline: Sendable {
    /// Times are nanoseconds since the gateway received the request.
    package struct Part: Sendable {
        /// Nil for calls that belong to no part.
        package let name: String?
        fileprivate let number: Int
        /// Nil if the part was not begun.
        package fileprivate(set) var began: Int64?
        /// Nil if the part had not ended when the response was made.
        package fileprivate(set) var ended: Int64?
        package fileprivate(set) var kind: OutcomeKind?
        /// The calls in the order in which they began.
        package fileprivate(set) var calls: [Call] = []
        /// Number of attempts that exceeded a limit.
        package fileprivate(set) var omitted = 0
    }

    package struct Call: Sendable {
        /// The name of the upstream.
        package let upstream: String
        package let method: String
        fileprivate let log = AttemptLog()
        /// Set by `close()`.
        package fileprivate(set) var attempts: [CallAttempt] = []
    }

    package enum Connection: Sendable {
        case new
        /// Has served another call before.
        case reused
    }

    package struct Closed: Sendable {
        /// When the gateway received the request. Times of parts and attempts count from it.
        fileprivate let started: RxTime
        /// The parts in the order of the plan, after the calls of no part, if any.
        package let parts: [Part]

        /// Nanoseconds from the request to the beginning of an attempt.
        package func began(_ attempt: CallAttempt) -> Int64 {
            RecordedCall.nanoseconds(from: started, to: attempt.began)
        }
    }

    private struct State: Sendable {
        /// The first element contains the calls that belong to no part.
        var parts = [Part(name: nil, number: -1)]
        /// Remaining capacity.
        var partsLeft: Int
        var callsLeft: Int
        var isClosed = false
    }

    /// Maximum number of parts, of calls and of attempts per request.
    static let limit = 256

    private let started: RxTime
    private let limit: Int
    private let state: Lock<State>

    /// - Parameters:
    ///   - started: when the gateway received the request, on the same clock as all other times.
    ///   - limit: maximum number of parts, of calls and of attempts. Further attempts are counted.
    init(started: RxTime, limit: Int = RequestTimeline.limit) {
        self.started = started
        self.limit = limit
        state = Lock(State(partsLeft: limit, callsLeft: limit))
    }

    /// The position of the request's own context, outside all parts.
    var position: TimelinePosition { TimelinePosition(self, part: 0) }

    /// Adds a part that will be awaited. Call in the order of the plan.
    ///
    /// - Parameter number: unique among the request's parts.
    package func planned(_ name: String, _ number: Int) {
        note { state in
            guard state.partsLeft > 0 else { return }
            state.partsLeft -= 1
            state.parts.append(Part(name: name, number: number))
        }
    }

    /// Records that a planned part is about to be subscribed to. Returns the position for the subscription's
    /// context.
    package func began(_ number: Int, at time: Int64) -> TimelinePosition {
        var part = 0
        note { state in
            guard let index = state.parts.lastIndex(where: { $0.number == number }) else { return }
            state.parts[index].began = time
            part = index
        }
        return TimelinePosition(self, part: part)
    }

    package func ended(_ number: Int, _ kind: OutcomeKind?, at time: Int64) {
        note { state in
            guard let index = state.parts.lastIndex(where: { $0.number == number }) else { return }
            state.parts[index].ended = time
            state.parts[index].kind = kind
        }
    }

    /// Ends the recording and returns what was recorded.
    package func close() -> Closed {
        var parts = state.withLock { state in
            state.isClosed = true
            return state.parts
        }
        var left = limit
        for index in parts.indices { parts[index].takeAttempts(atMost: &left) }
        if parts[0].calls.isEmpty, parts[0].omitted == 0 {
            parts.removeFirst()
        } else {
            parts[0].spanCalls(since: started)
        }
        return Closed(started: started, parts: parts)
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { state in
            if !state.isClosed { change(&state) }
        }
    }

    // MARK: - Calls

    /// - Returns: the log of the call's attempts; nil if the limit is reached.
    fileprivate func called(_ upstream: String, _ method: HTTPMethod, for part: Int) -> AttemptLog? {
        var log: AttemptLog?
        note { state in
            guard state.callsLeft > 0 else { return }
            state.callsLeft -= 1
            let call = Call(upstream: upstream, method: method.rawValue)
            state.parts[part].calls.append(call)
            log = call.log
        }
        return log
    }

    /// Counts an attempt of a call that is not listed.
    fileprivate func omitAttempt(of part: Int) { note { $0.parts[part].omitted += 1 } }
}

extension RequestTimeline.Part {
    /// Takes what the logs of the calls contain. Calls without attempts are removed.
    fileprivate mutating func takeAttempts(atMost left: inout Int) {
        for index in calls.indices {
            let (attempts, omitted) = calls[index].log.all
            calls[index].attempts = Array(attempts.prefix(left))
            self.omitted += omitted + attempts.count - calls[index].attempts.count
            left -= calls[index].attempts.count
        }
        calls.removeAll { $0.attempts.isEmpty }
    }

    /// Sets the time span from the first call's start to the last one's end.
    fileprivate mutating func spanCalls(since started: RxTime) {
        let attempts = calls.flatMap(\.attempts)
        let begins = attempts.map { $0.began.nanoseconds(since: started) }
        began = begins.min()
        let ends = zip(begins, attempts).compactMap { began, attempt in attempt.elapsed.map { began + $0 } }
        ended = ends.count == attempts.count ? ends.max() : nil
    }
}

/// The position of a call in its request's timeline, which a `CallContext` carries.
package final class TimelinePosition: Sendable {
    package let timeline: RequestTimeline
    private let part: Int
    /// The attempts of the call; nil if it is not listed, and outside a call.
    let attempts: AttemptLog?

    fileprivate init(_ timeline: RequestTimeline, part: Int, attempts: AttemptLog? = nil) {
        self.timeline = timeline
        self.part = part
        self.attempts = attempts
    }

    /// Returns the position of a call that begins here.
    func call(to upstream: String, _ method: HTTPMethod) -> TimelinePosition {
        TimelinePosition(timeline, part: part, attempts: timeline.called(upstream, method, for: part))
    }

    /// Counts an attempt of the call if the call is not listed.
    func omitAttemptIfUnlisted() { if attempts == nil { timeline.omitAttempt(of: part) } }

    /// Records the connection of the attempt. Called by a transport as soon as it is known.
    ///
    /// - Parameters:
    ///   - connection: new or reused.
    ///   - sent: nanoseconds from the beginning of the attempt until it had the connection.
    ///   - firstByte: nanoseconds from the beginning of the attempt to the first byte of the response.
    package func attemptUsed(_ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?) {
        attempts?.used(connection, sent: sent, firstByte: firstByte)
    }
}
