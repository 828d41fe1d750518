import EventIO
import Locking
import Testing

@testable import SharedStore

@Suite("Breaker and backoff of a store")
struct StoreBreakerTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 10_000_000_000 + milliseconds * 1_000_000)
    }

    /// Ends commands of one millisecond each. Returns when the breaker refused one.
    private static func run(_ breaker: inout StoreBreaker, _ failures: [Bool], from start: Int64 = 0)
        -> Int64?
    {
        for (index, isFailure) in failures.enumerated() {
            let now = start + Int64(index)
            guard case .passes = breaker.admit(at: at(now)) else { return now }
            breaker.ended(isFailure: isFailure, isProbe: false, at: at(now))
        }
        return nil
    }

    @Test("19 failures do not open it, 20 do")
    func twenty() {
        var breaker = StoreBreaker()
        #expect(Self.run(&breaker, Array(repeating: true, count: 20)) == nil)
        #expect(!breaker.isClosed)
        breaker = StoreBreaker()
        #expect(Self.run(&breaker, Array(repeating: true, count: 19)) == nil)
        #expect(breaker.isClosed)
    }

    @Test("Fewer than half of the commands may fail")
    func half() {
        var breaker = StoreBreaker()
        #expect(Self.run(&breaker, (0..<500).map { $0 % 5 < 2 }) == nil)
        #expect(breaker.isClosed)
        breaker = StoreBreaker()
        #expect(Self.run(&breaker, (0..<40).map { $0 % 2 == 1 }) != nil)
    }

    @Test("After a second one command probes, and its success closes it")
    func probe() {
        var breaker = StoreBreaker()
        _ = Self.run(&breaker, Array(repeating: true, count: 20))
        guard case .refused = breaker.admit(at: Self.at(500)) else { return #expect(Bool(false)) }
        guard case .probes = breaker.admit(at: Self.at(1100)) else { return #expect(Bool(false)) }
        guard case .refused = breaker.admit(at: Self.at(1100)) else { return #expect(Bool(false)) }
        breaker.ended(isFailure: false, isProbe: true, at: Self.at(1101))
        #expect(breaker.isClosed)
        // What failed before does not count again.
        #expect(Self.run(&breaker, [true], from: 1102) == nil)
        #expect(breaker.isClosed)
    }

    @Test("A probe that fails opens it for another second; one that says nothing leaves its turn")
    func failedProbe() {
        var breaker = StoreBreaker()
        _ = Self.run(&breaker, Array(repeating: true, count: 20))
        guard case .probes = breaker.admit(at: Self.at(1100)) else { return #expect(Bool(false)) }
        breaker.probeCancelled(at: Self.at(1101))
        guard case .probes = breaker.admit(at: Self.at(1102)) else { return #expect(Bool(false)) }
        breaker.ended(isFailure: true, isProbe: true, at: Self.at(1120))
        guard case .refused = breaker.admit(at: Self.at(1900)) else { return #expect(Bool(false)) }
        guard case .probes = breaker.admit(at: Self.at(2130)) else { return #expect(Bool(false)) }
    }

    @Test("Attempts to connect are 100 ms apart at first and 5 s at last, with jitter")
    func backoff() {
        var backoff = Backoff()
        let times = (0..<8).map { _ in backoff.attemptFailed(jitter: 0).nanoseconds / 1_000_000 }
        #expect(times == [100, 200, 400, 800, 1600, 3200, 5000, 5000])
        #expect(backoff.attemptFailed(jitter: 1) == .seconds(5))
        #expect(backoff.attemptFailed(jitter: -1) == .seconds(4))
        backoff.reset()
        #expect(backoff.attemptFailed(jitter: -1) == .milliseconds(100))
        #expect(backoff.attemptFailed(jitter: 1) == .milliseconds(240))
    }
}

@Suite("Availability of a store")
struct StoreAvailabilityTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test("Many failures on many loops are one line, and so is the end of them")
    func oneLine() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        for time in 0..<100 { availability.failed(.noReply, isCommand: true, at: Self.at(Int64(time))) }
        #expect(changes.all == [.lost(.noReply)])
        #expect(!availability.status.isAvailable)
        #expect(availability.status.failures == [.timeout: 100])
        #expect(availability.answered(at: Self.at(2000)) == Self.at(3000))
        #expect(changes.all == [.lost(.noReply)])
        #expect(availability.check(at: Self.at(3000)) == nil)
        #expect(changes.all == [.lost(.noReply), .back(after: .seconds(2), failures: 100)])
        #expect(availability.status.isAvailable)
    }

    @Test("A store that answers now and then stays away until a second has passed without a failure")
    func flapping() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        for time in stride(from: Int64(0), to: 5000, by: 500) {
            availability.failed(.noReply, isCommand: true, at: Self.at(time))
            #expect(availability.answered(at: Self.at(time + 10)) == Self.at(time + 1010))
        }
        #expect(changes.all.count == 1)
        #expect(availability.check(at: Self.at(5000)) == Self.at(5510))
        #expect(availability.check(at: Self.at(5510)) == nil)
        #expect(changes.all.count == 2)
    }

    private static let gone = StoreFailure(.unreachable, "gone")
    /// Stand for the connections of two loops.
    private final class Loop {}
    private let loops = [Loop(), Loop()]
    private var names: [ObjectIdentifier] { loops.map(ObjectIdentifier.init) }

    @Test("Once a request has missed the store, a connection is not enough: the store has to decide")
    func connectionOnly() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        availability.failed(Self.gone, isCommand: true, at: Self.at(0))
        #expect(availability.connected(names[0], at: Self.at(5000)) == nil)
        #expect(availability.check(at: Self.at(9000)) == nil)
        #expect(changes.all.count == 1)
        #expect(availability.answered(at: Self.at(9000)) == Self.at(10_000))
        #expect(availability.check(at: Self.at(10_000)) == nil)
        #expect(changes.all.last == .back(after: .seconds(9), failures: 1))
    }

    @Test("Without requests, a connection that lasts a second brings the store back")
    func withoutRequests() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        availability.failed(Self.gone, isCommand: false, at: Self.at(0))
        #expect(availability.connected(names[0], at: Self.at(4000)) == Self.at(5000))
        availability.disconnected()
        #expect(availability.check(at: Self.at(5000)) == nil)
        #expect(changes.all.count == 1)
        #expect(availability.connected(names[0], at: Self.at(6000)) == Self.at(7000))
        #expect(availability.check(at: Self.at(7000)) == nil)
        #expect(changes.all == [.lost(Self.gone), .back(after: .seconds(6), failures: 0)])
    }

    @Test("A loop that rests is told when another loop reaches the store, which is back when both do")
    func resting() {
        let changes = ReportedChanges()
        let woken = Lock(0)
        let availability = StoreAvailability { changes.add($0) }
        for name in names {
            availability.failed(Self.gone, isCommand: true, at: Self.at(0))
            availability.rests(name) { woken.withLock { $0 += 1 } }
        }
        availability.restEnded(names[0])
        _ = availability.connected(names[0], at: Self.at(2000))
        #expect(woken.withLock { $0 } == 1)
        #expect(availability.answered(at: Self.at(2000)) == Self.at(3000))
        // The other loop has been told, and has not reached the store yet.
        #expect(availability.check(at: Self.at(3000)) == Self.at(4000))
        availability.restEnded(names[1])
        _ = availability.connected(names[1], at: Self.at(3500))
        #expect(availability.check(at: Self.at(4000)) == nil)
        #expect(changes.all == [.lost(Self.gone), .back(after: .seconds(2), failures: 2)])
        #expect(woken.withLock { $0 } == 1)
    }

    @Test("A connection that its owner closes while it rests does not keep the store away")
    func closed() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        availability.failed(Self.gone, isCommand: false, at: Self.at(0))
        availability.rests(names[1]) {}
        availability.restEnded(names[1], isLast: true)
        _ = availability.connected(names[0], at: Self.at(1000))
        #expect(availability.check(at: Self.at(2000)) == nil)
        #expect(changes.all.count == 2)
    }

    @Test("Time alone brings nothing back")
    func silence() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        #expect(availability.answered(at: Self.at(0)) == nil)
        availability.failed(.breakerIsOpen, isCommand: true, at: Self.at(1))
        #expect(availability.check(at: Self.at(10_000)) == nil)
        #expect(changes.all == [.lost(.breakerIsOpen)])
    }

    @Test("A connection that cannot be made is a reason, but not a request that was not counted")
    func connecting() {
        let changes = ReportedChanges()
        let availability = StoreAvailability { changes.add($0) }
        availability.failed(StoreFailure(.unreachable, "gone"), isCommand: false, at: Self.at(1))
        #expect(availability.status.failures.isEmpty)
        #expect(changes.all == [.lost(StoreFailure(.unreachable, "gone"))])
    }
}

