import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("The diary")
struct DiaryTests {
    private let scratch = ScratchFolder()
    private let today = CalendarDate(number: 20_777)

    private func diary() throws -> Diary {
        let today = today
        return Diary(store: try DiaryStore(path: scratch.diary), today: { today })
    }

    private func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

    @Test("A period without weights has no points")
    func aTimeWithoutAnyWeightHasNoPoints() throws {
        let diary = try diary()
        #expect(try diary.weights(on: day("2019-12-31")).isEmpty)
        #expect(try diary.weights(on: day("2026-11-21")).isEmpty)
        #expect(try diary.lastWeek(of: day("2019-12-31")).isEmpty)
        #expect(try diary.lastWeek(of: day("2026-11-27")).isEmpty)
        #expect(try diary.lastYear(of: day("2019-12-31")).isEmpty)
        #expect(try diary.lastYear(of: day("2027-11-01")).isEmpty)
        #expect(try diary.lastWeek(of: CalendarDate.first).isEmpty)
        #expect(try diary.lastYear(of: CalendarDate.last).isEmpty)
    }

    @Test("A deleted weight stays deleted, and the weight of the other half of the day is kept")
    func whatWasDeletedStaysDeleted() throws {
        let before = try diary().weights(on: today)
        _ = try diary().record(nil, on: today, .morning)
        let after = try diary().weights(on: today)
        #expect(before.morning != nil && after.morning == nil)
        #expect(after.evening == before.evening)
        _ = try diary().record(nil, on: today, .evening)
        #expect(try diary().weights(on: today).isEmpty)
        #expect(try diary().lastWeek(of: today).map(\.label).last == "2026-11-19")
    }

    @Test("A weight of a day that has not come anywhere is refused, and so is its deletion")
    func future() throws {
        let tomorrow = today.advanced(by: 1)
        for weight in [Weight(grams: 70_000), nil] {
            #expect(try diary().record(weight, on: tomorrow, .morning) == .isLater(than: today))
        }
        let later = Diary(store: try DiaryStore(path: scratch.diary), today: { tomorrow })
        #expect(try later.weights(on: tomorrow).morning?.grams != 70_000)
        #expect(try later.weights(on: tomorrow).morning != nil)
    }

