import Testing

@testable import HTTPModel

@Suite("Moments by RFC 3339")
struct InternetTimeTests {
    @Test(
        "What is no moment is refused",
        arguments: [
            "", "2026-11-20", "2026-11-20T08:00:00", "2026-11-20 08:00:00Z", "2026-11-20T08:00Z",
            "2026-11-20T24:00:00Z", "2026-11-20T08:60:00Z", "2026-11-20T08:00:60Z", "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-20T08:00:00.Z",
            "2026-11-20T08:00:00+0900", "2026-11-20T08:00:00+24:00", "2026-11-20T08:00:00Z ",
            "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "26-11-20T08:00:00Z",
            "2026-11-20T08:00:00+09:0", "+026-11-20T08:00:00Z", "2026-11-20T٠8:00:00Z",
        ])
    func whatIsNoMomentIsRefused(text: String) {
        #expect(InternetTime(text) == nil)
    }

    @Test(
        "A moment is the same however it is written",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:00z", 0), ("1970-01-01T09:00:00+09:00", 0),
            ("1969-12-31T19:30:00-04:30", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-20T08:00:00Z", 1_795_161_600_000), ("2026-11-20T08:00:00.1Z", 1_795_161_600_100),
            ("2026-11-20T08:00:00.123999Z", 1_795_161_600_123), ("2024-02-29T23:59:59Z", 1_709_251_199_000),
        ])
    func aMomentIsTheSameHoweverItIsWritten(text: String, milliseconds: Int) {
        #expect(InternetTime(text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "A moment is written as it is read",
        arguments: [
            "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
            "2026-11-20T08:05:09.007Z",
            "9999-12-31T23:59:59Z",
        ])
    func aMomentIsWrittenAsItIsRead(text: String) {
        #expect(InternetTime(text)?.description == text)
    }
}
