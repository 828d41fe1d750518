import Resilience
import Testing

@Suite("What waits, of several holders")
struct RoundRobinTests {
    private func drain(_ waiting: inout RoundRobin<String, Int>) -> [String] {
        var order: [String] = []
        while let (holder, element) = waiting.popFirst() { order.append("\(holder)\(element)") }
        return order
    }

    @Test("Holders take turns, and each has its oldest element first")
    func turns() {
        var waiting = RoundRobin<String, Int>()
        for element in 1...4 { waiting.append(element, of: "a") }
        waiting.append(1, of: "b")
        for element in 1...2 { waiting.append(element, of: "c") }
        #expect(waiting.count == 7)
        let order = drain(&waiting)
        #expect(order == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"])
        #expect(waiting.isEmpty)
    }

    @Test("A holder that comes back waits behind the others")
    func again() {
        var waiting = RoundRobin<String, Int>()
        waiting.append(1, of: "a")
        waiting.append(1, of: "b")
        let first = waiting.popFirst()?.holder
        #expect(first == "a")
        waiting.append(2, of: "a")
        let order = drain(&waiting)
        #expect(order == ["b1", "a2"])
    }

    @Test("Thousands of elements keep their order")
    func many() {
        var waiting = RoundRobin<String, Int>()
        var order: [Int] = []
        for round in 0..<1000 {
            for element in 0..<3 { waiting.append(round * 3 + element, of: "a") }
            for _ in 0..<2 { if let (_, element) = waiting.popFirst() { order.append(element) } }
        }
        while let (_, element) = waiting.popFirst() { order.append(element) }
        #expect(order == Array(0..<3000))
    }

    @Test("Any order of appends and pops is that of a queue for each holder")
    func model() {
        var random = SystemRandomNumberGenerator()
        var waiting = RoundRobin<Int, Int>()
        var queues: [Int: [Int]] = [:]
        var order: [Int] = []
        for number in 0..<20_000 {
            // Mostly few elements, so that lines often end and begin again.
            if Bool.random(using: &random) {
                let holder = Int.random(in: 0..<4, using: &random)
                waiting.append(number, of: holder)
                if queues[holder, default: []].isEmpty { order.append(holder) }
                queues[holder, default: []].append(number)
            } else {
                let popped = waiting.popFirst()
                guard !order.isEmpty else {
                    #expect(popped == nil)
                    continue
                }
                let holder = order.removeFirst()
                let element = queues[holder]?.removeFirst()
                if queues[holder]?.isEmpty == false { order.append(holder) }
                #expect(popped?.holder == holder && popped?.element == element, "\(number)")
            }
            #expect(waiting.count == queues.values.reduce(0) { $0 + $1.count })
        }
    }
}
