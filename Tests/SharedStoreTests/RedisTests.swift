import Crypto
import EventIO
import Foundation
import Glibc
import Locking
import Resilience
import TestSupport
import Testing

@testable import SharedStore

@Suite(
    "A store in a real Redis server", .timeLimit(.minutes(1)),
    .enabled(if: RedisServer.isInstalled, "\(RedisServer.isMissing)"))
struct RedisTests {
    @Test("Connections of two loops admit exactly the limit together")
    func twoConnections() async throws {
        let server = try RedisServer()
        let client = try await StoreClient(.unix(server.unixPath), loops: 2)
        let limit = StoreLimit.test(10, per: .seconds(3600))
        let results = Inbox<Result<[LimitDecision], StoreFailure>>()
        for index in 0..<40 { client.begin([limit], on: index % 2) { results.put($0) } }
        let decisions = try await results.next(40).map { try $0.get()[0] }
        #expect(decisions.count(where: \.isAllowed) == 10)
        #expect(Set(decisions.filter(\.isAllowed).map(\.remaining)) == Set(0...9))
        for decision in decisions where !decision.isAllowed {
            #expect((359_000_000_000...360_000_000_000).contains(decision.retryNanoseconds))
        }
        #expect(client.changes.isEmpty)
        try await client.close()
    }

    @Test("A request that one limit refuses uses up nothing of the others")
    func refused() async throws {
        let server = try RedisServer()
        let client = try await StoreClient(.unix(server.unixPath))
        let small = StoreLimit.test("small", 1, per: .seconds(3600))
        let large = StoreLimit.test("large", 100, per: .seconds(3600))
        #expect(try await client.take([large, small]).isAllowed == true)
        for _ in 0..<5 {
            let decisions = try await client.take([large, small]).get()
            #expect(decisions.map(\.isAllowed) == [true, false])
            #expect(decisions[0].remaining == 99)
            #expect(decisions[1].retryNanoseconds > 3_590_000_000_000)
        }
        #expect(try await client.take([large]).get()[0].remaining == 98)
        try await client.close()
    }

    @Test("A key has prefix, name and 128 bits, and expires when the limit is full again")
    func keys() async throws {
        let server = try RedisServer()
        var settings = try StoreSettings.unix(server.unixPath)
        settings.prefix = "shop:"
        let client = try await StoreClient(settings)
        let limit = StoreLimit.test(10, per: .seconds(600))
        _ = try await client.take([limit])
        let key =
            "shop:perUser:"
            + String(limit.digest.hexadecimal.prefix(32))
        #expect(try server.command("KEYS", "*") == "*1\r\n$\(key.utf8.count)\r\n\(key)")
        let left = try #require(Int(try server.command("PTTL", String(key)).dropFirst()))
        #expect((50_000...60_000).contains(left))
        let brief = StoreLimit.test("brief", 1000, per: .seconds(1))
        _ = try await client.take([brief])
        try spin(while: try server.command("DBSIZE") != ":1") { "a key of 1 ms is still there" }
        try await client.close()
    }

    @Test("Another database has other counts")
    func database() async throws {
        let server = try RedisServer()
        var settings = try StoreSettings.unix(server.unixPath)
        settings.database = 3
        let client = try await StoreClient(settings)
        #expect(try await client.take([.test(1, per: .seconds(60))]).isAllowed == true)
        #expect(try server.command("DBSIZE") == ":0")
        #expect(try server.command("INFO", "keyspace").contains("db3:keys=1"))
        try await client.close()
    }

    @Test("A database that does not exist is a failure with a clear text")
    func missingDatabase() async throws {
        let server = try RedisServer()
        var settings = try StoreSettings.unix(server.unixPath)
        settings.database = 99
        let client = try await StoreClient(settings)
        try spin(while: client.changes.isEmpty) { "nothing was reported" }
        #expect(client.changes == [.lost(StoreFailure(.error, "the store has no database of this number"))])
        try await client.close()
    }

