internal import EventIO
internal import HTTPWire

/// The limits of `ConnectionStateMachine`, with times as single words for the hot path.
struct StateLimits {
    var requestBody: Int
    var bodyRate: Int
    var requestsPerConnection: Int
    var discardedBytes: Int
    var handshakeDeadline: TimeAmount
    var headerDeadline: TimeAmount
    var bodyDeadline: TimeAmount
    var bodyRateGrace: TimeAmount
    var unreadBody: Int
    var sendStall: TimeAmount
    var sendRate: Int
    var sendRateGrace: TimeAmount
    /// Time between two checks of waiting output. Default 1 s.
    var sendCheckInterval: TimeAmount
    /// Time in which a client's kernel fills its buffer, so that acknowledgements do not show whether the
    /// client reads. Default 200 ms.
    var settlingTime: TimeAmount
    var keepAliveIdle: TimeAmount
    var discardTime: TimeAmount
    var drainGrace: TimeAmount

    init(_ limits: InboundLimits) {
        requestBody = limits.requestBody
        bodyRate = limits.bodyRate
        requestsPerConnection = limits.requestsPerConnection
        discardedBytes = limits.discardedBytes
        handshakeDeadline = TimeAmount(limits.handshakeDeadline)
        headerDeadline = TimeAmount(limits.headerDeadline)
        bodyDeadline = TimeAmount(limits.bodyDeadline)
        bodyRateGrace = TimeAmount(limits.bodyRateGrace)
        unreadBody = limits.unreadBody
        sendStall = TimeAmount(limits.sendStall)
        sendRate = limits.sendRate
        sendRateGrace = TimeAmount(limits.sendRateGrace)
        // Check shorter limits more often, but not so often that it keeps the loop busy.
        let shortest = min(sendStall, sendRateGrace)
        sendCheckInterval = min(
            .seconds(1), max(.milliseconds(10), TimeAmount(nanoseconds: shortest.nanoseconds / 4)))
        settlingTime = TimeAmount(nanoseconds: sendCheckInterval.nanoseconds / 5)
        keepAliveIdle = TimeAmount(limits.keepAliveIdle)
        discardTime = TimeAmount(limits.discardTime)
        drainGrace = TimeAmount(limits.drainGrace)
    }

    /// The time that this much of a body may take at `bodyRate`.
    func ratedTime(ofBytes count: Int) -> TimeAmount {
        let (scaled, isTooLarge) = Int64(count).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? .never : TimeAmount(nanoseconds: scaled / Int64(max(1, bodyRate)))
    }
}

extension RequestLimits {
    init(_ limits: InboundLimits) {
        self.init()
        target = limits.target
        fieldBlock = limits.headerBlock
        fieldLine = limits.headerLine
        fieldCount = limits.headerCount
    }
}
