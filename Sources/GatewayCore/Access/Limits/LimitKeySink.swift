import Crypto
import Resilience

/// What a piece of a limit's key is.
enum LimitKeyPiece: UInt64 {
    /// Nothing, or no more lines.
    case missing
    case ipv4, ipv6, entry, subject, endpoint
    /// A claim that is text.
    case text
    /// Any other claim, as it was written.
    case value
    /// A line of a field.
    case line
}

/// Takes the bytes of a limit's key.
protocol LimitKeySink {
    mutating func write(_ number: UInt64)
    mutating func write(_ bytes: UnsafeRawBufferPointer)
}

extension LimitKeySink {
    mutating func write(_ piece: LimitKeyPiece) { write(piece.rawValue) }

    mutating func write(text: UnsafeRawBufferPointer) {
        write(UInt64(text.count))
        write(text)
    }

    /// Writes a piece with text, or that it is missing.
    mutating func write(_ piece: LimitKeyPiece, _ text: String?) {
        guard var text else { return write(.missing) }
        write(piece)
        text.withUTF8 { write(text: UnsafeRawBufferPointer($0)) }
    }
}

/// Hashes a key for this process, with a secret, so that no client can choose two values with one hash.
///
/// A hasher of the standard library (SipHash) that begins with a secret is ended in two ways, which makes 128
/// bits. Nearly all keys are collected on the stack and hashed in one piece. Longer ones are hashed in
/// several, which are the same for equal keys. Nothing is allocated.
struct LocalKeyHasher: LimitKeySink {
    private var hasher = Self.start
    private let room: UnsafeMutableRawBufferPointer
    private var filled = 0

    /// Not only the seed of the library, which can be turned off by the environment.
    private static let start: Hasher = {
        var start = Hasher()
        SecureRandom.bytes(32).withUnsafeBytes { start.combine(bytes: $0) }
        return start
    }()

    /// Returns the hash of what `body` writes.
    @inline(__always)
    static func key(_ body: (inout LocalKeyHasher) -> Void) -> LimitKey {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { room in
            var hasher = LocalKeyHasher(room: room)
            body(&hasher)
            return hasher.key()
        }
    }

    private init(room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func write(_ number: UInt64) {
        if room.count &- filled < 8 { hash() }
        room.storeBytes(of: number, toByteOffset: filled, as: UInt64.self)
        filled &+= 8
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if room.count &- filled < bytes.count {
            hash()
            guard bytes.count <= room.count else { return hasher.combine(bytes: bytes) }
        }
        UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyMemory(from: bytes)
        filled &+= bytes.count
    }

    private mutating func hash() {
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: room[..<filled]))
        filled = 0
    }

    private mutating func key() -> LimitKey {
        hash()
        var second = hasher
        second.combine(0 as UInt8)
        return LimitKey(
            UInt64(bitPattern: Int64(hasher.finalize())), UInt64(bitPattern: Int64(second.finalize())))
    }
}

/// Collects a key for a store, where all processes must compute the same.
struct StoreKeyBytes: LimitKeySink {
    private var bytes: [UInt8] = []

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

    var digest: SHA256Digest { SHA256Digest(of: bytes) }
}
