import Synchronization

/// Makes identifiers that are cheap and never come twice: no system call, no lock.
///
/// A counter runs through a bijection of 64 bits that starts at a random place, so that identifiers of one process are
/// distinct, and those of two processes meet about as seldom as random ones. Not secrets.
final class Identifiers: Sendable {
    private let counter: Atomic<UInt64>
    private let prefix: UInt64

    init() {
        counter = Atomic(.random(in: .min ... .max))
        prefix = .random(in: 0..<(1 << 11))
    }

    /// 64 bits, distinct in this process.
    func next() -> UInt64 {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        // SplitMix64's output function (Steele, Lea, Flood 2014): a bijection that leaves no visible order.
        var mixed = count &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A request id: fifteen characters, which a `String` holds without an allocation.
    func requestID() -> String {
        let bits = next()
        return String(unsafeUninitializedCapacity: Self.length) { buffer in
            let digits = Self.digits.utf8Start
            // 11 bits of prefix and 64 bits of count make 75, fifteen digits of five bits.
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

    /// Bytes of a request id that is made here; a client's own may be longer or shorter.
    static var length: Int { 15 }
    /// Of the same length.
    static var placeholder: String { "000000000000000" }

    /// Writes an id in the place of one that is as long.
    static func write(_ id: String, to place: UnsafeMutableRawBufferPointer) {
        var id = id
        id.withUTF8 { place.copyMemory(from: UnsafeRawBufferPointer($0)) }
    }

    /// Base 32 in Crockford's alphabet: no i, l, o or u to misread.
    private static var digits: StaticString { "0123456789abcdefghjkmnpqrstvwxyz" }

    /// The client's request id where it is fit to be repeated: 1 to 128 of `A-Z a-z 0-9 . _ -`.
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
