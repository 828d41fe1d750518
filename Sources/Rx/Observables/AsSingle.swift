extension ObservableType {
    /// Converts a stream of exactly one value to a `Single`, which succeeds when the stream completes. It
    /// fails with `RxError.noElements` without a value, and with `RxError.moreThanOneElement` as soon as a
    /// second value arrives.
    @inlinable
    public consuming func asSingle() -> Single<Element> {
        Single(raw: AsSingle(asObservable(), onEmpty: RxError.noElements))
    }

    /// Converts a stream of at most one value to a `Maybe`. Fails with `RxError.moreThanOneElement` at a
    /// second one.
    @inlinable
    public consuming func asMaybe() -> Maybe<Element> {
        Maybe(raw: AsSingle(asObservable(), onEmpty: nil))
    }

    /// Succeeds with the first value, or with `nil` if the stream completes empty. The first value disposes
    /// the source.
    @inlinable
    public consuming func first() -> Single<Element?> {
        Single<Element?>(raw: First(asObservable()))
    }

    /// Drops all values.
    @inlinable
    public consuming func ignoreElements() -> Observable<Never> {
        IgnoreElements(asObservable())
    }
}

extension ObservableType where Element == Never {
    /// Converts to a completable, which ends as this stream does.
    @inlinable
    public consuming func asCompletable() -> Completable {
        Completable(raw: asObservable())
    }
}

/// Holds the first value until the stream completes without a second one.
// Sound: `state` guards the mutable properties.
@usableFromInline
final class AsSingle<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let onEmpty: RxError?
    private let state = StateGuard()
    private var cell = ValueStorage<Element>()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, onEmpty: RxError?) {
        self.onEmpty = onEmpty
        super.init(source)
    }

    deinit {
        cell.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, onEmpty: onEmpty)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed, state.enter() else { return }
        let isFirst = !cell.isFull
        if isFirst { cell.set(value) }
        state.leave()
        if !isFirst { error(RxError.moreThanOneElement) }
    }

    override func last(_ value: Element) {
        if hasValue { error(RxError.moreThanOneElement) } else { finish(with: value) }
    }

    /// Whether a first value has arrived. It is never replaced, so `completed()` may read it outside the
    /// guard.
    private var hasValue: Bool {
        guard state.enter() else { return false }
        defer { state.leave() }
        return cell.isFull
    }

    override func completed() {
        if hasValue {
            finish(with: cell.value)
        } else if let onEmpty {
            error(onEmpty)
        } else {
            super.completed()
        }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class First<Element: Sendable>: StatefulOperator<Element, Element?>, @unchecked Sendable {
    @usableFromInline
    override init(_ source: consuming Observable<Element>?) {
        super.init(source)
    }

    override func copy() -> Operator<Element, Element?> {
        type(of: self).init(nil)
    }

    override func next(_ value: Element) {
        finish(with: value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func completed() {
        finish(with: nil)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class IgnoreElements<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    @usableFromInline
    override init(_ source: consuming Observable<In>?) {
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil)
    }

    override func next(_ value: In) {}

    override func last(_ value: In) {
        down.completed()
    }
}
