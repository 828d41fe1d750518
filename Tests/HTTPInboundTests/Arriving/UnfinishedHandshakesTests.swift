import EventIO
import Testing

@testable import HTTPInbound

/// Tests the choice of handshakes alone, with time as a parameter.
@Suite("The handshake that makes room for a newcomer")
struct UnfinishedHandshakesTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
    }

    private static let one = EvictionOrderTests.prefix("10.0.0.1")
    private static let other = EvictionOrderTests.prefix("10.0.0.2")
    private static let third = EvictionOrderTests.prefix("10.0.0.3")

    /// Handshakes of these clients, by slot.
    private static func handshakes(_ clients: [AddressPrefix]) -> UnfinishedHandshakes {
        var handshakes = UnfinishedHandshakes()
        for (slot, client) in clients.enumerated() { handshakes.insert(slot, client) }
        return handshakes
    }

    private static func next(_ handshakes: UnfinishedHandshakes, at seconds: Double = 0) -> Int? {
        var handshakes = handshakes
        return handshakes.next(at: at(seconds))
    }

    @Test("Without handshakes nobody gives way")
    func empty() {
        #expect(Self.next(UnfinishedHandshakes(), at: 99) == nil)
    }

    @Test("A connection without a complete ClientHello gives way at once, the oldest first")
    func hello() {
        var handshakes = Self.handshakes([Self.one, Self.one, Self.one])
        #expect(Self.next(handshakes) == 0)
        handshakes.remove(0)
        #expect(handshakes.count == 2)
        #expect(Self.next(handshakes) == 1)
        // Slots are used again.
        handshakes.insert(0, Self.one)
        #expect(Self.next(handshakes) == 1)
        for slot in [1, 2, 0] { handshakes.remove(slot) }
        #expect(handshakes.count == 0)
        #expect(Self.next(handshakes, at: 99) == nil)
    }

    @Test("The client with the most such connections gives way first, even if others came earlier")
    func largestClient() {
        var handshakes = Self.handshakes([
            Self.one, Self.other, Self.other, Self.third, Self.third, Self.third,
        ])
        for expected in [3, 1, 4] {
            #expect(Self.next(handshakes) == expected)
            handshakes.remove(expected)
        }
        // Now each has one, and the oldest goes.
        #expect(Self.next(handshakes) == 0)
    }

    @Test("A connection that waits for its turn never gives way")
    func turn() {
        var handshakes = Self.handshakes([Self.one, Self.one])
        handshakes.awaitsTurn(0)
        #expect(Self.next(handshakes, at: 99) == 1)
        handshakes.awaitsTurn(1)
        #expect(Self.next(handshakes, at: 99) == nil)
        // Also after an answer.
        handshakes.hadTurn(0, hasAnswered: true, at: Self.at(1))
        handshakes.awaitsTurn(0)
        #expect(Self.next(handshakes, at: 99) == nil)
        handshakes.remove(0)
        handshakes.remove(1)
        #expect(handshakes.count == 0)
    }

    @Test("After a turn that has not completed its ClientHello it gives way again, behind the others")
    func partial() {
        var handshakes = Self.handshakes([Self.one, Self.one])
        handshakes.awaitsTurn(0)
        handshakes.awaitsTurn(0)
        handshakes.hadTurn(0, hasAnswered: false, at: Self.at(0))
        #expect(Self.next(handshakes) == 1)
        handshakes.remove(1)
        #expect(Self.next(handshakes) == 0)
    }

    @Test("One that was answered has a second for its client, from the first answer on")
    func patience() {
        var handshakes = Self.handshakes([Self.one])
        handshakes.awaitsTurn(0)
        handshakes.hadTurn(0, hasAnswered: true, at: Self.at(5))
        #expect(Self.next(handshakes, at: 5.9) == nil)
        #expect(Self.next(handshakes, at: 6) == 0)
        // Single bytes give no more time.
        handshakes.awaitsTurn(0)
        handshakes.hadTurn(0, hasAnswered: true, at: Self.at(5.9))
        #expect(Self.next(handshakes, at: 6) == 0)
    }

    @Test("A ClientHello that is not complete gives way before an answered handshake of any age")
    func answered() {
        var handshakes = Self.handshakes([Self.one, Self.other])
        handshakes.awaitsTurn(0)
        handshakes.hadTurn(0, hasAnswered: true, at: Self.at(0))
        #expect(Self.next(handshakes, at: 9) == 1)
    }

    @Test("Most places are answered handshakes: one that has had its second gives way before a ClientHello")
    func answeredFlood() {
        var handshakes = Self.handshakes([Self.one, Self.one, Self.other])
        for slot in [0, 1] {
            handshakes.awaitsTurn(slot)
            handshakes.hadTurn(slot, hasAnswered: true, at: Self.at(Double(slot) / 2))
        }
        #expect(Self.next(handshakes, at: 1) == 0)
        #expect(Self.next(handshakes, at: 0.9) == 2, "none has had its second")
        handshakes.remove(0)
        #expect(Self.next(handshakes, at: 9) == 2, "now there are as many ClientHellos")
    }

    @Test("Of answered handshakes the client with the most gives way, or the oldest if that client has time")
    func answeredClients() {
        var handshakes = Self.handshakes([Self.other, Self.one, Self.one])
        for slot in 0...2 {
            handshakes.awaitsTurn(slot)
            handshakes.hadTurn(slot, hasAnswered: true, at: Self.at(Double(slot)))
        }
        #expect(Self.next(handshakes, at: 2) == 1)
        #expect(Self.next(handshakes, at: 1) == 0)
    }

    @Test("While more than half wait for their turn, nobody gives way")
    func mostWaitForTurns() {
        var handshakes = Self.handshakes([Self.one, Self.one, Self.one, Self.other])
        for slot in [0, 1] { handshakes.awaitsTurn(slot) }
        // Of two clients with one such connection, the one that has had it for longer.
        #expect(Self.next(handshakes, at: 9) == 3)
        handshakes.awaitsTurn(2)
        #expect(Self.next(handshakes, at: 9) == nil)
    }

    @Test("A connection whose bytes were not read yet is passed over for the next one")
    func passedOver() {
        var handshakes = Self.handshakes([Self.one, Self.one])
        handshakes.hasSent(0)
        #expect(Self.next(handshakes) == 1)
        handshakes.hasSent(1)
        #expect(Self.next(handshakes) == 0)
    }

    @Test("A connection counts for the client that its proxy has told")
    func proxy() {
        var handshakes = Self.handshakes([Self.one, Self.one, Self.other])
        handshakes.clientKnown(1, Self.third)
        handshakes.insert(3, Self.third)
        #expect(Self.next(handshakes) == 1)
    }
}
