import Dispatch
import EventIO
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// Tests that the last reference to a session may be released on any thread.
@Suite("Session lifetime", .timeLimit(.minutes(2)))
struct SessionLifetimeTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// The number of session loop threads in this process.
    private static var loopThreads: Int {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.count { thread in
            let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("session") == true
        }
    }

    @Test("A session released with calls in flight completes them, and its threads end with the last call")
    func inFlight() async {
        await #expect(processExitsWith: .success) {
            let release = Signal()
            let upstream = try ScriptedUpstream([.readRequest, .wait(release), .send(Self.ok), .again])
            let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
            let answers = Lock<[Int]>([])
            let ended = Signal()
            do {
                let session = try Session.patient(loops: 3)
                let provider = Provider<Anything>(session: session, policy: .patient)
                for _ in 0..<9 {
                    _ = provider.rx.request(target).subscribe(onSuccess: { response in
                        answers.withLock { $0.append(response.statusCode) }
                        ended.fire()
                    })
                }
            }
            try await upstream.requestRead.wait(count: 9)
            #expect(Self.loopThreads == 3)
            for _ in 0..<9 { release.fire() }
            try await ended.wait(count: 9)
            #expect(answers.withLock { $0 } == Array(repeating: 200, count: 9))
            try await poll(while: Self.loopThreads > 0) { "\(Self.loopThreads) threads" }
        }
    }

    @Test("Releasing sessions, providers, calls and streams in any order on any thread ends all loops")
    func anyOrder() async {
        await #expect(processExitsWith: .success) {
            let upstream = try ScriptedUpstream(
                [.readRequest, .send(Self.ok), .again], [.readRequest, .awaitEnd])
            let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        guard let session = try? Session.patient(loops: 1 + number % 3) else { return }
                        let provider = Provider<Anything>(
                            session: session, policy: .patient, cookies: number % 2 == 0 ? CookieJar() : nil)
                        let calls = (0..<4).map { _ in
                            // This closure may hold the last reference to the session, and a loop releases
                            // it.
                            provider.rx.request(target).subscribe(onSuccess: { _ in _ = session.report })
                        }
                        if number % 5 == 0 { session.close() }
                        if number % 7 == 0 {
                            DispatchQueue.global().async { for call in calls { call.dispose() } }
                        } else {
                            for call in calls.dropFirst(number % 4) { call.dispose() }
                            for call in calls { call.dispose() }
                        }
                        let stream = Task { for try await _ in provider.rx.stream(target).values {} }
                        if number % 2 == 0 { await Task.yield() }
                        stream.cancel()
                    }
                }
            }
            try await poll(while: Self.loopThreads > 0) { "\(Self.loopThreads) threads" }
            upstream.stop()
        }
    }

    @Test("report and close do not deadlock when callbacks on the session's own loops call them")
    func fromCallbacks() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let session = try Session.patient(loops: 2)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        let provider = Provider<Anything>(session: session, policy: .patient)
        let calls = (0..<8).map { number in
            provider.rx.request(target).do(onSuccess: { _ in
                _ = session.report
                if number == 7 { session.close() }
            }).map { $0.statusCode }.catchAndReturn(0).asObservable()
        }
        let statuses = try await Observable.merge(calls).toArray().value
        #expect(statuses.count == 8)
        #expect(statuses.allSatisfy { $0 == 200 || $0 == 0 })
        #expect(session.report == PoolReport())
        upstream.stop()
    }
}
