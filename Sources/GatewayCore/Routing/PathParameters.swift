/// The decoded segments of a path, or the rest of it, that a template's parameters match, in the order of the
/// template.
struct PathParameters: Sendable, RandomAccessCollection {
    private let path: ArraySlice<UInt8>
    private let ranges: [Range<Int>]

    static let none = PathParameters([], [])

    /// - Parameter ranges: indices of `path`.
    init(_ path: ArraySlice<UInt8>, _ ranges: consuming [Range<Int>]) {
        self.path = path
        self.ranges = ranges
    }

    var startIndex: Int { 0 }
    var endIndex: Int { ranges.count }

    subscript(index: Int) -> ArraySlice<UInt8> { path[ranges[index]] }
}
