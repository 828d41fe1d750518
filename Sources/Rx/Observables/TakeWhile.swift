/// Whether the value that ends a `take(while:)` or `take(until:)` is sent.
public enum TakeBehavior: Sendable {
    /// It is sent before the end.
    case inclusive
    /// It is not.
    case exclusive
}

extension ObservableType {
    /// The values as long as `predicate` is true of them. What it throws ends the stream.
    @inlinable
    @preconcurrency
    public consuming func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(asObservable(), behavior, predicate)
    }

    /// The values until `predicate` is true of one. What it throws ends the stream.
    @inlinable
    @preconcurrency
    public consuming func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(asObservable(), behavior) { try !predicate($0) }
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