@Suite("Errors of a store")
struct StoreFailureTests {
    @Test(
        "Each error of a server has its kind",
        arguments: [
            ("OOM command not allowed when used memory > 'maxmemory'.", .full),
            (
                "ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed",
                .full
            ),
            ("NOAUTH Authentication required.", .credentials),
            ("WRONGPASS invalid username-password pair or user is disabled.", .credentials),
            (
                "ERR AUTH <password> called without any password configured for the default user.",
                .credentials
            ),
            ("NOPERM this user has no permissions to run the 'evalsha' command", .credentials),
            ("LOADING Redis is loading the dataset in memory", .loading), ("BUSY Redis is busy", .loading),
            ("READONLY You can't write against a read only replica.", .readonly),
            ("MASTERDOWN Link with MASTER is down", .readonly),
            ("MISCONF Redis is configured to save", .readonly),
            ("ERR max number of clients reached", .unreachable), ("DENIED Redis is running", .unreachable),
            ("CROSSSLOT Keys in request don't hash to the same slot", .error),
            ("MOVED 3999 127.0.0.1:6381", .error),
            ("ERR unknown command 'EVALSHA'", .error), ("WRONGTYPE Operation against a key", .error),
            ("", .error),
            ("ERR something new", .error), ("OOMPH", .error),
        ] as [(String, StoreFailure.Kind)])
    func kinds(_ text: String, _ kind: StoreFailure.Kind) {
        #expect(StoreFailure(reply: text).kind == kind)
    }

    @Test("No failure repeats what the server wrote, which may have a password in it")
    func secrets() {
        for text in [
            "ERR unknown command `AUTH`, with args beginning with: `sluice`, `open sesame`", "sesame",
            "SESAME? sesame",
            "WRONGPASS sesame", "ERR AUTH sesame",
        ] {
            #expect(!StoreFailure(reply: text).description.contains("sesame"))
        }
    }
}
