public import HTTPModel
public import Rx

/// One attempt of a call.
///
/// Public through the SPI `Records`, as `CallEntry` is.
@_spi(Records)
public struct AttemptEntry: Sendable {
    // Not the upstream: references to objects with weak references are slow to count.
    let settings: CallSettings
    /// When it began, on the clock of calls.
    public let began: RxTime
    /// The address of its connection, or of its proxy; nil if none was chosen.
    public private(set) var address: PeerAddress?
    /// Nil if the attempt had no connection, or if the request has no timeline.
    package private(set) var connection: AttemptConnection?
    /// Nanoseconds from its beginning to its end; nil if it is in progress. Not less than the times of its
    /// connection.
    package private(set) var elapsed: Int64?
    private var code: Int16 = 0
    /// Whether the timeline, if there is one, lists the call.
    var isListed = false
    /// Why the attempt failed. If status and reason are nil, it was cancelled or is in progress.
    package private(set) var reason: FailureReason?
    /// See `CallEntry.detail`.
    package private(set) var detail: String?
    let sentMethod: HTTPMethod
    /// The part of its call, as the call began.
    let part: Int32
    /// The number of its call, which is the index of the call's first attempt; negative for an attempt that
    /// does not count.
    var call: Int32 = -1
    // The rest is used in the first attempt of a call.
    /// The index of the call's last attempt.
    var last: Int32 = -1
    /// The call's attempts that have entries, and those that have none.
    var count: Int32 = 1
    var omitted: Int32 = 0

    init(_ settings: CallSettings, _ method: HTTPMethod, for part: Int32, at time: RxTime) {
        self.settings = settings
        sentMethod = method
        self.part = part
        began = time
    }

    /// The name of the upstream.
    package var upstream: String { settings.upstream.name }

    package var method: String { sentMethod.rawValue }

    /// The status of a complete response.
    package var status: Int? { code == 0 ? nil : Int(code) }

    mutating func use(_ connection: AttemptConnection) {
        // If this attempt is over, the caller means another one, which has no entry.
        if elapsed == nil { self.connection = connection }
    }

    mutating func end(
        at time: RxTime, _ address: PeerAddress?, status: HTTPStatus?, _ error: TransportError?
    ) {
        guard elapsed == nil else { return }
        elapsed = max(0, time.nanoseconds(since: began), connection?.firstByte ?? connection?.sent ?? 0)
        self.address = address
        if let status {
            code = Int16(truncatingIfNeeded: status.code)
            if status.code >= 400 { reason = .upstreamStatus }
        } else if let error {
            reason = error.reason
            detail = error.message
        }
    }
}

/// The connection of an attempt. Times are nanoseconds from the beginning of the attempt, in whole
/// microseconds as all times are.
@_spi(Records)
public struct AttemptConnection: Sendable {
    /// When it was there and the request began to go out.
    package let sent: Int64
    /// When the first byte of a response arrived; nil if none has.
    package let firstByte: Int64?
    /// Whether it has served another call before.
    package let isReused: Bool

    package init(isReused: Bool, sent: Int64, firstByte: Int64?) {
        self.isReused = isReused
        self.sent = max(0, sent) / 1000 * 1000
        self.firstByte = firstByte.map { max(0, $0) / 1000 * 1000 }
    }
}
