import EndpointPlans
import GatewayCore
import HTTPModel
import Locking
import Networking
import RxTesting
import Testing

@Suite("The memory for the bodies of planned calls", .noLeaks)
struct PlanMemoryTests {
    private static let note = String(repeating: "x", count: 20_000)

    enum Body: String, CaseIterable {
        case reference, text, array, object, nested

        var template: ValueTemplate<PlanReference> {
            switch self {
            case .reference: value("{body.note}")
            case .text: value("a {body.note}")
            case .array: .array([value("{body.note}")])
            case .object: .object([("note", value("{body.note}"))])
            case .nested: .array([.array([value("{body.note}")]), value("a")])
            }
        }
    }

    /// Answers a request whose part `/x` sends the client's note, which `hasRoom` admits. Returns the answer
    /// and the bench.
    private func answer(
        _ body: Body, note: String = note, hasRoom: @escaping @Sendable (Int) -> Bool
    ) throws -> (Reply, Bench) {
        let bench = Bench(hasRoom: hasRoom)
        try bench.page([
            bench.part("call", "/x") { call in
                call.method = .post
                call.body = body.template
            }
        ]) { endpoint in
            endpoint.method = .post
            endpoint.body = Schema()
        }
        bench.upstream("/x", .data("1"))
        let reply = try bench.answer(
            .post, "/page", fields: [.contentType: "application/json"], body: "{\"note\":\"\(note)\"}")
        return (reply, bench)
    }

    @Test("A large body for which there is no room is refused before it is made", arguments: Body.allCases)
    func refused(body: Body) throws {
        let asked = Lock<[Int]>([])
        let (reply, bench) = try answer(body) { bytes in
            asked.withLock { $0.append(bytes) }
            return false
        }
        #expect(reply.status == 503)
        #expect(["1", "2", "3"].contains(reply.fields[.retryAfter]))
        #expect(reply["/errors/0/reason"] == #""memory_limit""#)
        #expect(reply["/errors/0/message"] == #""too many large bodies are in memory""#)
        #expect(bench.targets.isEmpty)
        // Once, for the innermost value that would copy the note.
        #expect(asked.withLock { $0.count } == 1)
        #expect(asked.withLock { $0.allSatisfy { $0 > Self.note.count } })
    }

    @Test("A body that has room is sent, and a small one without a question", arguments: Body.allCases)
    func sent(body: Body) throws {
        let (reply, bench) = try answer(body) { _ in true }
        #expect(reply.status == 200)
        #expect(bench.targets == ["/x"])
        #expect(try answer(body, note: "short", hasRoom: { _ in false }).0.status == 200)
    }
}
