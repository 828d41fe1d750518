import EventIO
import TestSupport
import Testing

@Suite("Failing TLS handshakes and hostile peers", .timeLimit(.minutes(1)))
struct TLSHostileTests {
    @Test(
        "Bytes that are not TLS fail the handshake with a protocol error",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
            String(repeating: "\u{16}", count: 70_000),
        ])
    func garbage(text: String) async throws {
        let server = try ScriptedUpstream([.send(text), .awaitEnd])
        try await withLoop { loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            let error = try await driven.failure()
            #expect(error?.tls?.kind == .protocolError, "\(String(describing: error))")
            #expect(error?.operation == .handshake)
            #expect(await timerCount(of: loop) ?? 2 <= 1)
        }
        server.stop()
    }

    @Test("An alert is reported by its name")
    func alert() async throws {
        // A record with the fatal alert handshake_failure.
        let server = try ScriptedUpstream([.read(100), .sendBytes([21, 3, 3, 0, 2, 2, 40]), .awaitEnd])
        try await withLoop { loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            let error = try await driven.failure()
            #expect(error?.tls?.kind == .alertReceived, "\(String(describing: error))")
            #expect(error?.tls?.reason == "handshake_failure")
            #expect(error?.tls?.code == 40)
        }
        server.stop()
    }

    @Test("A silent server fails the handshake at the deadline, and not before")
    func silence() async throws {
        let server = try ScriptedUpstream([.awaitEnd])
        try await withLoop { loop in
            let before = MonotonicTime.clock()
            let driven = try await StreamDriver.securing(server, timeout: .milliseconds(120), loop: loop)
            let error = try await driven.failure()
            #expect(error?.kind == .connectTimedOut && error?.operation == .handshake)
            #expect(MonotonicTime.clock() - before >= .milliseconds(120))
            try await server.clientEnded.wait()
        }
        server.stop()
    }

    @Test("A server that trickles its handshake does not extend the deadline")
    func trickle() async throws {
        let server = try ScriptedUpstream([
            .read(100), .sendBytes([22, 3, 3, 63, 255]), .sendForever("\u{0}"),
        ])
        let slow = try ScriptedUpstream([
            .read(100), .trickle("\u{16}\u{3}\u{3}\u{3f}", pauseMilliseconds: 5),
        ])
        try await withLoop { loop in
            let flood = try await StreamDriver.securing(server, loop: loop)
            #expect(try await flood.failure()?.tls?.kind == .protocolError)
            let driven = try await StreamDriver.securing(slow, timeout: .milliseconds(120), loop: loop)
            let error = try await driven.failure()
            #expect(
                error?.kind == .connectTimedOut || error?.tls?.kind == .protocolError,
                "\(String(describing: error))")
        }
        server.stop()
        slow.stop()
    }

    @Test("A FIN or RST during the handshake fails the handshake", arguments: [true, false])
    func ends(byReset: Bool) async throws {
        let server = try ScriptedUpstream([.read(100), byReset ? .reset : .cut])
        try await withLoop { loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            let error = try await driven.failure()
            if byReset {
                #expect(error?.isReset == true)
            } else if error?.isReset != true {
                #expect(error?.tls?.kind == .truncated)
                #expect(error?.tls?.reason == "the connection ended during the handshake")
            }
        }
        server.stop()
    }

    @Test("Closing during the handshake reports nothing and leaves no timer")
    func closing() async throws {
        let server = try ScriptedUpstream([.awaitEnd])
        try await withLoop { loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            try await server.accepted.wait()
            try await driven.on { $0.close() }
            #expect(try await driven.eventsUntilNow() == [])
            #expect(await timerCount(of: loop) == 0)
            try await server.clientEnded.wait()
        }
        server.stop()
    }

    @Test("A TLS 1.2 server is accepted, unless the minimum is 1.3", arguments: [false, true])
    func versions(wants13: Bool) async throws {
        var options = TLSServer.Options()
        options.isOnly12 = true
        try await withServer(options, .awaitEnd) { server, loop in
            var configuration = TLSConfiguration.trusting()
            if wants13 { configuration.minimumVersion = .tls13 }
            let driven = try await StreamDriver.securing(server, by: TLSContext(configuration), loop: loop)
            if wants13 {
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .alertReceived, "\(String(describing: error))")
                #expect(error?.tls?.reason == "protocol_version")
            } else {
                #expect(try await driven.next() == .connected)
                try await driven.on { $0.close() }
                try await server.clientEnded.wait()
                #expect(server.handshakes.map(\.version) == ["TLSv1.2"])
            }
        }
    }

    @Test(
        "A TLS 1.2 renegotiation is refused, and the connection goes on"
    )
    func renegotiation() async throws {
        var options = TLSServer.Options()
        options.isOnly12 = true
        try await withServer(options, .send("before"), .renegotiate, .send("after"), .close) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("beforeafter"))
            #expect(event == .reachedEnd)
            try await driven.on { $0.close() }
            #expect(server.handshakes.count == 1)
        }
    }

    @Test(
        "The selected ALPN protocol is reported, and a protocol that was not offered is an error",
        arguments: ["http/1.1", "h2"])
    func applicationProtocols(chosen: String) async throws {
        var options = TLSServer.Options()
        options.applicationProtocol = chosen
        try await withServer(options, .awaitEnd) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            if chosen == "h2" {
                #expect(try await driven.failure()?.tls?.kind == .protocolError)
            } else {
                #expect(try await driven.next() == .connected)
                #expect(try await driven.on { $0.applicationProtocol } == "http/1.1")
                try await driven.on { $0.close() }
            }
        }
    }

    @Test("An unencrypted record after the handshake fails the connection")
    func badRecord() async throws {
        // An application record that was never encrypted.
        let server = try ScriptedUpstream(
            tls: TLSServer(), [.plain([23, 3, 3, 0, 20] + [UInt8](repeating: 7, count: 20)), .awaitEnd])
        try await withLoop { loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            let error = try await driven.failure()
            #expect(error?.tls?.kind == .protocolError, "\(String(describing: error))")
            #expect(error?.operation == .read)
        }
        server.stop()
    }

    @Test("A peer that floods the client with key updates cannot make the output queue grow without bound")
    func keyUpdateFlood() async throws {
        let never = Signal()
        try await withServer(.init(), .updateKeys(50_000), .send("x"), .wait(never)) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            // The client either fails the connection or answers with a bounded queue.
            let event = try await driven.next()
            if case .failed(let error) = event {
                #expect(error.tls?.kind == .protocolError)
            } else {
                #expect(event == .received(utf8("x")))
                #expect(try await driven.on { $0.queuedByteCount } < 128 << 10)
            }
            try await driven.on { $0.close() }
        }
        never.fire()
    }

    @Test("An end requested while connecting is sent after the handshake")
    func endWhileConnecting() async throws {
        let ended = Signal()
        try await withServer(.init(), .awaitGoodbye(ended)) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop) { $0.shutdownWrite() }
            #expect(try await driven.next() == .connected)
            try await ended.wait()
            try await driven.on { $0.close() }
        }
    }
}
