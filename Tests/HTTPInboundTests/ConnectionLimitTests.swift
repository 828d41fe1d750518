import EventIO
import TestSupport
import Testing

@testable import HTTPInbound

/// Checks whom a server accepts, closes and refuses at the connection limit.
@Suite("The connection limit", .timeLimit(.minutes(1)), .bothCarriers)
struct ConnectionLimitTests {
    static let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A connection whose request waits for its answer.
    private func busyClient(_ server: TestServer, _ number: Int) async throws -> RawClient {
        let client = try server.client()
        client.send(OverloadTests.later)
        try await server.log.wait(for: "held \(number)")
        return client
    }

    private func shed(_ server: TestServer) async throws -> ShedCounts {
        try await server.on { server, _ in server.shed }
    }

    private func connectionCount(_ server: TestServer) async throws -> Int {
        try await server.connectionCount
    }

    /// Waits until this many connections are open.
    private func reaches(
        _ count: Int, _ server: TestServer, file: String = #fileID, line: Int = #line
    ) async throws {
        try await poll(while: try await server.connectionCount < count, file: file, line: line) {
            "\(try await server.connectionCount) of \(count) connections"
        }
    }

    // MARK: Idle connections

    @Test("32 idle clients at a limit of 32 give way: newcomers and health are answered within a second")
    func idleClients() async throws {
        try await TestServer.run({ $0.connections = 32 }) { server in
            let idle = try (0..<32).map { _ in try server.idleClient() }
            let clock = ContinuousClock()
            let began = clock.now
            let health = try server.client()
            health.send(Self.health)
            #expect(try health.reply().text == "healthy")
            let newcomer = try server.client()
            newcomer.send(KeepAliveTests.get)
            #expect(try newcomer.reply().text == "hello")
            #expect(clock.now - began < .seconds(1) * Sanitizer.slowdown)
            // The two that were idle for longest.
            #expect(idle[0].readToEnd() == ([], .fin))
            #expect(idle[1].readToEnd() == ([], .fin))
            #expect(try await shed(server) == ShedCounts(idle: 2))
            #expect(try await connectionCount(server) == 32)
            for client in idle[2...] + [newcomer, health] {
                client.send(KeepAliveTests.get)
                #expect(try client.reply().text == "hello")
            }
        }
    }

