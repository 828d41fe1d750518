import Resilience
import Testing

@Suite("Fair shares of several holders")
struct FairSharesTests {
    /// What a holder gets if it asks so often.
    private func ask(_ shares: inout FairShares<String>, _ holder: String, times: Int) -> Int {
        var taken = 0
        for _ in 1...times where shares.take(for: holder) { taken += 1 }
        return taken
    }

    @Test("One holder gets half, a second one half of the rest, and what is given back can be taken again")
    func holders() {
        var shares = FairShares<String>(capacity: 8)
        let first = ask(&shares, "a", times: 8)
        let second = ask(&shares, "b", times: 8)
        #expect((first, second) == (4, 2))
        for _ in 1...4 { shares.giveBack(by: "a") }
        let more = ask(&shares, "b", times: 8)
        let again = ask(&shares, "a", times: 8)
        #expect((more, again) == (2, 2))
    }

    @Test("Without capacity nobody gets any")
    func none() {
        var shares = FairShares<String>(capacity: 0)
        let taken = ask(&shares, "a", times: 3)
        #expect(taken == 0)
    }
}
