import HTTPModel
import Testing

@Suite("Gregorian calendar")
struct GregorianCalendarTests {
    @Test(
        "Known days have their numbers, before and after the epoch",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017),
            (1900, 3, 1, -25_508), (2026, 11, 20, 20_777), (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896),
        ])
    func knownDays(_ year: Int, _ month: Int, _ day: Int, _ number: Int) {
        #expect(GregorianCalendar.days(year: year, month: month, day: day) == number)
        #expect(GregorianCalendar.date(daysSince1970: number) == (year, month, day))
    }

    @Test("Every day of four centuries follows the one before it")
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
            if !isNext || GregorianCalendar.days(year: date.year, month: date.month, day: date.day) != number
            {
                wrong.append(number)
            }
            before = date
        }
        #expect(wrong == [])
        #expect(before == (1999, 12, 31))
    }
}
