import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import TestWaiting
import Testing

/// Requests of two users, A and B, whose endpoints share something made outside of the requests: `/a` has 300
/// ms, `/b` 5 s.
///
/// `/recent` answers after a second, so that A's deadline passes meanwhile; `/total` answers at once.
final class TwoUsers: Sendable {
    let bench: Bench

    init(_ bench: Bench = Bench()) {
        self.bench = bench
        bench.upstream("/recent", .data("1", after: .seconds(1)))
        bench.upstream("/total", .data("2"))
    }

    var gateway: Gateway { bench.gateway }
    var diary: Provider<DiaryAPI> { bench.diary }

    static let deadlines: [(path: String, deadline: Duration)] = [
        ("/a", .milliseconds(300)), ("/b", .seconds(5)),
    ]

    /// From now on the endpoints forward the client's `Authorization`.
    func forward() { gateway.defaults(.forwardsAuthorization(to: "diary")) }

    func ask(_ user: String, _ fields: HTTPFields = [:]) throws -> Pending {
        var fields = fields
        fields.append(.authorization, "Bearer \(user)")
        fields.append(.xRequestID, user)
        return try bench.ask(.get, "/\(user)", fields: fields)
    }

    /// What calls carry: path, request ID and credentials.
    var calls: [String] {
        bench.transport.attempts.map { attempt in
            let (path, fields) = (
                attempt.call.path.split(separator: "/").last ?? "", attempt.call.contextFields
            )
            let carried = [fields[.xRequestID], fields[.authorization]].compactMap { $0 }
            #expect(fields.contains(.traceParent) == fields.contains(.xRequestID))
            return ([String(path)] + carried).joined(separator: " ")
        }
    }

    /// Waits until `count` calls have been sent.
    func wait(calls count: Int) async throws {
        try await poll(while: self.calls.count < count) { "\(self.calls)" }
    }

    /// Waits until `count` faults have been reported.
    func wait(incidents count: Int) async throws {
        try await poll(while: self.runDue { self.bench.incidents.count < count }) {
            "\(self.bench.incidents)"
        }
    }

    /// Runs what is due now, such as the report of a refused call, and then checks the condition.
    func runDue(_ condition: () -> Bool) -> Bool {
        bench.time.advance(by: .zero)
        return condition()
    }

    func reply(_ pending: Pending) async throws -> Reply {
        try await poll(while: self.runDue { pending.count == 0 }) { "no answer" }
        return try pending.reply()
    }

    /// Asks as A and then as B, and expects that A's deadline ends A's request only.
    func expectDeadlineOfAOnly(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let first = try ask("a")
        try await wait(calls: 1)
        let second = try ask("b")
        bench.time.advance(by: .milliseconds(300))
        #expect(try await reply(first).status == 504, sourceLocation: sourceLocation)
        bench.time.advance(by: .milliseconds(700))
        let reply = try await reply(second)
        #expect(reply.status == 200, "\(reply.body)", sourceLocation: sourceLocation)
        #expect(calls == ["recent"], sourceLocation: sourceLocation)
        #expect(bench.incidents.isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects a single report, of a fault of this endpoint, that says what to do.
    func expectFault(of endpoint: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(bench.incidents.count == 1, sourceLocation: sourceLocation)
        let text = bench.incidents.first?.description ?? ""
        #expect(text.contains(endpoint), "\(text)", sourceLocation: sourceLocation)
        #expect(text.contains("CallContext.detached"), "\(text)", sourceLocation: sourceLocation)
    }
}
