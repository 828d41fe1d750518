public import HTTPModel

/// Parses the responses of a connection to an upstream, strictly and without I/O (RFC 9112).
///
/// Before each request goes out, `expectResponse(to:)` says what is awaited; bytes that come unasked are a failure.
/// Pull style: give it what was read and call `parse` again, with the same input and `consumed`, until it says
/// `.needMore`. After `.end` the bytes from `consumed` on, if any, are stray: the connection is not to be used again.
public struct ResponseParser: Sendable {
    public enum Event: Sendable {
        /// All input is consumed and the response goes on.
        case needMore
        /// A 1xx answer; the real one follows.
        case informational(HTTPStatus)
        case head(HTTPResponseHead, ResponseFraming)
        /// A part of the body: a range of the input of this call, valid as long as that is.
        case body(Range<Int>)
        /// The response is whole. Reusable: the connection may carry another request, as far as its bytes tell.
        case end(reusable: Bool)
        case failed(ResponseError)
    }

    private enum Phase {
        /// No request is under way.
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

    /// - Parameter opensTunnel: what answers is a proxy that was asked for a tunnel. `Content-Length` and `Transfer-Encoding`
    ///   mean nothing then, as they do in a success (RFC 9110 9.3.6); the body of a refusal is not to be read.
    public init(limits: ResponseLimits = ResponseLimits(), opensTunnel: Bool = false) {
        self.limits = limits
        scanner = ResponseHeadScanner(limits: limits, side: opensTunnel ? .tunnelResponse : .response)
    }

    /// A request with that method is sent: its response is the next that comes. Only between responses.
    public mutating func expectResponse(to method: HTTPMethod) {
        guard case .idle = phase else {
            preconditionFailure("a response is expected while \(phase) is under way")
        }
        scanner.method = method
        phase = .head
        informationalCount = 0
        hasStarted = false
    }

    /// Whether no response is awaited or under way.
    public var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// Goes on with the bytes of `input` from `consumed` on, and moves `consumed` past those it is done with.
    public mutating func parse(_ input: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        do {
            return try next(input, &consumed)
        } catch {
            return fail(ResponseError(error))
        }
    }

    /// A response that came in one piece.
    public struct Whole: Sendable, Hashable {
        public let framing: ResponseFraming
        /// Bytes of the head.
        let headLength: Int
        /// Bytes of the content, which follows the head.
        let contentLength: Int

        /// Bytes of the input that are the response's.
        public var length: Int { headLength &+ contentLength }
    }

    /// Whether the awaited response stands in `input`, from its first byte to its last, as nearly all do: then `take`
    /// follows, without events. Nil where it does not or where that is not told by its head: then `parse` follows.
    ///
    /// - Parameter contentLimit: a longer body is one for `parse`, and so is one with a content coding.
    public mutating func whole(in input: UnsafeRawBufferPointer, contentLimit: Int) -> Whole? {
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
            return Whole(framing: framing, headLength: headLength, contentLength: contentLength)
        } catch {
            phase = .failed(ResponseError(error))
            return nil
        }
    }

    /// Takes the response of which `whole` told, of the same input. Its body stands in the storage of its fields.
    public mutating func take(
        _ whole: Whole, of input: UnsafeRawBufferPointer
    ) -> (head: HTTPResponseHead, body: ArraySlice<UInt8>) {
        let head = scanner.head(UnsafeRawBufferPointer(rebasing: input[..<whole.length]))
        scanner.reset()
        phase = .idle
        return (head, whole.contentLength > 0 ? head.fields.content(whole.contentLength) : [])
    }

    /// Bytes of the body that are still to come, where its length was told; 0 where nothing is, or nobody knows.
    public var bodyLeft: Int { if case .body(let remaining) = phase { remaining } else { 0 } }

    /// So many bytes of the body, at most `bodyLeft`, came without being parsed.
    public mutating func tookBody(_ count: Int) {
        guard case .body(let remaining) = phase, count <= remaining else {
            preconditionFailure("\(count) bytes of a body while \(phase)")
        }
        phase = .body(remaining: remaining - count)
    }

    /// The upstream closed its side in order (FIN). Ends a body that runs to the close, and fails anything else.
    /// Not for a reset: what a reset cuts is never whole.
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
