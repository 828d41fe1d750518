/// Finds out how large a client says its ClientHello is, since OpenSSL allocates that much when it reads the
/// header, up to 128 KiB. It reads the records of a handshake as they arrive, in pieces of any size.
struct ClientHelloSize {
    /// The largest ClientHello. A session ticket with a client's certificate takes most of a large one.
    static let largest = 32 << 10

    private static let handshake: UInt8 = 22
    private static let clientHello: UInt8 = 1

    /// The header of a record: its type, version and length (RFC 8446, section 5.1).
    private var record = Header(size: 5)
    private var recordLeft = 0
    /// The header of a message: its type and length (RFC 8446, section 4).
    private var message = Header(size: 4)
    private var messageLeft = 0

    /// Whether a ClientHello is larger than `largest`.
    private(set) var isTooLarge = false
    /// Whether a whole ClientHello has arrived.
    private(set) var isComplete = false

    /// Reads the next bytes of the connection.
    mutating func received(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty, !isTooLarge {
            if recordLeft == 0 {
                record.append(&rest)
                guard record.isComplete else { return }
                recordLeft = record.length(from: 3)
                if recordLeft == 0 { record = Header(size: 5) }
                continue
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(recordLeft))
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
            recordLeft -= part.count
            if record.type == Self.handshake { receivedMessages(part) }
            if recordLeft == 0 { record = Header(size: 5) }
        }
    }

    private mutating func receivedMessages(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if messageLeft == 0 {
                message.append(&rest)
                guard message.isComplete else { return }
                messageLeft = message.length(from: 1)
                if message.type == Self.clientHello, messageLeft > Self.largest {
                    isTooLarge = true
                    return
                }
            }
            let count = min(messageLeft, rest.count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            messageLeft -= count
            if messageLeft == 0 {
                if message.type == Self.clientHello { isComplete = true }
                message = Header(size: 4)
            }
        }
    }

    /// A header of at most eight bytes.
    private struct Header {
        private let size: Int
        private var bits: UInt64 = 0
        private var count = 0

        init(size: Int) { self.size = size }

        var isComplete: Bool { count == size }

        /// The first byte.
        var type: UInt8 { UInt8(truncatingIfNeeded: bits >> (8 * (size - 1))) }

        /// The number in the bytes from this one to the end.
        func length(from start: Int) -> Int { Int(bits & (1 << (8 * (size - start)) - 1)) }

        /// Takes the bytes that it lacks.
        mutating func append(_ bytes: inout UnsafeRawBufferPointer) {
            let part = bytes.prefix(size - count)
            for byte in part { bits = bits << 8 | UInt64(byte) }
            count += part.count
            bytes = UnsafeRawBufferPointer(rebasing: bytes[part.endIndex...])
        }
    }
}
