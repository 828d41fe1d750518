/// First come, first served, and anybody may leave from the middle: a doubly linked list in one array, so that
/// joining, leaving and being served take the same few steps however long the line is.
struct WaitingLine<Element> {
    /// A place in the line. It names nobody once its element was served or left.
    struct Ticket: Hashable {
        fileprivate let index: Int
        fileprivate let generation: UInt32
    }

    private struct Place {
        var element: Element?
        var generation: UInt32
        var previous: Int
        var next: Int
    }

    private static var nobody: Int { -1 }

    private var places: [Place] = []
    private var first = Self.nobody
    private var last = Self.nobody
    private var freed = Self.nobody
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) -> Ticket {
        let index: Int
        if freed == Self.nobody {
            index = places.count
            places.append(Place(element: element, generation: 0, previous: last, next: Self.nobody))
        } else {
            index = freed
            freed = places[index].next
            places[index].element = element
            places[index].previous = last
            places[index].next = Self.nobody
        }
        if last == Self.nobody { first = index } else { places[last].next = index }
        last = index
        count += 1
        return Ticket(index: index, generation: places[index].generation)
    }

    mutating func popFirst() -> Element? {
        first == Self.nobody ? nil : take(first)
    }

    /// Leaves the line; false if the ticket was served or given back before.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Bool {
        guard places[ticket.index].generation == ticket.generation else { return false }
        return take(ticket.index) != nil
    }

    private mutating func take(_ index: Int) -> Element? {
        let place = places[index]
        if place.previous == Self.nobody {
            first = place.next
        } else {
            places[place.previous].next = place.next
        }
        if place.next == Self.nobody {
            last = place.previous
        } else {
            places[place.next].previous = place.previous
        }
        places[index].element = nil
        places[index].generation &+= 1
        places[index].next = freed
        freed = index
        count -= 1
        return place.element
    }
}
