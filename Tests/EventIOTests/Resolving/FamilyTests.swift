import Foundation
import TestSupport
import Testing

@testable import EventIO

/// Names whose answers come late, in part, or with addresses that are of no use.
@Suite(
    "DNS answers family by family", .timeLimit(.minutes(2)),
    .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
struct FamilyTests {
    private typealias Name = DNSServer.Name
    private typealias Subject = DNSTests.Subject

    private static func updates(_ some: [String], _ all: [String]) -> [ResolveUpdate] {
        func addresses(_ hosts: [String]) -> [SocketAddress] {
            hosts.compactMap { SocketAddress(host: $0, port: 80) }
        }
        return [.partial(addresses(some)), .complete(.success(addresses(all)))]
    }

    // MARK: One family

    @Test(
        "Addresses of one family are told 50 ms after they arrive, while the query for the other is unanswered",
        arguments: [("A", "10.0.0.1"), ("AAAA", "fd00::1")])
    func oneFamily(kind: String, address: String) async throws {
        let other = kind == "A" ? "AAAA" : "A"
        let subject = try Subject(
            ["half.test": Name([address], faults: [other: .silent])],
            limits: { $0.lookupTimeout = .seconds(1) })
        try await withLoop { loop async throws in
            let start = ContinuousClock.now
            let update = try await withDeadline("no update for half.test") { continuation in
                loop.execute {
                    var isFirst = true
                    subject.resolver.resolve(
                        "half.test", port: 80, on: loop, deadline: loop.now + patience
                    ) { update in
                        if isFirst { continuation.resume(returning: update) }
                        isFirst = false
                    }
                }
            }
            let took = ContinuousClock.now - start
            #expect(update == Self.updates([address], [])[0])
            if kind == "A" { #expect(took >= .milliseconds(50), "\(took)") }
            // Another request need not wait either, and the lookup ends with what it has.
            #expect(
                try await subject.updates("half.test", on: loop) == Self.updates([address], [address]))
            #expect(subject.server.lookups(of: "half.test") >= 1)
            #expect(try await subject.resolve("half.test", on: loop) == DNSTests.addresses(address))
        }
    }

    @Test("A late family joins the addresses of the first one")
    func lateFamily() async throws {
        let subject = try Subject([
            "late4.test": Name(["fd00::1", "10.0.0.1"], delays: ["A": 500]),
            "late6.test": Name(["fd00::1", "10.0.0.1"], delays: ["AAAA": 500]),
        ])
        try await withLoop { loop async throws in
            for (host, first) in [("late4.test", "fd00::1"), ("late6.test", "10.0.0.1")] {
                let updates = try await subject.updates(host, on: loop)
                #expect(updates.first == Self.updates([first], [])[0])
                guard case .complete(.success(let all)) = updates.last else {
                    Issue.record("\(updates)")
                    continue
                }
                #expect(Set(all.map(\.host)) == ["fd00::1", "10.0.0.1"])
            }
        }
    }

    @Test("A connection uses the A record of a name whose AAAA query is never answered")
    func connects() async throws {
        let (listening, open) = RawSocket.listening()
        let port = try #require(open.port)
        let subject = try Subject(
            ["half.test": Name(["127.0.0.1"], faults: ["AAAA": .silent])],
            limits: { $0.tryTimeout = .seconds(60) })
        try await withLoop { loop async throws in
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    toHost: "half.test", port: port, resolver: subject.resolver, loop: loop,
                    timeout: patience,
                    handler: $0)
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.on { $0.remoteAddress } == open)
            try await driven.on { $0.close() }
            #expect(await timerCount(of: loop).map { $0 <= 1 } == true)
            listening.close()
        }
    }

    @Test("An attempt under way tries the addresses of a late family, also after all others were refused")
    func joinsAttempt() async throws {
        let (listening, open) = RawSocket.listening()
        let port = try #require(open.port)
        let subject = try Subject([
            // Nothing listens on this port of ::1.
            "late.test": Name(["::1", "127.0.0.1"], delays: ["A": 400])
        ])
        try await withLoop { loop async throws in
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(
                    toHost: "late.test", port: port, resolver: subject.resolver, loop: loop,
                    timeout: patience,
                    handler: $0)
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.on { $0.remoteAddress } == open)
            try await driven.on { $0.close() }
            listening.close()
        }
    }

    // MARK: Search lists

    @Test("Both families of a name come from the same search domain")
    func searchDomain() async throws {
        let folder = ScratchFolder()
        let file = folder.file("resolv.conf")
        try "search one.test two.test\noptions ndots:2\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let subject = try Subject(
            [
                "db.one.test": Name(["10.0.0.1"]), "db.two.test": Name(["fd00::2"]),
                "only.two.test": Name(["fd00::2"]), "x.api.two.test": Name(["10.0.0.3"]),
                "x.api": Name(["10.0.0.4"]),
            ], configuration: file)
        try await withLoop { loop async throws in
            for (host, address) in [("db", "10.0.0.1"), ("only", "fd00::2"), ("x.api", "10.0.0.3")] {
                #expect(try await subject.resolve(host, on: loop) == DNSTests.addresses(address), "\(host)")
            }
            // A dot at the end: the name is complete.
            #expect(try await subject.resolve("x.api.", on: loop) == DNSTests.addresses("10.0.0.4"))
            #expect(!subject.server.queries.contains { $0.contains("x.api.one.test.one") })
            #expect(!subject.server.queries.contains("A db.two.test udp"))
        }
    }

    @Test("An unanswered AAAA query does not keep a lookup from the next search domain")
    func silentDomain() async throws {
        let folder = ScratchFolder()
        let file = folder.file("resolv.conf")
        try "search one.test two.test\n".write(toFile: file, atomically: true, encoding: .utf8)
        let subject = try Subject(
            [
                "db.one.test": Name(faults: ["A": .nxdomain, "AAAA": .silent]),
                "db.two.test": Name(["10.0.0.2"]),
            ], configuration: file)
        try await withLoop { loop async throws in
            let start = ContinuousClock.now
            #expect(try await subject.resolve("db", on: loop) == DNSTests.addresses("10.0.0.2"))
            // A query has 10 s for each try here.
            #expect(ContinuousClock.now - start < .seconds(9))
        }
    }

    // MARK: Aliases

    @Test("An alias that the server does not follow, and a loop of aliases, are names without addresses")
    func deadAliases() async throws {
        let subject = try Subject([
            "dangling.test": Name(alias: "nowhere.test"),
            "cut.test": Name(alias: "api.test", faults: ["A": .aliasOnly, "AAAA": .aliasOnly]),
            "api.test": Name(["10.0.0.1"]),
            "a.test": Name(alias: "b.test"), "b.test": Name(alias: "a.test"),
        ])
        try await withLoop { loop async throws in
            for host in ["dangling.test", "cut.test", "a.test"] {
                #expect(
                    try await subject.resolve(host, on: loop) == DNSTests.failure(.nameNotFound, host))
            }
        }
    }

    // MARK: Slow servers

    @Test("A slow answer fails the request at its deadline, and serves the next one")
    func slowServer() async throws {
        let subject = try Subject(["slow.test": Name(["10.0.0.1"], delays: ["A": 800, "AAAA": 800])])
        try await withLoop { loop async throws in
            #expect(
                try await subject.resolve("slow.test", on: loop, timeout: .milliseconds(100))
                    == DNSTests.failure(.nameTimedOut, "slow.test"))
            #expect(try await subject.resolve("slow.test", on: loop) == DNSTests.addresses("10.0.0.1"))
            #expect(subject.server.lookups(of: "slow.test") == 1)
        }
    }

    @Test("An answer to the first try is used after the second try was sent")
    func lateAnswer() async throws {
        let subject = try Subject(
            ["slow.test": Name(["10.0.0.1"], delays: ["A": 600, "AAAA": 600])],
            limits: { $0.tryTimeout = .milliseconds(400) })
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("slow.test", on: loop) == DNSTests.addresses("10.0.0.1"))
            #expect(subject.server.lookups(of: "slow.test") == 2)
        }
    }

    // MARK: QR=0

    @Test(
        "A datagram that is not marked as a response is ignored",
        arguments: [DNSServer.Name.Fault.echo, .unmarked])
    func unmarked(fault: DNSServer.Name.Fault) async throws {
        let subject = try Subject(["api.test": Name(["10.0.0.1"], faults: ["A": fault])])
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("api.test", on: loop) == DNSTests.addresses("10.0.0.1"))
        }
    }

    @Test(
        "A TCP connection with a message that is not marked as a response is broken, and the next server is asked",
        arguments: [DNSServer.Name.Fault.truncatedEcho, .truncatedUnmarked])
    func unmarkedStream(fault: DNSServer.Name.Fault) async throws {
        let subject = try Subject(["api.test": Name(["10.0.0.1"], faults: ["A": fault])])
        try await withLoop { loop async throws in
            #expect(
                try await subject.resolve("api.test", on: loop) == DNSTests.failure(.nameFailed, "api.test"))
        }
        #expect(subject.server.queries.contains("A api.test tcp"))
    }

    @Test("Messages are found in a TCP stream however it is cut")
    func streams() {
        func message(_ count: Int, flags: UInt8) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            if count > 2 { bytes[2] = flags }
            return [UInt8(count >> 8), UInt8(count & 255)] + bytes
        }
        let good =
            message(300, flags: 0x81) + message(0, flags: 0) + message(2, flags: 0) + message(3, flags: 0x80)
        for bad in [false, true] {
            let all = good + message(12, flags: bad ? 0x01 : 0x80)
            for size in [1, 2, 3, 7, all.count] {
                var stream = AnswerStream()
                var results: [Bool] = []
                for start in stride(from: 0, to: all.count, by: size) {
                    all[start..<min(start + size, all.count)].withUnsafeBytes {
                        results.append(stream.received($0))
                    }
                }
                #expect(results.contains(false) == bad, "\(size)")
            }
        }
    }

    @Test("A server that only sends queries back is silent")
    func echo() async throws {
        let subject = try Subject(
            ["api.test": Name(["10.0.0.1"], fault: .echoOnly)],
            limits: { $0.tryTimeout = .milliseconds(100) })
        try await withLoop { loop async throws in
            #expect(
                try await subject.resolve("api.test", on: loop)
                    == DNSTests.failure(.nameTimedOut, "api.test"))
        }
    }

    // MARK: Addresses that cannot be destinations

    @Test(
        "A numeric host that nobody can connect to fails like a name with only that address",
        arguments: [
            "0.0.0.0", "0.1.2.3", "224.0.0.251", "255.255.255.255", "::", "[::]", "ff02::1", "::ffff:0.0.0.0",
            "0",
        ])
    func unusableLiteral(host: String) async throws {
        let subject = try Subject([:])
        try await withLoop { loop async throws in
            guard case .failure(let error) = try await subject.resolve(host, on: loop) else {
                Issue.record("\(host) was resolved")
                return
            }
            #expect(error.kind == .nameUnusable)
        }
        #expect(subject.server.queries.isEmpty)
    }

    @Test("Addresses that are no destinations are left out, and a name with no other fails")
    func unusable() async throws {
        let useless = ["0.0.0.0", "0.1.2.3", "224.0.0.251", "239.1.2.3", "255.255.255.255", "::", "ff02::1"]
        var names = ["mixed.test": Name(useless + ["10.0.0.1"]), "two.test": Name(["0.0.0.0", "::"])]
        for (index, address) in useless.enumerated() { names["\(index).test"] = Name([address]) }
        names["mapped.test"] = Name(["::ffff:0:0", "::ffff:e000:1"])
        let subject = try Subject(names)
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("mixed.test", on: loop) == DNSTests.addresses("10.0.0.1"))
            for (index, address) in useless.enumerated() {
                #expect(
                    try await subject.resolve("\(index).test", on: loop)
                        == DNSTests.failure(.nameUnusable, "\(index).test (\(address))"))
            }
            guard case .failure(let error) = try await subject.resolve("two.test", on: loop),
                case .failure(let mapped) = try await subject.resolve("mapped.test", on: loop)
            else {
                Issue.record("a name without usable addresses was resolved")
                return
            }
            #expect(
                error.description
                    == """
                    resolve two.test (::, 0.0.0.0): the name has only unspecified, broadcast or multicast addresses
                    """)
            #expect(mapped.kind == .nameUnusable)
        }
    }
}
