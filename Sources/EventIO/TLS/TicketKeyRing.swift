/// The keys that encrypt session tickets (RFC 5077, section 4): a current one for new tickets, and the one
/// before it. The time is a parameter.
///
/// A key encrypts tickets for `period`. A ticket lives as long, so a key decrypts for two periods.
struct TicketKeyRing {
    struct Key: Sendable, Equatable {
        /// Sent with the ticket, 16 bytes.
        let name: [UInt8]
        /// For AES-256, 32 bytes.
        let cipher: [UInt8]
        /// For HMAC with SHA-256, 32 bytes.
        let mac: [UInt8]

        static let nameLength = 16
        static let length = 80

        /// - Parameter bytes: 80 random bytes.
        init(_ bytes: [UInt8]) {
            precondition(bytes.count == Self.length, "a ticket key is made of \(Self.length) bytes")
            name = Array(bytes[..<16])
            cipher = Array(bytes[16..<48])
            mac = Array(bytes[48...])
        }
    }

    /// How long a key is used for new tickets, and how long a ticket lives.
    static let period = TimeAmount.seconds(12 * 3600)

    private var current: (key: Key, since: MonotonicTime)?
    private var previous: (key: Key, since: MonotonicTime)?

    /// Returns the key for new tickets. Makes one if the current one is too old; nil if `make` fails.
    mutating func key(at now: MonotonicTime, make: () -> Key?) -> Key? {
        if let current, now < current.since + Self.period { return current.key }
        guard let made = make() else { return nil }
        previous = current
        current = (made, now)
        return made
    }

    /// Returns the key with this name, and whether new tickets still get it; nil for an unknown name, or if
    /// the key's tickets have expired.
    func key(named name: UnsafeRawBufferPointer, at now: MonotonicTime) -> (key: Key, isCurrent: Bool)? {
        for (place, isFirst) in [(current, true), (previous, false)] {
            guard let place, name.elementsEqual(place.key.name) else { continue }
            let age = now - place.since
            guard age < TimeAmount(nanoseconds: 2 * Self.period.nanoseconds) else { return nil }
            return (place.key, isFirst && age < Self.period)
        }
        return nil
    }
}
