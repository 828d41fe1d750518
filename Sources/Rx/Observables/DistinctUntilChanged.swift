extension ValueStreamType where Element: Equatable {
    /// Drops values that equal the previous one.
    @inlinable
    public consuming func distinctUntilChanged() -> DerivedStream {
        Self.derived(from: DistinctUntilChanged(asObservable(), { $0 }, { $0 == $1 }))
    }
}

extension ValueStreamType {
    /// Drops values with the same key as the previous value. An error thrown by `keySelector` ends the
    /// stream.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Equatable & Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> DerivedStream {
        Self.derived(from: DistinctUntilChanged(asObservable(), keySelector, { $0 == $1 }))
    }

    /// Drops values that `comparer` considers equal to the last emitted one. An error thrown by `comparer`
    /// ends the stream.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> DerivedStream {
        Self.derived(from: DistinctUntilChanged(asObservable(), { $0 }, comparer))
    }

    /// Drops values with a key that `comparer` considers equal to the previous one. An error thrown by a
    /// closure ends the stream.
    @inlinable
    @preconcurrency
    public consuming func distinctUntilChanged<Key: Sendable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> DerivedStream {
        Self.derived(from: DistinctUntilChanged(asObservable(), keySelector, comparer))
    }

    /// Drops values with the same property at `keyPath` as the previous value.
    @inlinable
    public consuming func distinctUntilChanged<Property: Equatable & Sendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> DerivedStream {
        Self.derived(from: DistinctUntilChanged(asObservable(), { $0[keyPath: keyPath] }, { $0 == $1 }))
    }
}

// Sound: `state` guards the mutable properties.
@usableFromInline
final class DistinctUntilChanged<Element: Sendable, Key: Sendable>: Operator<Element, Element>,
    @unchecked Sendable
{
    private let keySelector: @Sendable (Element) throws -> Key
    private let comparer: @Sendable (Key, Key) throws -> Bool
    private let state = StateGuard()
    // Unchecked for the row "scan and distinctUntilChanged, an event" of RxBench.
    @exclusivity(unchecked)
    private var key = ValueStorage<Key>()

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?,
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        _ comparer: @escaping @Sendable (Key, Key) throws -> Bool
    ) {
        self.keySelector = keySelector
        self.comparer = comparer
        super.init(source)
    }

    deinit {
        key.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, keySelector, comparer)
    }

    /// Returns whether the value has a new key, and stores that key.
    private func isNew(_ value: Element) throws -> Bool {
        let new = try keySelector(value)
        guard state.enter() else { return false }
        defer { state.leave() }
        if key.isFull, try comparer(key.value, new) { return false }
        key.set(new)
        return true
    }

    override func next(_ value: Element) {
        do {
            if try isNew(value) { down.next(value) }
        } catch {
            down.error(error)
        }
    }

    override func last(_ value: Element) {
        do {
            if try isNew(value) { down.last(value) } else { down.completed() }
        } catch {
            down.error(error)
        }
    }
}
