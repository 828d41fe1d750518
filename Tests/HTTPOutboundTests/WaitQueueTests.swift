import Testing

@testable import HTTPOutbound

@Suite("Wait queue")
struct WaitQueueTests {
    @Test("An empty queue returns nothing")
    func empty() {
        var queue = WaitQueue<String>()
        #expect(queue.popFirst() == nil)
        #expect(queue.count == 0)
    }

    @Test("A removed element is not served, and removing it again does nothing")
    func leaving() {
        var queue = WaitQueue<String>()
        _ = queue.append("a")
        let ticket = queue.append("b")
        _ = queue.append("c")
        let first = queue.remove(ticket)
        let second = queue.remove(ticket)
        #expect(first && !second)
        #expect(queue.count == 2)
        #expect(queue.popFirst() == "a")
        #expect(queue.popFirst() == "c")
        #expect(queue.popFirst() == nil)
    }

    @Test("An old ticket does not remove the element that reuses its node")
    func oldTicket() {
        var queue = WaitQueue<String>()
        let old = queue.append("a")
        _ = queue.popFirst()
        _ = queue.append("b")
        let removed = queue.remove(old)
        #expect(!removed)
        #expect(queue.popFirst() == "b")
    }

    @Test("Removing the first and the last element does not change the order of the others")
    func ends() {
        var queue = WaitQueue<Int>()
        let tickets = (0..<5).map { queue.append($0) }
        queue.remove(tickets[0])
        queue.remove(tickets[4])
        _ = queue.append(5)
        #expect(
            [queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == [
                1, 2, 3, 5, nil,
            ])
    }

    @Test("The queue behaves like a plain array in ten thousand random steps")
    func model() {
        var random = SystemRandomNumberGenerator()
        var queue = WaitQueue<Int>()
        var model: [(value: Int, ticket: WaitQueue<Int>.Ticket)] = []
        for step in 0..<10_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                model.append((step, queue.append(step)))
            case 2:
                let expected = model.isEmpty ? nil : model.removeFirst().value
                #expect(queue.popFirst() == expected)
            default:
                guard !model.isEmpty else { continue }
                let index = Int.random(in: 0..<model.count, using: &random)
                let removed = queue.remove(model.remove(at: index).ticket)
                #expect(removed)
            }
            #expect(queue.count == model.count)
        }
        while let next = queue.popFirst() { #expect(next == model.removeFirst().value) }
        #expect(model.isEmpty)
    }
}
