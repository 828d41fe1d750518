import ASCIIText
import HTTPModel

/// Writes a head into room that was reserved for all of it at once: each append is a check of what room is left and
/// the copy.
///
/// The only file of this module that writes raw memory. What makes it sound: every write first takes its bytes from
/// the room in `take`, which stops the program where there are not as many.
struct HeadWriter {
    private let room: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private var count = 0

    private init(_ room: UnsafeMutablePointer<UInt8>, capacity: Int) {
        self.room = room
        self.capacity = capacity
    }

    /// Appends what `body` writes to `output`, and nothing where it throws.
    /// - Parameter capacity: More than it writes, whatever it writes.
    @inline(__always)
    static func append(
        atMost capacity: Int, to output: inout [UInt8],
        _ body: (inout HeadWriter) throws(SerializationError) -> Void
    ) throws(SerializationError) {
        try output.append(addingCapacity: capacity) { (span) throws(SerializationError) in
            try span.withUnsafeMutableBufferPointer { (room, count) throws(SerializationError) in
                guard let start = room.baseAddress else { return }
                var writer = HeadWriter(start, capacity: room.count)
                try body(&writer)
                count = writer.count
            }
        }
    }

    /// The same into memory that is there. Gives how many bytes `body` wrote.
    @inline(__always)
    static func write(
        to room: UnsafeMutableRawBufferPointer, _ body: (inout HeadWriter) throws(SerializationError) -> Void
    ) throws(SerializationError) -> Int {
        guard let start = room.baseAddress else { return 0 }
        var writer = HeadWriter(
            start.bindMemory(to: UInt8.self, capacity: room.count), capacity: room.count)
        try body(&writer)
        return writer.count
    }

    /// Where the next `length` bytes go.
    @inline(__always)
    private mutating func take(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(length <= capacity &- count, "a head is longer than it was taken to be")
        defer { count &+= length }
        return room + count
    }

    /// Constant text; its length is known where this is called, so the copy is a few moves.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        UnsafeMutableRawPointer(take(length)).copyMemory(from: text.utf8Start, byteCount: length)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(take(bytes.count)).copyMemory(from: source, byteCount: bytes.count)
    }

    @inline(__always)
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// A number >= 0 in decimal digits.
    mutating func append(decimal number: Int) {
        precondition(number >= 0, "a length is not negative")
        var length = 1
        var rest = UInt(bitPattern: number)
        while rest >= 10 {
            rest /= 10
            length &+= 1
        }
        let place = take(length)
        rest = UInt(bitPattern: number)
        for index in stride(from: length &- 1, through: 0, by: -1) {
            place[index] = Byte.zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

extension HeadWriter {
    /// Appends a method's name.
    @inline(__always)
    mutating func append(_ method: HTTPMethod) {
        if method.isGet { append("GET") } else { method.withBytes { append($0) } }
    }
}
