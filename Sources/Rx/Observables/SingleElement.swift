extension ObservableType {
    /// Emits the only value as it arrives. Fails with `RxError.moreThanOneElement` at a second value, and
    /// with `RxError.noElements` on completion without a value.
    @inlinable
    public consuming func single() -> Observable<Element> {
        SingleElement(asObservable(), nil)
    }

    /// Emits the only value that satisfies `predicate`, with the errors of `single()` and of `predicate`.
    @inlinable
    @preconcurrency
    public consuming func single(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        SingleElement(asObservable(), predicate)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class SingleElement<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let predicate: (@Sendable (Element) throws -> Bool)?
    private let hasSent = RelaxedAtomic(false)

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ predicate: (@Sendable (Element) throws -> Bool)?
    ) {
        self.predicate = predicate
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, predicate)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        do {
            guard try predicate?(value) ?? true else { return }
        } catch {
            return self.error(error)
        }
        guard !hasSent.value else { return error(RxError.moreThanOneElement) }
        hasSent.set(true)
        down.next(value)
    }

    override func completed() {
        if hasSent.value { super.completed() } else { error(RxError.noElements) }
    }
}
