/// A source that may block, such as a file. One helper thread uses it at a time, but not always the same
/// thread.
public protocol BlockingReader: AnyObject {
    /// Reads up to `count` bytes. Returns none at the end.
    func read(atMost count: Int) throws -> ArraySlice<UInt8>
}