    @Test("The client with most connections gives way, not the one that is idle for longest")
    func largestClient() async throws {
        try await TestServer.run({ $0.connections = 5 }) { server in
            let single = try server.idleClient(host: 2)
            let crowd = try (0..<4).map { _ in try server.idleClient(host: 3) }
            let newcomers = try (4..<7).map { try server.idleClient(host: $0) }
            for client in crowd[..<3] { #expect(client.readToEnd() == ([], .fin)) }
            for client in [single, crowd[3]] + newcomers {
                client.send(KeepAliveTests.get)
                #expect(try client.reply().text == "hello")
            }
        }
    }

    @Test("Below the limit one client may have all connections")
    func belowTheLimit() async throws {
        try await TestServer.run({ $0.connections = 50 }) { server in
            let clients = try (0..<50).map { _ in try server.idleClient() }
            for client in clients {
                client.send(KeepAliveTests.get)
                #expect(try client.reply().text == "hello")
            }
            #expect(try await shed(server) == ShedCounts())
        }
    }

    @Test(
        "A client whose next request arrives together with a newcomer is answered, and another one gives way",
        arguments: [true, false])
    func nextRequestMeetsNewcomer(newcomerFirst: Bool) async throws {
        try await TestServer.run({ $0.connections = 2 }) { server in
            let first = try server.idleClient()
            let second = try server.idleClient()
            let newcomer = try await server.whileBusy {
                if !newcomerFirst { first.send(KeepAliveTests.get) }
                let newcomer = try server.client()
                newcomer.send(KeepAliveTests.get)
                if newcomerFirst { first.send(KeepAliveTests.get) }
                return newcomer
            }
            #expect(try first.reply().text == "hello")
            #expect(try newcomer.reply().text == "hello")
            #expect(second.readToEnd() == ([], .fin))
        }
    }

    @Test("Idle clients that send their next request at the moment newcomers arrive are all answered")
    func allSendAgain() async throws {
        try await TestServer.run({ $0.connections = 4 }) { server in
            for _ in 0..<20 {
                let clients = try (0..<4).map { _ in try server.idleClient() }
                let newcomers = try await server.whileBusy {
                    let newcomers = try (0..<4).map { _ in
                        let newcomer = try server.client()
                        newcomer.send(KeepAliveTests.get)
                        return newcomer
                    }
                    for client in clients { client.send(KeepAliveTests.get) }
                    return newcomers
                }
                for client in clients { #expect(try client.reply().status == 200) }
                for newcomer in newcomers { #expect([200, 503].contains(try newcomer.reply().status)) }
                for client in clients + newcomers { client.close() }
                try await server.connectionsLeft()
            }
        }
    }

    /// Each round is a race between a request and the close of its connection.
    @Test("A client that is closed for a newcomer sees a whole answer or the end, never a reset or a part")
    func racesWithNewcomers() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            var answered = 0
            for _ in 0..<500 {
                let client = try server.idleClient()
                let newcomer = try server.client()
                client.send(KeepAliveTests.get)
                let (bytes, end) = client.replyOrEnd()
                #expect(end == nil && !bytes.isEmpty || end == .fin && bytes.isEmpty)
                if end == nil { answered += 1 }
                client.close()
                newcomer.close()
                try await server.connectionsLeft()
            }
            #expect(try await shed(server).idle + answered >= 500)
        }
    }

    // MARK: Nobody gives way

    @Test("While all have requests in flight, health is answered, others get 503, and both connections close")
    func allBusy() async throws {
        try await TestServer.run({ $0.connections = 2 }) { server in
            let busy = [try await busyClient(server, 1), try await busyClient(server, 2)]
            for _ in 0..<100 {
                let health = try server.client()
                health.send(Self.health)
                let reply = try health.reply()
                #expect(reply.text == "healthy")
                #expect(reply.value("Connection") == "close")
                #expect(health.readToEnd() == ([], .fin))
                let other = try server.client()
                other.send(KeepAliveTests.get + KeepAliveTests.get)
                let refusal = try other.reply()
                #expect(refusal.status == 503)
                #expect(refusal.text.hasPrefix("connection_limit: "))
                #expect(refusal.value("Connection") == "close")
                #expect(other.readToEnd() == ([], .fin))
            }
            #expect(try await shed(server) == ShedCounts(refused: 100))
            for client in busy {
                try await server.on { _, handler in handler.answerLater("late") }
                #expect(try client.reply().text == "late")
            }
        }
    }

    @Test(
        "Above the limit an answer does not wait for the body",
        arguments: [("POST /echo", 503), ("GET /health", 200)])
    func bodiesAboveTheLimit(line: String, status: Int) async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let other = try server.client()
            other.send("\(line) HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
            let reply = try other.reply()
            #expect(reply.status == status)
            #expect(reply.value("Connection") == "close")
            other.send("more")
            #expect(other.readToEnd() == ([], .fin))
            busy.close()
        }
    }

