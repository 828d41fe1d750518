extension ObservableType {
    /// Emits each event as a value, including the terminal event, and then completes. The result never fails.
    @inlinable
    public consuming func materialize() -> Observable<Event<Element>> {
        Materialize(asObservable())
    }
}

extension ObservableType where Element: EventConvertible {
    /// Turns values that represent events back into events. The first terminal event ends the stream.
    @inlinable
    public consuming func dematerialize() -> Observable<Element.Element> {
        Dematerialize(asObservable()) { $0.event }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Materialize<Element: Sendable>: StatefulOperator<Element, Event<Element>>,
    @unchecked Sendable
{
    @usableFromInline
    override init(_ source: consuming Observable<Element>?) {
        super.init(source)
    }

    override func copy() -> Operator<Element, Event<Element>> {
        type(of: self).init(nil)
    }

    override func next(_ value: Element) {
        down.next(.next(value))
    }

    override func error(_ error: any Error) {
        finish(with: .error(error))
    }

    override func completed() {
        finish(with: .completed)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Dematerialize<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>,
    @unchecked Sendable
{
    private let event: @Sendable (In) -> Event<Out>

    @usableFromInline
    init(_ source: consuming Observable<In>?, _ event: @escaping @Sendable (In) -> Event<Out>) {
        self.event = event
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, event)
    }

    override func next(_ value: In) {
        guard !upstream.isClosed else { return }
        switch event(value) {
        case .next(let element): down.next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}
