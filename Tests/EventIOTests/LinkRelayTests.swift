import Foundation
import TestSupport
import Testing

@Suite("A relay that behaves like a network link", .timeLimit(.minutes(1)))
struct LinkRelayTests {
    private static let megabit: Int64 = 1_000_000

    @Test("Bytes leave one after the other at the rate, and arrive after the delay")
    func model() {
        var link = LinkModel(delay: .milliseconds(10), rate: 8 * Self.megabit)
        #expect(link.arrival(of: 1000, at: 0) == 11_000_000)
        // The link is busy until 1 ms.
        #expect(link.arrival(of: 500, at: 400_000) == 11_500_000)
        // It is free again from 1.5 ms on.
        #expect(link.arrival(of: 1000, at: 5_000_000) == 16_000_000)
        #expect(link.arrival(of: 0, at: 5_500_000) == 16_000_000)
        #expect(link.capacity == 10_000)
    }

    @Test("A part of a nanosecond counts as a whole one, and large sizes do not overflow")
    func rounding() {
        let link = LinkModel(delay: .zero, rate: 3)
        #expect(link.nanoseconds(for: 1) == 2_666_666_667)
        #expect(
            LinkModel(delay: .zero, rate: 100 * Self.megabit).nanoseconds(for: 1 << 40) == 87_960_930_222_080)
    }

    /// Starts an upstream that answers, and a client of it behind a relay.
    private func with(
        roundTrip: Duration, rate: Int64, response: String,
        _ body: (RawClient, LinkRelay, ScriptedUpstream) throws -> Void
    ) throws {
        let upstream = try ScriptedUpstream([.answer { _ in response }])
        defer { upstream.stop() }
        let relay = try LinkRelay(to: upstream.port, roundTrip: roundTrip, rate: rate)
        defer { relay.stop() }
        try body(RawClient(port: Int(relay.port)), relay, upstream)
    }

    private static func response(_ count: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n" + String(repeating: "x", count: count)
    }

    /// The fastest of several requests, in nanoseconds: the others may have waited for the processor.
    private func fastest(of count: Int, _ client: RawClient) throws -> Int64 {
        var least = Int64.max
        for _ in 0..<count {
            let start = LinkRelay.now()
            #expect(client.get("/")?.status == 200)
            least = min(least, LinkRelay.now() - start)
        }
        return least
    }

    @Test("A small request and its response take the round trip, and hardly more")
    func roundTrip() throws {
        try with(roundTrip: .milliseconds(20), rate: 100 * Self.megabit, response: Self.response(2)) {
            client, _, _ in
            let time = try fastest(of: 5, client)
            #expect(time >= 20_000_000)
            #expect(time < 30_000_000 * Int64(Sanitizer.slowdown))
        }
    }

    @Test("A large response takes its size over the rate, and hardly more")
    func rate() throws {
        let response = Self.response(500_000)
        try with(roundTrip: .milliseconds(20), rate: 100 * Self.megabit, response: response) {
            client, relay, _ in
            let time = try fastest(of: 3, client)
            // 40 ms at 100 Mbit/s
            #expect(time >= 60_000_000)
            #expect(time < 80_000_000 * Int64(Sanitizer.slowdown))
            #expect(relay.bytes.toClient == 3 * response.utf8.count)
            #expect(relay.mostQueued <= relay.queueLimit)
        }
    }

    @Test("Connections share the rate of the link")
    func shared() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.response(100_000) }])
        defer { upstream.stop() }
        let relay = try LinkRelay(to: upstream.port, roundTrip: .milliseconds(2), rate: 20 * Self.megabit)
        defer { relay.stop() }
        let clients = try (0..<4).map { _ in try RawClient(port: Int(relay.port)) }
        let start = LinkRelay.now()
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n") }
        for client in clients { #expect(client.receive()?.body.count == 100_000) }
        // 400 000 bytes at 20 Mbit/s
        #expect(LinkRelay.now() - start >= 162_000_000)
    }

    @Test("The end of a stream passes after its bytes, and the other direction goes on")
    func halfClose() async throws {
        let done = Signal()
        let upstream = try ScriptedUpstream([.read(5), .send("first"), .finish, .read(6), .fire(done)])
        defer { upstream.stop() }
        let relay = try LinkRelay(to: upstream.port, roundTrip: .milliseconds(2), rate: Self.megabit)
        defer { relay.stop() }
        let client = try RawClient(port: Int(relay.port))
        client.send("hello")
        let (bytes, end) = client.readToEnd()
        #expect(String(decoding: bytes, as: UTF8.self) == "first")
        #expect(end == .fin)
        client.send("second")
        try await done.wait()
        #expect(upstream.requests == ["hello", "second"])
    }

    @Test("A reset passes to the other side")
    func reset() throws {
        let upstream = try ScriptedUpstream([.read(5), .reset])
        defer { upstream.stop() }
        let relay = try LinkRelay(to: upstream.port, roundTrip: .milliseconds(2), rate: Self.megabit)
        defer { relay.stop() }
        let client = try RawClient(port: Int(relay.port))
        client.send("hello")
        #expect(client.readToEnd().end == .reset)
    }

    @Test("A receiver that does not read stops the sender")
    func backpressure() throws {
        let end = Signal()
        let upstream = try ScriptedUpstream([.wait(end)])
        defer {
            end.fire()
            upstream.stop()
        }
        let relay = try LinkRelay(to: upstream.port, roundTrip: .zero, rate: 100_000 * Self.megabit)
        defer { relay.stop() }
        let client = try RawClient(port: Int(relay.port))
        let bytes = [UInt8](repeating: 0, count: 64 << 20)
        #expect(client.sendUntilBlocked(bytes, for: 200) < bytes.count)
        #expect(relay.mostQueued == relay.queueLimit)
    }
}
