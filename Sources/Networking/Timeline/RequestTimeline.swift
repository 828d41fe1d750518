import HTTPModel
import Locking
import Rx

/// When what happened to one request of a client: to its parts, to the calls that were made for them, and to each attempt of
/// these.
///
/// One is made for a request that is to be told of it; all others pay a look at nothing. The request's `CallContext` leads
/// calls to it. A part's calls are those that are subscribed to while the part is, and those made in answer to them; a call
/// that is several parts' (`share()`) is the first's, and one that a handler makes itself is no part's.
///
/// Any thread may note. Nothing is noted any more once it was closed.
///
/// (No type of another module of ours stands in what is `package` here: for that the module would be imported as `package`,
/// and then the compiler specialises nothing of ours that uses it for its users.)
package final class RequestTimeline: Sendable {
    /// All times are nanoseconds since the gateway had the request.
    package struct Part: Sendable {
        /// Nil for what was called for no part.
        package let name: String?
        /// Whoever began it knows it by this.
        fileprivate let number: Int
        /// Nil: it was not begun.
        package fileprivate(set) var began: Int64?
        /// Nil: it had not ended by the time of the answer.
        package fileprivate(set) var ended: Int64?
        package fileprivate(set) var kind: OutcomeKind?
        /// In the order in which they began.
        package fileprivate(set) var calls: [Call] = []
        /// Attempts beyond those that one request has noted.
        package fileprivate(set) var omitted = 0
    }

    package struct Call: Sendable {
        /// The upstream's name, and nothing else of it.
        package let upstream: String
        package let method: String
        package fileprivate(set) var attempts: [Attempt] = []
    }

    package struct Attempt: Sendable {
        package let began: Int64
        /// Nil: it had none.
        package fileprivate(set) var connection: Connection?
        /// It had its connection, and the request began to go out.
        package fileprivate(set) var sent: Int64?
        /// The first byte of a response.
        package fileprivate(set) var firstByte: Int64?
        /// Its end, or when nobody wanted it any more. Nil: neither had come by the time of the answer.
        package fileprivate(set) var ended: Int64?
        /// Of a whole response.
        package fileprivate(set) var status: Int?
        /// Why it failed. Nil, and no status: it was cancelled.
        package fileprivate(set) var reason: FailureReason?
    }

    package enum Connection: Sendable {
        case new
        /// It had served another call before.
        case reused
    }

    private struct State: Sendable {
        /// The first is for what is no part's.
        var parts = [Part(name: nil, number: -1)]
        /// Room for so many more.
        var partsLeft: Int
        var callsLeft: Int
        var attemptsLeft: Int
        var isClosed = false
    }

    /// Parts, calls and attempts that one request may note.
    static let limit = 256

    private let started: RxTime
    private let state: Lock<State>

    /// - Parameters:
    ///   - started: when the gateway had the request, by the clock that all else is noted by.
    ///   - limit: the most parts, calls and attempts that are noted; attempts beyond are counted.
    init(started: RxTime, limit: Int = RequestTimeline.limit) {
        self.started = started
        state = Lock(State(partsLeft: limit, callsLeft: limit, attemptsLeft: limit))
    }

    /// For the context of the request itself, which is no part's.
    var place: TimelinePlace { TimelinePlace(self, part: 0) }

    /// A part is to be awaited, in the order of the plan.
    ///
    /// - Parameter number: no other part's of the request.
    package func planned(_ name: String, _ number: Int) {
        note { state in
            guard state.partsLeft > 0 else { return }
            state.partsLeft -= 1
            state.parts.append(Part(name: name, number: number))
        }
    }

    /// A part that was planned is about to be subscribed to. Its place is for the context that it is subscribed to in.
    package func began(_ number: Int, at time: Int64) -> TimelinePlace {
        var part = 0
        note { state in
            guard let index = state.parts.lastIndex(where: { $0.number == number }) else { return }
            state.parts[index].began = time
            part = index
        }
        return TimelinePlace(self, part: part)
    }

    package func ended(_ number: Int, _ kind: OutcomeKind?, at time: Int64) {
        note { state in
            guard let index = state.parts.lastIndex(where: { $0.number == number }) else { return }
            state.parts[index].ended = time
            state.parts[index].kind = kind
        }
    }

    /// The answer is made: what was noted until now, in the order of the plan. What was called for no part comes first, where
    /// there is any.
    package func close() -> [Part] {
        state.withLock { state in
            state.isClosed = true
            var parts = state.parts
            for index in parts.indices { parts[index].calls.removeAll { $0.attempts.isEmpty } }
            if parts[0].calls.isEmpty, parts[0].omitted == 0 {
                parts.removeFirst()
            } else {
                parts[0].spanCalls()
            }
            return parts
        }
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { state in
            if !state.isClosed { change(&state) }
        }
    }

    // MARK: - Calls

    /// - Returns: where it is among the part's calls; nil where it is one too many.
    fileprivate func called(_ upstream: String, _ method: HTTPMethod, for part: Int) -> Int? {
        var call: Int?
        note { state in
            guard state.callsLeft > 0 else { return }
            state.callsLeft -= 1
            call = state.parts[part].calls.count
            state.parts[part].calls.append(Call(upstream: upstream, method: method.rawValue))
        }
        return call
    }

    fileprivate func attempted(_ part: Int, _ call: Int?, at time: RxTime) {
        note { state in
            guard let call, state.attemptsLeft > 0 else {
                state.parts[part].omitted += 1
                return
            }
            state.attemptsLeft -= 1
            state.parts[part].calls[call].attempts.append(Attempt(began: time.nanoseconds(since: started)))
        }
    }

    /// Changes the attempt that is under way, or just was.
    fileprivate func note(_ part: Int, _ call: Int?, _ change: (inout Attempt) -> Void) {
        guard let call else { return }
        note { state in
            guard let last = state.parts[part].calls[call].attempts.indices.last else { return }
            change(&state.parts[part].calls[call].attempts[last])
        }
    }

    fileprivate func nanoseconds(at time: RxTime) -> Int64 { time.nanoseconds(since: started) }
}

