import Resilience
import Testing

@Suite("The memory budget")
struct MemoryBudgetTests {
    @Test("A holder gets no more than what stays free")
    func half() throws {
        let budget = MemoryBudget(capacity: 100)
        let share = MemoryBudget.Share(of: budget)
        #expect(share.charge(51) == nil)
        #expect(budget.bytesInUse == 0)
        let charge = try #require(share.charge(50))
        #expect(share.charge(1) == nil)
        // What is free serves another holder.
        let other = MemoryBudget.Share(of: budget)
        #expect(other.charge(26) == nil)
        let second = try #require(other.charge(25))
        #expect(budget.bytesInUse == 75)
        withExtendedLifetime((charge, second)) {}
    }

    @Test("A charge that cannot grow keeps its size")
    func growth() throws {
        let budget = MemoryBudget(capacity: 100)
        let share = MemoryBudget.Share(of: budget)
        let charge = try #require(share.charge(10))
        #expect(charge.grow(to: 50))
        #expect(!charge.grow(to: 51))
        #expect(charge.grow(to: 20))
        #expect(share.bytesInUse == 50)
    }

    @Test("The memory is given back with the charge")
    func givenBack() {
        let budget = MemoryBudget(capacity: 100)
        let share = MemoryBudget.Share(of: budget)
        for _ in 0..<10 {
            let charge = share.charge(50)
            #expect(charge != nil)
            #expect(budget.bytesInUse == 50)
            withExtendedLifetime(charge) {}
        }
        #expect(budget.bytesInUse == 0)
        #expect(share.bytesInUse == 0)
    }

    @Test("Threads that charge together never exceed the capacity, and leave nothing behind")
    func threads() async {
        let budget = MemoryBudget(capacity: 1000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let share = MemoryBudget.Share(of: budget)
                    for size in 0..<20_000 {
                        guard let charge = share.charge(size % 300) else { continue }
                        _ = charge.grow(to: 300)
                        #expect(share.bytesInUse <= 1000)
                    }
                }
            }
        }
        #expect(budget.bytesInUse == 0)
    }
}
