import Resilience
import Testing

@Suite("A fair budget")
struct FairBudgetTests {
    @Test("A holder gets no more than what stays free")
    func half() throws {
        let budget = FairBudget(capacity: 100)
        let share = FairBudget.Share(of: budget)
        #expect(share.charge(51) == nil)
        #expect(budget.inUse == 0)
        let charge = try #require(share.charge(50))
        #expect(share.charge(1) == nil)
        // What is free serves another holder.
        let other = FairBudget.Share(of: budget)
        #expect(other.charge(26) == nil)
        let second = try #require(other.charge(25))
        #expect(budget.inUse == 75)
        withExtendedLifetime((charge, second)) {}
    }

    @Test("There is room for what a charge would get, and asking takes none", arguments: [0, 20, 50])
    func room(held: Int) throws {
        let budget = FairBudget(capacity: 100)
        let share = FairBudget.Share(of: budget)
        let charge = try #require(share.charge(held))
        let other = FairBudget.Share(of: budget)
        for (share, most) in [(share, 50 - held), (other, (100 - held) / 2)] {
            #expect(share.hasRoom(for: most))
            #expect(!share.hasRoom(for: most + 1))
            #expect(!share.hasRoom(for: .max))
            #expect(budget.inUse == held)
            #expect(share.charge(most + 1) == nil)
            #expect(share.charge(most) != nil)
        }
        withExtendedLifetime(charge) {}
    }

    @Test("A charge that cannot grow keeps its size")
    func growth() throws {
        let budget = FairBudget(capacity: 100)
        let share = FairBudget.Share(of: budget)
        let charge = try #require(share.charge(10))
        #expect(charge.grow(to: 50))
        #expect(!charge.grow(to: 51))
        #expect(charge.grow(to: 20))
        #expect(share.inUse == 50)
    }

    @Test("The memory is given back with the charge")
    func givenBack() {
        let budget = FairBudget(capacity: 100)
        let share = FairBudget.Share(of: budget)
        for _ in 0..<10 {
            let charge = share.charge(50)
            #expect(charge != nil)
            #expect(budget.inUse == 50)
            withExtendedLifetime(charge) {}
        }
        #expect(budget.inUse == 0)
        #expect(share.inUse == 0)
    }

    @Test("Threads that charge together never exceed the capacity, and leave nothing behind")
    func threads() async {
        let budget = FairBudget(capacity: 1000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let share = FairBudget.Share(of: budget)
                    for size in 0..<20_000 {
                        guard let charge = share.charge(size % 300) else { continue }
                        _ = charge.grow(to: 300)
                        #expect(share.inUse <= 1000)
                    }
                }
            }
        }
        #expect(budget.inUse == 0)
    }
}
