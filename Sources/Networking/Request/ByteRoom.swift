import ASCIIText
import HTTPModel

/// Bytes that are written one after the other into a piece of memory, and go on in an array where that is full: what is
/// short, as nearly all request targets are, costs one allocation of the right size.
///
/// Sound: each write is checked against the end of the room, and a `ByteRoom` exists only inside `write`, whose memory it is.
struct ByteRoom: ~Copyable {
    private static var size: Int { 1024 }

    private let room: UnsafeMutableRawPointer
    private var used = 0
    private var full: [UInt8] = []

    private init(_ room: UnsafeMutableRawPointer) {
        self.room = room
    }

    /// What `body` writes.
    static func write<Failure: Error>(
        _ body: (inout ByteRoom) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        let written = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 8) {
            words -> Result<[UInt8], Failure> in
            guard let start = words.baseAddress else { return .success([]) }
            var bytes = ByteRoom(UnsafeMutableRawPointer(start))
            do throws(Failure) {
                try body(&bytes)
            } catch {
                return .failure(error)
            }
            return .success(bytes.finish())
        }
        return try written.get()
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if used == Self.size { makeRoom() }
        room.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used &+= 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > Self.size &- used {
            makeRoom()
            guard bytes.count <= Self.size else { return full.append(contentsOf: bytes) }
        }
        guard let source = bytes.baseAddress else { return }
        (room + used).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends a text, everything outside RFC 3986's unreserved set percent-encoded, but for what `escaping` says.
    mutating func append(encoding text: String, _ escaping: Escaping) {
        text.withBytes { if !appendPlain($0) { append(encoding: $0, escaping) } }
    }

    /// Appends a name or value of the usual length in which nothing is to be encoded, in two words; false, and nothing is
    /// appended, where it is not like that.
    @inline(__always)
    private mutating func appendPlain(_ source: UnsafeRawBufferPointer) -> Bool {
        let count = source.count
        guard count >= 4, count <= 16, count <= Self.size &- used else { return false }
        let place = room + used
        // The second word overlaps the first.
        if count >= 8 {
            let first = source.loadUnaligned(as: UInt64.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            guard ASCII.areAlphanumeric(first), ASCII.areAlphanumeric(last) else { return false }
            place.storeBytes(of: first, as: UInt64.self)
            place.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        } else {
            let first = source.loadUnaligned(as: UInt32.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            guard ASCII.areAlphanumeric(UInt64(first) | UInt64(last) &<< 32) else { return false }
            place.storeBytes(of: first, as: UInt32.self)
            place.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
        }
        used &+= count
        return true
    }

    private mutating func append(encoding source: UnsafeRawBufferPointer, _ escaping: Escaping) {
        for byte in source {
            if ASCII.isUnreserved(byte) {
                append(byte)
            } else if escaping.spaceAsPlus, byte == UInt8(ascii: " ") {
                append(UInt8(ascii: "+"))
            } else if escaping.keepsSlashes, byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(ASCII.hexDigit(byte >> 4))
                append(ASCII.hexDigit(byte & 15))
            }
        }
    }

    private mutating func makeRoom() {
        full.append(contentsOf: written)
        used = 0
    }

    private var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: room, count: used) }

    private mutating func finish() -> [UInt8] {
        if full.isEmpty { return [UInt8](written) }
        makeRoom()
        return full
    }
}

/// What of a name or value is not percent-encoded beside RFC 3986's unreserved set.
struct Escaping: Sendable, Hashable {
    /// A blank is `+`.
    let spaceAsPlus: Bool
    /// `/` and `?` stay as they are, as RFC 3986 3.4 allows in a query.
    let keepsSlashes: Bool

    static let query = Escaping(spaceAsPlus: false, keepsSlashes: true)
}

extension String {
    /// Lends the text's UTF-8, without a copy.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = utf8.span
        return bytes.withUnsafeBytes { body($0) }
    }
}
