import ASCIIText
import ContentCoding
import HTTPModel

/// Compresses the answers of one loop. Confined to the loop.
final class AnswerCompressor {
    private let settings: CompressionSettings
    /// The last Accept-Encoding and what it led to: most clients of a loop send the same.
    private var lastAccepted: (value: ArraySlice<UInt8>, codings: AcceptedPair)?
    /// Kept from answer to answer.
    private var gzip: ContentEncoder?
    private var brotli: ContentEncoder?
    /// Streams that are being compressed.
    private var streams = 0

    init(_ settings: CompressionSettings) {
        self.settings = settings
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
    ///
    /// - Parameters:
    ///   - request: the fields of the request.
    @inline(__always)
    func compress(_ answer: inout HTTPResponse, for request: HTTPFields) -> Outcome {
        var count = 0
        for piece in answer.body { count &+= piece.count }
        guard count >= settings.minimumSize else { return .whole }
        return compress(&answer, count, for: request)
    }

    @inline(never)
    private func compress(_ answer: inout HTTPResponse, _ count: Int, for request: HTTPFields) -> Outcome {
        guard let coding = coding(for: &answer.fields, answer.status, request, isStream: false) else {
            return .whole
        }
        if count > Self.whole {
            guard let encoder = AnswerEncoder(coding, for: self) else { return .whole }
            answer.fields.describe(coding)
            return .sliced(encoder)
        }
        guard let encoder = encoder(for: coding) else { return .whole }
        var output: [UInt8] = []
        do {
            for (index, piece) in answer.body.enumerated() {
                let isLast = index == answer.body.count - 1
                try piece.withUnsafeBytes { try encoder.encode($0, to: &output, isLast ? .finish : .none) }
            }
            try encoder.reset()
        } catch {
            // Out of memory: the answer is sent as it is, and the next one gets another encoder.
            gzip = nil
            brotli = nil
            return .whole
        }
        guard output.count < count else { return .whole }
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

    /// Returns what compresses the body of a streamed answer, whose head it changes; nil to send the body as it is.
    ///
    /// - Parameter length: of the body; nil if it is not known.
    func encoder(
        for head: inout HTTPResponseHead, length: Int?, _ request: HTTPFields
    ) -> AnswerEncoder? {
        if let length, length < settings.minimumSize { return nil }
        guard let coding = coding(for: &head.fields, head.status, request, isStream: true),
            let encoder = AnswerEncoder(coding, for: self)
        else { return nil }
        head.fields.describe(coding)
        return encoder
    }

    fileprivate func streamBegins() -> Bool {
        guard streams < settings.streams else { return false }
        streams += 1
        return true
    }

    fileprivate func streamEnded() { streams -= 1 }

    // MARK: The choice

    /// Returns the coding for an answer that is long enough; nil to send it as it is. Adds `Vary` if another client might get it in
    /// another coding.
    private func coding(
        for fields: inout HTTPFields, _ status: HTTPStatus, _ request: HTTPFields, isStream: Bool
    ) -> ContentCoding? {
        guard status.code >= 200, !status.forbidsBody, status != .partialContent, status != .resetContent,
            !fields.contains(.contentEncoding), !fields.contains(.contentRange),
            let type = fields.firstValueBytes(.contentType),
            type.withUnsafeBytes({ CompressibleTypes.contain($0) })
        else { return nil }
        let rules = CacheRules(fields)
        guard !rules.forbidsTransformation else { return nil }
        let accepted = accepted(by: request)
        let coding = isStream ? accepted.ofStream : accepted.ofWhole
        // A cache that keeps the answer has to know that other clients may get other bytes.
        if coding != nil || !rules.forbidsStoring { fields.addVary() }
        return coding
    }

    private func accepted(by request: HTTPFields) -> AcceptedPair {
        guard let value = request.firstValueBytes(.acceptEncoding) else { return AcceptedPair() }
        if let lastAccepted, lastAccepted.value == value { return lastAccepted.codings }
        let codings = AcceptedPair(AcceptedCodings(request))
        // One line is nearly always all.
        if request.values(of: .acceptEncoding).count == 1, value.count <= 256 {
            lastAccepted = (ArraySlice(Array(value)), codings)
        }
        return codings
    }
}

/// What `Cache-Control` says about an answer (RFC 9111 5.2.2).
private struct CacheRules {
    var forbidsTransformation = false
    var forbidsStoring = false

    init(_ fields: HTTPFields) {
        var next = fields.firstIndex(of: .cacheControl)
        while let index = next {
            fields.valueBytes(at: index).withUnsafeBytes { value in
                forEachListElement(in: value) { directive in
                    if ASCII.equals(directive, lowercase: "no-transform") { forbidsTransformation = true }
                    if ASCII.equals(directive, lowercase: "no-store") { forbidsStoring = true }
                }
            }
            next = fields.firstIndex(of: .cacheControl, from: index + 1)
        }
    }
}

/// The coding that a client gets.
private struct AcceptedPair {
    var ofWhole: ContentCoding?
    var ofStream: ContentCoding?

    init() {}

    /// Of codings that the client likes equally, br makes a whole answer a little smaller in the same time. A stream needs half of
    /// the memory with gzip, and small pieces get a little smaller.
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
    private let owner: AnswerCompressor
    private var output: [UInt8] = []

    /// Returns nil if too many streams are being compressed.
    fileprivate init?(_ coding: ContentCoding, for owner: AnswerCompressor) {
        guard owner.streamBegins() else { return nil }
        guard let encoder = try? ContentEncoder(coding) else {
            owner.streamEnded()
            return nil
        }
        self.encoder = encoder
        self.owner = owner
    }

    deinit { owner.streamEnded() }

    /// Passes the coded bytes of a piece to `send`, valid during the call only.
    ///
    /// - Parameter flush: whether a client can decode all of the piece at once.
    func encode(
        _ piece: UnsafeRawBufferPointer, _ flush: ContentEncoder.Flush,
        _ send: (UnsafeRawBufferPointer) -> Void
    ) throws {
        output.removeAll(keepingCapacity: true)
        try encoder.encode(piece, to: &output, flush)
        if !output.isEmpty { output.withUnsafeBytes(send) }
    }
}

extension HTTPFields {
    /// Says that the content is coded: its length is another, and its bytes are no longer those of its validators and digests.
    fileprivate mutating func describe(_ coding: ContentCoding) {
        append(.contentEncoding, coding.description)
        for name in [HTTPFieldName.contentLength, .acceptRanges, "Content-Digest", "Repr-Digest"] {
            remove(name)
        }
        guard let tag = firstValueBytes(.eTag), !tag.starts(with: "W/".utf8) else { return }
        remove(.eTag)
        append(.eTag, bytes: Array("W/".utf8) + tag)
    }

    /// Adds Accept-Encoding to `Vary`.
    fileprivate mutating func addVary() {
        guard contains(.vary) else { return append(.vary, "Accept-Encoding") }
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
