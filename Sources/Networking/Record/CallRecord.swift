public import HTTPModel
public import Rx

/// The calls made for one client request, for its line in the access log. Part of the request's
/// `CallContext`.
///
/// Omits parts that are a single call with data from its first attempt, because that call itself holds all
/// information (`Link.plainCall`). Nearly all parts are such calls and cost neither a lock nor an allocation.
package struct CallRecord: Sendable {
    /// Maximum number of calls recorded for one request. Further calls are counted.
    static let limit = 64

    private var calls: [RecordedCall] = []
    /// The parts that begin later than their stage, and when they began; nil before that.
    private var late: [(part: Int32, began: RxTime?)] = []
    /// Number of calls beyond `limit`.
    package private(set) var omitted = 0

    package init() {}

    package var isEmpty: Bool { calls.isEmpty }

    /// Adds a call that begins or has ended.
    ///
    /// - Returns: its index; nil if the record is full.
    @discardableResult
    mutating func append(_ call: consuming RecordedCall) -> Int? {
        guard calls.count < Self.limit else {
            omitted += 1
            return nil
        }
        calls.append(call)
        return calls.count - 1
    }

    /// Records the end of a call. The first end counts.
    mutating func end(_ index: Int, _ outcome: CallOutcome) {
        // The record may have been taken meanwhile.
        if index < calls.count { calls[index].end(outcome) }
    }

    mutating func move(_ part: Int32, to other: Int32) {
        for index in calls.indices where calls[index].part == part { calls[index].part = other }
        for index in late.indices where late[index].part == part { late[index].part = other }
    }

    /// Removes and returns all calls; nil if one is in progress.
    mutating func takeEnded() -> CallRecord? {
        for index in calls.indices where calls[index].run != nil { return nil }
        var taken = CallRecord()
        swap(&taken, &self)
        return taken
    }

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

    func hasCall(for part: Int32) -> Bool { calls.contains { $0.part == part } }

    func calls(for part: Int32) -> [RecordedCall] { calls.filter { $0.part == part } }

    /// The calls in progress, with their indices.
    var running: [(index: Int, run: any RunningCall)] {
        calls.indices.compactMap { index in calls[index].run.map { (index, $0) } }
    }

    /// Calls `body` with a part's calls, ordered by their start or, for a call that is a part by itself, by
    /// its end.
    ///
    /// - Parameter number: nil for calls that belong to no part.
    package func forEach(of number: Int?, _ body: (borrowing RecordedCall) -> Void) {
        let part = number.map { Int32(truncatingIfNeeded: $0) } ?? CallContext.noPart
        for call in calls where call.part == part { body(call) }
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
public struct RecordedCall: Sendable {
    /// The upstream. Logs use only its name.
    package var upstream: Upstream { settings.upstream }
    // Not the upstream: references to objects with weak references are slow to count.
    private let settings: CallSettings
    /// The address of the last attempt's connection, or of its proxy; nil if none was chosen.
    public let address: PeerAddress?
    /// Why the call failed; nil if it did not fail or has not ended.
    package let reason: FailureReason?
    /// What exactly failed, for the log alone: it may name hosts and certificates. Nil if `reason` says it
    /// all.
    package let detail: String?
    /// When the call was subscribed to.
    public let began: RxTime
    /// Nanoseconds from its beginning to its end.
    package let elapsed: Int64
    /// The attempts of a call that was retried; else empty.
    package let tries: [CallAttempt]
    /// The call in progress; nil once it has ended.
    fileprivate let run: (any RunningCall)?
    fileprivate(set) var part: Int32
    private let attemptCount: Int32
    private let code: Int32
    private let hadAttemptsLeft: Bool
    private let couldBeRepeated: Bool

    init(
        by settings: CallSettings, for part: Int32, _ outcome: CallOutcome, in run: (any RunningCall)? = nil
    ) {
        self.settings = settings
        address = outcome.address
        reason = outcome.reason
        detail = outcome.detail
        began = outcome.began
        elapsed = outcome.elapsed
        tries = outcome.tries
        self.run = run
        self.part = part
        attemptCount = Int32(truncatingIfNeeded: outcome.attempts)
        code = Int32(outcome.status)
        hadAttemptsLeft = outcome.hasAttemptsLeft
        couldBeRepeated = outcome.mayBeRepeated
    }

    package var attempts: Int { Int(attemptCount) }

    /// The attempts so far if the call is in progress.
    var attemptsSoFar: Int { run?.outcomeSoFar.attempts ?? attempts }

    /// Whether the call was cancelled, or is in progress, with at least one attempt made and another one
    /// allowed.
    var hasAttemptsLeft: Bool { run?.outcomeSoFar.hasAttemptsLeft ?? hadAttemptsLeft }

    /// Whether the method is idempotent, or nothing was sent so far.
    var mayBeRepeated: Bool { run?.outcomeSoFar.mayBeRepeated ?? couldBeRepeated }

    /// The status of the response; nil without a complete response.
    package var status: Int? { code == 0 ? nil : Int(code) }

    /// The nanoseconds that an attempt took. One in progress ends with the call.
    package func elapsed(of attempt: CallAttempt) -> Int64 {
        attempt.elapsed ?? max(0, elapsed - attempt.began.nanoseconds(since: began))
    }

    /// Whether the call has a response or a failure. If not, it was cancelled or is still in progress.
    package var hasEnded: Bool { code != 0 || reason != nil }

    fileprivate mutating func end(_ outcome: CallOutcome) {
        if !hasEnded { self = RecordedCall(by: settings, for: part, outcome) }
    }
}

extension RecordedCall {
    /// Nanoseconds from one time to another, on the clock of calls. Negative if the clock was set back.
    public static func nanoseconds(from start: RxTime, to end: RxTime) -> Int64 {
        end.nanoseconds(since: start)
    }
}

/// How a call ended. Without status and reason, it has not ended.
struct CallOutcome {
    let began: RxTime
    /// Nanoseconds since `began`.
    var elapsed: Int64 = 0
    var status: Int16 = 0
    var reason: FailureReason?
    var detail: String?
    var tries: [CallAttempt] = []
    var address: PeerAddress?
    var attempts = 0
    /// Whether the policy allows another attempt. Only for a call in progress.
    var hasAttemptsLeft = false
    /// Whether the method is idempotent, or nothing was sent.
    var mayBeRepeated = true
}

protocol RunningCall: AnyObject, Sendable {
    /// Its attempts and address so far.
    var outcomeSoFar: CallOutcome { get }
}

package protocol AddressedAttempt {
    /// The address of the connection; nil if none is chosen yet, or on any thread but the attempt's.
    var knownAddress: PeerAddress? { get }
    /// Whether nothing was sent so far. False if that is not known, as on any thread but the attempt's.
    var isKnownUnsent: Bool { get }
}
