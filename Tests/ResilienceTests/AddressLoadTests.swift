import Resilience
import Testing

@Suite("The load of an address")
struct AddressLoadTests {
    private func load(_ calls: Int, _ ramp: Double = 1) -> AddressLoad {
        AddressLoad(callsInFlight: calls, ramp: ramp)
    }

    @Test("Fewer calls in flight are less, and as many are not")
    func calls() {
        #expect(load(1).isLess(than: load(2), random: 0))
        #expect(!load(2).isLess(than: load(1), random: 0))
        #expect(!load(2).isLess(than: load(2), random: 0.99))
        #expect(!load(0).isLess(than: load(0), random: 0.99))
    }

    @Test("Calls of an address in its ramp count for more")
    func ramp() {
        #expect(!load(1, 0.1).isLess(than: load(9), random: 0))
        #expect(load(1, 0.1).isLess(than: load(11), random: 0))
        #expect(load(9).isLess(than: load(1, 0.1), random: 0))
        #expect(!load(11).isLess(than: load(1, 0.1), random: 0))
    }

    @Test("Without calls in flight, it is taken as often as its ramp says")
    func tie() {
        // Drawn first: it keeps its turn in a tenth of the cases.
        #expect(!load(0).isLess(than: load(0, 0.1), random: 0.09))
        #expect(load(0).isLess(than: load(0, 0.1), random: 0.1))
        // Drawn second: the first keeps its turn.
        #expect(!load(0, 0.1).isLess(than: load(0), random: 0))
        // Two in their ramps: the one with half as much keeps half of its turns.
        #expect(!load(0, 0.4).isLess(than: load(0, 0.2), random: 0.49))
        #expect(load(0, 0.4).isLess(than: load(0, 0.2), random: 0.5))
    }
}
