/// A sequence that is no collection.
struct Plain<Element: Sendable>: Sequence, Sendable {
    let elements: [Element]

    func makeIterator() -> some IteratorProtocol<Element> { elements.makeIterator() }
}

/// A sequence made by a closure, each time it is iterated.
struct Pulled<Iterator: IteratorProtocol>: Sequence, Sendable {
    let make: @Sendable () -> Iterator

    func makeIterator() -> Iterator { make() }
}
