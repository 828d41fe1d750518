import EventIO
import Foundation
import GatewayCore
import Glibc
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// The admin listener over sockets.
@Suite("The admin listener", .timeLimit(.minutes(1)))
struct AdminListenerTests {
    @Test("A gateway in a program of tests has no admin listener unless its configuration names an address")
    func offByDefault() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        let server = try GatewayServer.start(configuration) { $0.get("/a") { _ in .json(1) } }
        #expect(server.admin == nil)
        server.stop()
        server.waitUntilStopped()
        #expect(
            GatewayProgram(name: "shop").listening.admin.addresses.map(\.description) == ["127.0.0.1:9901"])
    }

    @Test("Clients of the gateway reach none of its paths but the health checks")
    func publicListener() throws {
        try withAdminGateway { server, _ in
            let client = try RawClient(port: server.port)
            for operation in AdminOperation.all {
                client.send(
                    "\(operation.method.rawValue) \(operation.path) HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n")
                #expect(try client.reply().status == 404, "\(operation.path)")
            }
            #expect(server.phase.isReady)
            #expect(client.get("/health/ready")?.status == 200)
        }
    }

    @Test("Unknown paths are 404 with the known ones, other methods 405, other types 415, and bodies 400")
    func requests() throws {
        try withAdminGateway { server, admin in
            let unknown = try admin.ask("GET /quick")
            #expect(unknown.status == 404)
            #expect(unknown.text.contains("/health/live, /health/ready, /metrics, /status"))
            let method = try admin.ask("DELETE /status")
            #expect(method.status == 405)
            #expect(method.value("Allow") == "GET, HEAD")
            #expect(try admin.ask("OPTIONS /drain").status == 405)
            let changing = AdminOperation.all.filter { $0.method != .get }
            #expect(changing.map(\.path) == ["/explain", "/log-level", "/reload", "/drain"])
            for operation in changing {
                let line = "\(operation.method.rawValue) \(operation.path)"
                for type in ["", "Content-Type: text/plain", "Content-Type: application/json2"] {
                    let reply = type.isEmpty ? try admin.ask(line) : try admin.ask(line, type)
                    #expect(reply.status == 415, "\(line) \(type)")
                }
            }
            for body in ["{\"now\":true}", "[]", "{"] {
                #expect(try admin.post("/drain", body: body).status == 400, "\(body)")
            }
            #expect(try admin.ask("HEAD /status").status == 200)
            #expect(try admin.ask("GET /status?verbose", host: nil).status == 200)
            let large = try admin.ask(
                "POST /reload", "Content-Type: application/json", "Content-Length: \(1 << 21)")
            #expect(large.status == 413)
            #expect(try large.code() == "PAYLOAD_TOO_LARGE")
            #expect(server.phase.isReady)
            #expect(server.settled.requests == 0)
        }
    }

    @Test("It answers until the drain has ended, and says that the gateway is draining")
    func drain() throws {
        let held = Signal()
        try withAdminGateway {
            $0.limits.deadline = .seconds(60)
        } declare: { gateway in
            gateway.get("/held") { _ in
                try await held.wait()
                return .json(1)
            }
        } _: { server, admin in
            let client = try RawClient(port: server.port)
            client.send("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try spin(while: server.settled.requests == 0) { "the request has not begun" }
            let reply = try admin.post("/drain", body: "{}")
            #expect(reply.status == 202)
            let url = "http://127.0.0.1:\(server.port)"
            #expect(reply.text == #"{"phase":"draining","name":"sluice","url":"\#(url)"}"#)
            #expect(try admin.post("/drain").status == 202)
            let ready = try admin.ask("GET /health/ready")
            #expect(ready.status == 503)
            #expect(ready.text == #"{"status":"draining"}"#)
            #expect(try admin.ask("GET /health/live").status == 200)
            #expect(try admin.json("GET /status")[member: "phase"]?.stringValue == "draining")
            held.fire()
            #expect(client.receive()?.status == 200)
            server.waitUntilStopped()
            #expect(throws: RawClient.Broken.self) { try RawClient(port: admin.port) }
        }
    }

    @Test("64 idle connections of one address give way to a newcomer, and do not keep out another address")
    func connections() throws {
        try withAdminGateway(listen: ["127.0.0.1:0", "127.0.0.1:0"]) { server, admin in
            let idle = try (0..<64).map { _ in try RawClient(port: admin.port) }
            for client in idle { #expect(client.get("/health/live")?.status == 200) }
            #expect(try admin.ask("GET /status").status == 200)
            let other = try #require(server.admin?.addresses.last?.port)
            #expect(try RawClient(port: other).get("/health/live")?.status == 200)
            #expect(server.settled.connections == 0)
        }
    }

    @Test("Of 17 requests explained at once one is refused, and all others are still answered")
    func requestsAtOnce() throws {
        let held = Signal()
        let begun = Signal()
        try withAdminGateway {
            $0.limits.deadline = .seconds(60)
        } declare: { gateway in
            gateway.get("/held") { _ in
                begun.fire()
                try await held.wait()
                return .json(1)
            }
        } _: { _, admin in
            let body = #"{"target":"/held"}"#
            let clients = try (0..<16).map { _ in
                let client = try RawClient(port: admin.port)
                client.send(
                    "POST /explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                return client
            }
            for _ in clients { try begun.waitBlocking() }
            let refused = try admin.post("/explain", body: body)
            #expect(refused.status == 503)
            #expect(try refused.code() == "OVERLOADED")
            for path in ["/health/ready", "/health/live", "/status", "/metrics"] {
                #expect(try admin.ask("GET \(path)").status == 200)
            }
            held.fire()
            for client in clients { #expect(client.receive()?.status == 200) }
            #expect(try admin.post("/explain", body: body).status == 200)
        }
    }

    @Test("The connections of an admin address are taken from those to upstreams, never from clients")
    func descriptors() throws {
        let without = try adminConfiguration([])
        let with = try adminConfiguration(["127.0.0.1:0"])
        for descriptors in [256, 1024, 65_536] {
            let kept = min(64, descriptors / 8)
            #expect(
                with.connectionLimit(descriptors: descriptors)
                    == without.connectionLimit(descriptors: descriptors))
            #expect(
                with.upstreamConnectionLimit(descriptors: descriptors)
                    == max(
                        descriptors / 8, without.upstreamConnectionLimit(descriptors: descriptors) - kept - 6)
            )
        }
    }

    @Test("A status tells what the gateway holds, and leaves out a loop that is silent for half a second")
    func status() throws {
        let release = DispatchSemaphore(value: 0)
        try withAdminGateway {
            $0.version = "1.4.0"
            $0.loops = 2
        } _: { server, admin in
            defer { release.signal() }
            let client = try RawClient(port: server.port)
            #expect(client.get("/quick")?.status == 200)
            let status = try admin.json("GET /status")
            #expect(status[member: "version"]?.stringValue == "1.4.0")
            #expect(status[member: "phase"]?.stringValue == "ready")
            #expect(status[member: "connections"]?.description == "1")
            #expect(status[member: "incomplete"] == nil)
            #expect(status[member: "configuration"] == nil)
            let limits = try #require(status[member: "limits"])
            #expect(limits[member: "connections"]?[member: "used"]?.description == "1")
            #expect(
                limits[member: "connections"]?[member: "limit"]?.description
                    == "\(server.connectionTotal.limit)")
            #expect(status[member: "loops"]?.elements.count == 2)
            // It blocks the loop, as a handler can.
            server.workers[1].loop.execute { _ = release.wait(timeout: .now() + 30) }
            let partial = try admin.json("GET /status")
            #expect(partial[member: "incomplete"]?.description == "true")
            let loops = try #require(partial[member: "loops"]?.elements)
            #expect(loops[0][member: "connections"] != nil)
            #expect(loops[1].description == #"{"loop":1,"silent":true}"#)
            // The report waits for no loop.
            #expect(server.report.connections == 1)
        }
    }

    @Test("/health/live is 503 with the number of a loop that is stuck, and 200 once it goes on")
    func stuckLoopOverHTTP() throws {
        let release = DispatchSemaphore(value: 0)
        try withAdminGateway {
            $0.loops = 2
        } _: { server, admin in
            defer { release.signal() }
            let worker = try #require(server.admin?.worker)
            // These pings are in addition to one each second.
            func ping(_ count: Int, answeredBy workers: ArraySlice<LoopBound<Worker>>) throws {
                for _ in 0..<count {
                    let pinged = Signal()
                    worker.loop.execute {
                        worker.value.pulses.beat()
                        pinged.fire()
                    }
                    try pinged.waitBlocking()
                    // They answer each ping before the next.
                    for worker in workers {
                        let answered = Signal()
                        worker.loop.execute { answered.fire() }
                        try answered.waitBlocking()
                    }
                }
            }
            try ping(LoopPulses.mostMissed + 1, answeredBy: server.workers[...])
            #expect(try admin.ask("GET /health/live").status == 200)
            // It blocks the loop, as a handler can.
            server.workers[1].loop.execute { _ = release.wait(timeout: .now() + 30) }
            try ping(LoopPulses.mostMissed + 1, answeredBy: server.workers[..<1])
            let stuck = try admin.ask("GET /health/live")
            #expect(stuck.status == 503)
            #expect(stuck.text == #"{"status":"stuck","loop":1}"#)
            #expect(try admin.ask("GET /health/ready").status == 200)
            release.signal()
            try spin(while: try admin.ask("GET /health/live").status == 503) { "the loop counts as stuck" }
        }
    }

    @Test("A loop that leaves ten pings unanswered makes the process unhealthy, with its number")
    func stuckLoop() async throws {
        let (stuck, admin) = (try EventLoopGroup(count: 2), try EventLoopGroup(count: 1))
        let release = DispatchSemaphore(value: 0)
        let pulses = LoopBound(on: admin.loops[0]) { [loop = admin.loops[0]] in
            LoopPulses(on: loop, every: .seconds(3600))
        }
        /// - Parameter free: the loops that are not blocked, which answer each ping before the next.
        func beat(_ count: Int, free: Range<Int>) async throws -> Int? {
            for _ in 0..<count {
                try await admin.loops[0].perform { pulses.value.beat() }
                for loop in stuck.loops[free] { _ = try await loop.perform { 0 } }
            }
            return try await admin.loops[0].perform { pulses.value.stuckLoop }
        }
        try await admin.loops[0].perform { pulses.value.begin(stuck.loops) }
        #expect(try await beat(30, free: 0..<2) == nil)
        stuck.loops[1].execute { _ = release.wait(timeout: .now() + 30) }
        // The first of them may still be answered, and the next one is the first that is not.
        #expect(try await beat(LoopPulses.mostMissed - 1, free: 0..<1) == nil)
        #expect(try await beat(2, free: 0..<1) == 1)
        release.signal()
        _ = try await stuck.loops[1].perform { 0 }
        #expect(try await beat(1, free: 0..<2) == nil)
        try await admin.loops[0].perform { pulses.value.end() }
        await Task.detached {
            stuck.shutdown()
            admin.shutdown()
        }.value
    }
}
