extension Infallible {
    /// Creates a stream that emits `element` on subscription and completes.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(raw: .just(element))
    }

    /// Emits `element` and completes, each in a turn of `scheduler`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element>
    {
        Infallible(raw: .just(element, scheduler: scheduler))
    }

    /// Creates a stream that completes on subscription without emitting a value.
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(raw: .empty())
    }

    /// Creates a stream that emits no events and never ends.
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(raw: .never())
    }

    /// Subscribes to what `observableFactory` returns for each subscription. If it throws, the stream completes.
    @inlinable
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Infallible)
        -> Infallible<Element>
    {
        Infallible(raw: .deferred { try observableFactory().source })
    }

    /// Emits the given elements, one for each turn of `scheduler`, and completes.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(elements, scheduler: scheduler))
    }

    /// Emits the elements of `array`, one for each turn of `scheduler`, and completes.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(array, scheduler: scheduler))
    }

    /// Emits the elements of `sequence`, one for each turn of `scheduler`. Each subscription iterates it anew.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(raw: .from(sequence, scheduler: scheduler))
    }

    /// Emits the value, if any, and completes.
    @inlinable
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(raw: .from(optional: optional))
    }
}

extension Infallible where Element: FixedWidthInteger {
    /// Emits 0 after `dueTime`, then 1, 2 and so on every `period`. Without a period it completes after the 0.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .timer(dueTime, period: period, scheduler: scheduler))
    }

    /// Emits 0 after `period`, then 1, 2 and so on every `period`. It never ends.
    @inlinable
    public static func interval(
        _ period: RxTimeInterval, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .interval(period, scheduler: scheduler))
    }
}
