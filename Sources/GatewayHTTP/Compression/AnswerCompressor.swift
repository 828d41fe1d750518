import ASCIIText
import ContentCoding
import EventIO
import GatewayConfig
import HTTPInbound
import HTTPModel
import Metrics
import Networking
import Resilience

/// Compresses the answers of one loop. Confined to the loop.
final class AnswerCompressor {
    private let settings: CompressionSettings
    /// The last Accept-Encoding and what it led to: most clients of a loop send the same.
    private var lastAccepted: (value: ArraySlice<UInt8>, codings: AcceptedPair)?
    /// Kept from answer to answer.
    private var gzip: ContentEncoder?
    private var brotli: ContentEncoder?
    /// Divides the streams that are compressed at a time among clients.
    private var streams: FairShares<AddressPrefix>
    fileprivate let counts: CompressionCounts

    init(_ settings: CompressionSettings, _ counts: CompressionCounts) {
        self.settings = settings
        self.counts = counts
        streams = FairShares(capacity: settings.streams)
    }

    /// Bytes up to which the loop compresses an answer at once, in less than a millisecond.
    static var whole: Int { 128 << 10 }
    /// Bytes of a larger answer that are compressed in one turn of the loop.
    static var slice: Int { 64 << 10 }

    // MARK: Whole answers

    enum Outcome {
        /// It is ready to be sent, compressed or not.
        case whole
        /// It is to be compressed in slices, since it would keep the loop too long.
        case sliced(AnswerEncoder)
    }

    /// Compresses a whole answer in place if the client accepts that.
    @inline(__always)
    func compress(_ answer: inout HTTPResponse, on exchange: InboundExchange) -> Outcome {
        var count = 0
        for piece in answer.body { count &+= piece.count }
        guard count >= settings.minimumSize else {
            if answer.status == .notModified {
                answer.fields.matchValidator(in: exchange.request.head.fields)
            }
            return .whole
        }
        return compress(&answer, count, on: exchange)
    }

    /// Whether it may take long to compress this answer now.
    func mayTakeLong(_ answer: HTTPResponse, on exchange: InboundExchange) -> Bool {
        answer.bodyCount >= settings.minimumSize
            && exchange.request.head.fields.contains(.acceptEncoding)
    }

    @inline(never)
    private func compress(
        _ answer: inout HTTPResponse, _ count: Int, on exchange: InboundExchange
    ) -> Outcome {
        let request = exchange.request.head.fields
        guard let coding = coding(for: &answer.fields, answer.status, request, isStream: false) else {
            return .whole
        }
        if count > Self.whole {
            guard exchange.mayHold(count),
                let encoder = AnswerEncoder(coding, for: self, exchange.clientPrefix)
            else {
                counts.skipped.add()
                return .whole
            }
            answer.fields.describe(coding)
            return .sliced(encoder)
        }
        guard let encoder = encoder(for: coding) else {
            counts.skipped.add()
            return .whole
        }
        var output: [UInt8] = []
        do {
            for (index, piece) in answer.body.enumerated() {
                let isLast = index == answer.body.count - 1
                try piece.withUnsafeBytes { try encoder.encode($0, to: &output, isLast ? .finish : .none) }
            }
            try encoder.reset()
            exchange.loop.checkTurn()
        } catch {
            // Out of memory: the answer is sent as it is, and the next one gets another encoder.
            gzip = nil
            brotli = nil
            counts.skipped.add()
            return .whole
        }
        guard output.count < count else {
            counts.skipped.add()
            return .whole
        }
        counts.compressed(coding, count, to: output.count)
        answer.body = [output[...]]
        answer.fields.describe(coding)
        return .whole
    }

    private func encoder(for coding: ContentCoding) -> ContentEncoder? {
        if coding == .gzip {
            gzip = gzip ?? (try? ContentEncoder(.gzip))
            return gzip
        }
        brotli = brotli ?? (try? ContentEncoder(.brotli))
        return brotli
    }

    // MARK: Streams

