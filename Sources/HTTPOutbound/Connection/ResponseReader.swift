internal import ContentCoding
internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// Reads one response after the other off a connection: the parser's events made into steps, with the content coding
/// undone and the body gathered where nobody takes it in pieces.
struct ResponseReader {
    /// What came next.
    enum Step {
        /// All that was given is read, and the response goes on.
        case needMore
        /// A 1xx response; the real one follows.
        case informational(HTTPStatus)
        /// The head is there: `deliver` has to follow, then `next` goes on.
        case head
        /// Of a body that is taken in pieces; valid up to the next step.
        case piece(UnsafeRawBufferPointer)
        /// So many bytes are gathered by now, of a body that is asked about.
        case gathered(Int)
        case whole(WholeResponse)
        case failed(FailureReason, String)
    }

    /// How far the bytes of one input are read.
    struct Place {
        /// By the parser.
        var parsed = 0
        /// Of the body, parsed and not decoded yet; empty where the decoder may have more inside. Nil where it has not.
        var undecoded: Range<Int>?
    }

    private let bodyLimit: Int
    private let decodingRatio: Int?
    private var parser: ResponseParser
    private(set) var head: HTTPResponseHead?
    private var framing: ResponseFraming?
    private var body: ResponseBody
    /// For a response that is not gathered from plain bytes, which most are.
    private var special: Special?
    /// Whether the content codings of the next response are undone.
    var decodesContent = true

    private final class Special {
        var codings: [ContentCoding] = []
        var decoding: BodyDecoding?
        var delivery = BodyDelivery.gathered
        var isAskedAbout = false
        /// Of a streamed body, as it was handed on.
        var count = 0
        /// Of a failure that is coded: its fields and, while they fit in, its bytes, as they came.
        var codedFields: HTTPFields?
        var codedBody: ResponseBody?

        func keep(_ piece: UnsafeRawBufferPointer) {
            if codedBody?.append(piece) == false { codedBody = nil }
        }
    }

    init(limits: OutboundLimits) {
        bodyLimit = limits.responseBody
        decodingRatio = limits.decodingRatio
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

    /// Whether the response is whole in `bytes`, as nearly all are: then `take` follows, else `next`.
    mutating func whole(in bytes: UnsafeRawBufferPointer) -> ResponseParser.Whole? {
        parser.whole(in: bytes, contentLimit: bodyLimit)
    }

    mutating func take(
        _ whole: ResponseParser.Whole, of bytes: UnsafeRawBufferPointer
    ) -> (head: HTTPResponseHead, body: ArraySlice<UInt8>) {
        parser.take(whole, of: bytes)
    }

    /// Whether the head of the response is still to come.
    var awaitsHead: Bool { head == nil }

    /// Has bytes of the body put where they are gathered. False where they have to be looked at first.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        let left = parser.bodyLeft
        guard left > 0, special == nil else { return false }
        parser.tookBody(body.fill(atMost: left, read))
        return true
    }

    /// Goes on with `bytes` from `place` on. The last input is one without bytes.
    mutating func next(_ bytes: UnsafeRawBufferPointer, _ place: inout Place) -> Step {
        while true {
            if place.undecoded != nil {
                if let step = decode(bytes, &place) { return step }
                continue
            }
            switch parser.parse(bytes, consumed: &place.parsed) {
            case .needMore: return .needMore
            case .informational(let status): return .informational(status)
            case .head(let head, let framing):
                self.head = head
                self.framing = framing
                return headCame(framing)
            case .body(let range):
                if special?.decoding != nil {
                    special?.keep(UnsafeRawBufferPointer(rebasing: bytes[range]))
                    place.undecoded = range
                } else if let step = came(UnsafeRawBufferPointer(rebasing: bytes[range])) {
                    return step
                }
            case .end(let isReusable):
                return whole(isReusable: isReusable, strayBytes: bytes.count - place.parsed)
            case .failed(let error): return .failed(error.reason, error.message)
            }
        }
    }

    /// The peer ended its side in order. Whole if that is how the response told its length (RFC 9112 6.3, rule 8).
    mutating func inputEnded() -> Step {
        switch parser.inputEnded() {
        case .end: whole(isReusable: false, strayBytes: 0)
        case .failed(let error): .failed(error.reason, error.message)
        case .needMore, .informational, .head, .body: .needMore
        }
    }

