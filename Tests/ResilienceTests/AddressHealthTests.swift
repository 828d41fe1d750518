import Resilience
import Testing

@Suite("The health of an address")
struct AddressHealthTests {
    private static let second: Int64 = 1_000_000_000
    private static let policy = EjectionPolicy()
    private static let checks = HealthCheckPolicy(path: "/")

    /// Lets this many attempts fail at one time, and returns what the last one changed.
    @discardableResult
    private func fail(
        _ health: inout AddressHealth, _ count: Int = 1, at now: Int64, mayEject: Bool = true
    ) -> AddressHealth.Change? {
        var change: AddressHealth.Change?
        for _ in 0..<count {
            change = health.attemptFailed(Self.policy, mayEject: mayEject, at: now * Self.second)
        }
        return change
    }

    private func isInService(_ health: AddressHealth, at now: Int64) -> Bool {
        health.outUntil <= now * Self.second
    }

    @Test("Four failures in a row change nothing, the fifth ejects the address for 30 s")
    func ejection() {
        var health = AddressHealth()
        #expect(fail(&health, 4, at: 10) == nil)
        #expect(isInService(health, at: 10))
        #expect(fail(&health, at: 10) == .ejected(failures: 5, duration: 30 * Self.second))
        #expect(!isInService(health, at: 39))
        #expect(isInService(health, at: 40))
    }

    @Test("A success between them starts the count again")
    func success() {
        var health = AddressHealth()
        fail(&health, 4, at: 10)
        #expect(health.awaitsSuccess)
        #expect(health.attemptSucceeded(at: 10 * Self.second) == nil)
        #expect(!health.awaitsSuccess)
        #expect(fail(&health, 4, at: 10) == nil)
    }

    @Test("It stays in service while too many others are out, and leaves with the next failure")
    func share() {
        var health = AddressHealth()
        #expect(fail(&health, 20, at: 10, mayEject: false) == nil)
        #expect(isInService(health, at: 10))
        #expect(fail(&health, at: 10) == .ejected(failures: 21, duration: 30 * Self.second))
    }

    @Test("An address that fails and may not leave is marked until a call succeeds")
    func failing() {
        var health = AddressHealth()
        fail(&health, 4, at: 10, mayEject: false)
        #expect(!health.isFailing)
        fail(&health, at: 10, mayEject: false)
        #expect(health.isFailing)
        _ = health.attemptSucceeded(at: 11 * Self.second)
        #expect(!health.isFailing)
    }

    @Test("Attempts that were in flight at the ejection change nothing")
    func inFlight() {
        var health = AddressHealth()
        fail(&health, 5, at: 10)
        #expect(fail(&health, 20, at: 20) == nil)
        #expect(health.attemptSucceeded(at: 20 * Self.second) == nil)
        #expect(isInService(health, at: 40))
        #expect(!isInService(health, at: 39))
    }

