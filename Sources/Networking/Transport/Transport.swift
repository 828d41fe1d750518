public import Dispatch
public import HTTPModel
import Locking
public import Rx

/// Carries calls: over connections in production, from a script in tests.
///
/// One transport serves all loops. Methods are called on the loop or thread that subscribes to the call, and
/// report there.
public protocol Transport: AnyObject, Sendable {
    /// Sends the call once and reports the result to `receiver` exactly once, before or after returning. (A
    /// transport with loops reports failures after returning, so that an immediate retry does not recurse.)
    /// Disposing the returned value cancels the attempt; then nothing more is reported.
    ///
    /// Succeeds with a complete response of any status; fails with a `TransportError`. Does not follow
    /// redirects; may decode content codings. Enforces the attempt's limits (`TransportCall.limits`) and ends
    /// it with `responseTimeout` after `limit`, the call's remaining time.
    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable

    /// The fields sent with every call unless its target, a plugin or its context overrides them. Default:
    /// `Accept: application/json` and `Accept-Encoding: identity`, for a gateway's calls to nearby upstreams.
    var fields: HTTPFields { get }

    /// The fields sent instead of `fields` to upstreams that may compress their responses. Default nil:
    /// `fields` go to all.
    var compressionFields: HTTPFields? { get }

    /// Whether calls to the upstream have `compressionFields`. A provider asks once, before its first call to
    /// the upstream, if there are such fields. Default false.
    func acceptsCompression(from upstream: Upstream) -> Bool

    /// Additional fields for calls made outside a client's request. Default: a `Via` with `sluice`.
    var fieldsWithoutContext: HTTPFields { get }

    /// Returns the transport for one call, which keeps attempts, timers and retries on one loop: the calling
    /// loop or, on other threads, the next one in turn. Default: this transport, which has at most one loop.
    func forOneCall() -> any Transport

    /// The clock and timers of the calling loop, for durations and deadlines.
    var scheduler: any SchedulerType { get }

    /// The time of day, for cookie expiry and dates in `Retry-After`. Unlike the scheduler's time, it follows
    /// adjustments of the system clock and continues while the machine sleeps. Default: the scheduler's time,
    /// which is right in virtual time.
    var wallTime: RxTime { get }

    /// Whether the calling thread is one of the transport's loops and `scheduler` belongs to it. Default
    /// true.
    var isOnLoop: Bool { get }

    /// Takes one retry from this upstream's budget on this loop (`RetryBudget`). Returns what forbids the
    /// retry, or nil: then call `endRetry` later.
    func beginRetry(to upstream: Upstream) -> RetryObstacle?

    /// Whether the circuit of any upstream is not closed, so that `isCircuitOpen` is worth asking. Default
    /// false.
    var hasOpenCircuits: Bool { get }

    /// Whether a call to the upstream would fail now with `circuit_open`, and nothing of it be sent. Default
    /// false.
    ///
    /// - Parameters:
    ///   - upstream: the call's upstream.
    ///   - endpoint: the number of the endpoint whose request the call is made for, from 1; 0 outside a
    ///     gateway's request.
    func isCircuitOpen(of upstream: Upstream, for endpoint: Int) -> Bool

    /// Whether another attempt can go to an address of the upstream that the call has not tried. Once a call,
    /// an attempt that could not be sent, or whose connection was cut, is repeated there at once and without
    /// the budget. Default false.
    ///
    /// - Parameters:
    ///   - upstream: the call's upstream.
    ///   - tried: the addresses that the call has tried.
    ///   - orOut: whether an address out of service will do if no other one is in service.
    func hasOtherAddress(of upstream: Upstream, than tried: TriedAddresses, orOut: Bool) -> Bool

    /// Gives back a retry that `beginRetry` granted.
    func endRetry(to upstream: Upstream)
}

