/// An encoder of one coding, fed in pieces.
protocol EncodingStage: AnyObject {
    /// Encodes all of `input` and appends what comes out to `output`.
    func encode(
        _ input: UnsafeRawBufferPointer, to output: inout [UInt8], _ flush: ContentEncoder.Flush
    ) throws(ContentCodingError)

    func reset() throws(ContentCodingError)
}
