import ASCIIText
public import HTTPModel

/// Parses a connection's requests, strictly and without I/O (RFC 9112).
///
/// Call `parse` with received bytes, and again with the same input and `consumed`, until it returns
/// `.needMore`; then all input is consumed. After `.end`, the next call begins the next request. After
/// `.failed`, every call returns `.failed`. The events do not depend on how the bytes are cut into inputs.
public struct RequestParser: Sendable {
    /// What the parser has read.
    public enum Event: Sendable {
        /// All input is consumed, and the request is incomplete.
        case needMore
        case head(HTTPRequestHead, RequestFraming)
        /// A part of the body, as a range of this call's input.
        case body(Range<Int>)
        /// The request is complete.
        case end
        case failed(RequestError)
    }

    private enum Phase {
        /// Between requests, where one empty line is allowed (RFC 9112 2.2). Counts its bytes so far.
        case start(leadingBytes: Int)
        case head
        case body(remaining: Int)
        case chunks(ChunkedDecoder)
        case failed(RequestError)
    }

    private var phase = Phase.start(leadingBytes: 0)
    private var buffer = HeadBuffer()
    private var scanner: RequestHeadScanner

    /// Creates a parser at the beginning of a request.
    public init(limits: RequestLimits = RequestLimits()) {
        scanner = RequestHeadScanner(limits: limits)
    }

    /// Whether a request has begun and is incomplete. An empty line before a request does not count.
    public var hasStarted: Bool {
        switch phase {
        case .start: false
        case .head, .body, .chunks, .failed: true
        }
    }

    /// The method of the current or failed request; nil until it has arrived.
    public var method: HTTPMethod? { scanner.method }

    /// The head of the failed request if all its lines are valid, but not together: for example, it has no
    /// Host or an unknown expectation. Else nil.
    public var refusedHead: HTTPRequestHead? { scanner.refusedHead }

    /// Parses `input` from `consumed` on, and moves `consumed` past the parsed bytes.
    public mutating func parse(_ input: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        do {
            return try next(input, &consumed)
        } catch {
            let failure = RequestError(error, parts: error.requestParts ?? [part])
            phase = .failed(failure)
            return .failed(failure)
        }
    }

    /// The part of the request in which the parser is.
    private var part: String {
        if let name = scanner.section.faultyName { return "field.\(name)" }
        return switch phase {
        case .start: "requestLine"
        case .head: scanner.hasRequestLine ? "fields" : "requestLine"
        case .body, .chunks, .failed: "body"
        }
    }

    private mutating func next(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Event {
        if case .start(let leadingBytes) = phase {
            guard try skipLeadingLine(input, &consumed, leadingBytes) else { return .needMore }
            phase = .head
        }
        switch phase {
        case .start:
            return .needMore
        case .head:
            guard let length = try buffer.feed(&scanner, input, &consumed) else { return .needMore }
            let (head, framing) = try buffer.head(&scanner, length: length, input, end: consumed)
            switch framing.body {
            case .none: phase = .body(remaining: 0)
            case .length(let length): phase = .body(remaining: length)
            case .chunked: phase = .chunks(ChunkedDecoder())
            }
            return .head(head, framing)
        case .body(0):
            return end()
        case .body(let remaining):
            let length = min(remaining, input.count - consumed)
            guard length > 0 else { return .needMore }
            phase = .body(remaining: remaining - length)
            consumed += length
            return .body(consumed - length..<consumed)
        case .chunks(var decoder):
            phase = .body(remaining: 0)
            let step = try scanner.next(&decoder, input, &consumed)
            switch step {
            case .needMore:
                phase = .chunks(decoder)
                return .needMore
            case .data(let range):
                phase = .chunks(decoder)
                return .body(range)
            case .end:
                return end()
            }
        case .failed(let failure):
            return .failed(failure)
        }
    }

    private mutating func end() -> Event {
        scanner.reset()
        phase = .start(leadingBytes: 0)
        return .end
    }

    /// Skips the `.end` event of a request without a body. Call it directly after `.head`.
    public mutating func takeEnd() {
        if case .body(0) = phase { _ = end() }
    }

    /// Returns true if the next byte begins the request.
    private mutating func skipLeadingLine(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int, _ leadingBytes: Int
    ) throws(WireFault) -> Bool {
        var leadingBytes = leadingBytes
        while consumed < input.count {
            let byte = input[consumed]
            if leadingBytes == 1 {
                guard byte == Byte.lineFeed else { throw .bareCarriageReturn }
            } else if byte == Byte.lineFeed {
                throw .bareLineFeed
            } else if byte != Byte.carriageReturn {
                return true
            } else if leadingBytes == 2 {
                throw .repeatedLeadingLine
            }
            consumed += 1
            leadingBytes += 1
            phase = .start(leadingBytes: leadingBytes)
        }
        return false
    }
}

extension RequestHeadScanner {
    /// Decodes a chunked body. Trailers count against the head's field limits.
    mutating func next(
        _ decoder: inout ChunkedDecoder, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> ChunkedDecoder.Step {
        try decoder.next(input, &consumed, &section)
    }
}
