import Locking
import TestSupport

/// Servers at 127.0.0.1, 127.0.0.2 and so on, with the same port. `pair` has the first one at ::1.
final class AddressPeers: Sendable {
    enum Behaviour: Sendable {
        case answers, fails, isSilent, refuses
        /// Answers 503 with a `Retry-After` of a minute.
        case isDown
        /// Answers once `released` is fired.
        case waits
    }

    private struct State {
        var port: UInt16 = 0
        var servers: [ScriptedUpstream?]
        var behaviours: [Behaviour]
        var asked: [Int]
        var checks: [Int]
    }

    private let state: Lock<State>
    private let firstHost: UInt8
    let released = Signal()

    convenience init(_ behaviours: Behaviour...) throws {
        try self.init(behaviours, firstHost: 1)
    }

    /// One server at ::1 and one at 127.0.0.1.
    static func pair(_ ipv6: Behaviour, _ ipv4: Behaviour) throws -> AddressPeers {
        try AddressPeers([ipv6, ipv4], firstHost: 0)
    }

    private init(_ behaviours: [Behaviour], firstHost: UInt8) throws {
        self.firstHost = firstHost
        state = Lock(
            State(
                servers: [], behaviours: behaviours, asked: behaviours.map { _ in 0 },
                checks: behaviours.map { _ in 0 }))
        // Another program may take the port at one of the addresses first.
        for attempt in 1...5 {
            do { try listen() } catch  where attempt < 5 { stop(); continue }
            return
        }
    }

    private func listen() throws {
        // Bound at all addresses, so that no other test takes the port of one that refuses.
        let first = try ScriptedUpstream(.closed, [])
        first.stop()
        let behaviours = state.withLock { state in
            state.port = first.port
            state.servers = []
            return state.behaviours
        }
        for index in behaviours.indices {
            let server = try serve(index, behaviours[index] == .refuses ? .closed : .open)
            state.withLock { $0.servers.append(server) }
        }
    }

    var port: UInt16 { state.withLock { $0.port } }

    private func serve(_ index: Int, _ door: ScriptedUpstream.Door) throws -> ScriptedUpstream {
        try ScriptedUpstream(
            door, [[.answer { [weak self] in self?.answer(to: $0, at: index) ?? "" }, .awaitEnd]],
            host: firstHost + UInt8(index), port: port)
    }

    private func answer(to request: String, at index: Int) -> String {
        let isCheck = request.hasPrefix("GET /health ")
        let behaviour = state.withLock { state in
            if isCheck { state.checks[index] += 1 } else { state.asked[index] += 1 }
            return state.behaviours[index]
        }
        switch behaviour {
        case .answers, .refuses: return "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        case .fails: return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        case .isDown: return "HTTP/1.1 503 No\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"
        case .isSilent: return ""
        case .waits:
            guard (try? released.waitBlocking()) != nil else { return "" }
            return "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        }
    }

    func change(_ index: Int, to behaviour: Behaviour) {
        state.withLock { $0.behaviours[index] = behaviour }
    }

    /// Requests of calls by peer, so far.
    var asked: [Int] { state.withLock { $0.asked } }
    /// Requests of checks by peer, so far.
    var checks: [Int] { state.withLock { $0.checks } }

    /// The addresses of the servers.
    var hosts: [String] {
        asked.indices.map { firstHost == 0 && $0 == 0 ? "::1" : "127.0.0.\($0 + Int(firstHost))" }
    }

    func openConnections(of index: Int) -> Int {
        guard let server = state.withLock({ $0.servers[index] }) else { return 0 }
        return server.connections - server.clientEnded.count
    }

    func stop() {
        for server in state.withLock({ $0.servers }) { server?.stop() }
    }
}