    @Test("Without the password, and with a wrong one, nothing is decided, and no text shows it")
    func wrongPassword() async throws {
        let server = try RedisServer(password: "open sesame")
        for password in [nil, "close sesame"] {
            var settings = try StoreSettings.unix(server.unixPath)
            settings.password = password
            let client = try await StoreClient(settings)
            let failure = try await client.take([.test(1, per: .seconds(60))]).failure
            #expect(failure?.kind == .credentials)
            #expect(failure?.description.contains("sesame") == false)
            try await client.close()
        }
    }

    @Test("User and password open a database of a store whose default user is off")
    func user() async throws {
        let server = try RedisServer(password: "open sesame")
        try server.command(
            "ACL", "SETUSER", "sluice", "on", ">cave", "~sluice:*", "+evalsha", "+eval", "+script|load",
            "+get", "+set", "+time", "+select")
        var settings = try StoreSettings.unix(server.unixPath)
        (settings.user, settings.password, settings.database) = ("sluice", "cave", 7)
        let client = try await StoreClient(settings)
        #expect(try await client.take([.test(1, per: .seconds(60))]).isAllowed == true)
        try await client.close()
    }

    @Test("A user who may not use the keys is a failure with a clear text")
    func forbidden() async throws {
        let server = try RedisServer()
        try server.command("ACL", "SETUSER", "sluice", "on", ">cave", "~other:*", "+@all")
        var settings = try StoreSettings.unix(server.unixPath)
        (settings.user, settings.password) = ("sluice", "cave")
        let client = try await StoreClient(settings)
        #expect(try await client.take([.test(1, per: .seconds(60))]).failure?.kind == .credentials)
        try await client.close()
    }

    @Test("TCP and TLS reach the store, by name and by address", arguments: ["127.0.0.1", "localhost"])
    func overTLS(_ host: String) async throws {
        let server = try RedisServer(listens: .tls)
        var tls = TLSConfiguration()
        tls.trust = .authorities(.text(TestAuthority.shared.pem))
        tls.applicationProtocols = []
        var settings = StoreSettings(.tcp(host: host, port: Int(server.port)))
        settings.timeout = .seconds(10)
        settings.tls = try TLSContext(tls)
        let client = try await StoreClient(settings)
        #expect(try await client.take([.test(1, per: .seconds(60))]).isAllowed == true)
        #expect(try await client.take([.test(1, per: .seconds(60))]).isAllowed == false)
        try await client.close()
    }

    @Test("A certificate of another authority, and plain text to a TLS port, decide nothing")
    func untrusted() async throws {
        let server = try RedisServer(listens: .tls)
        var tls = TLSConfiguration()
        tls.trust = .authorities(.text(TestAuthority.other.pem))
        var settings = StoreSettings.port(server.port)
        settings.tls = try TLSContext(tls)
        var client = try await StoreClient(settings)
        let failure = try await client.take([.test(1, per: .seconds(60))]).failure
        #expect(failure?.kind == .unreachable)
        #expect(failure?.description.contains("certificate") == true, "\(failure?.description ?? "")")
        try await client.close()
        client = try await StoreClient(.port(server.port))
        #expect(try await client.take([.test(1, per: .seconds(60))]).failure != nil)
        try await client.close()
    }

    @Test("Scripts that are flushed under load cost no decision and admit exactly the limit")
    func noScript() async throws {
        let server = try RedisServer(listens: .tcp)
        let client = try await StoreClient(.port(server.port), loops: 2)
        try client.connected()
        let results = Inbox<Result<[LimitDecision], StoreFailure>>()
        let limit = StoreLimit.test(300, per: .seconds(3600))
        for index in 0..<1000 {
            client.begin([limit], on: index % 2) { results.put($0) }
            if index % 100 == 50 { try server.command("SCRIPT", "FLUSH") }
        }
        let decisions = try await results.next(1000).map { try $0.get()[0] }
        #expect(decisions.count(where: \.isAllowed) == 300)
        #expect(client.changes.isEmpty)
        let info = try server.command("INFO", "errorstats")
        #expect(info.contains("errorstat_NOSCRIPT"))
        try await client.close()
    }

