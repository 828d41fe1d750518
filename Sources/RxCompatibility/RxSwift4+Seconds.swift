public import FoundationEssentials
public import Rx

// Times in seconds, as in RxSwift 4. They are rounded to the nearest microsecond.

extension ObservableType {
    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "delay(_:scheduler:)"
    )
    public consuming func delay(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<Element>
    {
        delay(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "delaySubscription(_:scheduler:)"
    )
    public consuming func delaySubscription(
        _ dueTime: TimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        delaySubscription(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timeout(_:scheduler:)"
    )
    public consuming func timeout(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<
        Element
    > {
        timeout(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timeout(_:other:scheduler:)"
    )
    public consuming func timeout<Source: ObservableConvertibleType>(
        _ dueTime: TimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        timeout(.init(microseconds: dueTime), other: other, scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).", renamed: "skip(_:scheduler:)"
    )
    public consuming func skip(_ duration: TimeInterval, scheduler: any SchedulerType) -> Observable<Element>
    {
        skip(.init(microseconds: duration), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "take(for:scheduler:)"
    )
    public consuming func take(_ duration: TimeInterval, scheduler: any SchedulerType) -> Observable<Element>
    {
        take(for: .init(microseconds: duration), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "debounce(_:scheduler:)"
    )
    public consuming func debounce(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<
        Element
    > {
        debounce(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "throttle(_:latest:scheduler:)"
    )
    public consuming func throttle(
        _ dueTime: TimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        throttle(.init(microseconds: dueTime), latest: latest, scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "buffer(timeSpan:count:scheduler:)"
    )
    public consuming func buffer(
        timeSpan: TimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        buffer(timeSpan: .init(microseconds: timeSpan), count: count, scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "window(timeSpan:count:scheduler:)"
    )
    public consuming func window(
        timeSpan: TimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        window(timeSpan: .init(microseconds: timeSpan), count: count, scheduler: scheduler)
    }
}

extension ObservableType where Element: FixedWidthInteger {
    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "interval(_:scheduler:)"
    )
    public static func interval(_ period: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        interval(.init(microseconds: period), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timer(_:period:scheduler:)"
    )
    public static func timer(
        _ dueTime: TimeInterval, period: TimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        timer(
            .init(microseconds: dueTime), period: period.map { .init(microseconds: $0) }, scheduler: scheduler
        )
    }
}

extension PrimitiveSequence {
    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "delay(_:scheduler:)"
    )
    public consuming func delay(
        _ dueTime: TimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        delay(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "delaySubscription(_:scheduler:)"
    )
    public consuming func delaySubscription(
        _ dueTime: TimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        delaySubscription(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timeout(_:scheduler:)"
    )
    public consuming func timeout(
        _ dueTime: TimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        timeout(.init(microseconds: dueTime), scheduler: scheduler)
    }

    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timeout(_:other:scheduler:)"
    )
    public consuming func timeout(
        _ dueTime: TimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        timeout(.init(microseconds: dueTime), other: other, scheduler: scheduler)
    }
}

extension PrimitiveSequence where Element: FixedWidthInteger, Trait == SingleTrait {
    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timer(_:scheduler:)"
    )
    public static func timer(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Single<Element> {
        timer(.init(microseconds: dueTime), scheduler: scheduler)
    }
}

extension PrimitiveSequence where Element: FixedWidthInteger, Trait == MaybeTrait {
    @available(
        *, deprecated, message: "Name the unit of the time, as in .seconds(1).",
        renamed: "timer(_:scheduler:)"
    )
    public static func timer(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Maybe<Element> {
        timer(.init(microseconds: dueTime), scheduler: scheduler)
    }
}
