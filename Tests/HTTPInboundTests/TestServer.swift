import Dispatch
import EventIO
import HTTPModel
import Locking
import TestSupport
import Testing

@testable import HTTPInbound

extension InboundLimits {
    /// Generous limits for tests that are not about time, because clients may be slow on a busy machine.
    fileprivate static var patient: InboundLimits {
        var limits = InboundLimits()
        limits.headerDeadline = .seconds(300)
        limits.bodyDeadline = .seconds(300)
        limits.bodyRateGrace = .seconds(300)
        limits.sendStall = .seconds(300)
        limits.sendRateGrace = .seconds(300)
        limits.keepAliveIdle = .seconds(300)
        return limits
    }
}

/// A server with its own loop and port, for one test. By default its time limits exceed the duration of any
/// test.
final class TestServer: Sendable {
    /// The TLS of the servers of tests over TLS.
    static let context = Result {
        let identity = TestAuthority.shared.issue()
        return try TLSServerContext(
            TLSServerConfiguration(certificates: [
                TLSConfiguration.Identity(
                    certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
            ]))
    }

    let loop: EventLoop
    private let carrier: Carrier
    /// Whether the loop is kept busy.
    private let isBusy = Lock(false)
    let port: Int
    let log: EventLog
    private let server: LoopBound<InboundServer>
    private let handler: LoopBound<TestHandler>

    private init(
        loop: EventLoop, limits: InboundLimits, total: ConnectionTotal?, fileDescriptors: FileDescriptors,
        clients: ClientSettings, carrier: Carrier, tls: InboundTLS?
    ) async throws {
        self.loop = loop
        self.carrier = carrier
        let log = EventLog()
        self.log = log
        let listener = try Listener(bind: .loopback())
        port = listener.address.port ?? 0
        (server, handler) = try await loop.perform {
            let handler = TestHandler(log: log)
            let server = InboundServer(
                loop: loop, limits: limits, total: total, fileDescriptors: fileDescriptors, clients: clients,
                tls: tls, handler: handler
            ) { error in
                log.add("refused \(error.status.code) \(error.reason)")
                return HTTPResponse(
                    status: error.status, fields: ["Content-Type": "text/plain"],
                    body: [Array("\(error.reason): \(error.message)".utf8)[...]])
            }
            server.onHandshakeFailed = { reason, _, _ in log.add("no handshake: \(reason)") }
            server.onProxyHeaderRefused = { reason, _ in log.add("no PROXY header: \(reason)") }
            server.adopt(listener)
            return (LoopBound(server, loop: loop), LoopBound(handler, loop: loop))
        }
    }

    /// Runs a server for `body`, then closes it and waits for its thread. Servers may share a `total`.
    ///
    /// - Parameter tls: replaces the TLS of the test's carrier.
    static func run(
        _ change: (inout InboundLimits) -> Void = { _ in }, total: ConnectionTotal? = nil,
        fileDescriptors: FileDescriptors = FileDescriptors(), clients: ClientSettings = ClientSettings(),
        tls: InboundTLS? = nil, _ body: (TestServer) async throws -> Void
    ) async throws {
        let secure = try tls ?? (Carrier.current == .plain ? nil : InboundTLS(context.get()))
        var limits = InboundLimits.patient
        change(&limits)
        let group = try EventLoopGroup(count: 1, name: "inbound")
        do {
            let server = try await TestServer(
                loop: group.loops[0], limits: limits, total: total, fileDescriptors: fileDescriptors,
                clients: clients, carrier: secure == nil ? .plain : .tls, tls: secure)
            try await body(server)
            try await server.on { server, _ in server.close() }
        } catch {
            await shutDown(group)
            throw error
        }
        await shutDown(group)
    }

    private static func shutDown(_ group: EventLoopGroup) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
    }

    /// Runs `body` on the loop.
    @discardableResult
    func on<Value: Sendable>(
        _ body: @escaping @Sendable (InboundServer, TestHandler) -> Value
    ) async throws -> Value {
        try await loop.perform { [server, handler] in body(server.value, handler.value) }
    }

    /// Keeps the loop busy while `body` runs, so that everything clients do meanwhile arrives at once. The
    /// loop runs `then` before it polls.
    func whileBusy<Value>(
        _ body: () throws -> Value,
        then: @escaping @Sendable (InboundServer, TestHandler) -> Void = { _, _ in }
    ) async throws -> Value {
        let release = Signal()
        try await withDeadline("the loop is busy, after \(self.log.recent)") { continuation in
            loop.execute { [server, handler] in
                continuation.resume()
                do { try release.waitBlocking() } catch { Issue.record(error) }
                then(server.value, handler.value)
            }
        }
        isBusy.withLock { $0 = true }
        defer {
            isBusy.withLock { $0 = false }
            release.fire()
        }
        return try body()
    }

    /// The number of open connections.
    var connectionCount: Int {
        get async throws { try await on { server, _ in server.connectionCount } }
    }

    /// Returns once no connection is open.
    func connectionsLeft(file: String = #fileID, line: Int = #line) async throws {
        try await poll(while: try await connectionCount > 0, file: file, line: line) {
            "\(try await connectionCount) connections, after \(log.recent)"
        }
    }

    /// Returns once output waits in memory for a client, or its connection has already ended.
    func outputWaits() async throws {
        try await poll(
            while: try await on { server, _ in server.waitingBytes == 0 && !Self.hasServed(server, self.log) }
        ) { "no output waits, after \(log.recent)" }
    }

    /// Whether there were requests and every connection has ended.
    private static func hasServed(_ server: InboundServer, _ log: EventLog) -> Bool {
        server.connectionCount == 0 && log.events.contains { $0.hasPrefix("decide ") }
    }

    /// Returns true once an answer waits on disk and none in memory; false if its connection ended instead.
    /// The loop checks this itself, because the test's task may be scheduled too late.
    func isSpooled() async throws -> Bool {
        try await withDeadline("no answer waits on disk only, after \(self.log.recent)") { continuation in
            loop.execute { [self] in look(for: continuation) }
        }
    }

    /// One record of each connection, which is encrypted already, stays in memory.
    func residentRecords(_ server: InboundServer) -> Int {
        carrier == .plain ? 0 : server.connectionCount * 17 << 10
    }

    private func look(for continuation: DeadlineContinuation<Bool>) {
        let server = server.value
        if server.spooledBytes > 0, server.waitingBytes <= residentRecords(server) {
            continuation.resume(returning: true)
        } else if Self.hasServed(server, log) {
            continuation.resume(returning: false)
        } else {
            loop.execute { [self] in look(for: continuation) }
        }
    }

    /// Connects by the test's carrier. While the loop is busy, a handshake waits until the client reads.
    func client(
        receiveBuffer: Int32? = nil, host: UInt8 = 1, tls: TLSClient = .usual
    ) throws -> RawClient {
        try RawClient(
            port: port, receiveBuffer: receiveBuffer, host: host, tls: carrier == .plain ? nil : tls,
            patience: isBusy.withLock { $0 } ? 0 : 200)
    }

    /// Returns a client whose first request was answered.
    func idleClient(host: UInt8 = 1) throws -> RawClient {
        let client = try client(host: host)
        client.send(KeepAliveTests.get)
        _ = try client.reply()
        return client
    }
}

extension InboundServer {
    /// The connections that serve requests, by their slots.
    var serving: [InboundConnection?] { connections.map { $0 as? InboundConnection } }
}
