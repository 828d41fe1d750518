import HTTPModel
import RxTesting
import Testing

@testable import Networking

@Suite("Retry-After", .noLeaks)
struct RetryAfterTests {
    @Test("A Retry-After date is compared with the clock if the response has no Date")
    func againstTheClock() {
        let now = 784_111_770.25
        let fields: HTTPFields = [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(RetryAfter.delay(in: fields, now: now) == .milliseconds(6750))
        #expect(RetryAfter.delay(in: [.retryAfter: "0"], now: now) == .zero)
        #expect(RetryAfter.delay(in: [:], now: now) == nil)
        #expect(RetryAfter.delay(in: [.retryAfter: "00000000000007"], now: now) == .seconds(7))
        #expect(RetryAfter.delay(in: [.retryAfter: "Wed, 31 Feb 2027 00:00:00 GMT"], now: now) == nil)
    }
}
