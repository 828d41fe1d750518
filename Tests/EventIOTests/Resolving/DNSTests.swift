import Foundation
import Locking
import TestSupport
import Testing

@testable import EventIO

/// Lookups by c-ares at a real DNS server. The cache lives in virtual time, c-ares in real time.
@Suite(
    "DNS", .timeLimit(.minutes(2)), .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
struct DNSTests {
    typealias Answer = Result<[SocketAddress], SocketError>
    typealias Name = DNSServer.Name

    /// A resolver that asks `server`, and the clock of its cache.
    final class Subject: Sendable {
        private final class Clock: Sendable {
            let now = Lock(MonotonicTime(nanoseconds: 1_000_000_000_000))
        }

        let server: DNSServer
        let resolver: Resolver
        private let clock = Clock()

        init(
            _ names: [String: Name], servers: (String) -> [String] = { [$0] }, configuration: String? = nil,
            settings change: (inout DNSSettings) -> Void = { _ in },
            limits changeLimits: (inout Resolver.Limits) -> Void = { _ in }
        ) throws {
            let server = try DNSServer(names)
            var settings = DNSSettings()
            settings.servers = servers(server.address)
            change(&settings)
            var limits = Resolver.Limits()
            // Long enough for a busy machine. Tests of a silent server shorten them.
            limits.tryTimeout = .seconds(10)
            limits.lookupTimeout = .seconds(60)
            changeLimits(&limits)
            self.server = server
            resolver = try Resolver(
                settings, limits: limits, configuration: configuration,
                clock: { [clock] in clock.now.withLock { $0 } })
        }

        func advance(_ amount: TimeAmount) {
            clock.now.withLock { $0 = $0 + amount }
            resolver.core.wakeThread()
        }

        func resolve(_ host: String, on loop: EventLoop, timeout: TimeAmount = patience) async throws
            -> Answer
        {
            try await withDeadline("no answer for \(host)") { continuation in
                loop.execute { [self] in
                    resolver.resolve(host, port: 80, on: loop, deadline: loop.now + timeout) {
                        if case .complete(let answer) = $0 { continuation.resume(returning: answer) }
                    }
                }
            }
        }

        /// Returns everything that a request is told, in order.
        func updates(_ host: String, on loop: EventLoop, timeout: TimeAmount = patience) async throws
            -> [ResolveUpdate]
        {
            let inbox = Inbox<ResolveUpdate>()
            loop.execute { [self] in
                resolver.resolve(host, port: 80, on: loop, deadline: loop.now + timeout) { inbox.put($0) }
            }
            var updates = [try await inbox.next()]
            while case .partial = updates.last { updates.append(try await inbox.next()) }
            return updates
        }

        /// Asks until the answer is `expected`, which a lookup in the background brings.
        func become(_ host: String, _ expected: Answer, on loop: EventLoop) async throws {
            let answer = Lock<Answer?>(nil)
            func next() async throws -> Answer {
                let next = try await resolve(host, on: loop)
                answer.withLock { $0 = next }
                return next
            }
            try await poll(while: try await next() != expected) {
                "\(host) is \(answer.withLock { $0.map { "\($0)" } ?? "unknown" }), not \(expected)"
            }
        }
    }

    static func addresses(_ hosts: String...) -> Answer {
        .success(hosts.compactMap { SocketAddress(host: $0, port: 80) })
    }

    static func failure(_ kind: SocketError.Kind, _ host: String) -> Answer {
        .failure(SocketError(kind, .resolve, subject: host))
    }

    private static var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }

    // MARK: Failures

    @Test("A name that does not exist, and one without addresses, fail with nameNotFound")
    func unknownName() async throws {
        let subject = try Subject(["text.test": Name()])
        try await withLoop { loop async throws in
            for host in ["nowhere.test", "text.test"] {
                #expect(try await subject.resolve(host, on: loop) == Self.failure(.nameNotFound, host))
            }
        }
    }

    @Test(
        "While the server fails, the old addresses are used until they are stale",
        arguments: [
            (DNSServer.Name.Fault.servfail, SocketError.Kind.nameFailed), (.refused, .nameFailed),
            (.silent, .nameTimedOut),
        ])
    func failingServer(fault: DNSServer.Name.Fault, kind: SocketError.Kind) async throws {
        let subject = try Subject(
            ["api.test": Name(["10.0.0.1"], timeToLive: 10)],
            limits: { if fault == .silent { $0.tryTimeout = .milliseconds(200) } })
        try await withLoop { loop in
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            let lookups = subject.server.lookups(of: "api.test")
            try subject.server.know(["api.test": Name(fault: fault)])
            subject.advance(.seconds(11))
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            try spin(while: subject.server.lookups(of: "api.test") == lookups) {
                "still \(lookups) lookups; queries \(subject.server.queries)"
            }
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            subject.advance(.seconds(300))
            try await subject.become("api.test", Self.failure(kind, "api.test"), on: loop)
            // It recovers.
            try subject.server.know(["api.test": Name(["10.0.0.2"])])
            subject.advance(.seconds(2))
            try await subject.become("api.test", Self.addresses("10.0.0.2"), on: loop)
        }
    }

    @Test("An answer that the name does not exist ends the use of its addresses")
    func removedName() async throws {
        let subject = try Subject(["api.test": Name(["10.0.0.1"], timeToLive: 10)])
        try await withLoop { loop in
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            try subject.server.know([:])
            subject.advance(.seconds(11))
            try await subject.become("api.test", Self.failure(.nameNotFound, "api.test"), on: loop)
        }
    }

    @Test("A failed query for one family is not taken for a name without addresses")
    func halfFailure() async throws {
        let subject = try Subject(["api.test": Name(faults: ["A": .servfail])])
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("api.test", on: loop) == Self.failure(.nameFailed, "api.test"))
        }
    }

    @Test("A lookup that never ends meets its deadline and leaves no descriptor and no thread")
    func deadline() async throws {
        let subject = try Subject(
            ["silent.test": Name(fault: .silent)], limits: { $0.lookupTimeout = .milliseconds(100) })
        try await withLoop { loop in
            let before = Self.openDescriptors
            for _ in 0..<4 {
                let answer = try await subject.resolve("silent.test", on: loop)
                #expect(answer == Self.failure(.nameTimedOut, "silent.test"))
                // The failure is cached for a second.
                subject.advance(.seconds(2))
            }
            try spin(while: subject.resolver.core.hasThread) {
                "the thread is alive; queries \(subject.server.queries)"
            }
            // Other tests may close some meanwhile.
            try spin(while: Self.openDescriptors > before) {
                "\(Self.openDescriptors) open descriptors, \(before) before"
            }
        }
    }

    @Test("Names whose server is silent do not delay other names")
    func silentServer() async throws {
        var names = ["quick.test": Name(["10.0.0.1"])]
        for number in 0..<63 { names["\(number).silent.test"] = Name(fault: .silent) }
        let subject = try Subject(names)
        try await withLoop { loop in
            let silent = try await loop.perform { LoopBound(Requests(), loop: loop) }
            try await loop.perform {
                for number in 0..<63 {
                    let host = "\(number).silent.test"
                    silent.value.waiting[number] = subject.resolver.resolve(
                        host, port: 80, on: loop, deadline: .distantFuture
                    ) { _ in silent.value.waiting[number] = nil }
                }
            }
            try spin(while: subject.server.lookups(of: "62.silent.test") == 0) {
                "queries \(subject.server.queries.suffix(10))"
            }
            let start = ContinuousClock.now
            #expect(try await subject.resolve("quick.test", on: loop) == Self.addresses("10.0.0.1"))
            #expect(ContinuousClock.now - start < .seconds(5))
            try await loop.perform {
                #expect(silent.value.waiting.count == 63)
                for request in silent.value.waiting.values { request.cancel() }
            }
        }
    }

    private final class Requests {
        var waiting: [Int: ResolveRequest] = [:]
    }

    @Test(
        "Forged answers with a wrong ID or from a wrong port are ignored",
        arguments: [DNSServer.Name.Fault.wrongID, .wrongPort])
    func forgedAnswers(fault: DNSServer.Name.Fault) async throws {
        let subject = try Subject(["api.test": Name(["10.0.0.1"], faults: ["A": fault])])
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
        }
    }

    @Test("If a server does not answer, the next one is asked")
    func nextServer() async throws {
        // Nothing listens on port 1.
        let subject = try Subject(
            ["api.test": Name(["10.0.0.1"])], servers: { ["127.0.0.1:1", $0] },
            limits: { $0.tryTimeout = .milliseconds(500) })
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
        }
    }

    // MARK: Answers

    @Test("A name is looked up again after its time to live, within the bounds")
    func timeToLive() async throws {
        for (told, fresh) in [(0, 2), (7, 7), (3600, 60)] as [(Int, Int64)] {
            let subject = try Subject(
                ["api.test": Name(["10.0.0.1"], timeToLive: told)],
                settings: {
                    $0.minTTL = .seconds(2)
                    $0.maxTTL = .seconds(60)
                })
            try await withLoop { loop in
                #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
                try subject.server.know(["api.test": Name(["10.0.0.2"])])
                subject.advance(.milliseconds(fresh * 1000 - 1))
                #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
                #expect(subject.server.lookups(of: "api.test") == 1)
                subject.advance(.milliseconds(1))
                try await subject.become("api.test", Self.addresses("10.0.0.2"), on: loop)
                #expect(subject.server.lookups(of: "api.test") == 2)
            }
        }
    }

    @Test("The smallest time to live of a chain of aliases counts")
    func aliases() async throws {
        let subject = try Subject([
            "api.test": Name(alias: "cdn.test", timeToLive: 100),
            "cdn.test": Name(alias: "edge.test", timeToLive: 5),
            "edge.test": Name(["10.0.0.1"], timeToLive: 50),
        ])
        try await withLoop { loop in
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            try subject.server.know(["api.test": Name(["10.0.0.2"])])
            subject.advance(.milliseconds(4_999))
            #expect(try await subject.resolve("api.test", on: loop) == Self.addresses("10.0.0.1"))
            subject.advance(.milliseconds(1))
            try await subject.become("api.test", Self.addresses("10.0.0.2"), on: loop)
        }
    }

    @Test("A name in use is looked up again in the background, and an unused one is not")
    func refresh() async throws {
        let subject = try Subject([
            "used.test": Name(["10.0.0.1"], timeToLive: 10),
            "unused.test": Name(["10.0.0.1"], timeToLive: 10),
        ])
        try await withLoop { loop in
            for host in ["unused.test", "used.test", "used.test"] {
                #expect(try await subject.resolve(host, on: loop) == Self.addresses("10.0.0.1"))
            }
            subject.advance(.seconds(10))
            try spin(while: subject.server.lookups(of: "used.test") == 1) {
                "queries \(subject.server.queries)"
            }
            // Nothing is left to refresh, so the thread ends.
            try spin(while: subject.resolver.core.hasThread) {
                "the thread is alive; queries \(subject.server.queries)"
            }
            #expect(subject.server.lookups(of: "used.test") == 2)
            #expect(subject.server.lookups(of: "unused.test") == 1)
        }
    }

    @Test("A truncated answer is asked for again over TCP")
    func truncated() async throws {
        let hosts = (1...20).map { "10.0.0.\($0)" }
        let subject = try Subject(["api.test": Name(hosts, faults: ["A": .truncated])])
        try await withLoop { loop in
            let found = try await subject.resolve("api.test", on: loop).get()
            #expect(Set(found.map(\.host)) == Set(hosts))
            #expect(subject.server.queries.contains("A api.test tcp"))
        }
    }

    @Test("A name has as many addresses as its server tells, of both families or of one")
    func manyAddresses() async throws {
        let (ipv4, ipv6) = ((1...20).map { "10.0.0.\($0)" }, (1...20).map { "fd00::\($0)" })
        let subject = try Subject([
            "both.test": Name(ipv4 + ipv6), "six.test": Name(ipv6), "four.test": Name(ipv4 + ipv4),
        ])
        try await withLoop { loop in
            for (host, expected) in [("both.test", ipv4 + ipv6), ("six.test", ipv6), ("four.test", ipv4)] {
                let found = try await subject.resolve(host, on: loop).get()
                #expect(found.count == expected.count)
                #expect(Set(found.map(\.host)) == Set(expected))
            }
        }
    }

    // MARK: Files

    @Test("localhost and the names below it are loopback addresses, and no server is asked")
    func localhost() async throws {
        let subject = try Subject([
            "localhost": Name(["10.0.0.1"]), "api.localhost": Name(["10.0.0.1"]),
        ])
        try await withLoop { loop in
            for host in ["localhost", "LocalHost", "localhost.", "api.localhost", "a.b.LOCALHOST."] {
                let found = try await subject.resolve(host, on: loop).get()
                #expect(!found.isEmpty && found.allSatisfy(\.isLoopback), "\(host)")
            }
            #expect(subject.server.queries.isEmpty)
            // This name only resembles them.
            #expect(
                try await subject.resolve("mylocalhost", on: loop)
                    == Self.failure(.nameNotFound, "mylocalhost"))
        }
    }

    @Test("The names in /etc/hosts have the addresses that getaddrinfo finds")
    func hostsFile() async throws {
        let subject = try Subject([:])
        let text = try String(contentsOfFile: "/etc/hosts", encoding: .utf8)
        let names = text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
            .flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst() }.map(String.init)
        try await withLoop { loop in
            for host in Set(names) {
                let expected = try #require(try? Resolver.systemLookup(host).get(), "\(host)")
                guard expected.allSatisfy(\.isDestination) else { continue }
                let found = try await subject.resolve(host, on: loop).get()
                #expect(Set(found.map(\.host)) == Set(expected.map(\.host)), "\(host)")
            }
            #expect(subject.server.queries.isEmpty)
        }
    }

    @Test("Other forms of numeric addresses are read as getaddrinfo reads them")
    func numericForms() async throws {
        let subject = try Subject([:])
        try await withLoop { loop async throws in
            #expect(try await subject.resolve("127.1", on: loop) == Self.addresses("127.0.0.1"))
            #expect(try await subject.resolve("0x7f000001", on: loop) == Self.addresses("127.0.0.1"))
            #expect(subject.server.queries.isEmpty)
        }
    }

    @Test("Search domains are those of resolv.conf, and its changes count from the next lookup on")
    func searchDomains() async throws {
        let folder = ScratchFolder()
        let file = folder.file("resolv.conf")
        func search(_ domain: String) throws {
            try "search \(domain)\n".write(toFile: file, atomically: true, encoding: .utf8)
        }
        try search("one.test")
        let subject = try Subject(
            [
                "db.one.test": Name(["10.0.0.1"]), "db.two.test": Name(["10.0.0.2"]),
                "cache.two.test": Name(["10.0.0.3"]),
            ], configuration: file)
        try await withLoop { loop in
            #expect(try await subject.resolve("db", on: loop) == Self.addresses("10.0.0.1"))
            try search("two.test")
            #expect(try await subject.resolve("cache", on: loop) == Self.addresses("10.0.0.3"))
            subject.advance(.seconds(61))
            try await subject.become("db", Self.addresses("10.0.0.2"), on: loop)
        }
    }
}
