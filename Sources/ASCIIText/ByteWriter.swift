/// Writes bytes with plain stores: an append checks the room that is left and copies.
///
/// Every write takes room from `reserve`, which grows the memory or stops the program, fills it, and passes
/// the number of bytes to `advance`. The memory is allocated here, or lent exclusively for one call.
public struct ByteWriter: ~Copyable {
    @usableFromInline
    @frozen
    enum Memory {
        /// Allocated here; grows.
        case own
        /// An array's or the stack's, for one call. A write beyond its end moves to allocated memory.
        case lent
        /// The caller's. A write beyond its end stops the program.
        case fixed
    }

    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var memory: Memory
    @usableFromInline var written: Int

    /// Allocates memory, which grows and which `removeAll` keeps.
    public init(capacity: Int) {
        let capacity = max(capacity, 1)
        self.init(.allocate(capacity: capacity), capacity: capacity, .own)
    }

    @inlinable
    init(_ start: UnsafeMutablePointer<UInt8>, capacity: Int, _ memory: Memory) {
        self.start = start
        self.capacity = capacity
        self.memory = memory
        written = 0
    }

    @inlinable
    deinit {
        if memory == .own { start.deallocate() }
    }

    // MARK: Into an array, into memory

    /// Returns what `body` writes, stored straight into an array.
    ///
    /// - Parameters:
    ///   - capacity: about as many bytes as `body` writes. If it writes more, the text is copied once.
    ///   - body: writes the bytes.
    @inlinable
    public static func array(capacity: Int, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var longer: [UInt8]?
        var text: [UInt8] = []
        text.append(addingCapacity: max(capacity, 1)) { span in
            span.withUnsafeMutableBufferPointer { room, count in
                guard let start = room.baseAddress else { return }
                var writer = ByteWriter(start, capacity: room.count, .lent)
                body(&writer)
                if writer.memory == .lent { count = writer.count } else { longer = [UInt8](writer.bytes) }
            }
        }
        return longer ?? text
    }

    /// Returns what `body` writes. Up to 1 KiB is written to the stack, and costs one allocation of the right
    /// size.
    @inlinable
    public static func collect<Failure: Error>(
        _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        let written = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) {
            room -> Result<[UInt8], Failure> in
            guard let start = room.baseAddress else { return .success([]) }
            var writer = ByteWriter(start, capacity: room.count, .lent)
            do throws(Failure) {
                try body(&writer)
            } catch {
                return .failure(error)
            }
            return .success([UInt8](writer.bytes))
        }
        return try written.get()
    }

    /// Appends to `output` what `body` writes, and nothing if it throws.
    ///
    /// - Parameters:
    ///   - capacity: at least as many bytes as `body` writes. A write beyond it may stop the program.
    ///   - output: gets the bytes.
    ///   - body: writes the bytes.
    @inlinable
    @inline(__always)
    public static func append<Failure: Error>(
        atMost capacity: Int, to output: inout [UInt8], _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try output.append(addingCapacity: capacity) { (span) throws(Failure) in
            try span.withUnsafeMutableBufferPointer { (room, count) throws(Failure) in
                guard let start = room.baseAddress else { return }
                var writer = ByteWriter(start, capacity: room.count, .fixed)
                try body(&writer)
                count = writer.count
            }
        }
    }

    /// Writes into memory of fixed size and returns how many bytes `body` wrote. A write beyond its end stops
    /// the program.
    @inlinable
    @inline(__always)
    public static func write<Failure: Error>(
        to room: UnsafeMutableRawBufferPointer, _ body: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) -> Int {
        guard let start = room.baseAddress else { return 0 }
        let bytes = start.bindMemory(to: UInt8.self, capacity: room.count)
        var writer = ByteWriter(bytes, capacity: room.count, .fixed)
        try body(&writer)
        return writer.count
    }

    // MARK: What was written

    /// The bytes written so far.
    @inlinable
    public var count: Int { written }

    /// The bytes written so far, valid until the next write.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// Forgets the bytes and keeps the memory.
    @inlinable
    public mutating func removeAll() { written = 0 }

    /// Keeps only the first `length` bytes, which must not exceed `count`.
    @inlinable
    public mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count, "more than was written")
        written = length
    }

    // MARK: Room

    /// Returns where the next bytes go, with room for at least `length` of them.
    @inlinable
    @inline(__always)
    public mutating func reserve(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        if length > capacity &- count { grow(by: length) }
        return start + count
    }

    /// Counts bytes that were stored at the place that `reserve` returned, at most as many as it was asked
    /// for.
    @inlinable
    @inline(__always)
    public mutating func advance(by length: Int) { written &+= length }

    @usableFromInline
    @inline(never)
    mutating func grow(by length: Int) {
        precondition(memory != .fixed, "more bytes than there is room for")
        capacity = 2 * (count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        if memory == .own { start.deallocate() }
        start = larger
        memory = .own
    }

    // MARK: Appending

    /// Appends constant text. Its length is known to the caller's compiler, so the copy is a few moves.
    @inlinable
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        UnsafeMutableRawPointer(reserve(length)).copyMemory(from: text.utf8Start, byteCount: length)
        written &+= length
    }

    /// Appends a byte.
    @inlinable
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        reserve(1).initialize(to: byte)
        written &+= 1
    }

    /// Appends bytes.
    @inlinable
    @inline(__always)
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(reserve(bytes.count)).copyMemory(from: source, byteCount: bytes.count)
        written &+= bytes.count
    }

    /// Appends a slice.
    @inlinable
    @inline(__always)
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a number, which must not be negative, in decimal digits.
    @inlinable
    public mutating func append(decimal number: Int) {
        precondition(number >= 0, "a length is not negative")
        let number = UInt(bitPattern: number)
        let length = ASCII.digitCount(number)
        ASCII.write(number, digits: length, at: reserve(length))
        written &+= length
    }
}