    /// Returns what compresses the body of a streamed answer, whose head it changes; nil to send the body as
    /// it is.
    func encoder(
        for head: inout HTTPResponseHead, isHead: Bool, on exchange: InboundExchange
    ) -> AnswerEncoder? {
        let request = exchange.request.head.fields
        let length = head.fields.firstValueBytes(.contentLength).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard !isHead else {
            describe(&head, length: length, request)
            return nil
        }
        if let length, length < settings.minimumSize { return nil }
        guard let coding = coding(for: &head.fields, head.status, request, isStream: true) else {
            return nil
        }
        guard let encoder = AnswerEncoder(coding, for: self, exchange.clientPrefix) else {
            counts.skipped.add()
            return nil
        }
        head.fields.describe(coding)
        return encoder
    }

    /// Gives the head of an answer to HEAD the fields that it would have for GET. Whether the body would get
    /// smaller is not known, so it is taken for granted.
    ///
    /// - Parameter length: of the body that GET would get; nil if it is not known.
    private func describe(_ head: inout HTTPResponseHead, length: Int?, _ request: HTTPFields) {
        if head.status == .notModified { head.fields.matchValidator(in: request) }
        if let length, length < settings.minimumSize { return }
        let isStream = length.map { $0 > PassedResponse.whole } ?? true
        if let coding = coding(for: &head.fields, head.status, request, isStream: isStream) {
            head.fields.describe(coding)
        }
    }

    fileprivate func streamBegins(for client: AddressPrefix) -> Bool {
        guard streams.take(for: client) else { return false }
        counts.streams.add(1)
        return true
    }

    fileprivate func streamEnded(for client: AddressPrefix) {
        streams.giveBack(by: client)
        counts.streams.add(-1)
    }

    // MARK: The choice

    /// Returns the coding for an answer that is long enough; nil to send it as it is. Adds `Vary` if another
    /// client might get it in another coding.
    private func coding(
        for fields: inout HTTPFields, _ status: HTTPStatus, _ request: HTTPFields, isStream: Bool
    ) -> ContentCoding? {
        guard status.code >= 200, !status.forbidsBody, status != .partialContent, status != .resetContent
        else { return nil }
        let facts = CodingFacts(fields)
        guard facts.isCompressible, !facts.isCoded, !facts.forbidsTransformation else { return nil }
        let accepted = accepted(by: request)
        let coding = isStream ? accepted.ofStream : accepted.ofWhole
        // A cache that keeps the answer has to know that other clients may get other bytes.
        if coding != nil || !facts.forbidsStoring { fields.addVary(hasVary: facts.hasVary) }
        return coding
    }

    private func accepted(by request: HTTPFields) -> AcceptedPair {
        guard let index = request.firstIndex(of: .acceptEncoding) else { return AcceptedPair() }
        // One line is nearly always all.
        let isOnly = request.firstIndex(of: .acceptEncoding, from: index + 1) == nil
        let value = request.valueBytes(at: index)
        if isOnly, let lastAccepted, lastAccepted.value == value { return lastAccepted.codings }
        let codings = AcceptedPair(AcceptedCodings(request))
        if isOnly, value.count <= 256 { lastAccepted = (ArraySlice(Array(value)), codings) }
        return codings
    }
}

/// What the fields of an answer say about compressing it, found in one pass.
private struct CodingFacts {
    var isCompressible = false
    /// Whether the content is coded already, or a part of a coded whole.
    var isCoded = false
    // What `Cache-Control` says (RFC 9111 5.2.2).
    var forbidsTransformation = false
    var forbidsStoring = false
    var hasVary = false

    init(_ fields: HTTPFields) {
        var hasType = false
        fields.withEachField { name, value in
            switch name.count {
            case 4: if ASCII.isText(name, "vary") { hasVary = true }
            case 12 where ASCII.isText(name, "content-type") && !hasType:
                hasType = true
                isCompressible = CompressibleTypes.contain(value)
            case 13 where ASCII.isText(name, "cache-control"): addRules(value)
            case 13 where ASCII.isText(name, "content-range"): isCoded = true
            case 16 where ASCII.isText(name, "content-encoding"): isCoded = true
            default: break
            }
        }
    }

    private mutating func addRules(_ value: UnsafeRawBufferPointer) {
        forEachListElement(in: value) { directive in
            if ASCII.equals(directive, lowercase: "no-transform") { forbidsTransformation = true }
            if ASCII.equals(directive, lowercase: "no-store") { forbidsStoring = true }
        }
    }
}