    /// Says how the body is to be had, once its head is there. Nil, or why it cannot be had.
    ///
    /// - Parameter isAskedAbout: whether `.gathered` is told.
    mutating func deliver(_ delivery: BodyDelivery, isAskedAbout: Bool) -> Step? {
        var promised = 0
        if case .length(let length)? = framing?.body { promised = length }
        if delivery.isStreamed {
            special = special ?? Special()
            special?.delivery = delivery
            if special?.codings.isEmpty != false, let limit = delivery.limit, promised > limit {
                return tooLarge(limit)
            }
        } else {
            guard promised <= bodyLimit else { return tooLarge(bodyLimit) }
            if special == nil { body.expect(promised) }
            if isAskedAbout {
                special = special ?? Special()
                special?.isAskedAbout = true
            }
        }
        guard let special, !special.codings.isEmpty else { return nil }
        if special.codedFields != nil, !delivery.isStreamed {
            special.codedBody = ResponseBody(limit: bodyLimit)
        }
        do {
            let size = delivery.isStreamed ? delivery.limit : bodyLimit
            special.decoding = try BodyDecoding(special.codings, size: size, ratio: decodingRatio)
            return nil
        } catch {
            return .failed(FailureReason(error), error.description)
        }
    }

    private mutating func headCame(_ framing: ResponseFraming) -> Step {
        guard framing.hasContentCoding, decodesContent, let head else { return .head }
        let codings = BodyDecoding.codings(of: head)
        guard !codings.isEmpty else { return .head }
        let special = Special()
        special.codings = codings
        if head.status.code >= 400 { special.codedFields = head.fields }
        // What is handed on has neither this coding nor this length.
        self.head?.fields.remove(.contentEncoding)
        self.head?.fields.remove(.contentLength)
        self.special = special
        return .head
    }

    /// Whether the body is handed on as it came: that of a failure, whose status would be lost over a wrong label.
    private mutating func isLeftCoded(after error: ContentCodingError) -> Bool {
        guard error.isAboutContent, let special, let fields = special.codedFields,
            let coded = special.codedBody
        else { return false }
        special.decoding = nil
        head?.fields = fields
        body = coded
        return true
    }

    /// What of the body came, with no coding any more. Nil: it is gathered.
    private mutating func came(_ piece: UnsafeRawBufferPointer) -> Step? {
        guard let special, special.delivery.isStreamed else {
            guard body.append(piece) else { return tooLarge(bodyLimit) }
            return special?.isAskedAbout == true ? .gathered(body.count) : nil
        }
        special.count += piece.count
        if let limit = special.delivery.limit, special.count > limit { return tooLarge(limit) }
        return .piece(piece)
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer, _ place: inout Place) -> Step? {
        guard let decoding = special?.decoding, let range = place.undecoded else {
            place.undecoded = nil
            return nil
        }
        do throws(ContentCodingError) {
            var decoded = range.lowerBound
            let piece = try decoding.next(
                UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), &decoded)
            guard piece.count > 0 else {
                place.undecoded = nil
                return nil
            }
            place.undecoded = decoded..<range.upperBound
            return came(piece)
        } catch {
            place.undecoded = nil
            return isLeftCoded(after: error)
                ? nil : .failed(FailureReason(error), error.description)
        }
    }

    private mutating func whole(isReusable: Bool, strayBytes: Int) -> Step {
        do throws(ContentCodingError) {
            try special?.decoding?.finish()
        } catch {
            guard isLeftCoded(after: error) else {
                return .failed(FailureReason(error), error.description)
            }
        }
        guard let head = head.take(), let framing = framing.take() else {
            preconditionFailure("a response ended that had no head")
        }
        let special = special.take()
        return .whole(
            WholeResponse(
                head: head, body: body.take(), isReusable: isReusable, keepAlive: KeepAlive(framing),
                strayBytes: strayBytes, encodedCount: special?.decoding?.encodedCount))
    }

    private func tooLarge(_ limit: Int) -> Step {
        .failed(.responseBodySize, "the body is larger than \(limit) bytes")
    }
}

/// What came for one request, in pieces.
struct WholeResponse {
    let head: HTTPResponseHead
    /// Without a content coding that is known, or as it came; empty where it was taken in pieces.
    let body: ArraySlice<UInt8>
    /// The peer takes another request on the connection (RFC 9112 9.3).
    let isReusable: Bool
    let keepAlive: KeepAlive
    /// Bytes that came after the end of the response.
    let strayBytes: Int
    /// Bytes of the body as they came, where they were coded.
    let encodedCount: Int?
}
