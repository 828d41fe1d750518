internal import CCrypto

/// Random bytes that nobody can guess, of OpenSSL's generator.
public enum SecureRandom {
    /// Returns random bytes. The program ends if the system has no randomness.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            let isFilled = RAND_bytes(room.baseAddress, Int32(count))
            precondition(isFilled == 1, "OpenSSL has no random bytes")
            filled = count
        }
    }
}
