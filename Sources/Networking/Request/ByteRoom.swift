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
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
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
