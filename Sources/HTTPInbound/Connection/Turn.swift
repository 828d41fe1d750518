internal import EventIO
internal import HTTPModel

/// The request that a connection reads or answers now.
struct Turn {
    /// Nil before it has come, and once the exchange has it.
    var head: HTTPRequestHead?
    /// The method on the wire: HEAD stays HEAD. Nil before it has come.
    var method: HTTPMethod?
    var version = HTTPVersion.http11
    var receivedAt: MonotonicTime
    /// The answer that is known before the body came; nil: the handler wants the body.
    var decided: HTTPResponse?
    /// What `decide` found out, for `handle`.
    var context: AnyObject?
    var body: [UInt8] = []
    /// Bytes of the request, head and body.
    var bytesReceived = 0
    /// Bytes of its 100 (Continue), which go out right before its answer.
    var continueBytes = 0

    init(receivedAt: MonotonicTime) {
        self.receivedAt = receivedAt
    }

    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }
}
