import JSONBytes
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@testable import EventIO

/// Large responses are read on other threads, small ones on the loop.
@Suite("Large responses", .timeLimit(.minutes(1)))
struct LargeResponseTests {
    private struct Wrapped: TargetType {
        let baseURL: String
        var path: RequestPath = "/answer"
        var envelope: ResponseEnvelope { .genericResponse }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let description: String
        var status = "200 OK"
        /// Before and after the padding, which makes the body large.
        let first: String
        let last: String
        var isWrapped = false
        var pointer = ""
        var kind: JSONFragment.Kind?
        let outcome: String

        var testDescription: String { description }
    }

    static let cases = [
        Case(
            description: "a value at a place", first: #"{"a":""#, last: #"","b":[7]}"#, pointer: "/b/0",
            outcome: "7"),
        Case(
            description: "a missing value", first: #"{"a":""#, last: #""}"#, pointer: "/b",
            outcome: "missing_data the data has nothing at /b"),
        Case(
            description: "a value of another kind", first: #"{"b":7,"a":""#, last: #""}"#, pointer: "/b",
            kind: .object, outcome: "decode_error the data has an unexpected JSON type"),
        Case(
            description: "data in an envelope", first: #"{"status":200,"message":""#, last: #"","data":[7]}"#,
            isWrapped: true, outcome: "[7]"),
        Case(
            description: "a failure in an envelope", first: #"{"status":503,"data":""#,
            last: #"","message":"full"}"#, isWrapped: true,
            outcome: "upstream_status the upstream reported a failure in its envelope full"),
        Case(
            description: "an envelope without data", first: #"{"status":200,"message":""#, last: #""}"#,
            isWrapped: true, outcome: "missing_data the response has no data"),
        Case(
            description: "no envelope", first: #"{"message":""#, last: #""}"#, isWrapped: true,
            outcome: "decode_error the body is not a GenericResponse: its status is missing or not an integer"
        ),
        Case(
            description: "a failing status", status: "404 Not Found", first: #"{"status":404,"data":""#,
            last: #"","message":"gone"}"#, isWrapped: true,
            outcome: "upstream_status the upstream answered with status 404 gone"),
        Case(
            description: "text that is not JSON", first: #"{"a":""#, last: #"\u{1}"}"#,
            outcome: "decode_error the body is not JSON"),
    ]

    @Test("The outcome does not depend on the size, and arrives on the loop", arguments: cases)
    func outcome(_ example: Case) async throws {
        for padding in [0, LargeBody.smallest + 1] {
            let body = example.first + String(repeating: "x", count: padding) + example.last
            let upstream = try ScriptedUpstream([
                .readRequest,
                .send("HTTP/1.1 \(example.status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"),
                .again,
            ])
            defer { upstream.stop() }
            let session = try Session.patient()
            defer { session.close() }
            let (found, isOnLoop) = await outcome(example, "http://127.0.0.1:\(upstream.port)", session)
            #expect(found.hasPrefix(example.outcome))
            #expect(isOnLoop)
        }
    }

    private func outcome(
        _ example: Case, _ url: String, _ session: Session
    ) async -> (text: String, isOnLoop: Bool) {
        let call =
            example.isWrapped
            ? Provider<Wrapped>(session: session, policy: .patient).rx.request(Wrapped(baseURL: url))
            : Provider<Anything>(session: session, policy: .patient).rx.request(Anything(baseURL: url))
        guard let pointer = try? JSONPointer(example.pointer) else { return ("no pointer", false) }
        return await withCheckedContinuation { continuation in
            _ = call.fragment(at: pointer, as: example.kind).subscribe(
                onSuccess: { continuation.resume(returning: ($0.description, EventLoop.current != nil)) },
                onFailure: { error in
                    guard let error = error as? NetworkError else {
                        return continuation.resume(returning: ("\(error)", false))
                    }
                    let text = "\(error.reason.token) \(error.message) \(error.upstreamMessage ?? "")"
                    continuation.resume(returning: (text, EventLoop.current != nil))
                })
        }
    }

    @Test("A large response that waits to be read is dropped when nobody wants it any more")
    func dropped() async throws {
        let body = "[\"\(String(repeating: "x", count: LargeBody.smallest))\"]"
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"),
            .again,
        ])
        defer { upstream.stop() }
        let session = try Session.patient()
        defer { session.close() }
        // The threads are busy, so that the response waits.
        let (gate, isBusy) = (Signal(), Signal())
        for _ in 0..<WorkThreads.threads {
            let isAccepted = WorkThreads.submit(.responses) {
                isBusy.fire()
                try? gate.waitBlocking()
            }
            #expect(isAccepted)
        }
        try await isBusy.wait(count: WorkThreads.threads)
        let outcomes = EventLog()
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        let call = Provider<Anything>(session: session, policy: .patient).rx.request(target).fragment()
            .subscribe(
                onSuccess: { _ in outcomes.add("success") }, onFailure: { _ in outcomes.add("failure") })
        try spin(while: session.report.idle == 0) { "\(session.report)" }
        call.dispose()
        for _ in 0..<WorkThreads.threads { gate.fire() }
        // A second call comes after it.
        let again = try await Provider<Anything>(session: session, policy: .patient).rx.request(target)
            .fragment().value
        #expect(again.kind == .array)
        #expect(outcomes.events.isEmpty)
    }
}
