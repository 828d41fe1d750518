import EventIO
import Foundation
import GatewayConfig
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite(
    "Limits in a store", .timeLimit(.minutes(1)),
    .enabled(if: RedisServer.isInstalled, "\(RedisServer.isMissing)"))
struct StoreGatewayTests {
    /// Serves `/local` and `/deny`, which have a limit each, and `/both`, which has both. Returns the lines
    /// of the diagnostic log.
    private func serve(
        _ store: RedisStore, loops: Int = 1, rate: Int = 10, _ body: (GatewayServer) throws -> Void
    ) throws -> [String] {
        try logLines { log in
            _ = try withLoggedGateway(errors: log) {
                $0.stores["main"] = store
                $0.loops = loops
                $0.logLevel = .warning
                $0.logFormat = .json
            } declare: { gateway in
                gateway.rateLimit(
                    "local",
                    RateLimit(key: [.client], rate: rate, per: .seconds(3600), store: "main"))
                gateway.rateLimit(
                    "deny",
                    RateLimit(
                        key: [.client], rate: rate, per: .seconds(3600), store: "main", onStoreFailure: .deny)
                )
                gateway.get("/local", .rateLimits("local")) { _ in .json(1) }
                gateway.get("/deny", .rateLimits("deny")) { _ in .json(1) }
                gateway.get("/both", .rateLimits("local", "deny")) { _ in .json(1) }
            } _: { server in
                try body(server)
            }
        }
    }

    private static func settings(_ server: RedisServer, timeout: Duration = .seconds(10)) -> RedisStore {
        var settings = RedisStore("unix:\(server.unixPath)")
        settings.timeout = timeout
        return settings
    }

    @Test("Two gateways of two loops admit exactly the limit together")
    func twoGateways() throws {
        let redis = try RedisServer()
        let lines = try serve(Self.settings(redis), loops: 2) { first in
            let others = try serve(Self.settings(redis), loops: 2) { second in
                let clients = try first.clientsOfLoops() + second.clientsOfLoops()
                let replies = try (0..<40).map { try clients[$0 % 4].ask("/local") }
                #expect(replies.count { $0.status == 200 } == 10)
                #expect(replies.count { $0.status == 429 } == 30)
                #expect(replies[0].value("RateLimit-Policy") == #""local";q=10;w=3600"#)
                #expect(replies[0].value("RateLimit") == #""local";r=9;t=360"#)
                let wait = try #require(replies[39].value("Retry-After").flatMap { Int($0) })
                #expect((350...360).contains(wait))
                for client in clients { client.close() }
            }
            #expect(others.isEmpty)
        }
        #expect(lines.isEmpty, "\(lines)")
    }

