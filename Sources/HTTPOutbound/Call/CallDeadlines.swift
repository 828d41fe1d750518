internal import EventIO
internal import HTTPModel

/// The deadlines of a call. One timer, set for the nearest, asks `verdict` when it fires, since deadlines
/// move.
///
/// The total runs from the start of the call and is never reset. The limit of the current stage runs beside
/// it:
///
///     waiting           for a free connection           waitTimeout        connection_limit_reached
///     connecting        resolving included              (the connector's)  connection_timeout, dns_timeout
///     writing           since the last byte taken       writeTimeout       connection_write_timeout
///     delivering        since the last byte acknowledged, once the kernel has taken the whole request
///                                                       writeTimeout       connection_write_timeout
///     awaitingResponse  since the request was sent      firstByteTimeout   connection_read_timeout
///     receiving         since the last byte came        readTimeout        connection_read_timeout
///     awaitingBody      for a piece of our own body     pauseTimeout       connection_write_timeout
///     paused            by the response's consumer      pauseTimeout       http_response_timeout
struct CallDeadlines {
    enum Stage {
        case waiting
        case connecting
        case writing
        case delivering
        case awaitingResponse
        case receiving
        case awaitingBody
        case paused
    }

    enum Verdict {
        case notYet
        case failed(FailureReason, String)
    }

    private var limits: CallLimits
    private var totalDeadline: MonotonicTime
    private var stage = Stage.waiting
    private var stageDeadline = MonotonicTime.distantFuture
    /// Since when the call waits for a connection; also from before it was tried in vain to open one.
    private var waitingSince: MonotonicTime?
    /// When the last connection was begun; nil if there was one to reuse.
    private var connectingSince: MonotonicTime?

    init(limits: CallLimits, started now: MonotonicTime) {
        self.limits = limits
        totalDeadline = now + limits.total
    }

    /// Whether the stage's deadline has passed and depends on how much of the request has reached the peer.
    func needsDelivery(now: MonotonicTime) -> Bool {
        guard stageDeadline <= now else { return false }
        return switch stage {
        case .writing, .delivering, .awaitingResponse: true
        case .waiting, .connecting, .receiving, .awaitingBody, .paused: false
        }
    }

    /// How much of a request has reached its peer, as far as the kernel knows.
    struct Delivery {
        /// Whether it is more than at the last check.
        var hasMoved: Bool
        /// Whether the peer has acknowledged all that the kernel took.
        var isComplete: Bool
        /// When the kernel last sent something; nil if unknown.
        var lastSent: MonotonicTime?
    }

    /// Moves the passed deadline according to how far the request has got. A body may stay in the kernel's
    /// buffers long after the kernel has taken its last byte.
    mutating func deliveryChecked(_ delivery: Delivery, now: MonotonicTime) {
        switch stage {
        case .writing:
            if delivery.hasMoved { reached(.writing, now: now) }
        case .delivering, .awaitingResponse:
            guard delivery.isComplete else {
                stage = .delivering
                stageDeadline = delivery.hasMoved ? now + limits.write : now
                return
            }
            let sent = delivery.lastSent ?? (stage == .delivering ? now : stageDeadline - limits.firstByte)
            let deadline = sent + limits.firstByte
            stage = .awaitingResponse
            stageDeadline = max(stageDeadline, deadline)
        case .waiting, .connecting, .receiving, .awaitingBody, .paused: break
        }
    }

    func isAt(_ stage: Stage) -> Bool { self.stage == stage }

    /// Replaces the limit of the whole call, counted from its start.
    mutating func setTotal(_ total: TimeAmount, started: MonotonicTime) {
        limits.total = total
        totalDeadline = started + total
    }

    /// When the time of the whole call has passed.
    var end: MonotonicTime { totalDeadline }

    var next: MonotonicTime { min(totalDeadline, stageDeadline) }

    /// The time left for connecting: the connect limit, but never past the end of the call.
    func connectBudget(now: MonotonicTime) -> TimeAmount {
        max(.zero, min(limits.connect, totalDeadline - now))
    }

    /// Whether the time of the whole call has passed.
    func isOutOfTime(at now: MonotonicTime) -> Bool { totalDeadline <= now }

    /// Whether the time of the current stage has passed.
    func isStageOver(at now: MonotonicTime) -> Bool { stageDeadline <= now }

