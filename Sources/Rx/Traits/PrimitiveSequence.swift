/// An observable that keeps a promise about how many events it sends, named by `Trait`.
public struct PrimitiveSequence<Trait: Sendable, Element: Sendable>: Sendable {
    @usableFromInline package let source: Observable<Element>

    /// `raw` has to keep the trait's promise.
    @inlinable
    init(raw: consuming Observable<Element>) {
        source = consume raw
    }
}

/// What is a `PrimitiveSequence` in the end.
public protocol PrimitiveSequenceType<Trait, Element>: Sendable {
    associatedtype Trait: Sendable
    associatedtype Element: Sendable

    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
    @inlinable
    public consuming func asObservable() -> Observable<Element> {
        source
    }
}

public enum SingleTrait: Sendable {}
public enum MaybeTrait: Sendable {}
public enum CompletableTrait: Sendable {}

/// One value or an error.
public typealias Single<Element: Sendable> = PrimitiveSequence<SingleTrait, Element>
/// One value, nothing, or an error.
public typealias Maybe<Element: Sendable> = PrimitiveSequence<MaybeTrait, Element>
/// The end, or an error.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

public typealias SingleEvent<Element> = Result<Element, any Error>

@frozen
public enum MaybeEvent<Element: Sendable>: Sendable {
    case success(Element)
    case error(any Error)
    case completed
}

@frozen
public enum CompletableEvent: Sendable {
    case error(any Error)
    case completed
}
