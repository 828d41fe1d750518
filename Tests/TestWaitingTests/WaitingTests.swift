import TestWaiting
import Testing

@Suite("Waits of tests")
struct WaitingTests {
    private static let soon = Duration.milliseconds(5)

    /// Returns the error's text from the place on.
    private func text(_ error: WaitedTooLong?) -> String? {
        guard let error, error.place.hasPrefix("TestWaitingTests/WaitingTests.swift:") else { return nil }
        return error.description.replacing(error.place, with: "HERE")
    }

    @Test("A spin whose condition stays true throws the place, the limit and the state")
    func spinning() throws {
        var checks = 0
        func next() -> Int {
            checks += 1
            return checks
        }
        let error = #expect(throws: WaitedTooLong.self) {
            try spin(while: next() > 0, within: Self.soon) { "\(checks > 1 ? "many" : "few") checks" }
        }
        #expect(text(error) == "waited 0.005 seconds at HERE: many checks")
    }

    @Test("After one wait in vain, the next at that place take a second at most")
    func waitingAgain() async throws {
        async let polls = limits { try await poll(while: true, within: $0) { "no end" } }
        async let continuations = limits {
            try await withDeadline("no end", within: $0) { (_: DeadlineContinuation<Void>) in }
        }
        #expect(try await polls == [Self.soon, .seconds(1)])
        #expect(try await continuations == [Self.soon, .seconds(1)])
    }

    /// Returns the limits of two waits in vain.
    private func limits(_ wait: (Duration) async throws -> Void) async throws -> [Duration] {
        var limits: [Duration] = []
        for limit in [Self.soon, .seconds(30)] {
            let error = await #expect(throws: WaitedTooLong.self) { try await wait(limit) }
            limits += [try #require(error).limit]
        }
        return limits
    }

    @Test("A spin ends with its condition, and throws the errors of the condition")
    func spinningEnds() throws {
        var left = 3
        func next() -> Bool {
            left -= 1
            return left > 0
        }
        try spin(while: next()) { "" }
        #expect(left == 0)
        struct Failure: Error {}
        func fail() throws -> Bool { throw Failure() }
        #expect(throws: Failure.self) { try spin(while: try fail()) { "" } }
    }

    @Test("A poll whose condition stays true throws the state; one whose condition ends returns")
    func polling() async throws {
        let error = await #expect(throws: WaitedTooLong.self) {
            try await poll(while: true, within: Self.soon) { "2 of 3" }
        }
        #expect(text(error) == "waited 0.005 seconds at HERE: 2 of 3")
        try await poll(while: false) { "" }
    }

    @Test("A continuation that is not resumed throws the state, and a later resumption does nothing")
    func continuation() async throws {
        let kept = Kept()
        let error = await #expect(throws: WaitedTooLong.self) {
            try await withDeadline("no answer", within: Self.soon) { kept.continuation = $0 }
        }
        #expect(text(error) == "waited 0.005 seconds at HERE: no answer")
        kept.continuation?.resume()
        #expect(try await withDeadline("") { $0.resume(returning: 1) } == 1)
    }

    private final class Kept {
        var continuation: DeadlineContinuation<Void>?
    }

    @Test("A signal that is not fired often enough throws its count")
    func signal() async throws {
        let signal = Signal()
        signal.fire()
        try await signal.wait()
        let error = await #expect(throws: WaitedTooLong.self) {
            try await signal.wait(count: 2, within: Self.soon)
        }
        #expect(text(error) == "waited 0.005 seconds at HERE: fired 1 of 2 times")
        try signal.waitBlocking()
        let blocked = #expect(throws: WaitedTooLong.self) { try signal.waitBlocking(within: Self.soon) }
        #expect(text(blocked) == "waited 0.005 seconds at HERE: fired 1 times, and not once more")
    }

    @Test("An event log throws the wanted event and the last ten events")
    func eventLog() async throws {
        let log = EventLog()
        let first = await #expect(throws: WaitedTooLong.self) {
            try await log.wait(for: "end", within: Self.soon)
        }
        #expect(text(first) == "waited 0.005 seconds at HERE: no \"end\" after no event")
        for number in 1...11 { log.add("\(number)") }
        try await log.wait(for: "1")
        let error = await #expect(throws: WaitedTooLong.self) {
            try await log.wait(for: "end", within: Self.soon)
        }
        let events = (2...11).map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(text(error) == "waited 0.005 seconds at HERE: no \"end\" after ... \(events)")
    }

    @Test("An inbox returns events in order, and throws the last events if there is no further one")
    func inbox() async throws {
        let inbox = Inbox<Int>()
        async let first = inbox.next()
        for number in 1...3 { inbox.put(number) }
        #expect(try await first == 1)
        #expect(try await inbox.next(2) == [2, 3])
        let error = await #expect(throws: WaitedTooLong.self) { try await inbox.next(within: Self.soon) }
        #expect(text(error) == "waited 0.005 seconds at HERE: no further event after 1, 2, 3")
        inbox.put(4)
        #expect(try await inbox.next() == 4)
    }

    @Test("The standard limit is shorter than the shortest time limit of a suite")
    func limit() {
        #expect(Patience.limit < .seconds(60))
    }
}
