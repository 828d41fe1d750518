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
    /// Nil for a transport without connections.
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
        at time: RxTime, _ address: PeerAddress?, _ connection: AttemptConnection?, status: HTTPStatus?,
        _ error: TransportError?
    ) {
        guard elapsed == nil else { return }
        if let connection { self.connection = connection }
        elapsed = max(
            0, time.nanoseconds(since: began), self.connection?.firstByte ?? self.connection?.sent ?? 0)
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

/// When an attempt reached which stage. Times are nanoseconds from the beginning of the attempt, in whole
/// microseconds as all times are, and at most an hour.
@_spi(Records)
public struct AttemptConnection: Sendable, Hashable {
    // 4 bytes each, because every call has them.
    private let assignedMicroseconds: UInt32
    private let sentMicroseconds: UInt32
    private let firstByteMicroseconds: UInt32
    /// Whether the connection has served another call before.
    package let isReused: Bool
    /// The number of the attempt's span in the request's trace; 0 if that is not sampled.
    package let span: UInt16

    private static let unknown = UInt32.max

    /// - Parameters:
    ///   - isReused: whether the connection has served another call before.
    ///   - assigned: when the pool gave the attempt a connection, or began to open one for it; nil before.
    ///   - sent: when the connection was there and the request began to go out; nil before.
    ///   - firstByte: when the first byte of a response arrived; nil before.
    ///   - span: the number of its span; 0 for none.
    package init(isReused: Bool, assigned: Int64?, sent: Int64?, firstByte: Int64?, span: UInt16 = 0) {
        self.isReused = isReused
        self.span = span
        assignedMicroseconds = Self.microseconds(assigned)
        sentMicroseconds = Self.microseconds(sent)
        firstByteMicroseconds = Self.microseconds(firstByte)
    }

    /// The time that it waited for the pool; nil if it waits.
    package var assigned: Int64? { Self.nanoseconds(assignedMicroseconds) }
    package var sent: Int64? { Self.nanoseconds(sentMicroseconds) }
    package var firstByte: Int64? { Self.nanoseconds(firstByteMicroseconds) }

    @inline(__always)
    private static func microseconds(_ nanoseconds: Int64?) -> UInt32 {
        guard let nanoseconds else { return unknown }
        return UInt32(min(UInt64(max(0, nanoseconds)) / 1000, 3_600_000_000))
    }

    private static func nanoseconds(_ microseconds: UInt32) -> Int64? {
        microseconds == unknown ? nil : Int64(microseconds) * 1000
    }
}
