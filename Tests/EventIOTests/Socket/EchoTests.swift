import EventIO
import TestSupport
import Testing

@Suite("Echo over TCP", .timeLimit(.minutes(1)))
struct EchoTests {
    @Test("An echo server returns all bytes, and then the end")
    func whatAClientWritesComesBack() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let events = try await loop.perform {
                listener.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
                let recorder = Recorder()
                let client = SocketStream.connect(
                    to: listener.address, loop: loop, timeout: patience, handler: recorder)
                recorder.onEvent = { event in
                    if event == .connected {
                        client.write([Array("hel".utf8)[...], Array("lo".utf8)[...]])
                        client.shutdownWrite()
                    }
                    if event == .reachedEnd { client.close() }
                }
                return recorder.events
            }
            var received: [UInt8] = []
            var order: [StreamEvent] = []
            while order.last != .reachedEnd {
                let event = try await events.next()
                if case .received(let bytes) = event { received += bytes } else { order.append(event) }
            }
            #expect(String(decoding: received, as: UTF8.self) == "hello")
            #expect(order == [.connected, .reachedEnd])
        }
    }
}
