/// A decoder of one coding, fed in pieces.
protocol DecodingStage: AnyObject {
    var coding: ContentCoding { get }

    /// Decodes `input` from `consumed` on into `output`, until either is used up. Adds the bytes that it
    /// takes to `consumed` and returns the number of bytes written.
    func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int

    /// Whether the input so far is complete: empty, or a whole stream.
    var mayEnd: Bool { get }
}
