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
/// Two hashers of the standard library (SipHash), which begin with different secrets, make 128 bits. They
/// allocate nothing.
struct LocalKeyHasher: LimitKeySink {
    private var high = Self.start.high
    private var low = Self.start.low

    /// Not only the seed of the library, which can be turned off by the environment.
    private static let start: (high: Hasher, low: Hasher) = {
        let secret = SecureRandom.bytes(32)
        var start = (high: Hasher(), low: Hasher())
        secret[..<16].withUnsafeBytes { start.high.combine(bytes: $0) }
        secret[16...].withUnsafeBytes { start.low.combine(bytes: $0) }
        return start
    }()

    mutating func write(_ number: UInt64) {
        high.combine(number)
        low.combine(number)
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        high.combine(bytes: bytes)
        low.combine(bytes: bytes)
    }

    var key: LimitKey {
        LimitKey(UInt64(bitPattern: Int64(high.finalize())), UInt64(bitPattern: Int64(low.finalize())))
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
