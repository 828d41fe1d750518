import Dispatch
import EventIO
import Foundation
import GatewayCore
import Glibc
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Covers files too large for one piece, slow disks, clients that leave and files that change.
@Suite("Files in pieces", .timeLimit(.minutes(1)))
struct FileStreamTests {
    private let fixture: FileFixture

    init() throws { fixture = try .withLargeFiles() }

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

    @Test("Files that the kernel has in memory are served while all helper threads wait for a disk")
    func cached() throws {
        let ends = DispatchSemaphore(value: 0)
        let began = Lock(0)
        try fixture.serve(StaticFiles.folder(fixture.root)) { port in
            let client = try RawClient(port: port)
            let paths = ["/small", "/large", "/missing"]
            // Now the kernel has them, and knows that the last one is missing.
            let first = try paths.map { try client.ask($0) }
            #expect(first.map(\.status) == [200, 200, 404])
            defer { for _ in 0..<4 { ends.signal() } }
            for _ in 0..<4 {
                #expect(
                    FileThreads.submit {
                        began.withLock { $0 += 1 }
                        _ = ends.wait(timeout: .now() + 30)
                    })
            }
            try spin(while: began.withLock { $0 } < 4) { "\(began.withLock { $0 }) threads wait" }
            for (path, before) in zip(paths, first) {
                let reply = try client.ask(path)
                #expect(reply.status == before.status, "\(path)")
                if reply.status == 200 { #expect(reply.body == before.body, "\(path)") }
            }
        }
    }

    @Test("Without a free helper thread the answer is 503, and the connection stays usable")
    func noThread() throws {
        var files = StaticFiles.folder(fixture.root)
        files.finder = .threads { _ in false }
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
        files.finder = .threads(held.take)
        try fixture.serve(files) { port in
            let client = try RawClient(port: port)
            let reply = try client.ask("/large")
            #expect(reply.status == 503)
            #expect(code(of: reply) == "OVERLOADED")
            #expect(held.count == 1)
            held.run()
            #expect(try client.ask("/api/value").status == 200)
            try spin(while: fixture.openCount("large") > 0) {
                "\(fixture.openCount("large")) open descriptors of large"
            }
        }
    }

    @Test("Few small files are read before the loop has taken them, and clients that wait take turns")
    func findings() throws {
        var files = StaticFiles.folder(fixture.root)
        let held = HeldThread()
        files.finder = .threads(held.take)
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
        files.finder = .threads(held.take)
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
        files.finder = .threads(held.take)
        let lines = try fixture.serve(files) { port in
            do {
                let client = try RawClient(port: port)
                client.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
                try spin(while: held.count == 0) { "no work for the helper thread" }
            }
            // Once the loop has answered a later client, it has noticed that this one left.
            #expect(try RawClient(port: port).ask("/api/value").status == 200)
            held.run()
            try spin(while: fixture.openCount("large") > 0) {
                "\(fixture.openCount("large")) open descriptors of large"
            }
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
            #expect(whole.body == FileFixture.large)
            let ranges = [1..<1_000_000, 65_535..<800_001, 0..<262_144, 0..<262_145, 999_999..<1_000_000]
            for range in ranges {
                let part = try client.ask(
                    "/large", "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
                #expect(part.status == 206)
                #expect(part.body == Array(FileFixture.large[range]), "\(range)")
            }
            #expect(try client.ask("/api/value").status == 200)
            try spin(while: fixture.openCount("large") > 0) {
                "\(fixture.openCount("large")) open descriptors of large"
            }
        }
    }

    @Test("HEAD of a large file has its length and no body")
    func head() throws {
        try fixture.serve { port in
            let client = try RawClient(port: port)
            #expect(try client.call("HEAD", "/huge").value("Content-Length") == "\(FileFixture.huge)")
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
            #expect(reply.body == FileFixture.large)
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
            #expect(fixture.openCount("huge") == 1)
            if byReset { client.reset() } else { client.close() }
            try spin(while: fixture.openCount("huge") > 0) {
                "\(fixture.openCount("huge")) open descriptors of huge"
            }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [200])
        #expect(lines.map { $0[member: "end"]?.stringValue } == ["client_gone"])
        #expect(lines.first?[member: "bytesOut"]?.intValue ?? 0 >= 100_000)
        // The file is read only as fast as it is sent, so its end was not reached.
        #expect(lines.first?[member: "bytesOut"]?.intValue ?? .max < FileFixture.huge / 2)
    }

    @Test("A file that is truncated while it is sent resets the connection")
    func cutShort() throws {
        let lines = try fixture.serve { port in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            let head = try client.read(through: "\r\n\r\n")
            #expect(head.contains("Content-Length: \(FileFixture.huge)"))
            #expect(truncate(fixture.root + "/huge", 1000) == 0)
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            #expect(bytes.count < FileFixture.huge)
            try spin(while: fixture.openCount("huge") > 0) {
                "\(fixture.openCount("huge")) open descriptors of huge"
            }
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
            #expect(bytes.count < FileFixture.huge)
            #expect(try RawClient(port: port).ask("/small").text == "small")
            try spin(while: fixture.openCount("huge") > 0) {
                "\(fixture.openCount("huge")) open descriptors of huge"
            }
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
        files.finder = .threads { work in
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
            try spin(while: fixture.openCount("huge") > 0) {
                "\(fixture.openCount("huge")) open descriptors of huge"
            }
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
            #expect(try client.read(count: 1_000_000) == FileFixture.large)
            #expect(try client.ask("/large").status == (isDeleted ? 404 : 200))
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
        #expect(try client.read(count: 1_000_000) == FileFixture.large)
        #expect(client.reachesEnd())
        server.waitUntilStopped()
        // A helper thread closes the file, possibly after the gateway has stopped.
        try spin(while: fixture.openCount("large") > 0) {
            "\(fixture.openCount("large")) open descriptors of large"
        }
    }
}

/// Sets the file's time of modification to one long ago, so that every later change gives it another one.
private func age(_ path: String) {
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
}
