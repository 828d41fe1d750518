/// The sizes of the blocks that hold bytes on their way through.
///
/// Reads and writes are of any size. Blocks of a few sizes, which the allocator gives out again and again, use a fraction of the memory of
/// blocks that fit: an allocator keeps some of each size.
package enum BlockSize {
    /// Smaller blocks fit.
    package static let smallest = 4096
    /// Returns the capacity of the block to hold this many bytes.
    package static func capacity(for count: Int) -> Int {
        var size = 2 * smallest
        while size < count { size *= 2 }
        return size
    }
}
