import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@Suite("Streams over real connections")
struct StreamTests {
    private static let endless: [ScriptedUpstream.Step] = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        .sendForever("4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"),
    ]

    private func files(_ folder: ScratchFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    private func becomesEmpty(_ folder: ScratchFolder) async throws {
        try await poll(while: try !files(folder).isEmpty) { "files \(try files(folder))" }
    }

    private func session(loops: Int = 2) throws -> Session {
        var configuration = Session.Configuration()
        configuration.loops = loops
        return try Session(configuration)
    }

    @Test("A body that ends early fails its reader after the received bytes")
    func cut() async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close,
        ])
        let session = try session()
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let stream = try await provider.stream(Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
        var bytes: [UInt8] = []
        let error = await #expect(throws: NetworkError.self) {
            for try await piece in stream { bytes += piece }
        }
        #expect(error?.reason == .responseIncomplete)
        #expect(bytes == Array("half".utf8))
    }

    @Test("A stream is not retried after its head, so head and body come from the same attempt")
    func oneAttempt() async throws {
        let goOn = Signal()
        func head(_ tag: String) -> String {
            "HTTP/1.1 200 OK\r\nETag: \"\(tag)\"\r\nContent-Length: 5\r\n\r\n"
        }
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(head("a")), .wait(goOn), .reset], [.readRequest, .send(head("b") + "other")])
        let session = try session()
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let stream = try await provider.stream(Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
        #expect(stream.fields.values(of: .eTag) == ["\"a\""])
        goOn.fire()
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in stream { Issue.record("a piece of another attempt") }
        }
        #expect(error?.attempts == 1)
        #expect(error?.notRetried == .reason)
    }

    @Test("A stream without a body returns its head and ends")
    func empty() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .again])
        let session = try session()
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let stream = try await provider.stream(Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
        #expect(stream.statusCode == 204)
        for try await _ in stream { Issue.record("a piece of no body") }
    }

    @Test("Outside a gateway streams may have all connections to an upstream")
    func allConnections() async throws {
        let upstream = try ScriptedUpstream(Self.endless)
        var configuration = Session.Configuration()
        configuration.loops = 1
        configuration.limits.connectionsPerUpstream = 2
        let session = try Session(configuration)
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        let streams = [try await provider.stream(target), try await provider.stream(target)]
        #expect(streams.map(\.statusCode) == [200, 200])
        #expect(session.report.leased == 2)
        #expect(session.report.relays == 0)
    }

    @Test("Releasing an unread stream ends its call")
    func unread() async throws {
        let upstream = try ScriptedUpstream(Self.endless)
        let session = try session(loops: 1)
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        do {
            let stream = try await provider.stream(Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
            #expect(stream.statusCode == 200)
            #expect(session.report.leased == 1)
        }
        try await poll(while: session.report.leased > 0) { "\(session.report)" }
    }

    @Test(
        "Streams that are read, paused and cancelled at random moments leave no connection in use"
    )
    func storm() async throws {
        let upstream = try ScriptedUpstream(Self.endless)
        let session = try session()
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<48 {
                group.addTask {
                    let read = Lock(0)
                    let hasEnded = Lock(false)
                    let reader = Task {
                        defer { hasEnded.withLock { $0 = true } }
                        for try await piece in try await provider.stream(target) {
                            let count = read.withLock { count in
                                count += piece.count
                                return count
                            }
                            if count > number << 14 { return }
                        }
                    }
                    // Cancels from another task at various points of the body.
                    if number % 3 == 0 {
                        do {
                            try await poll(
                                while: read.withLock { $0 } < number << 12 && !hasEnded.withLock { $0 }
                            ) { "\(read.withLock { $0 }) bytes read" }
                        } catch {
                            Issue.record(error)
                        }
                        reader.cancel()
                    }
                    _ = await reader.result
                }
            }
        }
        try await poll(while: session.report.leased > 0) { "\(session.report)" }
        #expect(session.report.waiting == 0)
    }

    @Test("A paused stream is not resumed by an outdated request from another thread")
    func heldBack() async throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let upstream = try ScriptedUpstream(Self.endless, [.readRequest, .send(ok), .again])
        let session = try session(loops: 1)
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        let others = PublishSubject<Int>()
        let came = Lock(0)
        let pieces = provider.rx.stream(target).map { piece in
            came.withLock { $0 += 1 }
            return piece.count
        }
        var values = Observable.merge(pieces, others.asObservable()).values.makeAsyncIterator()
        try await poll(while: came.withLock { $0 } < 16) { "\(came.withLock { $0 }) of 16 pieces" }

        // The loop is blocked while the reader catches up. Before the loop sees that, the reader has fallen
        // behind again.
        let (standsStill, goOn) = (Signal(), Signal())
        let work = session.transport.scheduler.schedule(()) { _ in
            standsStill.fire()
            do { try goOn.waitBlocking() } catch { Issue.record(error) }
            for number in 0..<16 { others.onNext(number) }
            return Disposables.create()
        }
        try await standsStill.wait()
        for _ in 0..<12 { _ = try await values.next() }
        goOn.fire()
        #expect(try await provider.request(target).statusCode == 200)
        #expect(came.withLock { $0 } == 16)
        work.dispose()
    }

    @Test("A download may have a file name of 250 bytes")
    func longName() async throws {
        struct File: TargetType {
            let baseURL: String
            var path: RequestPath { "/file" }
        }
        let folder = ScratchFolder()
        let session = try session()
        defer { session.close() }
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"), .again,
        ])
        let file = folder.file(String(repeating: "n", count: 250))
        let target = File(baseURL: "http://127.0.0.1:\(upstream.port)")
        let response = try await Provider<File>(session: session).download(target, to: file)
        #expect(response.statusCode == 200)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "whole")
    }

    @Test(
        "A download leaves no file if its response is cut short, its folder is missing or its path has a NUL")
    func failedDownload() async throws {
        struct File: TargetType {
            let baseURL: String
            var path: RequestPath { "/file" }
        }
        let folder = ScratchFolder()
        let session = try session()
        defer { session.close() }
        let provider = Provider<File>(session: session)
        let cut = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), .close,
        ])
        let whole = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"), .again,
        ])
        for (upstream, name, reason) in [
            (cut, "a", FailureReason.responseIncomplete), (whole, "missing/a", .internalError),
            (whole, "a\0b", .requestError),
        ] {
            let target = File(baseURL: "http://127.0.0.1:\(upstream.port)")
            let error = await #expect(throws: NetworkError.self) {
                try await provider.download(target, to: folder.file(name))
            }
            #expect(error?.reason == reason)
        }
        try await becomesEmpty(folder)
        cut.stop()
        whole.stop()
    }

    @Test(
        "A download leaves no file if its status is rejected or it is cancelled"
    )
    func noFile() async throws {
        struct Strict: TargetType {
            let baseURL: String
            var path: RequestPath { "/file" }
            var validation: ValidationType { .customCodes([200]) }
        }
        let folder = ScratchFolder()
        let session = try session()
        defer { session.close() }
        let provider = Provider<Strict>(session: session)
        let file = folder.file("download")

        let partial = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\n\r\nhalf"), .again,
        ])
        let error = await #expect(throws: NetworkError.self) {
            try await provider.download(Strict(baseURL: "http://127.0.0.1:\(partial.port)"), to: file)
        }
        #expect(error?.statusCode == 206)
        #expect(error?.response?.data.count == 4)

        let endless = try ScriptedUpstream(Self.endless)
        let call = Task {
            try await provider.download(Strict(baseURL: "http://127.0.0.1:\(endless.port)"), to: file)
        }
        try await poll(while: try files(folder).isEmpty) { "no file, \(session.report)" }
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        try await becomesEmpty(folder)
    }

    @Test(
        "A slow iteration over a stream stops reading from the upstream, with or without operators between"
    )
    func heldBackValues() async throws {
        let sent = Lock(0)
        let upstream = try ScriptedUpstream(Self.endless)
        let session = try session(loops: 1)
        defer { session.close() }
        let provider = Provider<Anything>(session: session)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        let stream = provider.rx.stream(target)
            .do(onNext: { piece in sent.withLock { $0 += piece.count } })
            .map { $0.count }
        for values in [stream.values, stream.filter { $0 > 0 }.scan(0) { $0 + $1 }.values] {
            sent.withLock { $0 = 0 }
            var iterator = values.makeAsyncIterator()
            for _ in 0..<50 { #expect(try await iterator.next() != nil) }
            // Without back-pressure the bytes would exceed this limit. A paused source stays below it.
            var (before, quiet) = (-1, 0)
            while quiet < 20 {
                try await session.pass(.milliseconds(5))
                let now = sent.withLock { $0 }
                quiet = now == before ? quiet + 1 : 0
                before = now
                try #require(now < 70 * 64 << 10, "more bytes are queued than the buffer holds")
            }
            for _ in 0..<500 { #expect(try await iterator.next() != nil) }
            #expect(sent.withLock { $0 } > before)
        }
        upstream.stop()
    }
}

extension Session {
    /// Waits until `time` has passed on one of its loops.
    fileprivate func pass(_ time: RxTimeInterval) async throws {
        _ = try await Observable<Int>.timer(time, scheduler: transport.scheduler).asSingle().value
    }
}
