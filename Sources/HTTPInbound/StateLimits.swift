internal import EventIO
internal import HTTPWire

/// The limits that `ConnectionStateMachine` decides by, its times as single words: the hot path only adds.
struct StateLimits {
    var requestBody: Int
    var bodyRate: Int
    var requestsPerConnection: Int
    var discardedBytes: Int
    var headerDeadline: TimeAmount
    var bodyDeadline: TimeAmount
    var bodyRateGrace: TimeAmount
    var writeStall: TimeAmount
    /// How often a queue that waits is looked at.
    var writeLook: TimeAmount
    var keepAliveIdle: TimeAmount
    var discardTime: TimeAmount
    var drainGrace: TimeAmount

    init(_ limits: InboundLimits) {
        requestBody = limits.requestBody
        bodyRate = limits.bodyRate
        requestsPerConnection = limits.requestsPerConnection
        discardedBytes = limits.discardedBytes
        headerDeadline = TimeAmount(limits.headerDeadline)
        bodyDeadline = TimeAmount(limits.bodyDeadline)
        bodyRateGrace = TimeAmount(limits.bodyRateGrace)
        writeStall = TimeAmount(limits.writeStall)
        writeLook = min(TimeAmount(.seconds(1)), TimeAmount(nanoseconds: writeStall.nanoseconds / 4))
        keepAliveIdle = TimeAmount(limits.keepAliveIdle)
        discardTime = TimeAmount(limits.discardTime)
        drainGrace = TimeAmount(limits.drainGrace)
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
