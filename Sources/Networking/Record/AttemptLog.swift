public import HTTPModel
public import Rx

/// What the upstream calls of one request have done, attempt by attempt: the only record of them. The access
/// log and the observer's summary are written from it, and so is the timeline that a request may ask for.
/// Part of the request's `CallContext`.
///
/// Omits parts that are a single call with data from its first attempt, because that call itself holds all
/// information (`Link.plainCall`). Nearly all parts are such calls and cost neither a lock nor an allocation.
/// Attempts have entries from the first retry of their call on, or from the start in a request with a
/// timeline.
///
/// A server takes the log with `CallContext.takeLog()`. Later notes change nothing, because the context has a
/// closed log then, and reach no other request that uses the memory.
///
/// (`package` declarations here use no type of another module: that module would have to be imported as
/// `package`, and the compiler would no longer specialize this one for its users.)
package struct AttemptLog: Sendable {
    /// Maximum number of calls in `calls`. Further calls are counted.
    static let callLimit = 64
    /// Maximum number of attempts of a call. Further attempts are counted.
    static let attemptLimit = 64

    private var attempts: [AttemptEntry] = []
    private var calls: [CallEntry] = []
    /// Number of calls beyond `callLimit`.
    package private(set) var omitted = 0
    /// The parts that begin later than their stage, and when they began; nil before that.
    private var late: [(part: Int32, began: RxTime?)] = []
    /// Nil unless the request asks for its timeline.
    var timeline: Timeline?
    private var isClosed = false

    package init() {}

    /// Removes all entries and keeps their memory for another request. Returns false if it has no memory,
    /// or more than most requests need.
    package mutating func recycle() -> Bool {
        let capacity = max(attempts.capacity, calls.capacity)
        guard capacity > 0, capacity < 2 * Self.attemptLimit else { return false }
        attempts.removeAll(keepingCapacity: true)
        calls.removeAll(keepingCapacity: true)
        late.removeAll(keepingCapacity: true)
        timeline = nil
        omitted = 0
        return true
    }

    // MARK: - Attempts

    /// Records that the first attempt of a call begins.
    ///
    /// - Parameter isRetried: whether the call is known to be retried.
    /// - Returns: the call's number for the functions below; nil if the attempt has no entry.
    mutating func began(_ entry: consuming AttemptEntry, isRetried: Bool) -> Int? {
        // The first attempt of a retried call is listed, or counted, already.
        entry.isListed = !isRetried && timeline?.call(of: entry.part) == true
        guard entry.isListed || isRetried, !isClosed, attempts.count < mostAttempts else { return nil }
        entry.call = Int32(truncatingIfNeeded: attempts.count)
        entry.last = entry.call
        attempts.append(entry)
        return attempts.count - 1
    }

    /// As many as the calls of a log or a timeline may have.
    private var mostAttempts: Int {
        Self.attemptLimit * (timeline == nil ? Self.callLimit : Timeline.limit)
    }

    /// Whether the attempts of this call are in the log, which may have been taken.
    func has(_ call: Int) -> Bool { call < attempts.count }

    /// Records that another attempt of a call begins.
    mutating func beganAgain(_ call: Int, at time: RxTime) {
        let first = attempts[call]
        if !first.isListed { timeline?.omitAttempt(of: first.part) }
        guard attempts[call].count < Self.attemptLimit, attempts.count < mostAttempts else {
            attempts[call].omitted += 1
            return
        }
        var entry = AttemptEntry(first.settings, first.sentMethod, for: first.part, at: time)
        entry.isListed = first.isListed
        entry.call = first.call
        attempts[call].count += 1
        attempts[call].last = Int32(truncatingIfNeeded: attempts.count)
        attempts.append(entry)
    }

    /// Records the connection of the attempt in progress.
    mutating func used(_ call: Int, _ connection: AttemptConnection) {
        attempts[Int(attempts[call].last)].use(connection)
    }

    /// Records the end of the attempt in progress, if there is one. Without a status and an error, it was
    /// cancelled.
    mutating func ended(
        _ call: Int, at time: RxTime, _ address: PeerAddress?, _ connection: AttemptConnection?,
        status: HTTPStatus?, _ error: TransportError?
    ) {
        attempts[Int(attempts[call].last)].end(at: time, address, connection, status: status, error)
    }

    /// Forgets the attempt in progress, because the circuit opened before it and refused it.
    mutating func refused(_ call: Int) {
        let index = Int(attempts[call].last)
        guard index > call, attempts[index].elapsed == nil else { return }
        attempts[index].call = -1
        attempts[call].count -= 1
        attempts[call].last = Int32(entries(of: call).last ?? call)
    }

    private func entries(of call: Int) -> [Int] {
        (call..<attempts.count).filter { attempts[$0].call == call }
    }

    /// The attempts of a call that was retried; else empty.
    package func tries(of call: borrowing CallEntry) -> [AttemptEntry] {
        call.tries.map { entries(of: $0).map { attempts[$0] } } ?? []
    }

    // MARK: - Calls

    package var isEmpty: Bool { calls.isEmpty }

    /// Adds a call that begins or has ended.
    ///
    /// - Returns: its index; nil if the log is full.
    @discardableResult
    mutating func append(_ call: consuming CallEntry) -> Int? {
        guard !isClosed else { return nil }
        guard calls.count < Self.callLimit else {
            omitted += 1
            return nil
        }
        calls.append(call)
        return calls.count - 1
    }

    /// Records the end of a call, or what it has done if the log is taken. The first end counts.
    mutating func end(_ index: Int, _ call: consuming CallEntry) {
        guard index < calls.count, !calls[index].hasEnded else { return }
        call.part = calls[index].part
        calls[index] = call
    }

    mutating func move(_ part: Int32, to other: Int32) {
        for index in calls.indices where calls[index].part == part { calls[index].part = other }
        for index in late.indices where late[index].part == part { late[index].part = other }
    }

    /// Removes and returns everything.
    mutating func take() -> AttemptLog {
        var taken = AttemptLog()
        taken.isClosed = true
        swap(&taken, &self)
        return taken
    }

    func calls(for part: Int32) -> [CallEntry] { calls.filter { $0.part == part } }

    /// The calls in progress, with their indices.
    var running: [(index: Int, run: any RunningCall)] {
        calls.indices.compactMap { index in calls[index].run.map { (index, $0) } }
    }

    /// Calls `body` with a part's calls, ordered by their start or, for a call that is a part by itself, by
    /// its end.
    ///
    /// - Parameters:
    ///   - number: nil for calls that belong to no part.
    ///   - body: changes nothing. Its call is `inout` because the compiler copies what it lends to a closure.
    package func forEach(of number: Int?, _ body: (inout CallEntry) -> Void) {
        let part = number.map { Int32(truncatingIfNeeded: $0) } ?? CallContext.noPart
        calls.withUnsafeBufferPointer { calls in
            let calls = UnsafeMutableBufferPointer(mutating: calls)
            for index in calls.indices where calls[index].part == part { body(&calls[index]) }
        }
    }

    // MARK: - Parts

    /// Records that a part waits for others, or that it begins after them.
    mutating func began(_ part: Int32, at time: RxTime?) {
        if let index = late.firstIndex(where: { $0.part == part }) {
            late[index].began = time
        } else {
            late.append((part, time))
        }
    }

    package var hasLateParts: Bool { !late.isEmpty }

    /// Returns when a part began that had to wait for others: `.some(nil)` if it never did; nil for other
    /// parts.
    @_spi(Records) public func lateBeginning(of number: Int) -> RxTime?? {
        let part = Int32(truncatingIfNeeded: number)
        return late.first { $0.part == part }.map(\.began)
    }

    /// The parts of the timeline so far.
    func timelineParts(since started: RxTime) -> [TimelinePart] {
        timeline?.parts(with: attempts, since: started) ?? []
    }
}

