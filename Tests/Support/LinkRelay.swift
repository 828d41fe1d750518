import Foundation
import Glibc
import Locking

/// Relays TCP connections from a port of 127.0.0.1 to another one like a network link with a delay and a
/// rate. All connections share both directions. Opening a connection takes no time, and nothing is lost.
///
/// One thread does all of it. It reads no more than `queueLimit` bytes ahead for a direction of a connection,
/// so a receiver that does not read stops the sender.
package final class LinkRelay: Sendable {
    private struct State {
        var isStopped = false
        var mostQueued = 0
        var bytes = (toTarget: 0, toClient: 0)
    }

    package let port: UInt16
    /// The most bytes queued for one direction of a connection: what is on its way, and something to send
    /// next.
    package let queueLimit: Int
    private let target: UInt16
    private let model: LinkModel
    private let listener: Int32
    /// A pipe whose bytes end the wait of the thread.
    private let wake: (reader: Int32, writer: Int32)
    private let state = Lock(State())

    /// - Parameters:
    ///   - target: the port of 127.0.0.1 that connections go to.
    ///   - roundTrip: half of it is the delay of each direction.
    ///   - rate: bits per second, in each direction.
    package init(to target: UInt16, roundTrip: Duration, rate: Int64) throws {
        self.target = target
        model = LinkModel(delay: roundTrip / 2, rate: rate)
        queueLimit = 2 * model.capacity + (128 << 10)
        listener = socket(AF_INET, Self.type, 0)
        var ends: [Int32] = [-1, -1]
        let hasPipe = pipe(&ends) == 0
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (ends[0], ends[1])
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening, hasPipe else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in run() }
    }

    /// The most bytes that were queued for one direction of a connection.
    package var mostQueued: Int { state.withLock { $0.mostQueued } }
    /// The bytes that entered each direction of the link so far.
    package var bytes: (toTarget: Int, toClient: Int) { state.withLock { $0.bytes } }

    /// Closes all connections and the port.
    package func stop() {
        // Written under the lock: once the thread sees the flag, it closes the pipe.
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            _ = write(wake.writer, "x", 1)
        }
    }

    private func run() {
        var link = Link(toTarget: model, toClient: model)
        var connections: [LinkConnection] = []
        while !state.withLock({ $0.isStopped }) {
            var (readable, writable) = (DescriptorSet(), DescriptorSet())
            readable.insert(wake.reader)
            readable.insert(listener)
            var next = Int64.max
            for direction in connections.flatMap({ [$0.toTarget, $0.toClient] }) {
                if direction.wantsBytes(queueLimit) { readable.insert(direction.source) }
                if direction.isBlocked { writable.insert(direction.sink) }
                next = min(next, direction.nextDue)
            }
            readable.wait(writable, for: next == .max ? nil : max(0, next - Self.now()))
            if readable.contains(listener), let connection = accept() { connections.append(connection) }
            let now = Self.now()
            for connection in connections {
                connection.toTarget.move(at: now, over: &link.toTarget, limit: queueLimit)
                connection.toClient.move(at: now, over: &link.toClient, limit: queueLimit)
            }
            record(connections)
            connections.removeAll { $0.closeIfOver() }
        }
        for connection in connections { connection.close() }
        close(listener)
        close(wake.reader)
        close(wake.writer)
    }

    private struct Link {
        var toTarget: LinkModel
        var toClient: LinkModel
    }

    private func record(_ connections: [LinkConnection]) {
        state.withLock { state in
            for connection in connections {
                state.mostQueued = max(
                    state.mostQueued, connection.toTarget.mostQueued, connection.toClient.mostQueued)
                state.bytes.toTarget += connection.toTarget.takeCount()
                state.bytes.toClient += connection.toClient.takeCount()
            }
        }
    }

    private func accept() -> LinkConnection? {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return nil }
        let upstream = socket(AF_INET, Self.type, 0)
        var address = Self.loopback(target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let connection = LinkConnection(client: client, target: upstream)
        if isConnected { return connection }
        connection.close()
        return nil
    }

    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
