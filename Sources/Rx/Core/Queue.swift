/// A first-in, first-out queue. A removed element is released at once; the others move only when half of the storage is free.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
