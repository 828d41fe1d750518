/// Encodes content in pieces, as gzip or br.
///
///     try encoder.encode(piece, to: &output, .flush)      // a decoder can give all input so far
///     try encoder.encode(last, to: &output, .finish)      // the content is complete
///     try encoder.reset()                                 // for the next content
///
/// At its default level an encoder of gzip holds 198 KiB, from `init` to `deinit`. One of br holds 425 KiB
/// while content comes in pieces of a few KiB that are flushed, 735 KiB if it comes in pieces of 64 KiB, and
/// at most 880 KiB; it allocates them for the first piece and frees them at `.finish`.
///
/// Cannot be used after an error.
public final class ContentEncoder {
    /// What is done with the bytes that the encoder holds back to compress them better.
    public enum Flush: Sendable {
        /// They stay, unless a block is full.
        case none
        /// They are written, so that a decoder can give all input so far.
        case flush
        /// They are written, and the content ends.
        case finish
    }

    /// The coding of the output.
    public let coding: ContentCoding
    private let stage: any EncodingStage
    private var isFinished = false

    /// - Parameters:
    ///   - coding: `.gzip` or `.brotli`. `.deflate` stops the program: clients disagree on its format.
    ///   - level: 1 to 9 for gzip, 0 to 11 for br; nil for the default, which suits answers that are
    ///     compressed for one client.
    /// - Throws: `.memory`.
    public init(_ coding: ContentCoding, level: Int? = nil) throws(ContentCodingError) {
        let level = level ?? Self.defaultLevel(of: coding)
        precondition(Self.levels(of: coding).contains(level), "\(coding) has no level \(level)")
        self.coding = coding
        switch coding.format {
        case .gzip: stage = try Deflater(level: level)
        case .brotli: stage = try BrotliEncoder(level: level)
        case .deflate: preconditionFailure("deflate is only decoded")
        }
    }

    /// The levels that a coding offers; a higher one takes more time and makes the content smaller.
    static func levels(of coding: ContentCoding) -> ClosedRange<Int> {
        coding == .brotli ? 0...11 : 1...9
    }

    /// The level at which the time to compress an answer and to send it is least; see
    /// Tests/Benchmarks/README.md.
    static func defaultLevel(of coding: ContentCoding) -> Int {
        coding == .brotli ? 2 : 1
    }

    /// Encodes `input` and appends what comes out to `output`.
    ///
    /// - Parameters:
    ///   - input: the next piece of the content, less than 4 GiB; may be empty.
    ///   - output: gets the encoded bytes.
    ///   - flush: what is done with the bytes that the encoder holds back. After `.finish` only `reset` may
    ///     follow.
    /// - Throws: `.memory`.
    public func encode(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], _ flush: Flush
    ) throws(ContentCodingError) {
        precondition(!isFinished, "the content has ended; reset() begins another")
        isFinished = flush == .finish
        try stage.encode(input, to: &output, flush)
    }

    /// Begins another content with the same settings, and drops an unfinished one. gzip keeps its memory, br
    /// allocates again.
    ///
    /// - Throws: `.memory`.
    public func reset() throws(ContentCodingError) {
        try stage.reset()
        isFinished = false
    }
}
