import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Connecting", .timeLimit(.minutes(1)))
struct ConnectTests {
    /// A listener with a full queue, which drops further SYNs. Keep the result until the test ends.
    static func blackHole() throws -> (address: SocketAddress, held: [RawSocket]) {
        let (listening, address) = RawSocket.listening(backlog: 0)
        var held = [listening, try RawSocket(connectedTo: address)]
        // Connect until one attempt gets no answer.
        repeat {
            held.append(RawSocket.beginConnecting(to: address))
        } while held[held.count - 1].becomesConnected
        return (address, held)
    }

    private static func failure(_ driven: StreamDriver) async throws -> SocketError? {
        guard case .failed(let error) = try await driven.next() else { return nil }
        return error
    }

    @Test("Connecting to a closed port is refused, and the error names the address")
    func refused() async throws {
        try await withLoop { loop in
            let (closed, address) = RawSocket.bound()
            defer { closed.close() }
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
            }
            let error = try await Self.failure(driven)
            #expect(error?.operation == .connect && error?.code == ECONNREFUSED)
            #expect(error?.description == "connect \(address): Connection refused")
        }
    }

    @Test("Connecting to a silent address fails at the time limit, and not before")
    func blackHoleTimesOut() async throws {
        try await withLoop { loop in
            let (address, held) = try Self.blackHole()
            let before = MonotonicTime.clock()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: address, loop: loop, timeout: .milliseconds(120), handler: $0)
            }
            let error = try await Self.failure(driven)
            #expect(error?.kind == .connectTimedOut)
            #expect(MonotonicTime.clock() - before >= .milliseconds(120))
            for socket in held { socket.close() }
            #expect(await timerCount(of: loop) == 0)
        }
    }

    @Test(
        "Bytes or an end that arrive before the loop notices the connection are reported",
        arguments: [true, false])
    func peerThatSpeaksFirst(leaves: Bool) async throws {
        try await withLoop { loop in
            let (listening, address) = RawSocket.listening()
            let peer = LockBox(Lock<RawSocket?>(nil))
            // All of it happens before the loop polls, so one event reports it.
            let driven = try await StreamDriver.connecting(loop: loop) {
                let stream = SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
                let accepted = listening.accept()
                accepted.send(utf8("first"))
                if leaves { accepted.close() } else { peer.lock.withLock { $0 = accepted } }
                return stream
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.bytes(5) == utf8("first"))
            if leaves { #expect(try await driven.next() == .reachedEnd) }
            try await driven.on { $0.close() }
            peer.lock.withLock { $0 }?.close()
            listening.close()
        }
    }

    @Test(
        "The next address is tried at once after a refusal, and after a delay if the previous one is silent"
    )
    func allAddressesAreTried() async throws {
        try await withLoop { loop in
            let (bound, closed) = RawSocket.bound()
            let (silent, held) = try Self.blackHole()
            let (listening, open) = RawSocket.listening()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    to: [closed, silent, open], loop: loop, timeout: .seconds(2), handler: $0)
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.on { $0.remoteAddress } == open)
            let peer = listening.accept()
            peer.send(utf8("hello"))
            #expect(try await driven.bytes(5) == utf8("hello"))
            try await driven.on { $0.close() }
            for socket in held + [bound, peer, listening] { socket.close() }
        }
    }

    @Test("When every address fails, the last failure is reported once")
    func everyAddressFails() async throws {
        try await withLoop { loop in
            let (bound, first) = RawSocket.bound()
            let (alsoBound, second) = RawSocket.bound()
            defer { for socket in [bound, alsoBound] { socket.close() } }
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    to: [first, second], loop: loop, timeout: patience, handler: $0)
            }
            let error = try await Self.failure(driven)
            #expect(error?.operation == .connect && error?.code == ECONNREFUSED)
            #expect(error?.subject == second.description)
            #expect(try await driven.eventsUntilNow() == [])
        }
    }

    @Test("Bytes and an end written while connecting are sent once connected")
    func writingWhileConnecting() async throws {
        try await withLoop { loop in
            let (listening, address) = RawSocket.listening()
            let driven = try await StreamDriver.connecting(loop: loop) { handler in
                let stream = SocketStream.connect(
                    to: address, loop: loop, timeout: patience, handler: handler)
                stream.write(utf8("early ")[...])
                stream.write([utf8("bird")[...]])
                stream.shutdownWrite()
                return stream
            }
            #expect(try await driven.next() == .connected)
            let peer = listening.accept()
            #expect(try peer.receiveAll() == utf8("early bird"))
            peer.close()
            listening.close()
        }
    }

    @Test("Closing while connecting reports nothing and leaves no timer")
    func closeWhileConnecting() async throws {
        try await withLoop { loop in
            let (address, held) = try Self.blackHole()
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
            }
            try await driven.on { $0.close() }
            #expect(await timerCount(of: loop) == 0)
            let told = try await driven.eventsUntilNow()
            #expect(told == [])
            for socket in held { socket.close() }
        }
    }

    @Test("Connecting fails on a missing Unix path, and succeeds on a path with a listener")
    func unixSockets() async throws {
        try await withLoop { loop in
            let scratch = ScratchFolder()
            let path = scratch.file("socket")
            let address = try SocketAddress(unixPath: path)
            let missing = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
            }
            #expect(try await Self.failure(missing)?.code == ENOENT)
            let listener = try Listener(bind: address)
            try await loop.perform {
                listener.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
            }
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
            }
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.write(utf8("unix")[...]) }
            #expect(try await driven.bytes(4) == utf8("unix"))
            try await driven.on { $0.close() }
            try await loop.perform { listener.close() }
            #expect(access(path, F_OK) == -1, "closing removes the path")
        }
    }
}
