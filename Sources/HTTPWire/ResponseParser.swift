public import HTTPModel

/// Parses the responses on an upstream connection, strictly and without I/O (RFC 9112).
///
/// Call `expectResponse(to:)` before sending each request; bytes that arrive without it are a failure. Call
/// `parse` with received bytes, and again with the same input and `consumed`, until it returns `.needMore`.
/// Bytes left after `.end` are unsolicited: do not reuse the connection.
public struct ResponseParser: Sendable {
    /// What the parser has read.
    public enum Event: Sendable {
        /// All input is consumed, and the response is incomplete.
        case needMore
        /// A 1xx response; the final response follows.
        case informational(HTTPStatus)
        case head(HTTPResponseHead, ResponseFraming)
        /// A part of the body, as a range of this call's input.
        case body(Range<Int>)
        /// The response is complete. `reusable` is true if the head allows another request on the connection.
        case end(reusable: Bool)
        case failed(ResponseError)
    }

    private enum Phase {
        case idle
        case head
        case body(remaining: Int)
        case chunks(ChunkedDecoder)
        case untilClose
        case failed(ResponseError)
    }

    private let limits: ResponseLimits
    private var phase = Phase.idle
    private var keepAlive = false
    private var informationalCount = 0
    private var hasStarted = false
    private var buffer = HeadBuffer()
    private var scanner: ResponseHeadScanner

    /// - Parameters:
    ///   - limits: the limits on heads.
    ///   - opensTunnel: whether a proxy responds to CONNECT. Then `Content-Length` and `Transfer-Encoding`
    ///     are ignored, as RFC 9110 9.3.6 requires for a success; do not read the body of a refusal.
    public init(limits: ResponseLimits = ResponseLimits(), opensTunnel: Bool = false) {
        self.limits = limits
        scanner = ResponseHeadScanner(limits: limits, side: opensTunnel ? .tunnelResponse : .response)
    }

    /// Announces that a request with that method will be sent.
    ///
    /// - Precondition: no other response is expected.
    public mutating func expectResponse(to method: HTTPMethod) {
        guard case .idle = phase else {
            preconditionFailure("a response is expected while \(phase) is under way")
        }
        scanner.method = method
        phase = .head
        informationalCount = 0
        hasStarted = false
    }

    /// Whether the parser is between two responses.
    public var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// Parses `input` from `consumed` on, and moves `consumed` past the parsed bytes.
    public mutating func parse(_ input: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        do {
            return try next(input, &consumed)
        } catch {
            return fail(ResponseError(error))
        }
    }

    /// Where the head and the body of a response lie in one input.
    public struct Layout: Sendable, Hashable {
        /// How the body is delimited.
        public let framing: ResponseFraming
        /// In bytes.
        let headLength: Int
        /// In bytes, directly after the head.
        let contentLength: Int

        /// In bytes.
        public var length: Int { headLength &+ contentLength }
    }

    /// Locates a response that begins and ends in `input`, as most do. Then call `take`, or `parse` if the
    /// result is nil.
    ///
    /// - Parameters:
    ///   - input: the received bytes, starting with the response.
    ///   - contentLimit: the maximum content length in bytes.
    /// - Returns: nil if the response is incomplete, too long, of unannounced length or in a content coding.
    public mutating func locateResponse(in input: UnsafeRawBufferPointer, contentLimit: Int) -> Layout? {
        guard case .head = phase, buffer.isEmpty, !input.isEmpty else { return nil }
        hasStarted = true
        do {
            guard let headLength = try scanner.scan(input), !scanner.isInformational else { return nil }
            let framing = try scanner.framing()
            let contentLength: Int
            switch framing.body {
            case .none: contentLength = 0
            case .length(let length): contentLength = length
            case .chunked, .untilClose: return nil
            }
            guard contentLength <= contentLimit, contentLength <= input.count &- headLength,
                !framing.hasContentCoding
            else {
                return nil
            }
            return Layout(framing: framing, headLength: headLength, contentLength: contentLength)
        } catch {
            phase = .failed(ResponseError(error))
            return nil
        }
    }

