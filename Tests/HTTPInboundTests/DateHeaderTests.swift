import Testing

@testable import HTTPInbound

struct DateHeaderTests {
    @Test(
        "A date is written as RFC 9110 has it",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
            (1_795_219_199, "Fri, 20 Nov 2026 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func text(seconds: Int64, expected: String) {
        #expect(String(decoding: DateHeader.text(secondsSince1970: seconds), as: UTF8.self) == expected)
    }

    @Test("The present date is 29 bytes long")
    func current() {
        var date = DateHeader()
        #expect(date.current.count == 29)
    }
}
