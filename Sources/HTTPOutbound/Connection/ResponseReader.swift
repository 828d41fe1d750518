internal import ContentCoding
internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Resilience

/// Reads the responses of a connection one after another: turns the parser's events into steps, decodes
/// content codings, and gathers bodies that are not streamed.
struct ResponseReader {
    enum Step {
        /// All input is read, and the response continues.
        case needMore
        /// Enough is decoded for this turn of the loop. Continue with `next` in the next one.
        case later
        /// A 1xx response. The final one follows.
        case informational(HTTPStatus)
        /// The head has arrived. Call `deliver`, then continue with `next`.
        case head
        /// A piece of a streamed body, valid until the next step.
        case piece(UnsafeRawBufferPointer)
        /// The number of bytes gathered so far.
        case gathered(Int)
        case whole(WholeResponse)
        case failed(FailureReason, String)
    }

    /// How far one input is read.
    struct Position {
        /// Bytes that the parser has read.
        var parsed = 0
        /// Bytes of the body parsed and not decoded yet; empty if the decoder may hold more output, nil if
        /// not.
        var undecoded: Range<Int>?
        /// Bytes that were decoded in this turn of the loop.
        var decoded = 0
    }

    /// The decoded bytes of a turn: 64 KiB that arrived may become many times as many.
    static let decodedPerTurn = 256 * 1024

    private static let ofCodedBytes = FieldNameSet(
        [.contentEncoding, .contentLength] + HTTPFieldName.digests)

    static let memoryDetail = "the memory for bodies of responses is used up"

    private let bodyLimit: Int
    private let memory: FairBudget.Share?
    private let decodingRatio: Int?
    private var parser: ResponseParser
    private(set) var head: HTTPResponseHead?
    private var framing: ResponseFraming?
    private var body: ResponseBody
    private var isStreamed = false
    /// nil for a plain body without reports of its progress, as most are.
    private var handling: BodyHandling?
    var decodesContent = true
    private var charge: FairBudget.Charge?

    private final class BodyHandling {
        var codings: [ContentCoding] = []
        var decoder: BodyDecoder?
        var reportsProgress = false
        /// The fields and, within the limit, the body of a failure (400 and up) before content decoding.
        var codedFields: HTTPFields?
        var codedBody: ResponseBody?

        func keep(_ piece: UnsafeRawBufferPointer) {
            if codedBody?.append(piece) != nil { codedBody = nil }
        }
    }

    /// - Parameter memory: charged with bodies from 16 KiB on; nil for no limit.
    init(limits: OutboundLimits, memory: FairBudget.Share? = nil) {
        self.memory = memory
        bodyLimit = limits.responseBody
        decodingRatio = limits.decodingRatio
        body = ResponseBody(limit: bodyLimit, memory: memory)
        var parserLimits = ResponseLimits()
        parserLimits.fieldBlock = limits.responseHead
        parserLimits.fieldLine = limits.responseHead
        parserLimits.fieldCount = limits.responseFields
        parserLimits.informational = limits.informationalResponses
        parser = ResponseParser(limits: parserLimits)
    }

    mutating func expect(method: HTTPMethod) {
        parser.expectResponse(to: method)
    }

    /// Locates the parts of the response if all of it is in `bytes`, as nearly always. Then call `take`, else
    /// `next`.
    mutating func locateResponse(in bytes: UnsafeRawBufferPointer) -> ResponseParser.Layout? {
        parser.locateResponse(in: bytes, contentLimit: bodyLimit)
    }

    mutating func take(
        _ layout: ResponseParser.Layout, of bytes: UnsafeRawBufferPointer
    ) -> (head: HTTPResponseHead, body: ArraySlice<UInt8>) {
        parser.take(layout, of: bytes)
    }

    var awaitsHead: Bool { head == nil }

    /// The rules that the head of the response broke without harm.
    var tolerated: ToleratedFaults { framing?.tolerated ?? [] }

    /// The bytes of an unfinished body that is gathered.
    var gatheredByteCount: Int { body.count }

