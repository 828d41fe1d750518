import Crypto
import EventIO
import Foundation
import GatewayConfig
import GatewayCore
import Resilience
import SharedStore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The stores of a gateway", .timeLimit(.minutes(1)))
struct StoreTableTests {
    /// A table on two loops, and the lines that it logs.
    private func withTable(_ body: (StoreTable, EventLoopGroup) throws -> Void) throws -> [String] {
        try logLines { log in
            var configuration = GatewayServerConfiguration()
            configuration.logFormat = .json
            let logs = Logs(configuration, output: log, errors: log)
            let group = try EventLoopGroup(count: 2, name: "store")
            let table = StoreTable(loops: group.loops, resolver: Resolver(), log: logs.diagnostics)
            defer {
                table.end()
                group.shutdown()
                logs.close()
            }
            try body(table, group)
        }
    }

    private static func settings(_ url: String) -> RedisStore {
        var settings = RedisStore(url)
        settings.timeout = .seconds(10)
        settings.password = "open sesame"
        return settings
    }

    @Test(
        "A setting that cannot be used is named, and no text shows the password",
        arguments: [
            ("http://cache", "stores.main.redis: takes redis://host[:port]"),
            (
                "redis://me:open sesame@cache",
                "stores.main.redis: the user and the password belong in the keys user and password"
            ),
            ("redis://cache/2", "stores.main.redis: the number of the database belongs in the key database"),
            ("unix:cache", "stores.main.redis: the path of a Unix socket begins with a slash"),
            (
                "unix:/\(String(repeating: "x", count: 107))",
                "stores.main.redis: the path of a Unix socket has at most 107 bytes"
            ),
        ])
    func badAddress(_ url: String, _ text: String) throws {
        let lines = try withTable { table, _ in
            let error = #expect(throws: GatewayStartError.self) {
                try table.prepare(["main": Self.settings(url)])
            }
            #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("sesame") == false)
            #expect(table.failures.isEmpty)
        }
        #expect(lines.isEmpty)
    }

    @Test("A setting out of its range is named")
    func badSettings() throws {
        let changes: [(String, (inout RedisStore) -> Void)] = [
            ("stores.main.database: 65536 is not between 0 and 65535", { $0.database = 65_536 }),
            ("stores.main.timeout: 0.0 seconds is not between 1 ms and 10 s", { $0.timeout = .zero }),
            (
                "stores.main.prefix: it has more than 64 bytes",
                { $0.prefix = String(repeating: "x", count: 65) }
            ),
            (
                "stores.main.user: a user needs a password",
                {
                    $0.user = "me"
                    $0.password = nil
                }
            ), ("stores.main.tls: only a rediss address has TLS", { $0.tls = TLSConfiguration() }),
            (
                "stores.main.tls: ",
                {
                    $0.url = "rediss://cache"
                    $0.tls = TLSConfiguration()
                    $0.tls?.trust = .authorities(.file("/nowhere/ca.pem"))
                }
            ),
        ]
        for (text, change) in changes {
            _ = try withTable { table, _ in
                var settings = Self.settings("redis://cache")
                change(&settings)
                let error = #expect(throws: GatewayStartError.self) { try table.prepare(["main": settings]) }
                #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
            }
        }
    }

    @Test("Requests off the loops of the gateway are not decided")
    func otherThread() throws {
        _ = try withTable { table, _ in
            let store = try #require(
                try table.prepare(["main": Self.settings("redis://127.0.0.1:1")])["main"])
            let isUnavailable = Signal()
            store.take([], within: 1) { if case .unavailable = $0 { isUnavailable.fire() } }
            #expect(isUnavailable.count == 1)
        }
    }

    @Test("A store that cannot be reached is logged once for all loops, and counted")
    func unreachable() throws {
        let lines = try withTable { table, group in
            let stores = try table.prepare(["main": RedisStore("unix:/nowhere/redis.sock")])
            let store = try #require(stores["main"])
            let answered = Signal()
            for loop in group.loops {
                loop.execute {
                    store.take([StoreLimitRequest.test], within: .max) { outcome in
                        if case .unavailable = outcome { answered.fire() }
                    }
                }
            }
            for _ in 0..<2 { try answered.waitBlocking() }
            try spin(while: table.failures.map(\.count).reduce(0, +) < 2) { "\(table.failures)" }
            #expect(table.failures.map(\.store) == ["main", "main"])
            #expect(table.failures.map(\.reason) == ["timeout", "unreachable"])
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""message":"store unavailable","store":"main""#) == true, "\(lines)")
        #expect(lines.first?.contains("No such file or directory") == true)
    }
}

@Suite(
    "The stores of a gateway over reloads", .timeLimit(.minutes(1)),
    .enabled(if: RedisServer.isInstalled, "\(RedisServer.isMissing)"))
struct StoreReloadTests {
    /// The connections of clients, without the one that asks.
    private func connections(_ server: RedisServer) throws -> Int {
        let lines = try server.command("INFO", "clients").split(separator: "\r\n")
        let name = "connected_clients:"
        let line = try #require(lines.first { $0.hasPrefix(name) })
        return try #require(Int(line.dropFirst(name.count))) - 1
    }

    @Test("Equal settings keep the connections, others get new ones, and unused connections are closed")
    func reload() throws {
        let server = try RedisServer()
        let group = try EventLoopGroup(count: 2, name: "store")
        let logs = Logs(GatewayServerConfiguration(), output: 1, errors: 2)
        let table = StoreTable(loops: group.loops, resolver: Resolver(), log: logs.diagnostics)
        var settings = RedisStore("unix:\(server.unixPath)")
        var first: [String: any RateLimitStore]? = try table.prepare(["main": settings])
        try spin(while: try connections(server) < 2) { "two loops connect" }
        var second: [String: any RateLimitStore]? = try table.prepare(["main": settings])
        #expect(first?["main"] as AnyObject === second?["main"] as AnyObject)
        second = nil
        settings.prefix = "other:"
        second = try table.prepare(["main": settings])
        #expect(first?["main"] as AnyObject !== second?["main"] as AnyObject)
        try spin(while: try connections(server) < 4) { "two loops connect to the new store" }
        // The last request of the earlier generation has ended.
        first = nil
        try spin(while: try connections(server) > 2) { "the earlier connections are closed" }
        second = nil
        try spin(while: try connections(server) > 0) { "all connections are closed" }
        withExtendedLifetime((first, second)) {}
        group.shutdown()
        logs.close()
    }

    @Test("The counts of a store that is gone stay")
    func counts() throws {
        let group = try EventLoopGroup(count: 1, name: "store")
        let logs = Logs(GatewayServerConfiguration(), output: 1, errors: RawPipe().writer)
        let table = StoreTable(loops: group.loops, resolver: Resolver(), log: logs.diagnostics)
        var stores: [String: any RateLimitStore]? = try table.prepare(["main": RedisStore("unix:/nowhere/x")])
        let answered = Signal()
        let store = try #require(stores?["main"])
        group.loops[0].execute { store.take([.test], within: .max) { _ in answered.fire() } }
        try answered.waitBlocking()
        let before = table.failures.map(\.count).reduce(0, +)
        #expect(before == 1)
        stores = nil
        withExtendedLifetime(stores) {}
        #expect(table.failures.map(\.count).reduce(0, +) == before)
        group.shutdown()
        logs.close()
    }
}

extension StoreLimitRequest {
    fileprivate static let test = StoreLimitRequest(
        name: "perUser", digest: SHA256Digest(of: "ada"),
        policy: RateLimitPolicy(count: 10, period: .seconds(3600)))
}
