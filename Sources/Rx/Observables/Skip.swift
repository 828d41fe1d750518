extension ValueStreamType {
    /// Skips the first `count` values.
    @inlinable
    public consuming func skip(_ count: Int) -> DerivedStream {
        Self.derived(from: Skip(asObservable(), count))
    }

    /// Skips values until `predicate` first returns false. An error thrown by `predicate` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func skip(
        while predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> DerivedStream {
        Self.derived(from: SkipWhile(asObservable(), predicate))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Skip<Element: Sendable>: Operator<Element, Element>, @unchecked Sendable {
    private let count: Int
    private let remaining: RelaxedAtomic<Int>

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ count: Int) {
        self.count = count
        remaining = RelaxedAtomic(count)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, count)
    }

    override func next(_ value: Element) {
        if remaining.value > 0 { remaining.set(remaining.value - 1) } else { down.next(value) }
    }

    override func last(_ value: Element) {
        if remaining.value > 0 { down.completed() } else { down.last(value) }
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class SkipWhile<Element: Sendable>: Operator<Element, Element>, @unchecked Sendable {
    private let predicate: @Sendable (Element) throws -> Bool
    private let isSkipping = RelaxedAtomic(true)

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
            if isSkipping.value, try !predicate(value) { isSkipping.set(false) }
            if !isSkipping.value { down.next(value) }
        } catch {
            down.error(error)
        }
    }

    override func last(_ value: Element) {
        do {
            if isSkipping.value, try !predicate(value) { isSkipping.set(false) }
            if isSkipping.value { down.completed() } else { down.last(value) }
        } catch {
            down.error(error)
        }
    }
}
