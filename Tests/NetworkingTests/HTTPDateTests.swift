import FoundationEssentials
import HTTPModel
import RxTesting
import Testing

@testable import Networking

@Suite("Dates of HTTP", .noLeaks)
struct HTTPDateTests {
    private func seconds(_ text: String) -> Int64? {
        HTTPDate.seconds(Array(text.utf8)[...])
    }

    @Test(
        "What is no date in one of the three forms is refused",
        arguments: [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:-1:37 GMT", "784111777",
        ])
    func refused(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test(
        "All three forms are the same instant",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    @Test("Leap years and centuries are counted as the calendar does")
    func calendar() {
        #expect(seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(seconds("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
        #expect(seconds("Wed, 01 Mar 2000 00:00:00 GMT") == 951_868_800)
        #expect(seconds("Fri, 20 Nov 2026 12:00:00 GMT") == 1_795_176_000)
        #expect(seconds("Fri, 31 Dec 2100 23:59:60 GMT") == 4_133_980_800)
    }

    @Test("A date without a Date beside it is read against the clock")
    func againstTheClock() {
        let now = Date(timeIntervalSince1970: 784_111_770.25)
        let fields: HTTPFields = [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(RetryAfter.delay(in: fields, now: now) == .milliseconds(6750))
        #expect(RetryAfter.delay(in: [.retryAfter: "0"], now: now) == .zero)
        #expect(RetryAfter.delay(in: [:], now: now) == nil)
    }
}
