/// A sequence that is not a collection.
struct Plain<Element: Sendable>: Sequence, Sendable {
    let elements: [Element]

    func makeIterator() -> some IteratorProtocol<Element> { elements.makeIterator() }
}

/// A sequence whose iterator comes from a closure.
struct Pulled<Iterator: IteratorProtocol>: Sequence, Sendable {
    let make: @Sendable () -> Iterator

    func makeIterator() -> Iterator { make() }
}
