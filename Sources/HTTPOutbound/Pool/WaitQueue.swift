/// A first come, first served queue that elements may leave from the middle. It is a doubly linked list in
/// one array: appending, leaving and serving take constant time.
struct WaitQueue<Element> {
    /// Identifies an element in the queue; invalid once the element was served or has left.
    struct Ticket: Hashable {
        fileprivate let index: Int
        fileprivate let generation: UInt32
    }

    private struct Node {
        var element: Element?
        var generation: UInt32
        var previous: Int
        var next: Int
    }

    private static var none: Int { -1 }

    private var nodes: [Node] = []
    private var first = Self.none
    private var last = Self.none
    private var free = Self.none
    private(set) var count = 0

    mutating func append(_ element: Element) -> Ticket {
        let index: Int
        if free == Self.none {
            index = nodes.count
            nodes.append(Node(element: element, generation: 0, previous: last, next: Self.none))
        } else {
            index = free
            free = nodes[index].next
            nodes[index].element = element
            nodes[index].previous = last
            nodes[index].next = Self.none
        }
        if last == Self.none { first = index } else { nodes[last].next = index }
        last = index
        count += 1
        return Ticket(index: index, generation: nodes[index].generation)
    }

    var firstElement: Element? { first == Self.none ? nil : nodes[first].element }

    mutating func popFirst() -> Element? {
        first == Self.none ? nil : take(first)
    }

    /// Returns false if the element was served or has left before.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Bool {
        guard nodes[ticket.index].generation == ticket.generation else { return false }
        return take(ticket.index) != nil
    }

    private mutating func take(_ index: Int) -> Element? {
        let node = nodes[index]
        if node.previous == Self.none {
            first = node.next
        } else {
            nodes[node.previous].next = node.next
        }
        if node.next == Self.none {
            last = node.previous
        } else {
            nodes[node.next].previous = node.previous
        }
        nodes[index].element = nil
        nodes[index].generation &+= 1
        nodes[index].next = free
        free = index
        count -= 1
        return node.element
    }
}
