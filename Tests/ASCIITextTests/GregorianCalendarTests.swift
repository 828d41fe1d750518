import ASCIIText
import Testing

@Suite("Gregorian calendar")
struct GregorianCalendarTests {
    @Test(
        "Dates before and after 1970 convert to day numbers and back",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017),
            (1900, 3, 1, -25_508), (2026, 11, 20, 20_777), (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896),
            (0, 2, 29, -719_469), (-1, 12, 31, -719_529), (-400, 3, 1, -865_565),
        ])
    func knownDays(_ year: Int, _ month: Int, _ day: Int, _ number: Int) {
        #expect(GregorianCalendar.days(year: year, month: month, day: day) == number)
        #expect(GregorianCalendar.date(daysSince1970: number) == (year, month, day))
    }

    @Test("Over four centuries, consecutive day numbers give consecutive dates, and no other dates are valid")
    func everyDay() {
        var wrong: [Int] = []
        var before = GregorianCalendar.date(daysSince1970: -135_141)
        #expect(before == (1599, 12, 31))
        for number in -135_140..<10_957 {
            let date = GregorianCalendar.date(daysSince1970: number)
            let isNext =
                date == (before.year, before.month, before.day + 1)
                || date == (before.year, before.month + 1, 1) && before.day >= 28
                || date == (before.year + 1, 1, 1) && before.month == 12 && before.day == 31
            let isFirst = date.day == 1
            let length = GregorianCalendar.length(ofMonth: before.month, year: before.year)
            if !isNext || isFirst != (before.day == length)
                || !GregorianCalendar.hasDay(year: date.year, month: date.month, day: date.day)
                || GregorianCalendar.hasDay(year: before.year, month: before.month, day: length + 1)
                || GregorianCalendar.days(year: date.year, month: date.month, day: date.day) != number
            {
                wrong.append(number)
            }
            before = date
        }
        #expect(wrong == [])
        #expect(before == (1999, 12, 31))
    }

    @Test("A month outside 1 to 12 and day 0 are invalid")
    func bounds() {
        #expect(!GregorianCalendar.hasDay(year: 2026, month: 0, day: 1))
        #expect(!GregorianCalendar.hasDay(year: 2026, month: 13, day: 1))
        #expect(!GregorianCalendar.hasDay(year: 2026, month: 1, day: 0))
        #expect(GregorianCalendar.monthNames.count == 12)
    }

    @Test("A time before 1970 is split into a negative day number and the seconds since midnight")
    func split() {
        #expect(GregorianCalendar.split(secondsSince1970: 0) == (0, 0))
        #expect(GregorianCalendar.split(secondsSince1970: 86_399) == (0, 86_399))
        #expect(GregorianCalendar.split(secondsSince1970: 86_400) == (1, 0))
        #expect(GregorianCalendar.split(secondsSince1970: -1) == (-1, 86_399))
        #expect(GregorianCalendar.split(secondsSince1970: -86_400) == (-1, 0))
        #expect(GregorianCalendar.split(secondsSince1970: -86_401) == (-2, 86_399))
    }

    @Test("A date is read from the first ten bytes, and invalid text is rejected")
    func text() {
        func date(_ text: String) -> String? {
            Array(text.utf8).withUnsafeBytes(GregorianCalendar.date).map {
                "\($0.year) \($0.month) \($0.day)"
            }
        }
        #expect(date("2026-11-20") == "2026 11 20")
        #expect(date("0001-01-01T08:00") == "1 1 1")
        for text in ["2026-11-2", "", "2026-11-31", "0000-01-01", "20x6-11-20", "2026-11-2x", "2026 11-20"] {
            #expect(date(text) == nil, "\(text)")
        }
    }
}
