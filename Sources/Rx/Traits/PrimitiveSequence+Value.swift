// Operators of singles and maybes. Operators of one trait that return another, and `subscribe` and `do`, are
// in Single.swift and Maybe.swift.

extension PrimitiveSequence where Trait: ValueTrait {
    /// Creates a sequence that succeeds with `element` on subscription.
    @inlinable
    public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// Creates a sequence that succeeds with `element` in a turn of `scheduler`.
    @inlinable
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// Combines the values of all sequences with `resultSelector`. Fails with the first error and disposes
    /// the others. Completes empty if a maybe does, or without maybes.
    @inlinable
    @preconcurrency
    public static func zip<Sequences: Collection, Result: Sendable>(
        _ sequences: Sequences, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> where Sequences.Element == PrimitiveSequence<Trait, Element> {
        if sequences.isEmpty, Trait.self == SingleTrait.self {
            return .deferred { .just(try resultSelector([])) }
        }
        return PrimitiveSequence<Trait, Result>(
            raw: .zip(sequences.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Collects the values of all sequences into an array, in order, like `zip(_:resultSelector:)`.
    @inlinable
    public static func zip<Sequences: Collection>(
        _ sequences: Sequences
    ) -> PrimitiveSequence<Trait, [Element]> where Sequences.Element == PrimitiveSequence<Trait, Element> {
        zip(sequences) { $0 }
    }

    /// Combines the results of one or more sequences. Completes empty if one of them does.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func zip<First: Sendable, each Value: Sendable>(
        _ first: PrimitiveSequence<Trait, First>, _ sequence: repeat PrimitiveSequence<Trait, each Value>,
        resultSelector: @escaping @Sendable (First, repeat each Value) throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .zip(first.source, repeat (each sequence).source, resultSelector: resultSelector))
    }
}

extension PrimitiveSequence where Trait: ValueTrait, Element == any Sendable {
    /// Emits the results of one or more sequences as a tuple.
    @inlinable
    @_disfavoredOverload
    public static func zip<First: Sendable, each Value: Sendable>(
        _ first: PrimitiveSequence<Trait, First>, _ sequence: repeat PrimitiveSequence<Trait, each Value>
    ) -> PrimitiveSequence<Trait, (First, repeat each Value)> {
        PrimitiveSequence<Trait, (First, repeat each Value)>(
            raw: Observable<any Sendable>.zip(first.source, repeat (each sequence).source))
    }
}

extension PrimitiveSequence where Trait: ValueTrait, Element: FixedWidthInteger {
    /// Creates a sequence that succeeds with 0 after `dueTime`.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
    }
}

extension PrimitiveSequenceType where Trait: ValueTrait {
    /// Transforms the value with `transform`. An error thrown by `transform` fails the result.
    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: takeSource().map(transform))
    }

    /// Transforms the value with `transform`, or completes empty if the result is `nil`.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Maybe<Result> {
        Maybe<Result>(raw: takeSource().compactMap(transform))
    }

    /// Completes empty if the value does not satisfy `predicate`.
    @inlinable
    @preconcurrency
    public consuming func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Maybe<Element> {
        Maybe(raw: takeSource().filter(predicate))
    }

    /// Continues with the sequence that `selector` returns for the value. An error of `selector` fails the
    /// result.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
    ) -> PrimitiveSequence<Trait, Result> {
        PrimitiveSequence<Trait, Result>(raw: takeSource().flatMap(selector))
    }

    /// Succeeds with `element` when the source fails.
    @inlinable
    public consuming func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: takeSource().catchAndReturn(element))
    }

    /// Converts to a completable by dropping the value.
    @inlinable
    public consuming func asCompletable() -> Completable {
        Completable(raw: takeSource().ignoreElements())
    }
}
