import EventIO
import Networking
import Resilience
import Testing

@testable import NetworkingSession

@Suite("What all loops know of an upstream's addresses")
struct ClusterTests {
    private static let now = MonotonicTime.clock()

    private func record(_ text: String) -> AddressRecord { AddressRecord(text, addedAt: nil) }

    private func addresses(_ change: (inout UpstreamPolicy) -> Void = { _ in }) -> UpstreamAddresses {
        var policy = UpstreamPolicy()
        change(&policy)
        return UpstreamAddresses(of: "diary", policy) { _, _, _ in }
    }

    private func fail(_ addresses: UpstreamAddresses, _ record: AddressRecord) {
        for _ in 0..<5 { addresses.attemptFailed(record, at: Self.now) }
    }

    @Test("A single address is never ejected, and of several one always may be")
    func single() {
        let all = addresses { $0.ejection?.maxShare = 0.01 }
        let members = ["a", "b", "c"].map(record)
        all.use([members[0]], spares: [], isFinal: true)
        fail(all, members[0])
        #expect(all.states(at: Self.now) == ["a": .inService])
        all.use(members, spares: [], isFinal: true)
        for member in members { fail(all, member) }
        #expect(all.states(at: Self.now).values.count { $0 == .ejected } == 1)
    }

    @Test("Attempts and checks of an earlier policy put no address out of service", arguments: [true, false])
    func replaced(hasEjection: Bool) {
        var policy = UpstreamPolicy()
        policy.health = HealthCheckPolicy(path: "/health")
        let all = addresses { $0 = policy }
        let members = ["a", "b"].map(record)
        all.use(members, spares: [], isFinal: true)
        fail(all, members[0])
        for _ in 0..<3 { all.checkEnded(members[1], passed: false, at: Self.now) }
        #expect(all.states(at: Self.now) == ["a": .ejected, "b": .unhealthy])
        if hasEjection { policy.health = nil } else { policy.ejection = nil }
        all.end(by: policy, at: Self.now)
        let states: [String: AddressState] =
            hasEjection ? ["a": .ejected, "b": .inService] : ["a": .inService, "b": .unhealthy]
        #expect(all.states(at: Self.now) == states)
        fail(all, members[0])
        for _ in 0..<3 { all.checkEnded(members[1], passed: false, at: Self.now) }
        #expect(all.states(at: Self.now) == states)
    }

    @Test("With spares in service all members may be ejected, without them half")
    func spares() {
        let all = addresses()
        let (members, spares) = (["a", "b"].map(record), ["c"].map(record))
        all.use(members, spares: spares, isFinal: true)
        for member in members { fail(all, member) }
        #expect(all.states(at: Self.now) == ["a": .ejected, "b": .ejected, "c": .inService])
        let others = ["d", "e"].map(record)
        let failed = record("f")
        all.use(others, spares: [failed], isFinal: true)
        fail(all, failed)
        for other in others { fail(all, other) }
        #expect(all.states(at: Self.now) == ["d": .ejected, "e": .inService, "f": .ejected])
    }

    @Test("A loop that does not know yet which addresses are spares changes nothing")
    func unfinished() {
        let all = addresses()
        let members = ["a", "b"].map(record)
        all.use(members, spares: [], isFinal: true)
        all.use([record("name")], spares: [], isFinal: false)
        fail(all, members[0])
        #expect(all.states(at: Self.now) == ["a": .ejected, "b": .inService])
    }

    @Test("The record of an address that is out of service outlives its users, that of another one does not")
    func records() {
        let records = AddressRecords()
        let all = addresses()
        let (failing, sound) = (
            records.retain("failing", "a", addedAt: nil), records.retain("sound", "b", addedAt: nil)
        )
        #expect(records.retain("sound", "b", addedAt: nil) === sound)
        all.use([failing, sound], spares: [], isFinal: true)
        fail(all, failing)
        records.release("failing")
        records.release("sound")
        #expect(records.count == 2)
        records.release("sound")
        #expect(records.count == 1)
        #expect(records.retain("failing", "a", addedAt: nil) === failing)
    }

    @Test("Records without users do not pile up")
    func bound() {
        let records = AddressRecords()
        let all = addresses { $0.health = HealthCheckPolicy(path: "/") }
        for number in 0..<1000 {
            let record = records.retain("\(number)", "a", addedAt: nil)
            for _ in 0..<3 { all.checkEnded(record, passed: false, at: Self.now) }
            records.release("\(number)")
        }
        #expect(records.count <= 64)
    }
}