extension Transport {
    /// Default: this transport.
    public func forOneCall() -> any Transport { self }
    /// Default: true.
    public var isOnLoop: Bool { true }
    /// Default: false.
    public var hasOpenCircuits: Bool { false }
    /// Default: false.
    public func isCircuitOpen(of _: Upstream, for _: Int) -> Bool { false }
    /// Default: false.
    public func hasOtherAddress(of _: Upstream, than _: TriedAddresses, orOut _: Bool) -> Bool { false }
    /// Default: the scheduler's time.
    public var wallTime: RxTime { scheduler.now }
    /// Default: the fields for a gateway's calls to upstreams nearby.
    public var fields: HTTPFields { CallContext.standardFields }
    /// Default: nil, so that `fields` go to all upstreams.
    public var compressionFields: HTTPFields? { nil }
    /// Default: false.
    public func acceptsCompression(from _: Upstream) -> Bool { false }
    /// Default: a `Via` with `sluice`.
    public var fieldsWithoutContext: HTTPFields { CallContext.fieldsWithoutContext }
}

/// Receives the result of an attempt.
public protocol AttemptReceiver: AnyObject, Sendable {
    /// The receiver itself if it also wants the attempt's progress. Default nil: only complete responses are
    /// delivered.
    var streaming: (any StreamingAttemptReceiver)? { get }

    /// Reports the address of the attempt's connection, or of its proxy, before the attempt ends. Only
    /// transports with addresses call it. Does nothing by default.
    func attemptReached(_ address: PeerAddress)

    /// Reports what an attempt has reached: before it ends, and for a request with a timeline also as soon as
    /// it has a connection and with the first byte. Does nothing by default.
    @_spi(Records) func attemptUsed(_ connection: AttemptConnection)

    /// The addresses that the call's attempts were sent to, if the upstream has several. Used on the
    /// attempts' loop. Default: none are kept.
    var triedAddresses: TriedAddresses { get set }

    /// Whether an attempt of the call was already sent twice because its connection was stale. That happens
    /// once per call: a later attempt on a stale connection fails if any byte of its request was sent.
    /// Default false.
    var wasSentTwice: Bool { get }

    /// Reports, before the attempt ends, that it was sent twice. Does nothing by default.
    func attemptWasSentTwice()

    /// Whether the call has had another attempt. If the circuit refuses this one, the failure of that one
    /// stands, and the attempt does not count. Default false.
    @_spi(Records) var wasRetried: Bool { get }

    /// Reports a complete response of any status.
    func attemptSucceeded(_ response: consuming TransportResponse)
    /// Reports a failure without a complete response.
    func attemptFailed(_ error: TransportError)
}

extension AttemptReceiver {
    /// Default: nothing.
    public func attemptReached(_: PeerAddress) {}
    /// Default: nothing.
    @_spi(Records) public func attemptUsed(_: AttemptConnection) {}
    /// Default: none are kept.
    public var triedAddresses: TriedAddresses {
        get { TriedAddresses() }
        set {}
    }
    /// Default: false.
    public var wasSentTwice: Bool { false }
    /// Default: nothing.
    public func attemptWasSentTwice() {}
    /// Default: false.
    @_spi(Records) public var wasRetried: Bool { false }
}

/// Does work on another thread. Returns false, and drops the work, if too much waits there.
package typealias WorkApart = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

/// A transport that can do on another thread what would hold up its loop.
package protocol OffloadingTransport: Transport {
    /// Does the work on another thread. Returns false, and drops the work, if too much waits there, at all or
    /// for this client (`CallContext.client`).
    func workApart(for client: String?, _ work: @escaping @Sendable () -> Void) -> Bool

    /// Continues on the loop. Returns false, and drops the work, if the loop has ended.
    func continueOnLoop(_ work: @escaping @Sendable () -> Void) -> Bool
}

/// Work that waits for another thread. Disposing it drops the work and what that holds, unless it has begun.
package final class WaitingWork: Disposable {
    private let work: Lock<(@Sendable () -> Void)?>

    package init(_ work: @escaping @Sendable () -> Void) { self.work = Lock(work) }

    /// Whether it was dropped, or has begun.
    package var isTaken: Bool { work.withLock { $0 == nil } }

    package func run() { take()?() }

    package func dispose() { _ = take() }

    private func take() -> (@Sendable () -> Void)? { work.withLock { $0.take() } }
}
