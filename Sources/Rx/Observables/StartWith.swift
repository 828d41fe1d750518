extension ObservableType {
    /// The elements, then those of the stream.
    @inlinable
    public consuming func startWith(_ elements: Element...) -> Observable<Element> {
        StartWith(asObservable(), elements)
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
            // One behind another is not subscribed to: its elements and its source are taken over, so that a chain of them is
            // no deeper than one.
            guard type(of: source as Link) == type(of: me as Link) else { break }
            let inner = unsafeDowncast(source, to: StartWith<Element>.self)
            guard let next = inner.described else { break }
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
