import Resilience
import Testing

@Suite("The window of attempts")
struct AttemptWindowTests {
    private static let second: Int64 = 1_000_000_000

    @Test("Attempts count for the length of the window and no longer")
    func age() {
        let window = AttemptWindow(.seconds(10))
        window.count(isFailure: true, at: 100 * Self.second)
        window.count(isFailure: false, at: 104 * Self.second)
        #expect(window.counts(at: 104 * Self.second) == .init(attempts: 2, failures: 1))
        #expect(window.counts(at: 109 * Self.second) == .init(attempts: 2, failures: 1))
        #expect(window.counts(at: 110 * Self.second) == .init(attempts: 1, failures: 0))
        #expect(window.counts(at: 114 * Self.second) == .init())
    }

    @Test("A bucket is reused for a later period")
    func reused() {
        let window = AttemptWindow(.seconds(10))
        for second in Int64(0)...1000 { window.count(isFailure: second % 2 == 0, at: second * Self.second) }
        #expect(window.counts(at: 1000 * Self.second) == .init(attempts: 10, failures: 5))
    }

    @Test("A window that is cleared counts from the beginning")
    func cleared() {
        let window = AttemptWindow(.seconds(10))
        for second in Int64(0)..<10 { window.count(isFailure: true, at: second * Self.second) }
        window.clear()
        #expect(window.counts(at: 9 * Self.second) == .init())
        window.count(isFailure: false, at: 9 * Self.second)
        #expect(window.counts(at: 9 * Self.second) == .init(attempts: 1, failures: 0))
    }

    @Test("Periods before a start are left out")
    func start() {
        let window = AttemptWindow(.seconds(10))
        window.count(isFailure: true, at: 100 * Self.second)
        window.count(isFailure: true, at: 101 * Self.second)
        #expect(
            window.counts(at: 102 * Self.second, since: 101 * Self.second) == .init(attempts: 1, failures: 1))
    }

    @Test("Very many attempts in one period keep their rate of failures")
    func many() {
        let window = AttemptWindow(.seconds(10))
        for index in 0..<1_000_000 { window.count(isFailure: index % 4 == 0, at: 0) }
        let counts = window.counts(at: 0)
        #expect(counts.attempts > 30_000)
        #expect(abs(Double(counts.failures) / Double(counts.attempts) - 0.25) < 0.01)
    }

    @Test("A reader on another thread never sees more failures than attempts")
    func concurrent() async {
        let window = AttemptWindow(.seconds(1))
        async let writer: Void = {
            for index in Int64(0)..<200_000 { window.count(isFailure: true, at: index * 10_000) }
        }()
        for index in Int64(0)..<2_000 {
            let counts = window.counts(at: index * 1_000_000)
            #expect(counts.failures == counts.attempts)
        }
        await writer
    }
}
