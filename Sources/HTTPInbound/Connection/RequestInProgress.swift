internal import EventIO
internal import HTTPModel

struct RequestInProgress {
    /// Nil before it is complete, and once the exchange has it.
    var head: HTTPRequestHead?
    /// The method on the wire: HEAD stays HEAD. Nil before it is known.
    var method: HTTPMethod?
    var version = HTTPVersion.http11
    var receivedAt: MonotonicTime
    /// The answer decided on before the body was read; nil if the handler wants the body.
    var decided: DecidedAnswer?
    /// The context from `decide`, for the exchange.
    var context: AnyObject?
    var body: [UInt8] = []
    /// Bytes of the request, head and body.
    var bytesReceived = 0
    /// Bytes of the 100 (Continue) that precede its answer.
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

/// An answer decided on before the body was read.
final class DecidedAnswer {
    let response: HTTPResponse
    /// See `BodyDecision.answer`.
    let refused: [String]

    init(_ response: HTTPResponse, refused: [String] = []) {
        self.response = response
        self.refused = refused
    }
}
