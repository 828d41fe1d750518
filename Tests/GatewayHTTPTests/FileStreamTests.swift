import EventIO
import Foundation
import GatewayCore
import Glibc
import Locking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Covers files too large for one piece, slow disks and clients that leave.
@Suite("Files in pieces", .timeLimit(.minutes(1)))
struct FileStreamTests {
    private let fixture: FileFixture
    private static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    /// More than the kernel buffers for a client that does not read.
    private static let huge = 256 << 20

    init() throws {
        fixture = try FileFixture()
        try fixture.write("large", Self.bytes)
        try fixture.write("small", "small")
        // A sparse file.
        try fixture.write("huge", "")
        #expect(truncate(fixture.root + "/huge", Self.huge) == 0)
    }

    /// Returns how many descriptors of this process are open for the file.
    private func openCount(_ name: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                .hasSuffix(fixture.root + "/" + name) == true
        }
    }

    /// A helper thread whose work waits for `run`.
    private final class HeldThread: Sendable {
        private struct State {
            var works: [@Sendable () -> Void] = []
            var isReleased = false
        }

        private let state = Lock(State())

        var count: Int { state.withLock { $0.works.count } }

        func take(_ work: @escaping @Sendable () -> Void) -> Bool {
            let isReleased = state.withLock { state in
                if !state.isReleased { state.works.append(work) }
                return state.isReleased
            }
            if isReleased { work() }
            return true
        }

        /// Runs the oldest or the latest work.
        func run(first: Int = .max, last: Int = 0) {
            let works = state.withLock { state in
                let works = last > 0 ? state.works.suffix(last) : state.works.prefix(first)
                state.works.removeSubrange(works.indices)
                return works
            }
            for work in works { work() }
        }

        /// Runs all work, now and later.
        func release() {
            state.withLock { $0.isReleased = true }
            run()
        }
    }

    @Test("Without a free helper thread the answer is 503, and the connection stays usable")
    func noThread() throws {
        var files = StaticFiles.folder(fixture.root)
        files.submit = { _ in false }
        let lines = try fixture.serve(files) { port in
            let client = try RawClient(port: port)
            for _ in 0..<2 {
                let reply = try client.ask("/small")
                #expect(reply.status == 503)
                #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
                #expect(code(of: reply) == "OVERLOADED")
            }
            #expect(try client.ask("/api/value").status == 200)
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [503, 503, 200])
    }

    @Test("If the disk does not answer in time, the answer is 503, and the disk's late answer is ignored")
    func silentDisk() throws {
        var files = StaticFiles.folder(fixture.root)
        files.readDeadline = .milliseconds(30)
        let held = HeldThread()
        files.submit = held.take
        try fixture.serve(files) { port in
            let client = try RawClient(port: port)
            let reply = try client.ask("/large")
            #expect(reply.status == 503)
            #expect(code(of: reply) == "OVERLOADED")
            #expect(held.count == 1)
            held.run()
            #expect(try client.ask("/api/value").status == 200)
            try spin(while: openCount("large") > 0) { "\(openCount("large")) open descriptors of large" }
        }
    }

    @Test("Few small files are read before the loop has taken them, and clients that wait take turns")
    func findings() throws {
        var files = StaticFiles.folder(fixture.root)
        let held = HeldThread()
        files.submit = held.take
        let lines = try fixture.serve(files) { port in
            func ask(host: UInt8) throws -> RawClient {
                let client = try RawClient(port: port, host: host)
                client.send("GET /small HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            let most = LoopFiles.findings
            let clients = try (0..<most + 8).map { _ in try ask(host: 1) }
            try spin(while: held.count < most) { "\(held.count) files are being found" }
            let other = try ask(host: 2)
            // Once the loop has answered later clients, it has all of their requests.
            for host in [1, 2] as [UInt8] {
                #expect(try RawClient(port: port, host: host).ask("/api/value").status == 200)
            }
            #expect(held.count == most)
            // The two places go to the next request of the first client, and to the other client's request.
            held.run(first: 2)
            try spin(while: held.count < most) { "\(held.count) files are being found" }
            held.run(last: 1)
            #expect(try other.reply().text == "small")
            held.release()
            for client in clients { #expect(try client.reply().text == "small") }
        }
        #expect(lines.statuses.allSatisfy { $0 == 200 })
    }

    @Test("A request that waits in vain for others' files is 503, and its file is not looked for")
    func unfound() throws {
        var files = StaticFiles.folder(fixture.root)
        files.readDeadline = .milliseconds(300)
        let held = HeldThread()
        files.submit = held.take
        try fixture.serve(files) { port in
            let clients = try (0..<LoopFiles.findings + 1).map { _ in
                let client = try RawClient(port: port)
                client.send("GET /small HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            for client in clients { #expect(try client.reply().status == 503) }
            #expect(held.count == LoopFiles.findings)
            held.release()
            #expect(try clients[0].ask("/small").text == "small")
        }
    }

    @Test("A client that leaves before its file is opened is logged as 499, and the file is closed")
    func leavesEarly() throws {
        var files = StaticFiles.folder(fixture.root)
        let held = HeldThread()
        files.submit = held.take
        let lines = try fixture.serve(files) { port in
            do {
                let client = try RawClient(port: port)
                client.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
                try spin(while: held.count == 0) { "no work for the helper thread" }
            }
            // Once the loop has answered a later client, it has noticed that this one left.
            #expect(try RawClient(port: port).ask("/api/value").status == 200)
            held.run()
            try spin(while: openCount("large") > 0) { "\(openCount("large")) open descriptors of large" }
        }
        #expect(lines.compactMap { $0[member: "status"]?.intValue }.sorted() == [200, 499])
    }

    @Test("A large file and its ranges are sent byte for byte")
    func large() throws {
        try fixture.serve { port in
            let client = try RawClient(port: port)
            let whole = try client.ask("/large")
            #expect(whole.value("Content-Length") == "1000000")
            #expect(whole.value("Transfer-Encoding") == nil)
            #expect(whole.body == Self.bytes)
            let ranges = [1..<1_000_000, 65_535..<800_001, 0..<262_144, 0..<262_145, 999_999..<1_000_000]
            for range in ranges {
                let part = try client.ask(
                    "/large", "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
                #expect(part.status == 206)
                #expect(part.body == Array(Self.bytes[range]), "\(range)")
            }
            #expect(try client.ask("/api/value").status == 200)
            try spin(while: openCount("large") > 0) { "\(openCount("large")) open descriptors of large" }
        }
    }

    @Test("HEAD of a large file has its length and no body")
    func head() throws {
        try fixture.serve { port in
            let client = try RawClient(port: port)
            #expect(try client.call("HEAD", "/huge").value("Content-Length") == "\(Self.huge)")
            #expect(try client.ask("/small").text == "small")
        }
    }

    @Test("An HTTP/1.0 client gets a large file with its length, and the connection closes")
    func http10() throws {
        try fixture.serve { port in
            let client = try RawClient(port: port)
            client.send("GET /large HTTP/1.0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.value("Content-Length") == "1000000")
            #expect(reply.body == Self.bytes)
            #expect(client.reachesEnd())
        }
    }

    @Test(
        "When a client leaves, the file is closed and the answer is logged as cut", arguments: [true, false])
    func leaves(byReset: Bool) throws {
        let lines = try fixture.serve { port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(count: 100_000)
            #expect(openCount("huge") == 1)
            if byReset { client.reset() } else { client.close() }
            try spin(while: openCount("huge") > 0) { "\(openCount("huge")) open descriptors of huge" }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [200])
        #expect(lines.map { $0[member: "end"]?.stringValue } == ["client_gone"])
        #expect(lines.first?[member: "bytesOut"]?.intValue ?? 0 >= 100_000)
        // The file is read only as fast as it is sent, so its end was not reached.
        #expect(lines.first?[member: "bytesOut"]?.intValue ?? .max < Self.huge / 2)
    }

    @Test("A file that is truncated while it is sent resets the connection")
    func cutShort() throws {
        let lines = try fixture.serve { port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            let head = try client.read(through: "\r\n\r\n")
            #expect(head.contains("Content-Length: \(Self.huge)"))
            #expect(truncate(fixture.root + "/huge", 1000) == 0)
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            #expect(bytes.count < Self.huge)
            try spin(while: openCount("huge") > 0) { "\(openCount("huge")) open descriptors of huge" }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [200])
        #expect(lines.map { $0[member: "end"]?.stringValue } == ["aborted"])
    }

    enum Change: CaseIterable {
        case rewritten, rewrittenWithItsTime, grown

        func apply(to path: String) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            if self == .grown { try file.seekToEnd() }
            try file.write(contentsOf: Data("other".utf8))
            try file.close()
            if self == .rewrittenWithItsTime { age(path) }
        }
    }

    @Test("A file that is written to while it is sent resets the connection", arguments: Change.allCases)
    func changes(change: Change) throws {
        age(fixture.root + "/huge")
        let lines = try fixture.serve { port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            try change.apply(to: fixture.root + "/huge")
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            #expect(bytes.count < Self.huge)
            #expect(try RawClient(port: port).ask("/small").text == "small")
            try spin(while: openCount("huge") > 0) { "\(openCount("huge")) open descriptors of huge" }
        }
        #expect(lines.statuses == [200, 200])
        #expect(lines.ends.sorted() == ["aborted", "complete"])
    }

    @Test(
        "A file that changes before its first byte is sent is answered with 500, and the connection goes on",
        arguments: ["", "Range: bytes=10-900000", "If-Range"])
    func changesEarly(field: String) throws {
        let path = fixture.root + "/huge"
        age(path)
        var field = field
        if field == "If-Range" {
            try fixture.serve { port in
                let tag = try RawClient(port: port).call("HEAD", "/huge").value("ETag") ?? ""
                field = "Range: bytes=10-900000\r\nIf-Range: \(tag)"
            }
        }
        var files = StaticFiles.folder(fixture.root)
        files.submit = { work in
            // On the loop, so the file changes after it was found and before it is read.
            work()
            #expect(throws: Never.self) { try Change.rewritten.apply(to: path) }
            return true
        }
        let lines = try fixture.serve(files) { port in
            let client = try RawClient(port: port)
            let reply = field.isEmpty ? try client.ask("/huge") : try client.ask("/huge", field)
            #expect(reply.status == 500)
            #expect(code(of: reply) == "INTERNAL")
            #expect(reply.value("Content-Type")?.hasPrefix("application/json") == true)
            for name in ["Content-Range", "ETag", "Accept-Ranges", "Last-Modified"] {
                #expect(reply.value(name) == nil)
            }
            #expect(reply.value("Cache-Control") == "no-store")
            #expect(try client.ask("/api/value").status == 200)
            try spin(while: openCount("huge") > 0) { "\(openCount("huge")) open descriptors of huge" }
        }
        #expect(lines.statuses == [500, 200])
        #expect(lines.ends == ["complete", "complete"])
    }

    @Test("A file that is replaced or deleted while it is sent is sent to its end", arguments: [true, false])
    func replaced(isDeleted: Bool) throws {
        let path = fixture.root + "/large"
        age(path)
        try fixture.write("new", "new")
        try fixture.serve { port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            #expect((isDeleted ? unlink(path) : rename(fixture.root + "/new", path)) == 0)
            #expect(try client.read(count: 1_000_000) == Self.bytes)
            #expect(try client.ask("/large").status == (isDeleted ? 404 : 200))
        }
    }

    /// Returns a client that reads no more than the head of an answer.
    private func beginReading(_ port: Int, host: UInt8 = 1, field: String = "") throws -> RawClient {
        let client = try RawClient(port: port, receiveBuffer: 4096, host: host)
        client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\(field)\r\n")
        #expect(try client.read(through: "\r\n\r\n").contains(" 200 OK"))
        return client
    }

    @Test("Clients that read slowly keep nobody waiting, and go on when they read")
    func slowReaders() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 2
        try fixture.serve(files) { port in
            let readers = try (0..<6).map { _ in try beginReading(port) }
            let client = try RawClient(port: port)
            for _ in 0..<3 { #expect(try client.ask("/large").body == Self.bytes) }
            #expect(try client.ask("/small").text == "small")
            let bytes = try readers[0].read(count: 4 << 20)
            #expect(bytes == [UInt8](repeating: 0, count: 4 << 20))
        }
    }

    @Test("Files that are read fast take turns, so that all of them arrive")
    func turns() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 1
        try fixture.serve(files) { port in
            let clients = try (0..<4).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n") }
            // None of the first is read to its end.
            for client in clients {
                _ = try client.read(through: "\r\n\r\n")
                _ = try client.read(count: 8 << 20)
            }
            #expect(try RawClient(port: port).ask("/large").body == Self.bytes)
        }
    }

    @Test("A file that does not get its turn in time is 503, and its connection goes on")
    func noTurn() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 1
        files.readDeadline = .milliseconds(300)
        try fixture.serve(files) { port in
            let reader = try beginReading(port)
            let client = try RawClient(port: port)
            let reply = try client.ask("/large")
            #expect(reply.status == 503)
            #expect(code(of: reply) == "OVERLOADED")
            try spin(while: client.ask("/large").status == 503) { "still 503" }
            #expect(openCount("huge") == 1)
            withExtendedLifetime(reader) {}
        }
    }

    @Test("A client gets at most its share of the files that are sent at once; other clients get theirs")
    func shares() throws {
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 8
        } declare: { _ in
        } _: { server in
            var readers = try (0..<2).map { _ in try beginReading(server.port) }
            let client = try RawClient(port: server.port)
            let refused = try client.ask("/large")
            #expect(refused.status == 503)
            #expect(code(of: refused) == "OVERLOADED")
            #expect(try client.ask("/small").text == "small")
            #expect(try RawClient(port: server.port, host: 2).ask("/large").body == Self.bytes)
            readers.removeLast().close()
            try spin(while: client.ask("/large").status == 503) { "still 503" }
            #expect(try client.ask("/large").body == Self.bytes)
        }
    }

    @Test("A request without room beside the files that are sent uses up no limit")
    func limitsWithoutRoom() throws {
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 4
        } declare: { gateway in
            gateway.rateLimit("two", RateLimit(key: [.endpoint], rate: 2, per: .seconds(3600)))
            gateway.get("/counted", .rateLimits("two")) { _ in .json(1) }
            gateway.get("/free") { _ in .json(1) }
            gateway.get("/wait") { _ in Single<Answer>.never() }
        } _: { server in
            // Files may be half of the requests. The endpoint `/counted` has room in its own share.
            let readers = try [1, 2].map { try beginReading(server.port, host: $0) }
            let waiting = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in waiting { client.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n") }
            try spin(while: try server.ask("/free").status != 503) { "there is room" }
            for _ in 0..<3 {
                let refused = try server.ask("/counted")
                #expect(refused.status == 503)
                #expect(code(of: refused) == "OVERLOADED")
            }
            for client in waiting { client.close() }
            try spin(while: try server.ask("/free").status == 503) { "still 503" }
            for status in [200, 200, 429] { #expect(try server.ask("/counted").status == status) }
            withExtendedLifetime(readers) {}
        }
    }

    @Test("Clients behind one trusted proxy have shares of their own")
    func sharesBehindProxy() throws {
        let trusted = try TrustedProxies(["loopback"])
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 8
            $0.clients.trusted = trusted
        } declare: { _ in
        } _: { server in
            let readers = try (0..<2).map { _ in
                try beginReading(server.port, field: "X-Forwarded-For: 203.0.113.1\r\n")
            }
            let client = try RawClient(port: server.port)
            #expect(try client.ask("/large", "X-Forwarded-For: 203.0.113.1").status == 503)
            #expect(try client.ask("/large", "X-Forwarded-For: 203.0.113.2").body == Self.bytes)
            #expect(try client.ask("/large").body == Self.bytes)
            withExtendedLifetime(readers) {}
        }
    }

    @Test("A drain waits for a file that is being sent")
    func drain() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.logLevel = .error
        configuration.accessLog = false
        configuration.drainDelay = .zero
        configuration.inbound.drainGrace = .milliseconds(200)
        configuration.hosts = .any
        configuration.files = .folder(fixture.root)
        let server = try GatewayServer.start(configuration) { _ in }
        let client = try RawClient(port: server.port, receiveBuffer: 4096)
        client.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        server.drain()
        #expect(try client.read(count: 1_000_000) == Self.bytes)
        #expect(client.reachesEnd())
        server.waitUntilStopped()
        // A helper thread closes the file, possibly after the gateway has stopped.
        try spin(while: openCount("large") > 0) { "\(openCount("large")) open descriptors of large" }
    }
}

/// Sets the file's time of modification to one long ago, so that every later change gives it another one.
private func age(_ path: String) {
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
}
