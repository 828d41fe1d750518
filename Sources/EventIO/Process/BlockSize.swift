/// The sizes of the blocks that hold bytes on their way through.
///
/// Reads and writes are of any size. Blocks of a few sizes, which the allocator gives out again and again,
/// use a fraction of the memory of blocks that fit: an allocator keeps some of each size.
package enum BlockSize {
    /// An array's header is part of its allocation. With it, a block fills a size class of the allocator.
    private static let header = 32
    /// Smaller blocks fit.
    package static let smallest = 4096
    /// The most bytes of one read.
    package static let read = (64 << 10) - header
    /// The most bytes of a block that waits to be written.
    static let write = (32 << 10) - header

    /// Returns the capacity of the block to hold this many bytes.
    package static func capacity(for count: Int) -> Int {
        guard count > smallest else { return count }
        var size = 2 * smallest
        while size - header < count { size *= 2 }
        return size - header
    }
}
