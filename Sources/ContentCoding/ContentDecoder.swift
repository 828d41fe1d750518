/// Undoes the codings of one message's content, in pieces, with memory that does not grow: what a decoder keeps by its
/// format (32 KiB for gzip and deflate, at most 16 MiB for br) and one buffer between stacked codings.
///
///     feed:  while true {
///                let count = try decoder.decode(input, consumed: &consumed, into: buffer)
///                if count > 0 { use(buffer[..<count]) } else if consumed == input.count { break }
///            }
///     end:   try decoder.finish()
///
/// After an error it is of no more use.
public final class ContentDecoder {
    /// The coding that was applied last first: as they are undone.
    private var steps: [Step]
    private let limits: DecodingLimits

    /// What came so far, and what came out.
    public private(set) var bytesIn = 0
    public private(set) var bytesOut = 0

    private static var bufferSize: Int { 16 << 10 }

    private struct Step {
        let stage: any DecodingStage
        var bytesIn = 0
        var bytesOut = 0
        /// What came out and the next step has not taken yet.
        var buffer: [UInt8] = []
        var waiting = 0..<0
    }

    /// - Parameter codings: in the order in which they were applied; not empty.
    public init(
        _ codings: [ContentCoding], limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        precondition(!codings.isEmpty, "content without a coding is not decoded")
        guard codings.count <= ContentCoding.mostInARow else { throw .unknown }
        self.limits = limits
        steps = []
        for coding in codings.reversed() { steps.append(Step(stage: try Self.stage(for: coding))) }
        for index in steps.indices.dropLast() {
            steps[index].buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        }
    }

    private static func stage(for coding: ContentCoding) throws(ContentCodingError) -> any DecodingStage {
        switch coding.format {
        case .gzip, .deflate: try Inflater(coding)
        case .brotli: try Unbrotli()
        }
    }

    /// Goes on with `input` from `consumed` on, and moves `consumed` past what is done with.
    ///
    /// - Parameter output: not empty; decoded bytes from its start.
    /// - Returns: how many. Where it is 0 all input was taken and more is needed.
    public func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        let before = consumed
        defer { bytesIn += consumed - before }
        let count = try decode(by: steps.count - 1, input, &consumed, output)
        bytesOut += count
        if let size = limits.size, bytesOut > size { throw .tooLarge(size) }
        return count
    }

    /// The content is all there.
    ///
    /// - Throws: `.truncated` where it is not. No content at all is whole: what has no bytes is not coded.
    public func finish() throws(ContentCodingError) {
        for step in steps where !step.stage.mayEnd { throw .truncated(step.stage.coding) }
        // Bytes came, and their coding may end, but the next coding in line never began.
        if bytesIn > 0, let last = steps.last, last.bytesIn == 0 { throw .truncated(last.stage.coding) }
    }

    /// What the step at `index` makes of the input, which is that of the first step.
    private func decode(
        by index: Int, _ input: UnsafeRawBufferPointer, _ consumed: inout Int,
        _ output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int {
        guard index > 0 else { return try run(0, input, &consumed, output) }
        while true {
            // First what it has inside, then what the step before has for it.
            let waiting = steps[index - 1].waiting
            var taken = waiting.lowerBound
            let produced = try withBuffer(of: index - 1) { (buffer) throws(ContentCodingError) in
                try run(
                    index, UnsafeRawBufferPointer(rebasing: buffer[..<waiting.upperBound]), &taken, output)
            }
            steps[index - 1].waiting = taken..<waiting.upperBound
            if produced > 0 { return produced }
            guard taken == waiting.upperBound else { continue }
            let count = try withBuffer(of: index - 1) { (buffer) throws(ContentCodingError) in
                try decode(by: index - 1, input, &consumed, buffer)
            }
            steps[index - 1].waiting = 0..<count
            if count == 0 { return 0 }
        }
    }

    private func withBuffer(
        of index: Int, _ body: (UnsafeMutableRawBufferPointer) throws(ContentCodingError) -> Int
    ) throws(ContentCodingError) -> Int {
        // Out of its place meanwhile, as what goes on changes the steps.
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
        if let ratio = limits.ratio, step.bytesOut > limits.freeSize,
            step.bytesOut / max(1, ratio) > step.bytesIn
        {
            throw .tooDense(ratio)
        }
        return total
    }
}
