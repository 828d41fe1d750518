import Dispatch
import Foundation
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Helper threads", .timeLimit(.minutes(1)))
struct HelperThreadTests {
    @Test("Work beyond the limit is refused, and waiting work runs when a thread is free")
    func refused() async throws {
        let threads = HelperThreads(name: "helper-full", limit: 2, waitingLimit: 3)
        let gate = Signal()
        let done = Lock(0)
        let accepted = (0..<9).map { _ in
            threads.submit {
                guard (try? gate.waitBlocking()) != nil else { return }
                done.withLock { $0 += 1 }
            }
        }
        #expect(accepted == [true, true, true, true, true, false, false, false, false])
        for _ in 0..<5 { gate.fire() }
        try spin(while: done.withLock { $0 } < 5) { "\(done.withLock { $0 }) of 5 items done" }
        try await threadsEnd(named: "helper-full")
        #expect(threads.submit { done.withLock { $0 += 1 } })
        try spin(while: done.withLock { $0 } < 6) { "\(done.withLock { $0 }) of 6 items done" }
    }

    @Test("Work that nobody wants any more gives its place and its client's share to other work")
    func dropped() throws {
        let threads = HelperThreads(name: "helper-dropped", limit: 1, waitingLimit: 2)
        let client = SocketAddress(host: "127.0.0.1", port: 1).map { AddressPrefix($0) }
        let (begun, gate) = (Signal(), Signal())
        let isDropped = Lock(false)
        let done = Lock(0)
        #expect(
            threads.submit {
                begun.fire()
                try? gate.waitBlocking()
            })
        try begun.waitBlocking()
        func submit() -> Bool {
            threads.submit(
                for: client, isDropped: { isDropped.withLock { $0 } }, { done.withLock { $0 += 1 } })
        }
        #expect(submit())
        #expect(!submit())
        isDropped.withLock { $0 = true }
        // The search before was less than 100 ms ago.
        try spin(while: !submit()) { "the dropped work keeps its place" }
        isDropped.withLock { $0 = false }
        gate.fire()
        try spin(while: done.withLock { $0 } < 1) { "the later work has not run" }
        #expect(done.withLock { $0 } == 1)
    }

    @Test("A waiting limit of Int.max accepts any amount of work")
    func unlimited() throws {
        let threads = HelperThreads(name: "helper-any", limit: 1, waitingLimit: .max)
        let done = Lock(0)
        for _ in 0..<100 { #expect(threads.submit { done.withLock { $0 += 1 } }) }
        try spin(while: done.withLock { $0 } < 100) { "\(done.withLock { $0 }) of 100 items done" }
    }

    @Test("Clients whose work waits take turns, and each may have half of what may wait")
    func clients() throws {
        let threads = HelperThreads(name: "helper-fair", limit: 1, waitingLimit: 8)
        let first = SocketAddress(host: "127.0.0.1", port: 1).map { AddressPrefix($0) }
        let second = SocketAddress(host: "127.0.0.2", port: 2).map { AddressPrefix($0) }
        let (begun, gate) = (Signal(), Signal())
        let done = Lock<[String]>([])
        #expect(
            threads.submit {
                begun.fire()
                try? gate.waitBlocking()
            })
        try begun.waitBlocking()
        func submit(_ name: String, for client: AddressPrefix?) -> Bool {
            threads.submit(for: client) { done.withLock { $0.append(name) } }
        }
        let accepted = (1...6).map { submit("a\($0)", for: first) }
        #expect(accepted == [true, true, true, true, false, false])
        #expect(submit("b1", for: second))
        // What no client causes alone has no share, and turns of its own.
        #expect(submit("c1", for: nil))
        #expect(submit("b2", for: second))
        gate.fire()
        try spin(while: done.withLock { $0.count } < 7) { "\(done.withLock { $0 })" }
        #expect(done.withLock { $0 } == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(submit("a5", for: first))
        try spin(while: done.withLock { $0.count } < 8) { "\(done.withLock { $0 })" }
    }

    @Test(
        "A client is known by the host of its address as text",
        arguments: [
            ("192.0.2.1:80", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::2"),
            ("[::ffff:192.0.2.1]:1", "192.0.2.1"),
        ])
    func addressText(_ text: String, host: String) {
        let address = SocketAddress(host: host, port: 9)
        #expect(AddressPrefix(text) != nil)
        #expect(AddressPrefix(text) == address.map { AddressPrefix($0) })
    }

    @Test("With an idle timeout, a thread is reused for later work, and ends when none comes")
    func patience() async throws {
        let threads = HelperThreads(
            name: "helper-idle", limit: 4, waitingLimit: 8, idleTimeout: .milliseconds(300))
        let workers = Lock(Set<pthread_t>())
        for turn in 1...20 {
            let done = Lock(false)
            #expect(
                threads.submit {
                    workers.withLock { _ = $0.insert(pthread_self()) }
                    done.withLock { $0 = true }
                }, "\(turn)")
            try spin(while: !done.withLock { $0 }) { "item \(turn) has not run" }
        }
        // Another thread starts only if the previous one has not gone idle yet.
        #expect(workers.withLock { $0.count } < 20)
        try await threadsEnd(named: "helper-idle")
        let again = Lock(false)
        #expect(threads.submit { again.withLock { $0 = true } })
        try spin(while: !again.withLock { $0 }) { "the item after the idle time has not run" }
    }

    @Test("A thread without a loop follows when a loop returns memory, once for each time")
    func memoryReturn() async throws {
        let group = try EventLoopGroup(count: 1, name: "memory")
        var follower = MemoryFollower()
        group.loops[0].reportLargeMemoryFreed()
        try spin(while: !follower.follow()) { "no loop has returned memory" }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
    }

    @Test("No work is lost or run twice while threads go idle and end")
    func race() async throws {
        let threads = HelperThreads(
            name: "helper-race", limit: 3, waitingLimit: 100_000, idleTimeout: .microseconds(50))
        let done = Lock([Int: Int]())
        let submitters = (0..<4).map { submitter in
            let ended = Signal()
            Thread.detachNewThread {
                for turn in 0..<1000 {
                    let isTaken = threads.submit {
                        done.withLock { $0[submitter * 1000 + turn, default: 0] += 1 }
                    }
                    if !isTaken { break }
                    // Now and then let the threads go idle.
                    guard turn % 50 == 0 else { continue }
                    let item = submitter * 1000 + turn
                    let isDone: Void? = try? spin(while: done.withLock { $0[item] == nil }) { "\(item)" }
                    if isDone == nil { break }
                }
                ended.fire()
            }
            return ended
        }
        for ended in submitters { try await ended.wait() }
        try spin(while: done.withLock { $0.count } < 4000) {
            "\(done.withLock { $0.count }) of 4000 items done"
        }
        #expect(done.withLock { $0.values.allSatisfy { $0 == 1 } })
        try await threadsEnd(named: "helper-race")
    }

    @Test("Responses that wait for their threads do not keep bodies of requests from theirs")
    func kinds() throws {
        let (gate, done) = (Signal(), Signal())
        var accepted = 0
        while WorkThreads.submit(.responses, { try? gate.waitBlocking() }) { accepted += 1 }
        #expect(accepted == WorkThreads.threads + WorkThreads.waitingResponses)
        #expect(WorkThreads.submit(.requests) { done.fire() })
        try done.waitBlocking()
        for _ in 0..<accepted { gate.fire() }
    }
}