    /// Returns the response that `locateResponse` found in the same input. Its body is stored with its
    /// fields.
    public mutating func take(
        _ layout: Layout, of input: UnsafeRawBufferPointer
    ) -> (head: HTTPResponseHead, body: ArraySlice<UInt8>) {
        let head = scanner.head(UnsafeRawBufferPointer(rebasing: input[..<layout.length]))
        scanner.reset()
        phase = .idle
        return (head, layout.contentLength > 0 ? head.fields.content(layout.contentLength) : [])
    }

    /// The number of missing body bytes. 0 if the length is unknown.
    public var bodyLeft: Int { if case .body(let remaining) = phase { remaining } else { 0 } }

    /// Counts body bytes received without `parse`.
    ///
    /// - Precondition: `count` is at most `bodyLeft`.
    public mutating func advanceBody(by count: Int) {
        guard case .body(let remaining) = phase, count <= remaining else {
            preconditionFailure("\(count) bytes of a body while \(phase)")
        }
        phase = .body(remaining: remaining - count)
    }

    /// Handles the orderly end of the connection (FIN): ends a body delimited by the close, and fails
    /// otherwise. Do not call it after a reset, which truncates every response.
    public mutating func inputEnded() -> Event {
        switch phase {
        case .untilClose:
            return end(reusable: false)
        case .body(0):
            return end(reusable: false)
        case .idle:
            return fail(.terminated)
        case .head:
            return fail(hasStarted ? .incomplete : .terminated)
        case .body, .chunks:
            return fail(.incomplete)
        case .failed(let failure):
            return .failed(failure)
        }
    }

    private mutating func fail(_ failure: ResponseError) -> Event {
        phase = .failed(failure)
        return .failed(failure)
    }

    private mutating func end(reusable: Bool) -> Event {
        scanner.reset()
        phase = .idle
        return .end(reusable: reusable)
    }

    private mutating func next(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Event {
        switch phase {
        case .idle:
            guard consumed == input.count else { throw .unsolicitedBytes }
            return .needMore
        case .head:
            guard consumed < input.count else { return .needMore }
            hasStarted = true
            guard let length = try buffer.feed(&scanner, input, &consumed) else { return .needMore }
            let (head, framing) = try buffer.head(&scanner, length: length, input, end: consumed)
            return try headIsWhole(head, framing)
        case .body(0):
            return end(reusable: keepAlive)
        case .body(let remaining):
            let length = min(remaining, input.count - consumed)
            guard length > 0 else { return .needMore }
            phase = .body(remaining: remaining - length)
            consumed += length
            return .body(consumed - length..<consumed)
        case .chunks(var decoder):
            phase = .body(remaining: 0)
            let step = try decoder.next(input, &consumed, &scanner.section)
            switch step {
            case .needMore:
                phase = .chunks(decoder)
                return .needMore
            case .data(let range):
                phase = .chunks(decoder)
                return .body(range)
            case .end:
                return end(reusable: keepAlive)
            }
        case .untilClose:
            guard consumed < input.count else { return .needMore }
            let start = consumed
            consumed = input.count
            return .body(start..<consumed)
        case .failed(let failure):
            return .failed(failure)
        }
    }

    private mutating func headIsWhole(
        _ head: HTTPResponseHead, _ framing: ResponseFraming
    ) throws(WireFault) -> Event {
        if head.status.isInformational {
            guard head.status != .switchingProtocols else { throw .switchingProtocols }
            informationalCount += 1
            guard informationalCount <= limits.informational else { throw .tooManyInformational }
            scanner.reset()
            return .informational(head.status)
        }
        keepAlive = framing.keepAlive
        switch framing.body {
        case .none: phase = .body(remaining: 0)
        case .length(let length): phase = .body(remaining: length)
        case .chunked: phase = .chunks(ChunkedDecoder())
        case .untilClose: phase = .untilClose
        }
        return .head(head, framing)
    }
}
