import ASCIIText
public import HTTPModel

/// Parses the requests of a connection, strictly and without I/O (RFC 9112).
///
/// Pull style: give it what was read and call `parse` again, with the same input and `consumed`, until it says
/// `.needMore`; then everything is consumed. After `.end` the next call begins the next request. After `.failed` it
/// fails for ever. The events are the same however the bytes are cut into inputs.
public struct RequestParser: Sendable {
    public enum Event: Sendable {
        /// All input is consumed and the request goes on.
        case needMore
        case head(HTTPRequestHead, RequestFraming)
        /// A part of the body: a range of the input of this call, valid as long as that is.
        case body(Range<Int>)
        /// The request is whole.
        case end
        case failed(RequestError)
    }

    private enum Phase {
        /// Between requests. One empty line may come (RFC 9112 2.2); so much of it did.
        case start(leadingBytes: Int)
        case head
        case body(remaining: Int)
        case chunks(ChunkedDecoder)
        case failed(RequestError)
    }

    private var phase = Phase.start(leadingBytes: 0)
    private var buffer = HeadBuffer()
    private var scanner: RequestHeadScanner

    public init(limits: RequestLimits = RequestLimits()) {
        scanner = RequestHeadScanner(limits: limits)
    }

    /// Whether a byte of a request came that is not yet whole. An empty line before it is no part of it.
    public var hasStarted: Bool {
        switch phase {
        case .start: false
        case .head, .body, .chunks, .failed: true
        }
    }

    /// The method of the request that is being read, or that failed; nil where that much of it has not come.
    public var method: HTTPMethod? { scanner.method }

    /// Goes on with the bytes of `input` from `consumed` on, and moves `consumed` past those it is done with.
    public mutating func parse(_ input: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        do {
            return try next(input, &consumed)
        } catch {
            let failure = RequestError(error)
            phase = .failed(failure)
            return .failed(failure)
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

    /// Right behind a head, instead of the event `.end` where that is next: the request has no body.
    public mutating func takeEnd() {
        if case .body(0) = phase { _ = end() }
    }

    /// True when the next byte is the request's first.
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
    /// Goes on with a chunked body; trailers count with the head's fields.
    mutating func next(
        _ decoder: inout ChunkedDecoder, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> ChunkedDecoder.Step {
        try decoder.next(input, &consumed, &section)
    }
}
