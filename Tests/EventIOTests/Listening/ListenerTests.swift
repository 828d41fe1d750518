import Dispatch
import FoundationEssentials
import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Listeners", .timeLimit(.minutes(1)))
struct ListenerTests {
    /// The listeners of accepted connections. A test can wait for a number of them.
    private final class Accepted: Sendable {
        private let listeners = Inbox<Int32>()

        /// Echoes on the connection and reports its listener's number. Called on the loop.
        func take(_ stream: SocketStream, from listener: Int32 = 0) {
            stream.start(handler: Echo(stream))
            listeners.put(listener)
        }

        func wait(for count: Int, file: String = #fileID, line: Int = #line) async throws -> [Int32] {
            try await listeners.next(count, file: file, line: line)
        }
    }

    @Test("A port that already has a listener is refused, even if that listener allows sharing")
    func takenPortIsRefused() throws {
        for reusePort in [false, true] {
            let (other, address) = RawSocket.listening(reusePort: reusePort)
            let error = #expect(throws: SocketError.self) { try Listener(bind: address) }
            #expect(error?.isAddressInUse == true)
            #expect(error?.description.contains("\(address)") == true)
            other.close()
            _ = try Listener(bind: address)
        }
        let group = try Listener.group(bind: .loopback(), count: 2)
        #expect(throws: SocketError.self) { try Listener.group(bind: group[0].address, count: 2) }
    }