    @Test(
        "A probe that succeeds ends the ejection; other attempts in flight do not, nor does a probe while checks fail"
    )
    func probe() {
        var health = AddressHealth()
        fail(&health, 5, at: 10)
        #expect(health.isOnTrial)
        #expect(health.attemptSucceeded(isProbe: false, at: 15 * Self.second) == nil)
        #expect(
            health.attemptSucceeded(isProbe: true, at: 15 * Self.second)
                == .returned(absence: 5 * Self.second))
        #expect(isInService(health, at: 15))
        #expect(!health.isOnTrial)
        #expect(health.serviceStart == 15 * Self.second)
        var unhealthy = AddressHealth()
        for _ in 0..<3 { _ = unhealthy.checkEnded(passed: false, Self.checks, at: 0) }
        #expect(unhealthy.attemptSucceeded(isProbe: true, at: 1) == nil)
        #expect(unhealthy.outUntil == .max)
    }

    @Test("After its return one failure ejects it again, for twice as long, at most for 5 min")
    func repeated() {
        var health = AddressHealth()
        var now: Int64 = 10
        fail(&health, 5, at: now)
        now += 30
        for duration in [60, 90, 120, 150, 180, 210, 240, 270, 300, 300] as [Int64] {
            #expect(
                fail(&health, at: now) == .ejected(failures: 1, duration: duration * Self.second),
                "\(duration)")
            now += duration
        }
        #expect(isInService(health, at: now))
    }

    @Test("Its first success after that is its return, and ejections count less after time in service")
    func back() {
        var health = AddressHealth()
        fail(&health, 5, at: 10)
        fail(&health, at: 40)
        #expect(health.attemptSucceeded(at: 101 * Self.second) == .returned(absence: 91 * Self.second))
        #expect(health.attemptSucceeded(at: 102 * Self.second) == nil)
        #expect(fail(&health, 4, at: 129) == nil)
        #expect(fail(&health, at: 129) == .ejected(failures: 5, duration: 90 * Self.second))
        #expect(health.attemptSucceeded(at: 219 * Self.second) == .returned(absence: 90 * Self.second))
        // Two ejections are forgotten after 60 s.
        #expect(fail(&health, 5, at: 279) == .ejected(failures: 5, duration: 60 * Self.second))
        #expect(health.attemptSucceeded(at: 400 * Self.second) != nil)
        #expect(fail(&health, 5, at: 10_000) == .ejected(failures: 5, duration: 30 * Self.second))
    }

    @Test("Three failed checks in a row take it out of service until two pass in a row")
    func checks() {
        var health = AddressHealth()
        func check(_ passed: Bool, at now: Int64) -> AddressHealth.Change? {
            health.checkEnded(passed: passed, Self.checks, at: now * Self.second)
        }
        #expect([false, false, true, false, false].map { check($0, at: 1) } == [nil, nil, nil, nil, nil])
        #expect(check(false, at: 1) == .becameUnhealthy(checks: 3))
        #expect(health.outUntil == .max)
        #expect([true, false, true].map { check($0, at: 1000) } == [nil, nil, nil])
        #expect(check(true, at: 2000) == .becameHealthy)
        #expect(isInService(health, at: 2000))
        #expect(health.serviceStart == 2000 * Self.second)
    }

    @Test("Without checks no address is unhealthy: it returns at once, gradually")
    func checksEnd() {
        var health = AddressHealth()
        for _ in 0..<3 { _ = health.checkEnded(passed: false, Self.checks, at: 0) }
        #expect(health.follow(hasChecks: true, hasEjection: false, at: 5 * Self.second) == nil)
        #expect(!isInService(health, at: 5))
        #expect(health.follow(hasChecks: false, hasEjection: true, at: 6 * Self.second) == .released)
        #expect(isInService(health, at: 6))
        #expect(health.serviceStart == 6 * Self.second)
        #expect(health.follow(hasChecks: false, hasEjection: true, at: 7 * Self.second) == nil)
        // New checks begin without a memory.
        let checks = (0..<3).map { _ in health.checkEnded(passed: false, Self.checks, at: 8) }
        #expect(checks == [nil, nil, .becameUnhealthy(checks: 3)])
    }

    @Test("Without ejection no address is ejected, on trial or failing")
    func ejectionEnds() {
        var health = AddressHealth()
        fail(&health, 5, at: 10)
        #expect(health.follow(hasChecks: true, hasEjection: true, at: 11 * Self.second) == nil)
        #expect(!isInService(health, at: 11))
        #expect(health.follow(hasChecks: true, hasEjection: false, at: 12 * Self.second) == .released)
        #expect(isInService(health, at: 12))
        #expect(!health.isOnTrial && !health.isFailing && !health.awaitsSuccess)
        // Neither are earlier ejections remembered.
        #expect(fail(&health, 5, at: 20) == .ejected(failures: 5, duration: 30 * Self.second))
        // Its time is over, so it is in service, but on trial.
        #expect(health.follow(hasChecks: false, hasEjection: false, at: 60 * Self.second) == nil)
        #expect(!health.isOnTrial)
    }

    @Test("Failed attempts count for nothing while its checks fail")
    func unhealthy() {
        var health = AddressHealth()
        for _ in 0..<3 { _ = health.checkEnded(passed: false, Self.checks, at: 0) }
        #expect(fail(&health, 20, at: 1) == nil)
        for _ in 0..<2 { _ = health.checkEnded(passed: true, Self.checks, at: 2) }
        #expect(fail(&health, 4, at: 3) == nil)
    }

    @Test("Passing checks do not end an ejection")
    func checksOfAnEjected() {
        var health = AddressHealth()
        fail(&health, 5, at: 10)
        for _ in 0..<10 { #expect(health.checkEnded(passed: true, Self.checks, at: 11 * Self.second) == nil) }
        #expect(!isInService(health, at: 39))
    }

    @Test("The first addresses take their whole load at once, later and returned ones a growing part")
    func ramp() {
        func ramp(_ health: AddressHealth, at now: Int64, slowStart: Int64 = 10) -> Double {
            AddressHealth.ramp(
                at: now * Self.second, since: health.serviceStart, slowStart: slowStart * Self.second)
        }
        var first = AddressHealth()
        #expect(ramp(first, at: 0) == 1)
        let added = AddressHealth(addedAt: 100 * Self.second)
        #expect([100, 101, 105, 109, 110, 1000].map { ramp(added, at: $0) } == [0.1, 0.1, 0.5, 0.9, 1, 1])
        #expect(ramp(added, at: 100, slowStart: 0) == 1)
        fail(&first, 5, at: 10)
        #expect(ramp(first, at: 45) == 0.5)
    }

    @Test("Settings out of range are named with their value and range")
    func faults() {
        #expect(EjectionPolicy().faults == [])
        #expect(HealthCheckPolicy(path: "/health?full=1").faults == [])
        var ejection = EjectionPolicy()
        ejection.consecutive = 0
        ejection.base = .milliseconds(99)
        ejection.max = .milliseconds(98)
        ejection.maxShare = .nan
        #expect(
            ejection.faults == [
                "consecutive: 0 is not between 1 and 1000",
                "base: 0.099 seconds is not between 100 ms and 1 h",
                "max: 0.098 seconds is not between base (0.099 seconds) and 1 day",
                "maxShare: nan is not more than 0 and at most 1",
            ])
        var checks = HealthCheckPolicy(path: "health")
        checks.interval = .zero
        checks.timeout = .seconds(61)
        checks.unhealthy = 0
        checks.healthy = 101
        #expect(
            checks.faults == [
                "path: 'health' is not a path that begins with a slash",
                "interval: 0.0 seconds is not between 100 ms and 1 h",
                "timeout: 61.0 seconds is not between 10 ms and 1 min",
                "unhealthy: 0 is not between 1 and 100", "healthy: 101 is not between 1 and 100",
            ])
        for path in ["", "/a b", "/a#b", "/\r\nHost: x", "/ä"] {
            #expect(HealthCheckPolicy(path: path).faults.count == 1, "\(path)")
        }
    }
}