    @Test("A change whose condition does not hold changes nothing, and tells the weights of the day")
    func conditions() throws {
        let diary = try diary()
        let before = try diary.weights(on: today)
        let tag = try #require(before.morning?.entityTag)
        let failing: [HTTPFields] = [
            [.ifMatch: "\"1.0\""], [.ifNoneMatch: "*"], [.ifNoneMatch: "\(tag)"],
            [.ifMatch: "\(tag)", .ifNoneMatch: "*"],
        ]
        for fields in failing {
            for weight in [Weight(grams: 66_600), nil] {
                let change = try diary.record(
                    weight, on: today, .morning, if: RequestConditions(fields))
                #expect(change == .conflict(before), "\(fields)")
            }
        }
        #expect(try diary.weights(on: today) == before)
        let written = WeightPair(morning: Weight(grams: 66_600), evening: before.evening)
        let change = try diary.record(
            Weight(grams: 66_600), on: today, .morning,
            if: RequestConditions([.ifMatch: "\"2.0\", \(tag)"]))
        #expect(change == .done(written))
        // The tag of the window that has not seen the change.
        #expect(
            try diary.record(
                Weight(grams: 77_700), on: today, .morning, if: RequestConditions([.ifMatch: "\(tag)"]))
                == .conflict(written))
        _ = try diary.record(nil, on: today, .morning)
        #expect(
            try diary.record(nil, on: today, .morning, if: RequestConditions([.ifMatch: "*"]))
                == .conflict(try diary.weights(on: today)))
        guard
            case .done(let weights) = try diary.record(
                Weight(grams: 70_000), on: today, .morning, if: RequestConditions([.ifNoneMatch: "*"]))
        else {
            Issue.record("a missing weight can be recorded")
            return
        }
        #expect(weights.morning?.grams == 70_000)
    }

    @Test("A visitor's weights are nobody else's, and a visitor without own weights has those of everybody")
    func visitors() throws {
        let diary = try diary()
        let first = try SampleVisitor("0123456789abcdef")
        let second = try SampleVisitor("fedcba9876543210")
        let simulated = try diary.weights(on: today)
        _ = try diary.record(Weight(grams: 66_600), on: today, .morning, of: first)
        #expect(try diary.weights(on: today, of: first).morning?.grams == 66_600)
        #expect(try diary.weights(on: today, of: second) == simulated)
        #expect(try diary.weights(on: today) == simulated)
        _ = try diary.record(Weight(grams: 55_500), on: today, .morning)
        #expect(try diary.weights(on: today, of: first).morning?.grams == 66_600)
        #expect(try diary.weights(on: today, of: second).morning?.grams == 55_500)
        #expect(try diary.lastWeek(of: today, for: first).last?.weights.morning?.grams == 66_600)
        #expect(try diary.lastYear(of: today, for: first) != diary.lastYear(of: today, for: second))
        _ = try diary.record(nil, on: today, .morning, of: second)
        #expect(try diary.weights(on: today, of: second).morning == nil)
        #expect(try diary.weights(on: today).morning?.grams == 55_500)
    }

    @Test("A recorded weight replaces a simulated one, and may stand on a day without simulated weights")
    func whatWasWrittenIsThere() throws {
        let diary = try diary()
        let simulated = try diary.weights(on: today)
        let written = try diary.record(Weight(grams: 99_990), on: today, .evening)
        #expect(written == .done(WeightPair(morning: simulated.morning, evening: Weight(grams: 99_990))))
        let old = try day("1999-12-31")
        let alone = WeightPair(morning: Weight(grams: 60_000), evening: nil)
        #expect(try diary.record(Weight(grams: 60_000), on: old, .morning) == .done(alone))
        #expect(try diary.lastWeek(of: old).map(\.label) == ["1999-12-31"])
        #expect(try diary.lastYear(of: old).map(\.label) == ["1999-12"])
    }

    @Test("A deleted weight can be recorded again")
    func aDeletedWeightCanBeWrittenAgain() throws {
        let diary = try diary()
        _ = try diary.record(nil, on: today, .morning)
        _ = try diary.record(Weight(grams: 70_000), on: today, .morning)
        #expect(try diary.weights(on: today).morning?.grams == 70_000)
    }

    @Test("The last week is the seven days up to the requested day")
    func theLastWeekIsSevenDays() throws {
        let points = try diary().lastWeek(of: today)
        let days = ["14", "15", "16", "17", "18", "19", "20"]
        #expect(points.map(\.label) == days.map { "2026-11-\($0)" })
        #expect(points.allSatisfy { $0.weights.morning != nil && $0.weights.evening != nil })
        #expect(
            try diary().lastWeek(of: day("2020-01-03")).map(\.label) == [
                "2020-01-01", "2020-01-02", "2020-01-03",
            ])
    }

    @Test("The last year has the means of twelve months, without days after the requested one")
    func theLastYearIsTheMeansOfTwelveMonths() throws {
        let diary = try diary()
        let middle = try day("2026-11-10")
        let points = try diary.lastYear(of: middle)
        #expect(points.map(\.label).first == "2025-12")
        #expect(points.map(\.label).last == "2026-11")
        #expect(points.count == 12)
        // Computes each mean again from the days.
        for point in points {
            var sums = (count: 0, morning: 0, evening: 0)
            let first = try day(point.label + "-01")
            for offset in 0..<31 {
                let day = first.advanced(by: offset)
                guard day.month == first.month, day <= middle else { continue }
                let weights = try diary.weights(on: day)
                sums.count += 1
                sums.morning += weights.morning?.grams ?? 0
                sums.evening += weights.evening?.grams ?? 0
            }
            let morning = (Double(sums.morning) / Double(sums.count) / 100).rounded() * 100
            let evening = (Double(sums.evening) / Double(sums.count) / 100).rounded() * 100
            #expect(point.weights.morning?.grams == Int(morning), "\(point.label)")
            #expect(point.weights.evening?.grams == Int(evening), "\(point.label)")
        }
        _ = try diary.record(Weight(grams: 300_000), on: day("2026-11-11"), .morning)
        #expect(try diary.lastYear(of: middle) == points)
        #expect(try diary.lastYear(of: day("2026-11-11")) != points)
    }
}
