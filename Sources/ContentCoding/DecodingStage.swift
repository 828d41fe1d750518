/// One coding being undone, piece by piece.
protocol DecodingStage: AnyObject {
    var coding: ContentCoding { get }

    /// Goes on with `input` from `consumed` on, fills `output` from its start and tells how much of it. It stops where
    /// either is used up.
    func decode(
        _ input: UnsafeRawBufferPointer, consumed: inout Int, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> Int

    /// Whether what came so far may be all: nothing at all, or a whole stream.
    var mayEnd: Bool { get }
}
