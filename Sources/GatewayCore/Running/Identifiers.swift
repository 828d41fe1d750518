import Synchronization

/// Generates unique identifiers without a system call or a lock.
///
/// A counter with a random start goes through a bijection of 64 bits: identifiers are distinct within a
/// process and collide across processes about as rarely as random ones. They are not secrets.
final class Identifiers: Sendable {
    private let counter: Atomic<UInt64>
    private let prefix: UInt64

    init() {
        counter = Atomic(.random(in: .min ... .max))
        prefix = .random(in: 0..<(1 << 11))
    }

    /// Returns 64 bits, distinct within this process.
    func next() -> UInt64 {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        // The output function of SplitMix64 (Steele, Lea, Flood 2014), a bijection that hides the order.
        var mixed = count &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a request id of fifteen characters, which a `String` stores inline.
    func requestID() -> String {
        let bits = next()
        return String(unsafeUninitializedCapacity: Self.length) { buffer in
            let digits = Self.digits.utf8Start
            // 11 bits of prefix and 64 bits of the counter are fifteen digits of five bits.
            var high = prefix
            var low = bits
            for index in stride(from: Self.length - 1, through: 0, by: -1) {
                buffer.initializeElement(at: index, to: digits[Int(low & 31)])
                low = (low >> 5) | (high << 59)
                high >>= 5
            }
            return Self.length
        }
    }

    /// Bytes of a generated request id; a client's may have another length.
    static var length: Int { 15 }
    static var placeholder: String { "000000000000000" }

    /// Overwrites a text of the same length with an id.
    static func write(_ id: String, to place: UnsafeMutableRawBufferPointer) {
        var id = id
        id.withUTF8 { place.copyMemory(from: UnsafeRawBufferPointer($0)) }
    }

    /// Crockford's alphabet for base 32, without i, l, o and u, which are easily misread.
    private static var digits: StaticString { "0123456789abcdefghjkmnpqrstvwxyz" }

    /// Returns the client's request id if it is acceptable: 1 to 128 of `A-Z a-z 0-9 . _ -`.
    static func accepted(_ bytes: ArraySlice<UInt8>) -> String? {
        guard (1...128).contains(bytes.count), bytes.allSatisfy(isAllowed) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}
