import HTTPModel

/// Bytes that are written one after the other into a piece of memory, and go on in an array where that is full: what is
/// short, as nearly all request targets are, costs one allocation of the right size.
///
/// Sound: each write is checked against the end of the room, and a `ByteRoom` exists only inside `write`, whose memory it is.
struct ByteRoom: ~Copyable {
    private static var size: Int { 1024 }

    private let room: UnsafeMutableRawBufferPointer
    private var used = 0
    private var full: [UInt8] = []

    private init(_ room: UnsafeMutableRawBufferPointer) {
        self.room = room
    }

    /// What `body` writes.
    static func write<Failure: Error>(
        _ body: (inout ByteRoom) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        let written = withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) {
            room -> Result<[UInt8], Failure> in
            var bytes = ByteRoom(room)
            do throws(Failure) {
                try body(&bytes)
            } catch {
                return .failure(error)
            }
            return .success(bytes.finish())
        }
        return try written.get()
    }

    var count: Int { full.count + used }

    mutating func append(_ byte: UInt8) {
        if used == room.count { makeRoom() }
        room[used] = byte
        used &+= 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > room.count - used {
            makeRoom()
            guard bytes.count <= room.count else { return full.append(contentsOf: bytes) }
        }
        UnsafeMutableRawBufferPointer(rebasing: room[used...]).copyMemory(from: bytes)
        used += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends a text, everything outside RFC 3986's unreserved set percent-encoded.
    mutating func append(encoding text: String, spaceAsPlus: Bool) {
        text.withBytes { append(encoding: $0, spaceAsPlus: spaceAsPlus) }
    }

    private mutating func append(encoding source: UnsafeRawBufferPointer, spaceAsPlus: Bool) {
        var next = 0
        while next < source.count {
            if room.count - used < 3 { makeRoom() }
            // As many as fit, whatever they become. In locals, which nobody else could see change.
            let end = min(source.count, next + (room.count - used) / 3)
            let room = room
            var out = used
            while next < end {
                let byte = source[next]
                next &+= 1
                if ASCII.isUnreserved(byte) {
                    room[out] = byte
                    out &+= 1
                } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                    room[out] = UInt8(ascii: "+")
                    out &+= 1
                } else {
                    room[out] = UInt8(ascii: "%")
                    room[out &+ 1] = ASCII.hexDigit(byte >> 4)
                    room[out &+ 2] = ASCII.hexDigit(byte & 15)
                    out &+= 3
                }
            }
            used = out
        }
    }

    private mutating func makeRoom() {
        full.append(contentsOf: room[..<used])
        used = 0
    }

    private mutating func finish() -> [UInt8] {
        if full.isEmpty { return [UInt8](UnsafeRawBufferPointer(rebasing: room[..<used])) }
        makeRoom()
        return full
    }
}

extension String {
    /// The text's UTF-8. Without a copy of the string where that is in one piece, as it is for all texts of Swift.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        return Array(utf8).withUnsafeBytes { body($0) }
    }
}
