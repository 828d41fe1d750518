/// Decodes one message's content, in pieces and in bounded memory: the window of each format (32 KiB for gzip
/// and deflate, at most 16 MiB for br) and one buffer between two stacked codings.
///
///     feed:  while true {
///                let count = try decoder.decode(input, consumed: &consumed, into: buffer)
///                if count > 0 { use(buffer[..<count]) } else if consumed == input.count { break }
///            }
///     end:   try decoder.finish()
///
/// Cannot be used after an error.
public final class ContentDecoder {
    /// In the order of decoding: the coding that was applied last comes first.
    private var steps: [Step]
    private let limits: DecodingLimits
    private let mostBetween: Int
    /// Whether the last call of `decode` returned early, and the next one goes on with the same input.
    public private(set) var isInterrupted = false

    /// Encoded bytes taken so far.
    public private(set) var bytesIn = 0
    private var bytesOut = 0

    private static var bufferSize: Int { 16 << 10 }

    private struct Step {
        let stage: any DecodingStage
        var bytesIn = 0
        var bytesOut = 0
        /// The output for the next step.
        var buffer: [UInt8] = []
        /// The part of `buffer` that the next step has not taken yet.
        var pending = 0..<0
    }

    /// - Parameters:
    ///   - codings: in the order in which they were applied; not empty.
    ///   - limits: the limits on the decoded content.
    ///   - mostBetween: the bytes between two stacked codings after which a call of `decode` returns, even if
    ///     they yield no content.
    /// - Throws: `.unknown` for more than `ContentCoding.maximumCount` codings, `.memory`.
    public init(
        _ codings: [ContentCoding], limits: DecodingLimits = DecodingLimits(), mostBetween: Int = .max
    ) throws(ContentCodingError) {
        precondition(!codings.isEmpty, "content without a coding needs no decoder")
        guard codings.count <= ContentCoding.maximumCount else { throw .unknown }
        self.limits = limits
        self.mostBetween = mostBetween
        steps = []
        for coding in codings.reversed() { steps.append(Step(stage: try Self.stage(for: coding, limits))) }
        for index in steps.indices.dropLast() {
            steps[index].buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        }
    }

    private static func stage(
        for coding: ContentCoding, _ limits: DecodingLimits
    ) throws(ContentCodingError) -> any DecodingStage {
        switch coding.format {
        case .gzip, .deflate: try Inflater(coding, tail: limits.tail)
        case .brotli: try BrotliDecoder()
        }
    }

    /// Decodes more of the content.
    ///
    /// - Parameters:
    ///   - input: encoded bytes.
    ///   - consumed: how many bytes of `input` are decoded already; the call adds the bytes that it takes.
    ///   - output: the buffer for decoded bytes; not empty.
    /// - Returns: how many decoded bytes were written. 0 means that all input was taken and more is needed,
    ///   unless `isInterrupted`.
    public func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        let before = consumed
        defer { bytesIn += consumed - before }
        isInterrupted = false
        let count = try decode(by: steps.count - 1, input, &consumed, output)
        bytesOut += count
        if let size = limits.size, bytesOut > size { throw .tooLarge(size) }
        return count
    }

    /// Throws `.truncated` unless the content is complete. Empty content is complete, whatever its codings.
    public func finish() throws(ContentCodingError) {
        for step in steps where !step.stage.mayEnd { throw .truncated(step.stage.coding) }
        // The outer coding is complete but empty, so the inner one never began.
        if bytesIn > 0, let last = steps.last, last.bytesIn == 0 { throw .truncated(last.stage.coding) }
    }

    /// Runs the steps up to the one at `index`. `input` goes to the first step, `output` comes from the last.
    private func decode(
        by index: Int, _ input: UnsafeRawBufferPointer, _ consumed: inout Int,
        _ output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        guard index > 0 else { return try run(0, input, &consumed, output) }
        var between = 0
        while true {
            // First drain this step, then ask the previous step for more.
            let pending = steps[index - 1].pending
            var taken = pending.lowerBound
            let produced = try withBuffer(of: index - 1) { (buffer) throws(ContentCodingError) in
                try run(
                    index, UnsafeRawBufferPointer(rebasing: buffer[..<pending.upperBound]), &taken, output)
            }
            steps[index - 1].pending = taken..<pending.upperBound
            if produced > 0 { return produced }
            guard taken == pending.upperBound else { continue }
            let count = try withBuffer(of: index - 1) { (buffer) throws(ContentCodingError) in
                try decode(by: index - 1, input, &consumed, buffer)
            }
            steps[index - 1].pending = 0..<count
            if count == 0 { return 0 }
            between += count
            if between >= mostBetween {
                isInterrupted = true
                return 0
            }
        }
    }

    private func withBuffer(
        of index: Int, _ body: (UnsafeMutableRawBufferPointer) throws(ContentCodingError) -> Int
    ) throws(ContentCodingError) -> Int {
        // Moved out of its step, because `body` modifies `steps`.
        var buffer: [UInt8] = []
        swap(&buffer, &steps[index].buffer)
        defer { swap(&buffer, &steps[index].buffer) }
        let result = buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(ContentCodingError) in try body(bytes) }
        }
        return try result.get()
    }

    private func run(
        _ index: Int, _ input: UnsafeRawBufferPointer, _ consumed: inout Int,
        _ output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        var total = 0
        while true {
            let before = consumed
            total = try steps[index].stage.decode(input, consumed: &consumed, into: output)
            steps[index].bytesIn += consumed - before
            if total > 0 || consumed == before || consumed == input.count { break }
        }
        steps[index].bytesOut += total
        let step = steps[index]
        if index < steps.count - 1, let size = limits.size {
            let most = DecodingLimits.encodedSize(of: size)
            if step.bytesOut > most { throw .encodedTooLarge(most) }
        }
        if let ratio = limits.ratio, step.bytesOut > limits.freeSize,
            step.bytesOut / max(1, ratio) > step.bytesIn
        {
            throw .ratioExceeded(ratio)
        }
        return total
    }
}
