import Dispatch
import EventIO
import Locking
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("The memory of request bodies", .timeLimit(.minutes(1)), .bothCarriers)
struct BodyBudgetTests {
    /// - Parameter rest: bytes of the body that are not sent.
    private static func post(_ path: String, _ count: Int, rest: Int = 0) -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(count + rest)\r\n\r\n"
            + String(repeating: "x", count: count)
    }

    @Test(
        "A body counts until its request has been answered, be it small or large", arguments: [1000, 100_000])
    func untilAnswered(size: Int) async throws {
        try await TestServer.run({ $0.bufferedBodies = size * 3 / 2 }) { server in
            let (first, second) = (try server.client(), try server.client())
            first.send(Self.post("/later", size))
            try await server.log.wait(for: "held 1")
            #expect(try await server.on { server, _ in server.bodyBytes } >= size)
            second.send(Self.post("/echo", size))
            let refusal = try second.reply()
            #expect(refusal.status == 503)
            #expect(refusal.text.hasPrefix("body_memory: "))
            try await server.on { _, handler in handler.answerLater("done") }
            #expect(try first.reply().text == "done")
            try await poll(while: try await server.on { server, _ in server.bodyBytes } > 0) {
                "\(try await server.on { server, _ in server.bodyBytes }) bytes of bodies"
            }
            let third = try server.client()
            third.send(Self.post("/echo", size))
            #expect(try third.reply().body.count == size)
        }
    }

    @Test("A body counts no longer once its client has left", arguments: [1000, 100_000])
    func untilClientLeaves(size: Int) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("/later", size))
            try await server.log.wait(for: "held 1")
            client.reset()
            try await server.log.wait(for: "finished /later clientGone")
            try await server.on { server, handler in
                handler.forget()
                #expect(server.bodyBytes == 0)
            }
        }
    }

    @Test(
        "The loop sets its timer to return memory when a client leaves a request with a large body",
        arguments: [true, false])
    func returned(isComplete: Bool) async throws {
        try await TestServer.run { server in
            func leave(_ size: Int) async throws -> Int {
                let client = try server.client()
                client.send(Self.post("/later", size, rest: isComplete ? 0 : 1))
                try await poll(while: try await server.on { server, _ in server.bodyBytes } < size) {
                    "\(try await server.on { server, _ in server.bodyBytes }) of \(size) bytes"
                }
                client.reset()
                try await server.connectionsLeft()
                return try await server.on { server, handler in
                    handler.forget()
                    return server.loop.timerCount
                }
            }
            let timers = try await leave(1000)
            #expect(try await leave(300_000) == timers + 1)
        }
    }

    @Test("What arrives behind a pending request counts until it is parsed, and is refused without memory")
    func pipelined() async throws {
        try await TestServer.run({ $0.bufferedBodies = 20_000 }) { server in
            let (first, second) = (try server.client(), try server.client())
            for (number, client) in [first, second].enumerated() {
                client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
                try await server.log.wait(for: "held \(number + 1)")
            }
            first.send(Self.post("/echo", 15_000))
            try await poll(while: try await server.on { server, _ in server.bodyBytes } < 15_000) {
                "\(try await server.on { server, _ in server.bodyBytes }) bytes"
            }
            second.send(Self.post("/echo", 15_000))
            second.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            // It is refused once it has arrived, and not when it is its turn.
            try await poll(
                while: try await server.on { server, _ in
                    !server.serving.contains { connection in
                        if case .failure = connection?.parsedAhead { true } else { false }
                    }
                }
            ) { "no request is refused, after \(server.log.recent)" }
            try await server.on { _, handler in handler.answerLater("first") }
            #expect(try first.reply().text == "first")
            #expect(try first.reply().body.count == 15_000)
            try await server.on { _, handler in handler.answerLater("second") }
            #expect(try second.reply().text == "second")
            let refusal = try second.reply()
            #expect(refusal.status == 503)
            #expect(refusal.value("Connection") == "close")
            #expect(second.readToEnd().end == .fin)
            try await poll(while: try await server.on { server, _ in server.bodyBytes } > 0) {
                "\(try await server.on { server, _ in server.bodyBytes }) bytes"
            }
        }
    }

    @Test("Pending input counts no longer once its client has left")
    func pipelinedByLeavingClient() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n" + Self.post("/echo", 15_000))
            try await poll(while: try await server.on { server, _ in server.bodyBytes } < 15_000) {
                "\(try await server.on { server, _ in server.bodyBytes }) bytes"
            }
            client.reset()
            try await server.connectionsLeft()
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("A body counts no longer if its handler drops the request", arguments: [1000, 100_000])
    func dropped(size: Int) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("/dropped", size))
            #expect(try client.reply().status == 500)
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("A large body with a known length has no spare room in memory")
    func noSpareRoom() async throws {
        try await TestServer.run { server in
            let size = 600_000
            let client = try server.client()
            client.send(Self.post("/later", size))
            try await server.log.wait(for: "held 1")
            let held = try await server.on { server, _ in server.bodyBytes }
            #expect((size...size + 8192).contains(held))
        }
    }

    @Test("A piece of a streamed body counts until its reader requests the next one")
    func piece() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome")
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readPiece() }
            try await server.log.wait(for: "piece 4")
            try await server.on { server, handler in
                #expect(server.bodyBytes == 4)
                handler.uploads[0].readPiece()
                #expect(server.bodyBytes == 0)
            }
        }
    }

    @Test(
        "A charge grows within the limit, and is given back with the body, on any thread",
        arguments: [true, false])
    func charge(onLoop: Bool) async throws {
        let group = try EventLoopGroup(count: 1, name: "bodies")
        let loop = group.loops[0]
        let body = [UInt8](repeating: 1, count: 300_000)
        let budget = BodyBudget(limit: 1_000_000, loop: loop)
        let charge = Lock<BodyCharge?>(nil)
        try await loop.perform {
            #expect(budget.reserve(body.count))
            charge.withLock { $0 = budget.charge(body, isCoded: false) }
        }
        let size = budget.inUse
        #expect(size >= body.count)
        #expect(charge.withLock { $0?.grow(by: 500_000) } == true)
        #expect(charge.withLock { $0?.grow(by: 500_000) } == false)
        #expect(budget.inUse == size + 500_000)
        try await loop.perform { #expect(!budget.reserve(300_000)) }
        let timers = try await loop.perform { loop.timerCount }
        if onLoop {
            try await loop.perform { charge.withLock { $0 = nil } }
        } else {
            charge.withLock { $0 = nil }
        }
        #expect(budget.inUse == 0)
        // The loop returns the memory to the system after a while.
        #expect(try await loop.perform { loop.timerCount } == timers + 1)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
    }

    @Test("An answer shares a body if one of its pieces is a part of it, or may be made of it")
    func shared() async throws {
        let group = try EventLoopGroup(count: 1, name: "bodies")
        let body = [UInt8](repeating: 1, count: 1000)
        let budget = BodyBudget(limit: 1_000_000, loop: group.loops[0])
        let plain = budget.charge(body, isCoded: false)
        #expect(plain.isShared(by: [[2], body[900...]]))
        #expect(!plain.isShared(by: [[2], body.map { $0 }[900...], []]))
        #expect(!plain.isShared(by: []))
        let coded = budget.charge(body, isCoded: true)
        #expect(coded.isShared(by: [[2]]))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
    }
}