    @Test("A request that one of two limits refuses uses up nothing of the other")
    func both() throws {
        let redis = try RedisServer()
        _ = try serve(Self.settings(redis), rate: 3) { server in
            for _ in 0..<2 { #expect(try server.ask("/local").status == 200) }
            #expect(try server.ask("/both").status == 200)
            for _ in 0..<3 {
                let reply = try server.ask("/both")
                #expect(reply.status == 429)
                #expect(reply.value("RateLimit")?.contains(#""deny";r=2"#) == true)
            }
            for status in [200, 200, 429] { #expect(try server.ask("/deny").status == status) }
        }
    }

    @Test("Without the store, one limit counts in the process, another one refuses, and each is told once")
    func stopped() throws {
        let folder = ScratchFolder()
        var redis = try RedisServer(in: folder)
        let lines = try serve(Self.settings(redis), rate: 3) { server in
            #expect(try server.ask("/local").status == 200)
            #expect(try server.ask("/deny").status == 200)
            redis.stop()
            // The process has counted nothing before.
            for status in [200, 200, 200, 429] { #expect(try server.ask("/local").status == status) }
            let refused = try server.ask("/deny")
            #expect(refused.status == 503)
            #expect(try refused.code() == "UPSTREAM_UNAVAILABLE")
            #expect(server.settled.access.storeErrors == ["main": 5])
            redis = try RedisServer(in: folder)
            try spin(while: try server.ask("/deny").status != 200) { "the store is not used again" }
            #expect(try server.ask("/local").status == 200)
            // One line more, once nothing has failed for a second.
            try spin(while: !server.site.stores.isAvailable("main")) { "the store is not back" }
        }
        #expect(lines.count == 2, "\(lines)")
        #expect(
            lines.first?.contains(#""message":"store unavailable","store":"main","reason":"unreachable""#)
                == true)
        #expect(lines.last?.contains(#""message":"store is back","store":"main""#) == true)
        // Four that the process counted, and at least the one that it refused.
        let missed = try #require(
            lines.last.flatMap { try? JSONFragment(validating: Array($0.utf8)[...]) }?[
                member: "requestsWithoutStore"]?.intValue)
        #expect(missed >= 5)
        withExtendedLifetime(redis) {}
    }

    @Test("A frozen store refuses nobody whom the process would admit, and is used again when it goes on")
    func frozen() throws {
        let redis = try RedisServer()
        let lines = try serve(Self.settings(redis, timeout: .milliseconds(20)), rate: 1000) { server in
            let client = try RawClient(port: server.port)
            defer { client.close() }
            try spin(while: try client.ask("/deny").status != 200) { "not connected" }
            redis.freeze()
            for _ in 0..<100 { #expect(try client.ask("/local").status == 200) }
            #expect(try client.ask("/deny").status == 503)
            #expect(!server.site.stores.isAvailable("main"))
            redis.thaw()
            // The breaker asks it once in a second. Its tests have that time, in virtual time.
            try spin(while: try client.ask("/deny").status != 200) {
                "the store is not used again: \(server.site.stores.failures)"
            }
            try spin(while: !server.site.stores.isAvailable("main")) { "the store is not back" }
        }
        #expect(lines.count == 2, "\(lines)")
    }

    @Test("A wrong password is told without the password, and the requests are treated as without a store")
    func wrongPassword() throws {
        let redis = try RedisServer(password: "open sesame")
        var settings = Self.settings(redis)
        settings.password = "close sesame"
        let lines = try serve(settings, rate: 2) { server in
            let statuses = try (0..<3).map { _ in try server.ask("/local").status }
            #expect(statuses == [200, 200, 429])
            #expect(try server.ask("/deny").status == 503)
        }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains(#""reason":"credentials""#) == true)
        #expect(lines.first?.contains("sesame") == false)
    }

    @Test("A store with a certificate of its own counts over TLS")
    func secure() throws {
        let redis = try RedisServer(listens: .tls)
        var settings = RedisStore("rediss://localhost:\(redis.port)")
        settings.timeout = .seconds(10)
        settings.tls = TLSConfiguration()
        settings.tls?.trust = .authorities(.text(TestAuthority.shared.pem))
        let lines = try serve(settings, rate: 1) { server in
            let statuses = try (0..<2).map { _ in try server.ask("/local").status }
            #expect(statuses == [200, 429])
            #expect(try redis.command("DBSIZE") == ":1")
        }
        #expect(lines.isEmpty, "\(lines)")
    }

    @Test("reloadCertificates() also renews the authorities of a store; a failed reload changes nothing")
    func certificates() throws {
        let redis = try RedisServer(listens: .tls)
        let folder = ScratchFolder()
        let file = folder.file("authorities.pem")
        var settings = RedisStore("rediss://localhost:\(redis.port)")
        settings.timeout = .seconds(10)
        settings.tls = TLSConfiguration()
        settings.tls?.trust = .authorities(.file(file))
        try TestAuthority.other.pem.write(toFile: file, atomically: true, encoding: .utf8)
        let lines = try serve(settings, rate: 1000) { server in
            #expect(try server.ask("/deny").status == 503)
            try "no certificate".write(toFile: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: GatewayStartError.self) { try server.reloadCertificates() }
            #expect(error?.description.hasPrefix("stores.main.tls: ") == true, "\(error as Any)")
            #expect(try server.ask("/deny").status == 503)
            try TestAuthority.shared.pem.write(toFile: file, atomically: true, encoding: .utf8)
            try server.reloadCertificates()
            try spin(while: try server.ask("/deny").status != 200) { "the store is not used" }
        }
        #expect(lines.first?.contains(#""message":"store unavailable""#) == true, "\(lines)")
        withExtendedLifetime(redis) {}
    }

    @Test("A gateway with a store that it cannot use does not start")
    func badStore() throws {
        let error = #expect(throws: GatewayStartError.self) {
            _ = try serve(RedisStore("http://cache")) { _ in }
        }
        #expect(error?.description.hasPrefix("stores.main.redis: takes redis://") == true)
    }
}