    @Test("A connection above the limit gets a place if there is one when its head arrives")
    func latePlace() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let newcomer = try server.client()
            try await reaches(2, server)
            busy.close()
            try await server.log.wait(for: "finished /later clientGone")
            for _ in 0..<2 {
                newcomer.send(KeepAliveTests.get)
                let reply = try newcomer.reply()
                #expect(reply.text == "hello")
                #expect(reply.value("Connection") == nil)
            }
            #expect(try await shed(server) == ShedCounts())
        }
    }

    @Test("32 silent clients are accepted above the limit, and the next once one was silent for a second")
    func silentAboveTheLimit() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let silent = try (0..<32).map { _ in try server.client() }
            let clock = ContinuousClock()
            let began = clock.now
            let next = try server.client()
            next.send(Self.health)
            #expect(try next.reply().text == "healthy")
            #expect(clock.now - began < .seconds(5) * Sanitizer.slowdown)
            #expect(try await connectionCount(server) <= 33)
            #expect(silent.contains { $0.end(within: 0) == .fin })
            #expect(try await shed(server).slowHeads >= 1)
            busy.close()
        }
    }

    @Test("While listeners are paused the loop waits, and goes on as soon as a connection closes")
    func paused() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let silent = try (0..<40).map { _ in try server.client() }
            try await reaches(33, server)
            let next = try server.client()
            next.send(KeepAliveTests.get)
            for client in silent { client.close() }
            #expect(try next.reply().status == 503)
            try await server.on { _, handler in handler.answerLater("late") }
            #expect(try busy.reply().text == "late")
        }
    }

    // MARK: Slow heads

    @Test(
        "Clients without a complete head give way after a second, the oldest first",
        arguments: ["", "GET / HT"])
    func slowHeads(start: String) async throws {
        try await TestServer.run({ $0.connections = 2 }) { server in
            let clock = ContinuousClock()
            let began = clock.now
            let slow = try (0..<2).map { _ in
                let client = try server.client()
                client.send(start)
                return client
            }
            try await reaches(2, server)
            var statuses: Set<Int> = []
            func newcomersAreRefused() throws -> Bool {
                let newcomer = try server.client()
                newcomer.send(KeepAliveTests.get)
                statuses.insert(try newcomer.reply().status)
                return !statuses.contains(200)
            }
            try spin(while: try newcomersAreRefused()) { "\(statuses)" }
            #expect(clock.now - began >= .seconds(1))
            #expect(statuses.isSubset(of: [200, 503]))
            #expect(slow[0].readToEnd() == ([], .fin))
            #expect(slow[1].end(within: 0) == .silence)
            #expect(try await shed(server).slowHeads == 1)
        }
    }

    @Test("A later head that stays incomplete gives way after a second, too")
    func slowLaterHead() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let slow = try server.idleClient()
            slow.send("GET / HT")
            var status = 0
            func newcomersAreRefused() throws -> Bool {
                let newcomer = try server.client()
                newcomer.send(KeepAliveTests.get)
                status = try newcomer.reply().status
                return status != 200
            }
            try spin(while: try newcomersAreRefused()) { "still \(status)" }
            #expect(slow.readToEnd() == ([], .fin))
            let shed = try await shed(server)
            #expect(shed.slowHeads == 1 || shed.idle == 1)
        }
    }

    // MARK: Drain

    @Test("In a drain at the limit the whole backlog is answered with 503, and requests in flight complete")
    func drain() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let queued = try await server.whileBusy {
                try (0..<40).map { _ in
                    let client = try server.client()
                    client.send(KeepAliveTests.get)
                    return client
                }
            } then: { server, handler in
                server.onIdle = { handler.log.add("idle") }
                server.stopAccepting()
                #expect(server.connectionCount == 41)
            }
            for client in queued {
                #expect(try client.reply().status == 503)
                client.close()
            }
            try await server.on { _, handler in handler.answerLater("late") }
            let reply = try busy.reply()
            #expect(reply.text == "late")
            #expect(reply.value("Connection") == "close")
            busy.close()
            try await server.log.wait(for: "idle")
        }
    }

    @Test("After a drain is announced, idle connections still give way")
    func announcedDrain() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let idle = try server.idleClient()
            try await server.on { server, _ in server.beginDrain() }
            let newcomer = try server.client()
            newcomer.send(KeepAliveTests.get)
            let reply = try newcomer.reply()
            #expect(reply.text == "hello")
            #expect(reply.value("Connection") == "close")
            #expect(idle.readToEnd() == ([], .fin))
        }
    }

    @Test("A server closes while its listeners are paused")
    func closeWhilePaused() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let busy = try await busyClient(server, 1)
            let silent = try (0..<40).map { _ in try server.client() }
            try await reaches(33, server)
            try await server.on { server, handler in
                server.onIdle = { handler.log.add("idle") }
                server.close()
            }
            try await server.log.wait(for: "idle")
            #expect(try await server.on { server, _ in server.loop.timerCount } <= 1)
            for client in [busy] + silent { client.close() }
        }
    }

    // MARK: Several loops

    @Test("Loops share the limit: one may use all of it, and another serves clients when a place is free")
    func sharedTotal() async throws {
        let total = ConnectionTotal(limit: 4)
        try await TestServer.run(total: total) { one in
            try await TestServer.run(total: total) { other in
                let busy = [
                    try await busyClient(one, 1), try await busyClient(one, 2), try await busyClient(one, 3),
                    try await busyClient(one, 4),
                ]
                #expect(!total.hasRoom)
                // The other loop cannot close these connections. It answers health and refuses the rest.
                let refused = try other.client()
                refused.send(KeepAliveTests.get)
                #expect(try refused.reply().status == 503)
                let health = try other.client()
                health.send(Self.health)
                #expect(try health.reply().text == "healthy")
                for client in [refused, health] { client.close() }
                try await other.connectionsLeft()
                busy[0].close()
                try await poll(while: !total.hasRoom) { "\(try await one.connectionCount) connections" }
                let served = try other.client()
                served.send(KeepAliveTests.get)
                #expect(try served.reply().text == "hello")
                for client in busy + [served] { client.close() }
                try await one.connectionsLeft()
                try await other.connectionsLeft()
            }
        }
        for _ in 0..<4 { #expect(total.add()) }
        #expect(!total.add())
    }

    @Test("Threads that add connections at the same time never exceed the limit")
    func totalIsExact() async {
        let total = ConnectionTotal(limit: 1000)
        let added = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<1000).count { _ in total.add() } }
            }
            return await group.reduce(0, +)
        }
        #expect(added == 1000)
        total.remove()
        #expect(total.add())
        #expect(!total.add())
    }
}

extension RawClient {
    /// Returns the body of the next response, or the bytes before the end of the connection and how it ended.
    fileprivate func replyOrEnd() -> (bytes: [UInt8], end: End?) {
        guard let reply = receive() else { return readToEnd() }
        return (reply.body, nil)
    }
}
