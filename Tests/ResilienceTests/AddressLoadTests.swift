import Resilience
import Testing

@Suite("The load of an address")
struct AddressLoadTests {
    private func load(_ calls: Int, _ ramp: Double = 1) -> AddressLoad {
        AddressLoad(callsInFlight: calls, ramp: ramp)
    }

    @Test("Fewer calls in flight are preferred, and as many are not")
    func calls() {
        #expect(load(1).isPreferred(to: load(2), random: 0))
        #expect(!load(2).isPreferred(to: load(1), random: 0))
        #expect(!load(2).isPreferred(to: load(2), random: 0.99))
        #expect(!load(0).isPreferred(to: load(0), random: 0.99))
    }

    @Test("An address in its ramp takes part only as often as its ramp says, however little it has to do")
    func ramp() {
        #expect(load(100).isPreferred(to: load(0, 0.1), random: 0.1))
        #expect(!load(100).isPreferred(to: load(0, 0.1), random: 0.09))
        #expect(!load(0, 0.1).isPreferred(to: load(100), random: 0.1))
        #expect(load(0, 0.1).isPreferred(to: load(100), random: 0.09))
    }

    @Test("If it takes part, the calls in flight decide")
    func both() {
        #expect(!load(1, 0.1).isPreferred(to: load(0), random: 0))
        #expect(!load(0, 0.1).isPreferred(to: load(0), random: 0))
        #expect(load(0).isPreferred(to: load(1, 0.1), random: 0))
    }

    @Test("Of two in their ramps the ratio counts")
    func ratio() {
        #expect(load(0, 0.4).isPreferred(to: load(0, 0.2), random: 0.5))
        #expect(!load(0, 0.4).isPreferred(to: load(0, 0.2), random: 0.49))
    }
}
