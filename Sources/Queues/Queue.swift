/// A first-in, first-out queue. A removed element is released at once; the others move only when half of the
/// storage is free, and to smaller storage once most of it is.
@frozen
public struct Queue<Element> {
    @usableFromInline
    var elements: [Element?] = []
    /// The index of the first element.
    @usableFromInline
    var head = 0

    /// Creates an empty queue.
    @inlinable
    public init() {}

    /// Whether the queue has no elements.
    @inlinable
    public var isEmpty: Bool { head == elements.count }

    /// The number of elements.
    @inlinable
    public var count: Int { elements.count - head }

    /// The element that was added first; nil if the queue is empty.
    @inlinable
    public var first: Element? { isEmpty ? nil : elements[head] }

    /// The number of places in the storage, including places of removed elements. For tests.
    package var placeCount: Int { elements.count }

    /// Adds an element behind all others.
    @inlinable
    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes and returns the element that was added first; nil if the queue is empty.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1_024)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            if elements.capacity > max(1_024, 4 * count) {
                elements = Array(elements[head...])
            } else {
                elements.removeSubrange(..<head)
            }
            head = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
