import Queues

/// A queue in which holders take turns, so that a holder with many elements does not delay the others. The
/// elements of one holder keep their order.
public struct RoundRobin<Holder: Hashable, Element> {
    private var queues: [Holder: Queue<Element>] = [:]
    /// The holders that have elements, the next one first.
    private var order = Queue<Holder>()
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// Adds an element behind the others of its holder.
    public mutating func append(_ element: Element, of holder: Holder) {
        count += 1
        if let index = queues.index(forKey: holder) { return queues.values[index].append(element) }
        order.append(holder)
        var queue = Queue<Element>()
        queue.append(element)
        queues[holder] = queue
    }

    /// Removes the oldest element of the holder whose turn it is; nil if nobody holds one.
    public mutating func popFirst() -> (holder: Holder, element: Element)? {
        guard let holder = order.popFirst(), let index = queues.index(forKey: holder),
            let element = queues.values[index].popFirst()
        else { return nil }
        count -= 1
        if queues.values[index].isEmpty { queues.remove(at: index) } else { order.append(holder) }
        return (holder, element)
    }
}

extension RoundRobin: Sendable where Holder: Sendable, Element: Sendable {}
