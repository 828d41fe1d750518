import Testing

@testable import Queues

@Suite("Queues")
struct QueueTests {
    private final class Counted {
        private let released: () -> Void

        init(_ released: @escaping () -> Void) { self.released = released }

        deinit { released() }
    }

    @Test("Elements leave in the order in which they were added")
    func order() {
        var queue = Queue<Int>()
        #expect(queue.popFirst() == nil)
        var removed: [Int] = []
        for number in 0..<500 {
            queue.append(number)
            // Lengths of 0 to 250 at all positions.
            if number % 2 == 1, let first = queue.first {
                #expect(queue.popFirst() == first)
                removed.append(first)
            }
            #expect(queue.count == number + 1 - removed.count)
        }
        while let next = queue.popFirst() { removed.append(next) }
        #expect(removed == Array(0..<500))
        #expect(queue.isEmpty)
        #expect(queue.first == nil)
    }

    @Test(
        "A removed element is released at once, and its place soon, even if others always wait",
        arguments: [1, 40, 1_000])
    func places(waiting: Int) {
        var released = 0
        var queue = Queue<Counted>()
        for _ in 0..<waiting { queue.append(Counted { released += 1 }) }
        var most = 0
        for count in 1...10_000 {
            queue.append(Counted { released += 1 })
            _ = queue.popFirst()
            #expect(released == count)
            most = max(most, queue.placeCount)
        }
        #expect(most <= max(129, 2 * waiting + 2))
        #expect(queue.count == waiting)
    }

    @Test("The memory of a burst is freed once few elements wait", arguments: [0, 3])
    func burst(waiting: Int) {
        var queue = Queue<Int>()
        for number in 0..<10_000 { queue.append(number) }
        #expect(queue.elements.capacity >= 10_000)
        while queue.count > waiting { _ = queue.popFirst() }
        for number in 0..<100 {
            queue.append(number)
            _ = queue.popFirst()
        }
        #expect(queue.elements.capacity <= 1_024)
    }
}
