/// The traits that `zip` combines: `SingleTrait` and `MaybeTrait`.
public protocol ZippedTrait {}

extension SingleTrait: ZippedTrait {}
extension MaybeTrait: ZippedTrait {}

extension PrimitiveSequence where Trait: ZippedTrait {
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

extension PrimitiveSequence where Trait: ZippedTrait, Element == any Sendable {
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
