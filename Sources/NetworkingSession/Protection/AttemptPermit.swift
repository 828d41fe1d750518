import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import Resilience

/// One loop's part of an upstream's protection, so that loops share no reference count.
final class LoopProtection {
    let shared: UpstreamProtection
    fileprivate let circuit: Circuit?
    fileprivate let window: AttemptWindow?

    init(_ shared: UpstreamProtection, loop index: Int) {
        self.shared = shared
        circuit = shared.circuit
        window = circuit?.window(ofLoop: index)
    }

    var isCircuitClosed: Bool { circuit?.isClosed ?? true }

    /// - Throws: `circuit_open` or `concurrency_limit`, with `retryAfter`.
    @inline(__always)
    func admit(at now: MonotonicTime) throws(TransportError) -> AttemptPermit {
        AttemptPermit(self, isProbe: try shared.admit(at: now))
    }
}

/// An attempt that its upstream's protection has admitted. Report its end once.
struct AttemptPermit: ~Copyable {
    /// Nil for an upstream without protection, and after the end.
    private var protection: LoopProtection?
    private(set) var isProbe: Bool
    /// Where the attempt goes, if there was a choice. Nil after the end.
    private var address: LoopAddress?
    private var isTrial = false

    /// Whether its end tells nobody anything.
    var isEmpty: Bool { protection == nil && address == nil }

    /// For an upstream without protection.
    static var unprotected: AttemptPermit { AttemptPermit(nil, isProbe: false) }

    fileprivate init(_ protection: LoopProtection?, isProbe: Bool) {
        self.protection = protection
        self.isProbe = isProbe
    }

    /// The attempt goes to this one of several addresses.
    @inline(__always)
    mutating func choose(_ address: LoopAddress) {
        isTrial = address.beginsTrial()
        self.address = address
    }

    /// The response of a stream began. That is the end of a probe and of a trial, because the stream may last for ever.
    mutating func streamBegan(_ status: HTTPStatus, at now: MonotonicTime) {
        // Readers take only the bodies of successful responses as streams.
        guard !status.tellsTrouble else { return }
        endTrial()
        address?.attemptEnded(isFailure: false, isProbe: isProbe, at: now)
        guard isProbe else { return }
        isProbe = false
        protection?.circuit?.probeEnded(.succeeded, at: now)
    }

    /// A complete response arrived.
    @inline(__always)
    mutating func attemptSucceeded(_ status: HTTPStatus, at now: MonotonicTime) {
        end(isFailure: status.tellsTrouble, at: now)
    }

    /// - Parameter isLate: whether the process stood still while the time passed, so that it proves nothing.
    mutating func attemptFailed(_ reason: FailureReason, isLate: Bool, at now: MonotonicTime) {
        guard !(isLate && reason.isTimeout), reason.tellsTrouble else { return drop(at: now) }
        end(isFailure: true, at: now)
    }

    /// The attempt was given up. That counts as a failure if the upstream was silent for long enough.
    mutating func attemptCancelled(wasSilent: Bool, at now: MonotonicTime) {
        if wasSilent { end(isFailure: true, at: now) } else { drop(at: now) }
    }

    @inline(__always)
    private mutating func end(isFailure: Bool, at now: MonotonicTime) {
        endTrial()
        let address = address.take()
        if let address { address.attemptEnded(isFailure: isFailure, isProbe: isProbe, at: now) }
        guard let protection = protection.take() else { return }
        protection.shared.leave()
        if isFailure, !isProbe, let address, address.failsAlone(at: now) { return }
        protection.window?.count(isFailure: isFailure, at: now.nanoseconds)
        switch (isProbe, isFailure) {
        case (false, false): break
        case (false, true): protection.circuit?.attemptFailed(at: now)
        case (true, false): protection.circuit?.probeEnded(.succeeded, at: now)
        case (true, true): protection.circuit?.probeFailed(at: address, now)
        }
    }

    /// Ends an attempt that says nothing about the upstream.
    private mutating func drop(at now: MonotonicTime) {
        endTrial()
        address = nil
        guard let protection = protection.take() else { return }
        protection.shared.leave()
        if isProbe { protection.circuit?.probeEnded(.cancelled, at: now) }
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
    fileprivate var isTimeout: Bool {
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