    /// Lets `read` put body bytes directly where they are gathered. Returns false if they need parsing or
    /// decoding.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        let left = parser.bodyLeft
        guard left > 0, handling == nil, !isStreamed, let count = body.fill(atMost: left, read) else {
            return false
        }
        parser.advanceBody(by: count)
        return true
    }

    /// Takes the charge of the last response's body, if that was large.
    mutating func takeCharge() -> FairBudget.Charge? { charge.take() }

    /// Continues with `bytes` from `position` on.
    mutating func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Position) -> Step {
        while true {
            if position.undecoded != nil {
                if position.decoded >= Self.decodedPerTurn { return .later }
                if let step = decode(bytes, &position) { return step }
                continue
            }
            switch parser.parse(bytes, consumed: &position.parsed) {
            case .needMore: return .needMore
            case .informational(let status): return .informational(status)
            case .head(let head, let framing):
                self.head = head
                self.framing = framing
                return headReceived(framing)
            case .body(let range):
                if handling?.decoder != nil {
                    handling?.keep(UnsafeRawBufferPointer(rebasing: bytes[range]))
                    position.undecoded = range
                } else if let step = receive(UnsafeRawBufferPointer(rebasing: bytes[range])) {
                    return step
                }
            case .end(let isReusable):
                return whole(isReusable: isReusable, strayBytes: bytes.count - position.parsed)
            case .failed(let error): return .failed(error.reason, error.message)
            }
        }
    }

    /// The peer closed its side in order. That completes a response without a length (RFC 9112 6.3, rule 8).
    mutating func inputEnded() -> Step {
        switch parser.inputEnded() {
        case .end: whole(isReusable: false, strayBytes: 0)
        case .failed(let error): .failed(error.reason, error.message)
        case .needMore, .informational, .head, .body: .needMore
        }
    }

    /// Chooses how to deliver the body after its head has arrived. Returns the failure if that is impossible.
    /// `reportsProgress`: whether to report `.gathered`.
    mutating func deliver(_ delivery: BodyDelivery, reportsProgress: Bool) -> Step? {
        isStreamed = delivery.isStreamed
        if !delivery.isStreamed {
            var promised = 0
            if case .length(let length)? = framing?.body { promised = length }
            guard promised <= bodyLimit else { return tooLarge }
            if handling == nil, !body.expect(promised) { return outOfMemory }
            if reportsProgress {
                handling = handling ?? BodyHandling()
                handling?.reportsProgress = true
            }
        }
        guard let handling, !handling.codings.isEmpty else { return nil }
        if handling.codedFields != nil, !delivery.isStreamed {
            handling.codedBody = ResponseBody(limit: bodyLimit, memory: memory)
        }
        do {
            let size = delivery.isStreamed ? nil : bodyLimit
            handling.decoder = try BodyDecoder(handling.codings, size: size, ratio: decodingRatio)
            return nil
        } catch {
            return .failed(FailureReason(error), error.description)
        }
    }

    /// Nobody needs the body of this response any more. What has been gathered is released, and the rest
    /// comes in pieces as it is.
    mutating func dropBody() {
        decodesContent = false
        handling = nil
        guard head != nil else { return }
        isStreamed = true
        _ = body.take()
    }

    private mutating func headReceived(_ framing: ResponseFraming) -> Step {
        guard framing.hasContentCoding, decodesContent, let head else { return .head }
        let codings = BodyDecoder.codings(of: head)
        guard !codings.isEmpty else { return .head }
        let handling = BodyHandling()
        handling.codings = codings
        if head.status.code >= 400 { handling.codedFields = head.fields }
        // After decoding, neither this coding nor this length applies, and digests are of the coded bytes
        // (RFC 9530 2, 3).
        self.head?.fields.remove(where: Self.ofCodedBytes.contains)
        self.handling = handling
        return .head
    }

    /// Whether to pass on the body unchanged: for a failure, since the status matters more than a wrong
    /// Content-Encoding.
    private mutating func isLeftCoded(after error: ContentCodingError) -> Bool {
        guard error.isAboutContent, let handling, let fields = handling.codedFields,
            let coded = handling.codedBody
        else { return false }
        handling.decoder = nil
        head?.fields = fields
        body = coded
        return true
    }

    /// Handles a decoded piece of the body. Returns nil if it was gathered.
    private mutating func receive(_ piece: UnsafeRawBufferPointer) -> Step? {
        guard isStreamed else {
            switch body.append(piece) {
            case .limit: return tooLarge
            case .memory: return outOfMemory
            case nil: break
            }
            return handling?.reportsProgress == true ? .gathered(body.count) : nil
        }
        return .piece(piece)
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer, _ position: inout Position) -> Step? {
        guard let decoder = handling?.decoder, let range = position.undecoded else {
            position.undecoded = nil
            return nil
        }
        do throws(ContentCodingError) {
            var decoded = range.lowerBound
            let piece = try decoder.next(
                UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), &decoded)
            guard piece.count > 0 else {
                position.undecoded = decoder.isInterrupted ? decoded..<range.upperBound : nil
                if decoder.isInterrupted { position.decoded = Self.decodedPerTurn }
                return nil
            }
            position.undecoded = decoded..<range.upperBound
            position.decoded += piece.count
            return receive(piece)
        } catch {
            position.undecoded = nil
            return isLeftCoded(after: error)
                ? nil : .failed(FailureReason(error), error.description)
        }
    }

    private mutating func whole(isReusable: Bool, strayBytes: Int) -> Step {
        do throws(ContentCodingError) {
            try handling?.decoder?.finish()
        } catch {
            guard isLeftCoded(after: error) else {
                return .failed(FailureReason(error), error.description)
            }
        }
        guard let head = head.take(), let framing = framing.take() else {
            preconditionFailure("a response ended that had no head")
        }
        handling = nil
        isStreamed = false
        let (content, charge) = body.take()
        self.charge = charge
        return .whole(
            WholeResponse(
                head: head, body: content, isReusable: isReusable, keepAlive: KeepAlive(framing),
                logsInConnection: framing.logsInConnection, strayBytes: strayBytes))
    }

    private var outOfMemory: Step { .failed(.memoryLimit, Self.memoryDetail) }

    private var tooLarge: Step {
        .failed(.responseBodySize, "the body is larger than \(bodyLimit) bytes")
    }
}

/// A complete response that did not arrive in one read.
struct WholeResponse {
    let head: HTTPResponseHead
    /// Decoded if its content codings are known; empty if it was streamed.
    let body: ArraySlice<UInt8>
    /// Whether the peer accepts another request on the connection (RFC 9112 9.3).
    let isReusable: Bool
    let keepAlive: KeepAlive
    /// Whether the connection may belong to one user now (RFC 4559 6).
    let logsInConnection: Bool
    /// Bytes that arrived after the end of the response.
    let strayBytes: Int
}
