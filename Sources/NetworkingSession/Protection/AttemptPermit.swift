import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import Resilience

/// An attempt that its upstream's protection has admitted. Report its end once.
struct AttemptPermit: ~Copyable {
    /// Nil for an upstream without protection, and after the end.
    private var upstream: LoopUpstream?
    private(set) var isProbe: Bool
    /// Where the attempt goes, if there was a choice. Nil after the end.
    private var address: LoopAddress?
    private var isTrial = false

    /// Whether its end tells nobody anything.
    var isEmpty: Bool { upstream == nil && address == nil }

    /// - Throws: `circuit_open` or `concurrency_limit`, with `retryAfter`.
    @inline(__always)
    init(
        of upstream: consuming LoopUpstream, for call: TransportCall, at now: MonotonicTime
    ) throws(TransportError) {
        isProbe = try upstream.protection?.admit(call, at: now) ?? false
        self.upstream = upstream.protection == nil ? nil : upstream
    }

    /// The attempt goes to this one of several addresses.
    @inline(__always)
    mutating func choose(_ address: LoopAddress) {
        isTrial = address.beginsTrial()
        self.address = address
    }

    /// The response of a stream began. That is the end of a probe and of a trial, because the stream may last
    /// for ever.
    mutating func streamBegan(_ status: HTTPStatus, _ call: TransportCall, at now: MonotonicTime) {
        // Readers take only the bodies of successful responses as streams.
        guard !status.tellsTrouble else { return }
        endTrial()
        address?.attemptEnded(isFailure: false, isProbe: isProbe, at: now)
        guard isProbe else { return }
        isProbe = false
        upstream?.circuit?.probeEnded(.succeeded, of: call, at: now)
    }

    /// A complete response arrived.
    ///
    /// - Parameter lacksBody: whether it came while more of the request's body was missing on our side. A
    ///   failure then says nothing about the upstream: it may have waited for that body in vain.
    @inline(__always)
    mutating func attemptSucceeded(
        _ status: HTTPStatus, lacksBody: Bool, _ call: TransportCall, at now: MonotonicTime
    ) {
        guard status.tellsTrouble else { return end(.success, call, at: now) }
        if lacksBody { drop(call, at: now) } else { end(.failure, call, at: now) }
    }

    mutating func attemptFailed(_ reason: FailureReason, _ call: TransportCall, at now: MonotonicTime) {
        guard reason.tellsTrouble else { return drop(call, at: now) }
        end(reason.isTimeout ? .timeout : .failure, call, at: now)
    }

    /// The attempt was cancelled because the time of its request was over.
    mutating func attemptTimedOut(_ call: TransportCall, at now: MonotonicTime) {
        end(.timeout, call, at: now)
    }

    @inline(__always)
    private mutating func end(_ end: AttemptEnd, _ call: TransportCall, at now: MonotonicTime) {
        endTrial()
        let isFailure = end != .success
        let address = address.take()
        if let address { address.attemptEnded(isFailure: isFailure, isProbe: isProbe, at: now) }
        guard let upstream = upstream.take() else { return }
        upstream.protection?.leave()
        if isFailure, !isProbe, let address, address.failsAlone(at: now) { return }
        upstream.window?.count(isFailure: isFailure, at: now.nanoseconds)
        guard let circuit = upstream.circuit else { return }
        if end == .timeout { circuit.attemptTimedOut(of: call.endpointNumber, at: now) }
        if circuit.needsEnds, !isProbe, let attempts = upstream.attempts {
            circuit.attemptEnded(end, of: call, on: attempts, at: now)
        }
        switch (isProbe, isFailure) {
        case (false, false): break
        case (false, true): circuit.attemptFailed(call, at: now)
        case (true, false): circuit.probeEnded(.succeeded, of: call, at: now)
        case (true, true): circuit.probeFailed(end, of: call, at: address, now)
        }
    }

    /// Ends an attempt that says nothing about the upstream.
    mutating func drop(_ call: TransportCall, at now: MonotonicTime) {
        endTrial()
        address = nil
        guard let upstream = upstream.take() else { return }
        upstream.protection?.leave()
        if isProbe { upstream.circuit?.probeEnded(.cancelled, of: call, at: now) }
    }

    /// Returns what an attempt that goes on after its call was cancelled holds: the place of the request at
    /// its endpoint, and one among the upstream's attempts in flight.
    func held(with call: TransportCall) -> [AnyObject] {
        let places: [AnyObject?] = [call.place?.hold(), upstream?.protection?.hold()]
        return places.compactMap { $0 }
    }

    @inline(__always)
    private mutating func endTrial() {
        guard isTrial else { return }
        isTrial = false
        address?.trialEnded()
    }
}

extension HTTPStatus {
    /// Whether the upstream, or what it depends on, is in trouble. A 501 is an answer.
    fileprivate var tellsTrouble: Bool { code == 500 || (502...504).contains(code) }
}

extension FailureReason {
    /// Whether an attempt took longer than its limits allow.
    var isTimeout: Bool {
        switch self {
        case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout,
            .responseTimeout:
            true
        default: false
        }
    }

    /// Whether an attempt failed because of the upstream or the network, and not by a limit of this process.
    var tellsTrouble: Bool {
        switch self {
        // Nothing was sent when the client is closed either, but then nothing counts any more.
        case .dnsError, .destinationUnavailable, .connectionRefused, .connectionTerminated,
            .responseIncomplete, .protocolError,
            .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived:
            true
        default: isTimeout
        }
    }
}
