import Sluice
import Testing

@testable import SampleUpstreams

@Suite("Simulated weights")
struct SimulatedWeightTests {
    private let first = CalendarDate(number: 18_262)
    private let today = CalendarDate(number: 20_777)

    private func pair(on day: CalendarDate) -> WeightPair? {
        SimulatedWeights.weights(on: day, today: today)
    }

    @Test("Days before 2020 and future days have no simulated weights")
    func daysBefore2020AndDaysToComeHaveNone() {
        #expect(first.description == "2020-01-01")
        #expect(pair(on: first.advanced(by: -1)) == nil)
        #expect(pair(on: today.advanced(by: 1)) == nil)
        #expect(pair(on: first) != nil)
        #expect(pair(on: today) != nil)
    }

    @Test("A weight is rounded to 0.1 kg, lies between 67 and 75 kg, and is lower in the morning")
    func eachIsOfATenthOfAKilogram() throws {
        for number in first.daysSince1970...today.daysSince1970 {
            let day = CalendarDate(number: number)
            let weights = try #require(pair(on: day))
            let morning = try #require(weights.morning)
            let evening = try #require(weights.evening)
            #expect(morning.grams % 100 == 0 && evening.grams % 100 == 0, "\(day)")
            #expect(morning < evening, "\(day)")
            #expect(evening.grams - morning.grams <= 1100, "\(day)")
            #expect((67_000...75_000).contains(morning.grams), "\(day)")
        }
    }

    @Test("Neighbouring days differ by less than 700 g, and the weights vary from week to week")
    func neighbouringDaysDifferByLittle() throws {
        var largest = 0
        var weekly = Set<Int>()
        for number in first.daysSince1970..<today.daysSince1970 {
            let now = try #require(pair(on: CalendarDate(number: number))?.morning)
            let next = try #require(pair(on: CalendarDate(number: number + 1))?.morning)
            largest = max(largest, abs(next.grams - now.grams))
            if number % 7 == 0 { weekly.insert(now.grams) }
        }
        #expect(largest < 700)
        #expect(weekly.count > 20)
    }

    @Test("The weights of a day depend only on its date")
    func aDaysWeightsDependOnNothingButItsDate() throws {
        let day = try #require(CalendarDate("2024-02-29"))
        let expected = pair(on: day)
        for later in [0, 1, 365, 100_000] {
            #expect(SimulatedWeights.weights(on: day, today: day.advanced(by: later)) == expected)
        }
        // Fixed values reveal a machine or compiler that computes different ones.
        let recorded = try ["2020-01-01", "2024-02-29", "2026-11-20"].map { text in
            let day = try #require(CalendarDate(text))
            let weights = try #require(pair(on: day))
            return "\(weights.morning?.grams ?? 0) \(weights.evening?.grams ?? 0)"
        }
        #expect(recorded == ["71800 72600", "71800 72500", "72100 72800"])
    }

    @Test("A mean is rounded to a tenth of a kilogram, and nil without weights")
    func aMeanIsToATenthOfAKilogram() {
        #expect(Weight.mean([]) == nil)
        #expect(Weight.mean([Weight(grams: 70_049)])?.grams == 70_000)
        #expect(Weight.mean([Weight(grams: 70_050)])?.grams == 70_100)
        #expect(
            Weight.mean([Weight(grams: 70_000), Weight(grams: 70_100), Weight(grams: 70_100)])?.grams
                == 70_100)
    }
}
