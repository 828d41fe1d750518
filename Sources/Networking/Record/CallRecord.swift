public import HTTPModel

/// The calls that were made for one request of a client, for its line in the access log; part of the request's `CallContext`.
///
/// A part that is one call, and has its data by the first attempt, is not in here: the call itself knows all there is to tell
/// (`Link.plainCall`). Nearly every part is such a call, and costs neither a lock nor an allocation.
package struct CallRecord: Sendable {
    /// The calls that one request's line tells from here. More are counted.
    static let limit = 64

    private var calls: [RecordedCall] = []
    /// Calls beyond `limit`.
    package private(set) var omitted = 0

    package init() {}

    package var isEmpty: Bool { calls.isEmpty }

    /// Adds a call that begins, or has ended.
    ///
    /// - Returns: its index; nil where it is one too many.
    @discardableResult
    mutating func append(_ call: RecordedCall) -> Int? {
        guard calls.count < Self.limit else {
            omitted += 1
            return nil
        }
        calls.append(call)
        return calls.count - 1
    }

    /// Notes how a call ended; the first end counts.
    mutating func end(_ index: Int, _ outcome: CallOutcome) {
        // The record may have been taken meanwhile.
        if index < calls.count { calls[index].end(outcome) }
    }

    /// Whether a call was made for the part.
    func hasCall(for part: Int32) -> Bool { calls.contains { $0.part == part } }

    /// The runs of calls that have not ended, by the calls' indices.
    var running: [(index: Int, run: any RunningCall)] {
        calls.indices.compactMap { index in calls[index].run.map { (index, $0) } }
    }

    /// Calls `body` for the calls of a part, in the order in which they began. (A call that is a part by itself counts from its
    /// end.)
    ///
    /// - Parameter number: nil for calls that were made for no part.
    package func forEach(of number: Int?, _ body: (borrowing RecordedCall) -> Void) {
        let part = number.map { Int32(truncatingIfNeeded: $0) } ?? CallContext.noPart
        for call in calls where call.part == part { body(call) }
    }
}

/// One call, all its attempts.
///
/// Public to our own modules only, by the name of `Records`: where a type of another module stands in what is `package`,
/// that module would have to be imported as `package`, and nothing of this one would be specialised for its users.
@_spi(Records)
public struct RecordedCall: Sendable {
    /// The upstream; no more than its name is for a log.
    package let upstream: Upstream
    /// Where the last attempt's connection goes: the proxy's address where there is one. Nil where none was chosen.
    public let address: PeerAddress?
    /// Why it failed; nil where it did not, or has not ended.
    package let reason: FailureReason?
    /// Knows what there is to tell until the call ends.
    fileprivate let run: (any RunningCall)?
    let part: Int32
    private let attemptCount: Int32
    private let code: Int32

    init(
        to upstream: Upstream, for part: Int32, _ outcome: CallOutcome = CallOutcome(),
        by run: (any RunningCall)? = nil
    ) {
        self.upstream = upstream
        address = outcome.address
        reason = outcome.reason
        self.run = run
        self.part = part
        attemptCount = Int32(truncatingIfNeeded: outcome.attempts)
        code = Int32(outcome.status)
    }

    /// Attempts that began.
    package var attempts: Int { Int(attemptCount) }

    /// The status of its response; nil where no whole response came.
    package var status: Int? { code == 0 ? nil : Int(code) }

    /// Whether it has a response or a failure. All others were cancelled, or the answer did not wait for them.
    package var hasEnded: Bool { code != 0 || reason != nil }

    fileprivate mutating func end(_ outcome: CallOutcome) {
        if !hasEnded { self = RecordedCall(to: upstream, for: part, outcome) }
    }
}

/// How a call ended; as it is at first, it has not.
struct CallOutcome {
    var status: Int16 = 0
    var reason: FailureReason?
    var address: PeerAddress?
    var attempts = 0
}

/// A call that has not ended.
protocol RunningCall: AnyObject, Sendable {
    /// Its attempts and its address by now.
    var soFar: CallOutcome { get }
}

/// An attempt of a transport whose connections have addresses.
package protocol AddressedAttempt {
    /// Where its connection goes, as text; nil where none was chosen yet, and on a thread that is not the attempt's.
    var knownAddress: PeerAddress? { get }
}
