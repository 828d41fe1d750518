import Resilience
import Testing

@Suite("A fair share")
struct FairShareTests {
    /// Lets holders take one after another, in turn, until none may take more. Returns what each holds.
    private func fill(_ share: inout FairShare, holders: Int) -> [Int] {
        var held = Array(repeating: 0, count: holders)
        var hasTaken = true
        while hasTaken {
            hasTaken = false
            for index in held.indices where share.admits(holding: held[index]) {
                share.take()
                held[index] += 1
                hasTaken = true
            }
        }
        return held
    }

    @Test("A single greedy holder gets half, n get 1/(n+1) each", arguments: [1, 2, 3, 7])
    func greedy(holders: Int) {
        var share = FairShare(capacity: 2048)
        let held = fill(&share, holders: holders)
        #expect(held.allSatisfy { ($0 - 2048 / (holders + 1)).magnitude <= 1 }, "\(held)")
        #expect(share.inUse == held.reduce(0, +))
    }

    @Test("A newcomer gets a place while another holder has all it can get")
    func newcomer() {
        var share = FairShare(capacity: 10)
        #expect(fill(&share, holders: 1) == [5])
        #expect(!share.admits(holding: 5))
        #expect(share.admits(holding: 0))
        #expect(share.admits(holding: 4))
    }

    @Test("What is given back can be taken again")
    func givenBack() {
        var share = FairShare(capacity: 2)
        #expect(fill(&share, holders: 1) == [1])
        share.giveBack()
        #expect(share.admits(holding: 0))
        #expect(share.inUse == 0)
    }

    @Test("Without capacity nobody gets anything")
    func empty() {
        #expect(!FairShare(capacity: 0).admits(holding: 0))
    }
}