extension RequestTimeline.Part {
    /// It lasts from its first call to the end of its last.
    fileprivate mutating func spanCalls() {
        let attempts = calls.flatMap(\.attempts)
        began = attempts.map(\.began).min()
        let ends = attempts.compactMap(\.ended)
        ended = ends.count == attempts.count ? ends.max() : nil
    }
}

extension RequestTimeline.Attempt {
    fileprivate mutating func end(at time: Int64, status: Int?, reason: FailureReason?) {
        guard ended == nil else { return }
        ended = max(time, firstByte ?? sent ?? began)
        self.status = status
        self.reason = reason
    }

    /// - Parameters:
    ///   - sent: nanoseconds after the attempt began.
    ///   - firstByte: as `sent`.
    fileprivate mutating func use(
        _ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?
    ) {
        // One that is over is not the one that is meant: that one is beyond what is noted.
        guard ended == nil else { return }
        self.connection = connection
        if let sent { self.sent = time(after: sent) }
        if let firstByte { self.firstByte = time(after: firstByte) }
    }

    /// To the microsecond, as all else: the transport's clock is finer, and nothing shall come after the end.
    private func time(after nanoseconds: Int64) -> Int64 { began + max(0, nanoseconds) / 1000 * 1000 }
}

/// Where a call stands in its request's timeline: what a `CallContext` leads to.
package final class TimelinePlace: Sendable {
    package let timeline: RequestTimeline
    private let part: Int
    private let call: Int?

    fileprivate init(_ timeline: RequestTimeline, part: Int, call: Int? = nil) {
        self.timeline = timeline
        self.part = part
        self.call = call
    }

    /// The place of a call that begins here.
    func call(to upstream: String, _ method: HTTPMethod) -> TimelinePlace {
        TimelinePlace(timeline, part: part, call: timeline.called(upstream, method, for: part))
    }

    // MARK: - The call's attempts, one after the other

    func attemptBegan(at time: RxTime) { timeline.attempted(part, call, at: time) }

    func attemptEnded(at time: RxTime, status: Int) {
        end(at: time, status: status, reason: status >= 400 ? .upstreamStatus : nil)
    }

    func attemptEnded(at time: RxTime, reason: FailureReason) {
        end(at: time, status: nil, reason: reason)
    }

    /// Nobody wants it any more. Nothing happens where it has ended.
    func attemptCancelled(at time: RxTime) { end(at: time, status: nil, reason: nil) }

    private func end(at time: RxTime, status: Int?, reason: FailureReason?) {
        let time = timeline.nanoseconds(at: time)
        timeline.note(part, call) { $0.end(at: time, status: status, reason: reason) }
    }

    /// For a transport, as soon as it knows: what connection the attempt has.
    ///
    /// - Parameters:
    ///   - sent: nanoseconds from the attempt's beginning to when it had the connection.
    ///   - firstByte: nanoseconds from the attempt's beginning to the first byte of a response.
    package func attemptUsed(_ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?) {
        timeline.note(part, call) { $0.use(connection, sent: sent, firstByte: firstByte) }
    }
}
