/// The links of doubly linked lists of indices. An index is in at most one list at a time.
struct IndexLists {
    struct List {
        fileprivate var head: Int32 = -1
        fileprivate var tail: Int32 = -1

        var isEmpty: Bool { head < 0 }
        var first: Int? { head < 0 ? nil : Int(head) }
    }

    private struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var links: [Link] = []

    /// Makes the next index usable: 0, 1, 2 and so on.
    mutating func addIndex() {
        links.append(Link())
    }

    mutating func append(_ index: Int, to list: inout List) {
        let added = Int32(truncatingIfNeeded: index)
        links[index] = Link(previous: list.tail, next: -1)
        if list.tail >= 0 { links[Int(list.tail)].next = added } else { list.head = added }
        list.tail = added
    }

    /// Removes an index from the list that it is in.
    mutating func remove(_ index: Int, from list: inout List) {
        let link = links[index]
        let (previous, next) = (link.previous, link.next)
        if previous >= 0 { links[Int(previous)].next = next } else { list.head = next }
        if next >= 0 { links[Int(next)].previous = previous } else { list.tail = previous }
    }
}
