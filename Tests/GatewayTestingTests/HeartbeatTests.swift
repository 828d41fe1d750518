import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import Testing

@Suite("Heartbeats in virtual time", .timeLimit(.minutes(1)))
struct HeartbeatTests {
    @Test("Heartbeats come after exactly their time without an event, beyond the deadline, and start again")
    func exact() async throws {
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                gateway.get("/events") { _ in .events(Observable<Int>.interval(.seconds(20)).take(2)) }
                gateway.get("/hasty") { _ in
                    .events(Observable<Int>.timer(.milliseconds(3_500)), heartbeat: .seconds(1))
                }
                gateway.get("/lines") { _ in .lines(Observable<Int>.timer(.seconds(17))) }
            }
        ) { client in
            // The head is sent after a second. So the first heartbeat comes after 16 s.
            let events = try await client.get("/events")
            #expect(events.text == ":\n\ndata: 0\n\n:\n\ndata: 1\n\n")
            #expect(events.elapsed == .seconds(40))
            let hasty = try await client.get("/hasty")
            #expect(hasty.text == ":\n\n:\n\ndata: 0\n\n")
            let lines = try await client.get("/lines")
            #expect(lines.text == "\n0\n")
        }
    }

    @Test("A client that leaves between heartbeats ends the stream")
    func leaves() async throws {
        let isDisposed = Lock(false)
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                gateway.get("/events") { _ in
                    .events(
                        Observable<Int>.interval(.seconds(60))
                            .do(onDispose: { isDisposed.withLock { $0 = true } }))
                }
            }
        ) { client in
            let response = try await client.send(.get, "/events", leavingAfter: .seconds(40))
            #expect(response == nil)
        }
        #expect(isDisposed.withLock { $0 })
    }

    @Test("A stream that the test itself feeds has heartbeats while the test waits")
    func fed() async throws {
        let subject = PublishSubject<Int>()
        try await withGateway(
            .virtualTime, declare: { gateway in gateway.get("/events") { _ in .events(subject) } }
        ) { client in
            let response = try await client.stream(.get, "/events")
            var pieces = response.pieces
            try await client.wait(.seconds(40))
            subject.onNext(7)
            var text = ""
            while !text.contains("7"), let piece = try await pieces.next() {
                text += String(decoding: piece, as: UTF8.self)
            }
            #expect(text == ":\n\n:\n\ndata: 7\n\n")
            response.leave()
        }
    }
}
