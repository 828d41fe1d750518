internal import HTTPModel
internal import HTTPWire

/// Reads one response after the other off a connection: the parser's events gathered into whole responses.
struct ResponseReader {
    enum Outcome {
        case needMore
        case whole(WholeResponse)
        case failed(OutboundError.Reason, String)
    }

    private let bodyLimit: Int
    private var parser: ResponseParser
    private var head: HTTPResponseHead?
    private var framing: ResponseFraming?
    private var body: ResponseBody

    init(limits: OutboundLimits) {
        bodyLimit = limits.responseBody
        body = ResponseBody(limit: bodyLimit)
        var parserLimits = ResponseLimits()
        parserLimits.fieldBlock = limits.responseHead
        parserLimits.fieldLine = limits.responseHead
        parserLimits.fieldCount = limits.responseFields
        parserLimits.informational = limits.informationalResponses
        parser = ResponseParser(limits: parserLimits)
    }

    /// What follows answers a request with this method.
    mutating func expect(method: HTTPMethod) {
        parser.expectResponse(to: method)
    }

    /// Whether the response is whole in `bytes`, as nearly all are: then `take` follows, else `read`.
    mutating func whole(in bytes: UnsafeRawBufferPointer) -> ResponseParser.Whole? {
        parser.whole(in: bytes, contentLimit: bodyLimit)
    }

    mutating func take(
        _ whole: ResponseParser.Whole, of bytes: UnsafeRawBufferPointer
    ) -> (head: HTTPResponseHead, body: ArraySlice<UInt8>) {
        parser.take(whole, of: bytes)
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var consumed = 0
        while true {
            switch parser.parse(bytes, consumed: &consumed) {
            case .needMore: return .needMore
            case .informational: continue
            case .head(let head, let framing):
                var promised = 0
                if case .length(let length) = framing.body { promised = length }
                guard promised <= bodyLimit else { return tooLarge }
                body.expect(promised)
                self.head = head
                self.framing = framing
            case .body(let range):
                guard body.append(UnsafeRawBufferPointer(rebasing: bytes[range])) else { return tooLarge }
            case .end(let isReusable):
                return whole(isReusable: isReusable, strayBytes: bytes.count - consumed)
            case .failed(let error): return .failed(OutboundError.Reason(error.reason), error.message)
            }
        }
    }

    /// The peer ended its side in order. Whole if that is how the response told its length (RFC 9112 6.3, rule 8).
    mutating func inputEnded() -> Outcome {
        switch parser.inputEnded() {
        case .end: whole(isReusable: false, strayBytes: 0)
        case .failed(let error): .failed(OutboundError.Reason(error.reason), error.message)
        case .needMore, .informational, .head, .body: .needMore
        }
    }

    private mutating func whole(isReusable: Bool, strayBytes: Int) -> Outcome {
        guard let head = head.take(), let framing = framing.take() else {
            preconditionFailure("a response ended that had no head")
        }
        return .whole(
            WholeResponse(
                head: head, body: body.take(), isReusable: isReusable, keepAlive: KeepAlive(framing),
                strayBytes: strayBytes))
    }

    private var tooLarge: Outcome { .failed(.responseBodySize, "the body is larger than \(bodyLimit) bytes") }
}

/// What came for one request, in pieces.
struct WholeResponse {
    let head: HTTPResponseHead
    let body: ArraySlice<UInt8>
    /// The peer takes another request on the connection (RFC 9112 9.3).
    let isReusable: Bool
    let keepAlive: KeepAlive
    /// Bytes that came after the end of the response.
    let strayBytes: Int
}