    @Test("Of two listeners that bind a port at the same time, at most one succeeds")
    func oneOfTwoGetsThePort() throws {
        var winners = 0
        for round in 0..<200 {
            // Finds a free port.
            let (other, address) = RawSocket.listening()
            other.close()
            let listeners = Lock<[Listener]>([])
            let errors = Lock<[SocketError]>([])
            let ready = Lock(0)
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                // Both start at the same moment, given two processors.
                ready.withLock { $0 += 1 }
                var patience = 10_000
                while patience > 0, ready.withLock({ $0 }) < 2 { patience -= 1 }
                do throws(SocketError) {
                    let listener = try Listener(bind: address)
                    listeners.withLock { $0.append(listener) }
                } catch {
                    errors.withLock { $0.append(error) }
                }
            }
            let count = listeners.withLock { $0.count }
            try #require(count <= 1, "round \(round)")
            #expect(errors.withLock { $0.allSatisfy(\.isAddressInUse) })
            winners += count
        }
        // Linux may refuse both if they listen at the same instant.
        #expect(winners > 100)
    }

    @Test("A group shares one port, and each listener gets connections")
    func groupShares() async throws {
        try await withLoop { loop in
            let listeners = try Listener.group(bind: .loopback(), count: 2)
            #expect(Set(listeners.map(\.address)).count == 1)
            #expect(listeners[0].address.port != 0)
            let accepted = Accepted()
            try await loop.perform {
                for (number, listener) in listeners.enumerated() {
                    listener.start(loop: loop) { accepted.take($0, from: Int32(number)) }
                }
            }
            var peers: [RawSocket] = []
            for _ in 0..<64 { peers.append(try RawSocket(connectedTo: listeners[0].address)) }
            #expect(Set(try await accepted.wait(for: 64)) == [0, 1])
            for peer in peers { peer.close() }
        }
    }

    @Test("Accepted sockets are non-blocking and close-on-exec, with Nagle's algorithm off")
    func acceptedSocketOptions() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let options = Inbox<[Int32]>()
            try await loop.perform {
                listener.start(loop: loop) { stream in
                    // The stream does not expose its descriptor, so find it by the addresses of its ends.
                    let found = openSocket(from: listener.address, to: stream.remoteAddress)
                    options.put([
                        RawSocket(found).option(TCP_NODELAY, level: Int32(IPPROTO_TCP)),
                        fcntl(found, F_GETFL) & O_NONBLOCK, fcntl(found, F_GETFD) & FD_CLOEXEC,
                    ])
                    stream.close()
                }
            }
            let peer = try RawSocket(connectedTo: listener.address)
            #expect(try await options.next() == [1, O_NONBLOCK, FD_CLOEXEC])
            peer.close()
        }
    }

    @Test("A wake accepts 64 connections, but 8 after a wake of more than 5 ms")
    func batches() async throws {
        #expect(Listener.batch(afterWakeOf: .milliseconds(5)) == 64)
        #expect(Listener.batch(afterWakeOf: .microseconds(5001)) == 8)
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let wakes = Inbox<Int64>()
            // All are in the kernel's queue before the loop polls.
            let peers = try (0..<100).map { _ in try RawSocket(connectedTo: listener.address) }
            try await loop.perform {
                var isFirst = true
                listener.start(loop: loop) { stream in
                    stream.start(handler: Echo(stream))
                    wakes.put(loop.wakeCount)
                    guard isFirst else { return }
                    isFirst = false
                    let end = MonotonicTime.clock() + .milliseconds(6)
                    while MonotonicTime.clock() < end {}
                }
            }
            var counts: [Int] = []
            var last: Int64?
            for wake in try await wakes.next(peers.count) {
                if wake == last { counts[counts.count - 1] += 1 } else { counts.append(1) }
                last = wake
            }
            #expect(counts[..<2] == [64, 8])
            #expect(counts[2..<(counts.count - 1)].allSatisfy { $0 == 64 || $0 == 8 })
            for peer in peers { peer.close() }
        }
    }

    @Test("A listener asks before each connection, pauses if it may not accept it, and can be resumed")
    func asksFirst() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let accepted = Accepted()
            let peers = try (0..<3).map { _ in try RawSocket(connectedTo: listener.address) }
            let questions = Lock(0)
            try await loop.perform {
                listener.mayAccept = {
                    questions.withLock { count in
                        count += 1
                        return count != 3
                    }
                }
                listener.start(loop: loop) { accepted.take($0) }
            }
            _ = try await accepted.wait(for: 2)
            // Further wakes do not ask again.
            for _ in 0..<10 { try await loop.perform {} }
            #expect(questions.withLock { $0 } == 3)
            try await loop.perform { listener.resume() }
            _ = try await accepted.wait(for: 1)
            for peer in peers {
                peer.send(utf8("served"))
                #expect(try peer.receive(exactly: 6) == utf8("served"))
                peer.close()
            }
        }
    }

    @Test("drainBacklogAndClose serves the whole queue, then closes the port")
    func drainBacklog() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let accepted = Accepted()
            var peers: [RawSocket] = []
            // All are in the kernel's queue before the loop polls, so one wake is not enough to accept them.
            for _ in 0..<100 { peers.append(try RawSocket(connectedTo: listener.address)) }
            try await loop.perform {
                listener.start(loop: loop) { accepted.take($0) }
                listener.drainBacklogAndClose()
            }
            #expect(try await accepted.wait(for: 100).count == 100)
            for peer in peers {
                peer.send(utf8("served"))
                #expect(try peer.receive(exactly: 6) == utf8("served"))
                peer.close()
            }
            let error = #expect(throws: SocketError.self) { try RawSocket(connectedTo: listener.address) }
            #expect(error?.code == ECONNREFUSED)
        }
    }

    @Test(
        "Newcomers that a leaving listener turns away reach its successor, and earlier connections are served"
    )
    func droppedSYNsReachTheJoinedListener() async throws {
        try await withLoop { loop in
            let old = try Listener(bind: .loopback())
            let accepted = Accepted()
            let early = try RawSocket(connectedTo: old.address)
            old.dropNewSYNs()
            let late = RawSocket.beginConnecting(to: old.address)
            #expect(!late.becomesConnected)
            let new = try Listener.group(bind: old.address, count: 1, joining: true)[0]
            try await loop.perform {
                new.start(loop: loop) { accepted.take($0, from: 1) }
                old.start(loop: loop) { accepted.take($0, from: 0) }
                old.drainBacklogAndClose()
            }
            #expect(try await accepted.wait(for: 2) == [0, 1])
            early.send(utf8("served"))
            #expect(try early.receive(exactly: 6) == utf8("served"))
            early.close()
            late.close()
        }
    }

    @Test("A port is shared only with listeners that join it, and only if its first listener allows that")
    func aJoinedPortIsRefusedToOthers() throws {
        let old = try Listener(bind: .loopback())
        let new = try Listener.group(bind: old.address, count: 2, joining: true)
        #expect(new.map(\.address) == [old.address, old.address])
        #expect(throws: SocketError.self) { try Listener.group(bind: old.address, count: 1) }
        old.close()
        #expect(throws: SocketError.self) { try Listener.group(bind: old.address, count: 1) }
        let (stranger, address) = RawSocket.listening()
        #expect(throws: SocketError.self) { try Listener.group(bind: address, count: 1, joining: true) }
        stranger.close()
    }

    @Test("Closing without draining resets the queued connections")
    func closeResetsTheQueue() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let peer = try RawSocket(connectedTo: listener.address)
            try await loop.perform {
                listener.start(loop: loop) { _ in Issue.record("a connection was accepted") }
                listener.close()
            }
            let error = #expect(throws: SocketError.self) { try peer.receive() }
            #expect(error?.code == ECONNRESET)
            peer.close()
        }
    }

    @Test("A paused listener accepts nothing until it is resumed")
    func pauseAndResume() async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let accepted = Accepted()
            let count = LockBox(Lock(0))
            try await loop.perform {
                listener.start(loop: loop) {
                    count.lock.withLock { $0 += 1 }
                    accepted.take($0)
                }
                listener.pause()
            }
            let peer = try RawSocket(connectedTo: listener.address)
            await pass(.milliseconds(20))
            try await loop.perform {}
            #expect(count.lock.withLock { $0 } == 0)
            try await loop.perform { listener.resume() }
            #expect(try await accepted.wait(for: 1).count == 1)
            peer.close()
        }
    }

    @Test("A Unix path that a dead process left is reused, and a path with a live listener is refused")
    func unixPaths() throws {
        let scratch = ScratchFolder()
        let address = try SocketAddress(unixPath: scratch.file("socket"))
        let dead = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.host.utf8) }
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(dead)
        let listener = try Listener(bind: address)
        let error = #expect(throws: SocketError.self) { try Listener(bind: address) }
        #expect(error?.isAddressInUse == true)
        withExtendedLifetime(listener) {}
    }

    @Test("A listener refuses the path of a file, and removes nothing but its own socket")
    func unixPathOfAFile() throws {
        let scratch = ScratchFolder()
        let path = scratch.file("data")
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        let error = #expect(throws: SocketError.self) { try Listener(bind: SocketAddress(unixPath: path)) }
        #expect(error?.isAddressInUse == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")

        let address = try SocketAddress(unixPath: scratch.file("socket"))
        do {
            let listener = try Listener(bind: address)
            #expect(rename(path, address.host) == 0)
            withExtendedLifetime(listener) {}
        }
        #expect(try String(contentsOfFile: address.host, encoding: .utf8) == "mine")
    }

    @Test("A listener on [::] accepts IPv6 and IPv4")
    func ipv6() async throws {
        try await withLoop { loop in
            let any = try #require(SocketAddress(host: "::", port: 0))
            let listener = try Listener(bind: any)
            let accepted = Accepted()
            try await loop.perform { listener.start(loop: loop) { accepted.take($0) } }
            let port = try #require(listener.address.port)
            let loopback6 = try #require(SocketAddress(host: "::1", port: port))
            for address in [loopback6, .loopback(port: port)] {
                let driven = try await StreamDriver.connecting(loop: loop) {
                    SocketStream.connect(to: address, loop: loop, timeout: patience, handler: $0)
                }
                #expect(try await driven.next() == .connected)
                try await driven.on { $0.close() }
            }
            #expect(try await accepted.wait(for: 2).count == 2)
        }
    }
}

/// Returns the descriptor of this process that is connected from `local` to `remote`, or -1.
private func openSocket(from local: SocketAddress, to remote: SocketAddress) -> Int32 {
    // Compares both ends, since other sockets may be connected to the same port.
    for descriptor in Int32(3)..<4_096
    where port(of: descriptor, by: getpeername) == remote.port
        && port(of: descriptor, by: getsockname) == local.port
    {
        return descriptor
    }
    return -1
}

private typealias NameCall = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

private func port(of descriptor: Int32, by call: NameCall) -> Int? {
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &size) }
    }
    guard result == 0, name.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: name.sin_port))
}
