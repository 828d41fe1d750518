extension ValueStreamType {
    /// Emits `elements` before subscribing to the source.
    @inlinable
    public consuming func startWith(_ elements: Element...) -> DerivedStream {
        Self.derived(from: StartWith(asObservable(), elements))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class StartWith<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let elements: [Element]

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ elements: [Element]) {
        self.elements = elements
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, elements)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        var source = source
        var elements = me.elements
        while true {
            for element in elements {
                guard !me.upstream.isClosed else { return }
                me.down.next(element)
            }
            guard !me.upstream.isClosed else { return }
            // If the source is another `StartWith`, take over its elements and source instead of subscribing
            // to it, so a chain of them does not deepen the stack.
            guard type(of: source as Link) == type(of: me as Link) else { break }
            let inner = unsafeDowncast(source, to: StartWith<Element>.self)
            guard let next = inner.pendingSource else { break }
            elements = inner.elements
            source = next
        }
        (consume source).run(Downstream(me))
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }
}
