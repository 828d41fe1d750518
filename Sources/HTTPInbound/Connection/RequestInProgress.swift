internal import EventIO
internal import HTTPModel

struct RequestInProgress {
    /// Nil before it is complete, and if an exchange has it.
    var head: HTTPRequestHead?
    /// The method on the wire: HEAD stays HEAD. Nil before it is known.
    var method: HTTPMethod?
    /// The peer with the request's client; nil if it is the connection's.
    var peer: InboundPeer?
    var version = HTTPVersion.http11
    var receivedAt: MonotonicTime
    /// The answer decided on before the body was read; nil if the handler wants the body.
    var decided: DecidedAnswer?
    /// Whether the answer may come before the end of a body that is arriving.
    var ignoresBody = false
    /// The exchange from `decide`, until it starts.
    var exchange: InboundExchange?
    /// Nil before it is complete, and once the exchange has started.
    var currentHead: HTTPRequestHead? { head ?? exchange?.request.head }
    private(set) var body: [UInt8] = []
    /// The Content-Length of a body that is kept; 0 if it is unknown.
    private var expectedBody = 0
    /// Bytes of a small body that its exchange has taken.
    var countedBody = 0
    /// Bytes of the request, head and body.
    var bytesReceived = 0
    /// Bytes of the 100 (Continue) that precede its answer.
    var continueBytes = 0

    init(receivedAt: MonotonicTime) {
        self.receivedAt = receivedAt
    }

    mutating func expectBody(of length: Int) {
        expectedBody = length
        // A Content-Length is only a promise, so it reserves little.
        body.reserveCapacity(min(length, 16_384))
    }

    mutating func appendToBody(_ bytes: UnsafeRawBufferPointer) {
        let count = body.count + bytes.count
        if count > body.capacity, count <= expectedBody {
            // Doubles as an array does, but has no room left over in the end.
            body.reserveCapacity(min(expectedBody, max(count, 2 * body.capacity)))
        }
        body.append(contentsOf: bytes)
    }

    /// Returns the body and keeps none of it.
    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }
}

/// An answer decided on before the body was read.
final class DecidedAnswer {
    let response: HTTPResponse
    let note: AnswerNote
    /// Why the server refused; nil for an answer of the handler.
    let error: InboundError?

    init(_ response: HTTPResponse, _ note: AnswerNote = AnswerNote(), error: InboundError? = nil) {
        self.response = response
        self.note = note
        self.error = error
    }
}
