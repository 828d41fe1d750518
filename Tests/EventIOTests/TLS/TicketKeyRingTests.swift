import Testing

@testable import EventIO

@Suite("The keys of session tickets")
struct TicketKeyRingTests {
    private static let hour = TimeAmount.seconds(3600)
    private static func at(hours: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(hours * 3.6e12) + 77)
    }

    private static func key(_ number: UInt8) -> TicketKeyRing.Key {
        TicketKeyRing.Key([UInt8](repeating: number, count: TicketKeyRing.Key.length))
    }

    private static func find(
        _ ring: TicketKeyRing, _ number: UInt8, hours: Double
    ) -> (key: TicketKeyRing.Key, isCurrent: Bool)? {
        key(number).name.withUnsafeBytes { ring.key(named: $0, at: at(hours: hours)) }
    }

    @Test("Without random bytes no key is made, and an unknown name finds none")
    func none() {
        var ring = TicketKeyRing()
        #expect(ring.key(at: Self.at(hours: 0)) { nil } == nil)
        #expect(Self.find(ring, 1, hours: 0) == nil)
        _ = ring.key(at: Self.at(hours: 0)) { Self.key(1) }
        #expect(Self.find(ring, 2, hours: 0) == nil)
    }

    @Test("A key is used for new tickets for 12 hours")
    func rotation() {
        var ring = TicketKeyRing()
        var made: UInt8 = 0
        func next(_ hours: Double) -> TicketKeyRing.Key? {
            ring.key(at: Self.at(hours: hours)) {
                made += 1
                return Self.key(made)
            }
        }
        #expect(next(0) == Self.key(1))
        #expect(next(11.99) == Self.key(1))
        #expect(next(12) == Self.key(2))
        #expect(next(23.9) == Self.key(2))
        #expect(next(100) == Self.key(3))
        #expect(made == 3)
    }

    @Test(
        "The last ticket of a key lives for 12 hours, so the key decrypts for 24, and the ticket is renewed")
    func previous() throws {
        var ring = TicketKeyRing()
        _ = ring.key(at: Self.at(hours: 0)) { Self.key(1) }
        #expect(Self.find(ring, 1, hours: 11)?.isCurrent == true)
        _ = ring.key(at: Self.at(hours: 12)) { Self.key(2) }
        let old = try #require(Self.find(ring, 1, hours: 23.9))
        #expect(old.key == Self.key(1))
        #expect(!old.isCurrent)
        #expect(Self.find(ring, 1, hours: 24) == nil)
        _ = ring.key(at: Self.at(hours: 24)) { Self.key(3) }
        #expect(Self.find(ring, 1, hours: 24) == nil)
        #expect(Self.find(ring, 2, hours: 24)?.isCurrent == false)
        #expect(Self.find(ring, 3, hours: 24)?.isCurrent == true)
    }

    @Test("A key that nobody has used for a day decrypts nothing")
    func unused() {
        var ring = TicketKeyRing()
        _ = ring.key(at: Self.at(hours: 0)) { Self.key(1) }
        #expect(Self.find(ring, 1, hours: 13)?.isCurrent == false)
        #expect(Self.find(ring, 1, hours: 30) == nil)
    }
}