    @Test("A full store is a failure with a clear text, and is used again when it has room")
    func full() async throws {
        let server = try RedisServer()
        let client = try await StoreClient(.unix(server.unixPath))
        try server.command("CONFIG", "SET", "maxmemory", "1")
        let failure = try await client.take([.test(1, per: .seconds(60))]).failure
        #expect(failure?.kind == .full)
        #expect(
            failure?.description
                == "the store has no memory left: raise maxmemory, or let it evict keys (OOM)")
        try server.command("CONFIG", "SET", "maxmemory", "0")
        #expect(try await client.take([.test(1, per: .seconds(60))]).isAllowed == true)
        try await client.close()
    }

    @Test("A read-only replica is a failure, and the connection is made again")
    func replica() async throws {
        let server = try RedisServer(listens: .tcp)
        let client = try await StoreClient(.port(server.port))
        #expect(try await client.take([.test(2, per: .seconds(60))]).isAllowed == true)
        try server.command("CONFIG", "SET", "replica-serve-stale-data", "yes")
        try server.command("REPLICAOF", "127.0.0.1", "1")
        #expect(try await client.take([.test(2, per: .seconds(60))]).failure?.kind == .readonly)
        try server.command("REPLICAOF", "NO", "ONE")
        try await poll(while: try await client.take([.test(2, per: .seconds(60))]).isAllowed != true) {
            "\(client.availability.status)"
        }
        try await client.close()
    }

    @Test("A stopped store fails its requests, and one that is back is used again, with a line for each")
    func restarted() async throws {
        let folder = ScratchFolder()
        var server = try RedisServer(in: folder)
        let client = try await StoreClient(.unix(server.unixPath), loops: 2)
        let limit = StoreLimit.test(1000, per: .seconds(60))
        #expect(try await client.take([limit]).isAllowed == true)
        try client.connected()
        server.stop()
        try spin(while: client.availability.status.connections > 0) { "\(client.availability.status)" }
        #expect(try await client.take([limit]).failure?.kind == .unreachable)
        server = try RedisServer(in: folder)
        try client.connected()
        #expect(try await client.take([limit]).isAllowed == true)
        try spin(while: client.changes.count < 2) { "\(client.changes)" }
        #expect(client.changes.count == 2)
        guard case .lost(let failure) = client.changes[0], case .back(_, let missed) = client.changes[1]
        else {
            Issue.record("\(client.changes)")
            return
        }
        #expect(failure.kind == .unreachable)
        #expect(missed >= 1)
        #expect(client.availability.status.isAvailable)
        try await client.close()
        withExtendedLifetime(server) {}
    }

    @Test("A store that was never there is reported once, and is used when it comes")
    func late() async throws {
        let folder = ScratchFolder()
        let client = try await StoreClient(.unix(folder.file("redis.socket")), loops: 2)
        try spin(while: client.changes.isEmpty) { "nothing was reported" }
        #expect(try await client.take([.test(5, per: .seconds(60))]).failure?.kind == .unreachable)
        let server = try RedisServer(in: folder)
        try client.connected()
        #expect(try await client.take([.test(5, per: .seconds(60))], on: 1).isAllowed == true)
        #expect(client.changes.first.map { if case .lost = $0 { true } else { false } } == true)
        try spin(while: client.changes.count < 2) { "\(client.changes)" }
        try await client.close()
        withExtendedLifetime(server) {}
    }

    @Test("A frozen store costs its timeout, then nothing, and is used again when it goes on")
    func frozen() async throws {
        let server = try RedisServer(listens: .tcp)
        let client = try await StoreClient(.port(server.port, timeout: .milliseconds(20)))
        let limit = StoreLimit.test(100_000, per: .seconds(60))
        try client.connected()
        #expect(try await client.take([limit]).isAllowed == true)
        server.freeze()
        // The breaker opens once half of at least 20 commands within a second have failed. These are sent
        // together, so they fail together.
        func failTogether() async throws -> [StoreFailure.Kind] {
            let results = Inbox<Result<[LimitDecision], StoreFailure>>()
            try await client.perform { connection in
                for _ in 0..<20 { connection.take([limit]) { results.put($0) } }
            }
            return try await results.next(20).compactMap { $0.failure?.kind }
        }
        #expect(try await failTogether() == Array(repeating: .timeout, count: 20))
        // Commands whose timers are very late do not count, because this process may have been stopped.
        try await poll(while: try await !failTogether().contains(.breaker)) { "the breaker is closed" }
        // Refused without waiting for the store. One command in a second asks it.
        let waiting = try await client.perform { connection in
            var refusals = 0
            for _ in 0..<100 {
                connection.take([limit]) { if $0.failure?.kind == .breaker { refusals += 1 } }
            }
            return 100 - refusals
        }
        #expect(waiting <= 1)
        server.thaw()
        var kinds: Set<StoreFailure.Kind> = []
        func isRefused() async throws -> Bool {
            guard let failure = try await client.take([limit]).failure else { return false }
            kinds.insert(failure.kind)
            return true
        }
        try await poll(while: try await isRefused()) { "\(client.availability.status)" }
        // The connection is the same one, so nothing but the time of the breaker had to pass.
        #expect(kinds.isSubset(of: [.breaker, .timeout]), "\(kinds)")
        // The server worked off what it had been sent, and no request got an answer of another one.
        try spin(while: client.availability.status.lateReplies == 0) { "\(client.availability.status)" }
        try spin(while: client.changes.count < 2) { "\(client.changes)" }
        #expect(client.changes.count == 2)
        try await client.close()
    }

    @Test("A store that is frozen for long is used again as soon as it goes on, over a new connection")
    func frozenForLong() async throws {
        let server = try RedisServer(listens: .tcp)
        let client = try await StoreClient(.port(server.port, timeout: .milliseconds(20)))
        let limit = StoreLimit.test(100_000, per: .seconds(60))
        try client.connected()
        server.freeze()
        _ = try await client.take([limit])
        // Nothing comes for two seconds: the connection is replaced.
        try spin(while: client.availability.status.connections > 0) { "\(client.availability.status)" }
        server.thaw()
        try client.connected()
        try await poll(while: try await client.take([limit]).isAllowed != true) {
            "\(client.availability.status)"
        }
        try await client.close()
    }

    /// The numbers of the connections over TCP, which are the gateway's. The commands of a test come over the
    /// Unix socket.
    private static func connections(_ server: RedisServer) throws -> Set<Substring> {
        let lines = try server.command("CLIENT", "LIST").split(whereSeparator: \.isNewline)
        return Set(lines.filter { $0.contains(" addr=127.0.0.1:") }.map { $0.prefix { $0 != " " } })
    }

    @Test("A store that closes idle connections is not away")
    func idle() async throws {
        let server = try RedisServer(listens: .tcp)
        let client = try await StoreClient(.port(server.port))
        #expect(try await client.take([.test(5, per: .seconds(60))]).isAllowed == true)
        try await poll(while: try await client.perform { !$0.isSteady }) { "not connected for a second" }
        let first = try Self.connections(server)
        #expect(first.count == 1)
        try server.command("CLIENT", "KILL", "TYPE", "normal")
        try spin(while: try Self.connections(server).subtracting(first).isEmpty) { "no second connection" }
        #expect(try Self.connections(server).count == 1)
        #expect(try await client.take([.test(5, per: .seconds(60))]).isAllowed == true)
        #expect(client.changes.isEmpty)
        try await client.close()
    }

    @Test("What another program wrote to a key counts as nothing, and another type is a failure")
    func foreignKeys() async throws {
        let server = try RedisServer()
        let client = try await StoreClient(.unix(server.unixPath))
        let limit = StoreLimit.test(5, per: .seconds(60))
        let key = LimitScript.run([], for: [limit], prefix: "sluice:").texts[3]
        try server.command("SET", key, "nonsense")
        #expect(try await client.take([limit]).get()[0].remaining == 4)
        try server.command("DEL", key)
        try server.command("LPUSH", key, "nonsense")
        #expect(try await client.take([limit]).failure?.description.contains("another prefix") == true)
        try await client.close()
    }
}