    /// Returns how long the upstream has been silent: while connecting, and then since the last sign of
    /// progress.
    ///
    /// - Parameter connected: when the call got its connection.
    func waitForUpstream(since connected: MonotonicTime?, at now: MonotonicTime) -> TimeAmount {
        let progress: MonotonicTime
        switch stage {
        case .connecting: return now - (connectingSince ?? now)
        case .writing, .delivering: progress = stageDeadline - limits.write
        case .awaitingResponse: progress = stageDeadline - limits.firstByte
        case .receiving: return stageDeadline == .distantFuture ? .zero : now - (stageDeadline - limits.read)
        case .waiting, .awaitingBody, .paused: return .zero
        }
        guard let connectingSince, let connected, connectingSince < connected else { return now - progress }
        return now - (progress - (connected - connectingSince))
    }

    /// The call has reached this stage, or made progress in it.
    mutating func reached(_ stage: Stage, now: MonotonicTime) {
        self.stage = stage
        switch stage {
        case .waiting:
            let since = waitingSince ?? now
            waitingSince = since
            stageDeadline = since + limits.wait
        case .connecting:
            stageDeadline = .distantFuture
            connectingSince = now
        case .writing, .delivering: stageDeadline = now + limits.write
        case .awaitingResponse: stageDeadline = now + limits.firstByte
        case .receiving: stageDeadline = now + limits.read
        case .awaitingBody, .paused: stageDeadline = now + limits.pause
        }
    }

    func verdict(now: MonotonicTime) -> Verdict {
        if stageDeadline <= now {
            switch stage {
            case .waiting:
                return .failed(
                    .connectionLimitReached, "no free connection within \(milliseconds: limits.wait)")
            case .connecting:
                return .failed(.connectionTimeout, "no connection within \(milliseconds: limits.connect)")
            case .writing:
                return .failed(
                    .connectionWriteTimeout,
                    "the upstream took no byte of the request for \(milliseconds: limits.write)")
            case .delivering:
                return .failed(
                    .connectionWriteTimeout,
                    "no further byte of the request acknowledged for \(milliseconds: limits.write)")
            case .awaitingResponse:
                return .failed(.connectionReadTimeout, "no response within \(milliseconds: limits.firstByte)")
            case .receiving:
                return .failed(.connectionReadTimeout, "no further byte for \(milliseconds: limits.read)")
            case .awaitingBody:
                return .failed(
                    .connectionWriteTimeout,
                    "the source of the body had no piece for \(milliseconds: limits.pause)")
            case .paused:
                return .failed(.responseTimeout, "the response was paused for \(milliseconds: limits.pause)")
            }
        }
        guard totalDeadline <= now else { return .notYet }
        switch stage {
        case .waiting:
            return .failed(.connectionLimitReached, "no free connection within \(milliseconds: limits.total)")
        case .connecting:
            return .failed(.connectionTimeout, "no connection within \(milliseconds: limits.total)")
        case .writing, .delivering, .awaitingResponse, .receiving, .awaitingBody, .paused:
            return .failed(.responseTimeout, "no whole response within \(milliseconds: limits.total)")
        }
    }
}

struct CallLimits {
    var wait: TimeAmount
    var connect: TimeAmount
    var write: TimeAmount
    var firstByte: TimeAmount
    var read: TimeAmount
    var total: TimeAmount
    var pause: TimeAmount

    init(_ limits: OutboundLimits) {
        wait = limits.waitTimeout.map { TimeAmount($0) } ?? .never
        connect = TimeAmount(limits.connectTimeout)
        write = TimeAmount(limits.writeTimeout)
        firstByte = TimeAmount(limits.firstByteTimeout)
        read = TimeAmount(limits.readTimeout)
        total = TimeAmount(limits.totalTimeout)
        pause = TimeAmount(limits.pauseTimeout)
    }

    /// Returns these limits, replaced by a call's own values where they are not nil. `limits` is the source
    /// of `self`; values equal to it, as most are, need no conversion.
    func with(
        _ limits: OutboundLimits, connect: Duration?, write: Duration?, firstByte: Duration?,
        read: Duration?, total: TimeAmount?, pause: TimeAmount?
    ) -> CallLimits {
        var own = self
        if let write, write != limits.writeTimeout { own.write = TimeAmount(write) }
        if let connect, connect != limits.connectTimeout { own.connect = TimeAmount(connect) }
        if let firstByte, firstByte != limits.firstByteTimeout { own.firstByte = TimeAmount(firstByte) }
        if let read, read != limits.readTimeout { own.read = TimeAmount(read) }
        if let total { own.total = total }
        if let pause { own.pause = pause }
        return own
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(milliseconds amount: TimeAmount) {
        appendInterpolation(amount.nanoseconds / 1_000_000)
        appendLiteral(" ms")
    }
}
