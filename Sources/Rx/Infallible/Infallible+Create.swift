// Except for `deferred`, these factories work like the ones on `Observable`.
extension Infallible {
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(raw: .just(element))
    }

    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element>
    {
        Infallible(raw: .just(element, scheduler: scheduler))
    }

    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(raw: .empty())
    }

    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(raw: .never())
    }

    /// Subscribes to what `observableFactory` returns for each subscription. If it throws, the stream completes.
    @inlinable
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Infallible<Element>)
        -> Infallible<Element>
    {
        Infallible(raw: .deferred { try observableFactory().source })
    }

    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(elements, scheduler: scheduler))
    }

    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(array, scheduler: scheduler))
    }

    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(raw: .from(sequence, scheduler: scheduler))
    }

    @inlinable
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(raw: .from(optional: optional))
    }
}

extension Infallible where Element: FixedWidthInteger {
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .timer(dueTime, period: period, scheduler: scheduler))
    }

    @inlinable
    public static func interval(
        _ period: RxTimeInterval, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .interval(period, scheduler: scheduler))
    }
}
