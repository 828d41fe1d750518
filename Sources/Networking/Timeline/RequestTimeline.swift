import HTTPModel
import Locking
import Rx

/// The timeline of one client request: its parts, their calls, and the attempts of each call.
///
/// Created only for requests that record a timeline; all others pay for one nil check. Calls find it in the
/// `CallContext`. A part's calls are those subscribed to while the part is, and calls made in response to them. A call
/// shared by several parts (`share()`) belongs to the first; a handler's own call belongs to none.
///
/// Any thread may record. After `close()`, nothing is recorded.
///
/// (`package` declarations here use no type of another module: that module would have to be imported as `package`, and
/// the compiler would no longer specialize this one for its users.)
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
        /// Number of attempts that exceeded the limit.
        package fileprivate(set) var omitted = 0
    }

    package struct Call: Sendable {
        /// The name of the upstream.
        package let upstream: String
        package let method: String
        package fileprivate(set) var attempts: [Attempt] = []
    }

    package struct Attempt: Sendable {
        package let began: Int64
        /// Nil if the attempt had no connection.
        package fileprivate(set) var connection: Connection?
        /// When the attempt had a connection and began to send the request.
        package fileprivate(set) var sent: Int64?
        /// When the first byte of a response arrived.
        package fileprivate(set) var firstByte: Int64?
        /// When the attempt ended or was cancelled. Nil if it was in progress when the response was made.
        package fileprivate(set) var ended: Int64?
        /// The status of a complete response.
        package fileprivate(set) var status: Int?
        /// Why the attempt failed. If status and reason are nil, it was cancelled.
        package fileprivate(set) var reason: FailureReason?
    }

    package enum Connection: Sendable {
        case new
        /// Has served another call before.
        case reused
    }

    private struct State: Sendable {
        /// The first element contains the calls that belong to no part.
        var parts = [Part(name: nil, number: -1)]
        /// Remaining capacity.
        var partsLeft: Int
        var callsLeft: Int
        var attemptsLeft: Int
        var isClosed = false
    }

    /// Maximum number of parts, of calls and of attempts per request.
    static let limit = 256

    private let started: RxTime
    private let state: Lock<State>

    /// - Parameters:
    ///   - started: when the gateway received the request, on the same clock as all other times.
    ///   - limit: maximum number of parts, of calls and of attempts. Further attempts are counted.
    init(started: RxTime, limit: Int = RequestTimeline.limit) {
        self.started = started
        state = Lock(State(partsLeft: limit, callsLeft: limit, attemptsLeft: limit))
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

    /// Records that a planned part is about to be subscribed to. Returns the position for the subscription's context.
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

    /// Ends the recording and returns the parts in the order of the plan, after the calls of no part, if any.
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

    /// - Returns: the index among the part's calls; nil if the limit is reached.
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

    /// Changes the current or most recent attempt.
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
    /// Sets the time span from the first call's start to the last one's end.
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
    ///   - sent: nanoseconds since the attempt began.
    ///   - firstByte: nanoseconds since the attempt began.
    fileprivate mutating func use(
        _ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?
    ) {
        // If this attempt is over, the caller means another one, which exceeded the limit.
        guard ended == nil else { return }
        self.connection = connection
        if let sent { self.sent = time(after: sent) }
        if let firstByte { self.firstByte = time(after: firstByte) }
    }

    // Rounded to microseconds like all other times, so that no time exceeds the end of the attempt.
    private func time(after nanoseconds: Int64) -> Int64 { began + max(0, nanoseconds) / 1000 * 1000 }
}

/// The position of a call in its request's timeline, which a `CallContext` carries.
package final class TimelinePosition: Sendable {
    package let timeline: RequestTimeline
    private let part: Int
    private let call: Int?

    fileprivate init(_ timeline: RequestTimeline, part: Int, call: Int? = nil) {
        self.timeline = timeline
        self.part = part
        self.call = call
    }

    /// Returns the position of a call that begins here.
    func call(to upstream: String, _ method: HTTPMethod) -> TimelinePosition {
        TimelinePosition(timeline, part: part, call: timeline.called(upstream, method, for: part))
    }

    // MARK: - Attempts of the call

    func attemptBegan(at time: RxTime) { timeline.attempted(part, call, at: time) }

    func attemptEnded(at time: RxTime, status: Int) {
        end(at: time, status: status, reason: status >= 400 ? .upstreamStatus : nil)
    }

    func attemptEnded(at time: RxTime, reason: FailureReason) {
        end(at: time, status: nil, reason: reason)
    }

    /// Records a cancellation, unless the attempt has ended.
    func attemptCancelled(at time: RxTime) { end(at: time, status: nil, reason: nil) }

    private func end(at time: RxTime, status: Int?, reason: FailureReason?) {
        let time = timeline.nanoseconds(at: time)
        timeline.note(part, call) { $0.end(at: time, status: status, reason: reason) }
    }

    /// Records the connection of the attempt. Called by a transport as soon as it is known.
    ///
    /// - Parameters:
    ///   - connection: new or reused.
    ///   - sent: nanoseconds from the beginning of the attempt until it had the connection.
    ///   - firstByte: nanoseconds from the beginning of the attempt to the first byte of the response.
    package func attemptUsed(_ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?) {
        timeline.note(part, call) { $0.use(connection, sent: sent, firstByte: firstByte) }
    }
}
