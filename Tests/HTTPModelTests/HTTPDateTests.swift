import HTTPModel
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    private func seconds(_ text: String) -> Int64? {
        HTTPDate.seconds(Array(text.utf8)[...])
    }

    @Test(
        "Text that is no date in one of the three forms is refused",
        arguments: [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Thu, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:-1:37 GMT", "784111777", "Sun, xx Nov 1994 08:49:37 GMT",
            "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 01994 08:49:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 199x 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 08::49:37 GMT",
            "Sun, 06 Nov 1994 0x:49:37 GMT", "Sun, 06 Nov 1994 08:4x:37 GMT", "Sun, 06 Nov 1994 08:49:3x GMT",
            "Sun, 06 Nov 1994 008:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 UTC", "Sunday, 06-Nov 08:49:37 GMT",
            "Sunday, 06-Nov-94-1 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-9 08:49:37 GMT",
            "Sunday, 06-Nov-9x 08:49:37 GMT",
            "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 199x", "Sun Nov  6 08:49:37 1969",
        ])
    func refused(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test(
        "The three forms of a date are read as the same second",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        ])
    func forms(text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    @Test("Two digits of a year are 1970 to 2069")
    func shortYear() {
        #expect(seconds("Thursday, 01-Jan-70 00:00:00 GMT") == 0)
        #expect(seconds("Friday, 31-Dec-99 00:00:00 GMT") == 946_598_400)
        #expect(seconds("Saturday, 01-Jan-00 00:00:00 GMT") == 946_684_800)
        #expect(seconds("Tuesday, 31-Dec-69 23:59:59 GMT") == 3_155_759_999)
    }

    @Test("Leap years and centuries follow the calendar")
    func calendar() {
        #expect(seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(seconds("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
        #expect(seconds("Wed, 01 Mar 2000 00:00:00 GMT") == 951_868_800)
        #expect(seconds("Fri, 20 Nov 2026 12:00:00 GMT") == 1_795_176_000)
        #expect(seconds("Fri, 31 Dec 2100 23:59:60 GMT") == 4_133_980_800)
    }

    @Test(
        "A date is written as an IMF-fixdate",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (82_800, "Thu, 01 Jan 1970 23:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
            (1_795_219_199, "Fri, 20 Nov 2026 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            // Times that a file may have.
            (-1, "Thu, 01 Jan 1970 00:00:00 GMT"), (.min, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func text(seconds: Int64, expected: String) {
        #expect(String(decoding: HTTPDate.text(secondsSince1970: seconds), as: UTF8.self) == expected)
    }
}
