/// Whether `take(while:)` and `take(until:)` emit the value that ends the stream.
public enum TakeBehavior: Sendable {
    case inclusive
    case exclusive
}

extension ValueStreamType {
    /// Emits values while `predicate` holds, then completes. An error thrown by `predicate` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> DerivedStream {
        Self.derived(from: TakeWhile(asObservable(), behavior, predicate))
    }

    /// Emits values until `predicate` holds for one, then completes. An error thrown by `predicate` ends the
    /// stream.
    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> DerivedStream {
        Self.derived(from: TakeWhile(asObservable(), behavior) { try !predicate($0) })
    }
}

// Sound: it adds only constants.
@usableFromInline
final class TakeWhile<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let behavior: TakeBehavior
    private let predicate: @Sendable (Element) throws -> Bool

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ behavior: TakeBehavior,
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) {
        self.behavior = behavior
        self.predicate = predicate
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, behavior, predicate)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        do {
            if try predicate(value) { down.next(value) } else { end(with: value) }
        } catch {
            self.error(error)
        }
    }

    override func last(_ value: Element) {
        guard !upstream.isClosed else { return }
        do {
            if try predicate(value) { finish(with: value) } else { end(with: value) }
        } catch {
            self.error(error)
        }
    }

    private func end(with value: Element) {
        switch behavior {
        case .inclusive: finish(with: value)
        case .exclusive: completed()
        }
    }
}
