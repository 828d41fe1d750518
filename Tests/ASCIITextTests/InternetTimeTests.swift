import ASCIIText
import Testing

@Suite("RFC 3339 times")
struct InternetTimeTests {
    @Test(
        "An invalid time is rejected",
        arguments: [
            "", "2026-11-20", "2026-11-20T08:00:00", "2026-11-20 08:00:00Z", "2026-11-20T08:00Z",
            "2026-11-20T24:00:00Z", "2026-11-20T08:60:00Z", "2026-11-20T08:00:60Z", "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-20T08:00:00.Z",
            "2026-11-00T00:00:00Z", "2026/11-20T08:00:00Z", "2026-11/20T08:00:00Z", "2026-11-20T08.00:00Z",
            "2026-11-20T08:00.00Z", "2026-11-20T08:00:00+0900", "2026-11-20T08:00:00+24:00",
            "2026-11-20T08:00:00+09:60", "2026-11-20T08:00:00Z ", "2026-11-20T08:00:00X",
            "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "26-11-20T08:00:00Z",
            "2026-11-20T08:00:00+09:0", "2026-11-20T08:00:00+9:00", "+026-11-20T08:00:00Z",
            "2026-11-20T٠8:00:00Z", "2026-1:-20T08:00:00Z", "2026-11-20Tx8:00:00Z", "2026-11-20T08:x0:00Z",
            "2026-11-20T08:00:x0Z", "2026-11-20T08:00:00+", "2026-11-20T08:00:00+x9:00",
        ])
    func refused(text: String) {
        #expect(InternetTime(text) == nil)
    }

    @Test(
        "Each form of a time is read as milliseconds since 1970",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:00z", 0), ("1970-01-01T09:00:00+09:00", 0),
            ("1970-01-01T23:59:00+23:59", 0), ("1969-12-31T19:30:00-04:30", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-20T08:00:00Z", 1_795_161_600_000), ("2026-11-20T08:00:00.1Z", 1_795_161_600_100),
            ("2026-11-20T08:00:00.123999Z", 1_795_161_600_123), ("2024-02-29T23:59:59Z", 1_709_251_199_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("2026-11-20T08:00:00.\(String(repeating: "9", count: 500))Z", 1_795_161_600_999),
        ])
    func forms(text: String, milliseconds: Int) {
        #expect(InternetTime(text)?.millisecondsSince1970 == milliseconds)
    }

    @Test(
        "A time in the canonical form is written back unchanged",
        arguments: [
            "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
            "2026-11-20T08:05:09.007Z", "2026-11-20T18:45:59.120Z", "9999-12-31T23:59:59Z",
        ])
    func written(text: String) {
        #expect(InternetTime(text)?.description == text)
    }

    @Test("An earlier time is less than a later one")
    func order() {
        #expect(InternetTime(millisecondsSince1970: -1) < InternetTime(millisecondsSince1970: 0))
        #expect(!(InternetTime(millisecondsSince1970: 0) < InternetTime(millisecondsSince1970: 0)))
    }

    private func seconds(_ text: String) -> Int? {
        Array(text.utf8).withUnsafeBytes(InternetTime.seconds)
    }

    @Test("Whole seconds in UTC are read and written, and every other form is rejected")
    func wholeSeconds() {
        #expect(seconds("2026-11-20T08:05:09Z") == 1_795_161_909)
        #expect(seconds("1969-12-31T23:59:59Z") == -1)
        for other in [
            "2026-11-20t08:05:09Z", "2026-11-20T08:05:09z", "2026-11-20T08:05:09+00:00",
            "2026-11-20T08:05:09.0Z", "2026-11-20T08:05:09", "2026-02-30T08:05:09Z", "",
        ] { #expect(seconds(other) == nil, "\(other)") }
        for time in [1_795_161_909, 1_795_215_600, -1, 0, 253_402_300_799, -62_135_596_800] {
            #expect(
                seconds(String(decoding: InternetTime.text(secondsSince1970: time), as: UTF8.self)) == time)
        }
    }
}
