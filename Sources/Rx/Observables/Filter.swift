extension ObservableType {
    /// Emits only the values that satisfy `predicate`. An error thrown by `predicate` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        Filter(asObservable(), predicate)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Filter<Element: Sendable>: Operator<Element, Element>, @unchecked Sendable {
    private let predicate: @Sendable (Element) throws -> Bool

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?,
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) {
        self.predicate = predicate
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, predicate)
    }

    override func next(_ value: Element) {
        do {
            if try predicate(value) { down.next(value) }
        } catch {
            down.error(error)
        }
    }

    override func last(_ value: Element) {
        do {
            if try predicate(value) { down.last(value) } else { down.completed() }
        } catch {
            down.error(error)
        }
    }
}
