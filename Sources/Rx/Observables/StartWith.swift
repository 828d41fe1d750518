extension ObservableType {
    /// The elements, then those of the stream.
    @inlinable
    public consuming func startWith(_ elements: Element...) -> Observable<Element> {
        StartWith(asObservable(), elements)
    }
}

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

    override class func begin(
        _ step: consuming Operator<Element, Element>, _ source: consuming Observable<Element>
    ) {
        let me = unsafeDowncast(step, to: StartWith<Element>.self)
        me.down.attach(me)
        for element in me.elements {
            guard !me.upstream.isClosed else { return }
            me.down.next(element)
        }
        guard !me.upstream.isClosed else { return }
        type(of: source).run(consume source, Port(me))
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }
}