/// What the calls of one part have done so far.
package struct PartCalls: Sendable {
    /// The attempts of all calls.
    package let attempts: Int
    /// The status of the last call; nil if it has no complete response.
    package let status: Int?
    /// Whether the last call, which is cancelled or in progress, was allowed another attempt.
    package let hasAttemptsLeft: Bool
    /// Whether all calls may be repeated: their methods are idempotent, or nothing was sent.
    package let mayBeRepeated: Bool
}

/// One call with all its attempts.
///
/// Public through the SPI `Records`, for our own modules only: with `package`, modules of the types used here
/// would have to be imported as `package`, and the compiler would no longer specialize this module for its
/// users.
@_spi(Records)
public struct CallEntry: Sendable {
    // Not the upstream: references to objects with weak references are slow to count.
    let settings: CallSettings
    let sentMethod: HTTPMethod
    /// Path and query.
    package let target: ArraySlice<UInt8>
    var part = CallContext.noPart
    /// When the call was subscribed to.
    public let began: RxTime
    /// Nanoseconds from its beginning to its end.
    package var elapsed: Int64 = 0
    var code: Int16 = 0
    /// Why the call failed; nil if it did not fail or has not ended.
    package var reason: FailureReason?
    /// What exactly failed, for the log alone: it may name hosts and certificates. Nil if `reason` says it
    /// all.
    package var detail: String?
    /// The number of its attempts in the log, if it was retried.
    var tries: Int?
    /// The address of the last attempt's connection, or of its proxy; nil if none was chosen.
    public var address: PeerAddress?
    /// The last attempt's.
    package var connection: AttemptConnection?
    package var attempts = 0
    /// Whether the call was cancelled, or is in progress, with at least one attempt made and another one
    /// allowed.
    var hasAttemptsLeft = false
    /// Whether the method is idempotent, or nothing was sent.
    var mayBeRepeated = true
    /// The call in progress; nil once it has ended.
    var run: (any RunningCall)?

    /// The upstream. Logs use only its name.
    package var upstream: Upstream { settings.upstream }

    package var method: String { sentMethod.rawValue }

    /// The status of the response; nil without a complete response.
    package var status: Int? { code == 0 ? nil : Int(code) }

    /// The nanoseconds that an attempt took. One in progress ends with the call.
    package func elapsed(of attempt: borrowing AttemptEntry) -> Int64 {
        attempt.elapsed ?? max(0, elapsed - attempt.began.nanoseconds(since: began))
    }

    /// Whether the call has a response or a failure. If not, it was cancelled or is still in progress.
    package var hasEnded: Bool { code != 0 || reason != nil }

    /// Nanoseconds from one time to another, on the clock of calls. Negative if the clock was set back.
    public static func nanoseconds(from start: RxTime, to end: RxTime) -> Int64 {
        end.nanoseconds(since: start)
    }
}

protocol RunningCall: AnyObject, Sendable {
    /// Its attempts and address so far.
    var entrySoFar: CallEntry { get }
}

package protocol AddressedAttempt {
    /// The address of the connection; nil if none is chosen yet, or on any thread but the attempt's.
    var knownAddress: PeerAddress? { get }
    /// What it has reached so far; nil on any thread but the attempt's.
    var knownConnection: AttemptConnection? { get }
    /// Whether nothing was sent so far. False if that is not known, as on any thread but the attempt's.
    var isKnownUnsent: Bool { get }
}
