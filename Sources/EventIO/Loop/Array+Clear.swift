extension Array {
    /// Removes all elements and keeps the memory. `removeAll(keepingCapacity:)` takes 70 to 170 instructions,
    /// and the lists of a wake have one or two elements.
    @inline(__always)
    mutating func clear() {
        while popLast() != nil {}
    }
}
