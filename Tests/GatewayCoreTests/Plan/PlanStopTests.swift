import EndpointPlans
import GatewayCore
import JSONBytes
import Networking
import NetworkingTesting
import RxTesting
import Testing

@Suite("Random plans that stop at a failure", .noLeaks)
struct PlanStopTests {
    /// SplitMix64, so that each run has the same plans.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// A plan with groups in groups, parts that read others, and upstreams that fail early or late.
    private struct RandomPlan {
        var random: Seeded
        var names: [String] = []
        var answers: [(path: String, answer: StubTransport.Answer)] = []

        mutating func parts(on bench: Bench, _ prefix: String = "", depth: Int = 0) -> [PlannedPart] {
            (0..<Int.random(in: 1...4, using: &random)).map { index in
                let name = "p\(index)"
                if depth < 2, Int.random(in: 0..<3, using: &random) == 0 {
                    return group(name, parts(on: bench, "\(prefix)\(name).", depth: depth + 1))
                }
                return call(name, prefix, on: bench)
            }
        }

        private mutating func call(_ name: String, _ prefix: String, on bench: Bench) -> PlannedPart {
            var path = "/\(prefix)\(name)"
            let delay = Duration.milliseconds(Int.random(in: 0..<5, using: &random) * 10)
            let status = [200, 200, 200, 404, 503].randomElement(using: &random) ?? 200
            var values = [path]
            if let read = names.randomElement(using: &random), Bool.random(using: &random) {
                values.append("\(path)/7")
                path += "/{parts.\(read).id}"
            }
            for value in values {
                answers.append(
                    (
                        value,
                        status == 200 ? .data(#"{"id":7}"#, after: delay) : .response(status, after: delay)
                    ))
            }
            let part = bench.part(name, path, policy())
            names.append(prefix + name)
            return part
        }

        private mutating func group(_ name: String, _ members: [PlannedPart]) -> PlannedPart {
            guard Bool.random(using: &random) else {
                return PlannedPart(name, .group(PlannedGroup(members)), policy())
            }
            let least = Int.random(in: 1...members.count, using: &random)
            let required = members.map { PlannedPart($0.name, $0.content, .required) }
            return PlannedPart(name, .group(PlannedGroup(required, atLeast: least)), policy())
        }

        private mutating func policy() -> PlannedPart.Policy {
            [.required, .required, .optional, .fallback([])].randomElement(using: &random) ?? .required
        }
    }

    private func reply(_ seed: UInt64, _ behavior: FailureBehavior) throws -> Reply {
        let bench = Bench()
        bench.gateway.defaults(.onFailure(behavior))
        var plan = RandomPlan(random: Seeded(state: seed << 32))
        try bench.page(plan.parts(on: bench))
        for (path, answer) in plan.answers { bench.upstream(path, answer) }
        let pending = try bench.ask(.get, "/page")
        // No chain of parts is longer.
        bench.time.advance(by: .seconds(2))
        return try pending.reply()
    }

    private func kinds(_ reply: Reply) throws -> [String: String] {
        let parts = try #require(reply.json()[member: "meta"]?[member: "parts"])
        return Dictionary(uniqueKeysWithValues: parts.members.map { ($0.name, $0.value.stringValue ?? "") })
    }

    @Test(
        "They succeed and fail as those that wait do, with the same data, and no part waits for a cancelled one"
    )
    func random() throws {
        var cancelled = 0
        for seed in 0..<UInt64(400) {
            let (stopped, waited) = try (reply(seed, .stop), reply(seed, .wait))
            #expect((stopped.status == 200) == (waited.status == 200), "seed \(seed)")
            if waited.status == 200 { #expect(stopped["/data"] == waited["/data"], "seed \(seed)") }
            let (kinds, all) = try (kinds(stopped), kinds(waited))
            for (name, kind) in kinds where kind != "cancelled" {
                #expect(kind == all[name], "\(name) of seed \(seed)")
            }
            #expect(kinds.count == all.count && !all.values.contains("cancelled"), "seed \(seed)")
            cancelled += kinds.values.count { $0 == "cancelled" }
        }
        #expect(cancelled > 100)
    }
}
