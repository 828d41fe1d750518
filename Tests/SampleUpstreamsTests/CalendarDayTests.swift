import Testing

@testable import SampleUpstreams

@Suite("Calendar days")
struct CalendarDayTests {
    @Test(
        "Text that is not an existing day is rejected",
        arguments: [
            "", "2026", "2026-11", "2026-11-31", "2026-02-29", "1900-02-29", "2100-02-29", "2026-00-10",
            "2026-13-01",
            "2026-01-00", "2026-01-32", "0000-01-01", "26-11-20", "2026-1-2", "2026/11/20", "20261120",
            "2026-11-20 ",
            " 2026-11-20", "2026-11-20T00:00:00Z", "+026-11-20", "-026-11-20", "２０２６-11-20", "2026-11-2x",
            "12026-11-20",
        ])
    func textThatIsNoDayIsNone(_ text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test(
        "A valid day keeps its text",
        arguments: [
            "0001-01-01", "1600-02-29", "1969-12-31", "1970-01-01", "2000-02-29", "2024-02-29", "2026-11-20",
            "9999-12-31",
        ])
    func aDayIsWhatItWasReadFrom(_ text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test("Days are consecutive over 400 years and at both ends of the calendar")
    func everyDayFollowsTheOneBefore() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for (first, years) in [(1, 1...8), (1600, 1600...2001), (9990, 9990...9999)] {
            var expected = CalendarDay(year: first, month: 1, day: 1)?.number ?? 0
            var wrong: [CalendarDay] = []
            for year in years {
                let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                for month in 1...12 {
                    let length = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
                    #expect(CalendarDay(year: year, month: month, day: length + 1) == nil)
                    for day in 1...length {
                        let date = CalendarDay(number: expected)
                        let isRight =
                            date.month == CalendarMonth(year: year, month: month) && date.dayOfMonth == day
                            && CalendarDay(year: year, month: month, day: day) == date
                        if !isRight { wrong.append(date) }
                        expected += 1
                    }
                }
            }
            #expect(wrong.isEmpty)
        }
        #expect(CalendarDay("1970-01-01")?.number == 0)
        #expect(CalendarDay("2026-11-20")?.number == 20_777)
    }

    @Test("A time belongs to its day in UTC, exact to the second")
    func aMomentIsInItsDayOfUTC() {
        #expect(CalendarDay(secondsSince1970: -1).description == "1969-12-31")
        #expect(CalendarDay(secondsSince1970: -86_400).description == "1969-12-31")
        #expect(CalendarDay(secondsSince1970: -86_401).description == "1969-12-30")
        #expect(CalendarDay(secondsSince1970: 0).description == "1970-01-01")
        #expect(CalendarDay(secondsSince1970: 1_795_132_799).description == "2026-11-19")
        #expect(CalendarDay(secondsSince1970: 1_795_132_800).description == "2026-11-20")
    }

    @Test("Advancing a day or a month stops at the ends of the calendar")
    func stepsStopAtTheCalendarsEnds() {
        #expect(CalendarDay.first.advanced(by: -1) == .first)
        #expect(CalendarDay.last.advanced(by: 1) == .last)
        #expect(CalendarDay.first.month.advanced(by: -11).description == "0001-01")
        #expect(CalendarMonth(year: 2026, month: 11).advanced(by: -11).description == "2025-12")
        #expect(CalendarMonth(year: 2026, month: 11).advanced(by: 2).description == "2027-01")
    }
}
