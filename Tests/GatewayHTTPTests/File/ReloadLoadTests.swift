import Foundation
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Many reloads", .timeLimit(.minutes(3)))
struct ReloadLoadTests {
    @Test("Reloads under load lose no request, on kept connections and on new ones")
    func underLoad() throws {
        let upstreams = try (0..<3).map { index in
            try ScriptedUpstream([.answer { _ in FileGateway.ok("\(index)") }])
        }
        defer { for upstream in upstreams { upstream.stop() } }
        /// The upstream `a` is another one in each generation, `b` is always the same.
        func text(_ generation: Int) -> String {
            FileGateway.text([
                "a": (upstreams[generation % 2].port, ""),
                "b": (upstreams[2].port, ", headers: {X-N: \"\(generation)\"}"),
            ])
        }
        let gateway = try FileGateway(text(0), configure: { $0.loops = 2 })
        defer { gateway.stop() }
        let port = gateway.server.port
        let isOver = Lock(false)
        let served = Lock(0)
        let lost = Lock<[String]>([])
        let left = Signal()
        for index in 0..<6 {
            Thread.detachNewThread {
                defer { left.fire() }
                var kept: RawClient?
                while !isOver.withLock({ $0 }) {
                    let client = kept ?? (try? RawClient(port: port))
                    let reply = client?.get(index % 3 == 0 ? "/a" : "/b")
                    if reply?.status == 200 {
                        served.withLock { $0 += 1 }
                    } else {
                        lost.withLock { $0.append("\(reply.map { "\($0)" } ?? "no answer")") }
                    }
                    let closes = index < 3 || reply == nil || reply?.value("Connection") == "close"
                    if closes { client?.close() }
                    kept = closes ? nil : client
                }
                kept?.close()
            }
        }
        for generation in 1...20 {
            let before = served.withLock { $0 }
            try gateway.reload(text(generation))
            try spin(while: served.withLock { $0 } < before + 20 && lost.withLock { $0.isEmpty }) {
                "\(served.withLock { $0 }) served, \(before) before generation \(generation)"
            }
        }
        isOver.withLock { $0 = true }
        for _ in 0..<6 { try left.waitBlocking() }
        #expect(lost.withLock { $0 } == [])
        #expect(gateway.server.settled.configuration?.reloads == 20)
        #expect(upstreams[2].connections <= 12)
    }

    @Test("A hundred reloads leave no timer, pool or upstream behind")
    func leaks() throws {
        let upstreams = try (0..<2).map { _ in try ScriptedUpstream([.answer { _ in FileGateway.ok() }]) }
        defer { for upstream in upstreams { upstream.stop() } }
        func text(_ generation: Int) -> String {
            let port = upstreams[generation % 2].port
            return FileGateway.text([
                "a": (port, ", health: {path: /health}, concurrency: \(10 + generation % 3)"),
                "b\(generation)": (port, ", dns: {minTTL: \(1 + generation % 5)s}"),
            ]).replacing("127.0.0.1:\(port)\", dns", with: "localhost:\(port)\", dns")
        }
        let gateway = try FileGateway(text(0))
        defer { gateway.stop() }
        func calm() throws -> GatewayReport {
            // What is gone ends on the loop, after the last reference.
            try spin(while: gateway.server.settled.tables.upstreams > 2) {
                "\(gateway.server.settled.tables)"
            }
            // The check of an address's health that began with the last reload.
            try spin(while: gateway.server.settled.calls.leased > 0) { "\(gateway.server.settled.calls)" }
            return gateway.server.settled
        }
        /// Reloads up to this generation, with a call now and then.
        func reload(_ generations: ClosedRange<Int>) throws -> GatewayReport {
            for generation in generations {
                try gateway.reload(text(generation))
                guard generation % 10 == 0 else { continue }
                #expect(try gateway.get("/a").status == 200)
                #expect(try gateway.get("/b\(generation)").status == 200)
            }
            return try calm()
        }
        let before = try reload(1...30)
        let after = try reload(31...130)
        #expect(after.tables.upstreams == 2)
        // A pool ends with its last connection.
        try spin(while: gateway.server.settled.tables.pools > before.tables.pools) {
            "\(gateway.server.settled.tables), before \(before.tables)"
        }
        // Some depend on which connections are idle now. A leak would leave one for each reload.
        #expect(after.timers <= before.timers + 5)
        #expect(after.configuration?.reloads == 130)
    }
}
