// Where infallible streams come from.
extension Infallible {
    /// One value, then the end.
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(raw: .just(element))
    }

    /// The value in a turn of `scheduler`, then the end.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element>
    {
        Infallible(raw: .just(element, scheduler: scheduler))
    }

    /// The end alone.
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(raw: .empty())
    }

    /// Nothing, not even an end.
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(raw: .never())
    }

    /// Makes the stream anew for each subscription.
    @inlinable
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Infallible<Element>)
        -> Infallible<Element>
    {
        Infallible(raw: .deferred { try observableFactory().source })
    }

    /// The elements, one a turn of `scheduler`, then the end.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(elements, scheduler: scheduler))
    }

    /// The elements of `array`, one a turn of `scheduler`, then the end.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(array, scheduler: scheduler))
    }

    /// The elements of `sequence`, one a turn of `scheduler`, then the end. It is iterated anew for each subscription.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Elements.Element == Element {
        Infallible(raw: .from(sequence, scheduler: scheduler))
    }

    /// The value if there is one, then the end.
    @inlinable
    public static func from(optional: Element?) -> Infallible<Element> {
        Infallible(raw: .from(optional: optional))
    }
}

extension Infallible where Element: FixedWidthInteger {
    /// 0 after `dueTime`, then 1, 2 and so on every `period`; without a period the end after the 0.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .timer(dueTime, period: period, scheduler: scheduler))
    }

    /// 0 after `period`, then 1, 2 and so on every `period`.
    @inlinable
    public static func interval(
        _ period: RxTimeInterval, scheduler: any SchedulerType
    ) -> Infallible<Element> {
        Infallible(raw: .interval(period, scheduler: scheduler))
    }
}