/// The coding that a client gets.
private struct AcceptedPair {
    var ofWhole: ContentCoding?
    var ofStream: ContentCoding?

    init() {}

    /// Of codings that the client likes equally, br makes a whole answer a little smaller in the same time. A
    /// stream needs half of the memory with gzip, and small pieces get a little smaller.
    init(_ accepted: AcceptedCodings) {
        ofWhole = Self.coding(accepted.best(of: ["br", "gzip"]))
        ofStream = Self.coding(accepted.best(of: ["gzip", "br"]))
    }

    private static func coding(_ name: String?) -> ContentCoding? {
        name == "br" ? .brotli : name == "gzip" ? .gzip : nil
    }
}

/// Compresses the body of one streamed answer. Confined to its loop.
final class AnswerEncoder {
    private let encoder: ContentEncoder
    private let coding: ContentCoding
    private let owner: AnswerCompressor
    let client: AddressPrefix
    private var output: [UInt8] = []

    /// Returns nil if too many streams are being compressed, at all or for this client.
    fileprivate init?(_ coding: ContentCoding, for owner: AnswerCompressor, _ client: AddressPrefix) {
        guard owner.streamBegins(for: client) else { return nil }
        guard let encoder = try? ContentEncoder(coding) else {
            owner.streamEnded(for: client)
            return nil
        }
        self.encoder = encoder
        self.coding = coding
        self.owner = owner
        self.client = client
    }

    deinit { owner.streamEnded(for: client) }

    /// Passes the coded bytes of a piece to `send`, valid during the call only.
    ///
    /// - Parameter flush: whether a client can decode all of the piece at once.
    func encode(
        _ piece: UnsafeRawBufferPointer, _ flush: ContentEncoder.Flush,
        _ send: (UnsafeRawBufferPointer) -> Void
    ) throws {
        output.removeAll(keepingCapacity: true)
        try encoder.encode(piece, to: &output, flush)
        owner.counts.compressed(coding, piece.count, to: output.count)
        if !output.isEmpty { output.withUnsafeBytes(send) }
    }
}

extension HTTPFields {
    /// Says that the content is coded: the length changes, and validators and digests do not match its bytes
    /// any more.
    fileprivate mutating func describe(_ coding: ContentCoding) {
        append(.contentEncoding, coding.description)
        remove(where: Self.ofPlainBytes.contains)
        guard let tag = firstValueBytes(.eTag), !tag.starts(with: "W/".utf8) else { return }
        remove(.eTag)
        append(.eTag, bytes: Array("W/".utf8) + tag)
    }

    private static let ofPlainBytes = FieldNameSet([.contentLength, .acceptRanges] + HTTPFieldName.digests)

    /// Gives a 304 the validator of the response that the client has: `W/"1"` instead of `"1"` if that
    /// response was compressed, and `Vary` (RFC 9110 15.4.5). Otherwise a cache could not tell which of its
    /// responses is meant. A digest would replace the one that the compressed response does not have (RFC
    /// 9111 3.2).
    fileprivate mutating func matchValidator(in request: HTTPFields) {
        guard let tag = firstValueBytes(.eTag).map(Array.init), !tag.starts(with: "W/".utf8) else { return }
        let weak = Array("W/".utf8) + tag
        let isKnown = request.valueBytes(of: .ifNoneMatch).contains { value in
            value.withUnsafeBytes { value in
                var isListed = false
                forEachListElement(in: value) { if $0.elementsEqual(weak) { isListed = true } }
                return isListed
            }
        }
        guard isKnown else { return }
        remove(where: Self.ofPlainBytes.contains)
        remove(.eTag)
        append(.eTag, bytes: weak[...])
        addVary(hasVary: contains(.vary))
    }

    /// Adds Accept-Encoding to `Vary`.
    ///
    /// - Parameter hasVary: whether the fields have a `Vary`.
    fileprivate mutating func addVary(hasVary: Bool) {
        guard hasVary else { return append(.vary, "Accept-Encoding") }
        let known = values(of: .vary)
        let names = known.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks.lowercased() }
        if names.contains("*") || names.contains("accept-encoding") { return }
        self[.vary] = (known + ["Accept-Encoding"]).joined(separator: ", ")
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}
