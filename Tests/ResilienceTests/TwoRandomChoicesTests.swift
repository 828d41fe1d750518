import Resilience
import Testing

@Suite("The choice of two random addresses")
struct TwoRandomChoicesTests {
    @Test("Of none and of none usable there is no choice", arguments: 0...10)
    func none(count: Int) {
        var choices = TwoRandomChoices(seed: 1)
        #expect(choices.choose(among: count, where: { _ in false }, by: <) == nil)
    }

    @Test("The only usable one is always found", arguments: 1...10)
    func one(count: Int) {
        var choices = TwoRandomChoices(seed: 1)
        for only in 0..<count {
            for _ in 0..<100 {
                #expect(choices.choose(among: count, where: { $0 == only }, by: <) == only)
            }
        }
    }

    @Test("Of two the one with less is always taken")
    func two() {
        var choices = TwoRandomChoices(seed: 1)
        for _ in 0..<100 { #expect(choices.choose(among: 2, where: { _ in true }, by: >) == 1) }
    }

    @Test("The most loaded of several is never taken, and equal ones get equal shares")
    func many() {
        var choices = TwoRandomChoices(seed: 1)
        var counts = [0, 0, 0, 0, 0]
        for _ in 0..<40_000 {
            // Address 4 has a load, the others have none.
            if let index = choices.choose(among: 5, where: { _ in true }, by: { $1 == 4 && $0 != 4 }) {
                counts[index] += 1
            }
        }
        #expect(counts[4] == 0)
        #expect(counts[..<4].allSatisfy { (9_500...10_500).contains($0) }, "\(counts)")
    }

    @Test("With half of the addresses out the others share evenly")
    func half() {
        var choices = TwoRandomChoices(seed: 1)
        var counts = [0, 0, 0, 0, 0, 0]
        for _ in 0..<30_000 {
            if let index = choices.choose(among: 6, where: { $0 >= 3 }, by: { _, _ in false }) {
                counts[index] += 1
            }
        }
        #expect(counts[..<3].allSatisfy { $0 == 0 })
        #expect(counts[3...].allSatisfy { (9_000...11_500).contains($0) }, "\(counts)")
    }
}
